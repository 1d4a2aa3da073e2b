/* Turing machines in the formats of other programs: what those programs' files mean, that machines
 * come back from every format that can hold them, and that harmful files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/symbols.h"
#include "formats/format_table.h"
#include "sanitized.h"
#include "turing/tm_run.h"
#include "turing/transform.h"

/* ---- helpers --------------------------------------------------------------------------------- */

static ThTm *read_as(const ThFormat *f, const char *text, const ThFormatMachineReading *how,
                     ThText *notes)
{
    ThError err = {0};
    ThText own = {0};
    ThTm *m = th_format_machine_read(f, text, strlen(text), how, notes ? notes : &own, &err);
    if (!m)
        print_error("%s %d:%d: %s\n%s\n", f ? f->name : "none", err.line, err.col, err.msg, text);
    assert_non_null(m);
    th_text_free(&own);
    return m;
}

/* Reads what the content is recognised as. */
static ThTm *sniffed(const ThFormat *want, const char *text, ThText *notes)
{
    bool sure;
    assert_ptr_equal(th_format_machine_sniff(text, strlen(text), &sure), want);
    return read_as(want, text, NULL, notes);
}

static ThTm *block(const char *text)
{
    ThError err = {0};
    ThTm *m = th_tm_parse(text, &err);
    if (!m)
        print_error("%d:%d: %s\n", err.line, err.col, err.msg);
    assert_non_null(m);
    return m;
}

typedef struct {
    ThTmVerdict verdict;
    uint64_t steps;
    int64_t head;
    char tape[200]; /* the first, trimmed, its symbols one after the other */
} Outcome;

/* Runs on a word of single characters, with the stepper that knows every machine. */
static Outcome run(const ThTm *m, const char *input, uint64_t steps)
{
    ThTmRunLimits limits = {steps, UINT64_MAX};
    ThTmRunning r;
    Outcome x = {0};
    int64_t first, last;
    int length = 0, *word = th_symbols_read(m->symbol, m->n_symbols, input, &length, NULL);
    const int *words[TH_TM_MOST_TAPES] = {word};
    int lengths[TH_TM_MOST_TAPES] = {length};
    assert_non_null(word);
    assert_true(th_tm_running_start(&r, m, words, lengths, NULL));
    assert_true(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
    x.verdict = r.verdict;
    x.steps = r.steps;
    x.head = r.tape[0].head;
    th_tm_tape_extent(&r.tape[0], m->blank, &first, &last);
    size_t n = 0;
    for (int64_t at = first; at <= last; at++) {
        int s = th_tm_tape_at(&r.tape[0], at, m->blank);
        const char *name = s == m->blank ? "_" : m->symbol[s];
        if (n + strlen(name) < sizeof x.tape)
            n += (size_t)snprintf(x.tape + n, sizeof x.tape - n, "%s", name);
    }
    th_tm_running_free(&r);
    free(word);
    return x;
}

static bool has_note(const ThText *notes, const char *note)
{
    return notes->data && strstr(notes->data, note);
}

/* ---- the increment, in every format ---------------------------------------------------------- */

static const char morphett[] = "; binary increment\n0 _ _ l 1\n0 * * r 0\n1 1 0 l 1\n"
                               "1 0 1 * halt\n1 _ 1 * halt\n";
static const char simulator[] = "// increment\nname: Increment\ninit: 0\naccept: halt\n\n"
                                "0,0\n0,0,>\n\n0,1\n0,1,>\n\n0,_\n1,_,<\n\n1,1\n1,0,<\n\n"
                                "1,0\nhalt,1,-\n\n1 , _\nhalt , 1 , -\n";
static const char jflap[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><!--Created with JFLAP-->"
    "<structure>&#13;\n\t<type>turing</type>&#13;\n\t<automaton>&#13;\n"
    "<!--The list of states.-->&#13;\n"
    "<block id=\"0\" name=\"q0\">&#13;\n<tag>Machine0</tag><x>94.0</x><y>106.0</y><initial/>"
    "</block>&#13;\n"
    "<block id=\"1\" name=\"q1\"><tag>Machine1</tag><x>94.0</x><y>106.0</y></block>&#13;\n"
    "<block id=\"2\" name=\"q2\"><tag>Machine2</tag><x>94.0</x><y>106.0</y><final/></block>\n"
    "<transition><from>0</from><to>0</to><read>0</read><write>0</write><move>R</move></transition>"
    "<transition><from>0</from><to>0</to><read>1</read><write>1</write><move>R</move></transition>"
    "<transition><from>0</from><to>1</to><read/><write/><move>L</move></transition>\n"
    "<transition><from>1</from><to>1</to><read>1</read><write>0</write><move>L</move></transition>"
    "<transition><from>1</from><to>2</to><read>0</read><write>1</write><move>S</move></transition>"
    "<transition><from>1</from><to>2</to><read/><write>1</write><move>S</move></transition>\n"
    "<Machine0/><Machine1/><Machine2/></automaton></structure>";
static const char viz[] = "# to the right, then carry\ninput: '1011'\nblank: ' '\nstart state: 0\n"
                          "table:\n  0:\n    [0,1]: R\n    ' ': {L: c}\n  c:\n"
                          "    1: {write: 0, L}\n    [0,' ']: {write: 1, R: done}\n  done:\n";
static const char quintuples[] = "# increment\ns,0,s,0,R\ns,1,s,1,R\ns,_,c,_,L\nc,1,c,0,L\n"
                                 "c,0,done,1,S\nc,_,done,1,S\n";

static void increment(void **state)
{
    static const struct {
        const char *input, *tape;
        uint64_t steps;
        int64_t head;
    } rows[] = {{"1011", "1100", 8, 1}, {"111", "1000", 8, -1}, {"0", "1", 3, 0}, {"", "1", 2, -1}};
    static const struct {
        const ThFormat *format;
        const char *text;
        ThTmVerdict verdict;
        int64_t shift; /* of the head: the last move may differ */
    } files[] = {{&th_format_morphett, morphett, TH_TM_HALTED, 0},
                 {&th_format_simulator, simulator, TH_TM_ACCEPTED, 0},
                 {&th_format_jflap, jflap, TH_TM_ACCEPTED, 0},
                 {&th_format_viz, viz, TH_TM_HALTED, 1},
                 {&th_format_quintuples, quintuples, TH_TM_HALTED, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ThTm *m = sniffed(files[i].format, files[i].text, NULL);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            Outcome x = run(m, rows[k].input, 1000);
            assert_int_equal(x.verdict, files[i].verdict);
            assert_int_equal(x.steps, rows[k].steps);
            assert_string_equal(x.tape, rows[k].tape);
            assert_int_equal(x.head, rows[k].head + files[i].shift);
        }
        th_tm_free(m);
    }
}

/* ---- a^n b^n, in the formats that accept ----------------------------------------------------- */

static const char equal_simulator[] =
    "init: a\naccept: yes\na,a\nb,X,>\na,Y\nrest,Y,>\na,_\nyes,_,-\nb,a\nb,a,>\nb,Y\nb,Y,>\n"
    "b,b\nback,Y,<\nback,a\nback,a,<\nback,Y\nback,Y,<\nback,X\na,X,>\nrest,Y\nrest,Y,>\n"
    "rest,_\nyes,_,-\n";
static const char equal_jflap[] =
    "<structure><type>turing</type><automaton>"
    "<state id=\"0\" name=\"a\"><initial/></state><state id=\"1\" name=\"b\"/>"
    "<state id=\"2\" name=\"back\"/><state id=\"3\" name=\"rest\"/>"
    "<state id=\"4\" name=\"yes\"><final/></state>"
    "<transition><from>0</from><to>1</to><read>a</read><write>X</write><move>R</move></transition>"
    "<transition><from>0</from><to>3</to><read>Y</read><write>Y</write><move>R</move></transition>"
    "<transition><from>0</from><to>4</to><read/><write/><move>S</move></transition>"
    "<transition><from>1</from><to>1</to><read>a,Y</read><write>~</write><move>R</move>"
    "</transition>"
    "<transition><from>1</from><to>2</to><read>b</read><write>Y</write><move>L</move></transition>"
    "<transition><from>2</from><to>2</to><read>!X</read><write>~</write><move>L</move>"
    "</transition>"
    "<transition><from>2</from><to>0</to><read>X</read><write>~</write><move>R</move></transition>"
    "<transition><from>3</from><to>3</to><read>Y</read><write>Y</write><move>R</move></transition>"
    "<transition><from>3</from><to>4</to><read/><write/><move>S</move></transition>"
    "</automaton></structure>";
static const char equal_viz[] =
    "blank: ' '\nstart state: a\nsynonyms:\n  good: {R: accept}\ntable:\n"
    "  a:\n    a: {write: X, R: b}\n    'Y': {R: rest}\n    ' ': good\n"
    "  b:\n    [a, 'Y']: R\n    b: {write: 'Y', L: back}\n"
    "  back:\n    [a, 'Y']: L\n    X: {R: a}\n"
    "  rest:\n    'Y': R\n    ' ': good\n  accept:\n";

static void equal_numbers(void **state)
{
    static const struct {
        const ThFormat *format;
        const char *text;
    } files[] = {{&th_format_simulator, equal_simulator},
                 {&th_format_jflap, equal_jflap},
                 {&th_format_viz, equal_viz}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ThTm *m = sniffed(files[i].format, files[i].text, NULL);
        char word[20];
        for (int a = 0; a < 6; a++) {
            for (int b = 0; b < 6; b++) {
                memset(word, 'a', (size_t)a);
                memset(word + a, 'b', (size_t)b);
                word[a + b] = '\0';
                assert_int_equal(run(m, word, 1000).verdict,
                                 a == b ? TH_TM_ACCEPTED : TH_TM_REJECTED);
            }
        }
        assert_int_equal(run(m, "abab", 1000).verdict, TH_TM_REJECTED);
        th_tm_free(m);
    }
}

/* ---- jsturing -------------------------------------------------------------------------------- */

/* (state, symbol) before (state, *) before (*, symbol) before (*, *). */
static void precedence(void **state)
{
    static const char text[] = "* * 4 * halt\n* a 3 * halt\n0 * 2 * halt\n0 a 1 * halt\n"
                               "0 b b r 1\n0 c c r 1\n";
    (void)state;
    ThTm *m = sniffed(&th_format_morphett, text, NULL);
    assert_string_equal(run(m, "a", 9).tape, "1");
    assert_string_equal(run(m, "1", 9).tape, "2");
    assert_string_equal(run(m, "ba", 9).tape, "b3");
    assert_string_equal(run(m, "bb", 9).tape, "b4");
    th_tm_free(m);
}

static void jsturing(void **state)
{
    ThText notes = {0};
    (void)state;
    /* Where no rule applies one step changes nothing and halts. */
    ThTm *m = sniffed(&th_format_morphett, "0 1 0 r 0\n0 0 1 R HALTED ; any case\n", &notes);
    Outcome x = run(m, "11", 99);
    assert_int_equal(x.verdict, TH_TM_HALTED);
    assert_int_equal(x.steps, 3);
    assert_int_equal(run(m, "10", 99).steps, 2);
    th_tm_free(m);
    /* The later rule wins; rules of halting states are dropped; ! is kept. */
    m = sniffed(&th_format_morphett, "0 1 0 r 0 !\n0 1 1 l halt-accept\nhalt-accept 0 0 * 0\n",
                &notes);
    assert_int_equal(m->n_rules, 1);
    assert_int_equal(m->rule[0].move[0], -1);
    assert_int_equal(m->role[m->rule[0].to], TH_TM_ACCEPTS);
    assert_true(has_note(&notes, "the rule in line 2 replaces that in line 1"));
    assert_true(has_note(&notes, "1 rule of states that stop the machine was left out"));
    assert_true(has_note(&notes, "halt-accept accepts"));
    th_tm_free(m);
    ThFormatMachineReading how = {.variant = 3};
    m = read_as(&th_format_morphett, "0 1 0 r 0 !\n0 1 1 l halt\n", &how, &notes);
    assert_true(m->nondeterministic && m->n_rules == 2 && m->rule[0].pause && !m->rule[1].pause);
    th_tm_free(m);
    how = (ThFormatMachineReading){.variant = 2, .start = "b"};
    m = read_as(&th_format_morphett, "a 1 0 l b\nb 1 1 l halt\n", &how, NULL);
    assert_int_equal(m->edge, TH_TM_EDGE_STAY);
    assert_int_equal(run(m, "1", 9).head, 0);
    assert_string_equal(m->state[m->start], "b");
    th_tm_free(m);
    /* The words of the clone, and comments that name the state and the variant. */
    m = sniffed(&th_format_morphett,
                "; initial state: go\n; variant: 1 (left-bounded tape)\n"
                "go _ same < accept\ngo else same right same\n",
                &notes);
    assert_int_equal(run(m, "", 9).verdict, TH_TM_ACCEPTED);
    assert_int_equal(m->edge, TH_TM_EDGE_STAY);
    assert_true(has_note(&notes, "a comment says that it starts in go"));
    th_tm_free(m);
    th_text_free(&notes);
}

/* ---- bbchallenge ----------------------------------------------------------------------------- */

static void spellings(void **state)
{
    static const char *const texts[] = {"1RB1LB_1LA1RZ",
                                        "1RB1LB_1LA1RZ\n",
                                        "  1RB1LB_1LA1RZ  \r\n",
                                        "1RB1LB_1LA1RH",
                                        "1RB 1LB  1LA 1RH",
                                        "1RB 1LB; 1LA 1RH",
                                        "1RB 1LB ; 1LA 1RH",
                                        "1RB1LB1LA1RH",
                                        "https://bbchallenge.org/1RB1LB_1LA1RZ",
                                        "https://bbchallenge.org/1RB1LB_1LA1RZ&s=10",
                                        "http://www.bbchallenge.org/1RB1LB_1LA1RZ?w=5",
                                        "bbchallenge.org/1RB1LB_1LA1RZ"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ThTm *m = sniffed(&th_format_bbchallenge, texts[i], NULL);
        Outcome x = run(m, "", 100);
        assert_int_equal(x.steps, 6);
        assert_string_equal(x.tape, "1111");
        ThText t = {0};
        assert_true(th_format_machine_write(&t, &th_format_bbchallenge, m, "m", NULL, NULL));
        assert_int_equal(strncmp(t.data, "1RB1LB_1LA1R", 12), 0);
        th_text_free(&t);
        th_tm_free(m);
    }
}

/* ---- JFLAP ----------------------------------------------------------------------------------- */

#define JFF(inside) "<structure><type>turing</type><automaton>" inside "</automaton></structure>"
#define RULE(from, to, read, write, move)                                                          \
    "<transition><from>" from "</from><to>" to "</to><read>" read "</read><write>" write           \
    "</write><move>" move "</move></transition>"

/* A block is run from its initial to a final state, then what leaves the block goes on. */
static void blocks(void **state)
{
    static const char text[] = JFF(
        "<block id=\"0\" name=\"end\"><tag>End</tag><initial/></block>"
        "<block id=\"1\" name=\"twice\"><tag>Twice</tag></block>"
        "<block id=\"2\" name=\"q\"><tag>Machine2</tag><final/></block>"
        "<transition block=\"true\"><from>0</from><to>1</to><read>~</read></transition>" RULE(
            "1", "2", "~", "c",
            "S") "<End><block id=\"7\" name=\"x\"><tag>none</tag><initial/></block>"
                 "<block id=\"8\" name=\"y\"><final/></block>" RULE("7", "7", "!□", "~", "R") RULE(
                     "7", "8", "", "",
                     "S") "</End>"
                          "<Twice><block id=\"0\" name=\"one\"><tag>Write</tag><initial/></block>"
                          "<block id=\"1\" name=\"two\"><tag>Write</tag><final/></block>" RULE(
                              "0", "1", "~", "~",
                              "S") "<Write><state id=\"0\" name=\"w\"><initial/></state>"
                                   "<state id=\"1\" name=\"done\"><final/></state>" RULE(
                                       "0", "1", "~", "b", "R") "</Write>"
                                                                "</Twice><Machine2/>");
    ThText notes = {0};
    (void)state;
    ThTm *m = sniffed(&th_format_jflap, text, &notes);
    Outcome x = run(m, "bc", 99);
    assert_int_equal(x.verdict, TH_TM_ACCEPTED);
    assert_string_equal(x.tape, "bcbbc");
    assert_int_equal(x.steps, 3 + 1 + 1 + 1 + 1 + 1);
    assert_true(has_note(&notes, "blocks became the states inside them: 5 machines in one"));
    th_tm_free(m);
    th_text_free(&notes);
}

static void jflap_details(void **state)
{
    ThText notes = {0};
    (void)state;
    /* ~ beside a fitting symbol is a choice; nothing leaves a final state. */
    ThTm *m = sniffed(
        &th_format_jflap,
        JFF("<state id=\"0\"><initial/></state><state id=\"1\"><final/></state>" RULE(
            "0", "1", "a", "a", "R") RULE("0", "0", "~", "b", "R") RULE("1", "0", "a", "a", "R")),
        &notes);
    assert_true(m->nondeterministic && m->branching);
    assert_int_equal(m->n_rules, 4);
    assert_true(has_note(&notes, "1 transition of final states was left out"));
    assert_true(has_note(&notes, "the machine is nondeterministic"));
    th_tm_free(m);
    /* ~ alone stays a wildcard. */
    m = sniffed(&th_format_jflap,
                JFF("<state id=\"0\"><initial/></state>" RULE("0", "0", "~", "~", "R")), NULL);
    assert_true(m->n_rules == 1 && m->rule[0].read[0] == TH_TM_ANY &&
                m->rule[0].write[0] == TH_TM_ANY);
    th_tm_free(m);
    /* An old file, with B for the blank. */
    notes.size = 0;
    m = sniffed(&th_format_jflap,
                "<structure><type>turing</type><state id=\"0\"><initial/></state>"
                "<state id=\"1\"><final/></state>" RULE("0", "1", "B", "1", "R") "</structure>",
                &notes);
    assert_int_equal(run(m, "", 9).verdict, TH_TM_ACCEPTED);
    assert_true(has_note(&notes, "B is taken for the blank"));
    th_tm_free(m);
    /* In one that has another blank B is a symbol. */
    th_text_free(&notes);
    m = sniffed(&th_format_jflap,
                "<structure><type>turing</type><state id=\"0\"><initial/></state>"
                "<state id=\"1\"><final/></state>" RULE("0", "0", "B", "1", "R")
                    RULE("0", "1", "□", "□", "S") "</structure>",
                &notes);
    assert_int_equal(run(m, "B", 9).verdict, TH_TM_ACCEPTED);
    assert_string_equal(run(m, "B", 9).tape, "1");
    assert_false(has_note(&notes, "B is taken"));
    th_tm_free(m);
    /* The blank is _ unless that is a symbol. */
    m = sniffed(&th_format_jflap,
                JFF("<state id=\"0\"><initial/></state><state id=\"1\"><final/></state>" RULE(
                    "0", "0", "_", "a", "R") RULE("0", "1", "□", "□", "S")),
                NULL);
    assert_string_equal(m->symbol[m->blank], "□");
    assert_string_equal(run(m, "_", 9).tape, "a");
    th_tm_free(m);
    /* Two tapes: <tapes> where it may stand, and labels by tape. */
    m = sniffed(&th_format_jflap,
                "<structure><type>turing</type><tapes>2</tapes><automaton>"
                "<state id=\"0\"><initial/></state><state id=\"1\"><final/></state>"
                "<transition><from>0</from><to>0</to><read tape=\"1\">a</read>"
                "<write tape=\"1\">~</write><move tape=\"1\">R</move><read tape=\"2\"/>"
                "<write tape=\"2\">b</write><move tape=\"2\">L</move></transition>"
                "<transition><from>0</from><to>1</to><read tape=\"1\"/><write tape=\"1\"/>"
                "<move tape=\"1\">S</move><read tape=\"2\">~</read><write tape=\"2\">~</write>"
                "<move tape=\"2\">S</move></transition></automaton></structure>",
                NULL);
    assert_int_equal(m->n_tapes, 2);
    assert_int_equal(run(m, "aa", 9).verdict, TH_TM_ACCEPTED);
    assert_int_equal(run(m, "aa", 9).steps, 3);
    th_tm_free(m);
    th_text_free(&notes);
}

/* ---- the others ------------------------------------------------------------------------------ */

static void quintuple_orders(void **state)
{
    static const char *const texts[] = {
        "s,0,s,0,R\ns,1,s,1,R\ns,_,c,_,L\nc,1,c,0,L\nc,0,done,1,S\nc,_,done,1,S\n",
        "(s, 0, 0, s, R)\n(s, 1, 1, s, R)\n(s, _, _, c, L);\n(c, 1, 0, c, L)\n(c, 0, 1, done, N)\n"
        "(c, _, 1, done, N)\n",
        "% write, move, next\ns 00 00 R s\ns 1 1 R s\ns _ _ L c\nc 1 00 L c\nc 00 1 - done\n"
        "c _ 1 - done\n",
        "s,0,s,0,1\ns,1,s,1,1\ns,B,c,B,0\nc,1,c,0,0\nc,0,c2,1,1\nc,B,c2,1,1\nc2,0,done,0,0\n"
        "c2,1,done,1,0\nc2,B,done,B,0\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ThTm *m = sniffed(&th_format_quintuples, texts[i], NULL);
        Outcome x = run(m, i == 2 ? "1 00 1 1" : "1011", 99);
        assert_int_equal(x.verdict, TH_TM_HALTED);
        assert_int_equal(x.steps, i == 3 ? 9 : 8);
        assert_string_equal(x.tape, i == 2 ? "110000" : "1100");
        th_tm_free(m);
    }
    /* In what state and symbol cannot be told apart a guess would be wrong half of the time. */
    static const char unclear[] = "0,0,1,1,R\n0,1,0,0,L\n1,1,0,1,L\n1,0,0,0,R\n";
    ThError err = {0};
    ThText notes = {0};
    assert_null(th_format_machine_read(&th_format_quintuples, unclear, strlen(unclear), NULL,
                                       &notes, &err));
    assert_non_null(strstr(err.msg, "can be read in two ways"));
    assert_non_null(strstr(err.hint, "fields="));
    for (int fields = TH_FORMAT_FIELDS_NEXT_WRITE_MOVE; fields <= TH_FORMAT_FIELDS_WRITE_NEXT_MOVE;
         fields++) {
        ThFormatMachineReading how = {.fields = (ThFormatFields)fields};
        ThTm *m = read_as(&th_format_quintuples, unclear, &how, NULL);
        assert_int_equal(m->n_rules, 4);
        th_tm_free(m);
    }
    ThFormatMachineReading how = {.blank = "#", .start = "t"};
    ThTm *m = read_as(&th_format_quintuples, "s,1,t,#,R\nt,#,qaccept,1,L\n", &how, &notes);
    assert_int_equal(run(m, "", 9).verdict, TH_TM_ACCEPTED);
    assert_int_equal(run(m, "1", 9).verdict, TH_TM_REJECTED);
    assert_true(has_note(&notes, "the state qaccept, which no rule leaves, accepts"));
    th_tm_free(m);
    th_text_free(&notes);
}

/* Documents of the site: a name, and the machine as a text. */
static void viz_documents(void **state)
{
    static const char document[] =
        "name: adder\nsource code: |\n  input: '100 1110'\n  blank: ' '\n  start state: a\n"
        "  table:\n    a:\n      [0, 1]: R\n      ' ': {write: 1, R: b}\n    b:\n"
        "positions:\n  a: {x: 1, y: 2}\n";
    (void)state;
    ThText notes = {0}, t = {0};
    ThTm *m = sniffed(&th_format_viz, document, &notes);
    assert_non_null(strstr(notes.data, "its title was left out: \"adder\""));
    assert_non_null(strstr(notes.data, "its input was left out: \"100 1110\""));
    assert_null(strstr(notes.data, "the key"));
    Outcome x = run(m, "100_1110", 100);
    assert_string_equal(x.tape, "10011110");
    assert_int_equal(x.steps, 4);
    ThTmTapeWords w;
    assert_false(th_tm_tape_words_read(&w, m, "100 1110", NULL)); /* which a reader would not see */
    assert_true(th_tm_tape_words_read(&w, m, "100_1110", NULL));
    assert_int_equal(w.length[0], 8);
    assert_int_equal(w.word[0][3], m->blank);
    th_tm_tape_words_free(&w);
    assert_true(th_format_machine_write(&t, &th_format_viz, m, "it's", NULL, NULL));
    assert_int_equal(strncmp(t.data, "name: 'it''s'\nsource code: |\n  blank: ", 38), 0);
    ThTm *again = sniffed(&th_format_viz, t.data, NULL);
    assert_string_equal(run(again, "100_1110", 100).tape, "10011110");
    th_tm_free(again);
    th_tm_free(m);
    th_text_free(&notes);
    th_text_free(&t);
    ThError err = {0};
    static const char bad[] =
        "name: x\nsource code: |\n  blank: _\n  start state: a\n  table:\n    a: {0: S}\n";
    assert_null(th_format_machine_read(&th_format_viz, bad, strlen(bad), NULL, &notes, &err));
    th_text_free(&notes);
    assert_int_equal(err.line, 6);
    assert_int_equal(err.col, 12);
}

static void viz_details(void **state)
{
    ThText notes = {0};
    (void)state;
    ThTm *m =
        sniffed(&th_format_viz,
                "blank: _\nstart state: \"q 0\"\nname: x\nsynonyms:\n"
                "  w: {write: '1', R: accept}\ntable:\n  q 0:   # both\n    [a, b]: w\n"
                "    '_': L\n    1: {L: other}\n  other: {[a, b,]: w, '_': L,1: {L: other,},}\n"
                "  accept: {}\n  reject: ~\n",
                &notes);
    assert_int_equal(m->n_states, 4);
    assert_int_equal(m->n_rules, 8);
    assert_int_equal(run(m, "b", 9).verdict, TH_TM_ACCEPTED);
    assert_string_equal(m->symbol[1], "1"); /* what a rule writes comes before what it reads */
    assert_int_equal(m->role[3], TH_TM_REJECTS);
    assert_true(has_note(&notes, "the key \"name\" was left out"));
    assert_true(has_note(&notes, "where no rule applies it rejects"));
    th_tm_free(m);
    th_text_free(&notes);
}

static void sniffing(void **state)
{
    static const struct {
        const char *text;
        const ThFormat *format;
        bool sure;
    } rows[] = {{"abba\nab\n", NULL, false},
                {"", NULL, false},
                {"a b l d a\n", NULL, false},
                {"a b l r a\na b c r d\n", &th_format_morphett, false},
                {"0 1 1 r 0\n0 _ _ l halt\n", &th_format_morphett, true},
                {"\n\n// title\nInit: q\n", &th_format_simulator, true},
                {"\xef\xbb\xbf<structure/>", &th_format_jflap, true},
                {"{\"start state\": a, blank: _, table: {a: }}", &th_format_viz, true},
                {"1RB1LB1LA1RZ", &th_format_bbchallenge, false},
                {"1RB1LB_1LA1R", &th_format_bbchallenge, true},
                {"q0,a,q1,b,R\n", &th_format_quintuples, false},
                {"q0,a,b\n", NULL, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool sure = false;
        const ThFormat *f = th_format_machine_sniff(rows[i].text, strlen(rows[i].text), &sure);
        if (f != rows[i].format || (f && sure != rows[i].sure))
            print_error("%s: %s\n", rows[i].text, f ? f->name : "none");
        assert_ptr_equal(f, rows[i].format);
        if (f)
            assert_int_equal(sure, rows[i].sure);
    }
}

/* ---- there and back -------------------------------------------------------------------------- */

static int below(ThRng *r, int n)
{
    return (int)th_rng_below(r, (uint64_t)n);
}

/* Features that formats lack are drawn one by one. */
typedef struct {
    int tapes;
    bool wildcards, stays, accepts, rejects, pauses, choice, total;
    ThTmEdge edge;
    ThTmMissing missing;
} Features;

static ThTmRule random_rule(ThRng *r, const Features *x, int states, int symbols, int stops)
{
    ThTmRule rule = {.from = below(r, states), .to = below(r, states + stops)};
    if (x->wildcards && below(r, 6) == 0)
        rule.from = TH_TM_ANY;
    if (x->wildcards && below(r, 6) == 0)
        rule.to = TH_TM_ANY;
    for (int t = 0; t < x->tapes; t++) {
        rule.read[t] = x->wildcards && below(r, 4) == 0 ? TH_TM_ANY : below(r, symbols);
        rule.write[t] = x->wildcards && below(r, 4) == 0 ? TH_TM_ANY : below(r, symbols);
        rule.move[t] = x->stays ? below(r, 3) - 1 : 2 * below(r, 2) - 1;
    }
    rule.pause = x->pauses && below(r, 3) == 0;
    return rule;
}

static bool has_case(const ThTmBuild *b, const ThTmRule *r)
{
    for (size_t i = 0; i < b->m.n_rules; i++) {
        const ThTmRule *o = &b->m.rule[i];
        if (o->from == r->from &&
            memcmp(o->read, r->read, (size_t)b->m.n_tapes * sizeof *r->read) == 0)
            return true;
    }
    return false;
}

static ThTm *random_machine(ThRng *r, const Features *x)
{
    static const char *const symbols[] = {"_", "a", "b", "X"};
    ThTmBuild b = {.m = {.n_tapes = x->tapes}};
    int states = 2 + below(r, 3), n_symbols = 2 + below(r, 3), stops = 1 + x->accepts + x->rejects;
    for (int q = 0; q < states; q++)
        th_tm_state(&b, (const char *const[]){"s", "go", "back", "1"}[q]);
    int halt = th_tm_state(&b, "fin");
    b.m.role[halt] = TH_TM_HALTS;
    if (x->accepts)
        b.m.role[th_tm_state(&b, "good")] = TH_TM_ACCEPTS;
    if (x->rejects)
        b.m.role[th_tm_state(&b, "bad")] = TH_TM_REJECTS;
    if (x->accepts) /* a format that accepts knows no plain halting */
        b.m.role[halt] = below(r, 2) ? TH_TM_ACCEPTS : TH_TM_HALTS;
    for (int s = 0; s < n_symbols; s++)
        th_tm_symbol(&b, symbols[s]);
    int n = states * n_symbols * (x->total ? 8 : 1);
    for (int i = 0; i < n; i++) {
        ThTmRule rule = random_rule(r, x, states, n_symbols, stops);
        if (x->choice || !has_case(&b, &rule))
            th_tm_add(&b, &rule);
    }
    b.m.edge = x->edge;
    b.m.missing = x->missing;
    b.m.nondeterministic = x->choice;
    return th_tm_finish(&b, NULL);
}

static void random_word(ThRng *r, int symbols, char *word)
{
    int n = below(r, 6);
    for (int i = 0; i < n; i++)
        word[i] = "abX"[below(r, symbols - 1)];
    word[n] = '\0';
}

/* Plain halting and accepting are one where a format knows one only; a mark of the edge is no part
 * of the tape; what a machine that stops at the mark leaves may be one step from where it was. */
static void same_outcome(const ThTm *a, const ThTm *b, const ThFormat *f, const char *word,
                         const ThText *notes)
{
    enum { STEPS = 400, TIMES = 8 };
    bool longer =
        has_note(notes, "edge") || has_note(notes, "one more step") || has_note(notes, "stand");
    Outcome x = run(a, word, STEPS), y = run(b, word, longer ? STEPS * TIMES : STEPS);
    if (f == &th_format_simulator || f == &th_format_jflap) {
        x.verdict = x.verdict == TH_TM_ACCEPTED ? TH_TM_HALTED : x.verdict;
        y.verdict = y.verdict == TH_TM_ACCEPTED ? TH_TM_HALTED : y.verdict;
    }
    if (x.verdict == TH_TM_OUT_OF_STEPS && longer)
        return;
    assert_int_equal(x.verdict, y.verdict);
    const char *tape = strncmp(y.tape, "⊢", 3) == 0 ? y.tape + 3 : y.tape;
    while (tape > y.tape && *tape == '_')
        tape++;
    const char *own = x.tape;
    while (tape > y.tape && *own == '_')
        own++;
    if (f != &th_format_bbchallenge && !has_note(notes, "edge"))
        assert_string_equal(own, tape);
    if (!longer)
        assert_int_equal(x.steps, y.steps);
    if (!longer)
        assert_int_equal(x.head, y.head);
}

static int named(char *const *name, int n, const char *wanted)
{
    return th_symbols_find(name, n, wanted);
}

/* Has b, by its names, every rule of a, with the same properties? */
static bool alike(const ThTm *a, const ThTm *b)
{
    bool same = a->n_tapes == b->n_tapes && a->n_states == b->n_states &&
                a->n_symbols == b->n_symbols && a->n_rules == b->n_rules && a->edge == b->edge &&
                a->missing == b->missing && a->nondeterministic == b->nondeterministic &&
                strcmp(a->state[a->start], b->state[b->start]) == 0 &&
                strcmp(a->symbol[a->blank], b->symbol[b->blank]) == 0;
    for (int q = 0; same && q < a->n_states; q++) {
        int other = named(b->state, b->n_states, a->state[q]);
        same = other >= 0 && a->role[q] == b->role[other];
    }
    for (size_t i = 0; same && i < a->n_rules; i++) {
        ThTmRule want = a->rule[i];
        bool found = false;
        want.from =
            want.from == TH_TM_ANY ? TH_TM_ANY : named(b->state, b->n_states, a->state[want.from]);
        want.to =
            want.to == TH_TM_ANY ? TH_TM_ANY : named(b->state, b->n_states, a->state[want.to]);
        for (int t = 0; t < a->n_tapes; t++) {
            if (want.read[t] != TH_TM_ANY)
                want.read[t] = named(b->symbol, b->n_symbols, a->symbol[want.read[t]]);
            if (want.write[t] != TH_TM_ANY)
                want.write[t] = named(b->symbol, b->n_symbols, a->symbol[want.write[t]]);
        }
        size_t size = (size_t)a->n_tapes * sizeof *want.read;
        for (size_t k = 0; k < b->n_rules && !found; k++) {
            const ThTmRule *r = &b->rule[k];
            found = r->from == want.from && r->to == want.to && r->pause == want.pause &&
                    memcmp(r->read, want.read, size) == 0 &&
                    memcmp(r->write, want.write, size) == 0 &&
                    memcmp(r->move, want.move, size) == 0;
        }
        same = found;
    }
    return same;
}

/* Writes in a format, reads, and runs both on words; then what was read comes back as it is. */
static bool there_and_back(const ThTm *m, const ThFormat *f, ThRng *r)
{
    ThText text = {0}, notes = {0}, second = {0}, more = {0};
    ThError err = {0};
    char word[16];
    bool written = th_format_machine_write(&text, f, m, "m", &notes, &err);
    if (written) {
        ThTm *again = read_as(f, text.data, NULL, &more);
        assert_true(m->branching || !again->branching);
        for (int i = 0; i < 8 && !m->branching; i++) {
            random_word(r, m->n_symbols, word);
            if (th_symbols_find(again->symbol, again->n_symbols, "a") >= 0 || !*word) {
                int length;
                int *fits = th_symbols_read(again->symbol, again->n_symbols, word, &length, NULL);
                if (fits)
                    same_outcome(m, again, f, word, &notes);
                free(fits);
            }
        }
        assert_true(th_format_machine_write(&second, f, again, "m", &more, &err));
        ThTm *third = read_as(f, second.data, NULL, NULL);
        assert_true(alike(again, third) && alike(third, again));
        th_tm_free(third);
        th_tm_free(again);
    } else {
        assert_true(err.code == TH_EVALUE && err.msg[0]);
    }
    th_text_free(&text);
    th_text_free(&notes);
    th_text_free(&second);
    th_text_free(&more);
    return written;
}

/* Machines of all kinds through all formats; each format takes some of them. */
static void round_trips(void **state)
{
    ThRng r = th_rng(11, "test.machines", 0);
    enum { MOST = 64 };
    int written[MOST] = {0};
    size_t n_formats;
    const ThFormat *const *formats = th_format_all(&n_formats);
    (void)state;
    for (int i = 0; i < 600; i++) {
        Features x = {.tapes = below(&r, 4) ? 1 : 2,
                      .wildcards = below(&r, 3) == 0,
                      .stays = below(&r, 2),
                      .accepts = below(&r, 2),
                      .rejects = below(&r, 2),
                      .pauses = below(&r, 4) == 0,
                      .choice = below(&r, 6) == 0,
                      .total = below(&r, 3) == 0,
                      .edge = below(&r, 3) ? TH_TM_TWO_WAY : (ThTmEdge)below(&r, 4),
                      .missing = (ThTmMissing)below(&r, 3)};
        if (x.tapes == 2)
            x.edge = TH_TM_TWO_WAY;
        ThTm *m = random_machine(&r, &x);
        assert_non_null(m);
        for (size_t f = 0; f < n_formats && f < MOST; f++)
            if (formats[f]->write_machine)
                written[f] += there_and_back(m, formats[f], &r);
        th_tm_free(m);
    }
    for (size_t f = 0; f < n_formats && f < MOST; f++)
        if (formats[f]->write_machine && formats[f] != &th_format_bbchallenge)
            assert_true(written[f] > 100);
}

/* Strings of bbchallenge through all the others, and home again by another road. */
static void from_strings(void **state)
{
    static const ThFormat *const roads[] = {&th_format_morphett, &th_format_simulator,
                                            &th_format_jflap, &th_format_viz,
                                            &th_format_quintuples};
    static const char *const strings[] = {"1RB1LB_1LA1RZ", "1RB1RZ_1LB0RC_1LC1LA",
                                          "1RB2LB1RZ_2LA2RB1LB", "1RB1LC_1LA1RB_1LB1RZ"};
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        for (size_t k = 0; k < sizeof roads / sizeof *roads; k++) {
            ThTm *m = read_as(&th_format_bbchallenge, strings[i], NULL, NULL);
            ThText text = {0}, back = {0}, notes = {0};
            assert_true(th_format_machine_write(&text, roads[k], m, "m", &notes, NULL));
            ThTm *other = read_as(roads[k], text.data, NULL, NULL);
            Outcome x = run(m, "", 1000), y = run(other, "", 1000);
            assert_int_equal(x.steps, y.steps);
            assert_int_equal(x.head, y.head);
            /* What accepts is no halting state of a string. */
            for (int q = 0; q < other->n_states; q++)
                other->role[q] = other->role[q] == TH_TM_RUNS ? TH_TM_RUNS : TH_TM_HALTS;
            ThTm *plain = th_tm_copy(other, NULL);
            assert_true(
                th_format_machine_write(&back, &th_format_bbchallenge, plain, "m", &notes, NULL));
            back.data[back.size - 1] = '\0';
            assert_string_equal(back.data, strings[i]);
            th_tm_free(plain);
            th_tm_free(other);
            th_tm_free(m);
            th_text_free(&text);
            th_text_free(&back);
            th_text_free(&notes);
        }
    }
}

/* Each feature that a format lacks: what it says of it. */
static void what_is_said(void **state)
{
    static const struct {
        const ThFormat *format;
        const char *machine, *said;
        bool refused;
    } rows[] = {
        {&th_format_morphett, "tapes 2; a _ | _ -> R | R b; halt b",
         "holds no machine with several tapes", true},
        {&th_format_viz, "nondeterministic; a _ -> R b; a _ -> L b; halt b",
         "holds no choice between several rules", true},
        {&th_format_simulator, "a _ -> R b; a 1 -> R c; halt b; accept c",
         "holds no difference between halting and accepting", true},
        {&th_format_jflap, "tape one-way edge=error; a _ -> L b; halt b",
         "holds no edge at which a move is an error", true},
        {&th_format_morphett, "a _ -> R b; a x1 -> R b; halt b", "symbols are single characters",
         true},
        {&th_format_morphett, "\"a b\" _ -> R b; halt b", "cannot have the state \"a b\"", true},
        {&th_format_morphett, "blank 0; a _ -> R b; halt b",
         "_ is the blank, and here another symbol", true},
        {&th_format_jflap, "a _ -> R b; a \"~\" -> R b; halt b", "cannot have the symbol \"~\"",
         true},
        {&th_format_bbchallenge, "a _ -> S b; a 1 -> R b; halt b", "stands still", true},
        {&th_format_bbchallenge, "a _ -> R b; a 1 -> R a; b 1 -> L a", "has no rule", true},
        {&th_format_bbchallenge, "tapes 2; a _ | _ -> R | R b; halt b", "several tapes", true},
        {&th_format_viz, "a _ -> S b; halt b", "1 rule that stands still became", false},
        {&th_format_viz, "a * -> R b; a _ -> L b; a 1 -> R a; halt b", "wildcards became rules",
         false},
        {&th_format_viz, "a _ -> R b; accept b", "the state b is written accept", false},
        {&th_format_viz, "tape one-way edge=stay; a _ -> L b; halt b",
         "the edge of the tape became", false},
        {&th_format_simulator, "a _ -> R b; halt b",
         "states that halt are written as states that accept", false},
        {&th_format_simulator, "a _ -> R b; a 1 -> R a; b 1 -> L a; halt c; states a b c",
         "where no rule applied there is one now, which goes to the state c", false},
        {&th_format_quintuples, "a _ -> R b !; halt b", "breakpoints were left out", false},
        {&th_format_morphett, "tape one-way; a _ -> R b; halt b",
         "asks for the variant, left-bounded", false},
        {&th_format_morphett, "a _ -> R b; halt b; alphabet _ x", "1 symbol that no rule names",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThText text = {0}, notes = {0};
        ThError err = {0};
        ThTm *m = block(rows[i].machine);
        bool ok = th_format_machine_write(&text, rows[i].format, m, "m", &notes, &err);
        const char *said = ok ? notes.data : err.msg;
        if (ok == rows[i].refused || !said || !strstr(said, rows[i].said))
            print_error("%zu: %s\n", i, said ? said : "");
        assert_int_equal(ok, !rows[i].refused);
        assert_non_null(said);
        assert_non_null(strstr(said, rows[i].said));
        th_tm_free(m);
        th_text_free(&text);
        th_text_free(&notes);
    }
}

/* ---- bad files ------------------------------------------------------------------------------- */

#define VIZ "blank: _\nstart state: a\ntable:\n"

static void refused(void **state)
{
    static const struct {
        const ThFormat *format;
        const char *text;
        int line, col;
        const char *said;
    } rows[] = {
        {&th_format_bbchallenge, "1RB1LB_1LA", 1, 8, "the rows differ in length"},
        {&th_format_bbchallenge, "\n1RB1LB_1XA1RZ\n", 2, 9, "the move L or R"},
        {&th_format_bbchallenge, "1RB1LB_1LA1RZ\n1RB1LB_1LA1RZ\n", 2, 1, "a second machine"},
        {&th_format_bbchallenge, "1RB3LB_1LA1RZ", 1, 4, "no such symbol"},
        {&th_format_bbchallenge, "https://bbchallenge.org/1RB1L", 1, 30,
         "expected the letter of a state"},
        {&th_format_bbchallenge, "", 1, 1, "no machine"},
        {&th_format_morphett, "; nothing\n", 1, 1, "the file holds no rule"},
        {&th_format_morphett, "0 a b r 0\n0 a b\n", 2, 5, "the line ends after 3"},
        {&th_format_morphett, "0 ab b r 0\n", 1, 3, "a single character, not \"ab\""},
        {&th_format_morphett, "0 a é up 0\n", 1, 7, "expected the direction l, r or *, not \"up\""},
        {&th_format_morphett, "0 a b r 0 0\n", 1, 11, "expected the end of the line or !"},
        {&th_format_morphett, "0 a b r 0 ! 1\n", 1, 13, "expected the end of the line or !"},
        {&th_format_morphett, "0 a \x01 r 0\n", 1, 5, "a control character"},
        {&th_format_morphett, "0 a b r 0\n0 \xff b r 0\n", 2, 3, "not valid UTF-8"},
        {&th_format_morphett, "; initial state: x\n0 a b r 0\n", 0, 0, "no state x to start in"},
        {&th_format_simulator, "init: a\na,1\nb,1\n", 3, 1, "expected 3 parts between commas"},
        {&th_format_simulator, "init: a\na,1\n", 2, 1, "the rule has no second line"},
        {&th_format_simulator, "init: a\na,1\naccept: b\n", 3, 1,
         "the rule of line 2 has no second line"},
        {&th_format_simulator, "init: a\ninit: b\n", 2, 1, "init: is given twice"},
        {&th_format_simulator, "accept: a\na,1\na,1,>\n", 1, 1, "no line `init: STATE`"},
        {&th_format_simulator, "init: b\na,1\na,1,>\n", 0, 0, "no state b to start in"},
        {&th_format_simulator, "init: a\na,1\na,1,up\n", 3, 5, "expected a move: <, > or -"},
        {&th_format_simulator, "init: a\na,12\na,1,>\n", 2, 3, "a single character, not \"12\""},
        {&th_format_simulator, "init: a\na,1\na,1,>\n\na,1\na,1,<\n", 5, 1,
         "the first is in line 2"},
        {&th_format_simulator, "init: a\na,1,2,3,4,5,6\n", 2, 1, "what 1 to 5 tapes read"},
        {&th_format_simulator, "init: a\na,1\na,1,>\na,1,2\n", 4, 1, "expected 2 parts"},
        {&th_format_jflap, "<structure>", 1, 12, ""},
        {&th_format_jflap, "<structure><type>turing</type>\n<automaton/></structure>", 1, 1,
         "no states"},
        {&th_format_jflap, "<structure><type>pda</type></structure>", 1, 12,
         "structure of type pda"},
        {&th_format_jflap, "<x/>", 1, 1, "expected a JFLAP file"},
        {&th_format_jflap, JFF("\n<state id=\"0\"/>"), 1, 31, "no state is initial"},
        {&th_format_jflap, JFF("<state id=\"0\"><initial/></state>\n  <state id=\"0\"/>"), 2, 3,
         "two states have the same id"},
        {&th_format_jflap,
         JFF("<state id=\"0\"><initial/></state>\n" RULE("0", "1", "a", "a", "R")), 2, 1,
         "a state that is not there"},
        {&th_format_jflap,
         JFF("<state id=\"0\"><initial/></state>\n\n" RULE("0", "0", "ab", "a", "R")), 3, 1,
         "a single character, not \"ab\""},
        {&th_format_jflap,
         JFF("<state id=\"0\"><initial/></state>\n" RULE("0", "0", "a", "a", "U")), 2, 67,
         "expected a move"},
        {&th_format_jflap,
         JFF("<state id=\"0\"><initial/></state><state id=\"1\"><initial/></state>"), 1, 88,
         "a second initial state"},
        {&th_format_jflap,
         JFF("<state id=\"0\"><initial/></state>" RULE("0", "0", "a", "a", "R")
                 RULE("0", "0", "a,b}v", "a", "R")),
         1, 167, "variables of JFLAP"},
        {&th_format_jflap, "<structure><type>turing</type><tapes>9</tapes></structure>", 1, 31,
         "1 to 5 tapes"},
        {&th_format_jflap,
         "<!DOCTYPE s [<!ENTITY a \"b\">]><structure><type>&a;</type></structure>", 1, 1,
         "a document with a DOCTYPE"},
        {&th_format_viz, "blank: _\ntable: {}\n", 1, 1, "no key start state"},
        {&th_format_viz, VIZ "  a:\n    0: {R: b}\n", 5, 12, "the table has no state \"b\""},
        {&th_format_viz, VIZ "  a:\n    0: {write: 1}\n", 5, 8, "an action moves"},
        {&th_format_viz, VIZ "  a:\n    0: {L, R}\n", 5, 12, "a second move"},
        {&th_format_viz, VIZ "  a:\n    0: S\n", 5, 8, "expected an action, L or R, not \"S\""},
        {&th_format_viz, VIZ "  a:\n    [0, 1]: R\n    1: L\n", 6, 5, "the first is in line 5"},
        {&th_format_viz, VIZ "  a:\n    00: R\n", 5, 5, "a single character, not \"00\""},
        {&th_format_viz, VIZ "  a: {}\n  a: {}\n", 5, 3, "a second state \"a\""},
        {&th_format_viz, VIZ "  a: [\n", 4, 6, "expected symbols with their actions"},
        {&th_format_viz, VIZ "  a: {0: R\n", 4, 11, "expected , or }"},
        {&th_format_viz, VIZ "  a:\n    [0, 1\n", 5, 10, "expected , or ]"},
        {&th_format_viz, VIZ "  a:\n    'x: R\n", 5, 5, "the quotes are not closed"},
        {&th_format_viz, VIZ "  a:\n    \"\\x41\": R\n", 5, 6, "of the escapes only"},
        {&th_format_viz, VIZ "  a:\n    0: R L\n    1: L L\n", 5, 8, "not \"R L\""},
        {&th_format_viz, VIZ "  a:\n    0: {R: a} L\n", 5, 15, "expected the end of the line"},
        {&th_format_viz, VIZ "  a:\n    0:\n      R\n", 5, 7, "expected an action"},
        {&th_format_viz, VIZ "  a:\n    0: R\n b:\n", 6, 2, "less indented"},
        {&th_format_viz, "blank: _\nblank: _\n", 2, 1, "a second key \"blank\""},
        {&th_format_viz, "synonyms:\n  w: L\n  w: R\n", 3, 3, "a second synonym \"w\""},
        {&th_format_viz, "synonyms:\n  w: v\n  v: R\n" VIZ "  a:\n    0: w\n", 2, 6,
         "expected an action, L or R, not \"v\""},
        {&th_format_viz, VIZ "\ta: {}\n", 4, 1, ""},
        {&th_format_viz, VIZ "  a: {0: *b}\n", 4, 10, "of YAML only texts, lists"},
        {&th_format_viz, VIZ "  a: {[]: R}\n", 4, 7, "an empty list of symbols"},
        {&th_format_viz, VIZ "  a: &x\n    0: *x\n", 4, 6, "of YAML only texts, lists"},
        {&th_format_quintuples, "a,0,b,1\n", 1, 1, "expected 5 parts, found 4"},
        {&th_format_quintuples, "a,0,b,,R\n", 1, 7, "part 4 is empty"},
        {&th_format_quintuples, "a,0,b,x,R\na,1,b,x,up\n", 0, 0, "neither part 4 nor part 5"},
        {&th_format_quintuples, "a,0,b,1,R\na,0,a,1,L\nb,1,a,0,L\n", 2, 1,
         "the first is in line 1"},
        {&th_format_quintuples, "a,0,b,1,R\nb,1,0,a,L\n", 0, 0, ""},
        {&th_format_quintuples, "# none\n", 1, 1, "the file holds no rule"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThError err = {0};
        ThText notes = {0};
        ThTm *m = th_format_machine_read(rows[i].format, rows[i].text, strlen(rows[i].text), NULL,
                                         &notes, &err);
        bool placed = rows[i].line == 0 || (err.line == rows[i].line && err.col == rows[i].col);
        if (m || !placed || !strstr(err.msg, rows[i].said))
            print_error("%s\n%d:%d: %s\n", rows[i].text, err.line, err.col, err.msg);
        assert_null(m);
        assert_true(err.msg[0] && placed);
        assert_non_null(strstr(err.msg, rows[i].said));
        th_text_free(&notes);
    }
}

/* Every beginning of a good file is a machine or an error with its words. */
static void cut_off(void **state)
{
    static const struct {
        const ThFormat *format;
        const char *text;
    } files[] = {{&th_format_morphett, morphett},
                 {&th_format_simulator, simulator},
                 {&th_format_jflap, jflap},
                 {&th_format_viz, viz},
                 {&th_format_quintuples, quintuples},
                 {&th_format_bbchallenge, "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (size_t n = 0; n < strlen(files[i].text); n++) {
            ThError err = {0};
            ThText notes = {0};
            char *part = th_strndup(files[i].text, n, NULL);
            ThTm *m = th_format_machine_read(files[i].format, part, n, NULL, &notes, &err);
            assert_true(m ? err.code == TH_OK : err.code != TH_OK && err.msg[0]);
            th_tm_free(m);
            th_text_free(&notes);
            free(part);
        }
    }
}

/* Many rules, up to a million: a thousand states times a thousand symbols.  Fewer under a
 * sanitizer, for the time that it takes. */
enum { SIDE = SANITIZED ? 200 : 1000 };

static void symbol_name(char to[8], int s)
{
    int c = 0x4e00 + s; /* single characters */
    snprintf(to, 8, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
}

static void add_rule_text(ThText *t, const ThFormat *f, int q, int s)
{
    char a[8], b[8];
    int to = (q * 7 + s) % (SIDE / 4);
    symbol_name(a, s);
    symbol_name(b, (s + q) % SIDE);
    if (f == &th_format_morphett)
        th_text_printf(t, "q%d %s %s r q%d\n", q, a, b, to);
    else if (f == &th_format_simulator)
        th_text_printf(t, "q%d,%s\nq%d,%s,>\n", q, a, to, b);
    else if (f == &th_format_quintuples)
        th_text_printf(t, "q%d,%s,q%d,%s,R\n", q, a, to, b);
    else if (f == &th_format_viz)
        th_text_printf(t, "    %s: {write: %s, R: q%d}\n", a, b, to);
    else
        th_text_printf(t,
                       "<transition><from>%d</from><to>%d</to><read>%s</read><write>%s</write>"
                       "<move>R</move></transition>\n",
                       q, to, a, b);
}

static void a_million_rules(void **state)
{
    static const ThFormat *const formats[] = {&th_format_morphett, &th_format_simulator,
                                              &th_format_jflap, &th_format_viz,
                                              &th_format_quintuples};
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const ThFormat *f = formats[i];
        int side = f == &th_format_jflap ? SIDE : SIDE / 4; /* for the time that it takes */
        ThText t = {0};
        if (f == &th_format_simulator)
            th_text_add(&t, "init: q0\n");
        if (f == &th_format_viz)
            th_text_add(&t, "blank: _\nstart state: q0\ntable:\n");
        if (f == &th_format_jflap)
            th_text_add(&t, "<structure><type>turing</type><automaton>");
        for (int q = 0; q < side; q++) {
            if (f == &th_format_viz)
                th_text_printf(&t, "  q%d:\n", q);
            if (f == &th_format_jflap)
                th_text_printf(&t, "<state id=\"%d\">%s</state>", q, q ? "" : "<initial/>");
            for (int s = 0; s < side; s++)
                add_rule_text(&t, f, q, s);
        }
        if (f == &th_format_jflap)
            th_text_add(&t, "</automaton></structure>");
        assert_false(t.failed);
        ThTm *m = read_as(f, t.data, NULL, NULL);
        assert_int_equal(m->n_rules, side * side);
        th_tm_free(m);
        th_text_free(&t);
    }
}

/* Reads a text that would grow, or nest, without end: an error, soon. */
static void refuse_text(const ThFormat *f, ThText *t, const char *said)
{
    ThError err = {0};
    ThText notes = {0};
    assert_false(t->failed);
    ThTm *m = th_format_machine_read(f, t->data, t->size, NULL, &notes, &err);
    if (m || !strstr(err.msg, said))
        print_error("%s: %s\n", f ? f->name : "none", err.msg);
    assert_null(m);
    assert_non_null(strstr(err.msg, said));
    th_text_free(&notes);
    th_text_free(t);
}

static void bombs(void **state)
{
    ThText t = {0};
    (void)state;
    for (int i = 0; i < 100000; i++)
        th_text_add(&t, "[");
    refuse_text(&th_format_viz, &t, "expected KEY: VALUE");
    /* Blocks in blocks, each twice. */
    th_text_add(&t, "<structure><type>turing</type><automaton>");
    for (int i = 0; i < 30; i++)
        th_text_add(&t, "<block id=\"0\"><tag>M</tag><initial/></block>"
                        "<block id=\"1\"><tag>M</tag></block><M>");
    th_text_add(&t, "<state id=\"0\"><initial/></state>");
    for (int i = 0; i < 30; i++)
        th_text_add(&t, "</M>");
    th_text_add(&t, "</automaton></structure>");
    refuse_text(&th_format_jflap, &t, "more than 1048576 states");
    for (int i = 0; i < 100000; i++)
        th_text_add(&t, "<structure>");
    refuse_text(&th_format_jflap, &t, "");
    /* All but one of a thousand symbols, on three tapes. */
    th_text_add(&t, "<structure><type>turing</type><automaton><state id=\"0\"><initial/></state>");
    for (int s = 0; s < 1000; s++) {
        char name[8];
        symbol_name(name, s);
        th_text_printf(&t,
                       "<transition><from>0</from><to>0</to><read tape=\"1\">!%s</read>"
                       "<read tape=\"2\">~</read><read tape=\"3\">~</read><move tape=\"1\">R</move>"
                       "<move tape=\"2\">R</move><move tape=\"3\">R</move></transition>",
                       name);
    }
    th_text_add(&t, "</automaton></structure>");
    refuse_text(&th_format_jflap, &t, "more than 2097152 rules");
    th_text_add(&t, "0 a b r 0\n");
    for (int i = 0; i < 200000; i++)
        th_text_add(&t, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ");
    refuse_text(&th_format_morphett, &t, "expected the end of the line or !");
}

/* ---- transforms ------------------------------------------------------------------------------ */

/* Step for step, or in the steps that the header tells, against the machine itself. */
static void transforms(void **state)
{
    ThRng r = th_rng(3, "test.machines", 1);
    (void)state;
    for (int i = 0; i < 300; i++) {
        Features x = {.tapes = 1,
                      .wildcards = true,
                      .stays = true,
                      .accepts = true,
                      .rejects = true,
                      .edge = TH_TM_TWO_WAY,
                      .missing = TH_TM_MISSING_STEP};
        char word[16];
        ThTm *m = random_machine(&r, &x);
        ThTm *plain = th_tm_expand(m, 100000, NULL);
        ThTm *total = th_tm_total(m, TH_TM_HALTS, "halt", 100000, NULL);
        ThTm *moving = th_tm_moving(m, 100000, NULL);
        assert_true(plain && total && moving);
        assert_false(th_tm_misses(total));
        for (size_t k = 0; k < moving->n_rules; k++)
            assert_int_not_equal(moving->rule[k].move[0], 0);
        for (int k = 0; k < 6; k++) {
            random_word(&r, m->n_symbols, word);
            Outcome o = run(m, word, 300), a = run(plain, word, 300), b = run(total, word, 300);
            assert_true(o.verdict == a.verdict && o.steps == a.steps && o.head == a.head);
            assert_true(o.verdict == b.verdict && o.steps == b.steps && o.head == b.head);
            assert_string_equal(o.tape, a.tape);
            assert_string_equal(o.tape, b.tape);
            Outcome c = run(moving, word, 600);
            if (o.verdict != TH_TM_OUT_OF_STEPS) {
                assert_true(c.verdict == o.verdict && c.head == o.head && c.steps >= o.steps);
                assert_string_equal(o.tape, c.tape);
            }
        }
        th_tm_free(plain);
        th_tm_free(total);
        th_tm_free(moving);
        th_tm_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increment),     cmocka_unit_test(equal_numbers),
        cmocka_unit_test(precedence),    cmocka_unit_test(jsturing),
        cmocka_unit_test(spellings),     cmocka_unit_test(blocks),
        cmocka_unit_test(jflap_details), cmocka_unit_test(quintuple_orders),
        cmocka_unit_test(viz_details),   cmocka_unit_test(sniffing),
        cmocka_unit_test(round_trips),   cmocka_unit_test(from_strings),
        cmocka_unit_test(what_is_said),  cmocka_unit_test(refused),
        cmocka_unit_test(cut_off),       cmocka_unit_test(a_million_rules),
        cmocka_unit_test(bombs),         cmocka_unit_test(transforms),
        cmocka_unit_test(viz_documents),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
