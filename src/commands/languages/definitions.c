/* definitions.c - blocks that define languages. */
#include "commands/languages/languages.h"
#include "terminal/confirm.h"

/* The inside of a block defines a language of some kind. */
static bool define(ShSession *s, const ShCall *call, const char *kind, ThError *err)
{
    const ShOperand *name = &call->operand[0], *body = &call->operand[1];
    ThLanguage *l = th_language_parse(kind, body->text, err);
    if (!l)
        return sh_error_inside(err, body);
    if (!sh_define(s, name->text, SH_LANGUAGE, l, NULL, err))
        return sh_error_inside(err, name);
    sh_language_figures(s, l);
    sh_say_defined(s, name->text);
    if (th_language_remarks(l))
        sh_say(s, "note: %s\n", th_language_remarks(l));
    return true;
}

/* What stands behind the names S and <q> of variables: as many ' as make them no symbols. */
static char *marks_needed(const ThAutomaton *a, ThError *err)
{
    size_t most = 0;
    for (int i = 0; i < a->n_symbols; i++) {
        size_t n = strlen(a->symbol[i]), marks = 0;
        while (marks < n && a->symbol[i][n - 1 - marks] == '\'')
            marks++;
        if (strchr("S<", *a->symbol[i]) && marks >= most)
            most = marks + 1;
    }
    char *mark = th_alloc(most + 1, 1, err);
    if (mark)
        memset(mark, '\'', most);
    return mark;
}

/* Rules q -> a p for the moves of an automaton, and q -> epsilon where it accepts.  What leads
 * nowhere derives itself, and so no word: without a rule it would be a symbol. */
static char *right_linear(const ThAutomaton *a, ThError *err)
{
    char *mark TH_OWNED(free) = marks_needed(a, err);
    if (!mark)
        return NULL;
    ThText t = {0};
    th_text_add(&t, "alphabet");
    for (int i = 0; i < a->n_symbols; i++) {
        th_text_add(&t, " ");
        th_text_quoted(&t, a->symbol[i]);
    }
    th_text_printf(&t, "\nstart \"S%s\"\n\"S%s\" -> ", mark, mark);
    const char *between = "";
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q]) {
            th_text_printf(&t, "%s\"<%d>%s\"", between, q, mark);
            between = " | ";
        }
    for (int q = 0; q < a->n_states; q++) {
        if (a->accept[q])
            th_text_printf(&t, "\n\"<%d>%s\" -> epsilon", q, mark);
        else if (a->first[q] == a->first[q + 1])
            th_text_printf(&t, "\n\"<%d>%s\" -> \"<%d>%s\"", q, mark, q, mark);
    }
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        th_text_printf(&t, "\n\"<%d>%s\" -> ", arc->from, mark);
        if (arc->symbol != TH_AUTOMATON_EPSILON)
            th_text_quoted(&t, a->symbol[arc->symbol]);
        th_text_printf(&t, " \"<%d>%s\"", arc->to, mark);
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
        "\xce\xb5, by itself.  Rules that no word needs are left out, and named; left recursion is "
        "as good as any.  Where a variable derives itself alone, as in S -> S S | epsilon, which "
        "is named, too, words have infinitely many trees: they are counted and drawn by rules of "
        "the same language without empty words and such circles.\n\n"
        "grammar NAME = A makes one of an automaton, right-linear, or of a pushdown automaton, "
        "which has as many trees of a word as that has accepting runs.\n\n"
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
        "its place, Y on top\n"
        "  epsilon in the place of A, X or Y: nothing is read, taken or put; several symbols may "
        "be taken\n"
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
        "= != >= >; x is a letter, a name, !x, or stands in brackets\n"
        "  F (last & ...): of all positions of the word\n"
        "  name = ...; in front: a part that is used by its name\n\n"
        "It is what show A as counts writes, and a program of C-RASP as a formula: show NAME as "
        "crasp writes it as such a program, true at the last position, where no later position "
        "tells what is counted.  It is a language, as grammars are, in which words are asked for "
        "whole: up to two million of a length are tried, and longer ones drawn and rejected.  The "
        "empty word belongs to it only by the word empty in the formula.",
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
