/* verify.c - whether a model answers as a machine does, and on which words not. */

#include "commands/inspection/writing_options.h"
#include "commands/languages/languages.h"

static const ThOptionSpec options[] = {
    {"length", TH_RANGE, "1..40", 1, 100000, NULL, "lengths of the words"},
    {"words", TH_INT, "100000", 0, 1e12, NULL,
     "as long as no more than so many were read, all words of a length are"},
    {"samples", TH_INT, "100", 0, 1e9, NULL, "words drawn of each other length"},
    {"accept", TH_STRING, NULL, 0, 0, NULL,
     "the class of the model, or of sets the symbol or end, that an automaton accepts"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the words drawn; default: set seed"},
    TH_LANGUAGE_STEPS_OPTION,
    SH_WINDOW_OPTIONS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static void show_tried(void *context, long long words, int length)
{
    sh_progress(context, "%lld words read, of %d symbols now", words, length);
}

bool sh_find_truth(ThInspectTruth *t, const ThSignature *g, const ShOperand *against,
                   const char *accept, ThError *err)
{
    const ShObject *o = against->object;
    bool ok;
    if (o->kind == SH_TASK && accept)
        ok = th_fail(err, TH_EUSAGE, "accept= is for automata: a task has classes");
    else if (o->kind == SH_TASK)
        ok = th_inspect_truth_of_task(t, g, o->as.task, err);
    else if (o->kind == SH_AUTOMATON)
        ok = th_inspect_truth_of_automaton(t, g, o->as.automaton, accept, err);
    else
        ok = th_fail(err, TH_EVALUE, "'%s' is no automaton and no task", against->text);
    return ok || sh_error_inside(err, against);
}

/* The same, with languages, machines and s-ops, which need no automaton. */
static bool find_any_truth(ShSession *s, ThInspectTruth *t, const ThSignature *g,
                           const ShCall *call, ThError *err)
{
    const ShOperand *against = &call->operand[1];
    const ShObject *o = against->object;
    const char *accept = th_option_text(&call->options, "accept");
    ThLanguageAlphabet symbols = {g->symbol, g->n_symbols};
    ThAutomaton *a TH_OWNED(th_automaton_free) = NULL;
    if (o->kind != SH_LANGUAGE && o->kind != SH_MACHINE && o->kind != SH_S_OP)
        return sh_find_truth(t, g, against, accept, err);
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(s, o, &call->options, &symbols, err);
    bool ok = l && th_language_automaton(l, &a, sh_stop(s), err) &&
              (a ? th_inspect_truth_of_automaton(t, g, a, accept, err)
                 : th_inspect_truth_of_language(t, g, l, accept, err));
    return ok || sh_error_inside(err, against);
}

/* ---- the word -------------------------------------------------------------------------------- */

/* Returns new: answers as text. */
static char *answer_text(const ThInspectTruth *t, const int *answer, ThError *err)
{
    ThText text = {0};
    th_inspect_truth_write(t, answer, &text);
    return th_text_take(&text, err);
}

/* What both say after every prefix of a word; a model that answers whole strings reads each. */
static bool show_prefixes(ShSession *s, const ThModel *m, const ThInspectTruth *t,
                          const ThInspectVerified *v, ThError *err)
{
    const ThSignature *g = &m->signature;
    const ThDfa *d = t->machine;
    bool final = g->target == TH_TARGET_FINAL, ok = true;
    size_t width = g->target == TH_TARGET_BITS ? (size_t)g->n_classes : 1;
    int *answer TH_OWNED(free) = th_alloc((size_t)v->n_word * width, sizeof *answer, err),
                q = d->start;
    if (!answer || !th_lab_predict(m, v->word, v->n_word, answer, err))
        return false;
    sh_table(s, "runs", "position:i symbol:s state:i due:s said:s");
    for (int i = 0; ok && i < v->n_word; i++) {
        q = d->next[q * d->n_symbols + v->word[i]];
        int *said = final ? answer : answer + (size_t)i * width;
        ok = !final || th_lab_predict(m, v->word, i + 1, answer, err);
        int own = t->wanted >= 0 ? (width > 1 ? said[t->wanted] : *said == t->wanted) : 0;
        char *text TH_OWNED(free) = ok ? answer_text(t, t->wanted >= 0 ? &own : said, err) : NULL;
        char *due TH_OWNED(free) = text ? answer_text(t, t->answer + q * t->width, err) : NULL;
        ok = due != NULL;
        if (ok)
            sh_row(s, (long long)i + 1, g->symbol[v->word[i]], (long long)q, due, text);
    }
    sh_table_end(s);
    return ok;
}

/* The word, and what the two make of it. */
static bool say_word(ShSession *s, const ShCall *call, const ThInspectTruth *t,
                     const ThInspectVerified *v, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    char *word TH_OWNED(free) =
        th_symbols_text(m->signature.symbol, m->signature.n_symbols, v->word, v->n_word, err);
    char *due TH_OWNED(free) = word ? answer_text(t, v->due, err) : NULL;
    char *said TH_OWNED(free) = due ? answer_text(t, v->said, err) : NULL;
    if (said) {
        sh_say(s, "they differ on %s", word);
        if (m->signature.target == TH_TARGET_FINAL)
            sh_say(s, "\n");
        else
            sh_say(s, ", at symbol %d\n", v->at + 1);
        sh_say(s, "  %s says %s\n  %s says %s\n", call->operand[0].text, said,
               call->operand[1].text, due);
        sh_results(s, "word:s due:s said:s at:i shortest:b", word, due, said, (long long)v->at + 1,
                   v->shortest);
    }
    return said && (t->language || show_prefixes(s, m, t, v, err));
}

/* A prompt with what is to be written behind it, and what was. */
static bool say_prompt(ShSession *s, const ShCall *call, const ThInspectVerified *v, ThError *err)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    char *word TH_OWNED(free) = th_symbols_text(g->symbol, g->n_symbols, v->word, v->n_word, err);
    char *due TH_OWNED(free) =
        word ? th_symbols_text(g->symbol, g->n_symbols, v->due, v->n_due, err) : NULL;
    char *said TH_OWNED(free) =
        due ? th_symbols_text(g->symbol, g->n_symbols, v->said, v->n_said, err) : NULL;
    if (!said)
        return false;
    sh_say(s, "they differ on %s\n  %s writes %s\n  %s writes %s\n  %s\n", word,
           call->operand[0].text, said, call->operand[1].text, due, v->what);
    sh_results(s, "word:s due:s said:s at:i shortest:b", word, due, said, (long long)v->at + 1,
               v->shortest);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void show_lengths(ShSession *s, const ThInspectVerified *v)
{
    sh_table(s, "lengths", "length:i words:i wrong:i all:b");
    for (int i = 0; i < v->n; i++) {
        const ThInspectVerifiedLength *l = &v->length[i];
        sh_row(s, (long long)l->length, l->words, l->wrong, (int)l->all);
    }
    sh_table_end(s);
}

/* What the words are called: prompts where a task asks for texts. */
static const char *noun(const ThInspectVerified *v, long long n)
{
    static const char *const names[2][2] = {{"word", "words"}, {"prompt", "prompts"}};
    return names[v->texts][n != 1];
}

/* The lengths of which all words were read: 1 to 9, or with gaps 1..9:2. */
static const char *whole_lengths(const ThInspectVerified *v, char *to, size_t size)
{
    int first = v->length[0].length;
    if (v->step == 1)
        snprintf(to, size, "%d to %d", first, v->all);
    else
        snprintf(to, size, "%d..%d:%d", first, v->all, v->step);
    return to;
}

static void say_counts(ShSession *s, const ThInspectVerified *v, bool agree)
{
    char of[64];
    int last = v->length[v->n - 1].length;
    const char *of_length = v->texts ? "length " : "", *symbols = v->texts ? "" : " symbols";
    if (v->open)
        sh_say(s, "%lld word%s got no answer\n", v->open, sh_plural(v->open));
    if (v->words > 0 && agree)
        sh_say(s, "they agree on %s %lld %s of %s%s%s\n", v->open ? "all others of the" : "all",
               v->words, noun(v, v->words), of_length, whole_lengths(v, of, sizeof of), symbols);
    else if (v->words > 0)
        sh_say(s, "%lld of all %lld %s of %s%s%s are wrong\n", v->wrong, v->words,
               noun(v, v->words), of_length, whole_lengths(v, of, sizeof of), symbols);
    if (v->drawn == 0)
        return;
    ThStatsInterval share = th_stats_share((double)v->drawn_wrong, (double)v->drawn);
    sh_say(s, "%lld of %lld drawn of up to %d differ (95 %% interval of the share %.4g to %.4g)\n",
           v->drawn_wrong, v->drawn, last, share.low, share.high);
}

static void set_figures(ShSession *s, const ThInspectVerified *v)
{
    sh_results(s, "agree:b words:i wrong:i all:i drawn:i drawn_wrong:i open:i",
               v->word == NULL && v->open == 0, (long long)v->words, (long long)v->wrong,
               (long long)v->all, (long long)v->drawn, (long long)v->drawn_wrong, v->open);
    if (!v->word)
        sh_result_text(s, "word", "");
}

/* Defines the automaton of the wrong words, the operand behind `as`. */
static bool define_errors(ShSession *s, const ShCall *call, const ThInspectVerified *v,
                          ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ShOperand *name = &call->operand[2];
    if (v->words == 0)
        return sh_fail_operand(err, name, TH_EVALUE, "of no length were all words read") ||
               th_hint(err, "words= says how many may be");
    if (!v->errors)
        return sh_fail_operand(err, name, TH_ELIMIT, "the wrong words take too many states") ||
               th_hint(err, "set limit-states, or words=, says how many there may be");
    ThAutomaton *a = th_automaton_from_dfa(v->errors, m->signature.symbol, err);
    size_t states = 0, transitions = 0;
    char of[64];
    if (a)
        th_automaton_size(a, &states, &transitions);
    if (!a || !sh_define(s, name->text, SH_AUTOMATON, a, NULL, err))
        return sh_error_inside(err, name);
    sh_say(s, "%s, the wrong words of %s symbols: %zu state%s, %zu transition%s\n", name->text,
           whole_lengths(v, of, sizeof of), states, sh_plural(states), transitions,
           sh_plural(transitions));
    sh_results(s, "states:i transitions:i", (long long)states, (long long)transitions);
    return true;
}

static bool report(ShSession *s, const ShCall *call, const ThInspectTruth *t,
                   const ThInspectVerified *v, ThError *err)
{
    set_figures(s, v);
    if (v->word && !(v->texts ? say_prompt(s, call, v, err) : say_word(s, call, t, v, err)))
        return false;
    if (!sh_out(s))
        show_lengths(s, v);
    say_counts(s, v, v->word == NULL);
    return call->form == 1 || define_errors(s, call, v, err);
}

/* A task that asks for texts, which the model writes by itself. */
static bool compare_texts(ShSession *s, const ShCall *call, ThInspectVerification *how,
                          ThError *err)
{
    const ThTask *task = call->operand[1].object->as.task;
    ThInspectVerified v TH_OWNED(th_inspect_verified_free) = {0};
    ThLabTrialsPlan plan = {
        .model = call->operand[0].object->as.model, .task = task, .threads = sh_threads(s)};
    sh_set_window(&plan.how, &call->options);
    if (!plan.model->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the model has no alphabet before it is trained");
    if (call->form == 2)
        return sh_fail_operand(err, &call->operand[2], TH_EVALUE,
                               "the texts that are wrong are no automaton");
    if (th_option_given(&call->options, "accept"))
        return th_fail(err, TH_EUSAGE, "accept= is for automata: a task has classes");
    if (!th_option_given(&call->options, "length"))
        how->length = th_task_lengths(task, how->length);
    return (th_inspect_verify_texts(&plan, how, &v, err) ||
            sh_error_inside(err, &call->operand[1])) &&
           report(s, call, NULL, &v, err);
}

SH_COMMAND(
    compare_models, .alias = "verify", .group = "inspection",
    .summary = "tell whether a model answers as an automaton, another language or a task does, "
               "word by word",
    .detail =
        "compare MODEL A is the same, and compare A MODEL: a name of a model says what is meant.  "
        "$agree says that no word that was read is answered otherwise; nothing is proved by it, "
        "see certify.\n\n"
        "All words of the lengths are read, the shortest first, as long as no more than words= of "
        "them were; of longer ones samples= of each length are drawn, all words of a length being "
        "equally likely.  Each is read by itself, so that what is said of it is what run says, and "
        "does not depend on the others.  Only words about which something is asked count: of a "
        "task that is about words of some form, those.  The empty word is no input.\n\n"
        "A word is wrong if any answer to it is: of a model that answers whole strings there is "
        "one, of others one at every position.  The first wrong word is shown with what is due and "
        "what the model says after each of its prefixes, and the state of the machine; where all "
        "shorter words were read, it is the shortest and first in order ($shortest).  json and csv "
        "have a row for every length.\n\n"
        "A task has the model's answers.  An automaton accepts where the model's classes are "
        "reject and accept, or where accept= names the class that it accepts; to a model that "
        "answers with sets it says which symbols may follow; to others its outputs are classes, or "
        "where it has none, the names of its states.  A grammar, another language, a machine or an "
        "s-op accepts or rejects; words that it gives no answer to are counted ($open), and then "
        "they do not agree.\n\n"
        "Of a task that asks for texts (copies, scratchpads) the model writes by itself behind "
        "every prompt, as in evaluate, and the task judges.  A length has all the prompts that the "
        "task can draw, each as often as there are ways to, unless hints or noise make them too "
        "many; without length= the lengths are those of training.\n\n"
        "With as BUG the wrong words of the lengths that were read whole become an automaton, the "
        "minimal one: plot automaton BUG draws it, words BUG lists them.",
    .example = "compile parity as m prove=no > \"said.txt\"\n"
               "compare m parity length=1..12\n"
               "#> they agree on all 8190 words of 1 to 12 symbols\n"
               "compare m regex \"(b*ab*ab*)*|a*\" length=1..6 as bug > \"found.txt\"\n"
               "assert not agree and shortest and word == \"bb\"\n"
               "shortest bug\n"
               "#> accepts bb\n"
               "#> rejects the empty word",
    .results = "agree word due said at shortest words wrong all drawn drawn_wrong open states "
               "transitions",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "against", A_OPTIONAL | A_SILENT},
             {A_OBJECT, "A", 0}},
    .args2 = {{A_MODEL, "MODEL", 0},
              {A_KEYWORD, "against", A_OPTIONAL | A_SILENT},
              {A_OBJECT, "A", 0},
              {A_KEYWORD, "as", 0},
              {A_NEW, "BUG", 0}},
    .options = options, .flags = C_PAGED | C_BY_KIND)
{
    const ThOptions *o = &call->options;
    ThInspectVerification how = {.length = th_option_range(o, "length"),
                                 .words = th_option_int(o, "words"),
                                 .samples = (int)th_option_int(o, "samples"),
                                 .seed = (uint64_t)sh_seed(s, o),
                                 .stop = sh_stop(s),
                                 .context = s,
                                 .progress = show_tried};
    ThInspectTruth t TH_OWNED(th_inspect_truth_free) = {0};
    ThInspectVerified v TH_OWNED(th_inspect_verified_free) = {0};
    if (call->form == 2)
        how.most_nodes = (size_t)sh_setting_int(s, "limit-states");
    const ThModel *m = call->operand[0].object->as.model;
    const ShObject *against = call->operand[1].object;
    if (against->kind == SH_TASK && th_lab_can_try(against->as.task))
        return compare_texts(s, call, &how, err);
    if (th_option_given(o, "window") || th_option_given(o, "hop"))
        return th_fail(err, TH_EUSAGE, "window= and hop= are of tasks that ask for texts");
    bool ok =
        find_any_truth(s, &t, &m->signature, call, err) &&
        (th_inspect_verify(m, &t, &how, &v, err) || sh_error_inside(err, &call->operand[0])) &&
        report(s, call, &t, &v, err);
    return ok;
}
