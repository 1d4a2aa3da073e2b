/* languages.c - grammars and the like: defining, showing and running them. */
#include <math.h>

#include "commands/languages/languages.h"

#include "object_kinds.h"
#include "rasp.h"
#include "terminal/confirm.h"

/* ---- defining -------------------------------------------------------------------------------- */

static void figures(ShSession *s, const ThLanguage *l)
{
    int n;
    th_language_symbols(l, &n);
    sh_result_int(s, "symbols", n);
}

/* The inside of a block defines a language of some kind. */
static bool define(ShSession *s, const ShCall *call, const char *kind, ThError *err)
{
    const ShOperand *name = &call->operand[0], *body = &call->operand[1];
    ThLanguage *l = th_language_parse(kind, body->text, err);
    if (!l)
        return sh_error_inside(err, body);
    if (!sh_define(s, name->text, SH_LANGUAGE, l, NULL, err))
        return sh_error_inside(err, name);
    figures(s, l);
    sh_say_defined(s, name->text);
    if (th_language_remarks(l))
        sh_say(s, "note: %s\n", th_language_remarks(l));
    return true;
}

/* Rules q -> a p for the moves of an automaton, and q -> epsilon where it accepts. */
static char *right_linear(const ThAutomaton *a, ThError *err)
{
    ThText t = {0};
    th_text_add(&t, "alphabet");
    for (int i = 0; i < a->n_symbols; i++) {
        th_text_add(&t, " ");
        th_text_quoted(&t, a->symbol[i]);
    }
    th_text_add(&t, "\nstart S\nS -> ");
    const char *between = "";
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q]) {
            th_text_printf(&t, "%s\"<%d>\"", between, q);
            between = " | ";
        }
    for (int q = 0; q < a->n_states; q++)
        if (a->accept[q])
            th_text_printf(&t, "\n\"<%d>\" -> epsilon", q);
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        th_text_printf(&t, "\n\"<%d>\" -> ", arc->from);
        if (arc->symbol != TH_AUTOMATON_EPSILON)
            th_text_quoted(&t, a->symbol[arc->symbol]);
        th_text_printf(&t, " \"<%d>\"", arc->to);
    }
    return th_text_take(&t, err);
}

static char *grammar_of(const ShOperand *o, ThError *err)
{
    const ShObject *x = o->object;
    if (x->kind == SH_AUTOMATON)
        return right_linear(x->as.automaton, err);
    if (x->kind == SH_LANGUAGE && th_language_is_pushdown(x->as.language))
        return th_pushdown_grammar(x->as.language, err);
    sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no automaton, with a stack or without", o->text);
    return NULL;
}

SH_COMMAND(
    grammar, .group = "languages", .summary = "define a context-free grammar",
    .detail =
        "In a block, one statement a line:\n\n"
        "  A -> X Y ... | Z ...: rules; a line that begins with | goes on with the one before\n"
        "  start A: without it, the variable of the first rule\n"
        "  alphabet X Y ...: the terminals in order; without it, those used\n\n"
        "Variables are what stands on the left of some rule, everything else is a terminal.  "
        "Symbols are separated by blanks; brackets and other marks stand for themselves, names "
        "that are no plain words stand in quotes.  The empty word is written epsilon, eps or "
        "\xce\xb5, by itself.  Rules that no word needs are left out, and named; left recursion "
        "is as good as any.  Where a variable derives itself alone, as in S -> S S | epsilon, "
        "which "
        "is named, too, words have infinitely many trees: they are counted and drawn by rules of "
        "the same language without empty words and such circles.\n\n"
        "grammar NAME = A makes one of an automaton, right-linear, or of a pushdown automaton, "
        "which "
        "has as many trees of a word as that has accepting runs.\n\n"
        "A grammar is a language: words, count, compare and tasks take it as they take an "
        "automaton.  A right-linear one is regular, and treated so.  Words are drawn uniformly by "
        "counting trees, one with t trees being kept with probability 1/t (Hickey and Cohen 1983; "
        "Mairson 1994); run says how many trees a word has, and ambiguity looks for a word with "
        "two.",
    .example = "grammar pairs { S -> a S b | epsilon }\n"
               "run pairs aabb\n"
               "#> accept\n"
               "#>   1 tree\n"
               "words pairs length=0..6\n"
               "#> \"\"\n"
               "#> ab\n"
               "#> aabb\n"
               "#> aaabbb\n"
               "compare pairs regex \"a*b*\"\n"
               "#> they differ on a\n"
               "#>   pairs rejects it\n"
               "#>   regex \"a*b*\" accepts it\n"
               "task t = recognize pairs",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}},
    .args2 = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_LANGUAGE, "A", 0}}, .flags = C_DEFINES)
{
    const ShOperand *of = &call->operand[1];
    if (!of->object)
        return define(s, call, "grammar", err);
    char *text TH_OWNED(free) = grammar_of(of, err);
    ShOperand body = {.text = text, .line = of->line, .col = of->col};
    ShOperand operand[2] = {call->operand[0], body};
    ShCall own = *call;
    own.operand = operand;
    return text && define(s, &own, "grammar", err);
}

SH_COMMAND(
    counters, .group = "languages", .summary = "define a machine with counters",
    .detail =
        "In a block, one statement a line:\n\n"
        "  counters N: how many, up to 8; without it, one\n"
        "  start Q: the counters are zero then; without it, the state that is named first\n"
        "  accept Q ... where 0 +: the states that accept, and for each counter 0 (it is zero), + "
        "(it is not) or *; without where, any\n"
        "  Q A -> R / +1 0: in state Q reading A, go to R and change each counter; Q A,B for "
        "several symbols\n"
        "  Q A where 0 * -> R: a rule for counters that are zero or not\n"
        "  alphabet A B ...: the symbols in order; without it, those used\n\n"
        "Every step reads a symbol.  There is one rule at most for a state, a symbol and the "
        "counters; where there is none, or a counter would fall below zero, the word is "
        "rejected.  Counters may change by more than one.\n\n"
        "It is a language, as grammars are.  Words are counted and drawn exactly, by dynamic "
        "programming over states and counters: up to 500 symbols with two counters, 200 with "
        "three, 100 with four, where words end with empty counters; a table beyond 400 MB is an "
        "error.  Which prefixes can be completed is searched for among 4000 configurations, the "
        "smallest counters first; where these do not tell, next_symbols asks for nothing and trace "
        "says so.",
    .example = "counters abc {\n"
               "  counters 2\n"
               "  accept p where 0 0; accept r where 0 0\n"
               "  p a -> p / +1 0\n"
               "  p b -> q / -1 +1; q b -> q / -1 +1\n"
               "  q c where 0 + -> r / 0 -1; r c -> r / 0 -1\n"
               "}\n"
               "words abc length=0..9\n"
               "#> \"\"\n"
               "#> abc\n"
               "#> aabbcc\n"
               "#> aaabbbccc\n"
               "task t = next_symbols abc",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}}, .flags = C_DEFINES)
{
    return define(s, call, "counters", err);
}

SH_COMMAND(
    pushdown, .group = "languages", .summary = "define a pushdown automaton",
    .detail =
        "In a block, one statement a line:\n\n"
        "  Q A X -> R Y Z: in state Q reading A, with X on top of the stack, go to R with Y Z in "
        "its "
        "place, Y on top\n"
        "  epsilon in the place of A, X or Y: nothing is read, taken or put; several symbols may "
        "be "
        "taken\n"
        "  start Q: without it, the state that is named first\n"
        "  bottom Z: what the stack holds at first; without it, Z\n"
        "  accept Q ...: the states that accept; or empty: it accepts with an empty stack\n"
        "  alphabet A B ...: the symbols in order; without it, those used\n\n"
        "It may be nondeterministic, and is a language as grammars are: a grammar is made of it, "
        "grammar g = P, that has a tree for each accepting run, and answers in its place, so that "
        "members are always decided and words are drawn by counting.  Where a word has infinitely "
        "many runs, which go round without reading, members are decided, but words tried and not "
        "counted.  trace shows an accepting run, looked for breadth first as long as their stacks "
        "hold ten million symbols at most, together; plot automaton draws the states; JFLAP's "
        "files are loaded.",
    .example = "pushdown pairs {\n"
               "  start p; accept f\n"
               "  p a epsilon -> p A\n"
               "  p b A -> q epsilon; q b A -> q epsilon\n"
               "  q epsilon Z -> f Z; p epsilon Z -> f Z\n"
               "}\n"
               "trace pairs ab\n"
               "#> step  read  state  stack\n"
               "#>    0        p      Z\n"
               "#>    1  a     p      A Z\n"
               "#>    2  b     q      Z\n"
               "#>    3        f      Z\n"
               "#> accept\n"
               "grammar g = pairs\n"
               "compare g pairs length=0..8\n"
               "#> the same on all 511 words of 0 to 8 symbols",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}}, .flags = C_DEFINES)
{
    return define(s, call, "pushdown", err);
}

SH_COMMAND(
    counting, .group = "languages", .summary = "define a language by a formula that counts",
    .detail =
        "In a block, one statement a line:\n\n"
        "  formula \"...\": what is true at the first position of a word (help ltl), with sums of "
        "counts: #x says at how many positions up to here x is true, this one included\n"
        "  alphabet A B ...: the symbols in order; without it, those of the formula\n\n"
        "  #a - 2*#(b & Y a) <= 1: sums with + and -, whole factors and numbers, compared by < <= "
        "= "
        "!= >= >; x is a letter, a name, !x, or stands in brackets\n"
        "  F (last & ...): of all positions of the word\n"
        "  name = ...; in front: a part that is used by its name\n\n"
        "It is what show A as counts writes, and a program of C-RASP as a formula: show NAME as "
        "crasp "
        "writes it as such a program, true at the last position, where no later position tells "
        "what "
        "is counted.  It is a language, as grammars are, in which words are asked for whole: up to "
        "two million of a length are tried, and longer ones drawn and rejected.  The empty "
        "word belongs to it only by the word empty in the formula.",
    .example = "counting dyck {\n"
               "  alphabet a b\n"
               "  formula \"below = #b > #a; empty | F (last & #a = #b & #below = 0)\"\n"
               "}\n"
               "words dyck length=0..4\n"
               "#> \"\"\n"
               "#> ab\n"
               "#> aabb\n"
               "#> abab\n"
               "grammar g { S -> a S b S | epsilon }\n"
               "compare dyck g length=0..8\n"
               "#> the same on all 511 words of 0 to 8 symbols",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}}, .flags = C_DEFINES)
{
    return define(s, call, "counting", err);
}

SH_COMMAND(
    distribution, .group = "languages", .summary = "define a distribution over words",
    .detail =
        "In a block, one statement a line:\n\n"
        "  Q A P -> R: in state Q, A comes next and leads to R, with probability P, a number or a "
        "fraction 1/3\n"
        "  accept Q P: the probability to end in state Q\n"
        "  start Q: without it, the state that is named first\n"
        "  alphabet A B ...: the symbols in order; without it, those used\n"
        "  weights: numbers may be negative, too, as learn distribution by=spectral finds them\n\n"
        "The probabilities of every state add up to one, and behind every state some word ends, so "
        "that those of all words do, too.  Several moves of a state may have one symbol: the "
        "probability of a word is then a sum over ways.\n\n"
        "run says the probability of a word, trace the most probable way (Viterbi), entropy what "
        "is known of all words; words random=N draws words, with length= those of a length, by "
        "their probability.  As a language, for tasks, count and compare, it has the words that "
        "are possible.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "run p ab\n"
               "#> accept\n"
               "#>   probability 0.0375 (4.73697 bits)\n"
               "trace p ab\n"
               "#> step  symbol  state\n"
               "#>    0          q\n"
               "#>    1  a       q\n"
               "#>    2  b       r\n"
               "#> accept, with probability 0.0375 on this way",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}}, .flags = C_DEFINES)
{
    return define(s, call, "distribution", err);
}

static const ThOptionSpec entropy_options[] = {
    {"length", TH_RANGE, "0..8", 0, 100000, NULL, "lengths that are shown"}, {0}};

SH_COMMAND(
    entropy, .group = "languages",
    .summary = "the entropy of a distribution over words, and how long its words are",
    .detail =
        "A row has the probability of a length, and the entropy of its words in bits.  The mean "
        "and "
        "the variance of the length are exact, by the inverse of a matrix of the "
        "states' size; so is the entropy where no word can be read in two ways.  Where some could "
        "be, no formula is known: of each length that has few enough words these are added up one "
        "by one, and longer lengths and the whole are not known.  $per_symbol counts the end as a "
        "symbol: it is "
        "the least cross-entropy that a model of next symbols can have.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "entropy p length=0..2\n"
               "#> length  probability   entropy\n"
               "#>      0       0.2000  0.000000\n"
               "#>      1       0.1750  0.985228\n"
               "#>      2       0.1385  1.931660\n"
               "#> length 3.61538 on average, variance 15.8974\n"
               "#> entropy 6.96896 bits, 1.50994 a symbol",
    .results = "entropy per_symbol mean variance", .args = {{A_LANGUAGE, "DISTRIBUTION", 0}},
    .options = entropy_options)
{
    ThRange range = th_option_range(&call->options, "length");
    ThDistributionMoments m;
    ThLanguage *l TH_OWNED(th_language_free) = sh_language_of(s, call->operand[0].object, err);
    size_t n = (size_t)range.hi + 1;
    double *p TH_OWNED(free) = l ? th_alloc(2 * n, sizeof *p, err) : NULL;
    bool ok = p && th_distribution_moments(l, &m, err) &&
              th_distribution_lengths(l, (int)range.hi, p, p + n, err);
    if (!ok)
        return sh_error_inside(err, &call->operand[0]);
    sh_table(s, "lengths", "length:i probability:r entropy:r");
    for (long long k = range.lo; k <= range.hi; k += range.step)
        sh_row(s, k, p[k], p[n + (size_t)k]);
    sh_table_end(s);
    sh_results(s, "mean:r variance:r entropy:r per_symbol:r", m.mean, m.variance, m.entropy,
               m.entropy / (m.mean + 1));
    sh_say(s, "length %.6g on average, variance %.6g\n", m.mean, m.variance);
    if (m.entropy == m.entropy)
        sh_say(s, "entropy %.6g bits, %.6g a symbol\n", m.entropy, m.entropy / (m.mean + 1));
    else
        sh_say(s, "entropy not known: a word can be read in several ways, or by weights\n");
    long long tried = range.hi;
    while (tried >= 0 && isnan(p[n + (size_t)tried]))
        tried--;
    if (isnan(m.entropy) && tried >= 0)
        sh_say(s, "  to length %lld all words of each were added up\n", tried);
    return true;
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
    figures(s, o->as.language);
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
        "its "
        "automaton, whatever the steps.  Of an s-op of RASP that gives truth "
        "values, what it gives at the last position of a word says whether the word belongs to the "
        "language; the empty word does not.\n\n"
        "A machine or a named s-op can stand itself where a language is asked for, with these "
        "options at their defaults.  Their words are found by trying all strings, up to two "
        "million of a length, and beyond that by drawing strings until one is a word: with from=G "
        "words of G are drawn.\n\n"
        "With print=STATE a machine is an enumerator: it starts on blank tapes, and whenever it is "
        "in the state the word on its last tape, from the first cell to the first blank, is one of "
        "the language.  What it has not printed within the steps has no answer, unless it has "
        "stopped.  words order=found lists what it prints in that order, and the words of a "
        "machine "
        "by dovetailing.\n\n"
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
    figures(s, l);
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
    ThLanguageAnswer answer = TH_LANGUAGE_NO;
    ThPushdownAt *run = NULL;
    int n = 0, symbols;
    char *const *name = th_language_symbols(l, &symbols);
    int *word TH_OWNED(free) = read_word(l, input, &w.n, err);
    w.symbol = word;
    bool ok = word && th_pushdown_run(l, w, &run, &n, &answer, sh_stop(s), err) &&
              (run || th_language_member(l, w, sh_stop(s), &answer, err));
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
