/* express.c - which kinds of model can express a language, by theorems, and what training finds. */
#include <math.h>

#include "commands/modelling.h"
#include "session_impl.h"

static const ThOptionSpec options[] = {
    {"measure", TH_FLAG, "no", 0, 0, NULL, "train each at small size, too"},
    {"only", TH_STRING, NULL, 0, 0, NULL, "kinds of model here, with blanks between them"},
    {"elements", TH_INT, "20000", 1, 1e8, NULL, "of the monoid that are looked at, at most"},
    {"steps", TH_INT, "300", 1, 1e9, NULL, "of each training"},
    {"batch", TH_INT, "64", 1, 1e6, NULL, "strings a step"},
    {"lr", TH_REAL, "3e-3", 0, 1e3, NULL, "learning rate"},
    {"length", TH_RANGE, "1..20", 1, 100000, NULL, "lengths of the training strings"},
    {"longer", TH_RANGE, "41..101:15", 1, 100000, NULL, "lengths of longer ones"},
    {"samples", TH_INT, "128", 1, 1e6, NULL, "strings of each length that are tested"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,
     "of parameters and strings; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const char *const answers[] = {"no", "yes", "unknown"};

/* What was measured; NaN: nothing. */
typedef struct {
    double learned, longer;
} Measured;

/* ---- measuring ------------------------------------------------------------------------------- */

/* Sets options from "key=value key=value". */
static bool set_options(ThOptions *o, const char *text, ThError *err)
{
    int n;
    bool ok = true;
    char **pair TH_OWNED(free) = th_symbols_list(text, strchr(text, ' ') == NULL, &n, err);
    for (int i = 0; pair && ok && i < n; i++) {
        char *value = strchr(pair[i], '=');
        *value++ = '\0';
        ok = th_options_set(o, pair[i], value, err);
    }
    return pair && ok;
}

static ThModel *model_of(ShSession *s, const ThInspectSmallModel *p, ThError *err)
{
    const ThModelKind *kind = th_model_kind(p->kind);
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, kind->options, err) && set_options(&o, p->options, err);
    ThModel *m = ok ? th_model_new(kind, &o, err) : NULL;
    if (m)
        m->bounds = &s->bounds;
    return m;
}

/* The options of a training, as those of the call say. */
static bool training_of(ShSession *s, const ShCall *call, ThOptions *o, ThError *err)
{
    const ThOptions *given = &call->options;
    return th_options_init(o, th_train_options, err) &&
           th_options_set_int(o, "steps", th_option_int(given, "steps"), err) &&
           th_options_set_int(o, "batch", th_option_int(given, "batch"), err) &&
           th_options_set_real(o, "lr", th_option_real(given, "lr"), err) &&
           th_options_set_range(o, "length", th_option_range(given, "length"), err) &&
           th_options_set_int(o, "seed", sh_seed(s, given), err);
}

typedef struct {
    ShSession *s;
    const ThModel *m;
} Watch;

static bool show_step(void *context, const ThTrainer *tr, ThError *err TH_UNUSED)
{
    const Watch *w = context;
    ThTrainerProgress p = th_trainer_progress(tr);
    sh_progress(w->s, "%s: step %lld of %lld  accuracy %.4g", w->m->kind->name, p.step, p.last_step,
                p.accuracy);
    return true;
}

/* A loss that is no number any more ends a training. */
static bool train(ShSession *s, const ShCall *call, ThModel *m, const ThTask *t, ThError *err)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = training_of(s, call, &o, err);
    ThTrainer *tr TH_OWNED(th_trainer_free) =
        ok ? th_trainer_new(m, t, &o, sh_threads(s), err) : NULL;
    Watch w = {s, m};
    ThTrainLoop loop = {.stop = sh_stop(s), .context = &w, .stepped = show_step};
    ThError own = {0};
    ok = tr && (th_train_run(&loop, tr, &own) || own.code == TH_ENUMERIC);
    return ok || (tr && th_fail(err, own.code, "%s", own.msg));
}

/* The mean accuracy over lengths. */
static bool score(ThEvaluator *e, const ShCall *call, const char *lengths, double *mean,
                  ThError *err)
{
    ThRange l = th_option_range(&call->options, lengths);
    ThScore x;
    double sum = 0;
    for (long long n = l.lo; n <= l.hi; n += l.step) {
        if (!th_evaluator_length(e, (int)n, (int)th_option_int(&call->options, "samples"), &x, err))
            return false;
        sum += x.accuracy;
    }
    *mean = sum / (double)th_range_count(l);
    return true;
}

static bool measure(ShSession *s, const ShCall *call, const ThInspectSmallModel *p, const ThTask *t,
                    Measured *to, ThError *err)
{
    ThModel *m TH_OWNED(th_model_free) = model_of(s, p, err);
    bool ok = m && train(s, call, m, t, err);
    ThEvaluator *e TH_OWNED(th_evaluator_free) =
        ok ? th_evaluator_new(m, t, sh_seed(s, &call->options), sh_threads(s), err) : NULL;
    return e && score(e, call, "length", &to->learned, err) &&
           score(e, call, "longer", &to->longer, err);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static bool is_wanted(const char *only, const char *kind)
{
    return !only || th_inspect_names(only, kind);
}

/* Fails at a name in only= that is none. */
static bool check_only(const char *only, ThError *err)
{
    int n;
    char **name TH_OWNED(free) =
        only ? th_symbols_list(only, strchr(only, ' ') == NULL, &n, err) : NULL;
    bool ok = !only || name;
    for (int i = 0; name && ok && i < n; i++) {
        const ThInspectSmallModel *m = th_inspect_small_models;
        while (m->kind && strcmp(m->kind, name[i]) != 0)
            m++;
        ok = m->kind || th_fail(err, TH_EUSAGE, "only=: of %s nothing is known", name[i]);
    }
    return ok;
}

/* A theorem on none of the kinds here is shown where all are. */
static bool is_about(const ThInspectTheorem *t, const char *only)
{
    bool about = !only;
    for (const ThInspectSmallModel *m = th_inspect_small_models; m->kind && !about; m++)
        about = is_wanted(only, m->kind) && th_inspect_names(t->kinds, m->kind);
    return about;
}

static void show_theorems(ShSession *s, const char *only, const ThInspectExpression *e)
{
    long long count[3] = {0};
    sh_table(s, "theorems", "model:s in:s law:s why:s assumptions:s source:s");
    for (int i = 0; i < TH_INSPECT_THEOREMS; i++) {
        const ThInspectTheorem *t = e[i].theorem;
        if (!is_about(t, only))
            continue;
        count[e[i].is]++;
        sh_row(s, t->model, answers[e[i].is], e[i].law, e[i].why, t->assumptions, t->source);
    }
    sh_table_end(s);
    sh_result_int(s, "can", count[TH_CLASS_YES]);
    sh_result_int(s, "cannot", count[TH_CLASS_NO]);
    sh_result_int(s, "open", count[TH_CLASS_UNKNOWN]);
}

/* What the theorem that is near to a kind says. */
static ThClassAnswer decided(const ThInspectExpression *e, const char *kind)
{
    for (int i = 0; i < TH_INSPECT_THEOREMS; i++)
        if (th_inspect_names(e[i].theorem->kinds, kind))
            return e[i].is;
    return TH_CLASS_UNKNOWN;
}

/* Where theory and measurement part: that something can be done is no promise that it is learned.
 */
static const char *parting(ThClassAnswer is, const Measured *m)
{
    const double right = 0.99;
    bool longer = m->longer >= right;
    if (is == TH_CLASS_UNKNOWN || isnan(m->longer) || (is == TH_CLASS_YES) == longer)
        return "";
    return is == TH_CLASS_NO     ? "cannot, did"
           : m->learned >= right ? "can, not longer"
                                 : "can, not learned";
}

/* The figures are those of the last row. */
static bool show_measured(ShSession *s, const ShCall *call, const ThInspectExpression *e,
                          const ThTask *task, ThError *err)
{
    long long models = 0, parted = 0;
    bool ok = true;
    sh_table(s, "measured", "kind:s in:s accuracy:r longer:r parts:s");
    for (const ThInspectSmallModel *p = th_inspect_small_models; p->kind && ok; p++) {
        Measured m = {(double)NAN, (double)NAN};
        if (!is_wanted(th_option_text(&call->options, "only"), p->kind))
            continue;
        ok = measure(s, call, p, task, &m, err);
        ThClassAnswer is = decided(e, p->kind);
        const char *parts = parting(is, &m);
        if (ok)
            sh_row(s, p->kind, answers[is], m.learned, m.longer, parts);
        models++;
        parted += *parts != '\0';
        sh_result_text(s, "expresses", answers[is]);
        sh_result_text(s, "parts", *parts ? parts : "agree");
        sh_result_real(s, "accuracy", m.learned);
        sh_result_real(s, "longer", m.longer);
    }
    sh_table_end(s);
    sh_result_int(s, "models", models);
    sh_result_int(s, "misfits", parted);
    return ok;
}

/* How far rules come, of the strings that are tested, that do not know the language: the smallest
 * that are nearly always right, or the largest that are looked at. */
typedef struct {
    int suffix, factors; /* symbols; 0: none was looked at */
    ThDfaShortcut right;
} Shortcuts;

/* The means over the lengths, of rules on k symbols. */
static bool mean_right(const ThDfa *d, ThRange lengths, int k, ThDfaShortcut *mean, ThStop *stop,
                       ThError *err)
{
    double count = (double)th_range_count(lengths);
    *mean = (ThDfaShortcut){0};
    for (long long n = lengths.lo; n <= lengths.hi; n += lengths.step) {
        ThDfaShortcut s;
        if (!th_dfa_shortcut(d, (int)n, k, &s, stop, err))
            return false;
        mean->suffix += s.suffix / count;
        mean->factors += s.factors / count;
    }
    return true;
}

static bool find_shortcuts(const ThDfa *d, ThRange lengths, Shortcuts *to, ThStop *stop,
                           ThError *err)
{
    const double nearly = 0.985;
    enum { WORDS = 1024, WINDOWS = 1 << 18, SYMBOLS = 10, LONGEST = 1000 };
    long long words = d->n_symbols;
    if (lengths.hi > LONGEST)
        return true;
    for (int k = 1;
         k <= SYMBOLS && k < lengths.lo && words <= WORDS && words * d->n_states <= WINDOWS &&
         (to->right.suffix < nearly || to->right.factors < nearly);
         k++, words *= d->n_symbols) {
        ThDfaShortcut mean;
        if (!mean_right(d, lengths, k, &mean, stop, err))
            return false;
        if (to->right.suffix < nearly) {
            to->right.suffix = mean.suffix;
            to->suffix = k;
        }
        if (to->right.factors < nearly) {
            to->right.factors = mean.factors;
            to->factors = k;
        }
    }
    return true;
}

static bool show_shortcuts(ShSession *s, const ShCall *call, const ThDfa *d, ThError *err)
{
    ThRange lengths = th_option_range(&call->options, "longer");
    Shortcuts c = {0};
    if (!find_shortcuts(d, lengths, &c, sh_stop(s), err))
        return false;
    if (c.suffix == 0)
        return true;
    sh_say(s, "longer strings: the last %d symbol%s %.3g %%, factors of up to %d %.3g %%\n",
           c.suffix, c.suffix == 1 ? " decides" : "s decide", 100 * c.right.suffix, c.factors,
           100 * c.right.factors);
    sh_results(s, "suffix:i suffix_right:r factors:i factors_right:r", c.suffix, c.right.suffix,
               c.factors, c.right.factors);
    return true;
}

/* Returns new: does the automaton accept? */
static ThTask *task_of(const ThAutomaton *a, ThError *err)
{
    const ThTaskKind *kind = th_task_kind("recognize");
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, kind->options, err);
    ThTask *t = ok ? th_task_new(kind, &o, &(ThTaskSource){.automaton = a}, err) : NULL;
    return t;
}

/* The first class of the table that the language belongs to; the last has all. */
static const char *first_class(const ThClassReport *r)
{
    int c = 0;
    while (r->verdict[c].is != TH_CLASS_YES)
        c++;
    return th_class_kind(c)->name;
}

static bool show(ShSession *s, const ShCall *call, const ThAutomaton *a, const ThDfa *d,
                 const ThInspectExpression *e, ThError *err)
{
    if (!th_option_flag(&call->options, "measure")) {
        show_theorems(s, th_option_text(&call->options, "only"), e);
        return true;
    }
    ThTask *task TH_OWNED(th_task_free) = task_of(a, err);
    bool ok = task != NULL;
    if (ok) {
        show_theorems(s, th_option_text(&call->options, "only"), e);
        ok = show_measured(s, call, e, task, err) && show_shortcuts(s, call, d, err);
    }
    return ok;
}

SH_COMMAND(
    express, .alias = "predict", .group = "training",
    .summary = "tell which kinds of model can express a language, and measure what they learn",
    .detail =
        "A row a theorem: a kind of model, in the arithmetic and under the assumptions that the "
        "theorem makes, expresses the languages of a class (contains), or no others (within), or "
        "exactly those (=).  Whether the language is one of them is decided from its minimal "
        "machine as classes does, and why has the witness: of a no where the law of the class "
        "breaks, of a yes how it is done.  unknown means that no theorem read in a source that can "
        "be named says more.  A theorem is about what is possible; it does not promise that "
        "training finds it.\n\n"
        "measure=yes trains each kind of model here, at small size, to recognise the language "
        "(help recognize), and puts the mean accuracy on strings as in training, and on longer "
        "ones, beside what the theorem nearest to it says (models here have positions, floats and "
        "finite depth, which theorems may not).  parts says where the two part: can, not longer "
        "(or not learned, if strings as in training are not either), if fewer than 99 % of the "
        "longer strings are right; cannot, did, if more, which chance can explain, or an "
        "assumption that does not hold here, or a rule that is not the language and nearly always "
        "right: the last line says on how many of the longer strings the best one is that knows "
        "the last few symbols, and the best that knows which short factors there are (exactly; the "
        "fewest symbols that are right on 98.5 %, or 10; not beyond 1,000 symbols, nor of machines "
        "of very many states).  A few hundred steps are few, and one seed is one seed.  The "
        "figures expresses, parts, accuracy and longer are those of the last model; can, cannot "
        "and open count the theorems by their answers, misfits the models that part; class is the "
        "first of the rows of classes that the language is in.",
    .example = "express parity only=\"rnn gpt mamba\" > \"known.txt\"\n"
               "assert can == 1 and cannot == 2\n"
               "express parity measure=yes only=rnn steps=5 batch=8 longer=30..30 > \"rnn.txt\"\n"
               "assert models == 1 and expresses == \"yes\"",
    .results = "states size class can cannot open expresses parts accuracy longer models misfits "
               "suffix suffix_right factors factors_right",
    .args = {{A_AUTOMATON, "A", 0}}, .options = options, .flags = C_PAGED)
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    ThInspectExpression e[TH_INSPECT_THEOREMS] = {0};
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    size_t elements = (size_t)th_option_int(&call->options, "elements");
    if (!check_only(th_option_text(&call->options, "only"), err))
        return sh_error_inside(err, &call->operand[0]);
    ThDfa *wide TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, limit, sh_stop(s), err);
    ThDfa *d TH_OWNED(th_dfa_free) = wide ? th_dfa_minimize(wide, sh_stop(s), err) : NULL;
    ThClassReport *r = d ? th_class_report(d, a->symbol, elements, sh_stop(s), err) : NULL;
    bool ok = r && th_inspect_express(d, a->symbol, r, e, err);
    if (ok) {
        sh_result_int(s, "states", d->n_states);
        sh_result_int(s, "size", r->monoid);
        sh_result_text(s, "class", first_class(r));
        ok = show(s, call, a, d, e, err);
    }
    th_inspect_express_free(e);
    th_class_report_free(r);
    return ok || sh_error_inside(err, &call->operand[0]);
}
