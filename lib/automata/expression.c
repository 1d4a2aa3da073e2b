/* Automaton expressions.  A value is an automaton as long as its states and outputs matter, and a
 * machine over an alphabet between operations on languages. */
#include "automata/automaton.h"

#include <stdlib.h>
#include <string.h>

#include "automata/builtins.h"
#include "automata/scan.h"
#include "automata/union.h"
#include "base/memory.h"
#include "base/text.h"

enum { MAX_DEPTH = 200, MAX_ARGUMENTS = 8 };

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
    ThFindAutomaton *find;
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
    ThUnion u = {0};
    ThDfa *x = NULL, *y = NULL, *product = NULL;
    char **symbol = NULL;
    if (to_machine(e, v) && to_machine(e, w) &&
        th_union(&u, v->symbol, v->n_symbols, w->symbol, w->n_symbols, e->err)) {
        x = th_union_widen_take(&u, 0, v->dfa, e->err);
        y = th_union_widen_take(&u, 1, w->dfa, e->err);
        v->dfa = w->dfa = NULL;
        symbol = copy_symbols(u.name, u.n, e->err);
    }
    if (x && y && symbol)
        product = th_dfa_product(x, y, accept, e->max_states, e->stop, e->err);
    value_free(v);
    value_free(w);
    *v = (Value){.dfa = product, .symbol = symbol, .n_symbols = u.n};
    th_dfa_free(x);
    th_dfa_free(y);
    th_union_free(&u);
    return product != NULL;
}

static bool complement(Evaluator *e, Value *v)
{
    if (!to_machine(e, v))
        return false;
    for (int q = 0; q < v->dfa->n_states; q++)
        v->dfa->class[q] = !v->dfa->class[q];
    return true;
}

static bool minimize(Evaluator *e, Value *v)
{
    Value m = {0};
    if (v->dfa) {
        m.dfa = th_dfa_minimize(v->dfa, e->stop, e->err);
        m.symbol = v->symbol;
        m.n_symbols = v->n_symbols;
        v->symbol = NULL;
    } else {
        m.automaton = th_automaton_minimize(v->automaton, e->max_states, e->stop, e->err);
    }
    value_free(v);
    *v = m;
    return m.dfa || m.automaton;
}

static bool determinize(Evaluator *e, Value *v)
{
    if (v->automaton && th_automaton_deterministic(v->automaton))
        return true;
    return to_machine(e, v) && to_automaton(e, v);
}

static bool trim(Evaluator *e, Value *v)
{
    if (!to_automaton(e, v))
        return false;
    ThAutomaton *t = th_automaton_trim(v->automaton, e->err);
    value_free(v);
    v->automaton = t;
    return t != NULL;
}

static const struct {
    const char *name;
    bool (*apply)(Evaluator *e, Value *v);
} functions[] = {{"minimize", minimize}, {"determinize", determinize}, {"trim", trim}};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

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

static bool number(Evaluator *e, int *value)
{
    const char *digits = text(e);
    size_t size = strspn(digits, "0123456789");
    if (e->at->kind != TH_TOKEN_WORD || digits[size])
        return unexpected(e, "a number");
    if (size > 9)
        return th_fail_at(e->err, TH_EPARSE, e->at->line, e->at->col, "the number is too large");
    *value = (int)strtol(digits, NULL, 10);
    advance(e);
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
static bool builtin(Evaluator *e, Value *v, const ThBuiltinAutomaton *b, const ThToken *name)
{
    int argument[MAX_ARGUMENTS], n = 0;
    if (e->at->kind == '(' && !arguments(e, argument, &n))
        return false;
    v->automaton = th_builtin_build(b, argument, n, e->err);
    return v->automaton || fail_at(e, name);
}

/* The rest of NAME(EXPRESSION). */
static bool function(Evaluator *e, Value *v, int f, const ThToken *name)
{
    return expect(e, '(', "'('") && expression(e, v) && expect(e, ')', "')'") &&
           (functions[f].apply(e, v) || fail_at(e, name));
}

static bool unknown_name(Evaluator *e, const ThToken *name)
{
    char shown[TH_TOKEN_SHOWN];
    size_t n_builtins, n = 0;
    const ThBuiltinAutomaton *b = th_builtin_automata(&n_builtins);
    const char **known = th_alloc(n_builtins + N_FUNCTIONS, sizeof *known, NULL);
    const char *near = NULL, *typed = th_token_text(&e->tokens, name);
    for (size_t i = 0; known && i < n_builtins; i++)
        known[n++] = b[i].name;
    for (int i = 0; known && i < N_FUNCTIONS; i++)
        known[n++] = functions[i].name;
    if (known)
        near = th_nearest(typed, known, n);
    th_fail_at(e->err, TH_EVALUE, name->line, name->col, "there is no automaton %s",
               th_token_show(&e->tokens, name, shown));
    if (near)
        th_hint(e->err, "did you mean %s?", near);
    else if (strchr(typed, '-'))
        th_hint(e->err, "a difference needs blanks: A - B");
    free(known);
    return false;
}

static bool named(Evaluator *e, Value *v)
{
    const ThToken *name = e->at;
    const char *typed = text(e);
    advance(e);
    bool called = e->at->kind == '(';
    for (int f = 0; f < N_FUNCTIONS; f++) {
        if (called && strcmp(typed, functions[f].name) == 0)
            return function(e, v, f, name);
    }
    const ThAutomaton *found = called || !e->find ? NULL : e->find(e->context, typed);
    const ThBuiltinAutomaton *b = th_builtin_automaton(typed);
    if (found) {
        v->automaton = th_automaton_copy(found, e->err);
        return v->automaton != NULL;
    }
    if (b)
        return builtin(e, v, b, name);
    if (strcmp(typed, "regex") == 0 && e->at->kind == TH_TOKEN_STRING)
        return th_fail_at(e->err, TH_EPARSE, name->line, name->col,
                          "regular expressions are not available in this version");
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
