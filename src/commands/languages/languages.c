/* languages.c - grammars and the like: showing and running them, and what else is a language. */
#include <math.h>

#include "commands/languages/languages.h"

#include "object_kinds.h"
#include "rasp.h"
#include "terminal/confirm.h"

void sh_language_figures(ShSession *s, const ThLanguage *l)
{
    int n;
    th_language_symbols(l, &n);
    sh_result_int(s, "symbols", n);
}

bool sh_show_language(ShSession *s, const ShObject *o, ThError *err)
{
    ThText t = {0};
    if (o->made_by)
        th_text_printf(&t, "language %s = %s\n", o->name, o->made_by);
    else
        th_language_write(&t, o->as.language, sh_shown_name(o));
    char *text TH_OWNED(free) = th_text_take(&t, err);
    if (!text)
        return false;
    sh_language_figures(s, o->as.language);
    fputs(text, sh_listing(s));
    return true;
}

/* ---- as languages ---------------------------------------------------------------------------- */

static ThLanguage *of_program(ShSession *s, const ShObject *o, const ThLanguageAlphabet *alphabet,
                              ThError *err)
{
    static char a[] = "a", b[] = "b", *const ab[] = {a, b};
    ThText source TH_OWNED(th_text_free) = {0};
    ShObject *object = sh_find(s, o->name);
    bool ok = object || th_fail(err, TH_EUSAGE, "an s-op that is a language needs a name");
    ok = ok && sh_rasp_write_objects(s, &source, &object, 1, err);
    return ok ? th_language_of_program(source.data ? source.data : "", o->name,
                                       alphabet ? alphabet : &(ThLanguageAlphabet){ab, 2}, err)
              : NULL;
}

enum { STEPS = 10000 };

const ThOptionSpec sh_language_options[] = {
    TH_LANGUAGE_ALPHABET_OPTION, TH_LANGUAGE_STEPS_OPTION, {0}};

/* An object with what is asked of machines and s-ops: the alphabet (NULL: as below) and steps. */
static ThLanguage *language_of(ShSession *s, const ShObject *o, const ThLanguageAlphabet *alphabet,
                               long long steps, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    switch (o->kind) {
    case SH_S_OP:
        return of_program(s, o, alphabet, err);
    case SH_MACHINE:
        return th_language_of_machine(o->as.machine, alphabet, (uint64_t)steps, sh_stop(s), err);
    case SH_LANGUAGE:
        return th_language_share(o->as.language);
    case SH_AUTOMATON:
        return th_language_of_automaton(o->as.automaton, limit, sh_stop(s), err);
    default:
        th_fail(err, TH_EUSAGE, "'%s' is %s, and no language", o->name, sh_a_kind(o->kind));
        return NULL;
    }
}

ThLanguage *sh_language_of(ShSession *s, const ShObject *o, ThError *err)
{
    return language_of(s, o, NULL, STEPS, err);
}

static bool given(const ThOptions *o, const char *name)
{
    return th_option_known(o, name) && th_option_given(o, name);
}

/* Does a machine have all these symbols? */
static bool reads(const ShObject *o, const ThLanguageAlphabet *alphabet)
{
    const ThTm *m = o->kind == SH_MACHINE ? o->as.machine : NULL;
    if (alphabet->n == 0)
        return false;
    for (int i = 0; m && i < alphabet->n; i++)
        if (th_symbols_find(m->symbol, m->n_symbols, alphabet->name[i]) < 0)
            return false;
    return true;
}

/* Are options given that are for other objects? */
static bool only_asked(const ShObject *o, const ThOptions *options, ThError *err)
{
    if (o->kind != SH_MACHINE && given(options, "steps"))
        return th_fail(err, TH_EUSAGE, "steps= is for machines");
    return o->kind == SH_MACHINE || o->kind == SH_S_OP || !given(options, "alphabet") ||
           th_fail(err, TH_EUSAGE, "alphabet= is for machines and s-ops");
}

/* alphabet= as names, of which *names is the room; none where it is not given. */
static bool read_alphabet(const ThOptions *options, ThLanguageAlphabet *alphabet, char ***names,
                          ThError *err)
{
    bool own = given(options, "alphabet");
    *names =
        own ? th_symbols_list(th_option_text(options, "alphabet"), false, &alphabet->n, err) : NULL;
    alphabet->name = *names;
    return (!own || *names) &&
           (!own || alphabet->n > 0 || th_fail(err, TH_EVALUE, "alphabet= has no symbol"));
}

ThLanguage *sh_language_with(ShSession *s, const ShObject *o, const ThOptions *options,
                             const ThLanguageAlphabet *beside, ThError *err)
{
    ThLanguageAlphabet alphabet = {0};
    char **names TH_OWNED(free) = NULL;
    if ((!beside && !only_asked(o, options, err)) ||
        !read_alphabet(options, &alphabet, &names, err))
        return NULL;
    const ThLanguageAlphabet *taken = names                        ? &alphabet
                                      : beside && reads(o, beside) ? beside
                                                                   : NULL;
    return language_of(s, o, taken,
                       given(options, "steps") ? th_option_int(options, "steps") : STEPS, err);
}

bool sh_needs_language(ShSession *s, const ShCall *call, bool *needs, ThAutomaton **a, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    *a = NULL;
    *needs = false;
    if (o->kind == SH_AUTOMATON)
        return only_asked(o, &call->options, err);
    ThLanguage *l TH_OWNED(th_language_free) = sh_language_with(s, o, &call->options, NULL, err);
    bool ok = l && th_language_automaton(l, a, sh_stop(s), err);
    *needs = ok && !*a;
    return ok;
}

static const ThOptionSpec language_options[] = {
    TH_LANGUAGE_ALPHABET_OPTION,
    TH_LANGUAGE_STEPS_OPTION,
    {"from", TH_STRING, NULL, 0, 0, NULL,
     "a language over the same symbols from which words are drawn, those that are in both"},
    {"print", TH_STRING, NULL, 0, 0, NULL,
     "of a machine: the state in which it prints the word on its last tape: it has these words"},
    {0}};

/* What an enumerator prints. */
static ThLanguage *printed(ShSession *s, const ShObject *o, const ThOptions *options, ThError *err)
{
    ThLanguageAlphabet alphabet = {0};
    char **names TH_OWNED(free) = NULL;
    if (o->kind != SH_MACHINE)
        return th_null(th_fail(err, TH_EUSAGE, "print= is for machines"));
    if (!read_alphabet(options, &alphabet, &names, err))
        return NULL;
    return th_language_of_enumerator(o->as.machine, th_option_text(options, "print"),
                                     names ? &alphabet : NULL,
                                     (uint64_t)th_option_int(options, "steps"), sh_stop(s), err);
}

/* Makes a language of an object, with options. */
static ThLanguage *made(ShSession *s, const ShCall *call, ThError *err)
{
    const ShObject *o = call->operand[1].object;
    const char *name = th_option_text_or(&call->options, "from", NULL);
    const ShObject *from = name ? sh_need_object(s, name, -1, err) : NULL;
    if (name && !from)
        return NULL;
    ThLanguage *inner = th_option_given(&call->options, "print")
                            ? printed(s, o, &call->options, err)
                            : sh_language_with(s, o, &call->options, NULL, err);
    ThLanguage *outer = inner && from ? sh_language_of(s, from, err) : NULL;
    if (!from)
        return inner;
    ThLanguage *l = outer ? th_language_within(inner, outer, err) : NULL;
    th_language_free(inner);
    th_language_free(outer);
    return l;
}

SH_COMMAND(
    language, .group = "languages", .summary = "make a language of a machine or an s-op",
    .detail =
        "A Turing machine has the words that it accepts (if no state accepts: on which it halts) "
        "as the input of its first tape; what it does not decide within the steps is no member and "
        "no other word: it has no answer, and is counted so.  One that never writes is answered by "
        "its automaton, whatever the steps.  Of an s-op of RASP that gives truth values, what it "
        "gives at the last position of a word says whether the word belongs to the language; the "
        "empty word does not.\n\n"
        "A machine or a named s-op can stand itself where a language is asked for, with these "
        "options at their defaults.  Their words are found by trying all strings, up to two "
        "million of a length, and beyond that by drawing strings until one is a word: with from=G "
        "words of G are drawn.\n\n"
        "With print=STATE a machine is an enumerator: it starts on blank tapes, and whenever it is "
        "in the state the word on its last tape, from the first cell to the first blank, is one of "
        "the language.  What it has not printed within the steps has no answer, unless it has "
        "stopped.  words order=found lists what it prints in that order, and the words of a "
        "machine by dovetailing.\n\n"
        "Some languages of the literature have names, which help automata lists: anbn, shuffle_4, "
        "marked_copy.  Their words are drawn uniformly, those with numbers by the lengths of these "
        "(Butoi et al. 2025).",
    .example = "machine same {\n"
               "  start s ; accept y ; tape two-way\n"
               "  s a -> _ R r ; s _ -> S y\n"
               "  r a,b -> R r ; r _ -> L e ; e b -> _ L l ; l a,b -> L l ; l _ -> R s\n"
               "}\n"
               "grammar pairs { S -> a S b | epsilon }\n"
               "language same_words = same alphabet=\"ab\" steps=500\n"
               "compare same_words pairs length=0..8\n"
               "#> the same on all 511 words of 0 to 8 symbols\n"
               "words same length=0..4\n"
               "#> \"\"\n"
               "#> ab\n"
               "#> aabb",
    .results = "symbols",
    .args = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_LANGUAGE, "OBJECT", 0}},
    .options = language_options, .flags = C_DEFINES)
{
    ThText t = {0};
    ThLanguage *l = made(s, call, err);
    if (!l)
        return err->line ? false : sh_error_inside(err, &call->operand[1]);
    char *options TH_OWNED(free) = th_options_format(&call->options, err);
    th_text_printf(&t, "%s%s%s", call->operand[1].text, options && *options ? " " : "",
                   options ? options : "");
    char *made_by = options ? th_text_take(&t, err) : NULL;
    th_text_free(&t);
    bool ok = made_by && sh_define(s, call->operand[0].text, SH_LANGUAGE, l, made_by, err);
    if (!made_by)
        th_language_free(l);
    free(made_by);
    if (!ok)
        return sh_error_inside(err, &call->operand[0]);
    sh_language_figures(s, l);
    sh_say_defined(s, call->operand[0].text);
    return true;
}

/* ---- run and trace --------------------------------------------------------------------------- */

static const char *const answers[] = {"reject", "accept", "no answer"};

static int *read_word(const ThLanguage *l, const ShOperand *o, int *length, ThError *err)
{
    int n;
    char *const *symbol = th_language_symbols(l, &n);
    int *word = th_symbols_read(symbol, n, o->text, length, err);
    if (!word)
        sh_error_inside(err, o);
    return word;
}

static bool run_word(ShSession *s, const ThLanguage *l, const ShOperand *o, ThError *err)
{
    ThLanguageAnswer answer;
    ThLanguageWord w = {0};
    double trees = 0, log = 0;
    int *word TH_OWNED(free) = read_word(l, o, &w.n, err);
    w.symbol = word;
    bool weighs = th_language_is_distribution(l);
    bool grammar = strcmp(th_language_kind_name(l), "grammar") == 0 && !th_language_has_cycles(l);
    bool ok = word && th_language_member(l, w, sh_stop(s), &answer, err) &&
              (!grammar || th_language_trees(l, w, sh_stop(s), &trees, err)) &&
              (!weighs || th_distribution_log(l, w, &log, err));
    if (!ok)
        return false;
    sh_say(s, "%s\n", answers[answer]);
    sh_result_flag(s, "accepted", answer == TH_LANGUAGE_YES);
    if (weighs)
        sh_results(s, "probability:r bits:r", exp(log), -log / M_LN2);
    if (weighs && answer == TH_LANGUAGE_YES)
        sh_say(s, "  probability %.6g (%.6g bits)\n", exp(log), -log / M_LN2);
    if (!grammar)
        return true;
    sh_result_real(s, "trees", trees);
    if (trees > 0)
        sh_say(s, "  %.15g tree%s\n", trees, trees > 1 ? "s" : "");
    return true;
}

bool sh_run_language(ShSession *s, const ShCall *call, ThError *err)
{
    for (int i = 1; i < call->n; i++)
        if (!run_word(s, call->operand[0].object->as.language, &call->operand[i], err))
            return false;
    return true;
}

/* A row of `trace`: what has been read, and what may follow. */
static bool trace_row(ShSession *s, const ThLanguage *l, ThLanguageReader *r, int step,
                      const char *symbol, bool *next, ThError *err)
{
    int n;
    ThText t = {0};
    char *const *name = th_language_symbols(l, &n);
    if (!th_language_next(r, th_language_ahead(l), next, err))
        return false;
    th_text_add(&t, "{");
    for (int a = 0; a <= n; a++)
        if (next[a])
            th_text_printf(&t, "%s%s", t.size > 1 ? "," : "", a < n ? name[a] : "end");
    th_text_add(&t, "}");
    sh_row(s, (long long)step, symbol, t.data ? t.data : "");
    th_text_free(&t);
    return true;
}

/* The configurations of an accepting run. */
static bool trace_pushdown(ShSession *s, const ThLanguage *l, const ShOperand *input, ThError *err)
{
    ThLanguageWord w = {0};
    ThLanguageAnswer answer, found;
    ThPushdownAt *run = NULL;
    int n = 0, symbols;
    char *const *name = th_language_symbols(l, &symbols);
    int *word TH_OWNED(free) = read_word(l, input, &w.n, err);
    w.symbol = word;
    bool ok =
        word && th_language_member(l, w, sh_stop(s), &answer, err) &&
        (answer == TH_LANGUAGE_NO || th_pushdown_run(l, w, &run, &n, &found, sh_stop(s), err));
    if (ok && run)
        sh_table(s, "steps", "step:i read:s state:s stack:s");
    for (int i = 0; ok && run && i < n; i++) {
        bool reads = i > 0 && run[i].read > run[i - 1].read;
        sh_row(s, (long long)i, reads ? name[word[run[i].read - 1]] : "", run[i].state,
               run[i].stack);
    }
    if (ok && run)
        sh_table_end(s);
    th_pushdown_free_run(run, n);
    if (!ok)
        return false;
    sh_say(s, "%s\n", answers[answer]);
    sh_result_flag(s, "accepted", answer == TH_LANGUAGE_YES);
    return true;
}

/* The most probable way of a word. */
static bool trace_path(ShSession *s, const ThLanguage *l, const ShOperand *input, ThError *err)
{
    ThLanguageWord w = {0};
    double log;
    int symbols;
    char *const *name = th_language_symbols(l, &symbols);
    int *word TH_OWNED(free) = read_word(l, input, &w.n, err);
    w.symbol = word;
    const char **state TH_OWNED(free) = word ? th_alloc((size_t)w.n + 1, sizeof *state, err) : NULL;
    if (!state || !th_distribution_path(l, w, state, &log, err))
        return false;
    if (state[0])
        sh_table(s, "steps", "step:i symbol:s state:s");
    for (int i = 0; state[0] && i <= w.n; i++)
        sh_row(s, (long long)i, i ? name[word[i - 1]] : "", state[i]);
    if (state[0])
        sh_table_end(s);
    sh_result_flag(s, "accepted", state[0] != NULL);
    sh_say(s, state[0] ? "accept, with probability %.6g on this way\n" : "reject\n", exp(log));
    return true;
}

bool sh_trace_language(ShSession *s, const ShCall *call, ThError *err)
{
    const ThLanguage *l = call->operand[0].object->as.language;
    int n, length;
    if (th_language_is_pushdown(l))
        return trace_pushdown(s, l, &call->operand[1], err);
    if (th_language_is_distribution(l))
        return trace_path(s, l, &call->operand[1], err);
    char *const *name = th_language_symbols(l, &n);
    int *word TH_OWNED(free) = read_word(l, &call->operand[1], &length, err);
    ThLanguageReader *r TH_OWNED(th_language_reader_free) =
        word ? th_language_reader(l, sh_stop(s), err) : NULL;
    bool *next TH_OWNED(free) = r ? th_alloc((size_t)n + 1, sizeof *next, err) : NULL;
    sh_table(s, "steps", "step:i symbol:s next:s");
    bool ok = next && trace_row(s, l, r, 0, "", next, err);
    for (int i = 0; ok && i < length; i++)
        ok = th_language_push(r, word[i], NULL, err) &&
             trace_row(s, l, r, i + 1, name[word[i]], next, err);
    sh_table_end(s);
    if (ok) {
        if (th_language_ahead(l))
            sh_say(s, "next: of words at most %d symbol%s longer\n", th_language_ahead(l),
                   sh_plural(th_language_ahead(l)));
        sh_say(s, "%s\n", answers[next[n]]);
        sh_result_flag(s, "accepted", next[n]);
    }
    return ok;
}
