#include "automata/logic/ltl.h"

#include "automata/core/nfa.h"
#include "automata/logic/formula.h"
#include "automata/operations/operations.h"
#include "base/hash.h"

enum { MOST_FUTURE = 20 };

/* A state is known by bits: below, what parts of the past were true at the last position read (of
 * PREVIOUS its operand, of SINCE itself); above, what is foretold of the next position (of NEXT its
 * operand, of UNTIL itself); and whether nothing has been read yet. */
typedef struct {
    const ThAutomatonFormula *f;
    int past, future;
    bool backwards;  /* words are read so, and the formula is asked at the last position */
    uint64_t *state; /* (n.n_states) */
    size_t cap;
    bool *value; /* (f->n): at the position that is being read */
    ThHashTable table;
    ThNfa n;
    ThStop *stop;
    ThError *err;
} Build;
static const uint64_t FRESH = (uint64_t)1 << 63;

static uint64_t bit(int i)
{
    return (uint64_t)1 << i;
}

static bool is_past(ThAutomatonOperator is)
{
    return is == TH_AUTOMATON_PREVIOUS || is == TH_AUTOMATON_SINCE;
}

static bool is_future(ThAutomatonOperator is)
{
    return is == TH_AUTOMATON_NEXT || is == TH_AUTOMATON_UNTIL;
}

/* The values of all parts where `letter` is read, of the past by `from`, and with `next` foretold
 * of the position behind. */
static void evaluate(Build *b, uint64_t from, int letter, uint64_t next)
{
    int past = 0, future = b->past;
    for (size_t i = 0; i < b->f->n; i++) {
        ThAutomatonPart p = b->f->part[i];
        bool *v = &b->value[i];
        bool was = is_past(p.is) && (from & bit(past++)),
             will = is_future(p.is) && (next & bit(future++));
        switch (p.is) {
        case TH_AUTOMATON_TRUE:
            *v = true;
            break;
        case TH_AUTOMATON_FIRST:
            *v = (from & FRESH) != 0;
            break;
        case TH_AUTOMATON_LETTER:
            *v = p.x == letter;
            break;
        case TH_AUTOMATON_NOT:
            *v = !b->value[p.x];
            break;
        case TH_AUTOMATON_AND:
            *v = b->value[p.x] && b->value[p.y];
            break;
        case TH_AUTOMATON_NEXT:
            *v = will;
            break;
        case TH_AUTOMATON_UNTIL:
            *v = b->value[p.y] || (b->value[p.x] && will);
            break;
        case TH_AUTOMATON_PREVIOUS:
            *v = was;
            break;
        case TH_AUTOMATON_SINCE:
            *v = b->value[p.y] || (b->value[p.x] && was);
            break;
        default: /* the word is empty; and what is of sentences only */
            *v = false;
        }
    }
}

/* What the values at a position say of the parts that bits stand for, past or future. */
static uint64_t told(const Build *b, bool future)
{
    uint64_t bits = 0;
    int at = future ? b->past : 0;
    for (size_t i = 0; i < b->f->n; i++) {
        ThAutomatonPart p = b->f->part[i];
        bool other = p.is == TH_AUTOMATON_NEXT || p.is == TH_AUTOMATON_PREVIOUS;
        if (future ? is_future(p.is) : is_past(p.is)) {
            bits |= b->value[other ? p.x : (int)i] ? bit(at) : 0;
            at++;
        }
    }
    if (!future && b->backwards && b->value[b->f->whole])
        bits |= bit(at);
    return bits;
}

/* The number of the state, or -1.  It accepts if nothing is foretold: the word may end. */
static int state_of(Build *b, uint64_t bits)
{
    if (!th_hash_reserve(&b->table, b->err))
        return -1;
    ThHashSeek s = th_hash_seek(th_hash_mix(bits));
    for (uint32_t x; (x = th_hash_next(&b->table, &s)) != TH_HASH_END;)
        if (b->state[x] == bits)
            return (int)x;
    bool fresh = bits & FRESH, end = fresh ? th_automaton_formula_is_empty_meant(b->f, b->value)
                                           : bits >> b->past == b->backwards;
    int q = th_nfa_state(&b->n, (fresh ? TH_NFA_START : 0) | (end ? TH_NFA_ACCEPT : 0), b->err);
    if (q < 0 || !th_grow(&b->state, &b->cap, (size_t)q + 1, sizeof *b->state, b->err))
        return -1;
    b->state[q] = bits;
    th_hash_put(&b->table, &s, (size_t)q);
    return q;
}

/* The arcs from a state by a letter: one for each way to foretell that makes true what was foretold
 * of this position, and at the first one the formula. */
static bool add_arcs(Build *b, int q, int letter)
{
    uint64_t from = b->state[q], ways = (uint64_t)1 << b->future;
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t next = way << b->past;
        evaluate(b, from, letter, next);
        bool fits = b->backwards || (from & FRESH ? b->value[b->f->whole]
                                                  : told(b, true) == (from & ~(bit(b->past) - 1)));
        if (!fits)
            continue;
        int to = state_of(b, told(b, false) | next);
        if (to < 0 || th_stopped(b->stop, b->err) ||
            !th_nfa_arc(&b->n, (ThAutomatonArc){q, letter, to, TH_AUTOMATON_NO_OUTPUT}, b->err))
            return false;
    }
    return true;
}

/* What speaks of the future only is turned around: there is one way to go on then. */
static void turn(Build *b, ThAutomatonFormula *f)
{
    bool past = false, future = false;
    for (size_t i = 0; i < f->n; i++) {
        ThAutomatonOperator is = f->part[i].is;
        past = past || is_past(is) || is == TH_AUTOMATON_FIRST;
        future = future || is_future(is);
    }
    b->backwards = future && !past;
    for (size_t i = 0; b->backwards && i < f->n; i++) {
        ThAutomatonOperator is = f->part[i].is;
        f->part[i].is = is == TH_AUTOMATON_NEXT    ? TH_AUTOMATON_PREVIOUS
                        : is == TH_AUTOMATON_UNTIL ? TH_AUTOMATON_SINCE
                                                   : is;
    }
}

static bool build(Build *b)
{
    for (size_t i = 0; i < b->f->n; i++) {
        b->past += is_past(b->f->part[i].is);
        b->future += is_future(b->f->part[i].is);
    }
    if (b->future > MOST_FUTURE || b->past + b->future > 62)
        return th_fail(b->err, TH_ELIMIT, "%d temporal operators are too many",
                       b->past + b->future);
    b->value = th_alloc(b->f->n, sizeof *b->value, b->err);
    bool ok = b->value && state_of(b, FRESH) >= 0;
    for (size_t q = 0; ok && q < b->n.n_states; q++)
        for (size_t a = 0; ok && a < b->f->letters; a++)
            ok = add_arcs(b, (int)q, (int)a);
    return ok;
}

ThAutomaton *th_automaton_ltl(const char *formula, char *const *alphabet, int n, size_t max_states,
                              ThStop *stop, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    Build b = {.f = &f, .n = {.max_states = max_states}, .stop = stop, .err = err};
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = th_automaton_formula_letter(&f, alphabet[i], strlen(alphabet[i]), err) >= 0;
    ok = ok && th_automaton_formula_read(&f, formula, err);
    if (ok)
        turn(&b, &f);
    ok = ok && build(&b);
    ThNfaNames names = {.symbol = f.letter, .n_symbols = (int)f.letters};
    ThAutomaton *a = th_nfa_finish(&b.n, &names, ok, err);
    TH_FREE(b.state, b.value);
    th_hash_free(&b.table);
    if (!a || !b.backwards)
        return a;
    ThAutomaton *turned = th_automaton_reverse(a, (ThAutomatonWork){max_states, stop}, err);
    th_automaton_free(a);
    return turned;
}
