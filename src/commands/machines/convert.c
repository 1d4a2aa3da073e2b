/* convert.c - machines that do the same with less, automata as machines and machines as automata.
 */

#include "terminal/confirm.h"
#include "object_kinds.h"

enum { MOST_RULES = 4000000 };

static const ThOptionSpec convert_options[] = {
    {"to", TH_CHOICE, "machine", 0, 0, "machine|automaton|one_tape|one_way|binary|deterministic",
     "what it becomes"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { MACHINE, AUTOMATON, ONE_TAPE, ONE_WAY, BINARY, DETERMINISTIC };

static bool to_automaton(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    ThAutomaton *a = NULL;
    ThLanguage *l =
        th_language_of_machine(o->object->as.machine, NULL, UINT64_MAX / 2, sh_stop(s), err);
    bool ok = l && th_language_automaton(l, &a, sh_stop(s), err);
    th_language_free(l);
    if (!ok)
        return sh_error_inside(err, o);
    if (!a) {
        ThError why = {.msg = "it would have more than 65536 states"};
        th_language_reads_only(o->object->as.machine, &why);
        sh_fail_operand(err, o, TH_EVALUE, "%s", why.msg);
        return th_hint(err, "learn NAME from %s finds an automaton that agrees up to some length",
                       o->text);
    }
    long long states = a->n_states;
    if (!sh_define(s, call->operand[1].text, SH_AUTOMATON, a, NULL, err))
        return sh_error_inside(err, &call->operand[1]);
    sh_results(s, "states:i", states);
    sh_say_defined(s, call->operand[1].text);
    return true;
}

static ThTm *machine_of(const ThTm *m, int to, ThStop *stop, ThError *err)
{
    return to == ONE_TAPE  ? th_tm_one_tape(m, MOST_RULES, stop, err)
           : to == ONE_WAY ? th_tm_one_way(m, MOST_RULES, stop, err)
           : to == BINARY  ? th_tm_binary(m, MOST_RULES, stop, err)
           : to == DETERMINISTIC
               ? th_tm_deterministic(m, MOST_RULES, stop, err)
               : th_null(th_fail(err, TH_EUSAGE, "it is a machine: to= says what it becomes"));
}

/* Which bits stand for a symbol. */
static void show_codes(ShSession *s, const ThTm *m)
{
    int width = th_tm_binary_width(m);
    sh_table(s, "codes", "symbol:s code:s");
    for (int i = 0; i < m->n_symbols; i++) {
        char bits[32];
        for (int k = 0; k < width; k++)
            bits[k] = th_tm_binary_code(m, i) >> (width - 1 - k) & 1 ? '1' : '0';
        bits[width] = 0;
        sh_row(s, m->symbol[i], bits);
    }
    sh_table_end(s);
}

SH_COMMAND(
    convert, .group = "machines",
    .summary = "make a Turing machine that does the same with less, or of an automaton",
    .detail =
        "The textbook's constructions, made for the states that can be reached; inputs are those "
        "of A, under the same names (with blanks between them where some have several characters), "
        "but for binary:\n\n"
        "  to=machine: of an automaton, whose outputs do not count, one that reads a word once and "
        "never writes\n"
        "  to=automaton: of a machine that never writes, exactly (Shepherdson 1959): the head may "
        "go both ways\n"
        "  to=one_tape: of several tapes one, a cell of which holds a cell of each and says which "
        "heads stand there (a ' behind the symbol); t steps become some t^2\n"
        "  to=one_way: of a tape one with an edge, to the left of which the machine never goes: a "
        "cell x.y holds a cell and its mirror image, x|y the first; a step more in all, which "
        "marks the first cell: to=automaton takes A, not what became of it\n"
        "  to=binary: with the symbols 0, the blank, and 1: a cell becomes w cells, a step 3w - 2 "
        "steps, or 2w - 1 where the head stays; the codes of the symbols are shown, and compare A "
        "NAME codes=yes compares the two by them\n"
        "  to=deterministic: of one with choices three tapes, for the input, a run, and the "
        "choices that it takes: all sequences of them are tried, in the order of their lengths\n\n"
        "Of tapes with an edge two-way ones are made first, with a mark to the left of the first "
        "cells; a run that ends in an error there never ends then.\n\n"
        "compare tells whether words are answered the same: language L = A makes a language of a "
        "machine.  Code of a machine with two symbols for the machine \"universal\": encode.",
    .example = "automaton few { start p ; accept p q ; p a -> p ; p b -> q ; q a -> q }\n"
               "convert few as m\n"
               "convert m as one to=one_way\n"
               "language l = one alphabet=\"ab\"\n"
               "compare l few length=0..6\n"
               "#> the same on all 127 words of 0 to 6 symbols\n"
               "convert m as again to=automaton\n"
               "compare again few\n"
               "#> equivalent",
    .results = "states symbols rules tapes",
    .args = {{A_OBJECT, "A", 0}, {A_KEYWORD, "as", 0}, {A_NEW, "NAME", 0}},
    .options = convert_options)
{
    const ShOperand *o = &call->operand[0];
    ShKind kind = o->object->kind;
    int to = th_option_choice(&call->options, "to");
    if (kind != SH_MACHINE && kind != SH_AUTOMATON)
        return sh_fail_operand(err, o, TH_EUSAGE, "%s is %s, no machine and no automaton", o->text,
                               sh_a_kind(kind));
    if (kind == SH_AUTOMATON && to != MACHINE)
        return sh_fail_operand(err, o, TH_EUSAGE, "an automaton becomes a machine: to=machine");
    if (to == AUTOMATON)
        return to_automaton(s, call, err);
    const ThTm *old = kind == SH_MACHINE ? o->object->as.machine : NULL;
    bool edge = old && old->edge != TH_TM_TWO_WAY;
    ThTm *wide TH_OWNED(th_tm_free) = edge ? th_tm_unbounded(old, MOST_RULES, err) : NULL;
    ThTm *m = !old            ? th_language_automaton_machine(o->object->as.automaton, err)
              : edge && !wide ? NULL
                              : machine_of(edge ? wide : old, to, sh_stop(s), err);
    if (!m)
        return sh_error_inside(err, o);
    if (to == BINARY && old)
        show_codes(s, edge ? wide : old);
    if (!sh_define(s, call->operand[1].text, SH_MACHINE, m, NULL, err))
        return sh_error_inside(err, &call->operand[1]);
    sh_machine_size_figures(s, m);
    sh_say_defined(s, call->operand[1].text);
    return true;
}

SH_COMMAND(
    encode, .group = "machines", .summary = "write a machine and its input for a universal machine",
    .detail = "machine u = universal runs any machine of one two-way tape and two symbols; convert "
              "to=binary makes one of any alphabet.  It has 26 states besides the one that halts "
              "and 16 symbols; its input is what encode prints, also $code.  Where the head stays "
              "it goes to the right and back instead.\n\n"
              "Behind < stands a block for each state, S for the present one and s for others, "
              "with its rules for the blank and for the other symbol: what is written as 0 or 1, L "
              "or R, as many x as say which state follows, none to halt.  Behind > is the tape, "
              "with A for 0 and B for 1 under the head.  A rule that is missing becomes one that "
              "halts; states that accept and reject halt alike.",
    .example = "machine bb2 = \"1RB1LB_1LA1RZ\"\n"
               "machine u = universal\n"
               "encode bb2\n"
               "#> <S1Rxx;1Lxxs1Lx;1R>A\n"
               "run u $code\n"
               "#> halted after 549 steps\n"
               "#>   state Z, 23 non-blank cells, head at 17, 23 cells visited\n"
               "#>   tape <s1Rxx;1Lxxs1Lx;1r>11B1",
    .results = "code", .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}})
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThText t = {0};
    bool ok = call->n < 2 ||
              (th_tm_tape_words_read(&words, m, call->operand[1].text, err) &&
               th_tm_tape_words_at_start(&words, err)) ||
              sh_error_inside(err, &call->operand[1]);
    ok = ok && (th_tm_universal_input(&t, m, words.word[0], (int)words.length[0], err) ||
                sh_error_inside(err, &call->operand[0]));
    char *text TH_OWNED(free) = th_text_take(&t, ok ? err : NULL);
    if (!ok || !text)
        return false;
    sh_results(s, "code:s", text);
    sh_say(s, "%s\n", text);
    return true;
}
