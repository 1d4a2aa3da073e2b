#include "inspect/express.h"

/* Conditions that are no classes of the table. */
enum {
    NONE = -1,
    NO_EVEN_CYCLE = TH_CLASS_COUNT, /* no symbol goes round an even number of states */
    NO_THIRD_CYCLE,                 /* nor one that 3 divides */
    SOLVABLE_GROUP,
    NO_UNSOLVABLE_GROUP, /* no group language whose group is not solvable */
    LENGTH,              /* all symbols act alike: only the length counts */
    PARITY,              /* two states that symbols keep or exchange */
    ONE_REFLECTION       /* every symbol keeps all states or exchanges two */
};

static const char *const condition_name[] = {
    [NO_EVEN_CYCLE - TH_CLASS_COUNT] = "no symbol with an even cycle",
    [NO_THIRD_CYCLE - TH_CLASS_COUNT] = "no symbol with a cycle that 3 divides",
    [SOLVABLE_GROUP - TH_CLASS_COUNT] = "solvable groups",
    [NO_UNSOLVABLE_GROUP - TH_CLASS_COUNT] = "no group that is not solvable",
    [LENGTH - TH_CLASS_COUNT] = "lengths modulo m",
    [PARITY - TH_CLASS_COUNT] = "parity",
    [ONE_REFLECTION - TH_CLASS_COUNT] = "symbols that exchange two states",
};

/* Behind a source of which this statement was not found: it decides nothing. */
#define UNVERIFIED ", unverified"

#define EXACTLY(class)  {class, NONE}, class
#define CONTAINS(class) {class, NONE}, NONE
#define WITHIN(class)   {NONE, NONE}, class
#define ALL             EXACTLY(TH_CLASS_REGULAR)

static const ThInspectTheorem theorems[TH_INSPECT_THEOREMS] = {
    {"Transformer, hard attention, rightmost", "finite precision, strict masks, no positions", "",
     EXACTLY(TH_CLASS_STAR_FREE), "Yang, Chiang, Angluin 2024", "B-RASP"},
    {"Transformer, hard attention, leftmost", "finite precision, strict future mask, no positions",
     "", EXACTLY(TH_CLASS_R), "Jerad, Svete, Li, Cotterell 2025", "past temporal logic"},
    {"Transformer, average hard attention", "constant precision, strict future mask", "",
     EXACTLY(TH_CLASS_R), "Expressivity Atlas (rycolab) 2025", ""},
    {"Transformer, soft attention", "fixed precision, strict future mask, no positions", "",
     EXACTLY(TH_CLASS_R), "Li, Cotterell 2025", "past temporal logic"},
    {"Transformer, soft, rounded but in attention", "fixed precision outside attention, masked",
     "gpt", EXACTLY(TH_CLASS_CRASP), "Yang, Cadilhac, Chiang 2025", "depth for depth"},
    {"Transformer, soft attention", "real numbers, future mask, no positions", "",
     CONTAINS(TH_CLASS_CRASP), "Yang, Chiang 2024", "counts are uniform attention"},
    {"Transformer, soft attention", "logarithmic precision, constant width", "",
     CONTAINS(TH_CLASS_STAR_FREE), "Expressivity Atlas (rycolab) 2025", ""},
    {"Transformer, soft attention", "logarithmic precision, width as the length", "",
     CONTAINS(TH_CLASS_SOLVABLE), "Expressivity Atlas (rycolab) 2025", ""},
    {"Transformer, looped log n times", "logarithmic precision", "", CONTAINS(TH_CLASS_REGULAR),
     "Merrill, Sabharwal 2025", ""},
    {"Transformer, carried to every length", "absolute positions, idealised learner", "",
     CONTAINS(TH_CLASS_CRASP), "Huang et al. 2025", "C-RASP[periodic, local]"},
    {"RegularGPT", "depth log n", "regulargpt", CONTAINS(TH_CLASS_REGULAR),
     "Chi et al. 2023; here: compile", "products of maps"},
    {"Turing Programs (scratchpad)", "a RASP program writes the run out", "",
     CONTAINS(TH_CLASS_REGULAR), "Hou et al. 2024", "a line a step"},
    {"SSM, diagonal in [0,1] by input",
     "finite precision, several layers",
     "mamba",
     {TH_CLASS_STAR_FREE, NONE},
     NO_EVEN_CYCLE,
     "Sarrof, Veitsman, Hahn 2024",
     ""},
    {"SSM, diagonal gates", "fixed-width arithmetic", "", CONTAINS(TH_CLASS_STAR_FREE),
     "Alsmann, Noori, Lange 2026", "past temporal logic"},
    {"SSM, diagonal in [-1,1] by input",
     "finite precision, several layers",
     "",
     {TH_CLASS_STAR_FREE, PARITY},
     NO_THIRD_CYCLE,
     "Grazzi et al. 2025; Sarrof et al. 2024",
     ""},
    {"SSM, complex diagonal by input",
     "finite precision, k layers",
     "",
     {SOLVABLE_GROUP, NONE},
     NO_UNSOLVABLE_GROUP,
     "Shakerinava et al. 2026",
     "layers: the derived length"},
    {"SSM, S4 or diagonal by input", "logarithmic precision, constant depth", "",
     WITHIN(TH_CLASS_SOLVABLE), "Merrill, Petty, Sabharwal 2024", "unless TC0 = NC1"},
    {"SSM, one matrix for all inputs", "fixed-width arithmetic", "s4 s4d liquid_s4 lru",
     CONTAINS(LENGTH), "Alsmann, Noori, Lange 2026", "an automaton of the length"},
    {"Linear RNN, positive eigenvalues", "finite precision", "", WITHIN(NO_EVEN_CYCLE),
     "Grazzi et al. 2025, Theorem 1", ""},
    {"DeltaNet, one reflection a symbol", "finite precision, one layer, eigenvalues in [-1,1]",
     "deltanet", CONTAINS(ONE_REFLECTION), "Siems et al. 2025" UNVERIFIED,
     "exchanges are reflections"},
    {"DeltaProduct, enough reflections", "finite precision, several layers, in [-1,1]",
     "deltaproduct", ALL, "Grazzi et al. 2025; Siems et al. 2025", "n-1 for any permutation of n"},
    {"PD-SSM", "dimension at least the states", "pd_ssm", ALL, "Terzic et al. 2025",
     "a column for a state"},
    {"Block-diagonal linear RNN", "a block as large as the states", "lrnn", ALL,
     "here: compile into=lrnn", "a matrix for a symbol"},
    {"RNN (Elman, ReLU), GRU", "finite precision", "rnn gru", ALL, "Korsky, Berwick 2019", ""},
    {"LSTM", "saturated", "lstm", CONTAINS(TH_CLASS_REGULAR), "Merrill et al. 2020",
     "and counters"},
    {"Cascade of RNNs, positive weights", "sign or tanh, positive recurrent weights", "",
     EXACTLY(TH_CLASS_STAR_FREE), "Knorozova, Ronca 2024", ""},
};

/* ---- conditions ------------------------------------------------------------------------------ */

typedef struct {
    const ThDfa *d;
    char *const *symbol;
    const ThClassReport *r;
} Language;

static int next(const ThDfa *d, int q, int a)
{
    return d->next[q * d->n_symbols + a];
}

/* A symbol with a cycle whose length m divides, and *length; or -1. */
static int cycle_that(const ThDfa *d, int m, int *length)
{
    for (int a = 0; a < d->n_symbols; a++)
        for (int q = 0; q < d->n_states; q++) {
            int p = next(d, q, a);
            for (*length = 1; *length <= d->n_states && p != q; ++*length)
                p = next(d, p, a);
            if (p == q && *length % m == 0)
                return a;
        }
    return -1;
}

static ThClassAnswer without_cycle(const Language *l, int m, ThText *why)
{
    int length, a = cycle_that(l->d, m, &length);
    if (a >= 0)
        th_text_printf(why, "%s goes round %d states", l->symbol[a], length);
    return a < 0 ? TH_CLASS_YES : TH_CLASS_NO;
}

static bool acts_alike(const ThDfa *d)
{
    bool alike = true;
    for (int q = 0; q < d->n_states; q++)
        for (int a = 1; a < d->n_symbols; a++)
            alike = alike && next(d, q, a) == next(d, q, 0);
    return alike;
}

/* Does every symbol keep all states but two, at most, which it exchanges? */
static bool exchanges(const ThDfa *d)
{
    for (int a = 0; a < d->n_symbols; a++) {
        int moved = 0;
        for (int q = 0; q < d->n_states; q++) {
            moved += next(d, q, a) != q;
            if (next(d, next(d, q, a), a) != q)
                return false;
        }
        if (moved > 2)
            return false;
    }
    return true;
}

static ThClassAnswer answer(bool is)
{
    return is ? TH_CLASS_YES : TH_CLASS_NO;
}

/* Whether a condition holds; appends the witness of a class, and of what cycles show. */
static ThClassAnswer holds(const Language *l, int condition, ThText *why)
{
    const ThClassVerdict *v = l->r->verdict;
    ThClassAnswer group = v[TH_CLASS_GROUP].is, solvable = v[TH_CLASS_SOLVABLE].is;
    switch (condition) {
    case NO_EVEN_CYCLE:
        return without_cycle(l, 2, why);
    case NO_THIRD_CYCLE:
        return without_cycle(l, 3, why);
    case SOLVABLE_GROUP:
        return group == TH_CLASS_NO ? TH_CLASS_NO : solvable;
    case NO_UNSOLVABLE_GROUP:
        if (group == TH_CLASS_YES)
            th_text_add(why, v[TH_CLASS_SOLVABLE].witness);
        return group == TH_CLASS_NO ? TH_CLASS_YES : solvable;
    case LENGTH:
        return answer(acts_alike(l->d) && group == TH_CLASS_YES);
    case PARITY:
        return answer(l->d->n_states == 2 && group == TH_CLASS_YES);
    case ONE_REFLECTION:
        return answer(exchanges(l->d));
    default:
        th_text_add(why, v[condition].witness);
        return v[condition].is;
    }
}

static const char *name_of(int condition)
{
    return condition < TH_CLASS_COUNT ? th_class_kind(condition)->name
                                      : condition_name[condition - TH_CLASS_COUNT];
}

/* ---- theorems -------------------------------------------------------------------------------- */

static void write_law(ThText *t, const ThInspectTheorem *o)
{
    if (o->within == TH_CLASS_REGULAR) {
        th_text_add(t, "= regular");
    } else if (o->within >= 0 && o->within == o->contains[0]) {
        th_text_printf(t, "= %s", name_of(o->within));
    } else {
        for (int i = 0; i < 2 && o->contains[i] >= 0; i++)
            th_text_printf(t, "%s%s", i ? ", " : "contains ", name_of(o->contains[i]));
        if (o->within >= 0)
            th_text_printf(t, "%swithin: %s", t->size ? "; " : "", name_of(o->within));
    }
}

static ThClassAnswer decide(const Language *l, const ThInspectTheorem *o, ThText *why)
{
    ThText unused TH_OWNED(th_text_free) = {0};
    ThClassAnswer is = TH_CLASS_UNKNOWN;
    for (int i = 0; i < 2 && o->contains[i] >= 0 && is != TH_CLASS_YES; i++)
        if (holds(l, o->contains[i], &unused) == TH_CLASS_YES)
            is = TH_CLASS_YES;
    if (is == TH_CLASS_YES) {
        th_text_add(why, o->note);
        return strstr(o->source, UNVERIFIED) ? TH_CLASS_UNKNOWN : is;
    }
    if (o->within >= 0 && holds(l, o->within, why) == TH_CLASS_NO) {
        th_text_printf(why, "%s%s", strstr(o->note, "unless") ? ", " : "",
                       strstr(o->note, "unless") ? o->note : "");
        return TH_CLASS_NO;
    }
    th_text_free(why);
    return TH_CLASS_UNKNOWN;
}

bool th_inspect_express(const ThDfa *d, char *const *symbol, const ThClassReport *r,
                        ThInspectExpression *e, ThError *err)
{
    Language l = {d, symbol, r};
    bool ok = true;
    for (int i = 0; i < TH_INSPECT_THEOREMS; i++) {
        ThText law = {0}, why = {0};
        e[i].theorem = &theorems[i];
        e[i].is = decide(&l, &theorems[i], &why);
        write_law(&law, &theorems[i]);
        e[i].law = th_text_take(&law, err);
        e[i].why = th_text_take(&why, err);
        ok = ok && e[i].law && e[i].why;
    }
    return ok;
}

void th_inspect_express_free(ThInspectExpression *e)
{
    for (int i = 0; i < TH_INSPECT_THEOREMS; i++)
        TH_FREE(e[i].law, e[i].why);
}

bool th_inspect_names(const char *kinds, const char *kind)
{
    size_t n = strlen(kind);
    for (const char *at = kinds; (at = strstr(at, kind)); at += n)
        if ((at == kinds || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
            return true;
    return false;
}
