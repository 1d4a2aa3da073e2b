/* bench_rasp.c PROGRAM N - how long a RASP program takes on an input of N elements.
 *
 * Prints "ready"; then measures for as many seconds as each line of its input says and prints the
 * median, mean and least milliseconds of one evaluation on an input that it has not seen. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "rasp/run.h"

enum { MOST = 100000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* selector_width as RASP's library writes it: from the means over two heads. */
static ThSop width(ThRaspGraph *g, ThSop selector)
{
    ThAtom zero = th_int(0);
    ThSop indices = th_rasp_indices(g, NULL), one = th_rasp_constant(g, th_int(1), NULL);
    ThSop first =
        th_rasp_select(g, indices, th_rasp_constant(g, zero, NULL), TH_OP_EQ, false, NULL);
    ThSop at_0 = th_rasp_unary(
        g, TH_OP_INDICATOR,
        th_rasp_binary(g, TH_OP_EQ, indices, th_rasp_constant(g, zero, NULL), NULL), NULL);
    ThSop with = th_rasp_binary(g, TH_OP_OR, selector, first, NULL);
    ThSop inverse = th_rasp_aggregate(g, with, at_0, NULL, TH_REDUCE_MEAN, NULL);
    ThSop only = th_rasp_binary(g, TH_OP_AND, selector, first, NULL);
    ThSop has = th_rasp_aggregate(g, only, one, &zero, TH_REDUCE_MEAN, NULL);
    ThSop all = th_rasp_binary(g, TH_OP_DIV, one, inverse, NULL);
    ThSop others = th_rasp_binary(g, TH_OP_SUB, all, one, NULL);
    return th_rasp_unary(g, TH_OP_ROUND, th_rasp_binary(g, TH_OP_ADD, others, has, NULL), NULL);
}

static ThSop hist(ThRaspGraph *g)
{
    ThSop tokens = th_rasp_tokens(g, TH_AS_IS, NULL);
    return width(g, th_rasp_select(g, tokens, tokens, TH_OP_EQ, false, NULL));
}

static ThSop sort(ThRaspGraph *g)
{
    ThSop tokens = th_rasp_tokens(g, TH_AS_IS, NULL), indices = th_rasp_indices(g, NULL);
    ThSop less = th_rasp_select(g, tokens, tokens, TH_OP_LT, false, NULL);
    ThSop same = th_rasp_select(g, tokens, tokens, TH_OP_EQ, false, NULL);
    ThSop left = th_rasp_select(g, indices, indices, TH_OP_LT, false, NULL);
    ThSop tied = th_rasp_binary(g, TH_OP_AND, same, left, NULL);
    ThSop before = width(g, th_rasp_binary(g, TH_OP_OR, less, tied, NULL));
    ThSop place = th_rasp_select(g, before, indices, TH_OP_EQ, false, NULL);
    return th_rasp_aggregate(g, place, tokens, NULL, TH_REDUCE_MEAN, NULL);
}

/* One causal head: keys, queries and values are the three digits of the tokens. */
static ThSop head(ThRaspGraph *g)
{
    ThSop x[3], tokens = th_rasp_tokens(g, TH_AS_IS, NULL);
    int64_t digits[3][1000];
    for (int k = 0; k < 3; k++) {
        ThAtom table[1000];
        for (int i = 0; i < 1000; i++) {
            digits[k][i] = k == 0 ? i % 10 : k == 1 ? i / 10 % 10 : i / 100;
            table[i] = th_int(digits[k][i]);
        }
        x[k] = th_rasp_list(g, tokens, table, 1000, NULL);
    }
    ThSop selector = th_rasp_select(g, x[0], x[1], TH_OP_EQ, true, NULL);
    return th_rasp_aggregate(g, selector, x[2], NULL, TH_REDUCE_MEAN_INT, NULL);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of one evaluation on a new input; below 0 if it fails. */
static double once(ThRaspGraph *g, ThSop sop, int64_t kinds, size_t n, uint64_t turn)
{
    ThRng r = th_rng(1, "bench.rasp", turn);
    ThAtom *x = malloc(n * sizeof *x);
    ThSeq input = {0};
    ThError err = {0};
    for (size_t i = 0; x && i < n; i++)
        x[i] = th_int((int64_t)th_rng_below(&r, (uint64_t)kinds));
    bool ok = x && th_seq_of(x, n, &input, &err);
    free(x);
    double begun = now();
    ThRaspRun *run = ok ? th_rasp_run_new(g, &input, 0, &err) : NULL;
    ok = run && th_rasp_run_value(run, sop, NULL, &err);
    double taken = now() - begun;
    th_rasp_run_free(run);
    th_seq_free(&input);
    if (!ok)
        fprintf(stderr, "%s\n", err.msg);
    return ok ? taken : -1;
}

static bool measure(ThRaspGraph *g, ThSop sop, int64_t kinds, size_t n, double seconds)
{
    static double time_of[MOST];
    int turns = 0;
    double sum = 0;
    while (turns < MOST && (turns < 3 || sum < 1e3 * seconds)) {
        time_of[turns] = once(g, sop, kinds, n, (uint64_t)turns);
        if (time_of[turns] < 0)
            return false;
        sum += time_of[turns++];
    }
    qsort(time_of, (size_t)turns, sizeof *time_of, by_size);
    printf("%.6f %.6f %.6f\n", time_of[turns / 2], sum / turns, time_of[0]);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        ThSop (*make)(ThRaspGraph *g);
        int64_t kinds;
    } program[] = {{"head", head, 1000}, {"hist", hist, 26}, {"sort", sort, 1000000}};
    size_t which = 0, n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    while (n && which < 3 && strcmp(argv[1], program[which].name) != 0)
        which++;
    if (!n || which == 3) {
        fprintf(stderr, "usage: bench_rasp head|hist|sort N\n");
        return 2;
    }
    ThAtoms atoms = {0};
    ThRaspGraph *g = th_rasp_graph_new(&atoms, NULL);
    if (!g)
        return 1;
    ThSop sop = program[which].make(g);
    printf("ready\n");
    fflush(stdout);
    char line[64];
    bool ok = true;
    while (ok && fgets(line, sizeof line, stdin))
        ok = measure(g, sop, program[which].kinds, n, strtod(line, NULL));
    th_rasp_graph_free(g);
    th_atoms_free(&atoms);
    return ok ? 0 : 1;
}
