/* Whether a parser that sees one symbol ahead is never in doubt: no word of such a grammar has two
 * trees (Knuth 1965, On the translation of languages from left to right).  Items that one prefix
 * leads to are looked at in pairs, without the sets of all of them, which can be exponentially many
 * (Hunt, Szymanski and Ullman 1975, On the complexity of LR(k) testing). */
#include <limits.h>

#include "language/grammar.h"

/* An item is a rule, how much of it has been read, and what follows it: a terminal, or the end,
 * whose number is that of terminals.  The rule behind the last one derives the start. */
typedef struct {
    const ThGrammarPairs *p;
    int end;
    size_t items;
    bool *begins; /* (n_variables, end + 1): words of a variable begin so; end: one is empty */
    bool *seen;   /* (items, items): the pair is on the list, or was */
    size_t *pair, n, cap;
    ThError *err;
} Test;

enum { DONE = INT_MIN };

static const bool *begins(const Test *t, int v)
{
    return t->begins + (size_t)v * ((size_t)t->end + 1);
}

static size_t item_of(const Test *t, size_t rule, int dot, int ahead)
{
    return (3 * rule + (size_t)dot) * ((size_t)t->end + 1) + (size_t)ahead;
}

static int ahead_of(const Test *t, size_t item)
{
    return (int)(item % ((size_t)t->end + 1));
}

static ThGrammarPair rule_of(const Test *t, size_t item, int *dot)
{
    size_t place = item / ((size_t)t->end + 1);
    *dot = (int)(place % 3);
    return place / 3 < t->p->n ? t->p->rule[place / 3] : (ThGrammarPair){-1, 1, 0, 0};
}

/* What is to be read: a variable, a terminal a as ~a, or DONE. */
static int expected(const Test *t, size_t item)
{
    int dot;
    ThGrammarPair r = rule_of(t, item, &dot);
    if (r.n < 0)
        return dot ? DONE : ~r.b;
    return dot >= r.n ? DONE : dot ? r.c : r.b;
}

/* Can the symbol come behind the variable that an item expects? */
static bool follows(const Test *t, size_t item, int symbol)
{
    int dot;
    ThGrammarPair r = rule_of(t, item, &dot);
    bool own = symbol == ahead_of(t, item), last = dot + 1 == r.n;
    return (own && (last || begins(t, r.c)[t->end])) ||
           (!last && symbol < t->end && begins(t, r.c)[symbol]);
}

/* Unites what begins words of a variable with what begins those of another one. */
static bool unite(Test *t, int v, int from, bool empty)
{
    bool more = false;
    for (int a = 0; a < t->end + empty; a++) {
        bool *to = &t->begins[(size_t)v * ((size_t)t->end + 1) + (size_t)a];
        more = more || (begins(t, from)[a] && !*to);
        *to = *to || begins(t, from)[a];
    }
    return more;
}

static void find_begins(Test *t)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < t->p->n; i++) {
            ThGrammarPair r = t->p->rule[i];
            bool *one = &t->begins[(size_t)r.left * ((size_t)t->end + 1) +
                                   (size_t)(r.n < 0 ? r.b : t->end)];
            if (r.n <= 0 && !*one)
                *one = more = true;
            if (r.n > 0)
                more = unite(t, r.left, r.b, r.n == 1) || more;
            if (r.n == 2 && begins(t, r.b)[t->end])
                more = unite(t, r.left, r.c, true) || more;
        }
    }
}

static bool add(Test *t, size_t i, size_t j)
{
    bool *seen = &t->seen[i < j ? i * t->items + j : j * t->items + i];
    if (*seen)
        return true;
    *seen = true;
    if (!th_grow(&t->pair, &t->cap, t->n + 1, sizeof *t->pair, t->err))
        return false;
    t->pair[t->n++] = i * t->items + j;
    return true;
}

/* Pairs of the second item and one that the first predicts. */
static bool predict(Test *t, size_t i, size_t j)
{
    int v = expected(t, i);
    bool ok = true;
    for (size_t k = 0; ok && v >= 0 && k < t->p->n; k++)
        for (int a = 0; ok && t->p->rule[k].left == v && a <= t->end; a++)
            ok = !follows(t, i, a) || add(t, item_of(t, k, 0, a), j);
    return ok;
}

/* Is the first item's rule at its end, where the second one's may be, too, or may go on? */
static bool in_doubt(const Test *t, size_t i, size_t j)
{
    size_t ahead = (size_t)t->end + 1;
    int next = expected(t, j);
    return expected(t, i) == DONE && i / ahead != j / ahead &&
           (next == DONE ? ahead_of(t, i) == ahead_of(t, j) : next == ~ahead_of(t, i));
}

/* Goes through all pairs; false: there is a doubt, or too much to look at. */
static bool decide(Test *t)
{
    enum { MOST = 1000000 };
    size_t start = item_of(t, t->p->n, 0, t->end), one = (size_t)t->end + 1;
    bool ok = add(t, start, start);
    for (size_t k = 0; ok && k < t->n; k++) {
        size_t i = t->pair[k] / t->items, j = t->pair[k] % t->items;
        int next = expected(t, i);
        ok = !in_doubt(t, i, j) && !in_doubt(t, j, i) && t->n < MOST && predict(t, i, j) &&
             predict(t, j, i) &&
             (next == DONE || next != expected(t, j) || add(t, i + one, j + one));
    }
    return ok;
}

bool th_grammar_look_ahead(ThGrammarPairs *p, ThError *err)
{
    enum { MOST_ITEMS = 4096 };
    ThError own = {0};
    Test t = {.p = p, .err = &own};
    for (size_t i = 0; i < p->n; i++)
        if (p->rule[i].n < 0 && p->rule[i].b >= t.end)
            t.end = p->rule[i].b + 1;
    size_t width = (size_t)t.end + 1;
    if (3 * (p->n + 1) * width > MOST_ITEMS)
        return true;
    t.items = 3 * (p->n + 1) * width;
    t.begins = th_alloc((size_t)p->n_variables * width, sizeof *t.begins, &own);
    t.seen = th_alloc(t.items * t.items, sizeof *t.seen, &own);
    if (t.begins && t.seen) {
        find_begins(&t);
        p->one_tree = decide(&t);
    }
    TH_FREE(t.begins, t.seen, t.pair);
    return !own.code || th_fail(err, own.code, "%s", own.msg);
}
