/* endless_sets.c - sets of configurations that are closed under steps: contexts, repeated words,
 * and the automaton of all that may stop. */

#include "proof/machine/endless_impl.h"

/* ---- contexts -------------------------------------------------------------------------------- */

enum { WIDEST = 64, HISTORIES = 16, MOST_CONTEXTS = 1 << 15 };

/* A context is state, scanned cell, cells to the left from the head outwards, cells to the right; a
 * cell is a symbol, with the last cases (state, symbol) in which it was written. */
typedef struct {
    Endless *e;
    size_t width, history;
    ThIntern cell, group[2],
        context; /* group: neighbours on a side, not those nearest to the head */
    bool closed;
} Contexts;

typedef int Context[2 + 2 * WIDEST];

static bool write_cell(Contexts *c, int *cell, int state, int written)
{
    unsigned char x[1 + 2 * HISTORIES + 2];
    size_t size, index;
    const unsigned char *old = th_intern_at(&c->cell, (size_t)*cell, &size);
    x[0] = (unsigned char)written;
    x[1] = (unsigned char)state;
    x[2] = old[0];
    memcpy(x + 3, old + 1, size - 1);
    size = size + 2 < 1 + 2 * c->history ? size + 2 : 1 + 2 * c->history;
    if (!th_intern(&c->cell, x, size, &index, c->e->err))
        return false;
    *cell = (int)index;
    return true;
}

/* All contexts that a step leads to. */
static bool step_context(Contexts *c, size_t i)
{
    Endless *e = c->e;
    Context x;
    size_t index, n = c->width, size = (2 + 2 * n) * sizeof *x;
    memcpy(x, th_intern_at(&c->context, i, NULL), size);
    int read = *(const unsigned char *)th_intern_at(&c->cell, (size_t)x[1], NULL), written = x[1];
    const EndlessRule *r = &e->rule[x[0]][read];
    size_t side = r->move > 0;
    int *ahead = x + 2 + side * n, *behind = x + 2 + (1 - side) * n;
    if (r->to == ENDLESS_STOP || c->context.n > MOST_CONTEXTS)
        return c->closed = false;
    if (!write_cell(c, &written, x[0], r->write) ||
        !th_intern(&c->group[1 - side], behind, n * sizeof *x, &index, e->err))
        return false;
    memmove(behind + 1, behind, (n - 1) * sizeof *x);
    behind[0] = written;
    x[0] = r->to;
    x[1] = ahead[0];
    memmove(ahead, ahead + 1, (n - 1) * sizeof *x);
    for (size_t k = 0; k < c->group[side].n; k++) {
        const int *g = th_intern_at(&c->group[side], k, NULL);
        if (memcmp(g, ahead, (n - 1) * sizeof *x) != 0)
            continue;
        ahead[n - 1] = g[n - 1];
        if (!th_intern(&c->context, x, size, &index, e->err))
            return false;
    }
    return !th_stopped(e->stop, e->err);
}

bool th_proof_endless_contexts(Endless *e)
{
    Contexts c = {.e = e, .closed = true};
    Context x = {0};
    size_t index, before = 0;
    if (e->number[0] < 1 || e->number[0] > WIDEST || e->number[1] < 0 || e->number[1] > HISTORIES)
        return false;
    c.width = (size_t)e->number[0];
    c.history = (size_t)e->number[1];
    bool ok = th_intern(&c.cell, "", 1, &index, e->err) &&
              th_intern(&c.group[0], x, c.width * sizeof *x, &index, e->err) &&
              th_intern(&c.group[1], x, c.width * sizeof *x, &index, e->err) &&
              th_intern(&c.context, x, (2 + 2 * c.width) * sizeof *x, &index, e->err);
    for (size_t all = 1;
         ok && all != before;) { /* groups that are new may go on from any context */
        before = all;
        for (size_t i = 0; ok && i < c.context.n; i++)
            ok = step_context(&c, i);
        all = c.context.n + c.group[0].n + c.group[1].n;
    }
    th_intern_free(&c.cell);
    th_intern_free(&c.group[0]);
    th_intern_free(&c.group[1]);
    th_intern_free(&c.context);
    return ok && c.closed;
}

/* ---- finite automata reduction --------------------------------------------------------------- */

/* A configuration is read up to the head by an automaton, and from there by one with choices, whose
 * states are those of the first with the machine's, and one from which all stops: the least that
 * takes every configuration that may stop. */
typedef struct {
    Endless *e;
    int forward, states, all;  /* all: the number of the last state, the one that stops */
    bool *to[ENDLESS_SYMBOLS]; /* (all + 1, all + 1) */
} Far;

static bool *way(const Far *f, int symbol, int from, int to)
{
    return &f->to[symbol][from * (f->all + 1) + to];
}

static int next(const Far *f, int state, int symbol)
{
    return (int)f->e->number[1 + state * f->e->symbols + symbol];
}

/* The ways that a rule asks for, from (state i, q) by the symbol read; whether there are new ones.
 */
static bool follow_rule(const Far *f, int i, int q, int read)
{
    const Endless *e = f->e;
    const EndlessRule *r = &e->rule[q][read];
    bool more = false;
    bool *is = r->to == ENDLESS_STOP ? way(f, read, i * e->states + q, f->all)
               : (r->move > 0) == (f->forward == 1)
                   ? way(f, read, i * e->states + q, next(f, i, r->write) * e->states + r->to)
                   : NULL;
    if (is) {
        more = !*is;
        *is = true;
        return more;
    }
    for (int b = 0; b < e->symbols; b++)
        for (int y = 0; y <= f->all; y++)
            for (int z = 0; *way(f, b, i * e->states + r->to, y) && z <= f->all; z++) {
                is = way(f, read, next(f, i, b) * e->states + q, z);
                if (*way(f, r->write, y, z) && !*is)
                    *is = more = true;
            }
    return more;
}

static bool start_may_stop(const Far *f)
{
    bool more = true, *may = way(f, 0, f->all, 0); /* the last row, of what leads on by blanks */
    for (int x = 0; x < f->all; x++)
        may[x] = false;
    while (more) {
        more = false;
        for (int x = 0; x < f->all; x++)
            for (int y = 0; !may[x] && y <= f->all; y++)
                if (may[y] && *way(f, 0, x, y))
                    may[x] = more = true;
    }
    return may[0];
}

static bool close_far(const Far *f)
{
    const Endless *e = f->e;
    bool more = true;
    for (int a = 0; a < e->symbols; a++)
        *way(f, a, f->all, f->all) = true;
    while (more) {
        more = false;
        for (int i = 0; i < f->states; i++)
            for (int q = 0; q < e->states; q++)
                for (int a = 0; a < e->symbols; a++)
                    more = follow_rule(f, i, q, a) || more;
        if (th_stopped(e->stop, e->err))
            return false;
    }
    return !start_may_stop(f);
}

bool th_proof_endless_far(Endless *e)
{
    Far f = {.e = e, .forward = e->number[0] == 1, .states = (e->n - 1) / e->symbols};
    f.all = f.states * e->states;
    bool ok = (f.forward || e->number[0] == 0) && e->n == 1 + f.states * e->symbols &&
              f.states <= 40 && e->number[1] == 0;
    for (int i = 1; i < e->n; i++)
        ok = ok && e->number[i] >= 0 && e->number[i] < f.states;
    for (int a = 0; ok && a < e->symbols; a++)
        ok = (f.to[a] = th_alloc((size_t)(f.all + 1) * (size_t)(f.all + 1), 1, e->err)) != NULL;
    ok = ok && close_far(&f);
    for (int a = 0; a < e->symbols; a++)
        free(f.to[a]);
    return ok;
}

/* ---- repeated words -------------------------------------------------------------------------- */

enum { LONGEST = 64, MOST_ITEMS = 255, MOST_TAPES = 1 << 16, MOST_INSIDE = 100000 };

/* A word some times over; as many times as are told from more: so many at least. */
typedef struct {
    int times;
    unsigned char word[LONGEST];
} Item;

/* Both halves of a tape, each from its far end to the head, which stands outside of both and looks
 * at the nearest item of a side. */
typedef struct {
    int state, side, n[2];
    Item item[2][MOST_ITEMS];
} Tape;

typedef struct {
    Endless *e;
    size_t length;
    int most;
    ThIntern met;
} Words;

static bool push(const Words *w, Tape *t, int side, const unsigned char *word)
{
    static const unsigned char blank[LONGEST];
    int n = t->n[side];
    Item *last = n ? &t->item[side][n - 1] : NULL;
    if (!last && memcmp(word, blank, w->length) == 0)
        return true;
    if (last && memcmp(last->word, word, w->length) == 0) {
        last->times += last->times < w->most;
        return true;
    }
    if (n == MOST_ITEMS)
        return false;
    last = &t->item[side][t->n[side]++];
    last->times = 1;
    memcpy(last->word, word, w->length);
    return true;
}

static bool remember(Words *w, const Tape *t)
{
    unsigned char text[4 + 2 * MOST_ITEMS * (LONGEST + 1)];
    size_t n = 0, index;
    text[n++] = (unsigned char)t->state;
    text[n++] = (unsigned char)t->side;
    for (int side = 0; side < 2; side++) {
        text[n++] = (unsigned char)t->n[side];
        for (int i = 0; i < t->n[side]; i++) {
            text[n++] = (unsigned char)t->item[side][i].times;
            memcpy(text + n, t->item[side][i].word, w->length);
            n += w->length;
        }
    }
    return th_intern(&w->met, text, n, &index, w->e->err) && w->met.n <= MOST_TAPES;
}

static void recall(const Words *w, size_t i, Tape *t)
{
    const unsigned char *text = th_intern_at(&w->met, i, NULL);
    t->state = *text++;
    t->side = *text++;
    for (int side = 0; side < 2; side++) {
        t->n[side] = *text++;
        for (int k = 0; k < t->n[side]; k++) {
            t->item[side][k].times = *text++;
            memcpy(t->item[side][k].word, text, w->length);
            text += w->length;
        }
    }
}

/* The head goes into a word, `times` times over, until it comes out of it on a side. */
static bool inside(Words *w, Tape *t, const Item *item, int times)
{
    unsigned char cell[LONGEST * 8] = {0};
    int n = (int)w->length * times, at = t->side ? 0 : n - 1;
    for (int i = 0; i < times; i++)
        memcpy(cell + (size_t)i * w->length, item->word, w->length);
    for (int steps = 0; at >= 0 && at < n; steps++) {
        const EndlessRule *r = &w->e->rule[t->state][cell[at]];
        if (r->to == ENDLESS_STOP || steps == MOST_INSIDE)
            return false;
        cell[at] = (unsigned char)r->write;
        at += r->move;
        t->state = r->to;
    }
    t->side = at >= n;
    for (int i = 0; i < times; i++)
        if (!push(w, t, !t->side, cell + (size_t)(t->side ? i : times - 1 - i) * w->length))
            return false;
    return remember(w, t);
}

static bool step_words(Words *w, size_t i, Tape *t, Tape *copy)
{
    Item item = {.times = 1};
    recall(w, i, t);
    if (t->n[t->side] > 0)
        item = t->item[t->side][t->n[t->side] - 1];
    *copy = *t;
    t->n[t->side] -= t->n[t->side] > 0;
    if (!inside(w, t, &item, item.times))
        return false;
    /* One of them, and behind it still so many at least. */
    return item.times < w->most || inside(w, copy, &item, 1);
}

bool th_proof_endless_words(Endless *e)
{
    Words w = {.e = e, .length = (size_t)e->number[0], .most = (int)e->number[1]};
    if (e->number[0] < 1 || e->number[0] > LONGEST || e->number[1] < 2 || e->number[1] > 8)
        return false;
    Tape *t TH_OWNED(free) = th_alloc(1, sizeof *t, e->err);
    Tape *copy TH_OWNED(free) = th_alloc(1, sizeof *copy, e->err);
    if (!t || !copy)
        return false;
    t->side = 1;
    bool ok = remember(&w, t);
    for (size_t i = 0; ok && i < w.met.n; i++)
        ok = step_words(&w, i, t, copy) && !th_stopped(e->stop, e->err);
    th_intern_free(&w.met);
    return ok;
}
