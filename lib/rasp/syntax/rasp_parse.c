
#include "rasp/syntax/parse_impl.h"

/* ---- tokens and nodes ------------------------------------------------------------------------ */

static void read_next(ThRaspParser *p)
{
    if (p->now.kind != TH_RASP_LEX_BAD && !th_rasp_lex(&p->lx, &p->next, &p->bad))
        p->next.kind = TH_RASP_LEX_BAD;
}

void th_rasp_advance(ThRaspParser *p)
{
    p->last = p->now;
    p->now = p->next;
    read_next(p);
}

bool th_rasp_comma(ThRaspParser *p)
{
    bool comma = p->now.kind == ',';
    if (comma)
        th_rasp_advance(p);
    return comma;
}

void th_rasp_parse_failed(ThRaspParser *p)
{
    p->failed = true;
    p->now.kind = p->next.kind = TH_RASP_LEX_BAD;
}

void th_rasp_node_source(ThRaspParser *p, int32_t node, size_t from)
{
    p->t->node[node].from = (int32_t)(from - p->from);
    p->t->node[node].to = (int32_t)(p->last.after - p->from);
}

bool th_rasp_begin(ThRaspParser *p, ThRaspTree *t, const ThRaspSource *src, ThRaspDialect d,
                   ThError *err)
{
    *p = (ThRaspParser){.lx = *src, .from = src->at, .t = t, .d = d, .err = err};
    if (src->n > INT32_MAX / 4)
        return th_fail(err, TH_ELIMIT, "a RASP program may be %d bytes long", INT32_MAX / 4);
    t->root =
        th_rasp_new_node(p, TH_RASP_R_BLOCK, &(ThRaspLexeme){.line = src->line, .col = src->col});
    if (p->failed)
        return false;
    read_next(p);
    th_rasp_advance(p);
    return true;
}

bool th_rasp_at_word(const ThRaspParser *p, const ThRaspLexeme *l, const char *word)
{
    size_t n = strlen(word);
    return l->kind == TH_RASP_LEX_NAME && l->end - l->start == n &&
           memcmp(p->lx.text + l->start, word, n) == 0;
}

/* A token's text, cut to a size that no word of a table has; "" for strings and the end. */
typedef struct {
    char text[16];
} Word;

static Word word_of(const ThRaspParser *p, const ThRaspLexeme *l)
{
    Word w = {""};
    size_t n = l->end - l->start;
    if (l->kind != TH_RASP_LEX_STRING && n < sizeof w.text)
        memcpy(w.text, p->lx.text + l->start, n);
    return w;
}

static void hint_at_habit(ThRaspParser *p)
{
    Word before = word_of(p, &p->last), at = word_of(p, &p->now), behind = word_of(p, &p->next);
    const char *habit = th_rasp_habit(before.text, at.text, behind.text);
    if (habit)
        th_hint(p->err, "%s", habit);
}

void th_rasp_wanted(ThRaspParser *p, const char *wanted)
{
    const ThRaspLexeme *l = &p->now;
    size_t n = l->end - l->start;
    if (p->failed)
        return;
    if (l->kind == TH_RASP_LEX_BAD) {
        if (p->err && p->err->code == TH_OK)
            *p->err = p->bad;
    } else if (l->kind == TH_RASP_LEX_END) {
        th_fail_at(p->err, TH_EINCOMPLETE, l->line, l->col, "expected %s at the end", wanted);
    } else {
        th_fail_at(p->err, TH_EPARSE, l->line, l->col, "expected %s before '%.*s'", wanted,
                   (int)(n < 40 ? n : 40), p->lx.text + l->start);
        hint_at_habit(p);
    }
    th_rasp_parse_failed(p);
}

void th_rasp_expect(ThRaspParser *p, int kind, const char *wanted)
{
    if (p->now.kind == kind)
        th_rasp_advance(p);
    else
        th_rasp_wanted(p, wanted);
}

void th_rasp_expect_word(ThRaspParser *p, const char *word)
{
    if (th_rasp_at_word(p, &p->now, word))
        th_rasp_advance(p);
    else
        th_rasp_wanted(p, word);
}

/* After an error: the root, which stands for any node then. */
int32_t th_rasp_new_node(ThRaspParser *p, ThRaspKind kind, const ThRaspLexeme *at)
{
    ThRaspTree *t = p->t;
    if (p->failed)
        return 0;
    if (th_stopped(p->lx.stop, p->err) ||
        !th_grow(&t->node, &t->cap, t->n + 1, sizeof *t->node, p->err)) {
        th_rasp_parse_failed(p);
        return 0;
    }
    t->node[t->n] = (ThRaspNode){.kind = (uint8_t)kind,
                                 .line = at->line,
                                 .col = at->col,
                                 .first = -1,
                                 .next = -1,
                                 .text = -1};
    return (int32_t)t->n++;
}

void th_rasp_append(ThRaspParser *p, int32_t parent, int32_t *last, int32_t child)
{
    if (*last < 0)
        p->t->node[parent].first = child;
    else
        p->t->node[*last].next = child;
    *last = child;
}

void th_rasp_node_text(ThRaspParser *p, int32_t node, const ThRaspLexeme *from)
{
    ThRaspTree *t = p->t;
    size_t n = from->end - from->start;
    if (p->failed || !th_grow(&t->text, &t->text_cap, t->size + n + 1, 1, p->err)) {
        th_rasp_parse_failed(p);
        return;
    }
    memcpy(t->text + t->size, p->lx.text + from->start, n);
    t->text[t->size + n] = '\0';
    t->node[node].text = (int32_t)t->size;
    t->size += n + 1;
}

void th_rasp_down(ThRaspParser *p)
{
    if (p->depth++ < TH_RASP_DEEPEST || p->failed)
        return;
    th_fail_at(p->err, TH_ELIMIT, p->now.line, p->now.col,
               "brackets and blocks are more than %d deep", TH_RASP_DEEPEST);
    th_hint(p->err, "give a part of it a name");
    th_rasp_parse_failed(p);
}

void th_rasp_up(ThRaspParser *p)
{
    p->depth--;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const ThRaspGrammar grammars[] = {
#define GRAMMAR(id, ...) {.name = #id, __VA_ARGS__},
#include "rasp/syntax/grammars.def"
#undef GRAMMAR
};

const ThRaspGrammar *th_rasp_grammars(size_t *n)
{
    *n = sizeof grammars / sizeof *grammars;
    return grammars;
}

static const ThRaspGrammar *grammar(const ThRaspParser *p)
{
    return p->d.grammar ? p->d.grammar : &grammars[0];
}

typedef enum { NOTHING, OPERATOR, CONDITION } Follow;

typedef struct {
    Follow what;
    uint8_t op;
    int level;
} Operator;

static Operator word_operator(const ThRaspParser *p)
{
    const ThRaspGrammar *g = grammar(p);
    if (th_rasp_at_word(p, &p->now, "in"))
        return (Operator){OPERATOR, TH_RASP_R_IN, g->in};
    if (th_rasp_at_word(p, &p->now, "if"))
        return (Operator){CONDITION, 0, g->condition};
    if (th_rasp_at_word(p, &p->now, "and"))
        return (Operator){OPERATOR, TH_RASP_OP_AND, g->and_};
    if (th_rasp_at_word(p, &p->now, "or"))
        return (Operator){OPERATOR, TH_RASP_OP_OR, g->or_};
    return (Operator){NOTHING, 0, 0};
}

bool th_rasp_comparison(int kind, uint8_t *op)
{
    *op = kind == TH_RASP_LEX_EQ   ? TH_RASP_OP_EQ
          : kind == TH_RASP_LEX_NE ? TH_RASP_OP_NE
          : kind == TH_RASP_LEX_LE ? TH_RASP_OP_LE
          : kind == TH_RASP_LEX_GE ? TH_RASP_OP_GE
          : kind == '<'            ? TH_RASP_OP_LT
                                   : TH_RASP_OP_GT;
    return kind == TH_RASP_LEX_EQ || kind == TH_RASP_LEX_NE || kind == TH_RASP_LEX_LE ||
           kind == TH_RASP_LEX_GE || kind == '<' || kind == '>';
}

static Operator operator_at(const ThRaspParser *p)
{
    const ThRaspGrammar *g = grammar(p);
    uint8_t op;
    if (p->now.kind == TH_RASP_LEX_NAME)
        return word_operator(p);
    if (th_rasp_comparison(p->now.kind, &op))
        return (Operator){OPERATOR, op, g->comparison};
    switch (p->now.kind) {
    case '+':
        return (Operator){OPERATOR, TH_RASP_OP_ADD, g->sum};
    case '-':
        return (Operator){OPERATOR, TH_RASP_OP_SUB, g->sum};
    case '%':
        return (Operator){OPERATOR, TH_RASP_OP_MOD, g->remainder};
    case '*':
        return (Operator){OPERATOR, TH_RASP_OP_MUL, g->product};
    case '/':
        return (Operator){OPERATOR, TH_RASP_OP_DIV, g->product};
    case '^':
        return (Operator){OPERATOR, TH_RASP_OP_POW, g->power};
    default:
        return (Operator){NOTHING, 0, 0};
    }
}

static int32_t level_from(ThRaspParser *p, int level);

int32_t th_rasp_expression(ThRaspParser *p)
{
    return level_from(p, 0);
}

void th_rasp_expressions(ThRaspParser *p, int32_t parent)
{
    int32_t last = -1;
    do
        th_rasp_append(p, parent, &last, th_rasp_expression(p));
    while (th_rasp_comma(p));
}

/* A flat node over `left`, unless left is one that this loop has made. */
int32_t th_rasp_chain(ThRaspParser *p, ThRaspKind kind, int32_t left, int32_t *last)
{
    int32_t chain = th_rasp_new_node(p, kind, &p->now);
    p->t->node[chain].line = p->t->node[left].line;
    p->t->node[chain].col = p->t->node[left].col;
    *last = -1;
    th_rasp_append(p, chain, last, left);
    return chain;
}

/* From a level on, one bracket deeper. */
static int32_t nested(ThRaspParser *p, int level)
{
    th_rasp_down(p);
    int32_t node = level_from(p, level);
    th_rasp_up(p);
    return node;
}

/* At `if`: the condition and what holds otherwise. */
static void condition(ThRaspParser *p, int32_t chain, int32_t *last)
{
    th_rasp_advance(p);
    int32_t c = nested(p, grammar(p)->if_from);
    th_rasp_expect_word(p, "else");
    int32_t other = nested(p, grammar(p)->else_from);
    th_rasp_append(p, chain, last, c);
    th_rasp_append(p, chain, last, other);
}

static void right_operand(ThRaspParser *p, int32_t chain, int32_t *last, Operator o)
{
    ThRaspLexeme at = p->now;
    th_rasp_advance(p);
    int from = o.op == TH_RASP_OP_POW ? grammar(p)->power_from : o.level + 1;
    bool nests = from <= o.level; /* it groups from the right */
    int32_t right = nests ? nested(p, from) : level_from(p, from);
    /* The operator's place is where its errors are told. */
    int32_t link = th_rasp_new_node(p, TH_RASP_R_LINK, &at);
    p->t->node[link].op = o.op;
    p->t->node[link].first = right;
    th_rasp_append(p, chain, last, link);
}

static bool is_sign(const ThRaspParser *p)
{
    return p->now.kind == '-' || p->now.kind == '+';
}

static bool is_not(const ThRaspParser *p)
{
    return th_rasp_at_word(p, &p->now, "not");
}

/* One prefix operator, put before those that stand left of it: they apply from right to left. */
static void prefix(ThRaspParser *p, int32_t node)
{
    int32_t link = th_rasp_new_node(p, TH_RASP_R_LINK, &p->now);
    ThRaspTree *t = p->t;
    t->node[link].op = is_not(p)            ? TH_RASP_OP_NOT
                       : p->now.kind == '-' ? TH_RASP_OP_NEGATE
                                            : TH_RASP_OP_PLUS;
    t->node[link].next = t->node[node].first;
    t->node[node].first = link;
    th_rasp_advance(p);
}

static int32_t prefixed(ThRaspParser *p)
{
    const ThRaspGrammar *g = grammar(p);
    bool no = is_not(p), mix = g->prefixes_tightest;
    if (!no && !is_sign(p))
        return th_rasp_operand(p);
    int32_t node = th_rasp_new_node(p, TH_RASP_R_PREFIX, &p->now);
    while ((is_not(p) && (no || mix)) || (is_sign(p) && (!no || mix)))
        prefix(p, node);
    int32_t value = mix ? th_rasp_operand(p) : nested(p, no ? g->not_from : g->sign_from);
    p->t->node[value].next = p->t->node[node].first;
    p->t->node[node].first = value;
    return node;
}

static int32_t level_from(ThRaspParser *p, int level)
{
    int32_t left = prefixed(p), chain = -1, last = -1;
    int chain_level = -1;
    for (;;) {
        Operator o = operator_at(p);
        if (o.what == NOTHING || o.level < level)
            return left;
        if (chain < 0 || chain_level != o.level) {
            chain =
                th_rasp_chain(p, o.what == CONDITION ? TH_RASP_R_IF : TH_RASP_R_CHAIN, left, &last);
            chain_level = o.level;
            left = chain;
        }
        if (o.what == CONDITION)
            condition(p, chain, &last);
        else
            right_operand(p, chain, &last, o);
    }
}
