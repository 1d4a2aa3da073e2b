/* rasp_write.c - trees as source that every grammar reads as the same. */
#include <inttypes.h>

#include "rasp/syntax/syntax.h"

typedef struct {
    const ThRaspTree *tree;
    ThText *t;
    int indent;
} Writer;

static void write(Writer *w, int32_t node);

static const ThRaspNode *at(const Writer *w, int32_t node)
{
    return &w->tree->node[node];
}

static int32_t next(const Writer *w, int32_t node)
{
    return at(w, node)->next;
}

/* Nodes from one on, between commas. */
static void write_list(Writer *w, int32_t first)
{
    for (int32_t e = first; e >= 0; e = next(w, e)) {
        th_text_add(w->t, e == first ? "" : ", ");
        write(w, e);
    }
}

static void write_inside(Writer *w, const char *open, int32_t node, const char *close)
{
    th_text_add(w->t, open);
    write_list(w, at(w, node)->first);
    th_text_add(w->t, close);
}

static void write_pair(Writer *w, int32_t key)
{
    write(w, key);
    th_text_add(w->t, ": ");
    write(w, next(w, key));
}

static void write_dict(Writer *w, int32_t node)
{
    int32_t first = at(w, node)->first;
    th_text_add(w->t, "{");
    for (int32_t key = first; key >= 0; key = next(w, next(w, key))) {
        th_text_add(w->t, key == first ? "" : ", ");
        write_pair(w, key);
    }
    th_text_add(w->t, "}");
}

static void write_each(Writer *w, int32_t node)
{
    bool dict = at(w, node)->kind == TH_RASP_R_EACH_DICT;
    int32_t element = at(w, node)->first, names = next(w, dict ? next(w, element) : element);
    th_text_add(w->t, dict ? "{" : "[");
    if (dict)
        write_pair(w, element);
    else
        write(w, element);
    th_text_add(w->t, " for ");
    write(w, names);
    th_text_add(w->t, " in ");
    write(w, next(w, names));
    th_text_add(w->t, dict ? "}" : "]");
}

static void open(Writer *w, size_t n)
{
    while (n-- > 0)
        th_text_add(w->t, "(");
}

/* Operators that group from the left where they follow each other, in every grammar. */
static int group(uint8_t op)
{
    return op == TH_RASP_OP_SUB ? TH_RASP_OP_ADD : op == TH_RASP_OP_DIV ? TH_RASP_OP_MUL : op;
}

static bool joins(const Writer *w, int32_t before, int32_t link)
{
    uint8_t op = at(w, link)->op;
    return op != TH_RASP_OP_POW && group(at(w, before)->op) == group(op);
}

static void write_chain(Writer *w, int32_t node)
{
    int32_t operand = at(w, node)->first, first = next(w, operand);
    size_t n = 1;
    for (int32_t link = first; next(w, link) >= 0; link = next(w, link))
        n += !joins(w, link, next(w, link));
    open(w, n);
    write(w, operand);
    for (int32_t link = first; link >= 0; link = next(w, link)) {
        uint8_t op = at(w, link)->op;
        const char *name = op == TH_RASP_R_IN ? "in" : th_rasp_binary_name((ThRaspBinary)op);
        th_text_printf(w->t, " %s ", name);
        write(w, at(w, link)->first);
        th_text_add(w->t, next(w, link) >= 0 && joins(w, link, next(w, link)) ? "" : ")");
    }
}

/* Prefixes from the last to the first, as they stand in the source. */
static void write_prefix(Writer *w, int32_t node)
{
    int32_t operand = at(w, node)->first, end = -1;
    size_t n = 0;
    while (next(w, operand) != end) {
        int32_t link = operand;
        while (next(w, link) != end)
            link = next(w, link);
        bool no = at(w, link)->op == TH_RASP_OP_NOT;
        th_text_printf(w->t, "(%s", no ? "not " : th_rasp_unary_name(at(w, link)->op));
        end = link;
        n++;
    }
    write(w, operand);
    while (n-- > 0)
        th_text_add(w->t, ")");
}

static void write_if(Writer *w, int32_t node)
{
    int32_t value = at(w, node)->first;
    size_t n = 0;
    for (int32_t c = next(w, value); c >= 0; c = next(w, next(w, c)))
        n++;
    open(w, n);
    write(w, value);
    for (int32_t c = next(w, value); c >= 0; c = next(w, next(w, c))) {
        th_text_add(w->t, " if ");
        write(w, c);
        th_text_add(w->t, " else ");
        write(w, next(w, c));
        th_text_add(w->t, ")");
    }
}

/* Also the names of assignments and loops, which have no defaults. */
static void write_parameters(Writer *w, int32_t names)
{
    for (int32_t p = at(w, names)->first; p >= 0; p = next(w, p)) {
        th_text_add(w->t, th_rasp_text(w->tree, p));
        if (at(w, p)->first >= 0) {
            th_text_add(w->t, "=");
            write(w, at(w, p)->first);
        }
        th_text_add(w->t, next(w, p) >= 0 ? ", " : "");
    }
}

static void write_lambda(Writer *w, int32_t node)
{
    int32_t names = at(w, node)->first;
    th_text_add(w->t, at(w, names)->first >= 0 ? "(lambda " : "(lambda");
    write_parameters(w, names);
    th_text_add(w->t, ": ");
    write(w, next(w, names));
    th_text_add(w->t, ")");
}

static void write_postfix(Writer *w, int32_t node)
{
    int32_t value = at(w, node)->first;
    write(w, value);
    for (int32_t more = next(w, value); more >= 0; more = next(w, more))
        write(w, more);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void new_line(Writer *w)
{
    th_text_printf(w->t, "\n%*s", 4 * w->indent, "");
}

static void write_block(Writer *w, int32_t block)
{
    th_text_add(w->t, "{");
    w->indent++;
    for (int32_t s = at(w, block)->first; s >= 0; s = next(w, s)) {
        new_line(w);
        write(w, s);
    }
    w->indent--;
    new_line(w);
    th_text_add(w->t, "}");
}

static void write_definition(Writer *w, int32_t node)
{
    int32_t names = at(w, node)->first;
    th_text_printf(w->t, "def %s(", th_rasp_text(w->tree, node));
    write_parameters(w, names);
    th_text_add(w->t, ") ");
    write_block(w, next(w, names));
}

static void write_for(Writer *w, int32_t node)
{
    int32_t names = at(w, node)->first, list = next(w, names);
    th_text_add(w->t, "for ");
    write_parameters(w, names);
    th_text_add(w->t, " in ");
    write(w, list);
    th_text_add(w->t, " ");
    write_block(w, next(w, list));
}

static void write_assignment(Writer *w, int32_t node)
{
    int32_t names = at(w, node)->first;
    write_parameters(w, names);
    th_text_add(w->t, " = ");
    write(w, next(w, names));
    th_text_add(w->t, ";");
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_real(const ThRaspNode *n, ThText *t)
{
    th_rasp_atom_source(NULL, th_rasp_float(n->number.real), t, NULL);
}

/* What has no parts; false: it has some. */
static bool write_leaf(Writer *w, int32_t node)
{
    const ThRaspNode *n = at(w, node);
    if (n->kind == TH_RASP_R_INT)
        th_text_printf(w->t, "%" PRId64, n->number.integer);
    else if (n->kind == TH_RASP_R_REAL)
        write_real(n, w->t);
    else if (n->kind == TH_RASP_R_STRING)
        th_text_printf(w->t, "\"%s\"", th_rasp_text(w->tree, node));
    else if (n->kind == TH_RASP_R_NAME)
        th_text_add(w->t, th_rasp_text(w->tree, node));
    else if (n->kind == TH_RASP_R_COMPARE)
        th_text_add(w->t, th_rasp_binary_name((ThRaspBinary)n->op));
    else
        return false;
    return true;
}

static void write_named(Writer *w, int32_t node)
{
    th_text_printf(w->t, "%s=", th_rasp_text(w->tree, node));
    write(w, at(w, node)->first);
}

static void write_tuple(Writer *w, int32_t node)
{
    write_inside(w, "(", node, next(w, at(w, node)->first) < 0 ? ",)" : ")");
}

static void write_values(Writer *w, int32_t node)
{
    write_list(w, at(w, node)->first);
}

/* Parts with something around them; and those that a function writes.  What is not here stands in
 * no function. */
static const struct {
    ThRaspKind kind;
    const char *open, *close;
    void (*write)(Writer *w, int32_t node);
} forms[] = {
    {TH_RASP_R_LIST, "[", "]", NULL},
    {TH_RASP_R_INDEX, "[", "]", NULL},
    {TH_RASP_R_CALL, "(", ")", NULL},
    {TH_RASP_R_EXPRESSION, "", ";", NULL},
    {TH_RASP_R_RETURN, "return ", ";", NULL},
    {TH_RASP_R_DRAW, "draw(", ");", NULL},
    {TH_RASP_R_TUPLE, NULL, NULL, write_tuple},
    {TH_RASP_R_DICT, NULL, NULL, write_dict},
    {TH_RASP_R_EACH_LIST, NULL, NULL, write_each},
    {TH_RASP_R_EACH_DICT, NULL, NULL, write_each},
    {TH_RASP_R_LAMBDA, NULL, NULL, write_lambda},
    {TH_RASP_R_NAMED, NULL, NULL, write_named},
    {TH_RASP_R_POSTFIX, NULL, NULL, write_postfix},
    {TH_RASP_R_PREFIX, NULL, NULL, write_prefix},
    {TH_RASP_R_CHAIN, NULL, NULL, write_chain},
    {TH_RASP_R_IF, NULL, NULL, write_if},
    {TH_RASP_R_NAMES, NULL, NULL, write_parameters},
    {TH_RASP_R_VALUES, NULL, NULL, write_values},
    {TH_RASP_R_ASSIGN, NULL, NULL, write_assignment},
    {TH_RASP_R_DEF, NULL, NULL, write_definition},
    {TH_RASP_R_FOR, NULL, NULL, write_for},
};

static void write(Writer *w, int32_t node)
{
    if (write_leaf(w, node))
        return;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].kind != (ThRaspKind)at(w, node)->kind)
            continue;
        if (forms[i].write)
            forms[i].write(w, node);
        else
            write_inside(w, forms[i].open, node, forms[i].close);
    }
}

void th_rasp_tree_write(const ThRaspTree *tree, int32_t node, ThText *t)
{
    Writer w = {tree, t, 0};
    write(&w, node);
}

static bool same_text(const ThRaspTree *a, int32_t x, const ThRaspTree *b, int32_t y)
{
    bool none = a->node[x].text < 0, no = b->node[y].text < 0;
    return none || no ? none == no : strcmp(th_rasp_text(a, x), th_rasp_text(b, y)) == 0;
}

bool th_rasp_tree_same(const ThRaspTree *a, int32_t x, const ThRaspTree *b, int32_t y)
{
    const ThRaspNode *p = &a->node[x], *q = &b->node[y];
    bool literal = p->kind == TH_RASP_R_INT || p->kind == TH_RASP_R_REAL;
    if (p->kind != q->kind || p->op != q->op || !same_text(a, x, b, y) ||
        (literal && p->number.integer != q->number.integer))
        return false;
    int32_t i = p->first, j = q->first;
    for (; i >= 0 && j >= 0; i = a->node[i].next, j = b->node[j].next)
        if (!th_rasp_tree_same(a, i, b, j))
            return false;
    return i < 0 && j < 0;
}
