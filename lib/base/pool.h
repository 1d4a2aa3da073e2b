/* pool.h - a fixed set of threads that run the shards of one job, then sleep.
 *
 * Work is cut by shard number, never by who is free, so that the same number of shards gives the
 * same results on any machine.  Jobs are few and large (one a training step): there is one barrier
 * a job and none inside.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/memory.h"

typedef struct ThPool ThPool;
typedef void ThPoolJob(void *context, int shard);

/* Returns new: a pool of `threads` ≥ 1; the caller's thread is one of them.  NULL and err if the
 * system gives no threads. */
ThPool *th_pool_new(int threads, ThError *err);

/* Runs job(context, 0 … shards-1), shard s on thread s mod threads, and returns when all are
 * done. */
void th_pool_run(ThPool *p, ThPoolJob *job, void *context, int shards);
void th_pool_free(ThPool *p); /* NULL is fine */
