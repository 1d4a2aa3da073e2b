/* Runs of pushdown automata, and their grammars: a variable [q X p] for the words that lead from q
 * to p while X is taken from the stack (Ginsburg 1966, and any book). */
#include <stdio.h>

#include "language/language_text.h"
#include "language/pushdown_impl.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* A configuration: state, symbols read, and the stack from its bottom. */
typedef struct {
    const ThLanguage *l;
    const ThPushdown *p;
    ThLanguageWord word;
    ThIntern known;
    size_t cells; /* of all of them */
    int *from;    /* (known.n): which one it came from; -1: the first */
    size_t from_cap;
    int *next; /* room for one */
    size_t next_cap;
} Search;

static bool note(Search *s, const int *at, size_t size, int from, ThError *err)
{
    size_t n = s->known.n, index;
    if (!th_intern(&s->known, at, size * sizeof *at, &index, err) ||
        !th_grow(&s->from, &s->from_cap, s->known.n, sizeof *s->from, err))
        return false;
    if (index == n) {
        s->from[n] = from;
        s->cells += size;
    }
    return true;
}

static bool follow(Search *s, const ThPushdownRule *r, size_t index, ThError *err)
{
    size_t size;
    const int *at = th_intern_at(&s->known, index, &size);
    int n = (int)(size / sizeof *at) - 2; /* on the stack */
    const int *stack = at + 2;
    if (r->from != at[0] || r->pop.n > n ||
        (r->symbol >= 0 && (at[1] == s->word.n || s->word.symbol[at[1]] != r->symbol)))
        return true;
    for (int i = 0; i < r->pop.n; i++)
        if (stack[n - 1 - i] != s->p->stack[r->pop.from + i])
            return true;
    int left = n - r->pop.n;
    size_t room = 2 + (size_t)left + (size_t)r->push.n;
    if (!th_grow(&s->next, &s->next_cap, room, sizeof *s->next, err))
        return false;
    s->next[0] = r->to;
    s->next[1] = at[1] + (r->symbol >= 0);
    memcpy(s->next + 2, stack, (size_t)left * sizeof *stack);
    for (int i = 0; i < r->push.n; i++)
        s->next[2 + left + i] = s->p->stack[r->push.from + r->push.n - 1 - i];
    return note(s, s->next, room, (int)index, err);
}

static bool accepts(const Search *s, size_t index)
{
    size_t size;
    const int *at = th_intern_at(&s->known, index, &size);
    bool empty = size == 2 * sizeof *at;
    return at[1] == s->word.n && (s->p->accepts[at[0]] || (s->p->by_emptied && empty));
}

static bool describe(const Search *s, size_t index, ThPushdownAt *to, ThError *err)
{
    size_t size;
    const int *at = th_intern_at(&s->known, index, &size);
    ThText t = {0};
    for (int i = (int)(size / sizeof *at) - 1; i >= 2; i--)
        th_text_printf(&t, "%s%s", th_pushdown_symbol(s->p, at[i]), i > 2 ? " " : "");
    *to = (ThPushdownAt){th_pushdown_state(s->p, at[0]), at[1], th_text_take(&t, err)};
    return to->stack != NULL;
}

void th_pushdown_free_run(ThPushdownAt *run, int n)
{
    for (int i = 0; run && i < n; i++)
        free(run[i].stack);
    free(run);
}

/* The configurations that lead to one. */
static bool take_run(const Search *s, size_t index, ThPushdownAt **run, int *n, ThError *err)
{
    *n = 0;
    for (int i = (int)index; i >= 0; i = s->from[i])
        ++*n;
    *run = th_alloc((size_t)*n, sizeof **run, err);
    bool ok = *run != NULL;
    for (int i = (int)index, k = *n; ok && i >= 0; i = s->from[i])
        ok = describe(s, (size_t)i, &(*run)[--k], err);
    return ok;
}

bool th_pushdown_run(const ThLanguage *l, ThLanguageWord word, ThPushdownAt **run, int *n,
                     ThLanguageAnswer *answer, ThStop *stop, ThError *err)
{
    Search s = {.l = l, .p = l->data, .word = word};
    static const int first[] = {0, 0, 0};
    bool ok = note(&s, first, 3, -1, err), found = false;
    size_t i = 0;
    for (; ok && !found && i < s.known.n && s.cells <= TH_PUSHDOWN_MOST; i++) {
        found = accepts(&s, i);
        ok = !th_stopped(stop, err);
        for (size_t k = 0; ok && !found && k < s.p->n_rules; k++)
            ok = follow(&s, &s.p->rule[k], i, err);
    }
    *answer = found ? TH_LANGUAGE_YES : i == s.known.n ? TH_LANGUAGE_NO : TH_LANGUAGE_UNKNOWN;
    if (ok && found && run)
        ok = take_run(&s, i - 1, run, n, err);
    th_intern_free(&s.known);
    TH_FREE(s.from, s.next);
    return ok;
}

/* ---- a grammar ------------------------------------------------------------------------------- */

/* A rule that takes one symbol and puts two at most. */
typedef struct {
    int from, symbol, pop, to, push[2], n;
} Move;

/* Moves; states and symbols beyond those of the automaton are made.  The stack stands on a bottom
 * that no rule of its own takes; in state `end` all is taken. */
typedef struct {
    const ThPushdown *p;
    Move *move;
    size_t n_moves, cap;
    int states, symbols, bottom, end;
    bool *makes; /* (states, symbols, states): has [q X p] words? */
} Triples;

static bool add_move(Triples *t, Move m, ThError *err)
{
    if (!th_grow(&t->move, &t->cap, t->n_moves + 1, sizeof m, err))
        return false;
    t->move[t->n_moves++] = m;
    return true;
}

/* Behind the first symbol X is taken: the other ones of the rule, then what it puts is put from its
 * bottom, one symbol a state; the last move goes where the rule goes. */
static bool add_rest(Triples *t, const ThPushdownRule *r, Move first, ThError *err)
{
    const int *pop = t->p->stack + r->pop.from, *push = t->p->stack + r->push.from;
    Move m = first;
    for (int i = 1; i < r->pop.n; i++) {
        m.to = t->states++;
        if (!add_move(t, m, err))
            return false;
        m = (Move){.from = m.to, .symbol = -1, .pop = pop[i]};
    }
    int put = r->push.n;
    /* what stands in the place of the symbol that is taken: one symbol, or none */
    if (r->pop.n == 0) {
        m.push[0] = first.pop;
        m.n = 1;
    } else if (put > 0) {
        m.push[0] = push[--put];
        m.n = 1;
    }
    while (put > 0) {
        int top = push[--put];
        m.push[1] = m.push[0];
        m.push[0] = top;
        m.n = 2;
        if (put == 0)
            break;
        m.to = t->states++;
        if (!add_move(t, m, err))
            return false;
        m = (Move){.from = m.to, .symbol = -1, .pop = top, .push = {top}, .n = 1};
    }
    m.to = r->to;
    return add_move(t, m, err);
}

static bool add_rules(Triples *t, ThError *err)
{
    int states = (int)t->p->state.n;
    bool ok = true;
    for (size_t i = 0; ok && i < t->p->n_rules; i++) {
        const ThPushdownRule *r = &t->p->rule[i];
        Move m = {.from = r->from, .symbol = r->symbol};
        m.pop = r->pop.n ? t->p->stack[r->pop.from] : 0;
        for (int x = 0; ok && x <= (r->pop.n ? 0 : t->bottom); x++) {
            m.pop = r->pop.n ? m.pop : x;
            ok = add_rest(t, r, m, err);
        }
    }
    for (int x = 0; ok && x <= t->bottom; x++) {
        Move m = {.symbol = -1, .pop = x, .to = t->end};
        for (int q = 0; ok && q < states; q++) {
            m.from = q;
            if (t->p->accepts[q] || (t->p->by_emptied && x == t->bottom))
                ok = add_move(t, m, err);
        }
        m.from = t->end;
        ok = ok && add_move(t, m, err);
    }
    return ok;
}

static bool *triple(const Triples *t, int q, int x, int p)
{
    return &t->makes[((size_t)q * (size_t)t->symbols + (size_t)x) * (size_t)t->states + (size_t)p];
}

/* Calls with(context, move, middle, last) for the ways to make [from pop last] of a move out of
 * triples that have words. */
typedef bool With(void *context, const Move *m, int middle, int last);

static bool each_way(const Triples *t, const Move *m, int only, With *with, void *context)
{
    bool ok = true;
    if (m->n == 0)
        return (only >= 0 && m->to != only) || with(context, m, 0, m->to);
    for (int p = 0; ok && p < t->states; p++) {
        if (!*triple(t, m->to, m->push[0], p))
            continue;
        if (m->n == 1)
            ok = (only >= 0 && p != only) || with(context, m, 0, p);
        for (int q = 0; ok && m->n == 2 && q < t->states; q++)
            if ((only < 0 || q == only) && *triple(t, p, m->push[1], q))
                ok = with(context, m, p, q);
    }
    return ok;
}

typedef struct {
    Triples *t;
    bool more;
} Growing;

static bool mark(void *context, const Move *m, int middle TH_UNUSED, int last)
{
    Growing *g = context;
    bool *at = triple(g->t, m->from, m->pop, last);
    g->more = g->more || !*at;
    *at = true;
    return true;
}

static bool find_words(Triples *t, ThError *err)
{
    enum { MOST = 50000000 };
    size_t n = (size_t)t->states * (size_t)t->symbols * (size_t)t->states;
    Growing g = {t, true};
    if (n > MOST)
        return th_fail(err, TH_ELIMIT, "the grammar of %d states and %d symbols is too large",
                       t->states, t->symbols);
    t->makes = th_alloc(n, sizeof *t->makes, err);
    while (t->makes && g.more) {
        g.more = false;
        for (size_t i = 0; i < t->n_moves; i++)
            each_way(t, &t->move[i], -1, mark, &g);
    }
    return t->makes != NULL;
}

/* ---- its text -------------------------------------------------------------------------------- */

typedef struct {
    const Triples *t;
    const ThLanguage *l;
    ThText text;
    ThIntern variable; /* triples, the start first, as they come up */
    bool first;        /* of the rules of a variable */
    ThError *err;
} Writing;

enum { NAME = 64 };

/* A, B, …, A1, B1, …, or, where that is a symbol, A'1, A'2, …; the start is S. */
static void name_of(const Writing *w, size_t index, char name[NAME])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRTUVWXYZ";
    size_t n = sizeof letters - 1, k = index ? index - 1 : 0, primes = 0;
    char own[NAME / 2] = "S";
    if (index > 0)
        snprintf(own, sizeof own, k < n ? "%c" : "%c%zu", letters[k % n], k / n);
    snprintf(name, NAME, "%s", own);
    for (int a = 0; a < w->l->n_symbols; a++)
        if (strcmp(w->l->symbol[a], name) == 0) {
            snprintf(name, NAME, "%s'%zu", own, ++primes);
            a = -1;
        }
}

static void put_variable(Writing *w, int q, int x, int p)
{
    int key[] = {q, x, p};
    char name[NAME];
    size_t index;
    if (!th_intern(&w->variable, key, sizeof key, &index, w->err))
        return;
    name_of(w, index, name);
    th_text_add(&w->text, " ");
    th_language_write_symbol(&w->text, name);
}

static bool put_way(void *context, const Move *m, int middle, int last)
{
    Writing *w = context;
    th_text_add(&w->text, w->first ? "" : " |");
    w->first = false;
    if (m->symbol >= 0) {
        th_text_add(&w->text, " ");
        th_language_write_symbol(&w->text, w->l->symbol[m->symbol]);
    }
    if (m->n == 0 && m->symbol < 0)
        th_text_add(&w->text, " epsilon");
    if (m->n == 1)
        put_variable(w, m->to, m->push[0], last);
    if (m->n == 2) {
        put_variable(w, m->to, m->push[0], middle);
        put_variable(w, middle, m->push[1], last);
    }
    return w->text.size < (1 << 24);
}

static bool put_rules(Writing *w, ThError *err)
{
    const Triples *t = w->t;
    bool ok = true;
    for (size_t i = 0; ok && i < w->variable.n; i++) {
        int key[3];
        char name[NAME];
        memcpy(key, th_intern_at(&w->variable, i, NULL), sizeof key);
        name_of(w, i, name);
        th_text_add(&w->text, "  ");
        th_language_write_symbol(&w->text, name);
        th_text_add(&w->text, " ->");
        w->first = true;
        for (size_t k = 0; ok && k < t->n_moves; k++)
            if (t->move[k].from == key[0] && t->move[k].pop == key[1])
                ok = each_way(t, &t->move[k], key[2], put_way, w);
        th_text_add(&w->text, "\n");
    }
    return ok || th_fail(err, TH_ELIMIT, "the grammar is too large");
}

/* The start is a state of its own: it puts the automaton's bottom upon the one beneath. */
char *th_pushdown_grammar(const ThLanguage *l, ThError *err)
{
    const ThPushdown *p = l->data;
    int states = (int)p->state.n, bottom = (int)p->on_stack.n;
    Triples t = {
        .p = p, .states = states + 2, .symbols = bottom + 1, .bottom = bottom, .end = states};
    Move begin = {states + 1, -1, bottom, 0, {0, bottom}, 2};
    Writing w = {.t = &t, .l = l, .err = err};
    int key[] = {states + 1, bottom, states};
    size_t index;
    bool ok = add_move(&t, begin, err) && add_rules(&t, err) && find_words(&t, err) &&
              (*triple(&t, key[0], key[1], key[2]) ||
               th_fail(err, TH_EVALUE, "the automaton accepts no word")) &&
              th_intern(&w.variable, key, sizeof key, &index, err);
    th_language_write_alphabet(&w.text, l);
    ok = ok && put_rules(&w, err);
    char *text = ok ? th_text_take(&w.text, err) : NULL;
    th_text_free(&w.text);
    th_intern_free(&w.variable);
    TH_FREE(t.move, t.makes);
    return text;
}
