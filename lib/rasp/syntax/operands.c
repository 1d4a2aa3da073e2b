/* operands.c - the parser of what stands between operators: names, numbers, lists, calls, …. */
#include <stdlib.h>
#include <string.h>

#include "rasp/syntax/parse_impl.h"

static int32_t leaf(ThRaspParser *p, ThRaspKind kind)
{
    int32_t n = th_rasp_new_node(p, kind, &p->now);
    if (n < 0)
        return -1;
    if (kind == TH_RASP_R_INT)
        p->t->node[n].number.integer = p->now.integer;
    else if (kind == TH_RASP_R_REAL)
        p->t->node[n].number.real = p->now.real;
    else if (!th_rasp_node_text(p, n, &p->now))
        return -1;
    return th_rasp_advance(p) ? n : -1;
}

static bool is_keyword(const ThRaspParser *p)
{
    static const char *const words[] = {"if",  "else", "and", "or",    "not",
                                        "def", "for",  "in",  "return"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th_rasp_at_word(p, &p->now, words[i]))
            return true;
    return false;
}

int32_t th_rasp_new_name(ThRaspParser *p)
{
    if (p->now.kind != TH_RASP_LEX_NAME || is_keyword(p)) {
        th_rasp_wanted(p, "a name");
        return -1;
    }
    return leaf(p, TH_RASP_R_NAME);
}

/* `for` NAMES `in` LIST of a comprehension, whose element is there already. */
static int32_t comprehension(ThRaspParser *p, int32_t node, int32_t last)
{
    ThRaspLexeme at = p->now;
    if (!th_rasp_advance(p))
        return -1;
    int32_t names = th_rasp_new_node(p, TH_RASP_R_NAMES, &at), before = -1;
    while (names >= 0) {
        int32_t name = th_rasp_new_name(p);
        if (name < 0)
            return -1;
        th_rasp_append(p, names, &before, name);
        if (p->now.kind != ',')
            break;
        if (!th_rasp_advance(p))
            return -1;
    }
    if (names < 0)
        return -1;
    th_rasp_append(p, node, &last, names);
    if (!th_rasp_at_word(p, &p->now, "in")) {
        th_rasp_wanted(p, "in");
        return -1;
    }
    int32_t list = th_rasp_advance(p) ? th_rasp_expression(p) : -1;
    if (list < 0)
        return -1;
    th_rasp_append(p, node, &last, list);
    return node;
}

static bool list_element(ThRaspParser *p, int32_t node, int32_t *last)
{
    int32_t e = th_rasp_expression(p);
    if (e >= 0)
        th_rasp_append(p, node, last, e);
    return e >= 0;
}

static bool dict_element(ThRaspParser *p, int32_t node, int32_t *last)
{
    return list_element(p, node, last) && th_rasp_expect(p, ':', "':'") &&
           list_element(p, node, last);
}

/* A list or a dictionary, or a comprehension of one. */
typedef struct {
    ThRaspKind all, each;
    int close;
    const char *wanted;
    bool (*element)(ThRaspParser *p, int32_t node, int32_t *last);
} Collection;
static const Collection a_list = {TH_RASP_R_LIST, TH_RASP_R_EACH_LIST, ']', "',' or ']'",
                                  list_element};
static const Collection a_dict = {TH_RASP_R_DICT, TH_RASP_R_EACH_DICT, '}', "',' or '}'",
                                  dict_element};

static int32_t collection(ThRaspParser *p, const Collection *c)
{
    int32_t node = th_rasp_new_node(p, c->all, &p->now), last = -1;
    if (node < 0 || !th_rasp_advance(p))
        return -1;
    while (p->now.kind != c->close) {
        bool first = last < 0;
        if (!c->element(p, node, &last))
            return -1;
        if (first && th_rasp_at_word(p, &p->now, "for")) {
            p->t->node[node].kind = (uint8_t)c->each;
            if (comprehension(p, node, last) < 0)
                return -1;
            break;
        }
        if (p->now.kind != ',')
            break;
        if (!th_rasp_advance(p))
            return -1;
    }
    return th_rasp_expect(p, c->close, c->wanted) ? node : -1;
}

/* ( e ) or a tuple ( e, e, … ). */
static int32_t parentheses(ThRaspParser *p)
{
    ThRaspLexeme at = p->now;
    int32_t e = th_rasp_advance(p) ? th_rasp_expression(p) : -1;
    if (e < 0)
        return -1;
    if (p->now.kind == ',') {
        int32_t tuple = th_rasp_new_node(p, TH_RASP_R_TUPLE, &at), last = -1;
        if (tuple < 0)
            return -1;
        th_rasp_append(p, tuple, &last, e);
        while (p->now.kind == ',') {
            if (!th_rasp_advance(p))
                return -1;
            if (p->now.kind == ')')
                break;
            if ((e = th_rasp_expression(p)) < 0)
                return -1;
            th_rasp_append(p, tuple, &last, e);
        }
        e = tuple;
    }
    return th_rasp_expect(p, ')', "')'") ? e : -1;
}

/* Parameters between commas up to a token: names, each perhaps with a default. */
bool th_rasp_parameters(ThRaspParser *p, int32_t names, int end)
{
    int32_t last = -1;
    bool defaults = false;
    while (p->now.kind != end) {
        int32_t name = th_rasp_new_name(p);
        if (name < 0)
            return false;
        th_rasp_append(p, names, &last, name);
        if (p->now.kind == '=') {
            int32_t value = th_rasp_advance(p) ? th_rasp_expression(p) : -1;
            if (value < 0)
                return false;
            p->t->node[name].first = value;
            defaults = true;
        } else if (defaults) {
            return th_fail_at(p->err, TH_EPARSE, p->t->node[name].line, p->t->node[name].col,
                              "a parameter without a default cannot follow one that has one");
        }
        if (p->now.kind != ',')
            return true;
        if (!th_rasp_advance(p))
            return false;
    }
    return true;
}

static int32_t lambda(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_LAMBDA, &p->now), last = -1;
    size_t from = p->now.start;
    if (node < 0 || !th_rasp_advance(p))
        return -1;
    int32_t names = th_rasp_new_node(p, TH_RASP_R_NAMES, &p->now);
    if (names < 0 || !th_rasp_parameters(p, names, ':') || !th_rasp_expect(p, ':', "':'"))
        return -1;
    th_rasp_append(p, node, &last, names);
    int32_t body = th_rasp_expression(p);
    if (body < 0)
        return -1;
    th_rasp_append(p, node, &last, body);
    th_rasp_node_source(p, node, from);
    return node;
}

/* Does `lambda` begin a function here?  It is no reserved word, so it may be a name, too. */
static bool at_lambda(const ThRaspParser *p)
{
    return th_rasp_at_word(p, &p->now, "lambda") &&
           (p->next.kind == TH_RASP_LEX_NAME || p->next.kind == ':');
}

static int32_t primary(ThRaspParser *p)
{
    switch (p->now.kind) {
    case TH_RASP_LEX_INT:
        return leaf(p, TH_RASP_R_INT);
    case TH_RASP_LEX_REAL:
        return leaf(p, TH_RASP_R_REAL);
    case TH_RASP_LEX_STRING:
        return leaf(p, TH_RASP_R_STRING);
    case '(':
        return parentheses(p);
    case '[':
        return collection(p, &a_list);
    case '{':
        return collection(p, &a_dict);
    default:
        break;
    }
    if (at_lambda(p))
        return lambda(p);
    if ((p->now.kind == TH_RASP_LEX_NAME && !is_keyword(p)) || p->now.kind == TH_RASP_LEX_INSERTED)
        return leaf(p, TH_RASP_R_NAME);
    th_rasp_wanted(p, "an expression");
    return -1;
}

/* One argument: an expression, name = expression, or a comparison by itself. */
static int32_t argument(ThRaspParser *p)
{
    uint8_t op;
    if (th_rasp_comparison(p->now.kind, &op) && (p->next.kind == ')' || p->next.kind == ',')) {
        int32_t n = th_rasp_new_node(p, TH_RASP_R_COMPARE, &p->now);
        if (n < 0)
            return -1;
        p->t->node[n].op = op;
        return th_rasp_advance(p) ? n : -1;
    }
    if (p->now.kind != TH_RASP_LEX_NAME || p->next.kind != '=')
        return th_rasp_expression(p);
    int32_t n = th_rasp_new_node(p, TH_RASP_R_NAMED, &p->now);
    if (n < 0 || !th_rasp_node_text(p, n, &p->now) || !th_rasp_advance(p) || !th_rasp_advance(p))
        return -1;
    int32_t value = th_rasp_expression(p);
    if (value < 0)
        return -1;
    p->t->node[n].first = value;
    return n;
}

static int32_t arguments(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_CALL, &p->now), last = -1;
    if (node < 0 || !th_rasp_advance(p))
        return -1;
    while (p->now.kind != ')') {
        int32_t a = argument(p);
        if (a < 0)
            return -1;
        th_rasp_append(p, node, &last, a);
        if (p->now.kind != ',')
            break;
        if (!th_rasp_advance(p))
            return -1;
        if (p->now.kind == ')') {
            th_rasp_wanted(p, "an argument");
            return -1;
        }
    }
    return th_rasp_expect(p, ')', "',' or ')'") ? node : -1;
}

static int32_t index_brackets(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_INDEX, &p->now);
    if (node < 0 || !th_rasp_advance(p))
        return -1;
    int32_t e = th_rasp_expression(p);
    if (e < 0)
        return -1;
    p->t->node[node].first = e;
    return th_rasp_expect(p, ']', "']'") ? node : -1;
}

/* A value with the calls and indices behind it. */
static int32_t postfixed(ThRaspParser *p)
{
    int32_t value = primary(p), node = -1, last = -1;
    while (value >= 0 && (p->now.kind == '(' || p->now.kind == '[')) {
        if (node < 0 && (node = th_rasp_chain(p, TH_RASP_R_POSTFIX, value, &last)) < 0)
            return -1;
        int32_t more = p->now.kind == '(' ? arguments(p) : index_brackets(p);
        if (more < 0)
            return -1;
        th_rasp_append(p, node, &last, more);
        value = node;
    }
    return value;
}

int32_t th_rasp_operand(ThRaspParser *p)
{
    if (!th_rasp_down(p))
        return -1;
    int32_t value = postfixed(p);
    th_rasp_up(p);
    return value;
}
