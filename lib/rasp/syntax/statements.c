
#include "rasp/syntax/parse_impl.h"

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const reserved[] = {
#define WORD(word) #word,
#include "rasp/syntax/reserved.def"
#undef WORD
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

bool th_rasp_is_reserved(const char *name)
{
    return bsearch(name, reserved, sizeof reserved / sizeof *reserved, sizeof *reserved,
                   compare_words) != NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

static int32_t statement(ThRaspParser *p);

static bool now_is(const ThRaspParser *p, const char *word)
{
    return th_rasp_at_word(p, &p->now, word);
}

static bool next_is(const ThRaspParser *p, const char *word)
{
    return th_rasp_at_word(p, &p->next, word);
}

/* The `;` of a statement, which may be missing where a line is the statement. */
static void statement_end(ThRaspParser *p)
{
    bool ended = p->now.kind == TH_RASP_LEX_END || p->now.kind == '}';
    if (!ended || !p->d.lines || p->depth > 0)
        th_rasp_expect(p, ';', "';'");
}

/* The same for the prompt's own statements, which have none. */
static void command_end(ThRaspParser *p)
{
    bool ended = p->now.kind == TH_RASP_LEX_END || p->now.kind == '}';
    if (p->now.kind == ';' || (!ended && p->now.line <= p->last.line))
        th_rasp_expect(p, ';', "';'");
}

/* name, name, … = : is this an assignment?  Looks ahead on a copy of the lexer. */
static bool at_assignment(const ThRaspParser *p)
{
    ThRaspSource lx = p->lx;
    ThRaspLexeme t = p->next;
    ThError ignored = {0};
    if (p->now.kind != TH_RASP_LEX_NAME)
        return false;
    while (t.kind == ',')
        if (!th_rasp_lex(&lx, &t, &ignored) || t.kind != TH_RASP_LEX_NAME ||
            !th_rasp_lex(&lx, &t, &ignored))
            return false;
    return t.kind == '=';
}

static int32_t assignment(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_ASSIGN, &p->now), last = -1;
    th_rasp_append(p, node, &last, th_rasp_new_names(p, &p->now));
    th_rasp_expect(p, '=', "'='");
    int32_t values = th_rasp_new_node(p, TH_RASP_R_VALUES, &p->now);
    th_rasp_expressions(p, values);
    th_rasp_append(p, node, &last, values);
    statement_end(p);
    return node;
}

static int32_t expression_statement(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_EXPRESSION, &p->now), last = -1;
    th_rasp_append(p, node, &last, th_rasp_expression(p));
    statement_end(p);
    return node;
}

/* `return` VALUES `;` */
static int32_t returned(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_RETURN, &p->now), last = -1;
    if (!p->failed && !now_is(p, "return")) {
        th_rasp_wanted(p, "return");
        th_hint(p->err, "a function ends with return VALUE;");
    }
    th_rasp_advance(p);
    int32_t values = th_rasp_new_node(p, TH_RASP_R_VALUES, &p->now);
    th_rasp_expressions(p, values);
    th_rasp_expect(p, ';', "';'");
    th_rasp_append(p, node, &last, values);
    return node;
}

/* { statements }, with or without a return at the end. */
static int32_t block(ThRaspParser *p, bool returns)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_BLOCK, &p->now), last = -1;
    th_rasp_down(p);
    th_rasp_expect(p, '{', "'{'");
    while (!p->failed && p->now.kind != '}' && !now_is(p, "return"))
        th_rasp_append(p, node, &last, statement(p));
    if (returns)
        th_rasp_append(p, node, &last, returned(p));
    th_rasp_up(p);
    th_rasp_expect(p, '}', "'}'");
    return node;
}

static int32_t definition(ThRaspParser *p)
{
    size_t from = p->now.start;
    int32_t node = th_rasp_new_node(p, TH_RASP_R_DEF, &p->now), last = -1;
    th_rasp_advance(p);
    ThRaspLexeme name = p->now;
    if (name.kind != TH_RASP_LEX_NAME)
        th_rasp_wanted(p, "the name of a function");
    th_rasp_node_text(p, node, &name);
    th_rasp_advance(p);
    th_rasp_expect(p, '(', "'('");
    p->t->node[node].line = name.line;
    p->t->node[node].col = name.col;
    int32_t names = th_rasp_new_node(p, TH_RASP_R_NAMES, &p->now);
    th_rasp_parameters(p, names, ')');
    th_rasp_expect(p, ')', "',' or ')'");
    th_rasp_append(p, node, &last, names);
    th_rasp_append(p, node, &last, block(p, true));
    th_rasp_node_source(p, node, from);
    return node;
}

static int32_t loop(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_FOR, &p->now), last = -1;
    th_rasp_advance(p);
    th_rasp_append(p, node, &last, th_rasp_new_names(p, &p->now));
    th_rasp_expect_word(p, "in");
    th_rasp_append(p, node, &last, th_rasp_expression(p));
    th_rasp_append(p, node, &last, block(p, false));
    return node;
}

static int32_t drawing(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_DRAW, &p->now);
    th_rasp_advance(p);
    th_rasp_expect(p, '(', "'('");
    th_rasp_expressions(p, node);
    th_rasp_expect(p, ')', "',' or ')'");
    statement_end(p);
    return node;
}

static int32_t loading(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_LOAD, &p->now);
    th_rasp_advance(p);
    if (p->now.kind != TH_RASP_LEX_STRING)
        th_rasp_wanted(p, "a file name in quotes");
    th_rasp_node_text(p, node, &p->now);
    th_rasp_advance(p);
    statement_end(p);
    return node;
}

/* ---- the prompt's own ------------------------------------------------------------------------ */

/* `s-op` or `selector`, or neither: what an example is for. */
static uint8_t which(ThRaspParser *p)
{
    if (now_is(p, "selector")) {
        th_rasp_advance(p);
        return TH_RASP_FOR_SELECTORS;
    }
    if (!now_is(p, "s") || p->next.kind != '-')
        return TH_RASP_FOR_SOPS | TH_RASP_FOR_SELECTORS;
    th_rasp_advance(p);
    th_rasp_advance(p);
    if (!now_is(p, "op"))
        th_rasp_wanted(p, "s-op");
    th_rasp_advance(p);
    return TH_RASP_FOR_SOPS;
}

static void on_or_off(ThRaspParser *p, int32_t node)
{
    bool on = now_is(p, "on");
    if (!on && !now_is(p, "off"))
        th_rasp_wanted(p, "on or off");
    p->t->node[node].number.integer = on;
    th_rasp_advance(p);
    command_end(p);
}

static int32_t full_display(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_FULL_DISPLAY, &p->now);
    th_rasp_advance(p);
    th_rasp_advance(p);
    th_rasp_expect_word(p, "display");
    on_or_off(p, node);
    return node;
}

static int32_t set_or_show(ThRaspParser *p)
{
    bool set = now_is(p, "set");
    int32_t node =
                th_rasp_new_node(p, set ? TH_RASP_R_SET_EXAMPLE : TH_RASP_R_SHOW_EXAMPLE, &p->now),
            last = -1;
    th_rasp_advance(p);
    p->t->node[node].op = which(p);
    th_rasp_expect_word(p, "example");
    if (set)
        th_rasp_append(p, node, &last, th_rasp_expression(p));
    command_end(p);
    return node;
}

static int32_t examples(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_EXAMPLES, &p->now);
    p->t->node[node].op = which(p);
    th_rasp_expect_word(p, "examples");
    on_or_off(p, node);
    return node;
}

static int32_t leaving(ThRaspParser *p)
{
    int32_t node = th_rasp_new_node(p, TH_RASP_R_QUIT, &p->now);
    th_rasp_advance(p);
    if (p->now.kind == '(') {
        th_rasp_advance(p);
        th_rasp_expect(p, ')', "')'");
    }
    command_end(p);
    return node;
}

static bool at_examples(const ThRaspParser *p)
{
    bool word = now_is(p, "examples") && p->next.kind == TH_RASP_LEX_NAME;
    return word || (now_is(p, "selector") && next_is(p, "examples")) ||
           (now_is(p, "s") && p->next.kind == '-' && p->lx.at + 2 <= p->lx.n &&
            memcmp(p->lx.text + p->next.end, "op", 2) == 0 && p->next.start == p->now.end);
}

static int32_t prompt_statement(ThRaspParser *p, bool *is)
{
    *is = true;
    if ((now_is(p, "set") || now_is(p, "show")) && p->next.kind == TH_RASP_LEX_NAME)
        return set_or_show(p);
    if (at_examples(p))
        return examples(p);
    if (now_is(p, "full") && next_is(p, "seq"))
        return full_display(p);
    if ((now_is(p, "exit") || now_is(p, "quit")) && p->next.kind != '=' && p->next.kind != ',')
        return leaving(p);
    *is = false;
    return -1;
}

static int32_t statement(ThRaspParser *p)
{
    if (p->d.prompt && p->depth == 0) {
        bool is;
        int32_t node = prompt_statement(p, &is);
        if (is)
            return node;
    }
    if (now_is(p, "def"))
        return definition(p);
    if (now_is(p, "for"))
        return loop(p);
    if (at_assignment(p))
        return assignment(p);
    if (now_is(p, "draw") && p->next.kind == '(')
        return drawing(p);
    if (now_is(p, "load"))
        return loading(p);
    return expression_statement(p);
}

static void skip_empty(ThRaspParser *p)
{
    while (p->now.kind == ';')
        th_rasp_advance(p);
}

bool th_rasp_parse(ThRaspTree *t, const char *text, size_t n, ThRaspDialect d, ThError *err)
{
    ThRaspParser p;
    ThRaspSource src = {.text = text, .n = n, .line = 1, .col = 1};
    int32_t last = -1;
    if (!th_rasp_begin(&p, t, &src, d, err))
        return false;
    skip_empty(&p);
    while (!p.failed && p.now.kind != TH_RASP_LEX_END) {
        th_rasp_append(&p, t->root, &last, statement(&p));
        skip_empty(&p);
    }
    return !p.failed;
}

bool th_rasp_parse_one(ThRaspTree *t, ThRaspSource *src, ThRaspDialect d, ThError *err)
{
    ThRaspParser p;
    int32_t last = -1;
    if (!th_rasp_begin(&p, t, src, d, err))
        return false;
    th_rasp_append(&p, t->root, &last, statement(&p));
    if (p.failed)
        return false;
    src->at = p.last.after;
    src->line = p.last.line;
    src->col = p.last.after_col;
    return true;
}

bool th_rasp_tree_copy(ThRaspTree *t, const ThRaspTree *from, ThError *err)
{
    *t = (ThRaspTree){.root = from->root};
    if (!th_grow(&t->node, &t->cap, from->n, sizeof *t->node, err) ||
        !th_grow(&t->text, &t->text_cap, from->size + 1, 1, err)) {
        th_rasp_tree_free(t);
        return false;
    }
    memcpy(t->node, from->node, from->n * sizeof *t->node);
    t->n = from->n;
    if (from->size > 0)
        memcpy(t->text, from->text, from->size);
    t->size = from->size;
    return true;
}

void th_rasp_tree_free(ThRaspTree *t)
{
    TH_FREE(t->node, t->text);
    *t = (ThRaspTree){0};
}
