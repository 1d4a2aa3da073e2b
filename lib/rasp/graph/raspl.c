/* Is a program one of RASP-L? */

#include "rasp/graph/cost.h"
#include "rasp/graph/graph_impl.h"

/* How much a value may vary as inputs grow: one of a fixed set; fractions between fixed bounds;
 * without bounds. */
typedef enum { FINITE, RANGE, UNBOUNDED } Extent;

typedef struct {
    uint8_t extent;
    bool index;  /* a position */
    bool causal; /* of selectors: certainly no cell right of the diagonal */
} Trait;

typedef struct {
    const ThRaspGraph *g;
    Trait *trait; /* of all nodes up to the one asked about */
    ThRaspBreach *list;
    size_t n;
} Check;

static void breach(Check *c, ThRaspBreak what, ThRaspSop node)
{
    c->list[c->n++] = (ThRaspBreach){what, node};
}

const char *th_rasp_break_name(ThRaspBreak what)
{
    static const char *const name[] = {"looks ahead", "arithmetic on indices", "unbounded values"};
    return name[what];
}

static const Trait *trait_of(const Check *c, ThRaspSop node, size_t arg)
{
    return &c->trait[th_rasp_arg(c->g, node, arg)];
}

/* The widest extent of a node's arguments from number `from` on. */
static uint8_t widest(const Check *c, ThRaspSop node, size_t from)
{
    uint8_t extent = FINITE;
    for (size_t k = from; k < th_rasp_node(c->g, node)->n_args; k++)
        extent = trait_of(c, node, k)->extent > extent ? trait_of(c, node, k)->extent : extent;
    return extent;
}

static bool any_index(const Check *c, ThRaspSop node, size_t from)
{
    for (size_t k = from; k < th_rasp_node(c->g, node)->n_args; k++)
        if (trait_of(c, node, k)->index)
            return true;
    return false;
}

/* Moved by one, as often as a program says. */
static bool is_fixed(const ThRaspGraph *g, ThRaspSop node)
{
    const ThRaspNodeInfo *x = th_rasp_node(g, node);
    return x->kind == TH_RASP_NODE_CONSTANT && x->atom.kind == TH_RASP_ATOM_INT;
}

/* Positions nearby, which RASP-L can compute. */
static bool is_neighbour(const Check *c, ThRaspSop node)
{
    ThRaspBinary op = th_rasp_node(c->g, node)->op;
    ThRaspSop a = th_rasp_arg(c->g, node, 0), b = th_rasp_arg(c->g, node, 1);
    if (op == TH_RASP_OP_ADD && c->trait[b].index && is_fixed(c->g, a))
        return true;
    return (op == TH_RASP_OP_ADD || op == TH_RASP_OP_SUB) && c->trait[a].index && is_fixed(c->g, b);
}

/* The extent of a quotient, a remainder or a power. */
static uint8_t extent_of_quotient(const Check *c, ThRaspSop node, ThRaspBinary op)
{
    uint8_t a = trait_of(c, node, 0)->extent, b = trait_of(c, node, 1)->extent;
    if (op == TH_RASP_OP_DIV) /* a divisor between bounds may come arbitrarily close to 0 */
        return b == RANGE ? UNBOUNDED : a;
    if (op == TH_RASP_OP_MOD)
        return b == FINITE ? (a == FINITE ? FINITE : RANGE) : b;
    return a == FINITE && b == FINITE ? FINITE : UNBOUNDED;
}

static void look_at_binary(Check *c, ThRaspSop node, Trait *t)
{
    ThRaspBinary op = th_rasp_node(c->g, node)->op;
    bool arithmetic = op >= TH_RASP_OP_ADD && op <= TH_RASP_OP_POW;
    if (!arithmetic)
        return;
    if (is_neighbour(c, node)) {
        *t = (Trait){.extent = UNBOUNDED, .index = true};
        return;
    }
    t->extent = op >= TH_RASP_OP_DIV ? extent_of_quotient(c, node, op) : widest(c, node, 0);
    if (any_index(c, node, 0))
        breach(c, TH_RASP_INDEX_ARITHMETIC, node);
    else if (t->extent == UNBOUNDED && widest(c, node, 0) < UNBOUNDED)
        breach(c, TH_RASP_UNBOUNDED, node);
}

static void look_at_unary(Check *c, ThRaspSop node, Trait *t)
{
    ThRaspUnary op = th_rasp_node(c->g, node)->op;
    const Trait *x = trait_of(c, node, 0);
    if (op == TH_RASP_OP_NOT || op == TH_RASP_OP_INDICATOR)
        return;
    t->extent = op == TH_RASP_OP_ROUND && x->extent == RANGE ? FINITE : x->extent;
    t->index = x->index && op != TH_RASP_OP_NEGATE;
    if (x->index && op == TH_RASP_OP_NEGATE)
        breach(c, TH_RASP_INDEX_ARITHMETIC, node);
}

/* Whether select(keys, queries, op) selects nothing to the right whatever the input. */
static bool keeps_left(const Check *c, ThRaspSop node)
{
    const ThRaspNodeInfo *x = th_rasp_node(c->g, node);
    const ThRaspGraph *g = c->g;
    bool both = th_rasp_node(g, th_rasp_arg(g, node, 0))->kind == TH_RASP_NODE_INDICES &&
                th_rasp_node(g, th_rasp_arg(g, node, 1))->kind == TH_RASP_NODE_INDICES;
    bool left = x->op == TH_RASP_OP_EQ || x->op == TH_RASP_OP_LT || x->op == TH_RASP_OP_LE;
    return x->kind == TH_RASP_NODE_SELECT && both && left;
}

static void look_at_selector(Check *c, ThRaspSop node, Trait *t)
{
    const ThRaspNodeInfo *x = th_rasp_node(c->g, node);
    if (x->kind == TH_RASP_NODE_SELECT || x->kind == TH_RASP_NODE_MATCH)
        t->causal = x->causal || keeps_left(c, node);
    else if (x->kind == TH_RASP_NODE_OTHER)
        t->causal = x->causal;
    else if (x->kind == TH_RASP_NODE_BOTH)
        t->causal = trait_of(c, node, 0)->causal || trait_of(c, node, 1)->causal;
    else
        t->causal = trait_of(c, node, 0)->causal && trait_of(c, node, 1)->causal;
}

static void look_at_aggregate(Check *c, ThRaspSop node, Trait *t)
{
    const ThRaspNodeInfo *x = th_rasp_node(c->g, node);
    ThRaspSop selector = th_rasp_arg(c->g, node, 0);
    if (!c->trait[selector].causal) {
        bool known = false;
        for (size_t k = 0; k < c->n; k++)
            known |= c->list[k].what == TH_RASP_LOOKS_AHEAD && c->list[k].node == selector;
        if (!known)
            breach(c, TH_RASP_LOOKS_AHEAD, selector);
    }
    if (x->kind == TH_RASP_NODE_WIDTH) { /* how many are selected is compared as indices are */
        *t = (Trait){.extent = UNBOUNDED, .index = true};
        return;
    }
    *t = *trait_of(c, node, 1);
    if (x->op == TH_RASP_REDUCE_MEAN && t->extent == FINITE)
        t->extent = RANGE;
    if (x->op == TH_RASP_REDUCE_MEAN_INT && t->extent == RANGE)
        t->extent = FINITE;
}

/* The k-th of the arguments to try a function on: indices are `place` and a bit more, other values
 * 0 or 1. */
static void arguments(const Check *c, ThRaspSop node, unsigned k, int64_t place, ThRaspAtom *x)
{
    for (size_t i = 0; i < th_rasp_node(c->g, node)->n_args; i++, k /= 2)
        x[i] = th_rasp_int(k % 2 + (trait_of(c, node, i)->index ? place : 0));
}

/* Whether a function of indices compares, chooses and moves them only: where all indices are one
 * more, its value is the same or one more, wherever that is. */
static bool only_moves(const Check *c, ThRaspSop node, bool *index)
{
    enum { FIRST = 1000, PLACES = 8, MOST_ARGS = 6 };
    const ThRaspNodeInfo *info = th_rasp_node(c->g, node);
    const ThRaspFunctionOf *f = th_rasp_function(c->g, info->table);
    ThRaspAtom x[TH_RASP_MAP_ARGS], z[PLACES];
    ThError ignored = {0};
    *index = false;
    for (unsigned k = 0; info->n_args <= MOST_ARGS && k < 1u << info->n_args; k++)
        for (int i = 0; i < PLACES; i++) {
            arguments(c, node, k, FIRST + i, x);
            if (!f->call(f->context, th_rasp_atoms(c->g), x, info->n_args, &z[i], &ignored) ||
                z[i].kind == TH_RASP_ATOM_FLOAT)
                return false;
            int64_t step = i ? z[i].cell.i - z[i - 1].cell.i : 0;
            if (step < 0 || step > 1 || (i > 1 && step != z[i - 1].cell.i - z[i - 2].cell.i))
                return false;
            *index = *index || step;
        }
    return info->n_args <= MOST_ARGS;
}

/* Functions, tables and tuples: of indices they are arithmetic, of unbounded values who knows. */
static void look_at_function(Check *c, ThRaspSop node, Trait *t)
{
    ThRaspNodeKind kind = th_rasp_node(c->g, node)->kind;
    if (kind == TH_RASP_NODE_TUPLE) {
        t->extent = widest(c, node, 0);
        t->index = any_index(c, node, 0);
        return;
    }
    bool moves =
        any_index(c, node, 0) && kind == TH_RASP_NODE_MAP && only_moves(c, node, &t->index);
    if (moves) {
        t->extent = t->index ? UNBOUNDED : FINITE;
    } else if (any_index(c, node, 0)) {
        breach(c, TH_RASP_INDEX_ARITHMETIC, node);
        t->extent = kind == TH_RASP_NODE_MAP ? UNBOUNDED : FINITE;
    } else if (kind == TH_RASP_NODE_MAP) {
        t->extent = widest(c, node, 0);
    }
}

static void look_at(Check *c, ThRaspSop node)
{
    Trait *t = &c->trait[node];
    switch (th_rasp_node(c->g, node)->kind) {
    case TH_RASP_NODE_TOKENS:
    case TH_RASP_NODE_CONSTANT:
    case TH_RASP_NODE_MEMBER:
        break;
    case TH_RASP_NODE_INDICES:
        *t = (Trait){.extent = UNBOUNDED, .index = true};
        break;
    case TH_RASP_NODE_UNARY:
        look_at_unary(c, node, t);
        break;
    case TH_RASP_NODE_BINARY:
        look_at_binary(c, node, t);
        break;
    case TH_RASP_NODE_CHOICE:
        t->extent = widest(c, node, 1);
        t->index = any_index(c, node, 1);
        break;
    case TH_RASP_NODE_LOOKUP:
    case TH_RASP_NODE_MAP:
    case TH_RASP_NODE_TUPLE:
        look_at_function(c, node, t);
        break;
    case TH_RASP_NODE_AGGREGATE:
    case TH_RASP_NODE_WIDTH:
        look_at_aggregate(c, node, t);
        break;
    default:
        look_at_selector(c, node, t);
    }
}

ThRaspBreach *th_rasp_breaches(const ThRaspGraph *g, ThRaspSop node, size_t *n, ThError *err)
{
    size_t n_list;
    ThRaspSop *list TH_OWNED(free) = th_rasp_ancestors(g, node, &n_list, err);
    Check c = {.g = g, .trait = th_alloc((size_t)node + 1, sizeof *c.trait, err)};
    if (list && c.trait)
        c.list = th_alloc(2 * n_list, sizeof *c.list, err); /* a node breaks two rules at most */
    for (size_t k = 0; c.list && k < n_list; k++)
        look_at(&c, list[k]);
    *n = c.n;
    free(c.trait);
    return c.list;
}
