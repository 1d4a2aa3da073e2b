#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

/* A step of a small model takes a millisecond or two and waking a sleeping thread takes a tenth of
 * that, so both sides look for news this many times before they sleep. */
enum { SPINS = 20000 };

typedef struct {
    ThPool *pool;
    int rank;
    pthread_t thread;
} Worker;

struct ThPool {
    int threads, started;
    Worker *worker; /* (threads), entry 0 unused: it is the caller */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_uint turn;   /* number of the current job */
    atomic_int pending; /* workers that have not finished it */
    bool quit;
    ThPoolJob *job;
    void *context;
    int shards;
};

static void run_shards(const ThPool *p, int rank)
{
    for (int s = rank; s < p->shards; s += p->threads)
        p->job(p->context, s);
}

static void pause_briefly(int i)
{
    if (i % 64 == 63)
        sched_yield();
}

static void wait_for_turn(ThPool *p, unsigned seen)
{
    for (int i = 0; i < SPINS && atomic_load(&p->turn) == seen; i++)
        pause_briefly(i);
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->turn) == seen)
        pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *argument)
{
    Worker *w = argument;
    ThPool *p = w->pool;
    for (unsigned seen = 0;; seen++) {
        wait_for_turn(p, seen);
        if (p->quit)
            return NULL;
        run_shards(p, w->rank);
        if (atomic_fetch_sub(&p->pending, 1) == 1) {
            pthread_mutex_lock(&p->lock);
            pthread_cond_signal(&p->done);
            pthread_mutex_unlock(&p->lock);
        }
    }
}

/* Signals belong to the program's own thread: workers start with all of them blocked. */
static bool start_worker(ThPool *p, int rank)
{
    sigset_t all, old;
    Worker *w = &p->worker[rank];
    w->pool = p;
    w->rank = rank;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    p->started += !failed;
    return !failed;
}

ThPool *th_pool_new(int threads, ThError *err)
{
    ThPool *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    p->threads = threads;
    p->worker = th_alloc((size_t)threads, sizeof *p->worker, err);
    if (!p->worker) {
        free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    for (int i = 1; i < threads; i++) {
        if (!start_worker(p, i)) {
            th_fail(err, TH_ELIMIT, "the system gives no more than %d threads", i);
            th_pool_free(p);
            return NULL;
        }
    }
    return p;
}

static void announce(ThPool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->turn, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void th_pool_run(ThPool *p, ThPoolJob *job, void *context, int shards)
{
    p->job = job;
    p->context = context;
    p->shards = shards;
    if (p->started == 0 || shards < 2) {
        for (int s = 0; s < shards; s++)
            job(context, s);
        return;
    }
    atomic_store(&p->pending, p->started);
    announce(p);
    run_shards(p, 0);
    for (int i = 0; i < SPINS && atomic_load(&p->pending) > 0; i++)
        pause_briefly(i);
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->pending) > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void th_pool_free(ThPool *p)
{
    if (!p)
        return;
    p->quit = true;
    announce(p);
    for (int i = 1; i <= p->started; i++)
        pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    TH_FREE(p->worker, p);
}
