#include "rasp/graph/describe.h"

#include "rasp/graph/graph_impl.h"

/* What is still to be written, the next piece last: a text; else an atom; else a table; else a
 * node. */
enum { LIST_ITEMS = 4 };
typedef struct {
    const char *text;
    const ThRaspAtom *atom;
    ThRaspSop node;
    bool inside;    /* an operand: operators get parentheses */
    bool sop;       /* a constant is to be an s-op, not a single value */
    uint32_t table; /* its number and 1, or 0 */
} Piece;

typedef struct {
    const ThRaspGraph *g;
    char *const *label, *const *function; /* by node */
    bool exact;                           /* what is written can be read */
    ThText *t;
    ThError *err;
    Piece *piece;
    size_t n, cap;
    bool failed; /* memory ran out, or an atom cannot be written */
} Writer;

static void push(Writer *w, Piece p)
{
    w->failed = w->failed || !th_grow(&w->piece, &w->cap, w->n + 1, sizeof p, w->err);
    if (!w->failed)
        w->piece[w->n++] = p;
}

static void push_text(Writer *w, const char *text)
{
    push(w, (Piece){.text = text});
}

static bool all_constants(const ThRaspGraph *g, ThRaspSop node)
{
    for (size_t i = 0; i < th_rasp_node(g, node)->n_args; i++)
        if (th_rasp_node(g, th_rasp_arg(g, node, i))->kind != TH_RASP_NODE_CONSTANT)
            return false;
    return true;
}

/* Would argument i, as a single value, make the whole one, too, or none at all? */
static bool must_be_sop(const Writer *w, ThRaspSop node, size_t i)
{
    switch (th_rasp_node(w->g, node)->kind) {
    case TH_RASP_NODE_UNARY:
    case TH_RASP_NODE_MEMBER:
    case TH_RASP_NODE_LOOKUP:
    case TH_RASP_NODE_CHOICE:
        return i == 0;
    case TH_RASP_NODE_BINARY:
    case TH_RASP_NODE_TUPLE:
    case TH_RASP_NODE_MAP:
        return i == 0 && all_constants(w->g, node);
    default:
        return false;
    }
}

static void push_arg(Writer *w, ThRaspSop node, size_t i, bool inside)
{
    push(w, (Piece){.node = th_rasp_arg(w->g, node, i),
                    .inside = inside,
                    .sop = w->exact && must_be_sop(w, node, i)});
}

static void push_args(Writer *w, ThRaspSop node)
{
    for (size_t i = th_rasp_node(w->g, node)->n_args; i-- > 0;) {
        push_arg(w, node, i, false);
        if (i > 0)
            push_text(w, ", ");
    }
}

/* `name(a, b, …` and what follows the arguments. */
static void push_call(Writer *w, const char *name, ThRaspSop node, const char *end)
{
    push_text(w, end);
    push_args(w, node);
    push_text(w, "(");
    push_text(w, name);
}

/* The function of the caller's that a node calls, and what stands around it. */
static void push_function(Writer *w, const char *before, ThRaspSop node, const char *after)
{
    push_text(w, after);
    push_text(w, w->exact ? w->function[node] : "…");
    push_text(w, before);
}

static void push_infix(Writer *w, ThRaspSop node, const char *operator, bool inside)
{
    push_text(w, inside ? ")" : "");
    push_arg(w, node, 1, true);
    push_text(w, " ");
    push_text(w, operator);
    push_text(w, " ");
    push_arg(w, node, 0, true);
    push_text(w, inside ? "(" : "");
}

static void push_unary(Writer *w, ThRaspSop node, ThRaspUnary op, bool inside)
{
    if (op == TH_RASP_OP_ROUND || op == TH_RASP_OP_INDICATOR) {
        push_call(w, th_rasp_unary_name(op), node, ")");
        return;
    }
    push_text(w, inside ? ")" : "");
    push_arg(w, node, 0, true);
    push_text(w, op == TH_RASP_OP_NOT ? "not " : th_rasp_unary_name(op));
    push_text(w, inside ? "(" : "");
}

static void push_choice(Writer *w, ThRaspSop node, bool inside)
{
    push_text(w, inside ? ")" : "");
    push_arg(w, node, 2, true);
    push_text(w, " else ");
    push_arg(w, node, 0, true);
    push_text(w, " if ");
    push_arg(w, node, 1, true);
    push_text(w, inside ? "(" : "");
}

static void write_atom(Writer *w, ThRaspAtom a)
{
    if (w->exact) {
        w->failed = w->failed || !th_rasp_atom_source(th_rasp_atoms(w->g), a, w->t, w->err);
        return;
    }
    const char *quote = a.kind == TH_RASP_ATOM_STRING ? "\"" : "";
    th_text_add(w->t, quote);
    th_rasp_atom_write(th_rasp_atoms(w->g), a, w->t);
    th_text_add(w->t, quote);
}

/* A list of constants, or a dictionary, from its first items. */
static void write_table(Writer *w, uint32_t table)
{
    ThRaspTable x = th_rasp_table(w->g, table);
    th_text_add(w->t, x.key ? "{" : "[");
    size_t most = w->exact ? x.n : LIST_ITEMS;
    for (size_t i = 0; i < x.n && i < most; i++) {
        th_text_add(w->t, i ? ", " : "");
        if (x.key) {
            write_atom(w, x.key[i]);
            th_text_add(w->t, ": ");
        }
        write_atom(w, x.value[i]);
    }
    th_text_add(w->t, x.n > most ? ", …" : "");
    th_text_add(w->t, x.key ? "}" : "]");
}

static void write_leaf(Writer *w, const ThRaspNodeInfo *info, bool sop)
{
    static const char *const tokens[] = {"tokens_asis", "tokens", "tokens_int", "tokens_float",
                                         "tokens_bool"};
    if (info->kind == TH_RASP_NODE_CONSTANT) {
        th_text_add(w->t, sop ? "full(indices, " : "");
        write_atom(w, info->atom);
        th_text_add(w->t, sop ? ")" : "");
    } else if (info->kind == TH_RASP_NODE_INDICES) {
        th_text_add(w->t, "indices");
    } else { /* a program may give the word tokens another meaning */
        bool str = w->exact && info->op == TH_RASP_AS_STR;
        th_text_add(w->t, str ? "tokens_str" : tokens[info->op]);
    }
}

static void push_select(Writer *w, ThRaspSop node, const ThRaspNodeInfo *info)
{
    const char *end = info->causal ? ", causal)" : ")";
    if (info->kind == TH_RASP_NODE_SELECT) {
        push_text(w, end);
        push_text(w, th_rasp_binary_name(info->op));
        push_call(w, "select", node, ", ");
    } else {
        push_function(w, ", ", node, end);
        push_call(w, "select", node, "");
    }
}

static void push_map(Writer *w, ThRaspSop node)
{
    if (!w->exact) {
        push_call(w, "map", node, ")");
        return;
    }
    push_text(w, ")");
    push_args(w, node);
    push_function(w, "map(", node, ", ");
}

static void push_aggregate(Writer *w, ThRaspSop node, const ThRaspNodeInfo *info)
{
    static const char *const how[] = {")",      ", mean)",      ", max)",
                                      ", min)", ", rightmost)", ", leftmost)"};
    bool whole = w->exact && (info->has_default || info->op != TH_RASP_REDUCE_MEAN);
    push_text(w, whole ? how[info->op] : ")");
    if (whole)
        push(w, (Piece){.atom = &info->atom});
    push_call(w, "aggregate", node, whole ? ", " : "");
}

/* Writes or pushes the pieces of a node's own expression. */
static void expand(Writer *w, ThRaspSop node, bool inside, bool sop)
{
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    switch (info->kind) {
    case TH_RASP_NODE_TOKENS:
    case TH_RASP_NODE_INDICES:
    case TH_RASP_NODE_CONSTANT:
        write_leaf(w, info, sop);
        break;
    case TH_RASP_NODE_UNARY:
        push_unary(w, node, info->op, inside);
        break;
    case TH_RASP_NODE_BINARY:
        push_infix(w, node, th_rasp_binary_name(info->op), inside);
        break;
    case TH_RASP_NODE_BOTH:
        push_infix(w, node, "and", inside);
        break;
    case TH_RASP_NODE_EITHER:
        push_infix(w, node, "or", inside);
        break;
    case TH_RASP_NODE_OTHER:
        push_unary(w, node, TH_RASP_OP_NOT, inside);
        break;
    case TH_RASP_NODE_CHOICE:
        push_choice(w, node, inside);
        break;
    case TH_RASP_NODE_MEMBER:
        push_text(w, inside ? ")" : "");
        push(w, (Piece){.table = info->table + 1});
        push_text(w, " in ");
        push_arg(w, node, 0, true);
        push_text(w, inside ? "(" : "");
        break;
    case TH_RASP_NODE_LOOKUP:
        write_table(w, info->table);
        push_text(w, "]");
        push_arg(w, node, 0, false);
        push_text(w, "[");
        break;
    case TH_RASP_NODE_MAP:
        push_map(w, node);
        break;
    case TH_RASP_NODE_TUPLE:
        push_call(w, "", node, info->n_args == 1 && w->exact ? ",)" : ")");
        break;
    case TH_RASP_NODE_AGGREGATE:
        push_aggregate(w, node, info);
        break;
    case TH_RASP_NODE_WIDTH:
        push_call(w, w->exact ? "sel_width" : "width", node, ")");
        break;
    case TH_RASP_NODE_SELECT:
    case TH_RASP_NODE_MATCH:
        push_select(w, node, info);
        break;
    }
}

/* Inputs are called what they are, whatever else the program calls them. */
static const char *name_of(const Writer *w, ThRaspSop node)
{
    ThRaspNodeKind kind = th_rasp_node(w->g, node)->kind;
    if (w->label && w->label[node])
        return w->label[node];
    return w->exact || kind == TH_RASP_NODE_TOKENS || kind == TH_RASP_NODE_INDICES
               ? NULL
               : th_rasp_name_of(w->g, node);
}

/* Writes what has been pushed, until the text is longer than `end`. */
static void write_pieces(Writer *w, size_t end)
{
    while (w->n > 0 && w->t->size <= end && !w->t->failed && !w->failed) {
        Piece p = w->piece[--w->n];
        const char *name = p.text || p.atom || p.table ? p.text : name_of(w, p.node);
        if (p.atom)
            write_atom(w, *p.atom);
        else if (p.table)
            write_table(w, p.table - 1);
        else if (name)
            th_text_add(w->t, name);
        else
            expand(w, p.node, p.inside, p.sop);
    }
}

void th_rasp_describe(const ThRaspGraph *g, ThRaspSop node, char *const *label, size_t most,
                      ThText *t)
{
    size_t start = t->size;
    Writer w = {.g = g, .label = label, .t = t};
    expand(&w, node, false, false);
    write_pieces(&w, start + most);
    free(w.piece);
    if (t->failed || (t->size - start <= most && !w.failed))
        return;
    while (t->size > start + most || (t->size > start && (t->data[t->size] & 0xC0) == 0x80))
        t->size--;
    if (t->data)
        t->data[t->size] = '\0';
    th_text_add(t, "…");
}

bool th_rasp_write_node(const ThRaspGraph *g, ThRaspSop node, const ThRaspLabels *labels, ThText *t,
                        ThError *err)
{
    Writer w = {.g = g,
                .label = labels->node,
                .function = labels->function,
                .exact = true,
                .t = t,
                .err = err};
    expand(&w, node, false, true);
    write_pieces(&w, SIZE_MAX);
    free(w.piece);
    return !w.failed && (!t->failed || th_fail(err, TH_ENOMEM, "out of memory"));
}
