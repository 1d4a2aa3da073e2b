/* compile.c - automata as the weights of models, and the proof that they are. */
#include <math.h>

#include "commands/inspection/proofs.h"
#include "session_impl.h"
#include "object_kinds.h"

static const ThOptionSpec options[] = {
    {"coding", TH_CHOICE, "auto", 0, 0, "auto|matrix|monoid",
     "what stands for a piece of the input: the matrix of its function on states, or the number of "
     "its element in the transition monoid; auto: what takes fewer parameters"},
    {"layout", TH_CHOICE, "b", 0, 0, "b|a",
     "a: every child is copied by a head of its own; b: the latest stays where it is"},
    {"units", TH_CHOICE, "robust", 0, 0, "robust|plain",
     "plain: one unit a product, which hands errors on; robust: two, which do not"},
    {"arity", TH_INT, "2", 2, 8, NULL, "C: children of a node, vectors combined at a time"},
    {"products", TH_CHOICE, "whole", 0, 0, "whole|pairs",
     "of arity=3 and more: a layer that multiplies all vectors of a chunk, or chunk-1 layers a "
     "level (thickness), which multiply two each and are smaller; they have layout b and robust "
     "units"},
    {"weights", TH_CHOICE, "auto", 0, 0, "auto|dense|sparse",
     "sparse: hidden units keep the weights that are not 0 only (fan of regulargpt); auto: where a "
     "million numbers are not enough otherwise"},
    {"norm", TH_CHOICE, "auto", 0, 0, "auto|post|pre|paper|code",
     "as of regulargpt, which may be post or pre, and lrnn, which may be paper or, for sums, code; "
     "auto: the first"},
    {"activation", TH_CHOICE, "auto", 0, 0, "auto|relu|gelu", "as of regulargpt"},
    {"form", TH_CHOICE, "auto", 0, 0, "auto|collapse|dilated", "as of regulargpt"},
    {"answers", TH_CHOICE, "auto", 0, 0, "auto|final|every|states",
     "of an automaton: one for the whole string, one after every symbol, or its states; auto: "
     "every where it has outputs, else final"},
    {"into", TH_CHOICE, "regulargpt", 0, 0, "regulargpt|lrnn|bare|pd_ssm|deltaproduct",
     "the architecture"},
    {"by", TH_CHOICE, "auto", 0, 0, "auto|past|counts|maps|phases",
     "of bare: what looks at the past, or what counts; auto: the first where the language is "
     "star-free; of pd_ssm: maps of states, or phases, of groups that are solvable; auto: the "
     "first"},
    {"cascade", TH_FLAG, "no", 0, 0, NULL,
     "of lrnn: a layer for each level of the machine's decomposition, else one layer"},
    {"tokens", TH_STRING, "abc", 0, 0, NULL, "of an s-op: the symbols of its inputs"},
    {"attention", TH_CHOICE, "hard", 0, 0, "hard|soft",
     "of bare by=past: soft is so steep that it sees what hard attention would, up to length="},
    {"length", TH_INT, NULL, 1, TH_COMPILE_SOFT, NULL,
     "of an s-op: symbols of its longest input, 4 if not given, 64 at most; of attention=soft: of "
     "the longest string, 64 if not given"},
    {"n", TH_INT, "4", 0, 60, NULL, "of a machine: tokens compared, besides the last one"},
    {"context", TH_INT, "512", 8, 1e6, NULL, "of a machine: tokens of the longest text"},
    {"input", TH_STRING, NULL, 0, 0, NULL, "of a machine: what it is tried on; default: blanks"},
    {"steps", TH_INT, "1000", 0, 1e9, NULL,
     "of a machine: of the run that it is tried on, at most"},
    {"partial", TH_FLAG, "no", 0, 0, NULL,
     "of a machine: keep a model that writes a part of the run only"},
    {"prove", TH_CHOICE, "auto", 0, 0, "auto|yes|no",
     "check every product; auto: where their vectors have up to 10^8 numbers"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { CODING_AUTO, CODING_MATRIX, CODING_MONOID };                             /* coding= */
enum { LAYOUT_B, LAYOUT_A };                                                    /* layout= */
enum { UNITS_ROBUST, UNITS_PLAIN };                                             /* units= */
enum { PRODUCTS_WHOLE, PRODUCTS_PAIRS };                                        /* products= */
enum { WEIGHTS_AUTO, WEIGHTS_DENSE, WEIGHTS_SPARSE };                           /* weights= */
enum { NORM_AUTO, NORM_POST, NORM_PRE, NORM_PAPER, NORM_CODE };                 /* norm= */
enum { ACTIVATION_AUTO, ACTIVATION_RELU, ACTIVATION_GELU };                     /* activation= */
enum { FORM_AUTO, FORM_COLLAPSE, FORM_DILATED };                                /* form= */
enum { ANSWERS_AUTO, ANSWERS_FINAL, ANSWERS_EVERY, ANSWERS_STATES };            /* answers= */
enum { PROVE_AUTO, PROVE_YES, PROVE_NO };                                       /* prove= */
enum { INTO_REGULARGPT, INTO_LRNN, INTO_BARE, INTO_PD_SSM, INTO_DELTAPRODUCT }; /* into= */
enum { ATTENTION_HARD, ATTENTION_SOFT };                                        /* attention= */
enum { BY_AUTO, BY_PAST, BY_COUNTS, BY_MAPS, BY_PHASES };                       /* by= */

/* Few enough to be coded one by one. */
enum { MOST_ELEMENTS = 1 << 12 };

/* What is compiled. */
typedef struct {
    const ThTask *task;
    ThTask *own;      /* made of an automaton; NULL: a task was given */
    ThMonoid *monoid; /* NULL: it has more than MOST_ELEMENTS */
} Source;

static void free_source(Source *f)
{
    th_task_free(f->own);
    th_monoid_free(f->monoid);
}

/* ---- what is compiled ------------------------------------------------------------------------ */

/* The task that asks for what an automaton answers. */
static ThTask *task_of(const ThAutomaton *a, int answers, ThError *err)
{
    bool outputs = th_automaton_transducer(a);
    bool plain = !outputs && (answers == ANSWERS_AUTO || answers == ANSWERS_FINAL);
    const ThTaskKind *kind = th_task_kind(answers == ANSWERS_STATES ? "track"
                                          : plain                   ? "recognize"
                                                                    : "output");
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, kind->options, err) &&
              (answers != ANSWERS_FINAL || plain || th_options_set(&o, "labels", "final", err));
    return ok ? th_task_new(kind, &o, &(ThTaskSource){.automaton = a}, err) : NULL;
}

static bool find_monoid(ShSession *s, Source *f, ThError *err)
{
    ThError own = {0};
    f->monoid = th_monoid_new(f->task->machine, MOST_ELEMENTS, sh_stop(s), &own);
    return f->monoid || own.code == TH_ELIMIT || th_fail(err, own.code, "%s", own.msg);
}

static bool find_source(ShSession *s, const ShCall *call, Source *f, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    int answers = th_option_choice(&call->options, "answers");
    *f = (Source){0};
    if (o->object->kind == SH_TASK && answers != ANSWERS_AUTO)
        return sh_fail_operand(err, o, TH_EUSAGE, "a task says itself what is answered");
    if (o->object->kind == SH_TASK)
        f->task = o->object->as.task;
    else if (o->object->kind == SH_AUTOMATON)
        f->task = f->own = task_of(o->object->as.automaton, answers, err);
    else
        return sh_fail_operand(err, o, TH_EVALUE, "'%s' is no automaton%s", o->text,
                               call->form == 2 ? " and no task" : ", task, s-op or machine");
    return (f->task && th_task_machine(f->task, err) && find_monoid(s, f, err)) ||
           sh_error_inside(err, o);
}

/* ---- how ------------------------------------------------------------------------------------- */

static ThCompileShape shape_of(const ThOptions *o)
{
    int activation = th_option_choice(o, "activation");
    ThCompileShape s = {.split = th_option_choice(o, "layout") == LAYOUT_A,
                        .plain = th_option_choice(o, "units") == UNITS_PLAIN,
                        .chunk = (int)th_option_int(o, "arity"),
                        .pairs = th_option_choice(o, "products") == PRODUCTS_PAIRS,
                        .pre = th_option_choice(o, "norm") == NORM_PRE,
                        .dilated = th_option_choice(o, "form") == FORM_DILATED};
    s.gelu = activation == ACTIVATION_AUTO ? s.pre : activation == ACTIVATION_GELU;
    return s;
}

/* What a shape takes, with weights as weights= says. */
static ThCompileSize size_up(const Source *f, const ThOptions *o, ThCompileShape *s)
{
    const double most_dense = 1e6;
    int weights = th_option_choice(o, "weights");
    s->sparse = false;
    ThCompileSize dense = th_compile_size(f->task, f->monoid, s);
    s->sparse = weights == WEIGHTS_AUTO ? dense.parameters > most_dense : weights == WEIGHTS_SPARSE;
    return s->sparse ? th_compile_size(f->task, f->monoid, s) : dense;
}

static bool choose(const Source *f, const ThOptions *o, ThCompileShape *s, ThError *err)
{
    int coding = th_option_choice(o, "coding");
    if (th_option_choice(o, "layout") == LAYOUT_A && shape_of(o).pairs)
        return th_fail(err, TH_EUSAGE, "products=pairs has no layout a");
    if (shape_of(o).pairs && shape_of(o).plain)
        return th_fail(err, TH_EUSAGE,
                       "products=pairs takes robust units: plain ones hand errors on, which grow "
                       "in every layer of a level");
    if (coding == CODING_MONOID && !f->monoid)
        return th_fail(err, TH_ELIMIT, "the monoid has more than %d elements", MOST_ELEMENTS);
    ThCompileShape matrix = shape_of(o), monoid = matrix;
    monoid.monoid = true;
    double by_matrix = size_up(f, o, &matrix).parameters;
    *s = matrix;
    if (coding == CODING_MONOID ||
        (coding == CODING_AUTO && f->monoid && size_up(f, o, &monoid).parameters < by_matrix))
        *s = monoid;
    if (s->monoid)
        size_up(f, o, s);
    return true;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void add_size(ShSession *s, const Source *f, const ThOptions *o, ThCompileShape *shape)
{
    ThCompileSize z = size_up(f, o, shape);
    sh_row(s, shape->monoid ? "monoid" : "matrix", shape->split ? "a" : "b",
           shape->plain ? "plain" : "robust", z.dim, z.heads, z.hidden, z.parameters, z.operations);
}

static void table_sizes(ShSession *s, const Source *f, const ThOptions *o)
{
    sh_table(s, "sizes",
             "coding:s layout:s units:s dim:r heads:r hidden:r parameters:r operations:r");
    for (int i = 0; i < 8; i++) {
        ThCompileShape shape = shape_of(o);
        shape.monoid = i & 4;
        shape.split = i & 2;
        shape.plain = i & 1;
        if ((f->monoid || !shape.monoid) && !((shape.split || shape.plain) && shape.pairs))
            add_size(s, f, o, &shape);
    }
    sh_table_end(s);
    if (f->monoid)
        sh_say(
            s,
            "%d states, %d elements of the monoid; operations: products of numbers for a chunk\n",
            f->task->machine->n_states, f->monoid->size);
    else
        sh_say(s, "%d states; the monoid has more than %d elements\n", f->task->machine->n_states,
               MOST_ELEMENTS);
}

/* ---- proof ----------------------------------------------------------------------------------- */

/* Proves as prove= asks; without a word where it may be left out and takes too long. */
static bool prove_if(ShSession *s, const ThModel *m, const Source *f, const ThOptions *o,
                     ThError *err)
{
    const double most_numbers = 1e8;
    double dim = (double)th_option_int(&m->options, "dim");
    int how = th_option_choice(o, "prove");
    double products =
        f->monoid ? pow(f->monoid->size, (double)th_option_int(&m->options, "arity")) : 0;
    ThError own = {0};
    if (how == PROVE_NO)
        return true;
    if (!f->monoid)
        th_fail(&own, TH_ELIMIT, "the monoid has more than %d elements", MOST_ELEMENTS);
    else if (how == PROVE_AUTO && products > most_numbers / dim)
        th_fail(&own, TH_ELIMIT, "%.0f products are more than the %.0f that may be checked",
                products, most_numbers / dim);
    else if (sh_prove(s, m, f->task, &own))
        return true;
    if (how == PROVE_YES || own.code != TH_ELIMIT) {
        *err = own;
        return false;
    }
    sh_say_folded(s, "  not proved: %s", own.msg);
    return true;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static void say_model(ShSession *s, const ShCall *call, const ThModel *m,
                      const ThCompileShape *shape)
{
    const ThOptions *o = &m->options;
    sh_say(s, "%s: regulargpt dim=%lld heads=%lld mlp_ratio=%lld, %zu parameters\n",
           call->operand[1].text, th_option_int(o, "dim"), th_option_int(o, "heads"),
           th_option_int(o, "mlp_ratio"), th_params_count(&m->params));
    sh_say_folded(
        s, "  layout %s, %s products of %s%s%s%s", shape->split ? "A" : "B",
        shape->plain ? "plain" : "robust", shape->monoid ? "elements of the monoid" : "matrices",
        th_option_choice(&call->options, "coding") == CODING_AUTO ? ": the smaller coding" : "",
        th_option_int(o, "layers_per_level") > 1 ? ", in pairs" : "",
        shape->sparse ? ", sparse" : "");
    sh_model_figures(s, m);
}

/* Takes m over.  What it was compiled from stands where the task of a trained model does: files
 * keep it, and training replaces it. */
static bool define(ShSession *s, const ShCall *call, ThModel *m, ThError *err)
{
    char *made_by TH_OWNED(free) =
        th_printed(err, "%s compiled from %s", m->kind->name, call->operand[0].text);
    m->training.task = made_by ? th_strdup(made_by + strlen(m->kind->name) + 1, err) : NULL;
    bool told = m->training.task != NULL;
    bool ok = told && sh_define(s, call->operand[1].text, SH_MODEL, m, made_by, err);
    if (!told)
        th_model_free(m);
    return ok || sh_error_inside(err, &call->operand[1]);
}

/* ---- on words -------------------------------------------------------------------------------- */

/* Runs the model on words of which it is known what is due: all short ones, and some long ones. */
static bool try_words(ShSession *s, const ThModel *m, const Source *f, ThError *err)
{
    ThCompileTrial trial = {.words = 1000, .drawn = 20, .length = 500, .stop = sh_stop(s)};
    if (!th_compile_try(m, f->task, &trial, err))
        return false;
    sh_results(s, "words:i right:b", (long long)trial.tried, trial.right);
    if (!trial.right) { /* which ends the trial, maybe before any word was drawn */
        sh_say(s, "  run on %lld words: a wrong answer\n", trial.tried);
        return th_fail(err, TH_EVALUE, "the model answers a word of %d symbol%s wrongly",
                       trial.wrong, sh_plural(trial.wrong));
    }
    sh_say_folded(
        s, "  run on all %lld words of up to %d symbols, and on %d drawn of %d: every answer right",
        trial.tried - trial.drawn, trial.all, trial.drawn, trial.length);
    return true;
}

/* What is not proved is tried. */
static bool try_if(ShSession *s, const ThModel *m, const Source *f, const ThOptions *o,
                   ThError *err)
{
    int how = th_option_choice(o, "prove");
    if (how == PROVE_YES)
        return th_fail(err, TH_EVALUE,
                       "there is no proof of models of this kind: they are run on words");
    return how == PROVE_NO || try_words(s, m, f, err);
}

/* Recurrences are run on words, and proved; without a word more where they may be left unproved. */
static bool prove_steps_if(ShSession *s, const ThModel *m, const Source *f, const ThOptions *o,
                           ThError *err)
{
    int how = th_option_choice(o, "prove");
    ThError own = {0};
    if (how == PROVE_NO)
        return true;
    if (!try_words(s, m, f, err))
        return false;
    if (!th_proof_has_steps(m))
        return how != PROVE_YES ||
               th_fail(err, TH_EVALUE, "answers that are sets of classes cannot be certified");
    if (sh_prove_steps(s, m, f->task, &own))
        return true;
    if (how == PROVE_YES || own.code != TH_ELIMIT) {
        *err = own;
        return false;
    }
    sh_say_folded(s, "  not proved: %s", own.msg);
    return true;
}

/* ---- linear recurrences ---------------------------------------------------------------------- */

static ThModel *recurrence(ShSession *s, const ShCall *call, const Source *f, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    bool cascade = th_option_flag(&call->options, "cascade");
    int by = th_option_choice(&call->options, "by");
    if (th_option_choice(&call->options, "into") == INTO_PD_SSM)
        return th_compile_pd_ssm(f->task, f->monoid, by == BY_PHASES, &s->bounds, err);
    if (th_option_choice(&call->options, "into") == INTO_DELTAPRODUCT)
        return th_compile_deltaproduct(f->task, &s->bounds, err);
    if (th_option_choice(&call->options, "norm") == NORM_CODE)
        return th_compile_lrnn_sum(f->task, f->monoid, &s->bounds, err);
    ThHolonomy *h TH_OWNED(th_holonomy_free) =
        cascade ? th_holonomy_new(f->task->machine, limit, sh_stop(s), err) : NULL;
    return h || !cascade ? th_compile_lrnn(f->task, h, &s->bounds, err) : NULL;
}

static ThModel *compile_recurrence(ShSession *s, const ShCall *call, const Source *f, ThError *err)
{
    ThModel *m = recurrence(s, call, f, err);
    if (!m)
        return NULL;
    const ThOptions *o = &m->options;
    static const char *const named[][2] = {
        {"block", "norm"}, {"state", "one_hot"}, {"steps", "eigenvalues"}};
    int i = th_option_known(o, "block") ? 0 : th_option_known(o, "state") ? 1 : 2;
    sh_say(s, "%s: %s dim=%lld %s=%lld layers=%lld %s=%s, %zu parameters\n", call->operand[1].text,
           m->kind->name, th_option_int(o, "dim"), named[i][0], th_option_int(o, named[i][0]),
           th_option_int(o, "layers"), named[i][1], th_option_text(o, named[i][1]),
           th_params_count(&m->params));
    sh_model_figures(s, m);
    return TH_KEEP_IF(prove_steps_if(s, m, f, &call->options, err), m, th_model_free);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void say_formula(ShSession *s, const ShCall *call, const ThModel *m,
                        const ThCompileFormulaSize *z)
{
    const ThOptions *o = &m->options;
    sh_say(s, "%s: bare dim=%lld heads=%lld layers=%lld hidden=%lld attention=%s, %zu parameters\n",
           call->operand[1].text, th_option_int(o, "dim"), th_option_int(o, "heads"),
           th_option_int(o, "layers"), th_option_int(o, "hidden"), th_option_text(o, "attention"),
           th_params_count(&m->params));
    sh_say(s, "  %s: %d line%s, %d head%s and %d unit%s with work\n",
           z->counts ? "sums of counts" : "a formula of the past", z->lines, sh_plural(z->lines),
           z->heads, sh_plural(z->heads), z->units, sh_plural(z->units));
    sh_model_figures(s, m);
}

/* By the past, or by counts; in the end the error of the first is told. */
static ThModel *formula_model(ShSession *s, const ShCall *call, const Source *f,
                              ThCompileFormulaSize *size, ThError *err)
{
    int by = th_option_choice(&call->options, "by");
    bool soft = th_option_choice(&call->options, "attention") == ATTENTION_SOFT;
    if (soft && by == BY_COUNTS)
        return th_null(
            th_fail(err, TH_EUSAGE, "by=counts takes means: there is no attention=soft"));
    ThCompileFormulaHow how = {.counting = by == BY_COUNTS,
                               .soft =
                                   soft ? (int)th_option_int_or(&call->options, "length", 64) : 0,
                               .limit = (size_t)sh_setting_int(s, "limit-states"),
                               .stop = sh_stop(s),
                               .bounds = &s->bounds};
    return th_compile_formula(f->task, &how, size, err);
}

/* The witness that the language is not of the class that is needed.  Returns false, always. */
static bool hint_at_class(ShSession *s, const ShCall *call, const Source *f, ThError *err)
{
    enum { ELEMENTS = 20000 };
    ThError own = {0};
    int class =
        th_option_choice(&call->options, "by") == BY_COUNTS ? TH_CLASS_CRASP : TH_CLASS_STAR_FREE;
    ThDfa *d TH_OWNED(th_dfa_free) = err->code == TH_EVALUE && f->task->machine->n_classes == 2
                                         ? th_dfa_minimize(f->task->machine, sh_stop(s), &own)
                                         : NULL;
    ThClassReport *r TH_OWNED(th_class_report_free) =
        d ? th_class_report(d, f->task->signature.symbol, ELEMENTS, sh_stop(s), &own) : NULL;
    return r && r->verdict[class].is == TH_CLASS_NO &&
           th_hint(err, "%s", r->verdict[class].witness);
}

static bool compile_formula(ShSession *s, const ShCall *call, const Source *f, ThError *err)
{
    ThCompileFormulaSize size;
    ThModel *m = formula_model(s, call, f, &size, err);
    if (!m)
        return hint_at_class(s, call, f, err);
    say_formula(s, call, m, &size);
    bool ok =
        th_option_choice(&call->options, "prove") == PROVE_NO || sh_prove_hard(s, m, f->task, err);
    if (!ok)
        th_model_free(m);
    return ok && define(s, call, m, err);
}

/* The formula that counts of an object, or NULL; *t gets its task, and *own that, new, if it was
 * made here. */
static const char *counted(const ShObject *o, const ThTask **t, ThTask **own, ThError *err)
{
    const ThLanguage *l = o->kind == SH_LANGUAGE ? o->as.language
                          : o->kind == SH_TASK   ? th_task_language(o->as.task)
                                                 : NULL;
    if (!l || !th_language_is_counting(l))
        return NULL;
    if (o->kind == SH_LANGUAGE)
        *own = th_task_new(th_task_kind("recognize"), NULL, &(ThTaskSource){.language = l}, err);
    *t = *own ? *own : o->as.task;
    return th_language_counting_formula(l);
}

static bool compile_counting(ShSession *s, const ShCall *call, const ThTask *t, const char *formula,
                             ThError *err)
{
    ThCompileFormulaSize size;
    int by = th_option_choice(&call->options, "by");
    if (th_option_choice(&call->options, "into") != INTO_BARE ||
        (by != BY_AUTO && by != BY_COUNTS) || th_option_given(&call->options, "attention"))
        return th_fail(err, TH_EUSAGE, "what counts is compiled by into=bare by=counts");
    ThModel *m = th_compile_counting(formula, t, &s->bounds, &size, err);
    if (!m)
        return false;
    say_formula(s, call, m, &size);
    bool ok = th_option_choice(&call->options, "prove") == PROVE_NO ||
              sh_prove_program(s, m, &t->signature, formula, err);
    if (!ok)
        th_model_free(m);
    return ok && define(s, call, m, err);
}

static bool compile_model(ShSession *s, const ShCall *call, const Source *f, ThError *err)
{
    ThCompileShape shape;
    static const char *const kind[] = {"regulargpt", "lrnn", "bare", "pd_ssm", "deltaproduct"};
    int into = th_option_choice(&call->options, "into");
    int by = th_option_choice(&call->options, "by");
    bool lrnn = into == INTO_LRNN;
    int of = by == BY_AUTO ? into : by < BY_MAPS ? INTO_BARE : INTO_PD_SSM;
    if (of != into)
        return th_fail(err, TH_EUSAGE, "by=%s is for into=%s", th_option_text(&call->options, "by"),
                       kind[of]);
    if (into != INTO_BARE && th_option_given(&call->options, "attention"))
        return th_fail(err, TH_EUSAGE, "attention= is for into=bare");
    if (into == INTO_BARE)
        return compile_formula(s, call, f, err);
    int norm = th_option_choice(&call->options, "norm");
    if (norm != NORM_AUTO && (lrnn != (norm >= NORM_PAPER) || into >= INTO_PD_SSM))
        return th_fail(err, TH_EUSAGE, "%s has no norm=%s", kind[into],
                       th_option_text(&call->options, "norm"));
    if (lrnn || into >= INTO_PD_SSM) {
        ThModel *r = compile_recurrence(s, call, f, err);
        return r && define(s, call, r, err);
    }
    if (!choose(f, &call->options, &shape, err))
        return false;
    ThModel *m = th_compile_regulargpt(f->task, f->monoid, &shape, &s->bounds, err);
    if (!m)
        return false;
    say_model(s, call, m, &shape);
    if (th_option_int(&m->options, "layers_per_level") > 1
            ? !try_if(s, m, f, &call->options, err)
            : !prove_if(s, m, f, &call->options, err)) {
        th_model_free(m);
        return false;
    }
    return define(s, call, m, err);
}

SH_COMMAND(
    compile, .group = "models",
    .summary = "write an automaton, a program or a machine into the weights of a model",
    .detail =
        "The weights are computed, not trained; a compiled model is a model: run, trace, "
        "attention, clusters, receptive field, evaluate, save and train take it.\n\n"
        "An automaton, an expression or a task with an automaton becomes a regulargpt: a piece of "
        "the input is the function on states that it induces, and each level multiplies those of "
        "neighbours.  Without as NAME the sizes of all layouts are shown, and nothing is made.  "
        "The model is proved right from its weights: the product of any two elements of the "
        "transition monoid must come out, the pad must be the identity, every answer the right "
        "one, and what lies near an element's vector must come to lie near the product's.  By "
        "induction over the tree the model is right at every length, on all strings: certify has "
        "domain=.  Plain units and norm=pre hand errors on, so that the proof reaches up to some "
        "length; field sees more with units=plain, whose slopes are not zero.  What multiplies in "
        "pairs is run on words instead.\n\n"
        "With into=lrnn it becomes a linear recurrence whose matrices move one-hots, norm=paper "
        "keeping their length: in one layer, or with cascade=yes with a layer for each level of "
        "decompose.  norm=code is for sums only, whose states become phases.  into=pd_ssm moves "
        "states by maps, in one layer, and with by=phases, where symbols permute the states and "
        "their group is solvable, turns phases by complex diagonals: a layer for each step of the "
        "derived series (its length is the least number of layers, Shakerinava et al. 2026), and "
        "one that says the state.  into=deltaproduct writes a symbol that permutes up to 16 states "
        "as reflections, one less than states at most (any permutation is so many transpositions), "
        "and one that leads all states to one; what joins some states alone no product of "
        "reflections does.  All are run on words, and, but for norm=code, proved by their steps "
        "from the weights alone, state by state: of every length where matrices only move ones, "
        "else up to a length that is said, in real numbers and in floating point.\n\n"
        "With into=bare a star-free language becomes a Transformer with hard attention: a formula "
        "of the past (show A as ltl) part by part, a head that looks at the latest of earlier "
        "positions for each S and Y, a unit for each &.  With by=counts a language that counting "
        "tells (classes: C-RASP) becomes one whose heads take means, and whose signs say how sums "
        "of counts compare.  What such a model can remember is gone through beside the automaton, "
        "from the weights alone, which proves it right at every length: in floating point, too, "
        "where it looks at the past; up to a length that is said where it counts.  attention=soft "
        "instead is a softmax so steep that it sees what hard attention would, to within less than "
        "the 1/4 that units undo, on strings of up to length= symbols: scores grow with positions, "
        "which it needs (position=learned), and how far it is off is bounded from the weights, "
        "rounding included.\n\n"
        "A language that is defined by counting (help counting), which need not be regular, "
        "becomes one by into=bare, whose heads take means: what its weights compute is proved to "
        "be the formula, step for step, at every length in real numbers, and up to a length that "
        "is said in floating point.  Parts with Y or S, but for O, are no counts.\n\n"
        "An s-op of RASP becomes a bare Transformer that says its values at every position: a head "
        "for each selection, a coordinate for each value that a part takes on any input of up to "
        "length= of the symbols tokens=.  Where a sum of numbers says a value, as where counts or "
        "places are compared, it is told from that by units, without a coordinate for each of "
        "theirs.  All these inputs are run through both.  What fails on one of them cannot be "
        "compiled, nor what they are too many for (10^6 symbols in all).\n\n"
        "A Turing machine becomes a causal bare Transformer that predicts the next token of a "
        "run's text (see rasp): heads gather the last n+1 tokens and find where they stand in what "
        "the line before turns into.  ngrams tells which n is enough.  It is tried on input=; "
        "generate lets it write.",
    .example = "compile parity as m\n"
               "#> m: regulargpt dim=4 heads=1 mlp_ratio=3, 220 parameters\n"
               "#>   layout B, robust products of elements of the monoid: the smaller coding\n"
               "#>   4 products of the 2 elements checked: each to within 1.7e-08, a change\n"
               "#>   of the factors counts by at most 4.3e-06, every answer has a margin of 0.71\n"
               "#>   real numbers proved; and of runs off by at most 1e-05 a vector and logit\n"
               "#>   run in float proved: rounding takes a vector 0.00033 farther at most\n"
               "compile cycle_navigation as r into=deltaproduct\n"
               "assert right and real_length > 1000\n"
               "compile regex \"(ab)*\" as soft into=bare attention=soft length=200\n"
               "assert float_length == 200\n"
               "counting dyck {\n"
               "  formula \"F (last & #a = #b & #(#b > #a) = 0)\"\n"
               "}\n"
               "compile dyck as counts into=bare\n"
               "compare counts dyck length=1..8\n"
               "assert agree",
    .results =
        "elements products radius slack error stretch margin levels right closed tolerance "
        "rounding off in_float in_double words inputs heads layers tokens right_tokens exact "
        "bound parameters steps parts states real_length double_length float_length",
    .args = {{A_OBJECT, "A", 0}, {A_KEYWORD, "as", 0}, {A_NEW, "NAME", 0}},
    .args2 = {{A_OBJECT, "A", 0}}, .options = options)
{
    Source f;
    ShKind kind = call->operand[0].object->kind;
    if (call->form == 1 && (kind == SH_S_OP || kind == SH_MACHINE)) {
        ThModel *m = (kind == SH_S_OP ? sh_compile_program : sh_compile_machine)(s, call, err);
        return (m && define(s, call, m, err)) || sh_error_inside(err, &call->operand[0]);
    }
    const ThTask *t = NULL;
    ThTask *own TH_OWNED(th_task_free) = NULL;
    const char *formula = counted(call->operand[0].object, &t, &own, err);
    if (call->form == 1 && formula)
        return (t && compile_counting(s, call, t, formula, err)) ||
               sh_error_inside(err, &call->operand[0]);
    bool ok = find_source(s, call, &f, err);
    if (ok && call->form == 2)
        table_sizes(s, &f, &call->options);
    else if (ok)
        ok = compile_model(s, call, &f, err) || sh_error_inside(err, &call->operand[0]);
    free_source(&f);
    return ok;
}
