
#include "turing/analyze.h"

enum { MOST_NODES = 1 << 16, MOST_KNOWN = 1 << 22, MOST_WORK = 1 << 26 };

void th_tm_backward_free(ThTmBackward *b)
{
    TH_FREE(b->node, b->cell);
    *b = (ThTmBackward){0};
}

static int cell_at(const ThTmBackward *b, const ThTmBackNode *x, int position)
{
    bool inside = position >= x->low && position <= x->high;
    return inside ? b->cell[x->cells + (size_t)(position - x->low)] : TH_TM_ANY;
}

/* ---- steps back ------------------------------------------------------------------------------ */

/* Fills in whether a rule that enters the node's state may have led there from `head`. */
static void judge(const ThTmBackward *b, const ThTmBackNode *x, ThTmBackStep *s)
{
    int stands = cell_at(b, x, s->head);
    s->clash = s->head;
    s->fits = stands == TH_TM_ANY || stands == s->written;
    if (x->edge != TH_TM_NO_EDGE && s->head < x->edge) {
        s->fits = false;
        s->written = TH_TM_ANY;
    }
}

/* The same where the head bounced off the edge: it stands on the leftmost cell. */
static void judge_bounce(const ThTmBackward *b, const ThTmBackNode *x, ThTmBackStep *s)
{
    s->head = x->head;
    s->bounces = true;
    judge(b, x, s);
    if ((x->edge != TH_TM_NO_EDGE && x->edge != x->head) || x->low < x->head) {
        s->fits = false;
        s->written = TH_TM_ANY;
    }
}

/* Who is told about the steps that lead to a node. */
typedef struct {
    const ThTmBackward *b;
    const ThTm *m;
    const ThTmReach *r;
    ThTmSeeBackStep *see;
    void *context;
} Telling;

/* The rules for one case. */
static bool each_choice(const Telling *k, const ThTmBackNode *x, int state, int read)
{
    const ThTm *m = k->m;
    size_t n;
    const size_t *choice = th_tm_choices(m, state, &read, &n);
    for (size_t i = 0; i < n; i++) {
        const ThTmRule *rule = &m->rule[choice[i]];
        if ((rule->to == TH_TM_ANY ? state : rule->to) != x->state || !k->r->rule[choice[i]])
            continue;
        ThTmBackStep s = {.rule = (int)choice[i], .state = state, .read = read};
        s.head = x->head - rule->move[0];
        s.written = rule->write[0] == TH_TM_ANY ? read : rule->write[0];
        int written = s.written;
        judge(k->b, x, &s);
        if (!k->see(k->context, &s))
            return false;
        if (rule->move[0] < 0 && m->edge == TH_TM_EDGE_STAY) {
            s.written = written;
            judge_bounce(k->b, x, &s);
            if (!k->see(k->context, &s))
                return false;
        }
    }
    return true;
}

bool th_tm_backward_each(const ThTmBackward *b, size_t node, const ThTm *m, const ThTmReach *r,
                         ThTmSeeBackStep *see, void *context)
{
    const Telling k = {b, m, r, see, context};
    const ThTmBackNode x = b->node[node];
    for (int q = 0; q < m->n_states; q++) {
        if (m->role[q] != TH_TM_RUNS || !r->state[q])
            continue;
        for (int a = 0; a < m->n_symbols; a++)
            if (r->symbol[0][a] && !each_choice(&k, &x, q, a))
                return false;
    }
    return true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

typedef struct {
    ThTmBackward *b;
    const ThTm *m;
    const ThTmTapeWords *words;
    const ThTmReach *r;
    int node;    /* whose predecessors are sought */
    size_t most; /* nodes */
    bool start;  /* the start of the run was found in a node */
    ThError *err;
    bool failed;
} Search;

/* Is the start of the run, the head on cell 0, among the configurations of a node? */
static bool holds_start(const Search *s, const ThTmBackNode *x)
{
    if (x->state != s->m->start || (x->edge != TH_TM_NO_EDGE && x->edge != x->head))
        return false;
    if (s->m->edge != TH_TM_TWO_WAY && x->low < x->head)
        return false;
    for (int p = x->low; p <= x->high; p++) {
        int known = cell_at(s->b, x, p), i = p - x->head;
        int starts = i >= 0 && i < s->words->length[0] ? s->words->word[0][i] : s->m->blank;
        if (known != TH_TM_ANY && known != starts)
            return false;
    }
    return true;
}

/* Adds a node whose cells are those of `like` (or none) but for the scanned one. */
static bool add_node(Search *s, ThTmBackNode x, const ThTmBackNode *like, int scanned)
{
    ThTmBackward *b = s->b;
    x.low = like && like->low < x.head ? like->low : x.head;
    x.high = like && like->high > x.head ? like->high : x.head;
    x.cells = b->n_cells;
    size_t n = (size_t)(x.high - x.low) + 1;
    if (!th_grow(&b->node, &b->cap, b->n + 1, sizeof *b->node, s->err) ||
        !th_grow(&b->cell, &b->cell_cap, b->n_cells + n, sizeof *b->cell, s->err))
        return false;
    for (int p = x.low; p <= x.high; p++)
        b->cell[b->n_cells++] = p == x.head ? scanned : like ? cell_at(b, like, p) : TH_TM_ANY;
    b->node[b->n++] = x;
    b->depth = x.depth > b->depth ? x.depth : b->depth;
    s->start = s->start || holds_start(s, &x);
    return true;
}

static bool add_before(void *context, const ThTmBackStep *step)
{
    Search *s = context;
    if (!step->fits)
        return true;
    const ThTmBackNode after = s->b->node[s->node];
    ThTmBackNode x = {.depth = after.depth + 1, .parent = s->node, .rule = step->rule};
    x.state = step->state;
    x.head = step->head;
    x.edge = step->bounces ? step->head : after.edge;
    s->failed = !add_node(s, x, &after, step->read);
    return !s->failed && !s->start && s->b->n < s->most && s->b->n_cells < MOST_KNOWN;
}

/* The ways to stop in a state that reads a symbol. */
static bool add_root(Search *s, int state, int read)
{
    size_t n;
    const ThTm *m = s->m;
    const size_t *choice = th_tm_choices(m, state, &read, &n);
    bool stops = n == 0, edge = false;
    for (size_t i = 0; i < n; i++) {
        const ThTmRule *rule = &m->rule[choice[i]];
        stops = stops || m->role[rule->to == TH_TM_ANY ? state : rule->to] != TH_TM_RUNS;
        edge =
            edge || (rule->move[0] < 0 && m->edge != TH_TM_EDGE_STAY && m->edge != TH_TM_TWO_WAY);
    }
    ThTmBackNode x = {.state = state, .parent = -1, .rule = -1, .edge = TH_TM_NO_EDGE};
    if (stops)
        return add_node(s, x, NULL, read);
    x.edge = 0;
    return !edge || add_node(s, x, NULL, read);
}

static bool add_roots(Search *s)
{
    const ThTm *m = s->m;
    for (int q = 0; q < m->n_states; q++)
        for (int a = 0; s->r->state[q] && m->role[q] == TH_TM_RUNS && a < m->n_symbols; a++)
            if (s->r->symbol[0][a] && !add_root(s, q, a))
                return false;
    return true;
}

bool th_tm_backward(const ThTmWork *w, const ThTmReach *r, int depth, ThTmBackward *b, bool *proved,
                    ThError *err)
{
    const ThTm *m = w->machine;
    Search s = {.b = b, .m = m, .words = w->words, .r = r, .err = err};
    *b = (ThTmBackward){0};
    *proved = false;
    size_t cases = (size_t)m->n_states * (size_t)m->n_symbols;
    s.most = MOST_WORK / cases < MOST_NODES ? MOST_WORK / cases : MOST_NODES;
    if (m->n_tapes > 1 || m->role[m->start] != TH_TM_RUNS) /* the start is a way to stop */
        return true;
    bool ok = add_roots(&s), whole = true;
    for (size_t i = 0; ok && whole && !s.start && i < b->n; i++) {
        ok = !th_stopped(w->stop, err);
        s.node = (int)i;
        whole = ok && b->node[i].depth < depth && th_tm_backward_each(b, i, m, r, add_before, &s);
        ok = ok && !s.failed;
    }
    *proved = ok && whole && !s.start;
    if (!ok)
        th_tm_backward_free(b);
    return ok;
}
