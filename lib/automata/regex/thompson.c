/* From a regular expression to an automaton with empty moves (Thompson 1968), part by part: every
 * part has one state where it begins, which nothing leads back to from without, and one where it
 * ends. */

#include "automata/regex/regex.h"
#include "automata/regex/tree.h"

typedef struct {
    const ThRegexTree *t;
    ThNfa nfa;
    char **name; /* (symbols) */
    ThRegexThompsonWatch *watch;
    void *context;
    ThStop *stop;
    ThError *err;
} Builder;

typedef struct {
    int from, to;
} Part;

static bool build(Builder *b, int index, Part *part);

static bool arc(Builder *b, int from, int symbol, int to)
{
    return th_nfa_arc(&b->nfa, (ThAutomatonArc){from, symbol, to, TH_AUTOMATON_NO_OUTPUT}, b->err);
}

static bool empty_move(Builder *b, int from, int to)
{
    return arc(b, from, TH_AUTOMATON_EPSILON, to);
}

static bool tell(Builder *b, const char *what, const Part *part)
{
    const ThRegexThompsonStep step = {&b->nfa, b->name, what, part->from, part->to};
    return !th_stopped_at(b->stop, b->nfa.n_states, "states", b->err) &&
           (!b->watch || b->watch(b->context, &step, b->err));
}

static bool begin(Builder *b, Part *part)
{
    part->from = th_nfa_state(&b->nfa, 0, b->err);
    part->to = part->from < 0 ? -1 : th_nfa_state(&b->nfa, 0, b->err);
    return part->to >= 0;
}

static bool is_item(const Builder *b, const ThRegexNode *node, int symbol)
{
    for (size_t i = 0; i < node->n; i++)
        if (b->t->item[node->symbol + i] == symbol)
            return true;
    return false;
}

static bool leaf(Builder *b, const ThRegexNode *node, Part *part)
{
    bool word = node->kind == TH_REGEX_WORD, ok = begin(b, part);
    if (ok && word)
        ok = empty_move(b, part->from, part->to);
    for (int a = 0; ok && !word && a < (int)b->t->symbol.n; a++)
        if (is_item(b, node, a) != node->negated)
            ok = arc(b, part->from, a, part->to);
    return ok && tell(b, word ? "the empty word" : "a symbol", part);
}

static bool concat(Builder *b, const ThRegexNode *node, Part *part)
{
    bool ok = true;
    for (int i = node->first; ok && i >= 0; i = b->t->node[i].next) {
        Part next = {-1, -1};
        ok = build(b, i, &next) && (i == node->first || empty_move(b, part->to, next.from));
        *part = (Part){i == node->first ? next.from : part->from, next.to};
    }
    return ok && tell(b, "one behind the other", part);
}

static bool either(Builder *b, const ThRegexNode *node, Part *part)
{
    size_t n = 0, k = 0;
    for (int i = node->first; i >= 0; i = b->t->node[i].next)
        n++;
    Part *inside TH_OWNED(free) = th_alloc(n, sizeof *inside, b->err);
    bool ok = inside != NULL;
    for (int i = node->first; ok && i >= 0; i = b->t->node[i].next)
        ok = build(b, i, &inside[k++]);
    ok = ok && begin(b, part);
    for (size_t i = 0; ok && i < n; i++)
        ok = empty_move(b, part->from, inside[i].from) && empty_move(b, inside[i].to, part->to);
    return ok && tell(b, "either", part);
}

/* One copy, which may be left out, or come again and again. */
static bool copy(Builder *b, int index, bool optional, bool forever, Part *part)
{
    Part inside = {-1, -1};
    if (!build(b, index, &inside))
        return false;
    *part = inside;
    if (!optional && !forever)
        return true;
    bool ok = begin(b, part) && empty_move(b, part->from, inside.from) &&
              (!forever || empty_move(b, inside.to, inside.from)) &&
              empty_move(b, inside.to, part->to) &&
              (!optional || empty_move(b, part->from, part->to));
    return ok && tell(b,
                      !forever   ? "at most once"
                      : optional ? "any number of times"
                                 : "at least once",
                      part);
}

/* x{2,4} is written out: x x x? x?; x{2,} is x x+. */
static bool repeat(Builder *b, const ThRegexNode *node, Part *part)
{
    bool forever = node->most == TH_REGEX_FOREVER, ok = true;
    int copies = forever ? (node->least > 1 ? node->least : 1) : node->most;
    if (copies == 0)
        return begin(b, part) && empty_move(b, part->from, part->to) &&
               tell(b, "the empty word", part);
    for (int i = 0; ok && i < copies; i++) {
        Part next = {-1, -1};
        ok = copy(b, node->first, i >= node->least, forever && i + 1 == copies, &next) &&
             (i == 0 || empty_move(b, part->to, next.from));
        *part = (Part){i == 0 ? next.from : part->from, next.to};
    }
    return ok && (copies == 1 || tell(b, "the copies one behind the other", part));
}

static bool build(Builder *b, int index, Part *part)
{
    const ThRegexNode *node = &b->t->node[index];
    switch (node->kind) {
    case TH_REGEX_WORD:
    case TH_REGEX_SET:
        return leaf(b, node, part);
    case TH_REGEX_CONCAT:
        return concat(b, node, part);
    case TH_REGEX_UNION:
        return either(b, node, part);
    case TH_REGEX_REPEAT:
        return repeat(b, node, part);
    default:
        break;
    }
    return th_fail_at(b->err, TH_EVALUE, 1, node->col,
                      "Thompson's construction knows no &, - and ~");
}

ThAutomaton *th_regex_thompson(const char *pattern, size_t max_states, ThRegexThompsonWatch *watch,
                               void *context, ThStop *stop, ThError *err)
{
    ThRegexTree t TH_OWNED(th_regex_tree_free) = {0};
    if (!th_regex_parse(&t, pattern, err))
        return NULL;
    char **name TH_OWNED(free) = th_alloc(t.symbol.n + 1, sizeof *name, err);
    Builder b = {&t, {.max_states = max_states}, name, watch, context, stop, err};
    Part whole = {-1, -1};
    bool ok = name != NULL;
    for (size_t i = 0; name && i < t.symbol.n; i++)
        ok = (name[i] = th_strdup(th_intern_at(&t.symbol, i, NULL), err)) != NULL && ok;
    ok = ok && build(&b, t.root, &whole);
    if (ok && b.nfa.mark) {
        b.nfa.mark[whole.from] |= TH_NFA_START;
        b.nfa.mark[whole.to] |= TH_NFA_ACCEPT;
        ok = tell(&b, NULL, &whole);
    }
    const ThNfaNames names = {name, NULL, (int)t.symbol.n, 0};
    ThAutomaton *a = th_nfa_finish(&b.nfa, &names, ok, err);
    for (size_t i = 0; name && i < t.symbol.n; i++)
        free(name[i]);
    return a;
}
