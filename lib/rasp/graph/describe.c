#include "rasp/graph/describe.h"

#include <string.h>

#include "rasp/graph/graph_impl.h"

/* What is still to be written, the next piece last: a text; else a table; else a node. */
enum { MOST_PIECES = 256, LIST_ITEMS = 4 };
typedef struct {
    const char *text;
    ThRaspSop node;
    bool inside;    /* an operand: operators get parentheses */
    uint32_t table; /* its number and 1, or 0 */
} Piece;

typedef struct {
    const ThRaspGraph *g;
    char *const *label;
    ThText *t;
    Piece piece[MOST_PIECES];
    int n;
    bool full; /* the expression is nested too deeply to be written */
} Writer;

static void push(Writer *w, Piece p)
{
    w->full = w->full || w->n == MOST_PIECES;
    if (!w->full)
        w->piece[w->n++] = p;
}

static void push_text(Writer *w, const char *text)
{
    push(w, (Piece){.text = text});
}

static void push_node(Writer *w, ThRaspSop node, bool inside)
{
    push(w, (Piece){.node = node, .inside = inside});
}

/* `name(a, b, …` and what follows the arguments. */
static void push_call(Writer *w, const char *name, ThRaspSop node, const char *end)
{
    size_t n = th_rasp_node(w->g, node)->n_args;
    push_text(w, end);
    for (size_t i = n; i-- > 0;) {
        push_node(w, th_rasp_arg(w->g, node, i), false);
        if (i > 0)
            push_text(w, ", ");
    }
    push_text(w, "(");
    push_text(w, name);
}

static void push_infix(Writer *w, ThRaspSop node, const char *operator, bool inside)
{
    push_text(w, inside ? ")" : "");
    push_node(w, th_rasp_arg(w->g, node, 1), true);
    push_text(w, " ");
    push_text(w, operator);
    push_text(w, " ");
    push_node(w, th_rasp_arg(w->g, node, 0), true);
    push_text(w, inside ? "(" : "");
}

static void push_unary(Writer *w, ThRaspSop node, ThRaspUnary op, bool inside)
{
    if (op == TH_RASP_OP_ROUND || op == TH_RASP_OP_INDICATOR) {
        push_call(w, th_rasp_unary_name(op), node, ")");
        return;
    }
    push_text(w, inside ? ")" : "");
    push_node(w, th_rasp_arg(w->g, node, 0), true);
    push_text(w, op == TH_RASP_OP_NOT ? "not " : th_rasp_unary_name(op));
    push_text(w, inside ? "(" : "");
}

static void push_choice(Writer *w, ThRaspSop node, bool inside)
{
    push_text(w, inside ? ")" : "");
    push_node(w, th_rasp_arg(w->g, node, 2), true);
    push_text(w, " else ");
    push_node(w, th_rasp_arg(w->g, node, 0), true);
    push_text(w, " if ");
    push_node(w, th_rasp_arg(w->g, node, 1), true);
    push_text(w, inside ? "(" : "");
}

static void write_atom(Writer *w, ThRaspAtom a)
{
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
    for (size_t i = 0; i < x.n && i < LIST_ITEMS; i++) {
        th_text_add(w->t, i ? ", " : "");
        if (x.key) {
            write_atom(w, x.key[i]);
            th_text_add(w->t, ": ");
        }
        write_atom(w, x.value[i]);
    }
    th_text_add(w->t, x.n > LIST_ITEMS ? ", …" : "");
    th_text_add(w->t, x.key ? "}" : "]");
}

static void write_leaf(Writer *w, const ThRaspNodeInfo *info)
{
    static const char *const tokens[] = {"tokens_asis", "tokens", "tokens_int", "tokens_float",
                                         "tokens_bool"};
    if (info->kind == TH_RASP_NODE_CONSTANT)
        write_atom(w, info->atom);
    else
        th_text_add(w->t, info->kind == TH_RASP_NODE_INDICES ? "indices" : tokens[info->op]);
}

static void push_select(Writer *w, ThRaspSop node, const ThRaspNodeInfo *info)
{
    push_text(w, info->causal ? ", causal)" : ")");
    push_text(w, info->kind == TH_RASP_NODE_SELECT ? th_rasp_binary_name(info->op) : "…");
    push_call(w, "select", node, ", ");
}

/* Writes or pushes the pieces of a node's own expression. */
static void expand(Writer *w, ThRaspSop node, bool inside)
{
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    switch (info->kind) {
    case TH_RASP_NODE_TOKENS:
    case TH_RASP_NODE_INDICES:
    case TH_RASP_NODE_CONSTANT:
        write_leaf(w, info);
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
        push_node(w, th_rasp_arg(w->g, node, 0), true);
        push_text(w, inside ? "(" : "");
        break;
    case TH_RASP_NODE_LOOKUP:
        write_table(w, info->table);
        push_text(w, "]");
        push_node(w, th_rasp_arg(w->g, node, 0), false);
        push_text(w, "[");
        break;
    case TH_RASP_NODE_MAP:
        push_call(w, "map", node, ")");
        break;
    case TH_RASP_NODE_TUPLE:
        push_call(w, "", node, ")");
        break;
    case TH_RASP_NODE_AGGREGATE:
        push_call(w, "aggregate", node, ")");
        break;
    case TH_RASP_NODE_WIDTH:
        push_call(w, "width", node, ")");
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
    return kind == TH_RASP_NODE_TOKENS || kind == TH_RASP_NODE_INDICES
               ? NULL
               : th_rasp_name_of(w->g, node);
}

void th_rasp_describe(const ThRaspGraph *g, ThRaspSop node, char *const *label, size_t most,
                      ThText *t)
{
    size_t start = t->size;
    Writer w = {.g = g, .label = label, .t = t};
    expand(&w, node, false);
    while (w.n > 0 && t->size - start <= most && !t->failed && !w.full) {
        Piece p = w.piece[--w.n];
        const char *name = p.text || p.table ? p.text : name_of(&w, p.node);
        if (p.table)
            write_table(&w, p.table - 1);
        else if (name)
            th_text_add(t, name);
        else
            expand(&w, p.node, p.inside);
    }
    if (t->failed || (t->size - start <= most && !w.full))
        return;
    while (t->size > start + most || (t->size > start && (t->data[t->size] & 0xC0) == 0x80))
        t->size--;
    if (t->data)
        t->data[t->size] = '\0';
    th_text_add(t, "…");
}
