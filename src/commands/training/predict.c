/* predict.c - which architecture will learn a language, and the measurement beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"
#include "commands/modelling.h"
#include "commands/automata/monoid.h"
#include "inspect/predict.h"
#include "lab/evaluate.h"
#include "lab/train.h"
#include "lab/train_loop.h"
#include "session_impl.h"

static const ThOptionSpec options[] = {
    {"measure", TH_FLAG, "no", 0, 0, NULL, "train each at small size, too"},
    {"only", TH_STRING, NULL, 0, 0, NULL, "architectures, with blanks between them"},
    {"steps", TH_INT, "300", 1, 1e9, NULL, "of each training"},
    {"batch", TH_INT, "64", 1, 1e6, NULL, "strings a step"},
    {"lr", TH_REAL, "3e-3", 0, 1e3, NULL, "learning rate"},
    {"length", TH_RANGE, "1..20", 1, 100000, NULL, "lengths of the training strings"},
    {"longer", TH_RANGE, "41..101:15", 1, 100000, NULL, "lengths of longer ones"},
    {"samples", TH_INT, "128", 1, 1e6, NULL, "strings of each length that are tested"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,
     "of parameters and strings; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const char *const verdicts[] = {"no", "unknown", "yes"};

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
    char **pair = th_symbols_list(text, strchr(text, ' ') == NULL, &n, err);
    for (int i = 0; pair && ok && i < n; i++) {
        char *value = strchr(pair[i], '=');
        *value++ = '\0';
        ok = th_options_set(o, pair[i], value, err);
    }
    free(pair);
    return pair && ok;
}

static ThModel *model_of(ShSession *s, const ThInspectPrediction *p, ThError *err)
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

static bool show_step(void *context, const ThTrainer *tr, ThError *err)
{
    (void)err;
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
    ThTrainer *tr = ok ? th_trainer_new(m, t, &o, sh_threads(s), err) : NULL;
    Watch w = {s, m};
    ThTrainLoop loop = {.stop = sh_stop(s), .context = &w, .stepped = show_step};
    ThError own = {0};
    ok = tr && (th_train_run(&loop, tr, &own) || own.code == TH_ENUMERIC);
    th_trainer_free(tr);
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

static bool measure(ShSession *s, const ShCall *call, const ThInspectPrediction *p, const ThTask *t,
                    Measured *to, ThError *err)
{
    ThModel *m TH_OWNED(th_model_free) = model_of(s, p, err);
    bool ok = m && train(s, call, m, t, err);
    ThEvaluator *e TH_OWNED(th_evaluator_free) =
        ok ? th_evaluator_new(m, t, sh_seed(s, &call->options), sh_threads(s), err) : NULL;
    return e && score(e, call, "length", &to->learned, err) &&
           score(e, call, "longer", &to->longer, err);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const double nearly_all = 0.99;

/* Does the measurement fit the prediction?  Nearly all right, or not: "" where nothing is known. */
static const char *fits(ThInspectVerdict v, double accuracy)
{
    if (v == TH_INSPECT_UNKNOWN || isnan(accuracy))
        return "";
    return (v == TH_INSPECT_YES) == (accuracy >= nearly_all) ? "yes" : "no";
}

/* The same of longer strings: of a model that has not learned those of training nothing follows. */
static const char *holds(const ThInspectPrediction *p, const Measured *m)
{
    return m->learned >= nearly_all ? fits(p->extends, m->longer) : "";
}

static bool is_wanted(const char *only, const char *kind)
{
    size_t n = strlen(kind);
    for (const char *at = only; at && (at = strstr(at, kind)); at += n)
        if ((at == only || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
            return true;
    return !only;
}

/* Fails at a name in only= that is none. */
static bool check_only(const char *only, const ThInspectLanguage *l, ThError *err)
{
    int n;
    char **name = only ? th_symbols_list(only, strchr(only, ' ') == NULL, &n, err) : NULL;
    bool ok = !only || name;
    for (int i = 0; name && ok && i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < th_inspect_predictions(); k++)
            known |= strcmp(th_inspect_predict(k, l).kind, name[i]) == 0;
        ok = known || th_fail(err, TH_EUSAGE, "only=: of %s nothing is predicted", name[i]);
    }
    free(name);
    return ok;
}

/* The figures are those of the last row. */
static void show_row(ShSession *s, const ThInspectPrediction *p, const Measured *m, bool measured)
{
    sh_results(s, "learns:s extends:s", verdicts[p->learns], verdicts[p->extends]);
    if (!measured) {
        sh_row(s, p->kind, verdicts[p->learns], verdicts[p->extends], p->why, p->source);
        return;
    }
    sh_results(s, "accuracy:r longer:r", m->learned, m->longer);
    sh_row(s, p->kind, verdicts[p->learns], m->learned, fits(p->learns, m->learned),
           verdicts[p->extends], m->longer, holds(p, m), p->why, p->source);
}

static bool show_rows(ShSession *s, const ShCall *call, const ThInspectLanguage *l,
                      const ThTask *task, ThError *err)
{
    const char *only = th_option_text(&call->options, "only");
    long long rows = 0, misfits = 0;
    bool ok = true;
    sh_table(s, "predictions",
             task ? "model:s learns:s accuracy:r fits:s extends:s longer:r holds:s why:s source:s"
                  : "model:s learns:s extends:s why:s source:s");
    for (size_t i = 0; ok && i < th_inspect_predictions(); i++) {
        ThInspectPrediction p = th_inspect_predict(i, l);
        Measured m = {(double)NAN, (double)NAN};
        if (!is_wanted(only, p.kind))
            continue;
        ok = !task || measure(s, call, &p, task, &m, err);
        if (ok)
            show_row(s, &p, &m, task != NULL);
        rows++;
        misfits += strcmp(fits(p.learns, m.learned), "no") == 0;
        misfits += strcmp(holds(&p, &m), "no") == 0;
    }
    sh_table_end(s);
    sh_result_int(s, "models", rows);
    if (task)
        sh_result_int(s, "misfits", misfits);
    return ok;
}

static void say_language(ShSession *s, const ShAlgebra *a, const ThInspectLanguage *l)
{
    const ThVarieties *v = &a->v;
    sh_say(s, "%d state%s, a monoid of %d: %s, %s", l->states, sh_plural(l->states), l->size,
           v->aperiodic ? "no groups"
           : v->group   ? "a group"
                        : "with groups",
           v->solvable ? "solvable" : "not solvable");
    if (!v->aperiodic)
        sh_say(s, ", period %zu", v->period);
    sh_say(s, "%s%s%s%s\n", v->definite ? ", definite" : "", v->j_trivial ? ", J-trivial" : "",
           v->r_trivial && !v->j_trivial ? ", R-trivial" : "",
           v->commutative ? ", commutative" : "");
    sh_say(s, "decided by counting: %s\n\n", verdicts[th_inspect_counting(l)]);
    sh_results(
        s, "aperiodic:b group:b solvable:b definite:b r_trivial:b j_trivial:b class:s counting:s",
        v->aperiodic, v->group, v->solvable, v->definite, v->r_trivial, v->j_trivial,
        th_varieties_class_name(th_varieties_class(v)), verdicts[th_inspect_counting(l)]);
}

/* Returns new: does the automaton accept? */
static ThTask *task_of(const ThAutomaton *a, ThError *err)
{
    const ThTaskKind *kind = th_task_kind("recognize");
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, kind->options, err);
    return ok ? th_task_new(kind, &o, &(ThTaskSource){.automaton = a}, err) : NULL;
}

SH_COMMAND(
    predict, .group = "training",
    .summary = "tell what is known of which architectures learn a language, and measure it",
    .detail =
        "learns is about strings as in training, extends about longer ones.  Each claim names its "
        "source: a theorem, which speaks of all languages of a sort, told from the transition "
        "monoid of the minimal machine; or a table, which speaks of the languages that it "
        "measures, known by their words (parity, even_pairs, cycle_navigation(5), sum(5), dyck and "
        "tomita), and there yes is at least 99 % at best; unverified stands behind tables whose "
        "figure could not be looked up.  unknown means that no source of the manual speaks of it, "
        "and why, if anything stands there, says what is known else.  The architectures are meant "
        "with their default options, and one or two layers.\n\n"
        "counting tells whether counts decide the language: of symbols, of positions by what was "
        "counted before them, compared with constants.  yes for J-trivial monoids (which scattered "
        "subwords there are) and for aperiodic commutative ones (how often each symbol is there, "
        "up to a bound); for others it is unknown.\n\n"
        "measure=yes trains each, at small size, to recognise the language (help recognize), and "
        "puts the mean accuracy on strings as in training, and on longer ones, beside what was "
        "predicted; fits and holds are yes where both say that at least 99 % are right, or both "
        "that fewer are; holds is left out where strings as in training were not learned.  Those "
        "that do not fit are the interesting ones ($misfits): a few hundred "
        "steps are few, and one seed is one seed.  The figures learns, extends, accuracy and "
        "longer are those of the last model; class is that of enumerate automata.",
    .example = "predict parity only=\"rnn transformer\" > \"known.txt\"\n"
               "assert group and not aperiodic and models == 2\n"
               "predict parity measure=yes only=rnn steps=5 batch=8 longer=30..30 > \"rnn.txt\"\n"
               "assert models == 1 and extends == \"yes\"",
    .results = "states size aperiodic group solvable definite r_trivial j_trivial class counting "
               "learns extends accuracy longer models misfits",
    .args = {{A_AUTOMATON, "A", 0}}, .options = options, .flags = C_PAGED)
{
    ShAlgebra a TH_OWNED(sh_algebra_free) = {0};
    if (!sh_algebra_of(&a, s, &call->operand[0], err))
        return false;
    ThInspectLanguage l;
    ThTask *task TH_OWNED(th_task_free) = NULL;
    bool ok = th_inspect_language(&l, a.machine.d, &a.v, a.m->size, err) &&
              check_only(th_option_text(&call->options, "only"), &l, err);
    if (ok && th_option_flag(&call->options, "measure"))
        ok = (task = task_of(call->operand[0].object->as.automaton, err)) != NULL;
    if (ok) {
        sh_results(s, "states:i size:i", (long long)l.states, (long long)l.size);
        say_language(s, &a, &l);
        ok = show_rows(s, call, &l, task, err);
    }
    return ok || sh_error_inside(err, &call->operand[0]);
}
