/* operands.c - the parser of what stands between operators: names, numbers, lists, calls, …. */

#include "rasp/syntax/parse_impl.h"

static int32_t leaf(ThRaspParser *p, ThRaspKind kind)
{
    int32_t n = th_rasp_new_node(p, kind, &p->now);
    if (kind == TH_RASP_R_INT)
        p->t->node[n].number.integer = p->now.integer;
    else if (kind == TH_RASP_R_REAL)
        p->t->node[n].number.real = p->now.real;
    else
        th_rasp_node_text(p, n, &p->now);
    if (kind == TH_RASP_R_STRING && !p->failed)
        p->t->node[n].op = p->d.prompt && p->d.lines;
    th_rasp_advance(p);
    return n;
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

/* A name that is being defined. */
static int32_t new_name(ThRaspParser *p)
{
    if (p->now.kind != TH_RASP_LEX_NAME || is_keyword(p))
        th_rasp_wanted(p, "a name");
    return leaf(p, TH_RASP_R_NAME);
}

int32_t th_rasp_new_names(ThRaspParser *p, const ThRaspLexeme *at)
{
    int32_t names = th_rasp_new_node(p, TH_RASP_R_NAMES, at), last = -1;
    do
        th_rasp_append(p, names, &last, new_name(p));
    while (th_rasp_comma(p));
    return names;
}

/* `for` NAMES `in` LIST of a comprehension, whose element is there already. */
static void comprehension(ThRaspParser *p, int32_t node, int32_t last)
{
    ThRaspLexeme at = p->now;
    th_rasp_advance(p);
    th_rasp_append(p, node, &last, th_rasp_new_names(p, &at));
    th_rasp_expect_word(p, "in");
    th_rasp_append(p, node, &last, th_rasp_expression(p));
}

static void list_element(ThRaspParser *p, int32_t node, int32_t *last)
{
    th_rasp_append(p, node, last, th_rasp_expression(p));
}

static void dict_element(ThRaspParser *p, int32_t node, int32_t *last)
{
    list_element(p, node, last);
    th_rasp_expect(p, ':', "':'");
    list_element(p, node, last);
}

/* A list or a dictionary, or a comprehension of one. */
typedef struct {
    ThRaspKind all, each;
    int close;
    const char *wanted;
    void (*element)(ThRaspParser *p, int32_t node, int32_t *last);
} Collection;
static const Collection a_list = {TH_RASP_R_LIST, TH_RASP_R_EACH_LIST, ']', "',' or ']'",
                                  list_element};
static const Collection a_dict = {TH_RASP_R_DICT, TH_RASP_R_EACH_DICT, '}', "',' or '}'",
                                  dict_element};

static int32_t collection(ThRaspParser *p, const Collection *c)
{
    int32_t node = th_rasp_new_node(p, c->all, &p->now), last = -1;
    th_rasp_advance(p);
    while (p->now.kind != c->close) {
        bool first = last < 0;
        c->element(p, node, &last);
        if (first && th_rasp_at_word(p, &p->now, "for")) {
            p->t->node[node].kind = (uint8_t)c->each;
            comprehension(p, node, last);
            break;
        }
        if (!th_rasp_comma(p))
            break;
    }
    th_rasp_expect(p, c->close, c->wanted);
    return node;
}

/* ( e ) or a tuple ( e, e, … ). */
static int32_t parentheses(ThRaspParser *p)
{
    ThRaspLexeme at = p->now;
    th_rasp_advance(p);
    int32_t e = th_rasp_expression(p);
    if (p->now.kind == ',') {
        int32_t tuple = th_rasp_new_node(p, TH_RASP_R_TUPLE, &at), last = -1;
        th_rasp_append(p, tuple, &last, e);
        while (th_rasp_comma(p) && p->now.kind != ')')
            th_rasp_append(p, tuple, &last, th_rasp_expression(p));
        e = tuple;
    }
    th_rasp_expect(p, ')', "')'");
    return e;
}

/* Gives a node its only child, an expression. */
static void set_child(ThRaspParser *p, int32_t node)
{
    int32_t e = th_rasp_expression(p);
    p->t->node[node].first = e;
}

/* Parameters between commas up to a token: names, each perhaps with a default. */
void th_rasp_parameters(ThRaspParser *p, int32_t names, int end)
{
    int32_t last = -1;
    bool defaults = false, more = p->now.kind != end;
    while (more) {
        int32_t name = new_name(p);
        th_rasp_append(p, names, &last, name);
        if (p->now.kind == '=') {
            th_rasp_advance(p);
            set_child(p, name);
            defaults = true;
        } else if (defaults && !p->failed) {
            th_fail_at(p->err, TH_EPARSE, p->t->node[name].line, p->t->node[name].col,
                       "a parameter without a default cannot follow one that has one");
            th_rasp_parse_failed(p);
        }
        more = th_rasp_comma(p) && p->now.kind != end;
    }
}

static int32_t lambda(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_LAMBDA, &p->now), last = -1;
    size_t from = p->now.start;
    th_rasp_advance(p);
    int32_t names = th_rasp_new_node(p, TH_RASP_R_NAMES, &p->now);
    th_rasp_parameters(p, names, ':');
    th_rasp_expect(p, ':', "':'");
    th_rasp_append(p, node, &last, names);
    th_rasp_append(p, node, &last, th_rasp_expression(p));
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
    return 0;
}

/* One argument: an expression, name = expression, or a comparison by itself. */
static int32_t argument(ThRaspParser *p)
{
    uint8_t op;
    if (th_rasp_comparison(p->now.kind, &op) && (p->next.kind == ')' || p->next.kind == ',')) {
        int32_t n = th_rasp_new_node(p, TH_RASP_R_COMPARE, &p->now);
        p->t->node[n].op = op;
        th_rasp_advance(p);
        return n;
    }
    if (p->now.kind != TH_RASP_LEX_NAME || p->next.kind != '=')
        return th_rasp_expression(p);
    int32_t n = th_rasp_new_node(p, TH_RASP_R_NAMED, &p->now);
    th_rasp_node_text(p, n, &p->now);
    th_rasp_advance(p);
    th_rasp_advance(p);
    set_child(p, n);
    return n;
}

static int32_t arguments(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_CALL, &p->now), last = -1;
    th_rasp_advance(p);
    bool more = p->now.kind != ')';
    while (more) {
        th_rasp_append(p, node, &last, argument(p));
        more = th_rasp_comma(p);
        if (more && p->now.kind == ')')
            th_rasp_wanted(p, "an argument");
    }
    th_rasp_expect(p, ')', "',' or ')'");
    return node;
}

static int32_t index_brackets(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_INDEX, &p->now);
    th_rasp_advance(p);
    set_child(p, node);
    th_rasp_expect(p, ']', "']'");
    return node;
}

/* A value with the calls and indices behind it. */
static int32_t postfixed(ThRaspParser *p)
{
    int32_t value = primary(p), last = -1;
    if (p->now.kind != '(' && p->now.kind != '[')
        return value;
    int32_t node = th_rasp_chain(p, TH_RASP_R_POSTFIX, value, &last);
    while (p->now.kind == '(' || p->now.kind == '[')
        th_rasp_append(p, node, &last, p->now.kind == '(' ? arguments(p) : index_brackets(p));
    return node;
}

int32_t th_rasp_operand(ThRaspParser *p)
{
    th_rasp_down(p);
    int32_t value = postfixed(p);
    th_rasp_up(p);
    return value;
}
