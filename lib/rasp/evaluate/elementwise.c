/* Element-wise s-ops: one element after the other. */

#include "rasp/evaluate/run_impl.h"
#include "rasp/values/column.h"

enum { POLL = 4096 };

typedef struct {
    ThRaspRun *r;
    ThRaspNodeInfo node;
    const ThRaspSeq *arg[TH_RASP_MAP_ARGS];
    ThRaspTable list;      /* of a list or dictionary */
    ThRaspAtomTable table; /* its values, its keys; or the arguments of a function so far, */
    uint32_t *last;        /* the last value of each key: of a key that is given twice it counts; */
    ThRaspAtom *result;    /* what the function gave for each */
    size_t cap;
    ThRaspFunctionOf function;
} Work;

static bool no_such(const ThRaspAtoms *p, ThRaspAtom x, const char *what, ThError *err)
{
    ThText t = {0};
    th_rasp_atom_write(p, x, &t);
    char *shown TH_OWNED(free) = th_text_take(&t, err);
    return shown && th_fail(err, TH_EVALUE, "%.100s is no %s", shown, what);
}

/* An element as index of a list; negative ones count from the end. */
static bool list_at(const ThRaspAtoms *p, ThRaspTable list, ThRaspAtom x, ThRaspAtom *z,
                    ThError *err)
{
    if (x.kind != TH_RASP_ATOM_INT && x.kind != TH_RASP_ATOM_BOOL)
        return th_fail(err, TH_EVALUE, "a list is indexed by ints, not by %ss",
                       th_rasp_atom_kind_name(x.kind));
    int64_t k = x.cell.i, n = (int64_t)list.n;
    if (k < -n || k >= n)
        return no_such(p, x, "index of the list", err) ||
               th_hint(err, "the list has %lld elements", (long long)n);
    *z = list.value[k < 0 ? k + n : k];
    return true;
}

static bool lookup(const Work *w, ThRaspAtom x, ThRaspAtom *z, ThError *err)
{
    const ThRaspAtoms *p = w->r->atoms;
    if (!w->list.key)
        return list_at(p, w->list, x, z, err);
    uint32_t index = th_rasp_atom_table_find(&w->table, p, &x);
    if (index == UINT32_MAX)
        return no_such(p, x, "key of the dictionary", err);
    *z = w->list.value[w->last[index]];
    return true;
}

/* Calls a function for a list of arguments that it has not been called for. */
static bool map(Work *w, const ThRaspAtom *x, ThRaspAtom *z, ThError *err)
{
    uint32_t index;
    size_t known = w->table.n;
    if (!th_rasp_atom_table_add(&w->table, w->r->atoms, x, &index, err))
        return false;
    if (index == known && (!th_grow(&w->result, &w->cap, known + 1, sizeof *w->result, err) ||
                           !w->function.call(w->function.context, w->r->atoms, x, w->node.n_args,
                                             &w->result[index], err)))
        return false;
    *z = w->result[index];
    return true;
}

static bool token(const Work *w, size_t i, ThRaspAtom *z, ThError *err)
{
    static const ThRaspAtomKind kind[] = {TH_RASP_ATOM_STRING, TH_RASP_ATOM_STRING,
                                          TH_RASP_ATOM_INT, TH_RASP_ATOM_FLOAT, TH_RASP_ATOM_BOOL};
    return th_rasp_atom_convert(w->r->atoms, th_rasp_seq_at(&w->r->input, i), kind[w->node.op], z,
                                err) ||
           th_hint(err, "the input must consist of elements that can be converted");
}

static bool binary(const Work *w, const ThRaspAtom *x, ThRaspAtom *z, ThError *err)
{
    ThRaspAtoms *p = w->r->atoms;
    if (w->node.op == TH_RASP_OP_AND)
        *z = th_rasp_bool(th_rasp_atom_true(p, x[0]) && th_rasp_atom_true(p, x[1]));
    else if (w->node.op == TH_RASP_OP_OR)
        *z = th_rasp_bool(th_rasp_atom_true(p, x[0]) || th_rasp_atom_true(p, x[1]));
    else
        return th_rasp_atom_binary(p, w->node.op, x[0], x[1], z, err);
    return true;
}

/* Element i, which the elements x of the arguments make. */
static bool element(Work *w, size_t i, const ThRaspAtom *x, ThRaspAtom *z, ThError *err)
{
    ThRaspAtoms *p = w->r->atoms;
    switch (w->node.kind) {
    case TH_RASP_NODE_CONSTANT:
        *z = w->node.atom;
        return true;
    case TH_RASP_NODE_TOKENS:
        return token(w, i, z, err);
    case TH_RASP_NODE_UNARY:
        return th_rasp_atom_unary(p, w->node.op, x[0], z, err);
    case TH_RASP_NODE_BINARY:
        return binary(w, x, z, err);
    case TH_RASP_NODE_CHOICE:
        *z = x[th_rasp_atom_true(p, x[0]) ? 1 : 2];
        return true;
    case TH_RASP_NODE_MEMBER:
        *z = th_rasp_bool(th_rasp_atom_table_find(&w->table, p, &x[0]) != UINT32_MAX);
        return true;
    case TH_RASP_NODE_LOOKUP:
        return lookup(w, x[0], z, err);
    case TH_RASP_NODE_MAP:
        return map(w, x, z, err);
    case TH_RASP_NODE_TUPLE:
        return th_rasp_atom_tuple(p, x, w->node.n_args, z, err);
    default:
        *z = th_rasp_int((int64_t)i);
        return true;
    }
}

/* The arguments, and what is looked up. */
static bool prepare(Work *w, ThRaspSop canonical, bool *constant, ThError *err)
{
    const ThRaspGraph *g = w->r->g;
    ThRaspNodeKind kind = w->node.kind;
    uint32_t index = 0;
    *constant = w->node.n_args > 0 || kind == TH_RASP_NODE_CONSTANT;
    for (size_t k = 0; k < w->node.n_args; k++) {
        w->arg[k] = th_rasp_run_value_of(w->r, th_rasp_run_arg(w->r, canonical, k));
        *constant &= w->arg[k]->constant;
    }
    if (kind == TH_RASP_NODE_MAP)
        w->function = *th_rasp_function(g, w->node.table);
    w->table.width = kind == TH_RASP_NODE_MAP ? w->node.n_args : 1;
    w->table.strict = kind == TH_RASP_NODE_MAP;
    if (kind != TH_RASP_NODE_MEMBER && kind != TH_RASP_NODE_LOOKUP)
        return true;
    w->list = th_rasp_table(g, w->node.table);
    w->last = th_alloc(w->list.n, sizeof *w->last, err);
    const ThRaspAtom *wanted = kind == TH_RASP_NODE_MEMBER ? w->list.value : w->list.key;
    bool ok = w->last != NULL;
    for (uint32_t k = 0; ok && wanted && k < w->list.n; k++) {
        ok = th_rasp_atom_table_add(&w->table, w->r->atoms, &wanted[k], &index, err);
        if (ok)
            w->last[index] = k;
    }
    return ok;
}

bool th_rasp_run_elements(ThRaspRun *r, ThRaspSop canonical, ThRaspSeq *value, ThStop *stop,
                          ThError *err)
{
    Work w = {.r = r, .node = *th_rasp_node(r->g, canonical)};
    ThRaspAtom x[TH_RASP_MAP_ARGS] = {{0}}, z;
    bool constant;
    bool ok =
        prepare(&w, canonical, &constant, err) && th_rasp_column_new(value, r->n, constant, err);
    for (size_t i = 0; ok && i < (constant ? 1 : r->n); i++) {
        for (size_t k = 0; k < TH_RASP_MAP_ARGS && w.arg[k]; k++)
            x[k] = th_rasp_seq_at(w.arg[k], i);
        ok = !(i % POLL == 0 && th_stopped(stop, err)) && element(&w, i, x, &z, err) &&
             th_rasp_column_put(value, i, z, err);
    }
    th_rasp_atom_table_free(&w.table);
    TH_FREE(w.last, w.result);
    return ok;
}
