#include "inspect/predict.h"

#include <stdlib.h>
#include <string.h>

#include "automata/expression/builtins.h"

/* What a language must be for a row to hold, besides being one of those that the row names. */
typedef enum { ANY, PERIODIC, GROUP } Condition;

static bool holds(Condition c, const ThInspectLanguage *l)
{
    const ThVarieties *v = l->algebra;
    switch (c) {
    case PERIODIC:
        return !v->aperiodic;
    case GROUP:
        return v->group && !v->aperiodic;
    default:
        return true;
    }
}

/* The languages of the papers' tables, as automata that come with the program. */
enum {
    EVEN_PAIRS = 1,
    PARITY = 2,
    CYCLE = 4,
    DYCK = 8,
    TOMITA_3 = 16,
    TOMITA_4 = 32,
    TOMITA_5 = 64,
    TOMITA_6 = 128,
    SUM = 256,
    OF_CHI = EVEN_PAIRS | PARITY | CYCLE | DYCK | TOMITA_3 | TOMITA_4 | TOMITA_5 | TOMITA_6,
    OF_TERZIC = EVEN_PAIRS | PARITY | CYCLE
};
static const struct {
    const char *name;
    int n, argument[2];
    unsigned language;
} named[] = {
    {"even_pairs", 0, {0}, EVEN_PAIRS}, {"parity", 0, {0}, PARITY},   {"cycle", 1, {5}, CYCLE},
    {"dyck", 2, {1, 2}, DYCK},          {"dyck", 2, {1, 3}, DYCK},    {"dyck", 2, {1, 4}, DYCK},
    {"dyck", 2, {1, 12}, DYCK},         {"tomita", 1, {3}, TOMITA_3}, {"tomita", 1, {4}, TOMITA_4},
    {"tomita", 1, {5}, TOMITA_5},       {"tomita", 1, {6}, TOMITA_6}, {"sum", 1, {5}, SUM}};

/* The same words?  1, 0, or -1: an error. */
static int is_same(const ThDfa *a, const ThDfa *b, ThError *err)
{
    int length;
    if (a->n_symbols != b->n_symbols)
        return 0;
    int *word = th_dfa_distinguish(a, b, &length, NULL, err);
    int same = word ? 0 : length < 0 ? 1 : -1;
    free(word);
    return same;
}

/* The same, or with two symbols in the other order. */
static int is_like(const ThDfa *a, const ThDfa *b, ThError *err)
{
    static const int swapped[] = {1, 0};
    int same = is_same(a, b, err);
    if (same != 0 || a->n_symbols != 2)
        return same;
    ThDfa *other = th_dfa_widen(a, 2, swapped, err);
    same = other ? is_same(other, b, err) : -1;
    th_dfa_free(other);
    return same;
}

/* The same words, or the same outputs, as a built-in automaton. */
static int is_builtin(const ThDfa *d, const ThAutomaton *a, ThError *err)
{
    int like = 0;
    for (int i = 0; like == 0 && i < 2; i++) {
        ThDfa *other =
            i == 0 ? th_automaton_acceptor(a, 0, NULL, err) : th_automaton_dfa(a, 0, NULL, err);
        like = other ? is_like(d, other, err) : -1;
        th_dfa_free(other);
    }
    return like;
}

bool th_inspect_language(ThInspectLanguage *l, const ThDfa *d, const ThVarieties *algebra, int size,
                         ThError *err)
{
    *l = (ThInspectLanguage){.states = d->n_states, .size = size, .algebra = algebra};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const ThAutomatonBuiltin *b = th_automaton_builtin(named[i].name);
        ThAutomaton *a = th_automaton_builtin_build(b, named[i].argument, named[i].n, err);
        int like = a ? is_builtin(d, a, err) : -1;
        th_automaton_free(a);
        if (like < 0)
            return false;
        l->named |= like ? named[i].language : 0;
    }
    return true;
}

static const char chi[] = "Chi et al. 2023, Table 1", fan[] = "Fan et al. 2024, Table 2",
                  terzic[] = "Terzic et al. 2025, Table 1",
                  unverified[] = "Terzic et al. 2025, Table 1 (unverified)",
                  sarrof[] = "Grazzi et al. 2025, Theorem 1; Sarrof et al. 2024";

/* Fan et al. 2024, Proposition 1 (no state of its own for each value where one matrix serves all
 * symbols) is not among the sources: it is about states, not about answers, which a second layer
 * finds in several states of one value.
 *
 * The first row of a kind whose condition holds, and that names the language or none, is what is
 * said.  That one symbol moves what a Transformer says of n by O(1/n) (Hahn 2020, Lemma 5) is about
 * how sure it is, not about its answers: some are exact on parity (Chiang and Cholak 2022).  Hence
 * no verdict follows from it.  What could not be compared with its source says unverified.
 *
 * Tables speak of the languages that they measure, and of no others; theorems of all that
 * they are about.  yes is at least 99 % in the table, at best over its runs. */
static const struct {
    const char *kind;
    Condition of;
    unsigned languages; /* 0: any */
    ThInspectVerdict learns, extends;
    const char *why, *source;
} rows[] = {
    {"regulargpt", ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES,
     "at best 100, in the mean 89.3 to 100", chi},
    {"transformer", ANY, PARITY, TH_INSPECT_YES, TH_INSPECT_NO,
     "99.6 at length 40, at best 52.3 beyond", "Chi et al. 2023, Tables 1 and 2"},
    {"transformer", ANY, CYCLE | TOMITA_5 | TOMITA_6, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "at best 21.7 to 74.5", chi},
    {"transformer", ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES,
     "at best 99.7 to 100, in the mean 70.0 to 94.4", chi},
    {"transformer", GROUP, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "ever less sure, which need not be wrong (Hahn 2020, Lemma 5)", ""},
    {"transformer", ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "flip-flops have errors at any size (Liu et al. 2023)", ""},
    {"gpt", GROUP, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "ever less sure, which need not be wrong (Hahn 2020, Lemma 5)", ""},
    {"rnn", ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES, "98.9 to 100 in the mean", chi},
    {"lstm", ANY, OF_TERZIC, TH_INSPECT_YES, TH_INSPECT_YES, "100", unverified},
    {"lrnn", ANY, SUM, TH_INSPECT_YES, TH_INSPECT_YES, "1.00: a matrix for every symbol", fan},
    {"s4", ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance", fan},
    {"s4", ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".81 of five symbols; chance is .87",
     fan},
    {"s4d", ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance", fan},
    {"s4d", ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     ".82 of five symbols; chance is .87", fan},
    {"liquid_s4", ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance", fan},
    {"liquid_s4", ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     ".72 of five symbols; chance is .87", fan},
    {"lru", ANY, SUM | EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "as S4 and S4D: one matrix for all symbols", fan},
    {"mamba", PERIODIC, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "positive eigenvalues count modulo nothing", sarrof},
    {"mamba", ANY, EVEN_PAIRS, TH_INSPECT_YES, TH_INSPECT_YES, "100", terzic},
    {"deltanet", ANY, EVEN_PAIRS, TH_INSPECT_YES, TH_INSPECT_YES, "100", unverified},
    {"deltanet", ANY, PARITY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "97.2; a reflection swaps two states", unverified},
    {"deltanet", ANY, CYCLE, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "47.3: a reflection a symbol",
     unverified},
    {"deltaproduct", ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "m-1 reflections permute m states (Siems et al. 2025)", ""},
    {"pd_ssm", ANY, OF_TERZIC, TH_INSPECT_YES, TH_INSPECT_YES, "99.5 to 99.9", terzic},
    {"pd_ssm", ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "can be exact, with a coordinate a state", ""},
};

static const struct {
    const char *kind, *options;
} kinds[] = {
    {"regulargpt", "dim=32 heads=4"},
    {"transformer", "dim=32 heads=4 layers=2"},
    {"gpt", "dim=32 heads=4 layers=2"},
    {"universal", "dim=32 heads=4"},
    {"rnn", "dim=32"},
    {"lstm", "dim=32"},
    {"gru", "dim=32"},
    {"lrnn", "dim=32 block=8"},
    {"s4", "dim=32 state=16"},
    {"s4d", "dim=32 state=16"},
    {"liquid_s4", "dim=32 state=16"},
    {"lru", "dim=32 state=32"},
    {"mamba", "dim=32"},
    {"deltanet", "dim=32"},
    {"deltaproduct", "dim=32"},
    {"pd_ssm", "dim=32 state=32"},
};

size_t th_inspect_predictions(void)
{
    return sizeof kinds / sizeof *kinds;
}

ThInspectPrediction th_inspect_predict(size_t i, const ThInspectLanguage *l)
{
    ThInspectPrediction p = {.kind = kinds[i].kind,
                             .options = kinds[i].options,
                             .learns = TH_INSPECT_UNKNOWN,
                             .extends = TH_INSPECT_UNKNOWN,
                             .why = "",
                             .source = ""};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool meant = rows[k].languages == 0 || (rows[k].languages & l->named);
        if (strcmp(rows[k].kind, p.kind) != 0 || !meant || !holds(rows[k].of, l))
            continue;
        p.learns = rows[k].learns;
        p.extends = rows[k].extends;
        p.why = rows[k].why;
        p.source = rows[k].source;
        break;
    }
    return p;
}

ThInspectVerdict th_inspect_counting(const ThInspectLanguage *l)
{
    const ThVarieties *v = l->algebra;
    bool thresholds = v->commutative && v->aperiodic;
    return v->j_trivial || thresholds ? TH_INSPECT_YES : TH_INSPECT_UNKNOWN;
}
