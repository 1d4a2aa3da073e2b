
#include "turing/analyze.h"

enum { MOST_CONTEXTS = 1 << 15, MOST_WIDTH = 64, MOST_HISTORY = 16, NONE = -1 };

/* An entry of a list in an array: a symbol that may follow, or a context that waits for one. */
typedef struct {
    int next;
    uint16_t symbol;
    size_t at; /* where it is in `waiting` */
} Link;

/* One side of the head: its groups, by all but their farthest cell. */
typedef struct {
    ThIntern *groups;
    ThIntern stems;       /* (width - 1) cells */
    int *follows, *waits; /* (stems): first link, or NONE */
    size_t follow_cap, wait_cap;
} Side;

typedef struct {
    ThTmContexts *c;
    const ThTm *m;
    Side side[2];
    Link *link;
    size_t n_links, link_cap;
    uint16_t *waiting;
    size_t n_waiting, waiting_cap;
    bool stops;
    ThError *err;
} Search;

void th_tm_contexts_free(ThTmContexts *c)
{
    th_intern_free(&c->cell);
    th_intern_free(&c->left);
    th_intern_free(&c->right);
    th_intern_free(&c->context);
    *c = (ThTmContexts){0};
}

static size_t context_size(const Search *s)
{
    return 2 + 2 * (size_t)s->c->width;
}

/* Where in a context the cells of a side begin. */
static size_t side_at(const Search *s, int side)
{
    return 2 + (size_t)side * (size_t)s->c->width;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static bool add_context(Search *s, const uint16_t *x)
{
    size_t index;
    return th_intern(&s->c->context, x, context_size(s) * sizeof *x, &index, s->err);
}

/* A context that waits, with a symbol in the place that is farthest from the head. */
static bool complete(Search *s, int side, size_t at, uint16_t symbol)
{
    uint16_t x[2 + 2 * MOST_WIDTH];
    memcpy(x, s->waiting + at, context_size(s) * sizeof *x);
    x[side_at(s, side) + (size_t)s->c->width - 1] = symbol;
    return add_context(s, x);
}

static bool stem_number(Search *s, int side, const uint16_t *cell, size_t *stem)
{
    Side *x = &s->side[side];
    size_t before = x->stems.n, size = (size_t)(s->c->width - 1) * sizeof *cell;
    if (!th_intern(&x->stems, cell, size, stem, s->err))
        return false;
    if (*stem < before)
        return true;
    if (!th_grow(&x->follows, &x->follow_cap, *stem + 1, sizeof(int), s->err) ||
        !th_grow(&x->waits, &x->wait_cap, *stem + 1, sizeof(int), s->err))
        return false;
    x->follows[*stem] = x->waits[*stem] = NONE;
    return true;
}

static bool add_link(Search *s, int *first, Link link)
{
    if (!th_grow(&s->link, &s->link_cap, s->n_links + 1, sizeof *s->link, s->err))
        return false;
    link.next = *first;
    s->link[s->n_links] = link;
    *first = (int)s->n_links++;
    return true;
}

/* Adds a group of neighbours of one side, and the contexts that waited for it. */
static bool add_group(Search *s, int side, const uint16_t *cell)
{
    Side *x = &s->side[side];
    size_t n = (size_t)s->c->width, before = x->groups->n, index, stem;
    if (!th_intern(x->groups, cell, n * sizeof *cell, &index, s->err))
        return false;
    if (index < before)
        return true;
    if (!stem_number(s, side, cell, &stem) ||
        !add_link(s, &x->follows[stem], (Link){.symbol = cell[n - 1]}))
        return false;
    for (int i = x->waits[stem]; i != NONE; i = s->link[i].next)
        if (!complete(s, side, s->link[i].at, cell[n - 1]))
            return false;
    return true;
}

/* Adds a context for every cell that may come behind those that are known on a side. */
static bool add_waiting(Search *s, int side, const uint16_t *x)
{
    Side *y = &s->side[side];
    size_t stem, at = s->n_waiting, n = context_size(s);
    if (!stem_number(s, side, x + side_at(s, side), &stem) ||
        !th_grow(&s->waiting, &s->waiting_cap, at + n, sizeof *x, s->err))
        return false;
    memcpy(s->waiting + at, x, n * sizeof *x);
    s->n_waiting += n;
    if (!add_link(s, &y->waits[stem], (Link){.at = at}))
        return false;
    for (int i = y->follows[stem]; i != NONE; i = s->link[i].next)
        if (!complete(s, side, at, s->link[i].symbol))
            return false;
    return true;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int symbol_of(const Search *s, uint16_t cell)
{
    return *(const uint16_t *)th_intern_at(&s->c->cell, cell, NULL);
}

/* The cell after a symbol was written on it in a case. */
static bool write_cell(Search *s, uint16_t *cell, int state, int written)
{
    uint16_t x[1 + 2 * MOST_HISTORY];
    size_t size, index, n = 1 + 2 * (size_t)s->c->history;
    const uint16_t *old = th_intern_at(&s->c->cell, *cell, &size);
    size_t kept = size / sizeof *x - 1;
    x[0] = (uint16_t)written;
    if (s->c->history > 0) {
        x[1] = (uint16_t)state;
        x[2] = old[0];
        kept = kept < n - 3 ? kept : n - 3;
        memcpy(x + 3, old + 1, kept * sizeof *x);
        n = kept + 3;
    }
    if (!th_intern(&s->c->cell, x, n * sizeof *x, &index, s->err))
        return false;
    s->stops = s->stops || index > UINT16_MAX;
    *cell = (uint16_t)index;
    return true;
}

/* Symbols have their own numbers; beyond the edge stands the one after them. */
static bool number_symbols(Search *s)
{
    size_t index;
    bool ok = true;
    for (int i = 0; ok && i <= s->m->n_symbols; i++) {
        uint16_t symbol = (uint16_t)i;
        ok = th_intern(&s->c->cell, &symbol, sizeof symbol, &index, s->err);
    }
    return ok;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The head moves to a side; `written` joins the other one. */
static bool move(Search *s, uint16_t *x, int side, uint16_t written)
{
    size_t n = (size_t)s->c->width;
    uint16_t *ahead = x + side_at(s, side), *behind = x + side_at(s, 1 - side);
    memmove(behind + 1, behind, (n - 1) * sizeof *x);
    behind[0] = written;
    x[1] = ahead[0];
    memmove(ahead, ahead + 1, (n - 1) * sizeof *x);
    ahead[n - 1] = 0;
    return add_group(s, 1 - side, behind) && add_waiting(s, side, x);
}

static bool use_rule(Search *s, const uint16_t *from, const ThTmRule *rule)
{
    const ThTm *m = s->m;
    uint16_t x[2 + 2 * MOST_WIDTH];
    memcpy(x, from, context_size(s) * sizeof *x);
    int read = symbol_of(s, x[1]);
    uint16_t written = x[1];
    if (!write_cell(s, &written, x[0], rule->write[0] == TH_TM_ANY ? read : rule->write[0]))
        return false;
    x[0] = rule->to == TH_TM_ANY ? x[0] : (uint16_t)rule->to;
    bool bounces = rule->move[0] < 0 && x[side_at(s, 0)] == m->n_symbols;
    s->stops = s->stops || m->role[x[0]] != TH_TM_RUNS || (bounces && m->edge != TH_TM_EDGE_STAY);
    if (s->stops)
        return true;
    if (rule->move[0] != 0 && !bounces)
        return move(s, x, rule->move[0] > 0, written);
    x[1] = written;
    return add_context(s, x);
}

static bool step(Search *s, size_t i)
{
    uint16_t x[2 + 2 * MOST_WIDTH];
    memcpy(x, th_intern_at(&s->c->context, i, NULL), context_size(s) * sizeof *x);
    size_t n;
    int read = symbol_of(s, x[1]);
    const size_t *choice = th_tm_choices(s->m, x[0], &read, &n);
    s->stops = n == 0;
    for (size_t j = 0; j < n && !s->stops; j++)
        if (!use_rule(s, x, &s->m->rule[choice[j]]))
            return false;
    return true;
}

/* ---- the start ------------------------------------------------------------------------------- */

static int start_cell(const Search *s, const ThTmTapeWords *words, int64_t position)
{
    if (position < 0)
        return s->m->edge == TH_TM_TWO_WAY ? s->m->blank : s->m->n_symbols;
    return position < words->length[0] ? words->word[0][position] : s->m->blank;
}

static bool add_start(Search *s, const ThTmTapeWords *words)
{
    uint16_t x[2 + 2 * MOST_WIDTH], group[MOST_WIDTH];
    int n = s->c->width;
    x[0] = (uint16_t)s->m->start;
    x[1] = (uint16_t)start_cell(s, words, 0);
    for (int i = 0; i < n; i++) {
        x[2 + i] = (uint16_t)start_cell(s, words, -1 - i);
        x[2 + n + i] = (uint16_t)start_cell(s, words, 1 + i);
    }
    for (int at = 1; at <= words->length[0] + 1; at++) {
        for (int i = 0; i < n; i++)
            group[i] = (uint16_t)start_cell(s, words, at + i);
        if (!add_group(s, 1, group))
            return false;
    }
    s->stops = s->m->role[s->m->start] != TH_TM_RUNS;
    return add_group(s, 0, x + 2) && add_context(s, x);
}

static void free_side(Side *x)
{
    th_intern_free(&x->stems);
    TH_FREE(x->follows, x->waits);
}

bool th_tm_contexts(const ThTmWork *w, int width, int history, ThTmContexts *c, bool *proved,
                    ThError *err)
{
    const ThTm *m = w->machine;
    *c = (ThTmContexts){.width = width, .history = history};
    *proved = false;
    if (m->n_tapes > 1 || m->n_states > UINT16_MAX || width < 1 || width > MOST_WIDTH ||
        history > MOST_HISTORY || m->n_symbols >= UINT16_MAX)
        return true;
    Search s = {.c = c, .m = m, .err = err};
    s.side[0].groups = &c->left;
    s.side[1].groups = &c->right;
    bool ok = number_symbols(&s) && add_start(&s, w->words);
    for (size_t i = 0; ok && !s.stops && i < c->context.n && c->context.n <= MOST_CONTEXTS; i++)
        ok = !th_stopped(w->stop, err) && step(&s, i);
    *proved = ok && !s.stops && c->context.n <= MOST_CONTEXTS;
    free_side(&s.side[0]);
    free_side(&s.side[1]);
    TH_FREE(s.link, s.waiting);
    if (!ok)
        th_tm_contexts_free(c);
    return ok;
}
