#include "inspect/predict.h"

#include <string.h>

/* What a language must be for a row to hold. */
typedef enum { ANY, APERIODIC, PERIODIC, DEFINITE, TWO_PERIODIC, PERMUTES_TWO } Condition;

static bool holds(Condition c, const ThInspectLanguage *l)
{
    const ThVarieties *v = l->algebra;
    switch (c) {
    case APERIODIC:
        return v->aperiodic;
    case PERIODIC:
        return !v->aperiodic;
    case DEFINITE:
        return v->definite;
    case TWO_PERIODIC:
        return v->exponent == 2;
    case PERMUTES_TWO:
        return v->group && l->states == 2;
    default:
        return true;
    }
}

static const char chi[] = "Chi et al. 2023, Table 1", fan[] = "Fan et al. 2023, Table 2",
                  terzic[] = "Terzic et al. 2025", grazzi[] = "Grazzi et al. 2025";

/* The first row of a kind whose condition holds is what is said.  A published table is about its
 * languages, so what stands here of all of a sort is a generalisation of it. */
static const struct {
    const char *kind;
    Condition of;
    ThInspectVerdict learns, extends;
    const char *why, *source;
} rows[] = {
    {"regulargpt", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "products of functions on states", chi},
    {"transformer", APERIODIC, TH_INSPECT_YES, TH_INSPECT_YES, "no groups: at best 99.7 to 100",
     chi},
    {"transformer", PERIODIC, TH_INSPECT_YES, TH_INSPECT_NO,
     "groups: at best 21.7 to 74.5, but Tomita 3", chi},
    {"gpt", PERIODIC, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "groups: a symbol counts for ever less",
     "Hahn 2020"},
    {"gpt", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "", ""},
    {"universal", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "", ""},
    {"rnn", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "a state after every symbol", chi},
    {"lstm", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "a state after every symbol", terzic},
    {"gru", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "", ""},
    {"lrnn", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "a matrix for every symbol", fan},
    {"s4", DEFINITE, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "the last symbols decide", ""},
    {"s4", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "one matrix for all symbols",
     "Fan et al. 2023, Prop. 1, Table 2"},
    {"s4d", DEFINITE, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "the last symbols decide", ""},
    {"s4d", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "one matrix for all symbols",
     "Fan et al. 2023, Prop. 1, Table 2"},
    {"liquid_s4", DEFINITE, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "the last symbols decide", ""},
    {"liquid_s4", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "at chance on three languages", fan},
    {"lru", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "", ""},
    {"mamba", PERIODIC, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "eigenvalues > 0 do not count modulo 2",
     grazzi},
    {"mamba", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "100 on even pairs, without groups", terzic},
    {"deltanet", APERIODIC, TH_INSPECT_YES, TH_INSPECT_YES, "100 on even pairs, without groups",
     terzic},
    {"deltanet", PERMUTES_TWO, TH_INSPECT_YES, TH_INSPECT_YES, "a reflection swaps two states",
     grazzi},
    {"deltanet", TWO_PERIODIC, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, "", ""},
    {"deltanet", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, "a reflection a symbol: 47.3 on a cycle",
     terzic},
    {"deltaproduct", ANY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "m-1 reflections permute m states", "Siems et al. 2025"},
    {"pd_ssm", ANY, TH_INSPECT_YES, TH_INSPECT_YES, "exact with a coordinate a state", terzic},
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
        if (strcmp(rows[k].kind, p.kind) != 0 || !holds(rows[k].of, l))
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
