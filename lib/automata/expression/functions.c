#include "automata/expression/functions.h"

#include "automata/operations/cayley.h"
#include "automata/operations/halves.h"
#include "automata/operations/sequential.h"
#include "automata/core/nfa.h"
#include "base/symbols.h"

static ThAutomaton *quotient(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                             ThError *err)
{
    return th_automaton_quotient(a, b, false, w, err);
}

static ThAutomaton *left_quotient(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                  ThError *err)
{
    return th_automaton_quotient(a, b, true, w, err);
}

static ThAutomaton *homomorphism(const ThAutomatonFunctionCall *call, ThAutomatonWork w,
                                 ThError *err)
{
    return th_automaton_homomorphism(call->automaton[0], call->map, call->n_map, w, err);
}

static ThAutomaton *inverse(const ThAutomatonFunctionCall *call, ThAutomatonWork w, ThError *err)
{
    return th_automaton_inverse(call->automaton[0], call->map, call->n_map, w, err);
}

static ThAutomaton *minimize(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    return th_automaton_minimize(a, w.max_states, w.stop, err);
}

static ThAutomaton *determinize(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    if (th_automaton_deterministic(a))
        return th_automaton_copy(a, err);
    if (a->n_outputs > 0)
        return th_null(
            th_fail(err, TH_EVALUE,
                    "a nondeterministic automaton with outputs is not determinized") ||
            th_hint(err, "determinize(project(T, input)) is about the words that T reads"));
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, w.max_states, w.stop, err);
    return d ? th_automaton_from_dfa(d, a->symbol, err) : NULL;
}

static ThAutomaton *trim(const ThAutomaton *a, ThAutomatonWork w TH_UNUSED, ThError *err)
{
    return th_automaton_trim(a, err);
}

static ThAutomaton *complete(const ThAutomaton *a, ThAutomatonWork w TH_UNUSED, ThError *err)
{
    return th_automaton_complete(a, err);
}

static ThAutomaton *project(const ThAutomatonFunctionCall *call, ThAutomatonWork w, ThError *err)
{
    return th_automaton_project(call->automaton[0], call->second, w, err);
}

static ThAutomaton *cayley(const ThAutomatonFunctionCall *call, ThAutomatonWork w, ThError *err)
{
    return th_automaton_cayley(call->automaton[0], call->second, w, err);
}

static ThAutomaton *apply(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                          ThError *err)
{
    ThAutomaton *input TH_OWNED(th_automaton_free) = th_automaton_project(b, false, w, err);
    ThAutomaton *both TH_OWNED(th_automaton_free) =
        input ? th_automaton_compose(input, a, w, err) : NULL;
    return both ? th_automaton_project(both, true, w, err) : NULL;
}

static const ThAutomatonFunction table[] = {
    {"concat", "A, B, ...", "a word of A, then a word of B, ...", 1, -1,
     .of_two = th_automaton_concat},
    {"star", "A", "any number of words of A, one after the other", 1, 1,
     .of_one = th_automaton_star},
    {"reverse", "A", "the words of A backwards", 1, 1, .of_one = th_automaton_reverse},
    {"prefixes", "A", "the beginnings of words of A", 1, 1, .of_one = th_automaton_prefixes},
    {"suffixes", "A", "the ends of words of A", 1, 1, .of_one = th_automaton_suffixes},
    {"quotient", "A, B", "words of A with a word of B taken from the end", 2, 2,
     .of_two = quotient},
    {"left_quotient", "A, B", "words of A with a word of B taken from the front", 2, 2,
     .of_two = left_quotient},
    {"root", "A", "the words w with ww in A", 1, 1, .of_one = th_automaton_root},
    {"half", "A", "the words u with uv in A for some v as long as u", 1, 1,
     .of_one = th_automaton_half},
    {"shuffle", "A, B, ...", "words of A and B interleaved", 1, -1, .of_two = th_automaton_shuffle},
    {"homomorphism", "A, SYMBOL -> WORD, ...",
     "the words of A with symbols replaced by words; the other symbols stay", 1, 1,
     TH_AUTOMATON_WITH_MAP, .of_call = homomorphism},
    {"inverse", "A, SYMBOL -> WORD, ...",
     "the words over these symbols that become words of A when each symbol is replaced", 1, 1,
     TH_AUTOMATON_WITH_MAP, .of_call = inverse},
    {"determinize", "A", "one start, no empty moves, at most one transition a symbol", 1, 1,
     .of_one = determinize},
    {"minimize", "A", "the smallest deterministic automaton, numbered canonically", 1, 1,
     .of_one = minimize},
    {"trim", "A", "without the states that are of no use", 1, 1, .of_one = trim},
    {"complete", "A", "with a sink where a transition was missing", 1, 1, .of_one = complete},
    {"cayley",
     "A, elements|generators",
     "the word problem of A's monoid: a state an element, symbol g leads from s to s g; every "
     "element is a symbol, or with generators those of A",
     1,
     1,
     TH_AUTOMATON_MAY_HAVE_SIDE,
     {"elements", "generators"},
     .of_call = cayley},
    {"compose", "T, U, ...", "what T writes is read by U", 1, -1, .of_two = th_automaton_compose},
    {"invert", "T", "what T reads and what it writes change places", 1, 1,
     .of_one = th_automaton_invert},
    {"sequential", "T", "the function T with one way for a word, writing as early as it can", 1, 1,
     .of_one = th_automaton_sequential},
    {"project",
     "T, input|output",
     "the words that T reads, or those that it writes",
     1,
     1,
     TH_AUTOMATON_WITH_SIDE,
     {"input", "output"},
     .of_call = project},
    {"apply", "T, A|\"WORD\"", "what T writes for the words of A, or for one word", 2, 2,
     TH_AUTOMATON_WITH_WORD, .of_two = apply},
};

ThAutomaton *th_automaton_apply(const ThAutomatonFunction *f, const ThAutomatonFunctionCall *call,
                                ThAutomatonWork w, ThError *err)
{
    if (f->of_one)
        return f->of_one(call->automaton[0], w, err);
    if (f->of_call)
        return f->of_call(call, w, err);
    if (call->n == 1)
        return th_automaton_copy(call->automaton[0], err);
    ThAutomaton *result = f->of_two(call->automaton[0], call->automaton[1], w, err);
    for (int i = 2; result && i < call->n; i++) {
        ThAutomaton *next = f->of_two(result, call->automaton[i], w, err);
        th_automaton_free(result);
        result = next;
    }
    return result;
}

const ThAutomatonFunction *th_automaton_functions(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}

const ThAutomatonFunction *th_automaton_function(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

ThAutomaton *th_automaton_word(const ThAutomaton *a, const char *text, ThError *err)
{
    int length = 0;
    int *word TH_OWNED(free) = th_symbols_read(a->symbol, a->n_symbols, text, &length, err);
    ThNfa n = {0};
    bool good = word != NULL;
    for (int i = 0; good && i <= length; i++) {
        int q = th_nfa_state(&n, (i ? 0 : TH_NFA_START) | (i == length ? TH_NFA_ACCEPT : 0), err);
        good =
            q >= 0 &&
            (i == 0 ||
             th_nfa_arc(&n, (ThAutomatonArc){q - 1, word[i - 1], q, TH_AUTOMATON_NO_OUTPUT}, err));
    }
    ThNfaNames names = {.symbol = a->symbol, .n_symbols = a->n_symbols};
    return th_nfa_finish(&n, &names, good, err);
}
