/* The rows of select: for every row the interval of the ranks of keys that it selects. */

#include "rasp/evaluate/run_impl.h"

enum { PAIRS_MAX = 1 << 26, POLL = 4096 };

void th_rasp_match_free(ThRaspMatch *m)
{
    if (!m)
        return;
    TH_FREE(m->lo, m->hi, m->table, m->query, m);
}

static bool have_order(ThRaspAtomKind a, ThRaspAtomKind b)
{
    bool text = a == TH_RASP_ATOM_STRING || a == TH_RASP_ATOM_TUPLE;
    return text ? a == b : b != TH_RASP_ATOM_STRING && b != TH_RASP_ATOM_TUPLE;
}

/* From the keys below a query and those up to it to the interval that an operator selects. */
static void interval(ThRaspBinary op, uint32_t m, uint32_t below, uint32_t upto, uint32_t *lo,
                     uint32_t *hi)
{
    *lo = op == TH_RASP_OP_GT ? upto : op == TH_RASP_OP_LT || op == TH_RASP_OP_LE ? 0 : below;
    *hi = op == TH_RASP_OP_LT ? below : op == TH_RASP_OP_GT || op == TH_RASP_OP_GE ? m : upto;
}

/* The intervals of all rows of a select by an operator. */
static bool compare_all(const ThRaspRun *r, ThRaspMatch *m, ThRaspBinary op,
                        const ThRaspSeq *queries, bool same, ThStop *stop, ThError *err)
{
    uint32_t below, upto, n_keys = m->keys->m;
    for (size_t i = 0; i < r->n; i++) {
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (same) {
            below = m->keys->rank[i];
            upto = below + 1;
        } else if ((i == 0 || !queries->constant) &&
                   !th_rasp_ranks_find(m->keys, r->atoms, th_rasp_seq_at(queries, i), &below, &upto,
                                       err)) {
            return false;
        }
        interval(op, n_keys, below, upto, &m->lo[i], &m->hi[i]);
    }
    return true;
}

static bool select_by_operator(ThRaspRun *r, ThRaspSop canonical, ThRaspMatch *m, ThStop *stop,
                               ThError *err)
{
    ThRaspBinary op = th_rasp_node(r->g, canonical)->op;
    ThRaspSop keys = th_rasp_run_arg(r, canonical, 0), queries = th_rasp_run_arg(r, canonical, 1);
    ThRaspAtomKind k = th_rasp_run_value_of(r, keys)->kind,
                   q = th_rasp_run_value_of(r, queries)->kind;
    bool by_order = op != TH_RASP_OP_EQ && op != TH_RASP_OP_NE;
    if (by_order && !have_order(k, q))
        return th_fail(err, TH_EVALUE, "select cannot compare %s with %s by %s",
                       th_rasp_atom_kind_plural(k), th_rasp_atom_kind_plural(q),
                       th_rasp_binary_name(op)) ||
               th_hint(err, "== and != compare values of any two types");
    m->except = op == TH_RASP_OP_NE;
    m->keys =
        th_rasp_run_ranks(r, keys, by_order ? TH_RASP_BY_ORDER : TH_RASP_BY_EQUALITY, stop, err);
    return m->keys &&
           compare_all(r, m, op, th_rasp_run_value_of(r, queries), keys == queries, stop, err);
}

/* The table of a function: which of the different keys go with which of the different queries.  Of
 * a causal select only pairs that occur are asked for. */
static bool ask_all(ThRaspRun *r, ThRaspSop canonical, ThRaspMatch *m, const ThRaspRanks *queries,
                    ThStop *stop, ThError *err)
{
    const ThRaspFunctionOf *f = th_rasp_function(r->g, th_rasp_node(r->g, canonical)->table);
    ThRaspFunctionOf function = *f; /* the callee may make nodes */
    bool causal = th_rasp_node(r->g, canonical)->causal;
    uint32_t *last TH_OWNED(free) = th_alloc(queries->m, sizeof *last, err);
    if (!last)
        return false;
    for (size_t i = 0; i < r->n; i++)
        last[queries->rank[i]] = (uint32_t)i;
    bool ok = true;
    for (size_t q = 0, asked = 0; ok && q < queries->m; q++)
        for (size_t k = 0; ok && k < m->keys->m; k++) {
            if (causal && m->keys->position[k] > last[q])
                continue;
            ThRaspAtom pair[] = {m->keys->value[k], queries->value[q]}, result = {0};
            ok = (asked++ % POLL || !th_stopped(stop, err)) &&
                 function.call(function.context, r->atoms, pair, 2, &result, err);
            if (ok && th_rasp_atom_true(r->atoms, result))
                m->table[q * m->words + k / 64] |= (uint64_t)1 << (k % 64);
        }
    return ok;
}

static bool select_by_function(ThRaspRun *r, ThRaspSop canonical, ThRaspMatch *m, ThStop *stop,
                               ThError *err)
{
    ThRaspSop keys = th_rasp_run_arg(r, canonical, 0), queries = th_rasp_run_arg(r, canonical, 1);
    m->keys = th_rasp_run_ranks(r, keys, TH_RASP_BY_IDENTITY, stop, err);
    const ThRaspRanks *q =
        m->keys ? th_rasp_run_ranks(r, queries, TH_RASP_BY_IDENTITY, stop, err) : NULL;
    if (!q)
        return false;
    if ((uint64_t)m->keys->m * q->m > PAIRS_MAX)
        return th_fail(
            err, TH_ELIMIT,
            "a function selects among %u keys and %u queries: %d pairs at most can be asked for",
            m->keys->m, q->m, PAIRS_MAX);
    m->words = (m->keys->m + 63) / 64;
    m->table = th_alloc(m->words * q->m, sizeof *m->table, err);
    m->query = th_copy(q->rank, r->n, sizeof *q->rank, err);
    return m->table && m->query && ask_all(r, canonical, m, q, stop, err);
}

bool th_rasp_run_match(ThRaspRun *r, ThRaspSop canonical, ThStop *stop, ThError *err)
{
    ThRaspMatch *m = th_alloc(1, sizeof *m, err);
    bool ok = m && th_rasp_run_charge(r, 2 * r->n * sizeof *m->lo, err) &&
              (m->lo = th_alloc(r->n, sizeof *m->lo, err)) &&
              (m->hi = th_alloc(r->n, sizeof *m->hi, err));
    if (ok && th_rasp_node(r->g, canonical)->kind == TH_RASP_NODE_SELECT)
        ok = select_by_operator(r, canonical, m, stop, err);
    else if (ok)
        ok = select_by_function(r, canonical, m, stop, err);
    if (!ok) {
        th_rasp_match_free(m);
        return false;
    }
    r->slot[canonical].match = m;
    return true;
}
