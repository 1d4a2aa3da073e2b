#include "compile/observe.h"

enum { MOST_ROWS = 1 << 20, MOST_VALUES = 1 << 12, MOST_NODES = 64 };

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool list_inputs(ThCompileObserved *o, ThError *err)
{
    const ThCompileProgram *p = o->p;
    double rows = 0, words = 1;
    for (int n = 1; n <= p->length; n++)
        rows += n * (words *= p->n_letters);
    if (rows > MOST_ROWS)
        return th_fail(err, TH_ELIMIT,
                       "all inputs up to length %d have %.0f symbols, more than %d: there is no "
                       "trying all",
                       p->length, rows, MOST_ROWS);
    size_t room = (size_t)rows;
    o->token = th_alloc(room, sizeof *o->token, err);
    o->position = th_alloc(room, sizeof *o->position, err);
    o->length = th_alloc(room, sizeof *o->length, err);
    if (!o->token || !o->position || !o->length)
        return false;
    words = 1;
    for (int n = 1; n <= p->length; n++) {
        words *= p->n_letters;
        for (long long w = 0; w < (long long)words; w++, o->inputs++) {
            long long rest = w;
            for (int i = n - 1; i >= 0; i--, rest /= p->n_letters) {
                o->token[o->rows + i] = (int)(rest % p->n_letters);
                o->position[o->rows + i] = i;
                o->length[o->rows + i] = n;
            }
            o->rows += n;
        }
    }
    return true;
}

/* Puts the input in front of an error. */
static bool fail_on(const ThCompileObserved *o, int row, ThError *err)
{
    ThText word TH_OWNED(th_text_free) = {0};
    ThError inside = *err;
    for (int i = 0; i < o->length[row] && word.size < 100; i++)
        th_text_printf(&word, "%s%s", i ? " " : "", o->p->name[o->token[row + i]]);
    *err = (ThError){0};
    return th_fail(err, inside.code, "on the input %s: %.300s", th_text_string(&word), inside.msg);
}

static ThRaspRun *run_at(const ThCompileObserved *o, int row, ThError *err)
{
    ThRaspAtom letter[64];
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    for (int i = 0; i < o->length[row]; i++)
        letter[i] = o->p->letter[o->token[row + i]];
    ThRaspRun *r = NULL;
    if (th_rasp_seq_of(letter, (size_t)o->length[row], &input, err))
        r = th_rasp_run_new(o->p->graph, &input, 0, err);
    return r;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* What makes two atoms one value: numbers by their size, others by what they are. */
typedef struct {
    int64_t sort;
    ThRaspCell cell;
} Value;

static bool is_number(ThRaspAtom a)
{
    return a.kind == TH_RASP_ATOM_INT || a.kind == TH_RASP_ATOM_FLOAT ||
           a.kind == TH_RASP_ATOM_BOOL;
}

static double number_of(ThRaspAtom a)
{
    return a.kind == TH_RASP_ATOM_FLOAT ? a.cell.x : (double)a.cell.i;
}

static Value value_of(ThRaspAtom a)
{
    Value v = {.sort = is_number(a) ? -1 : (int64_t)a.kind, .cell = a.cell};
    if (is_number(a))
        v.cell.x = number_of(a) + 0.0; /* no negative zero */
    return v;
}

/* Adds the parts that a node is computed from, element by element. */
static void add_bases(const ThCompileObserved *o, ThRaspSop node, bool *is_base)
{
    const ThRaspNodeInfo *i = th_rasp_node(o->p->graph, node);
    if (i->kind == TH_RASP_NODE_TOKENS)
        is_base[TH_COMPILE_TOKENS] = true;
    else if (i->kind == TH_RASP_NODE_INDICES)
        is_base[TH_COMPILE_INDICES] = true;
    for (size_t k = 0; k < o->n_gathered; k++)
        if (o->gathered[k].node == i->canonical) {
            is_base[TH_COMPILE_GATHERED + k] = true;
            return;
        }
    for (size_t k = 0; !i->selector && k < i->n_args; k++)
        add_bases(o, th_rasp_arg(o->p->graph, node, k), is_base);
}

static bool find_bases(const ThCompileObserved *o, ThCompileColumn *c, ThError *err)
{
    size_t n = TH_COMPILE_GATHERED + o->n_gathered;
    bool *is_base TH_OWNED(free) = th_alloc(n, sizeof *is_base, err);
    c->base = th_alloc(n, sizeof *c->base, err);
    if (is_base && c->base) {
        for (int i = 0; i < c->n; i++)
            add_bases(o, c->node[i], is_base);
        is_base[TH_COMPILE_INDICES] |= c->index;
        for (size_t i = 0; i < n; i++)
            if (is_base[i])
                c->base[c->n_bases++] = (int)i;
    }
    return is_base && c->base;
}

/* Numbers the values of one input's rows; keeps an atom for each value of a column of one node. */
static bool take_rows(const ThCompileObserved *o, ThCompileColumn *c, ThIntern *seen, int row,
                      ThError *err)
{
    Value v[MOST_NODES + 1];
    const ThRaspSeq *seq[MOST_NODES];
    ThRaspRun *r TH_OWNED(th_rasp_run_free) = run_at(o, row, err);
    bool ok = r != NULL;
    for (int k = 0; ok && k < c->n; k++) /* views move while others are computed */
        ok = th_rasp_run_value(r, c->node[k], o->p->stop, err) != NULL;
    for (int k = 0; ok && k < c->n; k++)
        ok = (seq[k] = th_rasp_run_value(r, c->node[k], o->p->stop, err)) != NULL;
    for (int i = 0; ok && i < o->length[row]; i++) {
        size_t id, before = seen->n;
        memset(v, 0, sizeof v);
        for (int k = 0; k < c->n; k++)
            v[k] = value_of(th_rasp_seq_at(seq[k], (size_t)i));
        v[c->n].cell.i = c->index ? i : 0;
        ok = th_intern(seen, v, ((size_t)c->n + 1) * sizeof *v, &id, err);
        if (ok && seen->n > before && seen->n > MOST_VALUES)
            ok = th_fail(err, TH_ELIMIT, "a part of the program takes more than %d values",
                         MOST_VALUES);
        if (ok && seen->n > before && c->n == 1)
            c->atom[id] = th_rasp_seq_at(seq[0], (size_t)i);
        c->id[row + i] = (int)id;
    }
    return ok;
}

static bool same_column(const ThCompileObserved *o, const ThCompileColumn *c, const ThRaspSop *node,
                        int n, bool index)
{
    bool same = c->n == n && c->index == index;
    for (int i = 0; same && i < n; i++)
        same = th_rasp_node(o->p->graph, c->node[i])->canonical ==
               th_rasp_node(o->p->graph, node[i])->canonical;
    return same;
}

static void free_column(ThCompileColumn *c)
{
    TH_FREE(c->node, c->id, c->base, c->atom);
}

/* The column of some nodes, which is made if there is none; -1. */
static int column_of(ThCompileObserved *o, const ThRaspSop *node, int n, bool index, ThError *err)
{
    for (size_t i = 0; i < o->n_columns; i++)
        if (same_column(o, &o->column[i], node, n, index))
            return (int)i;
    ThCompileColumn c = {.n = n, .index = index};
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    c.node = th_copy(node, (size_t)n, sizeof *node, err);
    c.id = th_alloc((size_t)o->rows, sizeof *c.id, err);
    c.atom = th_alloc(n == 1 ? MOST_VALUES + 1 : 1, sizeof *c.atom, err);
    bool ok = c.node && c.id && c.atom && find_bases(o, &c, err) &&
              th_grow(&o->column, &o->cap_columns, o->n_columns + 1, sizeof *o->column, err);
    for (int row = 0; ok && row < o->rows; row += o->length[row])
        if (!take_rows(o, &c, &seen, row, err))
            ok = err->code == TH_EVALUE ? fail_on(o, row, err) : false;
    c.values = (int)seen.n;
    if (!ok) {
        free_column(&c);
        return -1;
    }
    o->column[o->n_columns] = c;
    return (int)o->n_columns++;
}

/* ---- selectors ------------------------------------------------------------------------------- */

static bool add_compared(const ThCompileObserved *o, ThRaspSop node, ThRaspSop *key,
                         ThRaspSop *query, int *n, bool *causal, ThError *err)
{
    const ThRaspNodeInfo *i = th_rasp_node(o->p->graph, node);
    bool leaf = i->kind == TH_RASP_NODE_SELECT || i->kind == TH_RASP_NODE_MATCH;
    size_t args = i->n_args;
    *causal |= i->causal;
    if (leaf && *n == MOST_NODES)
        return th_fail(err, TH_ELIMIT, "a selector compares more than %d things", MOST_NODES);
    if (leaf) {
        key[*n] = th_rasp_arg(o->p->graph, node, 0);
        query[(*n)++] = th_rasp_arg(o->p->graph, node, 1);
    }
    for (size_t k = 0; !leaf && k < args; k++)
        if (!add_compared(o, th_rasp_arg(o->p->graph, node, k), key, query, n, causal, err))
            return false;
    return true;
}

/* Leaves out nodes that are there already. */
static int without_repeats(const ThCompileObserved *o, ThRaspSop *node, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool there = false;
        for (int k = 0; k < kept; k++)
            there |= th_rasp_node(o->p->graph, node[k])->canonical ==
                     th_rasp_node(o->p->graph, node[i])->canonical;
        if (!there)
            node[kept++] = node[i];
    }
    return kept;
}

static bool note_cells(ThCompileObserved *o, ThCompileSelector *s, int row, ThError *err)
{
    int n = o->length[row], queries = o->column[s->query].values;
    ThRaspRun *r TH_OWNED(th_rasp_run_free) = run_at(o, row, err);
    uint8_t *grid TH_OWNED(free) = r ? th_rasp_run_grid(r, s->node, o->p->stop, err) : NULL;
    bool ok = grid != NULL;
    for (int i = 0; ok && i < n; i++) {
        for (int j = 0; ok && j < (o->causal ? i + 1 : n); j++) {
            signed char *cell = &s->selects[o->column[s->key].id[row + j] * queries +
                                            o->column[s->query].id[row + i]];
            ok = *cell < 0 || *cell == (signed char)grid[i * n + j] ||
                 th_fail(err, TH_EVALUE,
                         "a selector tells a number from an equal one of another kind");
            *cell = (signed char)grid[i * n + j];
        }
    }
    return ok;
}

static int selector_of(ThCompileObserved *o, ThRaspSop node, ThError *err)
{
    ThRaspSop key[MOST_NODES], query[MOST_NODES];
    ThCompileSelector s = {.node = th_rasp_node(o->p->graph, node)->canonical};
    int n = 0;
    bool causal = false;
    for (size_t i = 0; i < o->n_selectors; i++)
        if (o->selector[i].node == s.node)
            return (int)i;
    if (!add_compared(o, node, key, query, &n, &causal, err))
        return -1;
    bool index = causal && !o->causal;
    s.key = column_of(o, key, without_repeats(o, key, n), index, err);
    s.query = s.key < 0 ? -1 : column_of(o, query, without_repeats(o, query, n), index, err);
    if (s.query < 0 ||
        !th_grow(&o->selector, &o->cap_selectors, o->n_selectors + 1, sizeof *o->selector, err))
        return -1;
    size_t cells = (size_t)o->column[s.key].values * (size_t)o->column[s.query].values;
    s.selects = th_alloc(cells, 1, err);
    if (!s.selects)
        return -1;
    memset(s.selects, -1, cells);
    bool ok = true;
    for (int row = 0; ok && row < o->rows; row += o->length[row])
        ok = note_cells(o, &s, row, err);
    if (!ok) {
        free(s.selects);
        return -1;
    }
    o->selector[o->n_selectors] = s;
    return (int)o->n_selectors++;
}

static bool selected(const ThCompileObserved *o, const ThCompileSelector *s, int query, int key)
{
    if (o->causal && key > query)
        return false;
    return s->selects[o->column[s->key].id[key] * o->column[s->query].values +
                      o->column[s->query].id[query]] > 0;
}

/* ---- aggregates ------------------------------------------------------------------------------ */

/* What a row gathers: how many, and whether they are all one value. */
typedef struct {
    int n, id; /* id: the value that is taken: any, or the greatest or least */
    bool equal;
    double sum;
} Gathering;

static Gathering gather(const ThCompileObserved *o, const ThCompileGathered *g, int row)
{
    const ThCompileSelector *s = &o->selector[g->selector];
    const int *id = g->column < 0 ? NULL : o->column[g->column].id;
    int from = row - o->position[row];
    Gathering found = {.id = -1, .equal = true};
    for (int j = from; j < from + o->length[row]; j++) {
        if (!selected(o, s, row, j))
            continue;
        found.n++;
        if (!id)
            continue;
        found.equal &= found.id < 0 || id[j] == found.id;
        found.sum += g->number ? g->number[id[j]] : 0;
        bool better = found.id < 0 || (g->order != 0 && g->number &&
                                       g->order * (g->number[id[j]] - g->number[found.id]) > 0);
        found.id = better || g->order == 0 ? id[j] : found.id;
    }
    return found;
}

static bool find_numbers(ThCompileObserved *o, ThCompileGathered *g, ThError *err)
{
    const ThRaspAtom *atom = o->column[g->column].atom;
    int n = o->column[g->column].values;
    for (int i = 0; i < n; i++)
        if (!is_number(atom[i]))
            return g->order == 0 ||
                   th_fail(err, TH_EVALUE, "the greatest or least is taken of what are no numbers");
    g->number = th_alloc((size_t)n, sizeof *g->number, err);
    for (int i = 0; g->number && i < n; i++)
        g->number[i] = number_of(atom[i]);
    return g->number != NULL;
}

static bool find_missing(ThCompileObserved *o, ThCompileGathered *g, ThError *err)
{
    const ThRaspNodeInfo *info = th_rasp_node(o->p->graph, g->node);
    ThRaspAtom missing = info->kind == TH_RASP_NODE_WIDTH ? th_rasp_int(0) : info->atom;
    bool one = true;
    g->missing = -1;
    g->missing_number = is_number(missing) ? number_of(missing) : 0;
    for (int row = 0; row < o->rows; row++) {
        Gathering found = gather(o, g, row);
        one &= found.equal;
        if (found.n == 0)
            g->missing = o->column[g->self].id[row];
        else if (g->to)
            g->to[found.id] = o->column[g->self].id[row];
    }
    if (g->how == TH_COMPILE_WIDTH)
        return true;
    g->how = one || g->order != 0 ? TH_COMPILE_ONE : TH_COMPILE_MEAN;
    if (g->how == TH_COMPILE_MEAN && !g->number)
        return th_fail(err, TH_EVALUE, "an aggregate averages what are not all numbers");
    return g->how == TH_COMPILE_ONE || is_number(missing) || g->missing < 0 ||
           th_fail(err, TH_EVALUE, "an aggregate averages, and its default is no number");
}

static bool find_raw(ThCompileObserved *o, ThCompileGathered *g, ThError *err)
{
    if (g->how == TH_COMPILE_ONE)
        return true;
    g->raw = th_alloc((size_t)o->rows, sizeof *g->raw, err);
    for (int row = 0; g->raw && row < o->rows; row++) {
        Gathering found = gather(o, g, row);
        g->raw[row] = g->how == TH_COMPILE_WIDTH ? 1.0 / (found.n + 1)
                      : found.n == 0             ? g->missing_number
                                                 : found.sum / found.n;
    }
    return g->raw != NULL;
}

static bool add_gathered(ThCompileObserved *o, ThRaspSop node, ThError *err)
{
    const ThRaspNodeInfo info = *th_rasp_node(o->p->graph, node);
    bool width = info.kind == TH_RASP_NODE_WIDTH;
    ThCompileGathered g = {.node = info.canonical, .column = -1};
    for (size_t i = 0; i < o->n_gathered; i++)
        if (o->gathered[i].node == info.canonical)
            return true;
    if (width)
        g.how = TH_COMPILE_WIDTH;
    else if (info.op >= TH_RASP_REDUCE_RIGHTMOST)
        return th_fail(err, TH_EVALUE, "what stands rightmost or leftmost is not compiled so");
    else
        g.order = info.op == TH_RASP_REDUCE_MAX ? 1 : info.op == TH_RASP_REDUCE_MIN ? -1 : 0;
    g.selector = selector_of(o, th_rasp_arg(o->p->graph, node, 0), err);
    if (g.selector < 0 ||
        !th_grow(&o->gathered, &o->cap_gathered, o->n_gathered + 1, sizeof *o->gathered, err))
        return false;
    ThRaspSop values = width ? 0 : th_rasp_arg(o->p->graph, node, 1);
    bool ok = true;
    if (!width) {
        g.column = column_of(o, &values, 1, false, err);
        ok = g.column >= 0 && find_numbers(o, &g, err);
    }
    if (ok && !width) {
        size_t n = (size_t)o->column[g.column].values;
        g.to = th_alloc(n, sizeof *g.to, err);
        for (size_t i = 0; g.to && i < n; i++)
            g.to[i] = -1;
        ok = g.to != NULL;
    }
    o->gathered[o->n_gathered++] = g;
    if (ok)
        ok = (o->gathered[o->n_gathered - 1].self = column_of(o, &node, 1, false, err)) >= 0;
    ThCompileGathered *there = &o->gathered[o->n_gathered - 1];
    return ok && find_missing(o, there, err) && find_raw(o, there, err);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool all_causal(const ThCompileObserved *o, const ThRaspSop *node, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(o->p->graph, node[i]);
        bool leaf = info->kind == TH_RASP_NODE_SELECT || info->kind == TH_RASP_NODE_MATCH;
        any |= leaf;
        if (leaf && !info->causal)
            return false;
    }
    return any;
}

bool th_compile_observe(ThCompileObserved *o, const ThCompileProgram *p, ThError *err)
{
    *o = (ThCompileObserved){.p = p, .output = -1};
    size_t n = 0;
    if (p->length > 64)
        return th_fail(err, TH_ELIMIT, "inputs of at most 64 symbols can be compiled for");
    ThRaspSop *node TH_OWNED(free) = th_rasp_ancestors(p->graph, p->sop, &n, err);
    bool ok = node && list_inputs(o, err);
    o->causal = ok && all_causal(o, node, n);
    for (size_t i = 0; ok && i < n; i++) {
        ThRaspNodeKind kind = th_rasp_node(p->graph, node[i])->kind;
        if (kind == TH_RASP_NODE_AGGREGATE || kind == TH_RASP_NODE_WIDTH)
            ok = add_gathered(o, node[i], err);
    }
    if (ok)
        o->output = column_of(o, &p->sop, 1, false, err);
    return o->output >= 0;
}

void th_compile_observed_free(ThCompileObserved *o)
{
    for (size_t i = 0; i < o->n_columns; i++)
        free_column(&o->column[i]);
    for (size_t i = 0; i < o->n_selectors; i++)
        free(o->selector[i].selects);
    for (size_t i = 0; i < o->n_gathered; i++)
        TH_FREE(o->gathered[i].raw, o->gathered[i].number, o->gathered[i].to);
    TH_FREE(o->column, o->selector, o->gathered, o->token, o->position, o->length);
}
