#include "automata/expression/builtins.h"

#include <stdarg.h>
#include <stdio.h>

#include "automata/core/atlas.h"
#include "automata/core/build.h"
#include "automata/operations/cayley.h"

enum { NAME = 64, MAX_STATES = 100000 };

typedef int Add(ThAutomatonBuild *b, const char *name);

/* Adds a state, symbol or output whose name has numbers in it; returns its number. */
__attribute__((format(printf, 3, 4))) static int named(ThAutomatonBuild *b, Add *add,
                                                       const char *format, ...)
{
    char name[NAME];
    va_list numbers;
    va_start(numbers, format);
    vsnprintf(name, sizeof name, format, numbers);
    va_end(numbers);
    return add(b, name);
}

static void arc(ThAutomatonBuild *b, int from, int symbol, int to)
{
    th_automaton_build_arc(b, (ThAutomatonArc){from, symbol, to, TH_AUTOMATON_NO_OUTPUT});
}

static ThAutomaton *parity(const int *argument TH_UNUSED, ThError *err)
{
    return th_automaton_parse("alphabet a b; start even; accept even; even a -> even; "
                              "even b -> odd; odd a -> odd; odd b -> even",
                              err);
}

/* Symbols 0 … m-1 (from 0, or letters from a); accepts if the last one equals the first. */
static ThAutomaton *first_is_last(int m, bool letters, ThError *err)
{
    ThAutomatonBuild b = {0};
    int start = th_automaton_build_state(&b, "start");
    th_automaton_build_start(&b, start);
    th_automaton_build_accept(&b, start);
    for (int i = 0; i < m; i++)
        if (letters)
            th_automaton_build_symbol(&b, i ? "b" : "a");
        else
            named(&b, th_automaton_build_symbol, "%d", i);
    for (int i = 0; i < m; i++) {
        int same = named(&b, th_automaton_build_state, "same%d", i);
        int other = named(&b, th_automaton_build_state, "other%d", i);
        th_automaton_build_accept(&b, same);
        arc(&b, start, i, same);
        for (int c = 0; c < m; c++) {
            arc(&b, same, c, c == i ? same : other);
            arc(&b, other, c, c == i ? same : other);
        }
    }
    return th_automaton_build_finish(&b, err);
}

static ThAutomaton *even_pairs(const int *argument, ThError *err)
{
    return argument[0] > 0 ? first_is_last(argument[0], false, err) : first_is_last(2, true, err);
}

/* A counter modulo m that symbol c moves by step[c]; its output is the count, 0 accepts. */
static ThAutomaton *counter(int m, int n_symbols, const int *step, ThError *err)
{
    ThAutomatonBuild b = {0};
    for (int c = 0; c < n_symbols; c++)
        named(&b, th_automaton_build_symbol, "%d", c);
    for (int q = 0; q < m; q++) {
        int state = named(&b, th_automaton_build_state, "p%d", q);
        th_automaton_build_moore(&b, state, named(&b, th_automaton_build_output, "%d", q));
    }
    th_automaton_build_start(&b, 0);
    th_automaton_build_accept(&b, 0);
    for (int q = 0; q < m; q++)
        for (int c = 0; c < n_symbols; c++)
            arc(&b, q, c, (q + (step ? step[c] : c) + m) % m);
    return th_automaton_build_finish(&b, err);
}

static ThAutomaton *cycle(const int *argument, ThError *err)
{
    static const int step[] = {0, 1, -1};
    return counter(argument[0], 3, step, err);
}

static ThAutomaton *sum(const int *argument, ThError *err)
{
    return counter(argument[0], argument[0], NULL, err);
}

static int pair(ThAutomatonBuild *b, const char *brackets, int s, int p)
{
    return named(b, th_automaton_build_state, "%c%d,%d%c", brackets[0], s, p, brackets[1]);
}

/* States [s,p] behind a digit, with value s + p, and <s,c> elsewhere, where a digit d makes the
 * value s + c·d. */
static ThAutomaton *mod_arithmetic(const int *argument, ThError *err)
{
    ThAutomatonBuild b = {0};
    int m = argument[0];
    for (int d = 0; d < m; d++) {
        named(&b, th_automaton_build_symbol, "%d", d);
        named(&b, th_automaton_build_output, "%d", d);
    }
    int plus = th_automaton_build_symbol(&b, "+"), minus = th_automaton_build_symbol(&b, "-");
    int times = th_automaton_build_symbol(&b, "*");
    th_automaton_build_start(&b, pair(&b, "<>", 0, 1));
    for (int s = 0; s < m; s++) {
        for (int c = 0; c < m; c++) {
            int open = pair(&b, "<>", s, c), value = pair(&b, "[]", s, c), sum = (s + c) % m;
            for (int d = 0; d < m; d++)
                arc(&b, open, d, pair(&b, "[]", s, c * d % m));
            arc(&b, value, plus, pair(&b, "<>", sum, 1 % m));
            arc(&b, value, minus, pair(&b, "<>", sum, m - 1));
            arc(&b, value, times, open);
            th_automaton_build_accept(&b, value);
            th_automaton_build_moore(&b, value, sum);
        }
    }
    return th_automaton_build_finish(&b, err);
}

/* Without their sinks; -1 is a missing transition. */
static const struct {
    int n_states, next[4][2];
    bool accept[4];
} tomita_table[] = {
    {1, {{-1, 0}}, {true}},
    {2, {{-1, 1}, {0, -1}}, {true, false}},
    {4, {{0, 1}, {3, 0}, {3, 1}, {2, -1}}, {true, true, true, false}},
    {3, {{1, 0}, {2, 0}, {-1, 0}}, {true, true, true}},
    {4, {{1, 2}, {0, 3}, {3, 0}, {2, 1}}, {true, false, false, false}},
    {3, {{1, 2}, {2, 0}, {0, 1}}, {true, false, false}},
    {4, {{0, 1}, {2, 1}, {2, 3}, {-1, 3}}, {true, true, true, true}},
};

static ThAutomaton *tomita(const int *argument, ThError *err)
{
    int i = argument[0] - 1;
    ThAutomatonBuild b = {0};
    named(&b, th_automaton_build_symbol, "%d", 0);
    named(&b, th_automaton_build_symbol, "%d", 1);
    for (int q = 0; q < tomita_table[i].n_states; q++) {
        named(&b, th_automaton_build_state, "q%d", q);
        if (tomita_table[i].accept[q])
            th_automaton_build_accept(&b, q);
        for (int c = 0; c < 2; c++)
            if (tomita_table[i].next[q][c] >= 0)
                arc(&b, q, c, tomita_table[i].next[q][c]);
    }
    th_automaton_build_start(&b, 0);
    return th_automaton_build_finish(&b, err);
}

/* One type of bracket: a state is a depth. */
static ThAutomaton *dyck_one(int depth, ThError *err)
{
    ThAutomatonBuild b = {0};
    int open = th_automaton_build_symbol(&b, "("), close = th_automaton_build_symbol(&b, ")");
    for (int q = 0; q <= depth; q++)
        named(&b, th_automaton_build_state, "d%d", q);
    th_automaton_build_start(&b, 0);
    th_automaton_build_accept(&b, 0);
    for (int q = 0; q < depth; q++) {
        arc(&b, q, open, q + 1);
        arc(&b, q + 1, close, q);
    }
    return th_automaton_build_finish(&b, err);
}

/* A state is a stack of open brackets.  Stacks are numbered level by level: the children of stack q
 * are k·q + 1 … k·q + k. */
static ThAutomaton *dyck(const int *argument, ThError *err)
{
    static const char *const bracket[] = {"(", ")", "[", "]", "{", "}", "<", ">"};
    int k = argument[0], depth = argument[1], n_states = 1, inner = 0;
    if (k == 1)
        return dyck_one(depth, err);
    for (int i = 0; i < depth && n_states <= MAX_STATES; i++) {
        inner = n_states;
        n_states = n_states * k + 1;
    }
    if (n_states > MAX_STATES)
        return th_null(
            th_fail(err, TH_ELIMIT, "dyck(%d, %d) has more than %d states", k, depth, MAX_STATES));
    ThAutomatonBuild b = {0};
    for (int i = 0; i < 2 * k; i++)
        th_automaton_build_symbol(&b, bracket[i]);
    for (int q = 0; q < n_states; q++)
        named(&b, th_automaton_build_state, "s%d", q);
    th_automaton_build_start(&b, 0);
    th_automaton_build_accept(&b, 0);
    for (int q = 0; q < inner; q++) {
        for (int i = 0; i < k; i++) {
            arc(&b, q, 2 * i, k * q + i + 1);
            arc(&b, k * q + i + 1, 2 * i + 1, q);
        }
    }
    return th_automaton_build_finish(&b, err);
}

static ThAutomaton *flip_flop(const int *argument TH_UNUSED, ThError *err)
{
    return th_automaton_parse("alphabet w0 w1 i; states unset zero one; start unset; accept one; "
                              "output zero 0; output one 1; unset w0 -> zero; unset w1 -> one; "
                              "unset i -> unset; zero w0 -> zero; zero w1 -> one; zero i -> zero; "
                              "one w0 -> zero; one w1,i -> one",
                              err);
}

static ThAutomaton *gridworld(const int *argument, ThError *err)
{
    ThAutomatonBuild b = {0};
    int left = th_automaton_build_symbol(&b, "L"), right = th_automaton_build_symbol(&b, "R");
    int n = argument[0];
    for (int q = 0; q < n; q++)
        th_automaton_build_moore(&b, named(&b, th_automaton_build_state, "p%d", q),
                                 named(&b, th_automaton_build_output, "%d", q));
    th_automaton_build_start(&b, 0);
    th_automaton_build_accept(&b, 0);
    for (int q = 0; q < n; q++) {
        arc(&b, q, left, q > 0 ? q - 1 : 0);
        arc(&b, q, right, q + 1 < n ? q + 1 : q);
    }
    return th_automaton_build_finish(&b, err);
}

/* The group of this name: a turns, b turns over. */
static ThAutomaton *dihedral(const int *argument, ThError *err)
{
    char name[NAME];
    snprintf(name, sizeof name, "D%d", argument[0]);
    return th_automaton_group(name, NULL, 0, 0, NULL, err);
}

static ThAutomaton *atlas(const int *argument, ThError *err)
{
    char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
    char *const symbol[TH_DFA_ATLAS_SYMBOLS] = {a, b, c, d};
    ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_atlas_machine(argument[0], argument[1], err);
    return m ? th_automaton_from_dfa(m, symbol, err) : NULL;
}

enum { FORMER = 3 }; /* the last rows: names of before, which are not listed */

static const ThAutomatonBuiltin builtins[] = {
    {.name = "parity", .summary = "an even number of b, over a and b", .build = parity},
    {.name = "even_pairs",
     .summary = "an even number of ab and ba: the last symbol equals the first; with m over 0 ... "
                "m-1, else over a and b",
     .n_arguments = 1,
     .argument = {{"m", 2, 256, TH_AUTOMATON_BUILTIN_NONE}},
     .build = even_pairs},
    {.name = "cycle_navigation",
     .summary = "position on a cycle of n: 0 stays, 1 goes up, 2 goes down; accepts position 0",
     .n_arguments = 1,
     .argument = {{"n", 2, 10000, 5}},
     .build = cycle},
    {.name = "sum",
     .summary = "the sum of symbols 0 ... m-1 modulo m; accepts sum 0",
     .n_arguments = 1,
     .argument = {{"m", 2, 256, 5}},
     .build = sum},
    {.name = "modular_arithmetic",
     .summary = "the value of d op d ... modulo m, op one of + - *; accepts what is complete",
     .n_arguments = 1,
     .argument = {{"m", 2, 50, 5}},
     .build = mod_arithmetic},
    {.name = "tomita",
     .summary = "Tomita's language 1 to 7 over 0 and 1",
     .n_arguments = 1,
     .argument = {{"number", 1, 7, 0}},
     .build = tomita},
    {.name = "dyck",
     .summary = "balanced brackets of 1 to 4 types: ( ) [ ] { } < >, nested up to a depth",
     .n_arguments = 2,
     .argument = {{"types", 1, 4, 0}, {"depth", 1, 10000, 0}},
     .build = dyck},
    {.name = "flip_flop",
     .summary = "the bit written last: w0 and w1 write, i changes nothing; accepts 1",
     .build = flip_flop},
    {.name = "gridworld",
     .summary = "a walk on places 0 ... n-1: L and R move, or stay at the walls; accepts 0",
     .n_arguments = 1,
     .argument = {{"n", 2, 10000, 0}},
     .build = gridworld},
    {.name = "dihedral",
     .summary =
         "turns a and reflections b of a polygon with n corners: the group Dn of 2n elements "
         "as states; accepts e, where nothing has changed",
     .n_arguments = 1,
     .argument = {{"n", 3, 1000, 0}},
     .build = dihedral},
    {.name = "atlas",
     .summary = "the minimal acceptors over a b ..., those with fewer states first (see enumerate "
                "automata)",
     .n_arguments = 2,
     .argument = {{"number", 1, 1000000, 0}, {"symbols", 1, TH_DFA_ATLAS_SYMBOLS, 2}},
     .build = atlas},
    {.name = "even_pair", .n_arguments = 1, .argument = {{"m", 2, 256, 0}}, .build = even_pairs},
    {.name = "cycle", .n_arguments = 1, .argument = {{"n", 2, 10000, 5}}, .build = cycle},
    {.name = "mod_arithmetic",
     .n_arguments = 1,
     .argument = {{"m", 2, 50, 5}},
     .build = mod_arithmetic},
};

const ThAutomatonBuiltin *th_automaton_builtins(size_t *n)
{
    *n = sizeof builtins / sizeof *builtins - FORMER;
    return builtins;
}

const ThAutomatonBuiltin *th_automaton_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

ThAutomaton *th_automaton_builtin_build(const ThAutomatonBuiltin *b, const int *argument,
                                        int n_arguments, ThError *err)
{
    int value[2] = {0};
    if (n_arguments > b->n_arguments)
        return th_null(th_fail(err, TH_EVALUE, "%s takes %d argument%s, not %d", b->name,
                               b->n_arguments, b->n_arguments == 1 ? "" : "s", n_arguments));
    for (int i = 0; i < b->n_arguments; i++) {
        int least = b->argument[i].least, most = b->argument[i].most;
        if (i >= n_arguments && b->argument[i].fallback == 0)
            return th_null(th_fail(err, TH_EVALUE, "%s needs the argument %s, %d to %d", b->name,
                                   b->argument[i].name, least, most));
        value[i] = i < n_arguments ? argument[i] : b->argument[i].fallback;
        if (i >= n_arguments && value[i] == TH_AUTOMATON_BUILTIN_NONE)
            value[i] = 0;
        else if (value[i] < least || value[i] > most) {
            th_fail(err, TH_EVALUE, "%s of %s is %d to %d, not %d", b->argument[i].name, b->name,
                    least, most, value[i]);
            return NULL;
        }
    }
    return b->build(value, err);
}
