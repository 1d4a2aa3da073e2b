/* rasp_random.h - random nodes of RASP's graph, and their values against the definition; drawn from
 * a random stream, or from the bytes of a fuzzer. */
#ifndef TEST_UNIT_RASP_RANDOM_H
#define TEST_UNIT_RASP_RANDOM_H

#include "base/rng.h"
#include "rasp/evaluate/rasp_run.h"

#include "rasp_naive.h"

typedef struct {
    ThRaspAtoms atoms;
    ThRaspGraph *g;
    ThRaspRun *run;
    Naive naive;
    ThRaspSeq input;
    ThRng rng;
    const uint8_t *data; /* if not NULL, choices come from here */
    size_t size, at;
    size_t failed, compared;
    bool tables; /* no functions of C */
} Fight;

static ThRaspAtoms *pool(Fight *f)
{
    return f->g ? th_rasp_atoms(f->g) : &f->atoms;
}

static uint64_t die(Fight *f, uint64_t n)
{
    if (!f->data)
        return th_rng_below(&f->rng, n);
    uint64_t x = f->at < f->size ? f->data[f->at++] : 0;
    return x % n;
}

static ThRaspAtom fight_text(Fight *f, const char *s)
{
    ThRaspAtom a = {0};
    th_rasp_atom_string(pool(f), s, strlen(s), &a, NULL);
    return a;
}

static double fight_float(Fight *f)
{
    switch (die(f, 4)) {
    case 0:
        return ldexp((double)die(f, 100) - 50, -(int)die(f, 4));
    case 1:
        return (double)die(f, 100) / 3;
    case 2:
        return ldexp(1 + (double)die(f, 256) / 77, (int)die(f, 256) - 128);
    default:
        return ldexp(-1 - (double)die(f, 256) / 77, 8 * (int)die(f, 256) - 1050);
    }
}

/* A node from some place on that is a selector, or none; TH_RASP_NO_SOP if there is none. */
static ThRaspSop pick(Fight *f, bool selector)
{
    ThRaspSop n = th_rasp_nodes(f->g), x = (ThRaspSop)die(f, n);
    for (ThRaspSop k = 0; k < n; k++, x = (x + 1) % n)
        if (th_rasp_is_selector(f->g, x) == selector)
            return x;
    return TH_RASP_NO_SOP;
}

static ThRaspAtom random_atom(Fight *f)
{
    switch (die(f, 8)) {
    case 0:
        return fight_text(f, die(f, 2) ? "a" : "b");
    case 1:
        return th_rasp_bool(die(f, 2));
    case 2:
        return th_rasp_float(fight_float(f));
    default:
        return th_rasp_int((int64_t)die(f, 7) - 2);
    }
}

static ThRaspSop random_aggregate(Fight *f)
{
    ThRaspSop selector = pick(f, true);
    if (selector == TH_RASP_NO_SOP)
        return selector;
    ThRaspAtom missing = random_atom(f);
    if (die(f, 4) == 0)
        return th_rasp_width(f->g, selector, NULL);
    return th_rasp_aggregate(f->g, selector, pick(f, false), die(f, 3) ? NULL : &missing,
                             (ThRaspReduction)die(f, 6), NULL);
}

/* What functions do that are given to map and match; the number is their identity, too. */
static bool some_function(void *context, ThRaspAtoms *p, const ThRaspAtom *x, size_t n,
                          ThRaspAtom *z, ThError *err)
{
    int k = *(const int *)context;
    ThRaspAtom y = x[n - 1], t;
    switch (k) {
    case 0: /* the key, whatever the query */
        *z = x[0];
        return true;
    case 1: /* key <= query + 1 */
        return th_rasp_atom_binary(p, TH_RASP_OP_ADD, y, th_rasp_int(1), &t, err) &&
               th_rasp_atom_binary(p, TH_RASP_OP_LE, x[0], t, z, err);
    case 2: /* not an interval */
        return th_rasp_atom_binary(p, TH_RASP_OP_ADD, y, x[0], &t, err) &&
               th_rasp_atom_binary(p, TH_RASP_OP_MOD, t, th_rasp_int(2), z, err);
    case 3: /* 1 and 1.0 are told apart */
        *z = th_rasp_int(x[0].kind);
        return true;
    default: /* an error for some */
        return th_rasp_atom_binary(p, TH_RASP_OP_MOD, x[0], y, z, err);
    }
}

static int number[] = {0, 1, 2, 3, 4};

static ThRaspSop random_function(Fight *f)
{
    int k = (int)die(f, 5);
    ThRaspAtom list[] = {random_atom(f), random_atom(f), random_atom(f), random_atom(f)};
    size_t n = die(f, 5);
    ThRaspFunctionOf function = {(uint64_t)k, some_function, &number[k], NULL};
    switch (die(f, f->tables ? 3 : 5)) {
    case 0:
        return th_rasp_member(f->g, pick(f, false), list, n, NULL);
    case 1:
        return th_rasp_list(f->g, pick(f, false), list, n, NULL);
    case 2:
        return th_rasp_dict(f->g, pick(f, false), list, list + n / 2, n / 2, NULL);
    case 3:
        return th_rasp_match(f->g, &function, pick(f, false), pick(f, false), die(f, 2), NULL);
    default:
        return th_rasp_map(f->g, &function, (ThRaspSop[]){pick(f, false), pick(f, false)},
                           1 + die(f, 2), NULL);
    }
}

static ThRaspSop random_selector(Fight *f)
{
    ThRaspSop a = pick(f, true), b = a == TH_RASP_NO_SOP ? a : pick(f, true);
    if (b == TH_RASP_NO_SOP || die(f, 3) == 0)
        return th_rasp_select(f->g, pick(f, false), pick(f, false),
                              (ThRaspBinary)die(f, TH_RASP_OP_GE + 1), die(f, 3) == 0, NULL);
    if (die(f, 3) == 0)
        return th_rasp_unary(f->g, TH_RASP_OP_NOT, a, NULL);
    return th_rasp_binary(f->g, die(f, 2) ? TH_RASP_OP_AND : TH_RASP_OP_OR, a, b, NULL);
}

static ThRaspSop random_node(Fight *f)
{
    switch (die(f, 10)) {
    case 9:
        return random_function(f);
    case 0:
        return th_rasp_constant(f->g, random_atom(f), NULL);
    case 1:
        return th_rasp_unary(f->g, (ThRaspUnary)die(f, TH_RASP_OP_INDICATOR + 1), pick(f, false),
                             NULL);
    case 2:
        return th_rasp_binary(f->g, (ThRaspBinary)die(f, TH_RASP_OP_OR + 1), pick(f, false),
                              pick(f, false), NULL);
    case 3:
        return th_rasp_choice(f->g, pick(f, false), pick(f, false), pick(f, false), NULL);
    case 4:
        return th_rasp_tuple(f->g, (ThRaspSop[]){pick(f, false), pick(f, false)}, 1 + die(f, 2),
                             NULL);
    case 5:
    case 6:
        return random_selector(f);
    default:
        return random_aggregate(f);
    }
}

static bool same_value(const Fight *f, ThRaspSop at, const ThRaspSeq *v)
{
    bool same = v && v->n == f->naive.n;
    for (size_t i = 0; same && i < v->n; i++) {
        ThRaspAtom x = th_rasp_seq_at(v, i), y = f->naive.value[at][i];
        /* The greatest of 1 and 1.0 is either. */
        bool numbers = x.kind <= TH_RASP_ATOM_FLOAT && y.kind <= TH_RASP_ATOM_FLOAT;
        same = (x.kind == y.kind || numbers) && th_rasp_atom_equal(&f->atoms, x, y);
    }
    return same;
}

static bool same_grid(const Fight *f, ThRaspSop at)
{
    uint8_t *grid = th_rasp_run_grid(f->run, at, NULL, NULL);
    bool same = grid && memcmp(grid, f->naive.cell[at], f->naive.n * f->naive.n) == 0;
    free(grid);
    return same;
}

/* Evaluates the newest node both ways; forgets it if that fails.  True if the two agree. */
static bool fight_newest(Fight *f)
{
    ThRaspSop at = th_rasp_nodes(f->g) - 1;
    ThError err = {0};
    bool wanted = naive_next(f->g, &f->naive, &f->input);
    bool got = th_rasp_run_check(f->run, at, NULL, &err);
    /* Tuples are put in order as a whole, also those that no row compares. */
    if (wanted && !got && strstr(err.msg, "no common order"))
        wanted = false;
    if (got != wanted || got == (err.code != TH_OK))
        return false;
    if (!got) {
        f->failed++;
        th_rasp_rewind(f->g, at);
        naive_forget(&f->naive, at);
        return err.msg[0] != 0;
    }
    f->compared++;
    return th_rasp_is_selector(f->g, at)
               ? same_grid(f, at)
               : same_value(f, at, th_rasp_run_value(f->run, at, NULL, NULL));
}

/* A random input of n elements. */
static bool fight_input(Fight *f, size_t n)
{
    ThRaspAtom *x = calloc(n, sizeof *x);
    bool words = die(f, 2), floats = die(f, 2);
    for (size_t i = 0; x && i < n; i++) {
        char letter[2] = {(char)('a' + die(f, 4)), 0};
        x[i] = th_rasp_int((int64_t)die(f, 6) - 1);
        if (words)
            x[i] = fight_text(f, letter);
        else if (floats && die(f, 2))
            x[i] = th_rasp_float(fight_float(f));
    }
    bool ok = x && th_rasp_seq_of(x, n, &f->input, NULL);
    free(x);
    f->naive.n = n;
    return ok;
}

/* Nodes made at random, each compared; false at the first on which the two disagree. */
static inline bool fight(Fight *f, size_t n, int nodes)
{
    bool ok = fight_input(f, n) && (f->g = th_rasp_graph_new(&f->atoms, NULL)) &&
              (f->run = th_rasp_run_new(f->g, &f->input, 0, NULL));
    ok = ok && th_rasp_tokens(f->g, TH_RASP_AS_IS, NULL) != TH_RASP_NO_SOP && fight_newest(f);
    ok = ok && th_rasp_indices(f->g, NULL) != TH_RASP_NO_SOP && fight_newest(f);
    ok = ok && th_rasp_constant(f->g, th_rasp_int(1), NULL) != TH_RASP_NO_SOP && fight_newest(f);
    for (int k = 0; ok && k < nodes; k++)
        ok = random_node(f) == TH_RASP_NO_SOP || fight_newest(f);
    return ok;
}

static inline void fight_free(Fight *f)
{
    th_rasp_run_free(f->run);
    th_rasp_graph_free(f->g);
    naive_free(&f->naive);
    th_rasp_seq_free(&f->input);
    th_rasp_atoms_free(&f->atoms);
}

#endif
