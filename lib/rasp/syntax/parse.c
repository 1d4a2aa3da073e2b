#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rasp/syntax/parse_impl.h"

/* ---- tokens and nodes ------------------------------------------------------------------------ */

static void read_next(ThRaspParser *p)
{
    if (p->now.kind != TH_RASP_LEX_BAD && !th_rasp_lex(&p->lx, &p->next, &p->bad))
        p->next.kind = TH_RASP_LEX_BAD;
}

bool th_rasp_advance(ThRaspParser *p)
{
    p->last = p->now;
    p->now = p->next;
    read_next(p);
    return true;
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
    read_next(p);
    return t->root >= 0 && th_rasp_advance(p);
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

static bool hint_at_habit(ThRaspParser *p)
{
    Word before = word_of(p, &p->last), at = word_of(p, &p->now), behind = word_of(p, &p->next);
    const char *habit = th_rasp_habit(before.text, at.text, behind.text);
    return habit ? th_hint(p->err, "%s", habit) : false;
}

bool th_rasp_wanted(ThRaspParser *p, const char *wanted)
{
    const ThRaspLexeme *l = &p->now;
    if (l->kind == TH_RASP_LEX_BAD) {
        if (p->err && p->err->code == TH_OK)
            *p->err = p->bad;
        return false;
    }
    if (l->kind == TH_RASP_LEX_END)
        return th_fail_at(p->err, TH_EINCOMPLETE, l->line, l->col, "expected %s at the end",
                          wanted);
    size_t n = l->end - l->start;
    th_fail_at(p->err, TH_EPARSE, l->line, l->col, "expected %s before '%.*s'", wanted,
               (int)(n < 40 ? n : 40), p->lx.text + l->start);
    return hint_at_habit(p);
}

bool th_rasp_expect(ThRaspParser *p, int kind, const char *wanted)
{
    return p->now.kind == kind ? th_rasp_advance(p) : th_rasp_wanted(p, wanted);
}

int32_t th_rasp_new_node(ThRaspParser *p, ThRaspKind kind, const ThRaspLexeme *at)
{
    ThRaspTree *t = p->t;
    if (th_stopped(p->lx.stop, p->err) ||
        !th_grow(&t->node, &t->cap, t->n + 1, sizeof *t->node, p->err))
        return -1;
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

bool th_rasp_node_text(ThRaspParser *p, int32_t node, const ThRaspLexeme *from)
{
    ThRaspTree *t = p->t;
    size_t n = from->end - from->start;
    if (!th_grow(&t->text, &t->text_cap, t->size + n + 1, 1, p->err))
        return false;
    memcpy(t->text + t->size, p->lx.text + from->start, n);
    t->text[t->size + n] = '\0';
    t->node[node].text = (int32_t)t->size;
    t->size += n + 1;
    return true;
}

bool th_rasp_down(ThRaspParser *p)
{
    if (p->depth++ < TH_RASP_DEEPEST)
        return true;
    th_fail_at(p->err, TH_ELIMIT, p->now.line, p->now.col,
               "brackets and blocks are more than %d deep", TH_RASP_DEEPEST);
    return th_hint(p->err, "give a part of it a name");
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

bool th_rasp_expressions(ThRaspParser *p, int32_t parent)
{
    int32_t last = -1;
    for (;;) {
        int32_t e = th_rasp_expression(p);
        if (e < 0)
            return false;
        th_rasp_append(p, parent, &last, e);
        if (p->now.kind != ',')
            return true;
        if (!th_rasp_advance(p))
            return false;
    }
}

/* A flat node over `left`, unless left is one that this loop has made. */
int32_t th_rasp_chain(ThRaspParser *p, ThRaspKind kind, int32_t left, int32_t *last)
{
    int32_t chain = th_rasp_new_node(p, kind, &p->now);
    if (chain < 0)
        return -1;
    p->t->node[chain].line = p->t->node[left].line;
    p->t->node[chain].col = p->t->node[left].col;
    *last = -1;
    th_rasp_append(p, chain, last, left);
    return chain;
}

/* At `if`: the condition and what holds otherwise. */
static bool condition(ThRaspParser *p, int32_t chain, int32_t *last)
{
    if (!th_rasp_advance(p) || !th_rasp_down(p))
        return false;
    int32_t c = level_from(p, grammar(p)->if_from);
    th_rasp_up(p);
    if (c < 0)
        return false;
    if (!th_rasp_at_word(p, &p->now, "else"))
        return th_rasp_wanted(p, "else");
    if (!th_rasp_advance(p) || !th_rasp_down(p))
        return false;
    int32_t other = level_from(p, grammar(p)->else_from);
    th_rasp_up(p);
    if (other < 0)
        return false;
    th_rasp_append(p, chain, last, c);
    th_rasp_append(p, chain, last, other);
    return true;
}

static bool right_operand(ThRaspParser *p, int32_t chain, int32_t *last, Operator o)
{
    ThRaspLexeme at = p->now;
    if (!th_rasp_advance(p))
        return false;
    int from = o.op == TH_RASP_OP_POW ? grammar(p)->power_from : o.level + 1;
    bool nests = from <= o.level; /* it groups from the right */
    if (nests && !th_rasp_down(p))
        return false;
    int32_t right = level_from(p, from);
    if (nests)
        th_rasp_up(p);
    if (right < 0)
        return false;
    /* The operator's place is where its errors are told. */
    int32_t link = th_rasp_new_node(p, TH_RASP_R_LINK, &at);
    if (link < 0)
        return false;
    p->t->node[link].op = o.op;
    p->t->node[link].first = right;
    th_rasp_append(p, chain, last, link);
    return true;
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
static bool prefix(ThRaspParser *p, int32_t node)
{
    ThRaspTree *t = p->t;
    int32_t link = th_rasp_new_node(p, TH_RASP_R_LINK, &p->now);
    if (link < 0)
        return false;
    t->node[link].op = is_not(p)            ? TH_RASP_OP_NOT
                       : p->now.kind == '-' ? TH_RASP_OP_NEGATE
                                            : TH_RASP_OP_PLUS;
    t->node[link].next = t->node[node].first;
    t->node[node].first = link;
    return th_rasp_advance(p);
}

static int32_t prefixed(ThRaspParser *p)
{
    const ThRaspGrammar *g = grammar(p);
    bool no = is_not(p), mix = g->prefixes_tightest;
    if (!no && !is_sign(p))
        return th_rasp_operand(p);
    int32_t node = th_rasp_new_node(p, TH_RASP_R_PREFIX, &p->now), value = -1;
    if (node < 0)
        return -1;
    while ((is_not(p) && (no || mix)) || (is_sign(p) && (!no || mix)))
        if (!prefix(p, node))
            return -1;
    if (mix) {
        value = th_rasp_operand(p);
    } else if (th_rasp_down(p)) {
        value = level_from(p, no ? g->not_from : g->sign_from);
        th_rasp_up(p);
    }
    if (value < 0)
        return -1;
    p->t->node[value].next = p->t->node[node].first;
    p->t->node[node].first = value;
    return node;
}

static int32_t level_from(ThRaspParser *p, int level)
{
    int32_t left = prefixed(p), chain = -1, last = -1;
    int chain_level = -1;
    while (left >= 0) {
        Operator o = operator_at(p);
        if (o.what == NOTHING || o.level < level)
            return left;
        if (chain < 0 || chain_level != o.level) {
            chain =
                th_rasp_chain(p, o.what == CONDITION ? TH_RASP_R_IF : TH_RASP_R_CHAIN, left, &last);
            chain_level = o.level;
            left = chain;
        }
        bool ok = chain >= 0 && (o.what == CONDITION ? condition(p, chain, &last)
                                                     : right_operand(p, chain, &last, o));
        if (!ok)
            return -1;
    }
    return -1;
}
