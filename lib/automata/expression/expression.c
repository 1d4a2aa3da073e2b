/* Automaton expressions.  A value is an automaton as long as its states and outputs matter, and a
 * machine over an alphabet between operations on languages. */
#include "automata/expression/expression.h"

#include <math.h>

#include "automata/core/alphabets.h"
#include "automata/expression/builtins.h"
#include "automata/expression/functions.h"
#include "automata/operations/cayley.h"
#include "automata/logic/ltl.h"
#include "automata/logic/mso.h"
#include "automata/regex/regex.h"
#include "base/arithmetic.h"
#include "base/scan.h"
#include "base/symbols.h"

enum { MAX_DEPTH = 200, MAX_ARGUMENTS = 8, MAX_OPERANDS = 32 };

/* Either automaton or dfa is set. */
typedef struct {
    ThAutomaton *automaton;
    ThDfa *dfa;
    char **symbol; /* of the dfa: pointers and names in one block */
    int n_symbols;
} Value;

typedef struct {
    ThTokens tokens;
    const ThToken *at;
    ThAutomatonFind *find;
    void *context;
    size_t max_states;
    ThStop *stop;
    ThError *err;
    int depth;
} Evaluator;

static bool expression(Evaluator *e, Value *v);

static void value_free(Value *v)
{
    th_automaton_free(v->automaton);
    th_dfa_free(v->dfa);
    free(v->symbol);
    v->automaton = NULL;
    v->dfa = NULL;
    v->symbol = NULL;
}

static char **copy_symbols(char *const *symbol, int n, ThError *err)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += strlen(symbol[i]) + 1;
    char **copy = th_alloc(1, (size_t)n * sizeof *copy + bytes, err);
    if (!copy)
        return NULL;
    char *at = (char *)(copy + n);
    for (int i = 0; i < n; i++) {
        copy[i] = at;
        at = stpcpy(at, symbol[i]) + 1;
    }
    return copy;
}

static bool to_machine(Evaluator *e, Value *v)
{
    if (!v->automaton)
        return v->dfa != NULL;
    v->symbol = copy_symbols(v->automaton->symbol, v->automaton->n_symbols, e->err);
    if (!v->symbol)
        return false;
    v->n_symbols = v->automaton->n_symbols;
    v->dfa = th_automaton_acceptor(v->automaton, e->max_states, e->stop, e->err);
    th_automaton_free(v->automaton);
    v->automaton = NULL;
    return v->dfa != NULL;
}

static bool to_automaton(Evaluator *e, Value *v)
{
    if (v->automaton)
        return true;
    ThAutomaton *a = th_automaton_from_dfa(v->dfa, v->symbol, e->err);
    value_free(v);
    v->automaton = a;
    return a != NULL;
}

/* ---- operators and functions ---- */

/* v becomes the combination of v and w, which is consumed. */
static bool combine(Evaluator *e, Value *v, Value *w, const bool accept[4])
{
    ThAutomatonAlphabets u TH_OWNED(th_automaton_alphabets_free) = {0};
    ThDfa *x TH_OWNED(th_dfa_free) = NULL, *y TH_OWNED(th_dfa_free) = NULL;
    ThDfa *product = NULL;
    char **symbol = NULL;
    if (to_machine(e, v) && to_machine(e, w) &&
        th_automaton_alphabets(&u, v->symbol, v->n_symbols, w->symbol, w->n_symbols, e->err)) {
        x = th_automaton_widen_take(&u, 0, v->dfa, e->err);
        y = th_automaton_widen_take(&u, 1, w->dfa, e->err);
        v->dfa = w->dfa = NULL;
        symbol = copy_symbols(u.name, u.n, e->err);
    }
    if (x && y && symbol)
        product = th_dfa_product(x, y, accept, e->max_states, e->stop, e->err);
    value_free(v);
    value_free(w);
    *v = (Value){.dfa = product, .symbol = symbol, .n_symbols = u.n};
    return product != NULL;
}

static bool complement(Evaluator *e, Value *v)
{
    if (!to_machine(e, v))
        return false;
    for (int q = 0; q < v->dfa->n_states; q++)
        v->dfa->label[q] = !v->dfa->label[q];
    return true;
}

/* From loose to tight; operators of one level group from the left. */
static const struct {
    char kind;
    int level;
    bool accept[4];
} operators[] = {
    {'|', 0, {false, true, true, true}},
    {'-', 0, {false, false, true, false}},
    {'&', 1, {false, false, false, true}},
};

enum { N_OPERATORS = sizeof operators / sizeof *operators, N_LEVELS = 2 };

/* ---- syntax ---- */

static const char *text(const Evaluator *e)
{
    return th_token_text(&e->tokens, e->at);
}

static void advance(Evaluator *e)
{
    do
        e->at++;
    while (e->at->kind == '\n');
}

static bool unexpected(Evaluator *e, const char *wanted)
{
    return th_token_unexpected(&e->tokens, e->at, wanted, e->err);
}

static bool expect(Evaluator *e, char kind, const char *name)
{
    if (e->at->kind != kind)
        return unexpected(e, name);
    advance(e);
    return true;
}

/* Gives an error of an operation the position of the token that asked for it. */
static bool fail_at(Evaluator *e, const ThToken *token)
{
    if (e->err && e->err->line == 0) {
        e->err->line = token->line;
        e->err->col = token->col;
    }
    return false;
}

/* The text of an argument: the tokens up to a comma or a bracket that closes. */
static char *argument_text(Evaluator *e)
{
    ThText t = {0};
    int depth = 0;
    for (; depth > 0 || !strchr(",)", e->at->kind); advance(e)) {
        char kind = e->at->kind;
        if (kind == TH_TOKEN_END)
            break;
        depth += kind == '(' ? 1 : kind == ')' ? -1 : 0;
        th_text_add_bytes(&t, &kind, kind == TH_TOKEN_WORD ? 0 : 1);
        th_text_add(&t, text(e));
        th_text_add(&t, " "); /* 1 2 is not 12 */
    }
    return th_text_take(&t, e->err);
}

/* A number, or what comes to one. */
static bool number(Evaluator *e, int *value)
{
    enum { MOST = 999999999 };
    const ThToken *first = e->at;
    long long x = -1;
    double size = 0;
    char *typed = argument_text(e);
    bool is = typed && th_integer_evaluate(typed, &x),
         real = typed && th_real_evaluate(typed, &size);
    free(typed);
    if (!typed)
        return false;
    if (!is && !(real && fabs(size) > MOST))
        return th_token_unexpected(&e->tokens, first, "a number", e->err);
    if (!is || x > MOST || x < -MOST)
        return th_fail_at(e->err, TH_EPARSE, first->line, first->col, "the number is too large");
    *value = (int)x;
    return true;
}

/* (1, 2, …) */
static bool arguments(Evaluator *e, int argument[MAX_ARGUMENTS], int *n)
{
    advance(e);
    while (*n > 0 || e->at->kind != ')') {
        if (*n == MAX_ARGUMENTS)
            return unexpected(e, "')'");
        if (!number(e, &argument[(*n)++]))
            return false;
        if (e->at->kind != ',')
            break;
        advance(e);
    }
    return expect(e, ')', "',' or ')'");
}

/* The rest of NAME(1, 2, …) or NAME. */
static bool builtin(Evaluator *e, Value *v, const ThAutomatonBuiltin *b, const ThToken *name)
{
    int argument[MAX_ARGUMENTS], n = 0;
    if (e->at->kind == '(' && !arguments(e, argument, &n))
        return false;
    v->automaton = th_automaton_builtin_build(b, argument, n, e->err);
    return v->automaton || fail_at(e, name);
}

/* ---- calls of functions ---- */

/* The arguments of a call as they are read. */
typedef struct {
    ThAutomaton *automaton[MAX_OPERANDS];
    int n;
    ThAutomatonSubstitution *map;
    int n_map;
    size_t map_cap;
    bool second;
} Call;

static void call_free(Call *c)
{
    for (int i = 0; i < c->n; i++)
        th_automaton_free(c->automaton[i]);
    for (int i = 0; i < c->n_map; i++)
        free(c->map[i].word);
    free(c->map);
}

static bool call_automaton(Evaluator *e, Call *c)
{
    Value v = {0};
    if (c->n == MAX_OPERANDS)
        return unexpected(e, "')'");
    if (!expression(e, &v) || !to_automaton(e, &v)) {
        value_free(&v);
        return false;
    }
    c->automaton[c->n++] = v.automaton;
    return true;
}

/* "word" as the automaton that accepts it only. */
static bool call_word(Evaluator *e, Call *c)
{
    const ThToken *word = e->at;
    c->automaton[c->n] = th_automaton_word(c->automaton[0], text(e), e->err);
    if (!c->automaton[c->n])
        return fail_at(e, word);
    c->n++;
    advance(e);
    return true;
}

static bool call_side(Evaluator *e, Call *c, const char *const side[2])
{
    c->second = strcmp(text(e), side[1]) == 0;
    if (e->at->kind != TH_TOKEN_WORD || (!c->second && strcmp(text(e), side[0]) != 0)) {
        ThText wanted TH_OWNED(th_text_free) = {0};
        th_text_printf(&wanted, "%s or %s", side[0], side[1]);
        return unexpected(e, wanted.data ? wanted.data : side[0]);
    }
    advance(e);
    return true;
}

/* An unquoted ε or λ: the empty word, or a letter? */
static bool check_sign(Evaluator *e)
{
    if (e->at->kind != TH_TOKEN_WORD || !th_is_empty_word_sign(text(e)))
        return true;
    th_token_fail(&e->tokens, e->at, "the empty word is written eps: ", " is no symbol", e->err);
    return th_hint(e->err, "in quotes it is one: \"%s\"", text(e));
}

/* The symbols of a substitution's word.  One that A has is that symbol, also in quotes: else those
 * of several characters would become letters that no word of A has. */
static char **map_word(Evaluator *e, const Call *c, int *n)
{
    const ThAutomaton *a = c->automaton[0];
    bool bare = e->at->kind == TH_TOKEN_WORD, empty = bare && strcmp(text(e), "eps") == 0;
    bool one = bare || th_symbols_find(a->symbol, a->n_symbols, text(e)) >= 0;
    return th_symbols_list(empty ? "" : text(e), one, n, e->err);
}

/* SYMBOL -> WORD */
static bool call_map(Evaluator *e, Call *c)
{
    const char *symbol = text(e);
    if (!strchr("ws", e->at->kind) || e->at->kind == TH_TOKEN_END)
        return unexpected(e, "a symbol");
    if (!check_sign(e))
        return false;
    advance(e);
    if (!expect(e, TH_TOKEN_ARROW, "'->'"))
        return false;
    if (!strchr("ws", e->at->kind) || e->at->kind == TH_TOKEN_END)
        return unexpected(e, "a word");
    if (!check_sign(e))
        return false;
    if (!th_grow(&c->map, &c->map_cap, (size_t)c->n_map + 1, sizeof *c->map, e->err))
        return false;
    ThAutomatonSubstitution *s = &c->map[c->n_map];
    *s = (ThAutomatonSubstitution){.symbol = symbol};
    s->word = map_word(e, c, &s->n);
    if (!s->word)
        return false;
    c->n_map++;
    advance(e);
    return true;
}

static bool call_argument(Evaluator *e, Call *c, const ThAutomatonFunction *f)
{
    if (f->extra == TH_AUTOMATON_WITH_WORD && c->n == 1 && e->at->kind == TH_TOKEN_STRING)
        return call_word(e, c);
    if (f->most < 0 || c->n < f->most)
        return call_automaton(e, c);
    if (f->extra == TH_AUTOMATON_WITH_MAP)
        return call_map(e, c);
    if (f->side[0])
        return call_side(e, c, f->side);
    return unexpected(e, "')'");
}

/* Whether n arguments suffice, and whether there may be more. */
static bool call_enough(const Call *c, const ThAutomatonFunction *f, int n)
{
    return c->n >= f->least &&
           (f->extra == TH_AUTOMATON_ONLY_AUTOMATA || f->extra == TH_AUTOMATON_MAY_HAVE_SIDE ||
            f->extra == TH_AUTOMATON_WITH_WORD || n > c->n);
}

static bool call_more(const Call *c, const ThAutomatonFunction *f, int n)
{
    return f->most < 0 || c->n < f->most || f->extra == TH_AUTOMATON_WITH_MAP ||
           (f->side[0] && n == c->n);
}

/* The rest of NAME(…). */
static bool function(Evaluator *e, Value *v, const ThAutomatonFunction *f, const ThToken *name)
{
    Call c = {0};
    bool good = expect(e, '(', "'('");
    for (int n = 1; good; n++) {
        good = call_argument(e, &c, f);
        bool enough = call_enough(&c, f, n), more = call_more(&c, f, n);
        if (!good || !more || (e->at->kind == ')' && enough))
            break;
        good = expect(e, ',', enough ? "',' or ')'" : "','");
    }
    good = good && expect(e, ')', "')'");
    if (good) {
        ThAutomatonFunctionCall call = {c.automaton, c.n, c.map, c.n_map, c.second};
        v->automaton =
            th_automaton_apply(f, &call, (ThAutomatonWork){e->max_states, e->stop}, e->err);
        good = v->automaton || fail_at(e, name);
    }
    call_free(&c);
    return good;
}

/* ---- regular expressions ---- */

/* Moves an error inside a pattern to where the pattern stands. */
static bool fail_in_pattern(Evaluator *e, const ThToken *pattern)
{
    if (e->err && e->err->line == 1) {
        e->err->line = pattern->line;
        e->err->col += pattern->col;
        return false;
    }
    return fail_at(e, pattern);
}

/* What makes an automaton of a text. */
typedef ThAutomaton *Maker(const char *text, char *const *alphabet, int n, size_t max_states,
                           ThStop *stop, ThError *err);
typedef struct {
    const char *name, *wanted;
    Maker *make;
} Notation;
static const Notation notations[] = {
    {"regex", "a regular expression in quotes", th_regex_automaton},
    {"ltl", "a formula in quotes", th_automaton_ltl},
    {"logic", "a sentence in quotes", th_automaton_mso},
    {"group", "the name of a group in quotes", th_automaton_group},
};
enum { N_NOTATIONS = sizeof notations / sizeof *notations };

const char *th_automaton_notation(size_t i)
{
    return i < N_NOTATIONS ? notations[i].name : NULL;
}

static const Notation *notation(const char *name)
{
    for (size_t i = 0; i < N_NOTATIONS; i++)
        if (strcmp(notations[i].name, name) == 0)
            return &notations[i];
    return NULL;
}

/* The rest of regex "…", or regex "…" over "…"; the same of ltl and logic. */
static bool pattern_of(Evaluator *e, Value *v, const Notation *kind)
{
    const ThToken *pattern = e->at;
    if (pattern->kind != TH_TOKEN_STRING)
        return unexpected(e, kind->wanted);
    e->at++;
    char **alphabet = NULL;
    int n = 0;
    if (e->at->kind == TH_TOKEN_WORD && strcmp(text(e), "over") == 0) {
        advance(e);
        if (!strchr("ws", e->at->kind) || e->at->kind == TH_TOKEN_END)
            return unexpected(e, "an alphabet in quotes");
        alphabet = th_symbols_list(text(e), false, &n, e->err);
        if (!alphabet)
            return false;
        e->at++;
    }
    if (e->at->kind == '\n')
        advance(e);
    v->automaton =
        kind->make(th_token_text(&e->tokens, pattern), alphabet, n, e->max_states, e->stop, e->err);
    free(alphabet);
    return v->automaton || fail_in_pattern(e, pattern);
}

static bool unknown_name(Evaluator *e, const ThToken *name)
{
    char shown[TH_TOKEN_SHOWN];
    size_t n_builtins, n = 0;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n_builtins);
    size_t n_functions;
    const ThAutomatonFunction *f = th_automaton_functions(&n_functions);
    const char **known TH_OWNED(free) =
        th_alloc(n_builtins + n_functions + N_NOTATIONS, sizeof *known, NULL);
    const char *near = NULL, *typed = th_token_text(&e->tokens, name);
    for (size_t i = 0; known && i < n_builtins; i++)
        known[n++] = b[i].name;
    for (size_t i = 0; known && i < n_functions; i++)
        known[n++] = f[i].name;
    for (size_t i = 0; known && i < N_NOTATIONS; i++)
        known[n++] = notations[i].name;
    if (known)
        near = th_nearest(typed, known, n);
    th_fail_at(e->err, TH_EVALUE, name->line, name->col, "there is no automaton %s",
               th_token_show(&e->tokens, name, shown));
    if (near)
        th_hint(e->err, "did you mean %s?", near);
    else if (strchr(typed, '-'))
        th_hint(e->err, "a difference needs blanks: A - B");
    return false;
}

static bool named(Evaluator *e, Value *v)
{
    const ThToken *name = e->at;
    const char *typed = text(e);
    advance(e);
    bool called = e->at->kind == '(';
    const ThAutomatonFunction *f = called ? th_automaton_function(typed) : NULL;
    if (f)
        return function(e, v, f, name);
    const Notation *kind = notation(typed);
    if (kind && e->at->kind == TH_TOKEN_STRING)
        return pattern_of(e, v, kind);
    const ThAutomaton *found = called || !e->find ? NULL : e->find(e->context, typed);
    const ThAutomatonBuiltin *b = th_automaton_builtin(typed);
    if (found) {
        v->automaton = th_automaton_copy(found, e->err);
        return v->automaton != NULL;
    }
    if (b)
        return builtin(e, v, b, name);
    if (kind)
        return pattern_of(e, v, kind);
    if (called && e->find && e->find(e->context, typed))
        return unexpected(e, "an operator");
    return unknown_name(e, name);
}

static bool primary(Evaluator *e, Value *v)
{
    if (e->at->kind == TH_TOKEN_WORD)
        return named(e, v);
    if (e->at->kind != '(')
        return unexpected(e, "an automaton");
    advance(e);
    return expression(e, v) && expect(e, ')', "')'");
}

static bool unary(Evaluator *e, Value *v)
{
    bool negate = false;
    const ThToken *first = e->at;
    for (; e->at->kind == '~'; advance(e))
        negate = !negate;
    if (!primary(e, v))
        return false;
    return !negate || complement(e, v) || fail_at(e, first);
}

static bool binary(Evaluator *e, Value *v, int level)
{
    if (level == N_LEVELS)
        return unary(e, v);
    if (!binary(e, v, level + 1))
        return false;
    for (;;) {
        int o = 0;
        while (o < N_OPERATORS && (operators[o].kind != e->at->kind || operators[o].level != level))
            o++;
        if (o == N_OPERATORS)
            return true;
        const ThToken *sign = e->at;
        Value right = {0};
        advance(e);
        if (!binary(e, &right, level + 1)) {
            value_free(&right);
            return false;
        }
        if (!combine(e, v, &right, operators[o].accept))
            return fail_at(e, sign);
    }
}

static bool expression(Evaluator *e, Value *v)
{
    if (e->depth == MAX_DEPTH)
        return th_fail_at(e->err, TH_EPARSE, e->at->line, e->at->col,
                          "brackets are nested deeper than %d", MAX_DEPTH);
    e->depth++;
    bool good = binary(e, v, 0);
    e->depth--;
    return good;
}

ThAutomaton *th_automaton_expression(const char *source, const ThAutomatonScope *scope,
                                     ThStop *stop, ThError *err)
{
    Evaluator e = {.find = scope->find,
                   .context = scope->context,
                   .max_states = scope->max_states,
                   .stop = stop,
                   .err = err};
    Value v = {0};
    ThAutomaton *result = NULL;
    if (th_tokens_read(&e.tokens, source, err)) {
        e.at = e.tokens.token;
        if (e.at->kind == '\n')
            advance(&e);
        if (expression(&e, &v) && (e.at->kind == TH_TOKEN_END || unexpected(&e, "an operator")) &&
            to_automaton(&e, &v)) {
            result = v.automaton;
            v.automaton = NULL;
        }
    }
    value_free(&v);
    th_tokens_free(&e.tokens);
    return result;
}
