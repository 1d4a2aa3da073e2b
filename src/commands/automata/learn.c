/* learn.c - learning automata: from an oracle by asking, from labelled words by merging. */
#include "commands/automata/learn.h"

#include "commands/languages/languages.h"
#include "commands/modelling.h"
#include "rasp.h"

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
     "the class of the empty word, which a model or an s-op cannot read; default: the first class, "
     "reject, {} of sets"},
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "the symbols of a file's words in order; default: those used, in the order of their bytes; "
     "what an s-op is asked about: default ab; a machine: its symbols but the blank"},
    TH_LANGUAGE_STEPS_OPTION,
    {"flip", TH_REAL, "0", 0, 0.49, NULL,
     "share of words that an oracle is made to answer wrongly, to see what noise does"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the words drawn; default: set seed"},
    {0},
};

/* ---- watching -------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ShLearnWatch *watch; /* or NULL */
    const ThInspectExtracted *so_far;
    long long steps;
} Watch;

static void show_asked(void *context, long long words)
{
    const Watch *w = context;
    sh_progress(w->s, "%lld words asked for, %d states", words, w->so_far->queries.states);
}

static void query_step(void *context, const ThInspectTeacher *teacher, const ThLstarStep *step)
{
    const Watch *w = context;
    if (w->watch && w->watch->query)
        w->watch->query(w->watch->context, teacher, step);
}

static void merge_step(void *context, char *const *symbol, int n_symbols, const ThRpniStep *step)
{
    Watch *w = context;
    sh_progress(w->s, "%lld decisions, %d state%s", ++w->steps, step->state,
                sh_plural(step->state));
    if (w->watch && w->watch->merge)
        w->watch->merge(w->watch->context, symbol, n_symbols, step);
}

static ThInspectExtraction extraction_of(const ShCall *call, Watch *w)
{
    const ThOptions *o = &call->options;
    long long states = th_option_int(o, "states"), most = sh_setting_int(w->s, "limit-states");
    return (ThInspectExtraction){.states = (int)(states ? states : most),
                                 .queries = th_option_int(o, "queries"),
                                 .noise = th_option_real(o, "noise"),
                                 .samples = th_option_int(o, "samples"),
                                 .stop = sh_stop(w->s),
                                 .context = w,
                                 .query = query_step,
                                 .merge = merge_step};
}

/* ---- from what ------------------------------------------------------------------------------- */

/* The text with a label behind every line that is neither empty nor a comment. */
static char *add_labels(const char *text, ThError *err)
{
    ThText t = {0};
    while (*text) {
        size_t n = strcspn(text, "\n"), blank = strspn(text, " \t\r");
        bool comment = text[blank] == '#' && strchr(" \t\r\n", text[blank + 1]);
        th_text_printf(&t, "%.*s%s\n", (int)n, text, blank < n && !comment ? " 1" : "");
        text += n + (text[n] == '\n');
    }
    return th_text_take(&t, err);
}

bool sh_read_words(const ShOperand *file, const ShWordsFile *how, ThWordsLabelled *l, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    size_t size;
    char *text TH_OWNED(free) = th_file_read(file->text, MOST_BYTES, &size, err), *own_text = NULL;
    if (!text)
        return false;
    ThError own = {0};
    bool ok = strlen(text) == size || th_fail(&own, TH_EPARSE, "the file holds a zero byte");
    ok = ok && (!how->bare || (own_text = add_labels(text, &own)));
    ok = ok && th_words_labelled_read(l, own_text ? own_text : text, how->alphabet, how->consistent,
                                      &own);
    free(own_text);
    if (!ok && own.line > 0) {
        sh_fail_operand(err, file, own.code, "%s:%d:%d: %s", file->text, own.line, own.col,
                        own.msg);
        if (*own.hint)
            th_hint(err, "%s", own.hint);
    } else if (!ok) {
        sh_fail_operand(err, file, own.code, "%s: %s", file->text, own.msg);
    }
    return ok;
}

static bool learn_file(const ShCall *call, const ShOperand *file, Watch *w, ThInspectExtracted *to,
                       ThError *err)
{
    ThWordsLabelled l TH_OWNED(th_words_labelled_free) = {0};
    ThInspectExtraction how = extraction_of(call, w);
    ShWordsFile of = {.alphabet = th_option_text(&call->options, "alphabet"),
                      .consistent = th_option_real(&call->options, "noise") <= 0};
    return sh_read_words(file, &of, &l, err) && th_inspect_merge(&l, &how, to, err);
}

static ThInspectTeaching teaching_of(const ShCall *call, Watch *w)
{
    const ThOptions *o = &call->options;
    return (ThInspectTeaching){.accept = th_option_text(o, "accept"),
                               .empty = th_option_text(o, "empty"),
                               .length = th_option_range(o, "length"),
                               .error = th_option_real(o, "error"),
                               .confidence = th_option_real(o, "confidence"),
                               .noise = th_option_real(o, "noise"),
                               .flip = th_option_real(o, "flip"),
                               .seed = (uint64_t)sh_seed(w->s, o),
                               .most_states = (size_t)sh_setting_int(w->s, "limit-states"),
                               .stop = sh_stop(w->s),
                               .context = w,
                               .asked = show_asked};
}

static bool no_alphabet(const ShObject *model, ThError *err)
{
    return th_fail(err, TH_EVALUE, "the model '%s' has no alphabet yet", model->name) ||
           th_hint(err, "train it first");
}

static bool make_teacher(ThInspectTeacher *t, const ShObject *from, const ThInspectTeaching *how,
                         ThError *err)
{
    switch (from->kind) {
    case SH_AUTOMATON:
        return th_inspect_teach_automaton(t, from->as.automaton, how, err);
    case SH_TASK:
        return th_inspect_teach_task(t, from->as.task, how, err);
    case SH_MODEL:
        return from->as.model->bound ? th_inspect_teach_model(t, from->as.model, how, err)
                                     : no_alphabet(from, err);
    default:
        return th_fail(err, TH_EVALUE, "'%s' is no automaton, task, model or s-op", from->name);
    }
}

/* A grammar or a machine is asked about words, where no automaton of it is known. */
static bool learn_language(const ShCall *call, const ShObject *from, Watch *w,
                           ThInspectExtracted *to, ThError *err)
{
    ThInspectTeacher t TH_OWNED(th_inspect_teacher_free) = {0};
    ThInspectTeaching teaching = teaching_of(call, w);
    ThInspectExtraction how = extraction_of(call, w);
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(w->s, from, &call->options, NULL, err);
    ThAutomaton *a TH_OWNED(th_automaton_free) = NULL;
    return l && th_language_automaton(l, &a, sh_stop(w->s), err) &&
           (a ? th_inspect_teach_automaton(&t, a, &teaching, err)
              : th_inspect_teach_language(&t, l, &teaching, err)) &&
           th_inspect_extract(&t, &how, to, err);
}

static bool learn_oracle(const ShCall *call, const ShObject *from, Watch *w, ThInspectExtracted *to,
                         ThError *err)
{
    ThInspectTeacher t TH_OWNED(th_inspect_teacher_free) = {0};
    ThInspectTeaching teaching = teaching_of(call, w);
    ThInspectExtraction how = extraction_of(call, w);
    return make_teacher(&t, from, &teaching, err) && th_inspect_extract(&t, &how, to, err);
}

/* An s-op is asked about words over an alphabet. */
static bool learn_program(const ShCall *call, const ShObject *from, Watch *w,
                          ThInspectExtracted *to, ThError *err)
{
    ThInspectTeacher t TH_OWNED(th_inspect_teacher_free) = {0};
    ThInspectTeaching teaching = teaching_of(call, w);
    ThInspectExtraction how = extraction_of(call, w);
    bool given = th_option_given(&call->options, "alphabet");
    ThRaspValue v = {0};
    int n = 0;
    if (!sh_rasp_value_of(w->s, from, &v, err))
        return false;
    ThRaspWords program = {th_rasp_graph(w->s->rasp), v.as.sop, NULL, sh_stop(w->s)};
    char **name =
        th_symbols_list(given ? th_option_text(&call->options, "alphabet") : "ab", false, &n, err);
    ThRaspAtom *letter = name ? th_rasp_letters(program.graph, name, n, err) : NULL;
    program.letter = letter;
    bool ok = letter && th_inspect_teach_program(&t, &program, name, n, &teaching, err) &&
              th_inspect_extract(&t, &how, to, err);
    TH_FREE(letter, name);
    return ok;
}

/* Fails at an option that says nothing about what is learned from. */
static bool options_fit(const ShCall *call, const ShOperand *from, ThError *err)
{
    static const struct {
        const char *option, *about;
        bool model, task, automaton, file, sop, machine;
    } fits[] = {{"accept", "tasks and models", true, true, false, false, false, false},
                {"empty", "models and s-ops", true, false, false, false, true, false},
                {"alphabet", "files, s-ops and machines", false, false, false, true, true, true},
                {"steps", "machines", false, false, false, false, false, true},
                {"flip", "oracles", true, true, true, false, true, true},
                {"queries", "oracles", true, true, true, false, true, true}};
    bool file = call->form == 2;
    ShKind kind = file ? SH_AUTOMATON : from->object->kind;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        bool fit = file                 ? fits[i].file
                   : kind == SH_MODEL   ? fits[i].model
                   : kind == SH_TASK    ? fits[i].task
                   : kind == SH_S_OP    ? fits[i].sop
                   : kind == SH_MACHINE ? fits[i].machine
                                        : fits[i].automaton;
        if (!fit && th_option_given(&call->options, fits[i].option))
            return th_fail(err, TH_EVALUE, "%s= is about learning from %s", fits[i].option,
                           fits[i].about);
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

bool sh_learn_call(ShSession *s, const ShCall *call, const ShOperand *from,
                   const ShLearnWatch *watch, ThInspectExtracted *to, ThError *err)
{
    Watch w = {.s = s, .watch = watch, .so_far = to};
    *to = (ThInspectExtracted){0};
    if (call->form == 2 && !from->quoted) {
        sh_need_object(s, from->text, -1, err);
        return sh_error_inside(err, from);
    }
    bool ok = options_fit(call, from, err) &&
              (call->form == 2                 ? learn_file(call, from, &w, to, err)
               : from->object->kind == SH_S_OP ? learn_program(call, from->object, &w, to, err)
               : from->object->kind == SH_LANGUAGE || from->object->kind == SH_MACHINE
                   ? learn_language(call, from->object, &w, to, err)
                   : learn_oracle(call, from->object, &w, to, err));
    if (!ok && err && err->line == 0)
        sh_error_inside(err, from);
    return ok;
}

static void say_queries(ShSession *s, const ThLstarReport *q)
{
    sh_say(s, "  %lld membership quer%s (%lld more answered from memory), %lld guess%s", q->asked,
           q->asked == 1 ? "y" : "ies", q->repeated, q->guesses, q->guesses == 1 ? "" : "es");
    if (q->counterexamples)
        sh_say(s, ", %lld counterexample%s of at most %d symbol%s", q->counterexamples,
               sh_plural(q->counterexamples), q->longest, sh_plural(q->longest));
    sh_say(s, "\n");
    if (q->limited)
        sh_say(s, "  a limit was reached: the last guess is kept\n");
}

static void say_merging(ShSession *s, const ThInspectExtracted *l)
{
    const ThRpniReport *m = &l->merging;
    sh_say(s, "  %zu labelled word%s, a tree of %zu state%s, %lld merge%s of %lld tried\n",
           l->words, sh_plural(l->words), m->tree, sh_plural(m->tree), m->merges,
           sh_plural(m->merges), m->tried);
}

static void say_disagreement(ShSession *s, const ShCall *call, const ThInspectExtracted *l)
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
        sh_say(s, "%lld words of %lld to %lld symbol%s\n", l->samples, length.lo, length.hi,
               sh_plural(length.hi));
}

void sh_learned_report(ShSession *s, const ShCall *call, const ThInspectExtracted *l,
                       const char *name)
{
    size_t states, transitions;
    if (!l->automaton) /* nothing was learned */
        return;
    th_automaton_size(l->automaton, &states, &transitions);
    sh_say(s, "%s: %zu state%s, %zu transition%s\n", name, states, sh_plural(states), transitions,
           sh_plural(transitions));
    if (call->form != 2)
        say_queries(s, &l->queries);
    if (l->merged)
        say_merging(s, l);
    say_disagreement(s, call, l);
    sh_results(s,
               "states:i transitions:i symbols:i queries:i guesses:i counterexamples:i merges:i "
               "disagreement:r low:r high:r",
               (long long)states, (long long)transitions, (long long)l->automaton->n_symbols,
               (long long)l->queries.asked, (long long)l->queries.guesses,
               (long long)l->queries.counterexamples, (long long)l->merging.merges,
               l->exact ? 0 : (double)l->wrong / (double)l->samples, l->exact ? 0 : l->low,
               l->exact ? 0 : l->high);
}

SH_COMMAND(
    learn, .group = "automata", .summary = "learn an automaton by asking, or from labelled words",
    .detail =
        "From an automaton, a task or a trained model, by membership and equivalence queries: "
        "Angluin's L* with Rivest and Schapire's treatment of counterexamples.  An automaton, a "
        "regular grammar and a task say themselves whether a guess is right.  A model cannot, so "
        "words are drawn: with the given confidence the result is wrong on a share below `error` "
        "of the words of the given lengths; short words, and words through every state of the "
        "guess, are tried first.  What a model answers after the last symbol of a word becomes the "
        "output of a state: a class, or the whole set where it answers with the symbols that may "
        "follow; unless the classes are reject and accept, or accept=CLASS names one: then that "
        "makes a language (accept=end: the words that may end).\n\n"
        "From an s-op of RASP that gives truth values, what it gives at the last position of a "
        "word over the alphabet says whether the word belongs to the language; it is asked as a "
        "model is.\n\n"
        "From a file, by merging states of the tree of its words as long as no word gets two "
        "labels, those with the most agreeing labels first (RPNI with evidence-driven merging).  A "
        "line of the file is a word and its label, separated by blanks: abba 1.  The last field is "
        "the label.  If some word has several fields, each is a symbol: s1 a6 L 1.  Otherwise each "
        "character is.  A label alone, or behind \"\", is about the empty word.  Lines that begin "
        "with # and a blank are comments, and a first line input answer, as sample writes it, is a "
        "heading.  Labels 1 + accept yes true and 0 - reject no false make a language; any others "
        "become the outputs of states.  What no word tells about is rejected.\n\n"
        "With noise=P an automaton is accepted if it is wrong on a share of at most P of the words "
        "drawn, and at the limit of states the last guess is kept.  As wrong answers may lead the "
        "questions astray, words are then drawn and merged, too, contradictions being allowed at a "
        "price.  The smaller automaton is the result if both are tolerated, else the one that is "
        "wrong less.  The disagreement is measured on words drawn afterwards (of a file: on its "
        "own words), with the interval of Clopper and Pearson.",
    .example = "automaton p = parity\n"
               "learn q from p\n"
               "#> q: 2 states, 4 transitions\n"
               "#>   5 membership queries (0 more answered from memory), 1 guess\n"
               "#>   the oracle agrees on every word\n"
               "compare p q\n"
               "#> equivalent",
    .results =
        "states transitions symbols queries guesses counterexamples merges disagreement low high",
    .args = {{A_NEW, "A", 0}, {A_KEYWORD, "from", 0}, {A_OBJECT, "ORACLE", 0}},
    .args2 = {{A_NEW, "A", 0}, {A_KEYWORD, "from", 0}, {A_FILE, "FILE", 0}},
    .options = sh_learn_options)
{
    ThInspectExtracted l;
    const ShOperand *name = &call->operand[0];
    if (!sh_learn_call(s, call, &call->operand[1], NULL, &l, err))
        return false;
    if (!sh_define(s, name->text, SH_AUTOMATON, l.automaton, NULL, err))
        return sh_error_inside(err, name);
    sh_learned_report(s, call, &l, name->text);
    return true;
}
