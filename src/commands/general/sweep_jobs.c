/* sweep_jobs.c - the processes of a sweep, on this machine and under mpirun. */
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/general/sweep.h"
#include "ranks.h"

/* By what the recorded points cost, or under mpirun, where others read the records, by how long the
 * ended ones took together. */
static double time_left(const ShSweep *w)
{
    double ended = (double)(w->done + w->failed), known = ended + (double)w->before;
    double left = (double)(w->points - w->before - w->failed_before) - ended;
    if (w->ranks)
        return ended > 0 ? (sh_clock() - w->began) / ended * left : (double)NAN;
    return known > 0 ? w->cost / known * left / w->jobs : (double)NAN;
}

static void say_progress(const ShSweep *w)
{
    double left = time_left(w);
    ThText t TH_OWNED(th_text_free) = {0};
    if (!isnan(left))
        th_text_printf(&t, ", %.0f s left", ceil(left));
    sh_progress(w->s, "%lld of %lld points done, %d running, %lld failed%s", w->before + w->done,
                w->points, w->running, w->failed + w->failed_before, th_text_string(&t));
}

void sh_sweep_cost(ShSweep *w, const json_t *record)
{
    double memory = json_number_value(json_object_get(record, "memory"));
    w->cost += json_number_value(json_object_get(record, "seconds"));
    w->memory = fmax(w->memory, memory);
}

/* A point whose process was killed has a record, too. */
static bool record_death(const ShSweep *w, const ShJob *j, int status, ThError *err)
{
    ThError why = {0};
    if (WIFSIGNALED(status))
        th_fail(&why, TH_ELIMIT, "the process was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) == SH_POINT_UNWRITTEN)
        th_fail(&why, TH_EIO, "its record could not be written");
    else
        th_fail(&why, TH_EIO, "the process ended with status %d, and left no record",
                WEXITSTATUS(status));
    return sh_point_write(w->dir, j->id,
                          json_pack("{s:O, s:I, s:s, s:o, s:O}", "point", j->point, "index",
                                    (json_int_t)j->index, "status", "failed", "error",
                                    sh_point_error(&why), "inputs", j->inputs),
                          err);
}

static void free_job(ShJob *j)
{
    sh_claim_drop(&j->claim);
    json_decref(j->point);
    json_decref(j->inputs);
    free(j->id);
}

/* One process has ended. */
static bool end_job(ShSweep *w, int number, int status, ThError *err)
{
    ShJob j = w->job[number];
    json_t *record TH_OWNED(json_decref) = NULL;
    bool ok = true;
    w->job[number] = w->job[--w->running];
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        ok = record_death(w, &j, status, err);
    ok = ok && sh_point_read(w->dir, j.id, &record, err);
    if (ok) {
        sh_sweep_cost(w, record);
        w->done += sh_point_is_done(record);
        w->failed += !sh_point_is_done(record);
    }
    free_job(&j);
    return ok;
}

void sh_jobs_end(ShSweep *w)
{
    for (int i = 0; i < w->running; i++)
        kill(-w->job[i].pid, SIGTERM);
    for (int i = 0; i < w->running; i++) {
        waitpid(w->job[i].pid, NULL, 0);
        free_job(&w->job[i]);
    }
    w->running = 0;
}

/* Claims last as long as they are renewed. */
static void renew_claims(ShSweep *w)
{
    enum { EVERY = 20 };
    if (sh_clock() - w->renewed < EVERY)
        return;
    w->renewed = sh_clock();
    for (int i = 0; i < w->running; i++)
        sh_claim_renew(&w->job[i].claim);
}

/* Waits until fewer than `most` points run. */
bool sh_jobs_wait(ShSweep *w, int most, ThError *err)
{
    const struct timespec moment = {0, 10000000};
    bool ok = true;
    while (ok && w->running >= most) {
        bool ended = false;
        for (int i = w->running; ok && i-- > 0;) {
            int status;
            if (waitpid(w->job[i].pid, &status, WNOHANG) != w->job[i].pid)
                continue;
            ended = true;
            ok = end_job(w, i, status, err);
        }
        say_progress(w);
        renew_claims(w);
        ok = ok && !th_stopped(sh_stop(w->s), err);
        if (ok && !ended)
            nanosleep(&moment, NULL);
    }
    return ok;
}

bool sh_job_start(ShSweep *w, const ShLoopNames *names, char *id, ShClaim *claim, long long index,
                  ThError *err)
{
    ShJob j = {.id = id, .index = index, .claim = *claim};
    j.inputs = sh_point_inputs(w, names, err);
    if (!j.inputs)
        return false;
    j.point = sh_point_variables(w->s, names);
    fflush(NULL);
    pid_t parent = getpid();
    j.pid = fork();
    if (j.pid == 0)
        sh_point_process(w, names, &j, parent);
    if (j.pid < 0) {
        json_decref(j.point);
        json_decref(j.inputs);
        return th_fail(err, TH_EIO, "cannot start a process: %s", strerror(errno));
    }
    setpgid(j.pid, j.pid); /* here, too: who is first does not matter */
    w->job[w->running++] = j;
    w->grid[index].settled = true;
    *claim = (ShClaim){.fd = -1};
    return true;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* How a rank's last point ended: as its process' exit status. */
static void count_end(ShSweep *w, int status)
{
    w->done += status == 0;
    w->failed += status > 0;
    w->running -= status >= 0;
}

/* Waits for a rank that asks; 0: interrupted. */
static int free_rank(ShSweep *w, ThError *err)
{
    const struct timespec moment = {0, 2000000};
    int status, rank;
    while ((rank = w->ranks->listen(&status)) == 0) {
        say_progress(w);
        if (th_stopped(sh_stop(w->s), err))
            return 0;
        nanosleep(&moment, NULL);
    }
    count_end(w, status);
    return rank;
}

bool sh_rank_give(ShSweep *w, long long index, ThError *err)
{
    int rank = free_rank(w, err);
    if (rank > 0) {
        w->ranks->give(rank, index);
        w->running++;
    }
    return rank > 0;
}

bool sh_ranks_finish(ShSweep *w, ThError *err)
{
    for (int left = w->ranks->size - 1; left > 0; left--) {
        int rank = free_rank(w, err);
        if (rank == 0)
            return false;
        w->ranks->give(rank, -1);
    }
    return true;
}

void sh_ranks_count(ShSweep *w)
{
    long long *const counts[] = {&w->points, &w->before,     &w->failed_before, &w->done,
                                 &w->failed, &w->other_done, &w->other_failed,  &w->again};
    enum { N = sizeof counts / sizeof *counts };
    long long all[N];
    for (int i = 0; i < N; i++)
        all[i] = *counts[i];
    w->ranks->share(all, sizeof all);
    for (int i = 0; i < N; i++)
        *counts[i] = all[i];
}

/* Claims and runs the point that this rank was given; waits where another job computes it. */
static bool run_given(ShSweep *w, const ShLoopNames *names, char **id, long long index,
                      ThError *err)
{
    const struct timespec moment = {0, 200000000};
    bool wanted = true, ok = sh_point_is_wanted(w, names, *id, index, &wanted, err);
    while (ok && wanted) {
        ShClaim claim;
        ok = sh_claim_take(w->dir, *id, &claim, err) &&
             sh_point_is_wanted(w, names, *id, index, &wanted, err);
        if (ok && wanted && claim.fd >= 0) {
            ok = sh_job_start(w, names, *id, &claim, index, err);
            *id = ok ? NULL : *id;
            wanted = false;
        } else if (claim.fd < 0) {
            nanosleep(&moment, NULL);
        }
        sh_claim_drop(&claim);
    }
    return ok && sh_jobs_wait(w, 1, err);
}

bool sh_rank_turn(ShSweep *w, const ShLoopNames *names, long long index, ThError *err)
{
    if (index != w->given)
        return true;
    long long failed = w->failed + w->other_failed;
    char *id TH_OWNED(free) = sh_point_id(w->s, names, err);
    bool ok = id && sh_point_given(w, id, index, err) && run_given(w, names, &id, index, err);
    if (ok)
        w->given = w->ranks->ask(w->failed + w->other_failed > failed);
    return ok;
}
