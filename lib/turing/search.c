#include "turing/search.h"

#include <limits.h>

enum { MOST_BYTES = 1 << 30 };

static const ThTmRunLimits no_limits = {TH_TM_MOST_STEPS, UINT64_MAX};

/* ---- configurations as bytes ----------------------------------------------------------------- */

/* What is kept of a tape, before its cells. */
typedef struct {
    int64_t first; /* position of the first cell; on two-way tapes counted from the head */
    int64_t head;  /* 0 on two-way tapes */
    int64_t n;     /* cells, the first and last of them not blank */
} Stretch;

static void put(ThText *t, const void *bytes, size_t n)
{
    th_text_add_bytes(t, bytes, n);
}

/* The run's configuration as bytes that are the same for the same, in x->key. */
static bool pack(ThTmSearch *x, const ThTmRunning *r, ThError *err)
{
    const ThTm *m = x->machine;
    int edge = r->verdict != th_tm_entered(m, r->state) ? (int)r->verdict : 0;
    x->key.size = 0;
    put(&x->key, &r->state, sizeof r->state);
    put(&x->key, &edge, sizeof edge);
    for (int k = 0; k < m->n_tapes; k++) {
        const ThTmTape *t = &r->tape[k];
        int64_t last;
        Stretch s = {.head = t->head};
        if (th_tm_tape_extent(t, m->blank, &s.first, &last) > 0)
            s.n = last - s.first + 1;
        else
            s.first = t->head;
        const uint16_t *cell = t->cell + (s.first - t->base);
        if (m->edge == TH_TM_TWO_WAY) {
            s.first -= s.head;
            s.head = 0;
        }
        put(&x->key, &s, sizeof s);
        put(&x->key, cell, (size_t)s.n * sizeof *cell);
    }
    return !x->key.failed || th_fail(err, TH_ENOMEM, "out of memory for a search");
}

/* Lays a tape out with its head in reach of both sides. */
static bool lay_out(ThTmTape *t, const Stretch *s, const unsigned char *cells, int blank,
                    ThError *err)
{
    enum { SPARE = 2 };
    int64_t from = s->head < s->first ? s->head : s->first, end = s->first + s->n;
    int64_t to = s->head >= end ? s->head + 1 : end;
    size_t size = (size_t)(to - from) + 2 * (size_t)SPARE;
    if (t->size < size) {
        th_tm_tape_free(t);
        t->cell = th_alloc(2 * size, sizeof *t->cell, err);
        if (!t->cell)
            return false;
        t->size = 2 * size;
    }
    for (size_t i = 0; i < t->size; i++)
        t->cell[i] = (uint16_t)blank;
    t->base = from - SPARE;
    t->head = t->low = t->high = s->head;
    t->left = t->right = 0;
    uint16_t *cell = t->cell + (s->first - t->base);
    if (s->n > 0)
        memcpy(cell, cells, (size_t)s->n * sizeof *cell);
    for (int64_t i = 0; i < s->n; i++) {
        t->left += cell[i] != blank && s->first + i < s->head;
        t->right += cell[i] != blank && s->first + i > s->head;
    }
    return true;
}

/* The opposite of pack, into the scratch run. */
static bool unpack(ThTmSearch *x, uint32_t node, ThError *err)
{
    const ThTm *m = x->machine;
    ThTmRunning *r = &x->scratch;
    const unsigned char *at = th_intern_at(&x->contents, node, NULL);
    memcpy(&r->state, at, sizeof r->state);
    at += 2 * sizeof(int);
    for (int k = 0; k < m->n_tapes; k++) {
        Stretch s;
        memcpy(&s, at, sizeof s);
        at += sizeof s;
        if (!lay_out(&r->tape[k], &s, at, m->blank, err))
            return false;
        at += (size_t)s.n * sizeof(uint16_t);
    }
    r->steps = x->node[node].depth;
    r->rule = x->node[node].rule;
    r->verdict = x->node[node].verdict;
    return true;
}

static uint64_t cells_of(const ThTmRunning *r)
{
    uint64_t n = 0;
    for (int k = 0; k < r->machine->n_tapes; k++) {
        const ThTmTape *t = &r->tape[k];
        int64_t first, last;
        if (th_tm_tape_extent(t, r->machine->blank, &first, &last) == 0)
            first = last = t->head;
        first = t->head < first ? t->head : first;
        last = t->head > last ? t->head : last;
        n += (uint64_t)(last - first) + 1;
    }
    return n;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A run that has no rule to go on with stops at once, unless it makes one more step. */
static void settle(ThTmRunning *r)
{
    uint64_t none = 0;
    size_t n = 1;
    if (r->verdict == TH_TM_GOES_ON && r->machine->missing != TH_TM_MISSING_STEP)
        th_tm_running_choices(r, &n);
    if (n == 0)
        r->verdict = th_tm_missed(r->machine, &none);
}

/* Adds the node where run r stands, unless it is known; *number is TH_TM_NO_NODE where a limit
 * keeps it out. */
static bool add_node(ThTmSearch *x, const ThTmRunning *r, ThTmSearchNode node, uint32_t *number,
                     ThError *err)
{
    size_t index;
    *number = TH_TM_NO_NODE;
    if (!pack(x, r, err))
        return false;
    index = th_intern_find(&x->contents, x->key.data, x->key.size);
    if (index < x->n) {
        *number = (uint32_t)index;
        return true;
    }
    if (cells_of(r) > x->limits.cells) {
        x->cut[TH_TM_OUT_OF_CELLS] = true;
        return true;
    }
    if (x->n >= x->limits.configurations || x->n >= INT_MAX || x->contents.size > MOST_BYTES) {
        x->cut[TH_TM_OUT_OF_CONFIGURATIONS] = true;
        return true;
    }
    if (!th_grow(&x->node, &x->node_cap, x->n + 1, sizeof *x->node, err) ||
        !th_intern(&x->contents, x->key.data, x->key.size, &index, err))
        return false;
    node.verdict = r->verdict;
    *number = (uint32_t)x->n;
    x->node[x->n++] = node;
    if (x->first[r->verdict] == TH_TM_NO_NODE)
        x->first[r->verdict] = *number;
    return true;
}

static bool accepts(const ThTm *m)
{
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] == TH_TM_ACCEPTS)
            return true;
    return false;
}

bool th_tm_search_start(ThTmSearch *x, const ThTm *m, const ThTmTapeWords *words,
                        ThTmSearchLimits limits, bool all, ThError *err)
{
    ThTmSearchNode root = {.parent = TH_TM_NO_NODE, .rule = -1};
    uint32_t number;
    *x = (ThTmSearch){.machine = m, .limits = limits, .all = all, .goal = TH_TM_NO_NODE};
    for (size_t v = 0; v < sizeof x->first / sizeof *x->first; v++)
        x->first[v] = TH_TM_NO_NODE;
    if (x->limits.configurations < 1)
        x->limits.configurations = 1;
    x->limits.cells = UINT64_MAX; /* the start is kept in any case */
    bool ok = th_tm_running_start_words(&x->scratch, m, words, err);
    if (ok) {
        settle(&x->scratch);
        ok = add_node(x, &x->scratch, root, &number, err);
    }
    x->limits.cells = limits.cells;
    if (!ok)
        th_tm_search_free(x);
    return ok;
}

void th_tm_search_free(ThTmSearch *x)
{
    TH_FREE(x->node, x->edge);
    th_intern_free(&x->contents);
    th_text_free(&x->key);
    th_tm_running_free(&x->scratch);
    *x = (ThTmSearch){0};
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Follows one rule from a node. */
static bool follow(ThTmSearch *x, uint32_t from, int rule, ThError *err)
{
    ThTmRunning *r = &x->scratch;
    size_t before = x->n;
    uint32_t to;
    if (!unpack(x, from, err) || !th_tm_running_apply(r, rule, no_limits, err))
        return false;
    settle(r);
    ThTmSearchNode node = {.parent = from, .rule = rule, .depth = x->node[from].depth + 1};
    if (!add_node(x, r, node, &to, err))
        return false;
    if (to == TH_TM_NO_NODE)
        return true;
    if (!th_grow(&x->edge, &x->edge_cap, x->n_edges + 1, sizeof *x->edge, err))
        return false;
    bool again = x->n == before;
    x->edge[x->n_edges++] = (ThTmSearchEdge){to, rule, again};
    x->again += again;
    return true;
}

/* Gives the next node its edges. */
static bool expand(ThTmSearch *x, ThError *err)
{
    uint32_t from = (uint32_t)x->expanded;
    bool goes_on = x->node[from].verdict == TH_TM_GOES_ON;
    if (goes_on && x->node[from].depth >= x->limits.steps)
        x->cut[TH_TM_OUT_OF_STEPS] = true;
    if (goes_on && x->node[from].depth < x->limits.steps) {
        size_t n;
        if (!unpack(x, from, err))
            return false;
        const size_t *rule = th_tm_running_choices(&x->scratch, &n);
        if (n == 0 && !follow(x, from, -1, err))
            return false;
        for (size_t i = 0; i < n; i++)
            if (!follow(x, from, (int)rule[i], err))
                return false;
    }
    x->node[from].edges_end = x->n_edges;
    x->expanded++;
    return true;
}

/* True if some run goes round in a circle: what is left after taking away, again and again, the
 * nodes that nothing leads to. */
static bool has_circle(const ThTmSearch *x, bool *circle, ThError *err)
{
    uint32_t *into TH_OWNED(free) = th_alloc(x->n, sizeof *into, err);
    uint32_t *queue TH_OWNED(free) = th_alloc(x->n, sizeof *queue, err);
    size_t n = 0;
    for (size_t i = 0; into && queue && i < x->n_edges; i++)
        into[x->edge[i].to]++;
    if (into && queue && into[0] == 0)
        queue[n++] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t edges;
        const ThTmSearchEdge *e = th_tm_search_edges(x, queue[i], &edges);
        for (size_t j = 0; j < edges; j++)
            if (--into[e[j].to] == 0)
                queue[n++] = e[j].to;
    }
    bool ok = into && queue;
    *circle = n < x->n;
    return ok;
}

/* All nodes have their edges. */
static bool finish(ThTmSearch *x, ThError *err)
{
    static const ThTmVerdict limit[] = {TH_TM_OUT_OF_CONFIGURATIONS, TH_TM_OUT_OF_CELLS,
                                        TH_TM_OUT_OF_STEPS};
    bool circle = false;
    for (size_t i = 0; i < 3 && x->verdict == TH_TM_GOES_ON; i++)
        if (x->cut[limit[i]])
            x->verdict = limit[i];
    if (x->verdict != TH_TM_GOES_ON)
        return true;
    if (!has_circle(x, &circle, err))
        return false;
    x->verdict = TH_TM_REJECTED;
    if (x->first[TH_TM_AT_EDGE] != TH_TM_NO_NODE)
        x->verdict = TH_TM_AT_EDGE;
    if (x->first[TH_TM_HALTED] != TH_TM_NO_NODE)
        x->verdict = TH_TM_HALTED;
    if (circle)
        x->verdict = TH_TM_ENDLESS;
    if (x->verdict == TH_TM_AT_EDGE || x->verdict == TH_TM_HALTED)
        x->goal = x->first[x->verdict];
    return true;
}

bool th_tm_search_go(ThTmSearch *x, size_t work, ThStop *stop, ThError *err)
{
    enum { LOOK = 256 };
    ThTmVerdict target = accepts(x->machine) ? TH_TM_ACCEPTED : TH_TM_HALTED;
    for (size_t i = 0; x->verdict == TH_TM_GOES_ON && i < work; i++) {
        bool found = x->first[target] != TH_TM_NO_NODE, full = x->cut[TH_TM_OUT_OF_CONFIGURATIONS];
        if (i % LOOK == 0 && th_stopped(stop, err))
            return false;
        if (found && (!x->all || full || x->expanded == x->n)) {
            x->verdict = target;
            x->goal = x->first[target];
        } else if (full || x->expanded == x->n) {
            return finish(x, err);
        } else if (!expand(x, err)) {
            return false;
        }
    }
    return true;
}

/* ---- what was found -------------------------------------------------------------------------- */

uint64_t th_tm_search_depth(const ThTmSearch *x)
{
    return x->n > 0 ? x->node[x->n - 1].depth : 0;
}

const ThTmSearchEdge *th_tm_search_edges(const ThTmSearch *x, uint32_t node, size_t *n)
{
    size_t from = node > 0 ? x->node[node - 1].edges_end : 0;
    *n = node < x->expanded ? x->node[node].edges_end - from : 0;
    return *n > 0 ? x->edge + from : x->edge;
}

const ThTmRunning *th_tm_search_configuration(ThTmSearch *x, uint32_t node, ThError *err)
{
    return unpack(x, node, err) ? &x->scratch : NULL;
}

int *th_tm_search_path(const ThTmSearch *x, uint32_t node, ThError *err)
{
    int *path = th_alloc(x->node[node].depth, sizeof *path, err);
    for (uint32_t at = node; path && x->node[at].parent != TH_TM_NO_NODE; at = x->node[at].parent)
        path[x->node[at].depth - 1] = x->node[at].rule;
    return path;
}
