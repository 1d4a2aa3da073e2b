/* linear.c - commands about linear recurrences: their scans, their spectra, what they cannot do. */
#include <math.h>

#include "commands/modelling.h"
#include "commands/plots/plots.h"

/* ---- scan ------------------------------------------------------------------------------------ */

static const ThOptionSpec scan_options[] = {
    {"layer", TH_INT, "1", 1, 64, NULL, "of a model"},
    {"number", TH_INT, "1", 1, 1e9, NULL, "of a model's state, that is shown at each position"},
    {0},
};

/* What is scanned: an automaton or a layer of a model, and the word that it reads. */
typedef struct {
    const ThAutomaton *automaton; /* NULL: a model */
    char *const *symbol;
    int *word;
    ThModelTransitions *moves;
    double *state[TH_INSPECT_SCANS]; /* (length, blocks*size) by each scan */
    ThInspectScanPlan plan[TH_INSPECT_SCANS];
    ThInspectPowers powers; /* zeros where the transitions differ */
} Scan;

static void free_scan(Scan *c)
{
    free(c->word);
    th_model_transitions_free(c->moves);
    for (int i = 0; i < TH_INSPECT_SCANS; i++) {
        free(c->state[i]);
        th_inspect_scan_plan_free(&c->plan[i]);
    }
    th_inspect_powers_free(&c->powers);
}

static bool affords(const ThModel *m, const ThModelTransitions *t, ThError *err)
{
    double numbers = (double)t->length * t->blocks * t->size * (t->size + 4.0);
    return th_model_affords(m, 2 * numbers * sizeof(double), "these scans", err);
}

static bool read_scan(const ShCall *call, Scan *c, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ThAutomaton *a = o->kind == SH_AUTOMATON ? o->as.automaton : NULL;
    const ThModel *m = a ? NULL : o->as.model;
    if (!a && o->kind != SH_MODEL)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "%s is neither an automaton nor a model", o->name);
    if (!a && !m->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the model has no alphabet before its first training");
    c->automaton = a;
    c->symbol = a ? a->symbol : m->signature.symbol;
    int n = a ? a->n_symbols : m->signature.n_symbols, length;
    c->word = th_symbols_read(c->symbol, n, call->operand[1].text, &length, err);
    if (!c->word)
        return sh_error_inside(err, &call->operand[1]);
    int layer = (int)th_option_int(&call->options, "layer") - 1;
    c->moves = a ? th_inspect_automaton_transitions(a, c->word, length, err)
                 : th_model_transitions(m, layer, c->word, length, err);
    return (c->moves && (a || affords(m, c->moves, err))) ||
           sh_error_inside(err, &call->operand[0]);
}

static bool plan_scans(Scan *c, ThError *err)
{
    for (int i = 0; i < TH_INSPECT_SCANS; i++)
        if (!th_inspect_scan_plan(i, c->moves->length, &c->plan[i], err))
            return false;
    return true;
}

static bool run_scans(ShSession *s, Scan *c, ThError *err)
{
    for (int i = 0; i < TH_INSPECT_SCANS; i++)
        if (!(c->state[i] = th_inspect_scan(&c->plan[i], c->moves, sh_stop(s), err)))
            return false;
    return !th_inspect_constant(c->moves) ||
           th_inspect_powers(c->moves, &c->powers, sh_stop(s), err);
}

/* The greatest difference from what the model says, or the automaton's runs, relative where numbers
 * are large. */
static double difference(const Scan *c, const double *state)
{
    size_t all = (size_t)c->moves->length * (size_t)c->moves->blocks * (size_t)c->moves->size;
    double most = 0;
    for (size_t i = 0; i < all; i++)
        if (!isnan(state[i]))
            most =
                fmax(most, fabs(state[i] - c->moves->state[i]) / fmax(1, fabs(c->moves->state[i])));
    return most;
}

/* The names of states that are reached, or a number; nothing where a scan has not been there. */
static bool write_cell(const Scan *c, const double *state, int position, int number, ThText *t)
{
    size_t width = (size_t)c->moves->blocks * (size_t)c->moves->size;
    const double *x = state + (size_t)position * width;
    bool first = true;
    if (isnan(x[0]))
        return true;
    if (!c->automaton)
        th_text_printf(t, "%.9g", x[number]);
    for (size_t q = 0; c->automaton && q < width; q++) {
        if (x[q] == 0)
            continue;
        th_text_printf(t, "%s%s", first ? "" : " ", c->automaton->state[q]);
        first = false;
    }
    if (c->automaton && first)
        th_text_add(t, "nowhere");
    return !t->failed;
}

static bool print_position(ShSession *s, const Scan *c, int position, int number, ThError *err)
{
    char *cell[TH_INSPECT_SCANS] = {0};
    bool ok = true;
    for (int i = 0; ok && i < TH_INSPECT_SCANS; i++) {
        ThText t = {0};
        write_cell(c, c->state[i], position, number, &t);
        ok = (cell[i] = th_text_take(&t, err)) != NULL;
    }
    if (ok)
        sh_row(s, (long long)position + 1, c->symbol[c->word[position]], cell[0], cell[1], cell[2],
               cell[3], cell[4]);
    for (int i = 0; i < TH_INSPECT_SCANS; i++)
        free(cell[i]);
    return ok;
}

static void print_powers(ShSession *s, const ThInspectPowers *p)
{
    sh_say(s, "\n");
    sh_table(s, "powers", "level:i power:s greatest:r");
    for (int l = 0; l < p->levels; l++) {
        char power[32];
        snprintf(power, sizeof power, "A^%lld", 1LL << l);
        sh_row(s, (long long)l + 1, power, p->greatest[l]);
    }
    sh_table_end(s);
}

static void print_scans(ShSession *s, const Scan *c)
{
    enum { DILATED = 2 }; /* the plan that powers have, too */
    double most = 0;
    sh_say(s, "\n");
    sh_table(s, "scans", "scan:s rounds:i combinations:i difference:r");
    for (int i = 0; i < TH_INSPECT_SCANS; i++) {
        double off = difference(c, c->state[i]);
        sh_row(s, c->plan[i].name, (long long)c->plan[i].rounds, (long long)c->plan[i].n_steps,
               off);
        most = fmax(most, off);
    }
    if (c->powers.state) {
        double off = difference(c, c->powers.state);
        sh_row(s, "powers", (long long)c->powers.levels, (long long)c->plan[DILATED].n_steps, off);
        most = fmax(most, off);
    }
    sh_table_end(s);
    if (c->powers.levels > 0)
        print_powers(s, &c->powers);
    sh_results(s, "difference:r numbers:i", most, (long long)c->moves->blocks * c->moves->size);
}

SH_COMMAND(
    scan, .group = "inspection",
    .summary = "compute a linear recurrence in five ways, side by side",
    .detail =
        "A linear recurrence x_i = A_i x_{i-1} + v_i need not be computed step after step: the "
        "pair (A, v) and then (A', v') is the pair (A'A, A'v + v'), and pairs can be combined in "
        "any grouping.  sequential is step after step; tree combines neighbours and then their "
        "results, for the whole string only (RegularGPT's way); dilated combines each position "
        "with the one 1, 2, 4, … before it (Hillis and Steele); sklansky all of the right half of "
        "a group with the last of its left half; chunked reduces chunks by themselves, their ends "
        "in turn, and then what is within them (Martin and Cundy).  Combinations of one round "
        "could be made at the same time.\n\n"
        "Of an automaton A_i is the matrix of a symbol, and the columns have the states that are "
        "reached; of a model the transitions of a layer, in double precision, and the columns have "
        "one number of the state.  difference is the greatest, over all numbers, from what the "
        "model computes.  plot scan draws who is combined with whom.\n\n"
        "Where all A_i are the same A, as in s4, s4d and lru or in a word of one symbol, powers is "
        "the dilated scan as RegularGPT's paper has it: level l adds A^(2^l) times what stands 2^l "
        "before, so that one matrix serves all positions.  A table has the greatest number of each "
        "of these matrices: what is left of a symbol so long ago.",
    .example = "automaton p = parity\n"
               "scan p \"abbab\"\n"
               "#> position  symbol  sequential  tree  dilated  sklansky  chunked\n"
               "#>        1  a       even              even     even      even\n"
               "#>        2  b       odd               odd      odd       odd\n"
               "#>        3  b       even              even     even      even\n"
               "#>        4  a       even              even     even      even\n"
               "#>        5  b       odd         odd   odd      odd       odd\n"
               "#>\n"
               "#> scan        rounds  combinations  difference\n"
               "#> sequential       4             4           0\n"
               "#> tree             3             4           0\n"
               "#> dilated          3             8           0\n"
               "#> sklansky         3             5           0\n"
               "#> chunked          4             5           0\n"
               "assert difference == 0",
    .results = "difference numbers",
    .args = {{A_OBJECT, "AUTOMATON|MODEL", 0}, {A_INPUT, "INPUT", 0}}, .options = scan_options,
    .flags = C_PAGED)
{
    Scan c = {0};
    bool ok = read_scan(call, &c, err);
    long long number = th_option_int(&call->options, "number");
    if (ok && number > (long long)c.moves->blocks * c.moves->size)
        ok = th_fail(err, TH_EUSAGE, "number=%lld: the state has %d", number,
                     c.moves->blocks * c.moves->size);
    ok = ok && plan_scans(&c, err) && run_scans(s, &c, err);
    if (ok)
        sh_table(s, "positions",
                 "position:i symbol:s sequential:s tree:s dilated:s sklansky:s chunked:s");
    for (int i = 0; ok && i < c.moves->length; i++)
        ok = print_position(s, &c, i, (int)number - 1, err);
    if (ok) {
        sh_table_end(s);
        print_scans(s, &c);
    }
    free_scan(&c);
    return ok;
}

SH_PLOT(plot_scan, .summary = "draw which positions a scan combines when",
        .detail = "Of each way to compute a linear recurrence over a string: a line from round to "
                  "round for each combination, from the earlier part to the position whose value "
                  "it completes.  The scans do not depend on what is combined, so a length is "
                  "enough.  scan prints them and explains them.",
        .example = "plot scan length=16 > \"scans.svg\"",
        .options = (const ThOptionSpec[]){{"length", TH_INT, "16", 2, 128, NULL, "positions"}, {0}})
{
    Scan c = {.moves = NULL};
    int length = (int)th_option_int(&call->options, "length");
    bool ok = true;
    for (int i = 0; ok && i < TH_INSPECT_SCANS; i++)
        ok = th_inspect_scan_plan(i, length, &c.plan[i], err);
    if (ok)
        th_plot_scans(f, "scans", length, c.plan);
    free_scan(&c);
    return ok;
}

/* ---- spectrum -------------------------------------------------------------------------------- */

static const ThOptionSpec spectrum_options[] = {
    {"layer", TH_INT, "1", 1, 64, NULL, "of the model"},
    {"most", TH_INT, "8", 1, 1e6, NULL, "eigenvalues shown of each word, the greatest first"},
    {0},
};

/* The spectra of the operands, or else of all symbols, freed by free_spectra. */
static void free_spectra(ThPlotSpectrum *x, int n)
{
    for (int i = 0; x && i < n; i++)
        TH_FREE(x[i].word, x[i].value);
    free(x);
}

static bool find_spectrum(const ThModel *m, int layer, const char *word, ThPlotSpectrum *to,
                          ThError *err)
{
    int length, *token TH_OWNED(free) = th_symbols_read(m->signature.symbol, m->signature.n_symbols,
                                                        word, &length, err);
    ThModelTransitions *t TH_OWNED(th_model_transitions_free) =
        token ? th_model_transitions(m, layer, token, length, err) : NULL;
    if (t) {
        to->n = t->blocks * t->size;
        to->word = th_strdup(word, err);
        to->value = th_inspect_spectrum(t, err);
    }
    return to->word && to->value;
}

static ThPlotSpectrum *call_spectra(const ShCall *call, int *n, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    int layer = (int)th_option_int(&call->options, "layer") - 1;
    if (!m->bound)
        return th_null(sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                                       "the model has no alphabet before its first training"));
    *n = call->n > 1 ? call->n - 1 : m->signature.n_symbols;
    ThPlotSpectrum *x = th_alloc((size_t)*n, sizeof *x, err);
    bool ok = x != NULL;
    for (int i = 0; ok && i < *n; i++) {
        const ShOperand *o = call->n > 1 ? &call->operand[i + 1] : &call->operand[0];
        ok = find_spectrum(m, layer, call->n > 1 ? o->text : m->signature.symbol[i], &x[i], err) ||
             sh_error_inside(err, o);
    }
    if (ok)
        return x;
    free_spectra(x, *n);
    return NULL;
}

/* Equal eigenvalues, as far as nine digits tell, are one row. */
static int count_equal(const ThPlotSpectrum *x, int from)
{
    const double *re = x->value, *im = x->value + x->n;
    int n = 1;
    while (from + n < x->n && fabs(re[from + n] - re[from]) < 1e-9 &&
           fabs(im[from + n] - im[from]) < 1e-9)
        n++;
    return n;
}

/* What theory asks for: the greatest size, and how many are negative or not real. */
typedef struct {
    double radius;
    long long negative, complex, left;
} Summary;

static void print_spectrum(ShSession *s, const ThPlotSpectrum *x, long long most, Summary *y)
{
    const double *re = x->value, *im = x->value + x->n, least = 1e-9;
    for (int i = 0, n; i < x->n; i += n, most--) {
        double size = hypot(re[i], im[i]);
        n = count_equal(x, i);
        y->radius = fmax(y->radius, size);
        y->negative += fabs(im[i]) < least && re[i] < -least ? n : 0;
        y->complex += fabs(im[i]) >= least ? n : 0;
        y->left += most <= 0;
        if (most > 0)
            sh_row(s, x->word, re[i], im[i], size, atan2(im[i], re[i]) / (2 * M_PI), (long long)n);
    }
}

SH_COMMAND(
    spectrum, .group = "inspection",
    .summary = "show the eigenvalues of a linear recurrence's transitions",
    .detail =
        "Of each word, or of each symbol where no word is given, the eigenvalues of A_n … A_1, "
        "which is what the word does to the state of a layer, from the greatest to the least; turn "
        "is the angle as a share of a full turn, times how often the value is there.  Complex "
        "states count as pairs of real numbers, so that each of their eigenvalues comes with its "
        "conjugate.\n\n"
        "Positive eigenvalues alone cannot count modulo 2 at all lengths, real ones not modulo 3 "
        "(Grazzi et al. 2025): figures are the greatest size (radius), how many are negative, and "
        "how many are not real.  Above 1 states grow, below 1 they are forgotten.",
    .example = "task p = parity\n"
               "model m = lrnn dim=8 block=4\n"
               "train m on p length=1..8 steps=5 seed=1 > \"train.txt\"\n"
               "spectrum m > \"symbols.txt\"\n"
               "spectrum m \"ab\" \"abba\" most=2 > \"words.txt\"\n"
               "assert radius >= 0 and negative >= 0",
    .results = "radius negative complex",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "WORD", A_OPTIONAL | A_REPEATED}},
    .options = spectrum_options, .flags = C_PAGED)
{
    int n;
    ThPlotSpectrum *x = call_spectra(call, &n, err);
    if (!x)
        return false;
    Summary y = {0};
    sh_table(s, "eigenvalues", "word:s real:r imaginary:r size:r turn:r times:i");
    for (int i = 0; i < n; i++)
        print_spectrum(s, &x[i], th_option_int(&call->options, "most"), &y);
    sh_table_end(s);
    if (y.left > 0)
        sh_say(s, "… and %lld more: most= shows them\n", y.left);
    sh_results(s, "radius:r negative:i complex:i", y.radius, (long long)y.negative,
               (long long)y.complex);
    free_spectra(x, n);
    return true;
}

SH_PLOT(
    plot_spectrum, .summary = "draw the eigenvalues of a linear recurrence's transitions",
    .detail =
        "The eigenvalues of what each word, or each symbol, does to the state of a layer, in the "
        "complex plane with the unit circle.  spectrum prints the numbers and explains them.",
    .example = "task p = parity\n"
               "model m = s4d dim=4 state=4\n"
               "train m on p length=1..8 steps=5 seed=1 > \"train.txt\"\n"
               "plot spectrum m > \"spectrum.svg\"",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "WORD", A_OPTIONAL | A_REPEATED}},
    .options = spectrum_options)
{
    int n = 0;
    ThPlotSpectrum *x = call_spectra(call, &n, err);
    char *title TH_OWNED(free) =
        th_printed(NULL, "eigenvalues of %s", call->operand[0].object->name);
    if (x)
        th_plot_spectra(f, title ? title : "", x, n);
    bool ok = x != NULL;
    free_spectra(x, n);
    return ok;
}

/* ---- proposition ----------------------------------------------------------------------------- */

static const ThOptionSpec proposition_options[] = {
    {"size", TH_INT, "6", 1, 1000, NULL, "numbers in the state"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the numbers; default: set seed"},
    {0},
};

static bool show_proposition(ShSession *s, const ShCall *call, ThInspectTransition kind,
                             const char *name, ThInspectProposition *to, ThError *err)
{
    int n = (int)th_option_int(&call->options, "size");
    uint64_t seed = (uint64_t)sh_seed(s, &call->options);
    if (!th_inspect_proposition(kind, n, seed, to, err))
        return false;
    sh_row(s, name, to->apart, to->equal, to->differ);
    return true;
}

SH_COMMAND(
    proposition, .group = "inspection",
    .summary = "measure what a linear recurrence cannot do: propositions 1 and 2",
    .detail =
        "Expressions of 0, 1 and - are read by x_k = A x_{k-1} + u, with random numbers.  0-1 and "
        "1-0 have different values (modulo 3 or more), 0-0-1 and 0-1-0 have the same.  Were states "
        "functions of values, x(0-1) - x(1-0) would not be zero (the column apart), and x(0-0-1) - "
        "x(0-1-0) would be (equal).  Proposition 1: where A is the same for all symbols both "
        "differences are (A² - I)(u_0 - u_1), whatever the start, so they are the same (differ: "
        "the norm of their difference).  Proposition 2: so they are where A depends on the symbol "
        "and is diagonal, for then the start cancels.  With matrices that do not commute it does "
        "not (Fan, Chi, Rudnicky and Ramadge 2024).\n\n"
        "What this does not say: a read-out that is not linear may give two states one answer, so "
        "it is no impossibility for such a recurrence with a network behind it, at bounded "
        "lengths; modulo 2 the premise fails, as 0-1 and 1-0 are equal there; and sums modulo M "
        "are within reach of a diagonal that depends on the symbol, of complex numbers: "
        "multiplication by e^(2πia/M).",
    .example = "proposition 1\n"
               "assert differ < 1e-12 and apart > 0.1\n"
               "proposition 2 > \"second.txt\"\n"
               "assert differ < 1e-12 and dense > 0.1",
    .results = "apart equal differ dense", .args = {{A_TEXT, "1|2", 0}},
    .options = proposition_options)
{
    const char *which = call->operand[0].text;
    bool first = strcmp(which, "1") == 0;
    ThInspectProposition claimed, dense;
    if (!first && strcmp(which, "2") != 0)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "there are the propositions 1 and 2");
    sh_table(s, "recurrences", "transitions:s apart:r equal:r differ:r");
    if (!show_proposition(s, call, first ? TH_INSPECT_FIXED : TH_INSPECT_DIAGONAL,
                          first ? "the same for all symbols" : "diagonal, of each symbol", &claimed,
                          err) ||
        !show_proposition(s, call, TH_INSPECT_DENSE, "dense, of each symbol", &dense, err))
        return false;
    sh_table_end(s);
    sh_say(s, "apart: the norm of x(0-1) - x(1-0), whose values differ; equal: of x(0-0-1) - "
              "x(0-1-0), whose values do not.\nWhere differ is 0 no state is a function of the "
              "value.  help proposition says what that does not mean.\n");
    sh_results(s, "apart:r equal:r differ:r dense:r", claimed.apart, claimed.equal, claimed.differ,
               dense.differ);
    return true;
}
