/* rasp_naive.h - RASP as its definition reads: matrices, loops, and means as fractions. */
#ifndef TEST_UNIT_RASP_NAIVE_H
#define TEST_UNIT_RASP_NAIVE_H

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rasp/graph/graph_impl.h"

/* One value for every node so far: n atoms, or n × n cells; neither where it failed. */
typedef struct {
    size_t n;
    ThRaspAtom **value;
    uint8_t **cell;
    size_t n_nodes, value_cap, cell_cap;
} Naive;

static void naive_forget(Naive *e, size_t nodes)
{
    while (e->n_nodes > nodes) {
        e->n_nodes--;
        free(e->value[e->n_nodes]);
        free(e->cell[e->n_nodes]);
    }
}

static void naive_free(Naive *e)
{
    naive_forget(e, 0);
    free(e->value);
    free(e->cell);
}

/* The float nearest to a fraction. */
static double naive_nearest(const mpq_t q)
{
    double toward_zero = mpq_get_d(q), best = toward_zero;
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(a, toward_zero);
    double away = nextafter(toward_zero, mpq_sgn(q) < 0 ? -HUGE_VAL : HUGE_VAL);
    mpq_set_d(b, away);
    mpq_sub(a, q, a);
    mpq_sub(b, b, q);
    mpq_abs(a, a);
    mpq_abs(b, b);
    int order = mpq_cmp(a, b);
    uint64_t bits;
    memcpy(&bits, &toward_zero, sizeof bits);
    if (order > 0 || (order == 0 && bits & 1))
        best = away;
    mpq_clears(a, b, NULL);
    return best;
}

static bool naive_mean(const ThRaspAtom *v, const uint8_t *row, size_t n, ThRaspReduction how,
                       ThRaspAtom *z)
{
    mpq_t sum, one;
    unsigned long count = 0;
    bool numbers = true;
    mpq_inits(sum, one, NULL);
    for (size_t j = 0; j < n; j++) {
        if (!row[j])
            continue;
        numbers &= v[j].kind == TH_RASP_ATOM_INT || v[j].kind == TH_RASP_ATOM_FLOAT ||
                   (v[j].kind == TH_RASP_ATOM_BOOL && how == TH_RASP_REDUCE_MEAN_INT);
        if (v[j].kind == TH_RASP_ATOM_FLOAT)
            mpq_set_d(one, v[j].cell.x);
        else
            mpq_set_si(one, v[j].cell.i, 1);
        mpq_add(sum, sum, one);
        count++;
    }
    if (numbers) {
        mpq_set_ui(one, count, 1);
        mpq_div(sum, sum, one);
        *z = th_rasp_float(mpq_sgn(sum) ? naive_nearest(sum) : 0);
    }
    mpq_clears(sum, one, NULL);
    return numbers;
}

static bool naive_row(const ThRaspGraph *g, const ThRaspNodeInfo *node, const ThRaspAtom *v,
                      const uint8_t *row, size_t n, ThRaspAtom *z)
{
    size_t count = 0, at = 0;
    for (size_t j = 0; j < n; j++) {
        if (!row[j])
            continue;
        int order = 0;
        if (node->op >= TH_RASP_REDUCE_RIGHTMOST) {
            at = count++ && node->op == TH_RASP_REDUCE_LEFTMOST ? at : j;
            continue;
        }
        if (count && node->op >= TH_RASP_REDUCE_MAX &&
            !th_rasp_atom_compare(th_rasp_atoms(g), v[j], v[at], &order, NULL))
            return false;
        at = !count || order == (node->op == TH_RASP_REDUCE_MAX ? 1 : -1) ? j : at;
        count++;
    }
    *z = node->atom;
    if (!count)
        return true;
    *z = v[at];
    if (node->op >= TH_RASP_REDUCE_RIGHTMOST)
        return true;
    if (z->kind == TH_RASP_ATOM_BOOL && node->op != TH_RASP_REDUCE_MEAN)
        z->kind = TH_RASP_ATOM_INT;
    if (node->op >= TH_RASP_REDUCE_MAX)
        return true;
    if (count > 1 && !naive_mean(v, row, n, node->op, z))
        return false;
    if (node->op == TH_RASP_REDUCE_MEAN_INT && z->kind == TH_RASP_ATOM_FLOAT) {
        if (fabs(z->cell.x) >= 0x1p63)
            return false;
        *z = th_rasp_int((int64_t)z->cell.x);
    }
    return true;
}

/* Is there one type for all? */
static bool naive_typed(const ThRaspAtom *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        bool a = v[i].kind == TH_RASP_ATOM_INT || v[i].kind == TH_RASP_ATOM_FLOAT;
        bool b = v[0].kind == TH_RASP_ATOM_INT || v[0].kind == TH_RASP_ATOM_FLOAT;
        if (v[i].kind != v[0].kind && !(a && b))
            return false;
    }
    return true;
}

/* list[x], dict[x] or x in list, by looking at one after the other. */
static bool naive_table(const ThRaspGraph *g, const ThRaspNodeInfo *node, ThRaspAtom x,
                        ThRaspAtom *z)
{
    ThRaspTable t = th_rasp_table(g, node->table);
    int64_t n = (int64_t)t.n, found = -1;
    for (int64_t k = 0; k < n; k++)
        if (th_rasp_atom_equal(th_rasp_atoms(g), x, t.key ? t.key[k] : t.value[k]))
            found = k;
    if (node->kind == TH_RASP_NODE_MEMBER) {
        *z = th_rasp_bool(found >= 0);
        return true;
    }
    if (!t.key) {
        bool index = x.kind == TH_RASP_ATOM_INT || x.kind == TH_RASP_ATOM_BOOL;
        found = index && x.cell.i >= -n && x.cell.i < n ? (x.cell.i + n) % n : -1;
    }
    if (found >= 0)
        *z = t.value[found];
    return found >= 0;
}

static bool naive_element(const ThRaspGraph *g, const ThRaspNodeInfo *node, const ThRaspAtom *x,
                          ThRaspAtom *z)
{
    ThRaspAtoms *p = th_rasp_atoms(g);
    const ThRaspFunctionOf *f;
    switch (node->kind) {
    case TH_RASP_NODE_MEMBER:
    case TH_RASP_NODE_LOOKUP:
        return naive_table(g, node, x[0], z);
    case TH_RASP_NODE_MAP:
        f = th_rasp_function(g, node->table);
        return f->call(f->context, p, x, node->n_args, z, NULL);
    case TH_RASP_NODE_UNARY:
        return th_rasp_atom_unary(p, node->op, x[0], z, NULL);
    case TH_RASP_NODE_BINARY:
        if (node->op == TH_RASP_OP_AND)
            *z = th_rasp_bool(th_rasp_atom_true(p, x[0]) && th_rasp_atom_true(p, x[1]));
        else if (node->op == TH_RASP_OP_OR)
            *z = th_rasp_bool(th_rasp_atom_true(p, x[0]) || th_rasp_atom_true(p, x[1]));
        else
            return th_rasp_atom_binary(p, node->op, x[0], x[1], z, NULL);
        return true;
    case TH_RASP_NODE_CHOICE:
        *z = th_rasp_atom_true(p, x[0]) ? x[1] : x[2];
        return true;
    case TH_RASP_NODE_TUPLE:
        return th_rasp_atom_tuple(p, x, node->n_args, z, NULL);
    default:
        return false;
    }
}

static bool naive_select(const ThRaspGraph *g, const ThRaspNodeInfo *node, ThRaspAtom key,
                         ThRaspAtom query, uint8_t *cell)
{
    ThRaspAtoms *p = th_rasp_atoms(g);
    ThRaspAtom z, pair[] = {key, query};
    if (node->kind == TH_RASP_NODE_SELECT) {
        if (!th_rasp_atom_binary(p, node->op, key, query, &z, NULL))
            return false;
    } else {
        const ThRaspFunctionOf *f = th_rasp_function(g, node->table);
        if (!f->call(f->context, p, pair, 2, &z, NULL))
            return false;
    }
    *cell = th_rasp_atom_true(p, z);
    return true;
}

static bool naive_cell(const ThRaspGraph *g, const ThRaspNodeInfo *node, const Naive *e,
                       const ThRaspSop *arg, size_t i, size_t j, uint8_t *cell)
{
    size_t n = e->n;
    switch (node->kind) {
    case TH_RASP_NODE_SELECT:
    case TH_RASP_NODE_MATCH:
        *cell = 0;
        return (node->causal && j > i) ||
               naive_select(g, node, e->value[arg[0]][j], e->value[arg[1]][i], cell);
    case TH_RASP_NODE_BOTH:
        *cell = e->cell[arg[0]][i * n + j] && e->cell[arg[1]][i * n + j];
        return true;
    case TH_RASP_NODE_EITHER:
        *cell = e->cell[arg[0]][i * n + j] || e->cell[arg[1]][i * n + j];
        return true;
    default:
        *cell = !e->cell[arg[0]][i * n + j] && !(node->causal && j > i);
        return true;
    }
}

static bool naive_selector(ThRaspGraph *g, const ThRaspNodeInfo *node, const ThRaspSop *arg,
                           Naive *e, uint8_t *cell)
{
    for (size_t i = 0; i < e->n; i++)
        for (size_t j = 0; j < e->n; j++)
            if (!naive_cell(g, node, e, arg, i, j, &cell[i * e->n + j]))
                return false;
    return true;
}

static bool naive_sop(ThRaspGraph *g, const ThRaspNodeInfo *node, const ThRaspSop *arg, Naive *e,
                      const ThRaspSeq *input, ThRaspAtom *value)
{
    ThRaspAtom x[TH_RASP_MAP_ARGS];
    for (size_t i = 0; i < e->n; i++) {
        bool ok = true;
        const uint8_t *row = node->n_args && e->cell[arg[0]] ? e->cell[arg[0]] + i * e->n : NULL;
        for (size_t k = 0; !row && k < node->n_args; k++)
            x[k] = e->value[arg[k]][i];
        if (node->kind == TH_RASP_NODE_TOKENS)
            value[i] = th_rasp_seq_at(input, i);
        else if (node->kind == TH_RASP_NODE_INDICES)
            value[i] = th_rasp_int((int64_t)i);
        else if (node->kind == TH_RASP_NODE_CONSTANT)
            value[i] = node->atom;
        else if (node->kind == TH_RASP_NODE_AGGREGATE)
            ok = naive_row(g, node, e->value[arg[1]], row, e->n, &value[i]);
        else if (node->kind == TH_RASP_NODE_WIDTH) {
            value[i] = th_rasp_int(0);
            for (size_t j = 0; j < e->n; j++)
                value[i].cell.i += row[j];
        } else
            ok = naive_element(g, node, x, &value[i]);
        if (!ok)
            return false;
    }
    return naive_typed(value, e->n);
}

/* Evaluates the next node on an input.  False if that is an error. */
static bool naive_next(ThRaspGraph *g, Naive *e, const ThRaspSeq *input)
{
    ThRaspSop at = (ThRaspSop)e->n_nodes, arg[TH_RASP_MAP_ARGS] = {0};
    ThRaspNodeInfo node = *th_rasp_node(g, at);
    for (size_t k = 0; k < node.n_args; k++)
        arg[k] = th_rasp_arg(g, at, k);
    th_grow(&e->value, &e->value_cap, at + 1u, sizeof *e->value, NULL);
    th_grow(&e->cell, &e->cell_cap, at + 1u, sizeof *e->cell, NULL);
    e->value[at] = node.selector ? NULL : calloc(e->n, sizeof(ThRaspAtom));
    e->cell[at] = node.selector ? calloc(e->n * e->n, 1) : NULL;
    e->n_nodes++;
    return node.selector ? naive_selector(g, &node, arg, e, e->cell[at])
                         : naive_sop(g, &node, arg, e, input, e->value[at]);
}

#endif
