/* bench_turing.c - runs of busy beavers by the engine of blocks, beside a plain loop over a table;
 * a billion steps on a bounded tape; a trace of a million steps as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "turing/configuration.h"
#include "turing/engine.h"

enum { ROOM = 1 << 16 };

/* Processor time: what else runs on the machine counts less. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    uint8_t write, next;
    int8_t move;
} Action;

/* The plain loop: a table of actions, bytes for cells.  Returns the steps. */
static uint64_t plain(const ThTm *m, uint64_t *ones)
{
    static Action table[64][16];
    static uint8_t tape[ROOM];
    int state = m->start;
    uint64_t steps = 0;
    uint8_t *head = tape + ROOM / 2;
    memset(tape, 0, sizeof tape);
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        table[r->from][r->read[0]] =
            (Action){(uint8_t)r->write[0], (uint8_t)r->to, (int8_t)r->move[0]};
    }
    while (m->role[state] == TH_TM_RUNS) {
        const Action *a = &table[state][*head];
        *head = a->write;
        head += a->move;
        state = a->next;
        steps++;
    }
    *ones = 0;
    for (int i = 0; i < ROOM; i++)
        *ones += tape[i] != 0;
    return steps;
}

static int compare(const char *name, const char *text)
{
    enum { TIMES = 20 };
    ThTm *m = th_tm_read_bb(text, NULL);
    if (!m)
        return 1;
    ThTmRunLimits limits = {TH_TM_MOST_STEPS, UINT64_MAX};
    ThTmFastFigures x = {0};
    uint64_t ones = 0;
    double begun = now();
    uint64_t steps = plain(m, &ones);
    double slow = now() - begun;
    begun = now();
    for (int i = 0; i < TIMES; i++) {
        ThTmFast *f = th_tm_fast_new(m, NULL, 0, 0, NULL);
        if (!f || !th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL))
            return 1;
        x = th_tm_fast_figures(f);
        th_tm_fast_free(f);
    }
    double fast = (now() - begun) / TIMES;
    bool same = x.steps == steps && x.nonblank == ones;
    printf("%-8s %" PRIu64 " steps  plain %.2f ms  blocks %.3f ms  %.0f times%s\n", name, steps,
           1e3 * slow, 1e3 * fast, slow / fast, same ? "" : "  DIFFERENT COUNTS");
    th_tm_free(m);
    return same ? 0 : 1;
}

/* A machine that stays on a bounded tape: how long a billion steps take, and what memory. */
static int bounded(const char *name, ThTm *m, const char *input)
{
    enum { BILLION = 1000000000 };
    ThTmTapeWords words;
    struct rusage usage;
    if (!m || !th_tm_tape_words_read(&words, m, input, NULL))
        return 1;
    double begun = now();
    ThTmFast *f = th_tm_fast_new(m, words.word[0], words.length[0], 0, NULL);
    bool ok = f && th_tm_fast_go(f, UINT64_MAX, (ThTmRunLimits){BILLION, UINT64_MAX}, NULL, NULL);
    double seconds = now() - begun;
    if (!ok)
        return 1;
    ThTmFastFigures x = th_tm_fast_figures(f);
    getrusage(RUSAGE_SELF, &usage);
    printf("%-8s %" PRIu64 " steps on %" PRIu64
           " cells  %.2f s  %zu bytes of moves, %ld MB in all\n",
           name, x.steps, x.cells, seconds, th_tm_fast_bytes(f), usage.ru_maxrss / 1024);
    th_tm_fast_free(f);
    th_tm_tape_words_free(&words);
    th_tm_free(m);
    return x.steps == BILLION ? 0 : 1;
}

/* The lines of a trace, as the command trace writes them. */
static int trace(const char *name, ThTmConfigurationForm form, int width)
{
    enum { STEPS = 1000000, BUFFER = 1 << 16 };
    ThTm *m = th_tm_read_bb("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", NULL);
    ThTmConfigurationWriter w;
    ThTmRunning r;
    ThText t = {0};
    FILE *out = fopen("/dev/null", "w");
    size_t bytes = 0;
    if (!m || !out || !th_tm_configuration_writer(&w, m, form, width, NULL) ||
        !th_tm_running_start(&r, m, NULL, NULL, NULL))
        return 1;
    double begun = now();
    for (uint64_t i = 0; i < STEPS; i++) {
        th_tm_running_go(&r, 1, (ThTmRunLimits){STEPS, UINT64_MAX}, NULL, NULL);
        th_tm_configuration_line(&t, &w, &r);
        if (t.size > BUFFER) {
            bytes += fwrite(t.data, 1, t.size, out);
            t.size = 0;
        }
    }
    double seconds = now() - begun;
    printf("trace    %d steps as %-22s %.0f MB in %.2f s  %.0f MB/s\n", STEPS, name,
           1e-6 * (double)bytes, seconds, 1e-6 * (double)bytes / seconds);
    fclose(out);
    th_text_free(&t);
    th_tm_running_free(&r);
    th_tm_configuration_writer_free(&w);
    th_tm_free(m);
    return 0;
}

int main(void)
{
    static const char counter[] = "start a; alphabet 0 1 e x; blank 0\n"
                                  "a x -> R a; a 0 -> 1 L b; a 1 -> 0 R a; a e -> L c\n"
                                  "b 0,1 -> L b; b x -> R a\n"
                                  "c 0,1 -> L c; c x -> R a";
    int bad = bounded("counter", th_tm_parse(counter, NULL), "x000000000000000000e");
    bad |= bounded("54 cells", th_tm_read_bb("1RB---_0LC1LC_0RD0LB_1RA0RE_1RD1RZ", NULL), "");
    bad |= trace("60 cells", TH_TM_SHOW_HEAD, 60) | trace("all cells", TH_TM_SHOW_HEAD, 0) |
           trace("runs", TH_TM_SHOW_RUNS, 0);
    return bad | compare("BB(5)", "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA") |
           compare("BB(2,4)", "1RB2LA1RA1RA_1LB1LA3RB1RZ");
}
