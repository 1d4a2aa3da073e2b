/* epoch.h - shuffled passes over a data set, without keeping the order anywhere.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdint.h>

/* Which of n ≥ 1 examples stands at a place of an endless sequence: every stretch of n places that
 * begins at a multiple of n is an epoch, a permutation of 0 … n-1 that depends on the seed and the
 * epoch's number.  In constant time and memory, so a training that goes on needs its step only: a
 * Feistel network (Luby and Rackoff 1988) over the next power of four, whose values beyond n are
 * sent through it again (Black and Rogaway 2002, cycle walking). */
long long th_task_epoch(uint64_t seed, long long n, long long place);
