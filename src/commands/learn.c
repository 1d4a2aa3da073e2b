/* learn.c - learning automata: from an oracle by asking, from labelled words by merging. */
#include "commands/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "automata/core/build.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/symbols.h"
#include "lab/evaluate.h"

const ThOptionSpec sh_learn_options[] = {
    {"noise", TH_REAL, "0", 0, 0.49, NULL, "share of wrong answers or labels that is tolerated"},
    {"states", TH_INT, "0", 0, 1e9, NULL, "most states of the result; 0: set limit-states"},
    {"queries", TH_INT, "0", 0, 1e15, NULL, "most membership queries; 0: no limit"},
    {"length", TH_RANGE, "0..30", 0, 100000, NULL, "lengths of the words that are drawn"},
    {"error", TH_REAL, "0.01", 1e-6, 0.5, NULL,
     "share of those words on which the result may be wrong"},
    {"confidence", TH_REAL, "0.95", 0, 0.999999, NULL, "with which that is asserted"},
    {"samples", TH_INT, "5000", 1, 1e8, NULL,
     "words that the disagreement is measured on, and that are merged where noise is allowed"},
    {"accept", TH_STRING, NULL, 0, 0, NULL,
     "the class of a model or task that accepts (of one that answers with sets of symbols: the "
     "symbol or end); default: every class, or set, becomes an output"},
    {"empty", TH_STRING, NULL, 0, 0, NULL,
     "the class of the empty word, which a model cannot read; default: its first class, {} of "
     "sets"},
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "the symbols of a file's words in order; default: those used, in the order of their bytes"},
    {"flip", TH_REAL, "0", 0, 0.49, NULL,
     "share of words that an oracle is made to answer wrongly, to see what noise does"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the words drawn; default: set seed"},
    {0},
};

/* ---- machines as automata -------------------------------------------------------------------- */

/* Returns new: a minimal machine as an acceptor, or with the names of its classes as outputs. */
static ThAutomaton *automaton_of(const ThDfa *d, char *const *symbol, const char *const *name,
                                 bool language, ThError *err)
{
    if (language)
        return th_automaton_from_dfa(d, symbol, err);
    ThAutomatonBuild b = {0};
    for (int a = 0; a < d->n_symbols; a++)
        th_automaton_build_symbol(&b, symbol[a]);
    for (int q = 0; q < d->n_states; q++) {
        char state[24];
        snprintf(state, sizeof state, "q%d", q);
        th_automaton_build_accept(&b, th_automaton_build_state(&b, state));
        if (name[d->label[q]])
            th_automaton_build_moore(&b, q, th_automaton_build_output(&b, name[d->label[q]]));
    }
    th_automaton_build_start(&b, d->start);
    for (int q = 0; q < d->n_states; q++) {
        for (int a = 0; a < d->n_symbols; a++) {
            int to = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a];
            th_automaton_build_arc(&b, (ThAutomatonArc){q, a, to, TH_AUTOMATON_NO_OUTPUT});
        }
    }
    return th_automaton_build_finish(&b, err);
}

/* The machine of a merging, whose class 0 is "unknown", with the classes of the words: what is
 * unknown is put into class 0, too. */
static void forget_unknown(ThDfa *d)
{
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = d->label[q] > 0 ? d->label[q] - 1 : 0;
    d->n_classes = d->n_classes > 1 ? d->n_classes - 1 : 1;
}

/* ---- by merging ------------------------------------------------------------------------------ */

typedef struct {
    const ShLearnWatch *watch;
    char *const *symbol;
    int n_symbols;
    ShSession *s;
    long long steps;
} MergeWatch;

static void merge_step(void *context, const ThRpniStep *step)
{
    MergeWatch *w = context;
    sh_progress(w->s, "%lld decisions, %d state%s", ++w->steps, step->state,
                step->state == 1 ? "" : "s");
    if (w->watch && w->watch->merge)
        w->watch->merge(w->watch->context, w->symbol, w->n_symbols, step);
}

static ThDfa *merge_sample(MergeWatch *w, const ThWordsSample *sample, const ShCall *call,
                           ThRpniReport *report, ThError *err)
{
    long long states = th_option_int(&call->options, "states"),
              most = sh_setting_int(w->s, "limit-states");
    ThRpniOptions o = {.noise = th_option_real(&call->options, "noise"),
                       .max_states = (int)(states ? states : most),
                       .context = w,
                       .step = merge_step};
    return th_rpni(sample, &o, report, sh_stop(w->s), err);
}

/* Returns new: a text's labelled words merged. */
static bool learn_file(ShSession *s, const ShCall *call, const ShOperand *file,
                       const ShLearnWatch *watch, ShLearned *to, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    size_t size;
    ThWordsLabelled l = {0};
    ThDfa *d = NULL;
    char *text = th_file_read(file->text, MOST_BYTES, &size, err);
    if (!text)
        return false;
    ThError own = {0};
    bool ok = strlen(text) == size || th_fail(&own, TH_EPARSE, "the file holds a zero byte");
    ok = ok && th_words_labelled_read(&l, text,
                                      th_option_given(&call->options, "alphabet")
                                          ? th_option_text(&call->options, "alphabet")
                                          : NULL,
                                      th_option_real(&call->options, "noise") <= 0, &own);
    free(text);
    if (!ok && own.line > 0) {
        sh_fail_operand(err, file, own.code, "%s:%d:%d: %s", file->text, own.line, own.col,
                        own.msg);
        if (*own.hint)
            th_hint(err, "%s", own.hint);
    } else if (!ok) {
        sh_fail_operand(err, file, own.code, "%s: %s", file->text, own.msg);
    }
    MergeWatch w = {.watch = watch, .symbol = l.symbol, .n_symbols = l.sample.n_symbols, .s = s};
    if (ok)
        d = merge_sample(&w, &l.sample, call, &to->merging, err);
    if (d && l.language)
        forget_unknown(d);
    ThDfa *least = d ? th_dfa_minimize(d, sh_stop(s), err) : NULL;
    const char **name = th_alloc((size_t)l.sample.n_classes + 1, sizeof *name, err);
    for (int c = 0; name && c < l.sample.n_classes; c++)
        name[c + 1] = l.label[c];
    ThAutomaton *a = least && name ? automaton_of(least, l.symbol, name, l.language, err) : NULL;
    to->automaton = a && !l.language ? th_automaton_trim(a, err) : a;
    if (a != to->automaton)
        th_automaton_free(a);
    to->merged = true;
    to->words = l.sample.n;
    to->samples = (long long)l.sample.n;
    to->wrong = (long long)to->merging.conflicts;
    free(name);
    th_dfa_free(least);
    th_dfa_free(d);
    th_words_labelled_free(&l);
    return to->automaton != NULL;
}

/* Draws words with their classes from an oracle. */
static bool draw_sample(ShTeacher *t, size_t n, ThWordsSample *sample, ThError *err)
{
    size_t longest = (size_t)t->sampling.hi, size = 0, cap = 0;
    *sample = (ThWordsSample){.n_symbols = t->n_symbols, .n_classes = t->n_classes};
    sample->start = th_alloc(n + 1, sizeof *sample->start, err);
    sample->label = th_alloc(n, sizeof *sample->label, err);
    if (!sample->start || !sample->label)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (th_stopped(sh_stop(t->s), err) ||
            !th_grow(&sample->symbol, &cap, size + longest + 1, sizeof *sample->symbol, err))
            return false;
        int length = th_pac_draw(&t->sampling, sample->symbol + size);
        if (!sh_teacher_member(t, sample->symbol + size, length, &sample->label[i], err))
            return false;
        size += (size_t)length;
        sample->start[i + 1] = size;
    }
    sample->n = n;
    sample->n_classes = t->n_classes; /* sets are counted as they are met */
    return true;
}

/* ---- by asking ------------------------------------------------------------------------------- */

typedef struct {
    ShTeacher *teacher;
    const ShLearnWatch *watch;
} QueryWatch;

static bool watched_member(void *context, const int *word, int length, int *label, ThError *err)
{
    const QueryWatch *w = context;
    return sh_teacher_member(w->teacher, word, length, label, err);
}

static bool watched_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    const QueryWatch *w = context;
    return sh_teacher_exact(w->teacher, guess, word, length, err);
}

static bool watched_sampled(void *context, const ThDfa *guess, int **word, int *length,
                            ThError *err)
{
    const QueryWatch *w = context;
    return sh_teacher_sampled(w->teacher, guess, word, length, err);
}

static void query_step(void *context, const ThLstarStep *step)
{
    const QueryWatch *w = context;
    if (w->watch && w->watch->query)
        w->watch->query(w->watch->context, w->teacher, step);
}

static ThDfa *ask_away(ShTeacher *t, const ShCall *call, const ShLearnWatch *watch, ShLearned *to,
                       ThError *err)
{
    const ThOptions *o = &call->options;
    long long states = th_option_int(o, "states"), most = sh_setting_int(t->s, "limit-states");
    QueryWatch w = {t, watch};
    to->exact = t->machine && t->flip <= 0;
    ThLstarOracle oracle = {.n_symbols = t->n_symbols,
                            .n_classes = t->sets ? SH_TEACHER_SETS : t->n_classes,
                            .context = &w,
                            .member = watched_member,
                            .equivalent = to->exact ? watched_exact : watched_sampled,
                            .step = query_step};
    ThLstarLimits limits = {.states = (int)(states ? states : most),
                            .queries = th_option_int(o, "queries"),
                            .keep_guess = th_option_real(o, "noise") > 0};
    t->report = &to->queries;
    ThDfa *d = th_lstar(&oracle, &limits, &to->queries, sh_stop(t->s), err);
    if (!d && err && err->code == TH_ELIMIT)
        th_hint(err, "noise=0.05 accepts an automaton that is wrong on that share of words");
    if (!d && err && err->code == TH_EINTERRUPTED)
        th_hint(err, "so far %lld words were asked for, and %d states told apart",
                to->queries.asked, to->queries.states);
    to->exact = to->exact && !to->queries.limited;
    return d;
}

static bool measure(ShTeacher *t, const ThDfa *d, long long n, long long *wrong, ThError *err)
{
    return th_pac_disagreement(&t->sampling, d, n, wrong, err);
}

/* Of two automata that are both tolerated the smaller is better, else the one that is wrong less.
 */
static bool is_better(const ThDfa *d, long long wrong, const ThDfa *than, const ShLearned *l,
                      double noise)
{
    double most = noise * (double)l->samples;
    if ((double)wrong <= most && (double)l->wrong <= most)
        return d->n_states < than->n_states;
    return wrong < l->wrong;
}

/* Wrong answers may have led the questions astray: merges words that are drawn, and keeps the
 * better automaton.  *best is minimal, and so is what replaces it. */
static bool try_merging(ShTeacher *t, const ShCall *call, const ShLearnWatch *watch, ThDfa **best,
                        ShLearned *to, ThError *err)
{
    ThWordsSample sample = {0};
    MergeWatch w = {.watch = watch, .symbol = t->symbol, .n_symbols = t->n_symbols, .s = t->s};
    long long wrong = 0;
    bool ok = draw_sample(t, (size_t)to->samples, &sample, err);
    ThDfa *d = ok ? merge_sample(&w, &sample, call, &to->merging, err) : NULL, *least = NULL;
    if (d) {
        forget_unknown(d);
        least = th_dfa_minimize(d, sh_stop(t->s), err);
    }
    ok = least && measure(t, least, to->samples, &wrong, err);
    if (ok && is_better(least, wrong, *best, to, th_option_real(&call->options, "noise"))) {
        th_dfa_free(*best);
        *best = least;
        least = NULL;
        to->merged = true;
        to->wrong = wrong;
        to->words = sample.n;
    }
    th_dfa_free(least);
    th_dfa_free(d);
    th_words_sample_free(&sample);
    return ok;
}

static bool learn_oracle(ShSession *s, const ShCall *call, const ShObject *from,
                         const ShLearnWatch *watch, ShLearned *to, ThError *err)
{
    ShTeacher t = {.s = s, .object = from};
    double noise = th_option_real(&call->options, "noise");
    to->samples = th_option_int(&call->options, "samples");
    ThDfa *d = NULL, *least = NULL;
    bool ok = sh_teacher_make(&t, call, err) && (d = ask_away(&t, call, watch, to, err)) &&
              (least = th_dfa_minimize(d, sh_stop(s), err)) &&
              (to->exact || measure(&t, least, to->samples, &to->wrong, err));
    if (ok && !to->exact && noise > 0)
        ok = try_merging(&t, call, watch, &least, to, err);
    if (ok)
        to->automaton = t.classes.n_classes
                            ? th_automaton_classes_automaton(least, &t.classes, t.symbol,
                                                             from->as.automaton, err)
                            : automaton_of(least, t.symbol, t.name, t.language, err);
    th_dfa_free(least);
    th_dfa_free(d);
    sh_teacher_free(&t);
    return to->automaton != NULL;
}

/* Fails at an option that says nothing about what is learned from. */
static bool options_fit(const ShCall *call, const ShOperand *from, ThError *err)
{
    static const struct {
        const char *option, *about;
        bool model, task, automaton, file;
    } fits[] = {{"accept", "tasks and models", true, true, false, false},
                {"empty", "models", true, false, false, false},
                {"alphabet", "files", false, false, false, true},
                {"flip", "oracles", true, true, true, false},
                {"queries", "oracles", true, true, true, false}};
    bool file = call->form == 2;
    ShKind kind = file ? SH_AUTOMATON : from->object->kind;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        bool fit = file               ? fits[i].file
                   : kind == SH_MODEL ? fits[i].model
                   : kind == SH_TASK  ? fits[i].task
                                      : fits[i].automaton;
        if (!fit && th_option_given(&call->options, fits[i].option))
            return th_fail(err, TH_EVALUE, "%s= is about learning from %s", fits[i].option,
                           fits[i].about);
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

bool sh_learn_call(ShSession *s, const ShCall *call, const ShOperand *from,
                   const ShLearnWatch *watch, ShLearned *to, ThError *err)
{
    *to = (ShLearned){0};
    if (call->form == 2 && !from->quoted) {
        sh_need_object(s, from->text, -1, err);
        return sh_error_inside(err, from);
    }
    bool ok = options_fit(call, from, err) &&
              (call->form == 2 ? learn_file(s, call, from, watch, to, err)
                               : learn_oracle(s, call, from->object, watch, to, err));
    if (ok && !to->exact)
        th_lab_interval((double)to->wrong, (double)to->samples, &to->low, &to->high);
    if (!ok && err && err->line == 0)
        sh_error_inside(err, from);
    return ok;
}

static const char *plural(long long n)
{
    return n == 1 ? "" : "s";
}

static void say_queries(ShSession *s, const ThLstarReport *q)
{
    sh_say(s, "  %lld membership quer%s (%lld more answered from memory), %lld guess%s", q->asked,
           q->asked == 1 ? "y" : "ies", q->repeated, q->guesses, q->guesses == 1 ? "" : "es");
    if (q->counterexamples)
        sh_say(s, ", %lld counterexample%s of at most %d symbol%s", q->counterexamples,
               plural(q->counterexamples), q->longest, plural(q->longest));
    sh_say(s, "\n");
    if (q->limited)
        sh_say(s, "  a limit was reached: the last guess is kept\n");
}

static void say_merging(ShSession *s, const ShLearned *l)
{
    const ThRpniReport *m = &l->merging;
    sh_say(s, "  %zu labelled word%s, a tree of %zu state%s, %lld merge%s of %lld tried\n",
           l->words, plural((long long)l->words), m->tree, plural((long long)m->tree), m->merges,
           plural(m->merges), m->tried);
}

static void say_disagreement(ShSession *s, const ShCall *call, const ShLearned *l)
{
    if (l->exact) {
        sh_say(s, "  the oracle agrees on every word\n");
        return;
    }
    double share = (double)l->wrong / (double)l->samples;
    ThRange length = th_option_range(&call->options, "length");
    sh_say(s, "  disagreement %.4g (95 %% interval %.4g to %.4g) on ", share, l->low, l->high);
    if (call->form == 2)
        sh_say(s, "the labelled words\n");
    else
        sh_say(s, "%lld words of %lld to %lld symbols\n", l->samples, length.lo, length.hi);
}

void sh_learned_report(ShSession *s, const ShCall *call, const ShLearned *l, const char *name)
{
    size_t states, transitions;
    if (!l->automaton) /* nothing was learned */
        return;
    th_automaton_size(l->automaton, &states, &transitions);
    sh_say(s, "%s: %zu state%s, %zu transition%s\n", name, states, plural((long long)states),
           transitions, plural((long long)transitions));
    if (call->form != 2)
        say_queries(s, &l->queries);
    if (l->merged)
        say_merging(s, l);
    say_disagreement(s, call, l);
    sh_result_int(s, "states", (long long)states);
    sh_result_int(s, "transitions", (long long)transitions);
    sh_result_int(s, "symbols", l->automaton->n_symbols);
    sh_result_int(s, "queries", l->queries.asked);
    sh_result_int(s, "guesses", l->queries.guesses);
    sh_result_int(s, "counterexamples", l->queries.counterexamples);
    sh_result_int(s, "merges", l->merging.merges);
    sh_result_real(s, "disagreement", l->exact ? 0 : (double)l->wrong / (double)l->samples);
    sh_result_real(s, "low", l->exact ? 0 : l->low);
    sh_result_real(s, "high", l->exact ? 0 : l->high);
}

SH_COMMAND(
    learn, .group = "automata", .summary = "learn an automaton by asking, or from labelled words",
    .detail =
        "From an automaton, a task or a trained model, by membership and equivalence queries: "
        "Angluin's L* with Rivest and Schapire's treatment of counterexamples.  An automaton and a "
        "task say themselves whether a guess is right.  A model cannot, so words are drawn: "
        "with the given confidence the result is wrong on a share below `error` of the words of "
        "the given lengths; short words, and words through every state of the guess, are tried "
        "first.  What a model answers after the last symbol of a word becomes the output "
        "of a state: a class, or the whole set where it answers with the symbols that may follow; "
        "unless the classes are reject and accept, or accept=CLASS names one: then that makes a "
        "language (accept=end: the words that may end).\n\n"
        "From a file, by merging states of the tree of its words as long as no word gets two "
        "labels, those with the most agreeing labels first (RPNI with evidence-driven merging).  "
        "A line of the file is a word and its label, separated by blanks: abba 1.  The last field "
        "is the label.  If some word has several fields, each is a symbol: s1 a6 L 1.  "
        "Otherwise each character is.  A label alone, or behind \"\", is about the empty word.  "
        "Lines that begin with # and a blank are comments.  Labels 1 + accept yes true and "
        "0 - reject no false make a language; any others become the outputs of states.  What no "
        "word tells about is rejected.\n\n"
        "With noise=P an automaton is accepted if it is wrong on a share of at most P of the "
        "words drawn, and at the limit of states the last guess is kept.  As wrong answers may "
        "lead "
        "the questions astray, words are then drawn and merged, too, contradictions being allowed "
        "at a price.  The smaller automaton is the result if both are tolerated, else the one that "
        "is wrong less.  The disagreement is measured on words "
        "drawn afterwards (of a file: on its own words), with the interval of Clopper and Pearson.",
    .example = "automaton p = parity\n"
               "learn q from p\n"
               "#> q: 2 states, 4 transitions\n"
               "#>   5 membership queries (0 more answered from memory), 1 guess\n"
               "#>   the oracle agrees on every word\n"
               "compare p q\n"
               "#> equivalent",
    .results = "states transitions symbols queries guesses counterexamples merges disagreement low "
               "high",
    .args = {{A_NEW, "A", 0}, {A_KEYWORD, "from", 0}, {A_OBJECT, "ORACLE", 0}},
    .args2 = {{A_NEW, "A", 0}, {A_KEYWORD, "from", 0}, {A_FILE, "FILE", 0}},
    .options = sh_learn_options)
{
    ShLearned l;
    const ShOperand *name = &call->operand[0];
    if (!sh_learn_call(s, call, &call->operand[1], NULL, &l, err))
        return false;
    if (!sh_define(s, name->text, SH_AUTOMATON, l.automaton, NULL, err))
        return sh_error_inside(err, name);
    sh_learned_report(s, call, &l, name->text);
    return true;
}
