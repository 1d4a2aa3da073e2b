/* The inside of a block `grammar NAME { … }`, and what a grammar is as a language. */
#include "language/grammar.h"

#include "automata/core/build.h"
#include "language/language_text.h"

static void free_data(void *data)
{
    ThGrammar *g = data;
    for (int i = 0; i < g->n_variables; i++)
        free(g->variable[i]);
    th_text_free(&g->remarks);
    th_grammar_pairs_free(&g->pairs);
    TH_FREE(g->variable, g->rule, g->right, g->used, g);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Names are compared one by one, and so are the pairs that a long rule becomes. */
enum { MOST_VARIABLES = 10000, MOST_SYMBOLS = 20000 };

typedef enum { START, ALPHABET, N_KEYWORDS } Keyword;

static const char *const keywords[N_KEYWORDS] = {"start", "alphabet"};

typedef struct {
    ThLanguageText text;
    ThGrammar *g;
    bool started;
    int left;   /* of the rule before; -1: none */
    size_t cap; /* of the variables */
} Parser;

static const char *text_of(const Parser *p, const ThToken *t)
{
    return th_language_token_text(&p->text, t);
}

static int find_variable(const ThGrammar *g, const char *name)
{
    for (int i = 0; i < g->n_variables; i++)
        if (strcmp(g->variable[i], name) == 0)
            return i;
    return -1;
}

static bool too_many(Parser *p, const ThToken *t, int most, const char *what)
{
    return th_fail_at(p->text.err, TH_ELIMIT, t->line, t->col, "a grammar has at most %d %s", most,
                      what);
}

static bool add_variable(Parser *p, const ThToken *t)
{
    ThGrammar *g = p->g;
    const char *name = text_of(p, t);
    if (find_variable(g, name) >= 0)
        return true;
    size_t n = (size_t)g->n_variables;
    if (n == MOST_VARIABLES)
        return too_many(p, t, MOST_VARIABLES, "variables");
    if (!th_grow(&g->variable, &p->cap, n + 1, sizeof *g->variable, p->text.err) ||
        !(g->variable[n] = th_strdup(name, p->text.err)))
        return false;
    g->n_variables++;
    return true;
}

/* aSb where S is a variable: its symbols were to be separated. */
static bool check_glued(Parser *p, const ThToken *t)
{
    const char *text = text_of(p, t);
    ThText apart TH_OWNED(th_text_free) = {0};
    bool glued = false;
    for (const char *c = text; t->kind == TH_TOKEN_WORD && *c;) {
        char one[8] = {0};
        size_t n = th_utf8_next(c, strlen(c), NULL);
        memcpy(one, c, n);
        th_text_printf(&apart, "%s%s", c > text ? " " : "", one);
        glued = glued || (text[n] && find_variable(p->g, one) >= 0);
        c += n;
    }
    if (glued) {
        th_language_token_fail(&p->text, t, "", " is one symbol, and no variable");
        th_hint(p->text.err, "symbols are separated by blanks: %.60s; one of that name: \"%.60s\"",
                apart.data ? apart.data : "", text);
    }
    return !glued;
}

static bool add_right(Parser *p, int symbol)
{
    ThGrammar *g = p->g;
    if (!th_grow(&g->right, &g->right_cap, g->n_right + 1, sizeof *g->right, p->text.err))
        return false;
    g->right[g->n_right++] = symbol;
    return true;
}

static bool read_symbol(Parser *p, const ThToken *t)
{
    if (p->g->n_right == MOST_SYMBOLS)
        return too_many(p, t, MOST_SYMBOLS, "symbols on right sides");
    int variable = th_token_is_name(t) ? find_variable(p->g, text_of(p, t)) : -1;
    if (variable >= 0)
        return add_right(p, variable);
    if (th_language_is_empty_sign(&p->text, t))
        return th_language_token_fail(&p->text, t, "", " stands by itself: it is the empty word");
    if (!check_glued(p, t))
        return false;
    int terminal = th_language_token_symbol(&p->text, t);
    return terminal >= 0 && add_right(p, ~terminal);
}

/* One alternative: the tokens from t up to a | or the end of the statement. */
static bool read_right(Parser *p, const ThToken *t, const ThToken *end)
{
    ThGrammar *g = p->g;
    ThGrammarRule r = {.left = p->left, .first = (int)g->n_right, .line = t->line, .col = t->col};
    if (t == end) {
        th_language_unexpected(&p->text, t, "the right side of a rule");
        return th_hint(p->text.err, "the empty word is written epsilon");
    }
    if (th_language_is_empty_sign(&p->text, t) && t + 1 == end)
        t++;
    for (; t < end; t++)
        if (!read_symbol(p, t))
            return false;
    r.n = (int)g->n_right - r.first;
    if (!th_grow(&g->rule, &g->rule_cap, g->n_rules + 1, sizeof r, p->text.err))
        return false;
    g->rule[g->n_rules++] = r;
    return true;
}

static bool read_alternatives(Parser *p, const ThToken *t, const ThToken *end)
{
    for (;;) {
        const ThToken *bar = t;
        while (bar < end && bar->kind != '|')
            bar++;
        if (!read_right(p, t, bar))
            return false;
        if (bar == end)
            return true;
        t = bar + 1;
    }
}

/* The left side of a rule; a line that begins with | goes on with the one before. */
static bool read_left(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    if (keyword < N_KEYWORDS || s.first->kind == '|')
        return true;
    if (!th_token_is_name(s.first))
        return th_language_unexpected(&p->text, s.first, "a variable");
    if (s.first[1].kind != TH_TOKEN_ARROW) {
        th_language_unexpected(&p->text, s.first + 1, "'->'");
        return th_hint(p->text.err, "a rule is written VARIABLE -> SYMBOLS | SYMBOLS, with one "
                                    "variable on the left");
    }
    return add_variable(p, s.first);
}

/* start S: it becomes variable 0. */
static bool read_start(Parser *p, ThStatement s)
{
    const ThToken *name = s.first + 1;
    if (!th_language_once(&p->text, s, &p->started))
        return false;
    if (!th_token_is_name(name))
        return th_language_unexpected(&p->text, name, "a variable");
    if (!th_language_end(&p->text, s, name + 1))
        return false;
    int v = find_variable(p->g, text_of(p, name));
    if (v < 0)
        return th_language_token_fail(&p->text, name, "no rule has ", " on its left");
    char *swap = p->g->variable[0];
    p->g->variable[0] = p->g->variable[v];
    p->g->variable[v] = swap;
    return true;
}

static bool read_keyword(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    if (p->g->n_variables == 0)
        return th_language_fail_at_end(&p->text, "a grammar needs a rule") ||
               th_hint(p->text.err, "as in S -> a S b | epsilon");
    for (const ThToken *t = s.first + 1; keyword == ALPHABET && t < s.end; t++)
        if (th_token_is_name(t) && find_variable(p->g, text_of(p, t)) >= 0)
            return th_language_token_fail(&p->text, t, "", " is a variable");
    return keyword != START || read_start(p, s);
}

static bool read_rule(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    if (keyword < N_KEYWORDS)
        return true;
    if (s.first->kind == '|' && p->left < 0)
        return th_language_unexpected(&p->text, s.first, "a rule");
    if (s.first->kind != '|')
        p->left = find_variable(p->g, text_of(p, s.first));
    return read_alternatives(p, s.first + (s.first->kind == '|' ? 1 : 2), s.end);
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    static ThLanguagePass *const pass[] = {read_left, read_keyword, read_rule};
    Parser p = {.text = {.l = l, .keyword = keywords, .n_keywords = N_KEYWORDS, .err = err},
                .left = -1};
    l->data = p.g = th_alloc(1, sizeof *p.g, err);
    bool ok = p.g && th_language_read_block(&p.text, text, pass, 3, &p) &&
              (p.g->n_variables > 0 || read_keyword(&p, N_KEYWORDS, (ThStatement){0})) &&
              th_grammar_reduce(p.g, err) && th_grammar_binarise(p.g, err);
    th_tokens_free(&p.text.tokens);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_right(ThText *t, const ThLanguage *l, const ThGrammarRule *r)
{
    const ThGrammar *g = l->data;
    if (r->n == 0)
        th_text_add(t, "epsilon");
    for (int i = 0; i < r->n; i++) {
        int x = g->right[r->first + i];
        const char *name = x >= 0 ? NULL : l->symbol[~x];
        th_text_add(t, i ? " " : "");
        if (x >= 0)
            th_text_symbol(t, g->variable[x]);
        else if (strlen(name) > 1)
            th_text_quoted(t, name); /* whose characters may be variables */
        else
            th_language_write_symbol(t, name);
    }
}

static void write(ThText *t, const ThLanguage *l)
{
    const ThGrammar *g = l->data;
    th_language_write_alphabet(t, l);
    if (g->rule[0].left != 0) {
        th_text_add(t, "  start ");
        th_text_symbol(t, g->variable[0]);
        th_text_add(t, "\n");
    }
    for (size_t i = 0; i < g->n_rules; i++) {
        if (i > 0 && g->rule[i].left == g->rule[i - 1].left) {
            th_text_add(t, " | ");
        } else {
            th_text_add(t, i ? "\n  " : "  ");
            th_text_symbol(t, g->variable[g->rule[i].left]);
            th_text_add(t, " -> ");
        }
        write_right(t, l, &g->rule[i]);
    }
    th_text_add(t, "\n");
}

/* ---- right-linear ones ----------------------------------------------------------------------- */

static bool is_right_linear(const ThGrammar *g)
{
    for (size_t i = 0; i < g->n_used; i++)
        for (int k = 0; k < g->used[i].n - 1; k++)
            if (g->right[g->used[i].first + k] >= 0)
                return false;
    return true;
}

/* A state that no variable is named as. */
static int new_state(ThAutomatonBuild *b, const char *variable, size_t rule, int place)
{
    ThText name TH_OWNED(th_text_free) = {0};
    th_text_printf(&name, "%s.%zu.%d", variable, rule + 1, place);
    while (name.data && !name.failed &&
           th_intern_find(&b->state, name.data, name.size + 1) != SIZE_MAX)
        th_text_add(&name, "'");
    int q = name.data ? th_automaton_build_state(b, name.data) : 0;
    b->failed = b->failed || name.failed;
    return q;
}

/* The moves of one rule: a state for each place between its symbols. */
static void add_rule(ThAutomatonBuild *b, const ThLanguage *l, size_t number, int last)
{
    const ThGrammar *g = l->data;
    const ThGrammarRule *r = &g->used[number];
    int from = r->left;
    bool goes_on = r->n > 0 && g->right[r->first + r->n - 1] >= 0;
    int to = goes_on ? g->right[r->first + r->n - 1] : last;
    int terminals = r->n - goes_on;
    for (int i = 0; i < terminals; i++) {
        int next = i + 1 == terminals ? to : new_state(b, g->variable[r->left], number, i + 1);
        th_automaton_build_arc(
            b, (ThAutomatonArc){from, ~g->right[r->first + i], next, TH_AUTOMATON_NO_OUTPUT});
        from = next;
    }
    if (terminals == 0)
        th_automaton_build_arc(
            b, (ThAutomatonArc){from, TH_AUTOMATON_EPSILON, to, TH_AUTOMATON_NO_OUTPUT});
}

static bool automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop TH_UNUSED, ThError *err)
{
    const ThGrammar *g = l->data;
    ThAutomatonBuild b = {0};
    *a = NULL;
    if (!is_right_linear(g))
        return true;
    for (int i = 0; i < l->n_symbols; i++)
        th_automaton_build_symbol(&b, l->symbol[i]);
    for (int i = 0; i < g->n_variables; i++)
        th_automaton_build_state(&b, g->variable[i]);
    int last = new_state(&b, "end", 0, 0);
    th_automaton_build_start(&b, 0);
    th_automaton_build_accept(&b, last);
    for (size_t i = 0; i < g->n_used; i++)
        add_rule(&b, l, i, last);
    *a = th_automaton_build_finish(&b, err);
    return *a != NULL;
}

/* ---- as a pushdown automaton ----------------------------------------------------------------- */

static void add_loop(ThAutomatonBuild *b, int from, int to, const ThText *label)
{
    int symbol = th_automaton_build_symbol(b, label->data ? label->data : "");
    th_automaton_build_arc(b, (ThAutomatonArc){from, symbol, to, TH_AUTOMATON_NO_OUTPUT});
}

/* Three states: one puts the start on the stack, one expands and reads, one accepts, as the picture
 * of a pushdown automaton has them.  A right-linear grammar has a picture of its own. */
static ThAutomaton *picture(const ThLanguage *l, ThError *err)
{
    const ThGrammar *g = l->data;
    ThAutomatonBuild b = {0};
    if (is_right_linear(g))
        return NULL;
    int begin = th_automaton_build_state(&b, "begin"),
        derive = th_automaton_build_state(&b, "derive");
    int end = th_automaton_build_state(&b, "end");
    ThText t TH_OWNED(th_text_free) = {0};
    th_automaton_build_start(&b, begin);
    th_automaton_build_accept(&b, end);
    th_text_printf(&t, "ε | $ / %s $", g->variable[0]);
    add_loop(&b, begin, derive, &t);
    for (size_t i = 0; i < g->n_used; i++) {
        ThText rule TH_OWNED(th_text_free) = {0};
        th_text_printf(&rule, "ε | %s / ", g->variable[g->used[i].left]);
        for (int k = 0; k < g->used[i].n; k++) {
            int x = g->right[g->used[i].first + k];
            th_text_printf(&rule, "%s%s", k ? " " : "", x >= 0 ? g->variable[x] : l->symbol[~x]);
        }
        th_text_add(&rule, g->used[i].n ? "" : "ε");
        add_loop(&b, derive, derive, &rule);
    }
    for (int i = 0; i < l->n_symbols; i++) {
        ThText read TH_OWNED(th_text_free) = {0};
        th_text_printf(&read, "%s | %s / ε", l->symbol[i], l->symbol[i]);
        add_loop(&b, derive, derive, &read);
    }
    ThText last TH_OWNED(th_text_free) = {0};
    th_text_add(&last, "ε | $ / $");
    add_loop(&b, derive, end, &last);
    return th_automaton_build_finish(&b, err);
}

const ThLanguageKind th_language_kind_grammar = {
    .name = "grammar",
    .knows_prefixes = true,
    .parse = parse,
    .write = write,
    .free_data = free_data,
    .read = th_grammar_read,
    .push = th_grammar_push,
    .pop = th_grammar_pop,
    .accepts = th_grammar_accepts,
    .stop_reading = th_grammar_stop_reading,
    .words = th_grammar_words,
    .log_words = th_grammar_log_words,
    .draw = th_grammar_draw,
    .free_words = th_grammar_free_words,
    .count = th_grammar_count,
    .automaton = automaton,
    .picture = picture,
};
