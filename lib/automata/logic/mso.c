#include "automata/logic/mso.h"

#include "automata/core/nfa.h"
#include "automata/logic/formula.h"

enum { MOST_TRANSITIONS = 1 << 26 };

/* The machine of a part.  Its symbols are letters with one bit for each of its variables: letter +
 * letters * bits, the variables in order.  A position is where its bit comes first: atoms look no
 * further, and so does what is made of them.  Of words without that bit they say anything. */
typedef struct {
    ThDfa *d;
    unsigned variables;
} Machine;

typedef struct {
    const ThAutomatonFormula *f;
    Machine *machine; /* (f->n) */
    size_t max_states;
    ThStop *stop;
    ThError *err;
} Build;

static int count(unsigned variables)
{
    return __builtin_popcount(variables);
}

static int symbols(const Build *b, unsigned variables)
{
    return (int)b->f->letters << count(variables);
}

/* The bit of a variable among those of a machine. */
static bool bit_of(const Build *b, unsigned variables, int variable, int symbol)
{
    int bits = symbol / (int)b->f->letters;
    return bits >> count(variables & ((1u << variable) - 1)) & 1;
}

/* ---- atoms ----------------------------------------------------------------------------------- */

enum { WRONG, RIGHT, WAITING }; /* states; of BEHIND more follow, which count */

static int states_of(ThAutomatonPart p)
{
    return p.is == TH_AUTOMATON_BEHIND ? WAITING + 1 + abs(p.by) + 1 : WAITING + 1;
}

/* What follows a state: x and y are bits of the variables, or whether the letter fits. */
static int step(ThAutomatonPart p, int q, bool x, bool y)
{
    bool late = p.by > 0; /* y has to come by positions after x, else not -by before it */
    if (p.is == TH_AUTOMATON_ENDS && q == RIGHT)
        return WRONG;
    if (q < WAITING)
        return q;
    switch (p.is) {
    case TH_AUTOMATON_BEGINS:
        return x ? RIGHT : WRONG;
    case TH_AUTOMATON_ENDS:
        return x ? RIGHT : WAITING;
    case TH_AUTOMATON_BEHIND: {
        int since = q - WAITING; /* positions since the first of the two, which counts as one */
        bool second = late ? y : x, near = late ? since >= p.by : since <= -p.by;
        if (since == 0)
            return second ? (late ? WRONG : RIGHT) : q + (x || y);
        return second ? (near ? RIGHT : WRONG) : q + (since <= abs(p.by));
    }
    default:
        return !x ? WAITING : y ? RIGHT : WRONG;
    }
}

static bool is_atom(ThAutomatonOperator is)
{
    return is >= TH_AUTOMATON_HAS && is <= TH_AUTOMATON_BEHIND;
}

static ThDfa *atom(const Build *b, ThAutomatonPart p, unsigned variables)
{
    int n = symbols(b, variables);
    ThDfa *d = th_dfa_new(states_of(p), n, 2, b->err);
    for (int q = 0; d && q < d->n_states; q++)
        for (int a = 0; a < n; a++) {
            bool x = bit_of(b, variables, p.x, a), y = p.is == TH_AUTOMATON_HAS
                                                           ? a % (int)b->f->letters == p.y
                                                           : bit_of(b, variables, p.y, a);
            d->next[q * n + a] = step(p, q, x, y);
        }
    if (d) {
        d->start = WAITING;
        d->label[RIGHT] = 1;
    }
    return d;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* The states that a machine over these variables may have. */
static size_t room(const Build *b, unsigned variables)
{
    size_t most = MOST_TRANSITIONS / ((size_t)symbols(b, variables) + 1) + 1;
    return b->max_states && b->max_states < most ? b->max_states : most;
}

/* Returns new: a machine with more variables. */
static ThDfa *widen(const Build *b, Machine m, unsigned variables)
{
    int n = symbols(b, variables), letters = (int)b->f->letters;
    if ((size_t)m.d->n_states > room(b, variables))
        return th_null(th_fail(b->err, TH_ELIMIT,
                               "the automaton of a part has %d states and %d symbols",
                               m.d->n_states, n));
    int *from TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *from, b->err);
    for (int a = 0; from && a < n; a++) {
        int at = 0;
        from[a] = a % letters;
        for (int v = 0; v < TH_AUTOMATON_MOST_VARIABLES; v++)
            if (m.variables >> v & 1)
                from[a] += bit_of(b, variables, v, a) * letters << at++;
    }
    ThDfa *d = from ? th_dfa_widen(m.d, n, from, b->err) : NULL;
    return d;
}

static ThDfa *both(const Build *b, Machine x, Machine y)
{
    static const bool and[4] = {false, false, false, true};
    unsigned variables = x.variables | y.variables;
    ThDfa *p TH_OWNED(th_dfa_free) = widen(b, x, variables),
             *q TH_OWNED(th_dfa_free) = p ? widen(b, y, variables) : NULL;
    return q ? th_dfa_product(p, q, and, room(b, variables), b->stop, b->err) : NULL;
}

static ThDfa *negation(const Build *b, Machine x)
{
    ThDfa *d = th_dfa_copy(x.d, b->err);
    for (int q = 0; d && q < d->n_states; q++)
        d->label[q] = !d->label[q];
    return d;
}

/* Returns new: the machine that also asks for a bit of the last variable, by remembering whether
 * there was one. */
static ThDfa *with_bit(const Build *b, const ThDfa *d)
{
    int n = d->n_symbols;
    ThDfa *e = th_dfa_new(2 * d->n_states, n, 2, b->err);
    for (int q = 0; e && q < e->n_states; q++) {
        for (int a = 0; a < n; a++)
            e->next[q * n + a] = 2 * d->next[q / 2 * n + a] + (q % 2 || a >= n / 2);
        e->label[q] = q % 2 && d->label[q / 2];
    }
    if (e)
        e->start = 2 * d->start;
    return e;
}

/* Returns new: the machine without its last variable, whose bits are guessed. */
static ThDfa *erase(const Build *b, const ThDfa *d, size_t most)
{
    int half = d->n_symbols / 2;
    ThNfa n = {0};
    char **name TH_OWNED(free) = th_alloc((size_t)half + 1, sizeof *name, b->err), none[] = "";
    bool good = name != NULL;
    for (int a = 0; good && a < half; a++)
        name[a] = none;
    for (int q = 0; good && q < d->n_states; q++)
        good = th_nfa_state(&n, (q == d->start) | (d->label[q] ? TH_NFA_ACCEPT : 0), b->err) >= 0;
    for (int i = 0; good && i < d->n_states * d->n_symbols; i++) {
        int q = i / d->n_symbols, a = i % d->n_symbols % half;
        good = th_nfa_arc(&n, (ThAutomatonArc){q, a, d->next[i], TH_AUTOMATON_NO_OUTPUT}, b->err);
    }
    ThNfaNames names = {.symbol = name, .n_symbols = half};
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_nfa_finish(&n, &names, good, b->err);
    return a ? th_automaton_acceptor(a, most, b->stop, b->err) : NULL;
}

static ThDfa *some(const Build *b, ThAutomatonPart p, Machine y)
{
    ThDfa *wide TH_OWNED(th_dfa_free) = widen(b, y, y.variables | 1u << p.x);
    ThDfa *one TH_OWNED(th_dfa_free) = wide && p.is == TH_AUTOMATON_SOME ? with_bit(b, wide) : NULL;
    ThDfa *smaller TH_OWNED(th_dfa_free) = one ? th_dfa_minimize(one, b->stop, b->err) : NULL;
    const ThDfa *guessed = p.is == TH_AUTOMATON_SOME ? smaller : wide;
    return guessed ? erase(b, guessed, room(b, y.variables)) : NULL;
}

static unsigned variables_of(const Build *b, ThAutomatonPart p)
{
    switch (p.is) {
    case TH_AUTOMATON_NOT:
        return b->machine[p.x].variables;
    case TH_AUTOMATON_AND:
        return b->machine[p.x].variables | b->machine[p.y].variables;
    case TH_AUTOMATON_SOME:
    case TH_AUTOMATON_SOME_SET:
        return b->machine[p.y].variables & ~(1u << p.x);
    case TH_AUTOMATON_MEMBER:
    case TH_AUTOMATON_BEHIND:
        return 1u << p.x | 1u << p.y;
    default:
        return is_atom(p.is) ? 1u << p.x : 0;
    }
}

/* The machine of a part as its operator makes it. */
static ThDfa *combine(const Build *b, ThAutomatonPart p, unsigned variables)
{
    ThDfa *d;
    switch (p.is) {
    case TH_AUTOMATON_NOT:
        return negation(b, b->machine[p.x]);
    case TH_AUTOMATON_AND:
        return both(b, b->machine[p.x], b->machine[p.y]);
    case TH_AUTOMATON_SOME:
    case TH_AUTOMATON_SOME_SET:
        return some(b, p, b->machine[p.y]);
    case TH_AUTOMATON_TRUE:
        d = th_dfa_new(1, symbols(b, 0), 2, b->err);
        if (d)
            d->label[0] = 1;
        return d;
    default:
        return atom(b, p, variables);
    }
}

static bool build(Build *b)
{
    for (size_t i = 0; i < b->f->n; i++) {
        Machine *m = &b->machine[i];
        m->variables = variables_of(b, b->f->part[i]);
        ThDfa *d TH_OWNED(th_dfa_free) = combine(b, b->f->part[i], m->variables);
        m->d = d ? th_dfa_minimize(d, b->stop, b->err) : NULL;
        if (!m->d || th_stopped(b->stop, b->err))
            return false;
    }
    return true;
}

ThAutomaton *th_automaton_mso(const char *sentence, char *const *alphabet, int n, size_t max_states,
                              ThStop *stop, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    Build b = {.f = &f, .max_states = max_states, .stop = stop, .err = err};
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = th_automaton_formula_letter(&f, alphabet[i], strlen(alphabet[i]), err) >= 0;
    ok = ok && th_automaton_sentence_read(&f, sentence, err);
    b.machine = ok ? th_alloc(f.n, sizeof *b.machine, err) : NULL;
    ok = b.machine && build(&b);
    ThAutomaton *a = ok ? th_automaton_from_dfa(b.machine[f.whole].d, f.letter, err) : NULL;
    for (size_t i = 0; b.machine && i < f.n; i++)
        th_dfa_free(b.machine[i].d);
    free(b.machine);
    return a;
}
