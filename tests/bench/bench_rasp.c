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
#include "rasp/interpret/rasp.h"
#include "turing/tm_program.h"

enum { MOST = 100000, STATES = 16, SYMBOLS = 12, GRAM = 4, CELLS = 50 };

typedef struct {
    ThRasp *rasp;
    ThRaspGraph *g;
    ThRaspSop sop;
    int64_t kinds; /* of ints in an input; 0: a machine's tokens */
    ThRaspAtom token[STATES + SYMBOLS + TH_TM_TOKEN_FIRST + 2];
} Bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* selector_width as RASP's library writes it: from the means over two heads. */
static ThRaspSop width(ThRaspGraph *g, ThRaspSop selector)
{
    ThRaspAtom zero = th_rasp_int(0);
    ThRaspSop indices = th_rasp_indices(g, NULL), one = th_rasp_constant(g, th_rasp_int(1), NULL);
    ThRaspSop first =
        th_rasp_select(g, indices, th_rasp_constant(g, zero, NULL), TH_RASP_OP_EQ, false, NULL);
    ThRaspSop at_0 = th_rasp_unary(
        g, TH_RASP_OP_INDICATOR,
        th_rasp_binary(g, TH_RASP_OP_EQ, indices, th_rasp_constant(g, zero, NULL), NULL), NULL);
    ThRaspSop with = th_rasp_binary(g, TH_RASP_OP_OR, selector, first, NULL);
    ThRaspSop inverse = th_rasp_aggregate(g, with, at_0, NULL, TH_RASP_REDUCE_MEAN, NULL);
    ThRaspSop only = th_rasp_binary(g, TH_RASP_OP_AND, selector, first, NULL);
    ThRaspSop has = th_rasp_aggregate(g, only, one, &zero, TH_RASP_REDUCE_MEAN, NULL);
    ThRaspSop all = th_rasp_binary(g, TH_RASP_OP_DIV, one, inverse, NULL);
    ThRaspSop others = th_rasp_binary(g, TH_RASP_OP_SUB, all, one, NULL);
    return th_rasp_unary(g, TH_RASP_OP_ROUND, th_rasp_binary(g, TH_RASP_OP_ADD, others, has, NULL),
                         NULL);
}

static ThRaspSop hist(ThRaspGraph *g)
{
    ThRaspSop tokens = th_rasp_tokens(g, TH_RASP_AS_IS, NULL);
    return width(g, th_rasp_select(g, tokens, tokens, TH_RASP_OP_EQ, false, NULL));
}

static ThRaspSop sort(ThRaspGraph *g)
{
    ThRaspSop tokens = th_rasp_tokens(g, TH_RASP_AS_IS, NULL), indices = th_rasp_indices(g, NULL);
    ThRaspSop less = th_rasp_select(g, tokens, tokens, TH_RASP_OP_LT, false, NULL);
    ThRaspSop same = th_rasp_select(g, tokens, tokens, TH_RASP_OP_EQ, false, NULL);
    ThRaspSop left = th_rasp_select(g, indices, indices, TH_RASP_OP_LT, false, NULL);
    ThRaspSop tied = th_rasp_binary(g, TH_RASP_OP_AND, same, left, NULL);
    ThRaspSop before = width(g, th_rasp_binary(g, TH_RASP_OP_OR, less, tied, NULL));
    ThRaspSop place = th_rasp_select(g, before, indices, TH_RASP_OP_EQ, false, NULL);
    return th_rasp_aggregate(g, place, tokens, NULL, TH_RASP_REDUCE_MEAN, NULL);
}

/* One causal head: keys, queries and values are the three digits of the tokens. */
static ThRaspSop head(ThRaspGraph *g)
{
    ThRaspSop x[3], tokens = th_rasp_tokens(g, TH_RASP_AS_IS, NULL);
    int64_t digits[3][1000];
    for (int k = 0; k < 3; k++) {
        ThRaspAtom table[1000];
        for (int i = 0; i < 1000; i++) {
            digits[k][i] = k == 0 ? i % 10 : k == 1 ? i / 10 % 10 : i / 100;
            table[i] = th_rasp_int(digits[k][i]);
        }
        x[k] = th_rasp_list(g, tokens, table, 1000, NULL);
    }
    ThRaspSop selector = th_rasp_select(g, x[0], x[1], TH_RASP_OP_EQ, true, NULL);
    return th_rasp_aggregate(g, selector, x[2], NULL, TH_RASP_REDUCE_MEAN_INT, NULL);
}

/* The program that continues the text of a random machine's run, as `rasp` writes it. */
static ThRaspSop machine(Bench *b)
{
    ThRng rng = th_rng(1, "bench.rasp.machine", 0);
    ThTm *m = th_tm_random_walled(STATES, SYMBOLS, &rng, NULL);
    ThTmTokens tokens = {m, true};
    ThText source = {0};
    ThError err = {0};
    ThRaspValue v;
    char **name = m ? th_tm_program_names(&tokens, &err) : NULL;
    bool ok = name && th_tm_program(&source, &tokens, GRAM, "next", "m", &err) &&
              th_rasp_execute(b->rasp, source.data, false, false, NULL, &err) &&
              th_rasp_lookup(b->rasp, "next", &v);
    for (int k = 0; ok && k < th_tm_token_count(&tokens); k++)
        ok = th_rasp_atom_string(th_rasp_atoms(b->g), name[k], strlen(name[k]), &b->token[k], &err);
    th_tm_program_names_free(name);
    th_text_free(&source);
    th_tm_free(m);
    if (!ok)
        fprintf(stderr, "%s\n", err.msg);
    return ok ? v.as.sop : TH_RASP_NO_SOP;
}

/* Configurations of CELLS symbols, with a state somewhere. */
static ThRaspAtom machine_token(const Bench *b, size_t i, ThRng *rng)
{
    size_t at = i % (CELLS + 4), state = i / (CELLS + 4) % CELLS;
    if (at == 0 || at == CELLS + 2 || at == CELLS + 3)
        return b->token[at == 0           ? TH_TM_TOKEN_BEGIN
                        : at == CELLS + 2 ? TH_TM_TOKEN_END
                                          : TH_TM_TOKEN_GAP];
    uint64_t kind = th_rng_below(rng, at == state + 2 ? STATES : SYMBOLS);
    return b->token[TH_TM_TOKEN_FIRST + kind + (at == state + 2 ? SYMBOLS : 0)];
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of one evaluation on a new input; below 0 if it fails. */
static double once(const Bench *b, size_t n, uint64_t turn)
{
    ThRng r = th_rng(1, "bench.rasp", turn);
    ThRaspAtom *x = malloc(n * sizeof *x);
    ThRaspSeq input = {0};
    ThError err = {0};
    for (size_t i = 0; x && i < n; i++)
        x[i] = b->kinds ? th_rasp_int((int64_t)th_rng_below(&r, (uint64_t)b->kinds))
                        : machine_token(b, i, &r);
    bool ok = x && th_rasp_seq_of(x, n, &input, &err);
    free(x);
    double begun = now();
    ThRaspRun *run = ok ? th_rasp_run_new(b->g, &input, 0, &err) : NULL;
    ok = run && th_rasp_run_value(run, b->sop, NULL, &err);
    double taken = now() - begun;
    th_rasp_run_free(run);
    th_rasp_seq_free(&input);
    if (!ok)
        fprintf(stderr, "%s\n", err.msg);
    return ok ? taken : -1;
}

static bool measure(const Bench *b, size_t n, double seconds)
{
    static double time_of[MOST];
    int turns = 0;
    double sum = 0;
    while (turns < MOST && (turns < 3 || sum < 1e3 * seconds)) {
        time_of[turns] = once(b, n, (uint64_t)turns);
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
        ThRaspSop (*make)(ThRaspGraph *g); /* NULL: the machine's */
        int64_t kinds;
    } program[] = {
        {"head", head, 1000}, {"hist", hist, 26}, {"sort", sort, 1000000}, {"machine", NULL, 0}};
    enum { PROGRAMS = sizeof program / sizeof *program };
    size_t which = 0, n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    while (n && which < PROGRAMS && strcmp(argv[1], program[which].name) != 0)
        which++;
    if (!n || which == PROGRAMS) {
        fprintf(stderr, "usage: bench_rasp head|hist|sort|machine N\n");
        return 2;
    }
    Bench b = {.rasp = th_rasp_new(NULL, NULL), .kinds = program[which].kinds};
    if (!b.rasp)
        return 1;
    b.g = th_rasp_graph(b.rasp);
    b.sop = program[which].make ? program[which].make(b.g) : machine(&b);
    bool ok = b.sop != TH_RASP_NO_SOP;
    if (ok)
        printf("ready\n");
    fflush(stdout);
    char line[64];
    while (ok && fgets(line, sizeof line, stdin))
        ok = measure(&b, n, strtod(line, NULL));
    th_rasp_free(b.rasp);
    return ok ? 0 : 1;
}
