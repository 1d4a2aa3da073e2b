/* Element-wise s-ops. */
#include <string.h>

#include "rasp/evaluate/run_impl.h"
#include "rasp/values/column.h"

enum { POLL = 4096 };

/* Elements to be computed: one, where all arguments are constant. */
static size_t start_column(const ThRaspRun *r, const ThRaspSeq *const *arg, size_t n_args,
                           ThRaspSeq *out, ThError *err)
{
    bool constant = n_args > 0;
    for (size_t k = 0; k < n_args; k++)
        constant &= arg[k]->constant;
    if (!th_rasp_column_new(out, r->n, constant, err))
        return 0;
    return constant ? 1 : r->n;
}

static bool binary(ThRaspRun *r, ThRaspBinary op, const ThRaspSeq *const *arg, ThRaspSeq *out,
                   ThStop *stop, ThError *err)
{
    const ThRaspSeq *a = arg[0], *b = arg[1];
    size_t n = start_column(r, arg, 2, out, err);
    if (!n)
        return false;
    for (size_t i = 0; i < n; i++) {
        ThRaspAtom x = th_rasp_seq_at(a, i), y = th_rasp_seq_at(b, i), z;
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (op == TH_RASP_OP_AND)
            z = th_rasp_bool(th_rasp_atom_true(r->atoms, x) && th_rasp_atom_true(r->atoms, y));
        else if (op == TH_RASP_OP_OR)
            z = th_rasp_bool(th_rasp_atom_true(r->atoms, x) || th_rasp_atom_true(r->atoms, y));
        else if (!th_rasp_atom_binary(r->atoms, op, x, y, &z, err))
            return false;
        if (!th_rasp_column_put(out, i, z, err))
            return false;
    }
    return true;
}

static bool unary(ThRaspRun *r, ThRaspUnary op, const ThRaspSeq *const *arg, ThRaspSeq *out,
                  ThStop *stop, ThError *err)
{
    size_t n = start_column(r, arg, 1, out, err);
    if (!n)
        return false;
    for (size_t i = 0; i < n; i++) {
        ThRaspAtom z;
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (!th_rasp_atom_unary(r->atoms, op, th_rasp_seq_at(arg[0], i), &z, err) ||
            !th_rasp_column_put(out, i, z, err))
            return false;
    }
    return true;
}

static bool choice(ThRaspRun *r, const ThRaspSeq *const *arg, ThRaspSeq *out, ThError *err)
{
    size_t n = start_column(r, arg, 3, out, err);
    if (!n)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool yes = th_rasp_atom_true(r->atoms, th_rasp_seq_at(arg[0], i));
        if (!th_rasp_column_put(out, i, th_rasp_seq_at(arg[yes ? 1 : 2], i), err))
            return false;
    }
    return true;
}

static bool leaf(ThRaspRun *r, const ThRaspNodeInfo *node, ThRaspSeq *out, ThStop *stop,
                 ThError *err)
{
    static const ThRaspAtomKind kind[] = {TH_RASP_ATOM_STRING, TH_RASP_ATOM_STRING,
                                          TH_RASP_ATOM_INT, TH_RASP_ATOM_FLOAT, TH_RASP_ATOM_BOOL};
    if (!th_rasp_column_new(out, r->n, node->kind == TH_RASP_NODE_CONSTANT, err))
        return false;
    if (node->kind == TH_RASP_NODE_CONSTANT)
        return th_rasp_column_put(out, 0, node->atom, err);
    for (size_t i = 0; i < r->n; i++) {
        ThRaspAtom a = th_rasp_int((int64_t)i);
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (node->kind == TH_RASP_NODE_TOKENS &&
            !th_rasp_atom_convert(r->atoms, th_rasp_seq_at(&r->input, i), kind[node->op], &a,
                                  err)) {
            return th_hint(err, "the input must consist of elements that can be converted");
        }
        if (!th_rasp_column_put(out, i, a, err))
            return false;
    }
    return true;
}

static bool member(ThRaspRun *r, const ThRaspNodeInfo *node, const ThRaspSeq *const *arg,
                   ThRaspSeq *out, ThError *err)
{
    ThRaspTable list = th_rasp_table(r->g, node->table);
    ThRaspAtomTable t TH_OWNED(th_rasp_atom_table_free) = {.width = 1};
    uint32_t index;
    size_t n = start_column(r, arg, 1, out, err);
    bool ok = n > 0;
    for (size_t k = 0; ok && k < list.n; k++)
        ok = th_rasp_atom_table_add(&t, r->atoms, &list.value[k], &index, err);
    out->kind = TH_RASP_ATOM_BOOL;
    for (size_t i = 0; ok && i < n; i++) {
        ThRaspAtom x = th_rasp_seq_at(arg[0], i);
        out->cell[i].i = th_rasp_atom_table_find(&t, r->atoms, &x) != UINT32_MAX;
    }
    return ok;
}

static bool no_such(const ThRaspAtoms *p, ThRaspAtom x, const char *what, ThError *err)
{
    ThText t = {0};
    th_rasp_atom_write(p, x, &t);
    char *shown TH_OWNED(free) = th_text_take(&t, err);
    if (shown)
        th_fail(err, TH_EVALUE, "%.100s is no %s", shown, what);
    return false;
}

/* An element as index of a list; negative ones count from the end. */
static bool list_at(const ThRaspAtoms *p, ThRaspTable list, ThRaspAtom x, ThRaspAtom *z,
                    ThError *err)
{
    if (x.kind != TH_RASP_ATOM_INT && x.kind != TH_RASP_ATOM_BOOL)
        return th_fail(err, TH_EVALUE, "a list is indexed by ints, not by %ss",
                       th_rasp_atom_kind_name(x.kind));
    int64_t k = x.cell.i, n = (int64_t)list.n;
    if (k < -n || k >= n) {
        no_such(p, x, "index of the list", err);
        return th_hint(err, "the list has %lld elements", (long long)n);
    }
    *z = list.value[k < 0 ? k + n : k];
    return true;
}

static bool lookup(ThRaspRun *r, const ThRaspNodeInfo *node, const ThRaspSeq *const *arg,
                   ThRaspSeq *out, ThError *err)
{
    ThRaspTable list = th_rasp_table(r->g, node->table);
    ThRaspAtomTable t TH_OWNED(th_rasp_atom_table_free) = {.width = 1};
    uint32_t *last TH_OWNED(free) = NULL; /* of a key that is given twice the last value counts */
    uint32_t index = 0;
    size_t n = start_column(r, arg, 1, out, err);
    bool ok = n > 0 && (last = th_alloc(list.n, sizeof *last, err));
    for (uint32_t k = 0; ok && list.key && k < list.n; k++) {
        ok = th_rasp_atom_table_add(&t, r->atoms, &list.key[k], &index, err);
        if (ok)
            last[index] = k;
    }
    for (size_t i = 0; ok && i < n; i++) {
        ThRaspAtom x = th_rasp_seq_at(arg[0], i), z = {0};
        if (!list.key) {
            ok = list_at(r->atoms, list, x, &z, err);
        } else {
            index = th_rasp_atom_table_find(&t, r->atoms, &x);
            ok = index != UINT32_MAX || no_such(r->atoms, x, "key of the dictionary", err);
            z = ok ? list.value[last[index]] : z;
        }
        ok = ok && th_rasp_column_put(out, i, z, err);
    }
    return ok;
}

/* Calls a function for every list of arguments that it has not been called for. */
static bool map(ThRaspRun *r, const ThRaspNodeInfo *node, const ThRaspSeq *const *arg,
                ThRaspSeq *out, ThStop *stop, ThError *err)
{
    ThRaspFunctionOf f = *th_rasp_function(r->g, node->table);
    ThRaspAtomTable t TH_OWNED(th_rasp_atom_table_free) = {.width = node->n_args, .strict = true};
    ThRaspAtom *result TH_OWNED(free) = NULL, x[TH_RASP_MAP_ARGS] = {{0}};
    size_t cap = 0, n = start_column(r, arg, node->n_args, out, err);
    bool ok = n > 0;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t index;
        for (size_t k = 0; k < node->n_args; k++)
            x[k] = th_rasp_seq_at(arg[k], i);
        size_t known = t.n;
        ok = !(i % POLL == 0 && th_stopped(stop, err)) &&
             th_rasp_atom_table_add(&t, r->atoms, x, &index, err);
        if (ok && index == known)
            ok = th_grow(&result, &cap, t.n, sizeof *result, err) &&
                 f.call(f.context, r->atoms, x, node->n_args, &result[index], err);
        ok = ok && result && th_rasp_column_put(out, i, result[index], err);
    }
    return ok;
}

static bool tuple(ThRaspRun *r, const ThRaspNodeInfo *node, const ThRaspSeq *const *arg,
                  ThRaspSeq *out, ThStop *stop, ThError *err)
{
    ThRaspAtom x[TH_RASP_MAP_ARGS] = {{0}}, z;
    size_t n = start_column(r, arg, node->n_args, out, err);
    if (!n)
        return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < node->n_args; k++)
            x[k] = th_rasp_seq_at(arg[k], i);
        if ((i % POLL == 0 && th_stopped(stop, err)) ||
            !th_rasp_atom_tuple(r->atoms, x, node->n_args, &z, err) ||
            !th_rasp_column_put(out, i, z, err))
            return false;
    }
    return true;
}

bool th_rasp_run_elements(ThRaspRun *r, ThRaspSop canonical, ThRaspSeq *value, ThStop *stop,
                          ThError *err)
{
    ThRaspNodeInfo node = *th_rasp_node(r->g, canonical);
    static const ThRaspSeq nothing = {0};
    const ThRaspSeq *arg[TH_RASP_MAP_ARGS];
    for (size_t k = 0; k < TH_RASP_MAP_ARGS; k++)
        arg[k] =
            k < node.n_args ? th_rasp_run_value_of(r, th_rasp_run_arg(r, canonical, k)) : &nothing;
    switch (node.kind) {
    case TH_RASP_NODE_UNARY:
        return unary(r, node.op, arg, value, stop, err);
    case TH_RASP_NODE_BINARY:
        return binary(r, node.op, arg, value, stop, err);
    case TH_RASP_NODE_CHOICE:
        return choice(r, arg, value, err);
    case TH_RASP_NODE_MEMBER:
        return member(r, &node, arg, value, err);
    case TH_RASP_NODE_LOOKUP:
        return lookup(r, &node, arg, value, err);
    case TH_RASP_NODE_MAP:
        return map(r, &node, arg, value, stop, err);
    case TH_RASP_NODE_TUPLE:
        return tuple(r, &node, arg, value, stop, err);
    default:
        return leaf(r, &node, value, stop, err);
    }
}
