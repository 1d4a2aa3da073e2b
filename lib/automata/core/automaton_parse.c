/* The inside of an automaton block, in three readings: what declares names (alphabet, states,
 * outputs), so that their uses can be checked wherever they stand; start states and transitions,
 * which give the states their order; what is said about states (accept, output). */

#include "automata/core/build.h"
#include "base/scan.h"

typedef enum { ALPHABET, STATES, OUTPUTS, START, ACCEPT, OUTPUT, N_KEYWORDS } Keyword;

static const char *const keywords[N_KEYWORDS] = {"alphabet", "states", "outputs",
                                                 "start",    "accept", "output"};

bool th_automaton_is_keyword(const char *name)
{
    for (int k = 0; k < N_KEYWORDS; k++)
        if (strcmp(keywords[k], name) == 0)
            return true;
    return false;
}

typedef struct {
    ThTokens tokens;
    ThAutomatonBuild build;
    bool seen[N_KEYWORDS]; /* statements that may be there once */
    bool any_moore, any_mealy, any_start;
    const ThToken **state_at; /* (states): where a state was mentioned first */
    size_t state_cap;
    const ThToken *blank; /* a one-character blank symbol, which only single characters may join */
    const ThToken *wide;  /* a symbol of several characters */
    ThError *err;
} Parser;

static const char *text_of(const Parser *p, const ThToken *t)
{
    return th_token_text(&p->tokens, t);
}

static bool fail_token(Parser *p, const ThToken *t, const char *before, const char *after)
{
    return th_token_fail(&p->tokens, t, before, after, p->err);
}

static Keyword keyword_of(const Parser *p, ThStatement s)
{
    return (Keyword)th_statement_keyword(&p->tokens, s, keywords, N_KEYWORDS);
}

static bool is_empty_move(const Parser *p, const ThToken *t)
{
    return t->kind == TH_TOKEN_WORD && strcmp(text_of(p, t), "eps") == 0;
}

/* Unquoted ε and λ: the empty word, or a letter? */
static bool check_sign(Parser *p, const ThToken *t)
{
    if (t->kind != TH_TOKEN_WORD || !th_is_empty_word_sign(text_of(p, t)))
        return true;
    fail_token(p, t, "the empty word is written eps: ", " is no symbol");
    return th_hint(p->err, "in quotes it is one: \"%s\"", text_of(p, t));
}

/* A word that begins a statement, where a state is listed: the end of a line is missing, or
 * quotes. */
static bool check_listed(Parser *p, const ThToken *t)
{
    if (t->kind != TH_TOKEN_WORD || !th_automaton_is_keyword(text_of(p, t)))
        return true;
    fail_token(p, t, "", " begins a statement of its own, after ; or on the next line");
    return th_hint(p->err, "a state of that name is written \"%s\"", text_of(p, t));
}

/* The hint for a name that is not among those declared. */
static bool hint_declared(Parser *p, const ThIntern *known, const ThToken *t, const char *statement)
{
    const char **name TH_OWNED(free) = th_alloc(known->n, sizeof *name, NULL);
    const char *near = NULL;
    for (size_t i = 0; name && i < known->n; i++)
        name[i] = th_intern_at(known, i, NULL);
    if (name && strlen(text_of(p, t)) > 2)
        near = th_nearest(text_of(p, t), name, known->n);
    if (near)
        th_hint(p->err, "did you mean %s?", near);
    else
        th_hint(p->err, "add it to `%s`", statement);
    return false;
}

/* The number of a name in one of the builder's tables; once these were declared, of no other. */
static bool lookup(Parser *p, Keyword declared, const ThToken *t, int *number)
{
    static const char *const kind[] = {"symbol ", "state ", "output "};
    static const char *const after[] = {" is not in the alphabet", " is not among the states",
                                        " is not among the outputs"};
    ThIntern *table[] = {&p->build.symbol, &p->build.state, &p->build.output};
    int (*const intern[])(ThAutomatonBuild *, const char *) = {
        th_automaton_build_symbol, th_automaton_build_state, th_automaton_build_output};
    const char *name = text_of(p, t);
    if (!*name)
        return th_fail_at(p->err, TH_EPARSE, t->line, t->col, "a name cannot be empty");
    size_t known = th_intern_find(table[declared], name, strlen(name) + 1);
    if (known == SIZE_MAX && p->seen[declared]) {
        fail_token(p, t, kind[declared], after[declared]);
        return hint_declared(p, table[declared], t, keywords[declared]);
    }
    *number = known == SIZE_MAX ? intern[declared](&p->build, name) : (int)known;
    if (p->build.failed)
        return th_fail(p->err, TH_ENOMEM, "out of memory for an automaton");
    if (declared == STATES && known == SIZE_MAX) {
        if (!th_grow(&p->state_at, &p->state_cap, (size_t)*number + 1, sizeof t, p->err))
            return false;
        p->state_at[*number] = t;
    }
    return true;
}

static bool check_symbol(Parser *p, const ThToken *t)
{
    return th_token_symbol(&p->tokens, t, &p->blank, &p->wide, p->err);
}

/* ---- declarations ---- */

static bool declare(Parser *p, ThStatement s, Keyword k)
{
    static const char *const kind[] = {"symbol ", "state ", "output "};
    ThIntern *table[] = {&p->build.symbol, &p->build.state, &p->build.output};
    for (const ThToken *t = s.first + 1; t < s.end; t++) {
        size_t before = table[k]->n;
        int number = 0;
        if (!th_token_is_name(t))
            return th_token_unexpected(&p->tokens, t, "a name", p->err);
        if (k != STATES && is_empty_move(p, t))
            return th_fail_at(p->err, TH_EPARSE, t->line, t->col,
                              "eps is the empty move, not a symbol");
        if (k == ALPHABET && !check_symbol(p, t))
            return false;
        if (!(k == STATES ? check_listed(p, t) : check_sign(p, t)))
            return false;
        if (!lookup(p, k, t, &number))
            return false;
        if (table[k]->n == before)
            return fail_token(p, t, kind[k], " is listed twice");
    }
    return true;
}

/* ---- transitions ---- */

static bool read_symbol(Parser *p, const ThToken *t, int *symbol)
{
    if (!th_token_is_name(t))
        return th_token_unexpected(&p->tokens, t, "a symbol", p->err);
    if (is_empty_move(p, t)) {
        *symbol = TH_AUTOMATON_EPSILON;
        return true;
    }
    return check_sign(p, t) && (p->seen[ALPHABET] || check_symbol(p, t)) &&
           lookup(p, ALPHABET, t, symbol);
}

static bool read_state(Parser *p, const ThToken *t, int *q)
{
    if (!th_token_is_name(t))
        return th_token_unexpected(&p->tokens, t, "a state", p->err);
    return lookup(p, STATES, t, q);
}

static bool read_output(Parser *p, const ThToken *t, int *output)
{
    if (!th_token_is_name(t) || is_empty_move(p, t))
        return th_token_unexpected(&p->tokens, t, "an output", p->err);
    return check_sign(p, t) && lookup(p, OUTPUTS, t, output);
}

/* The part behind the arrow: TO [/ OUTPUT]. */
static bool read_target(Parser *p, const ThToken *t, const ThToken *end, ThAutomatonArc *arc)
{
    if (!read_state(p, t++, &arc->to))
        return false;
    if (t == end)
        return true;
    if (t->kind != '/')
        return th_token_unexpected(&p->tokens, t, "the end of the transition", p->err);
    t++;
    if (is_empty_move(p, t))
        return ++t == end ||
               th_token_unexpected(&p->tokens, t, "the end of the transition", p->err);
    if (!read_output(p, t++, &arc->output))
        return false;
    if (t != end)
        return th_token_unexpected(&p->tokens, t, "the end of the transition", p->err);
    p->any_mealy = true;
    return true;
}

/* FROM SYMBOL[,SYMBOL…] -> TO [/ OUTPUT] */
static bool read_transition(Parser *p, ThStatement s)
{
    ThAutomatonArc arc = {.output = TH_AUTOMATON_NO_OUTPUT};
    const ThToken *t = s.first;
    if (!read_state(p, t++, &arc.from))
        return false;
    const ThToken *symbols = t;
    for (;;) {
        if (!read_symbol(p, t++, &arc.symbol))
            return false;
        if (t->kind != ',')
            break;
        t++;
    }
    const ThToken *arrow = t;
    if (t->kind != TH_TOKEN_ARROW)
        return th_token_unexpected(&p->tokens, t, "'->'", p->err);
    if (!read_target(p, t + 1, s.end, &arc))
        return false;
    for (t = symbols; t < arrow; t += 2) {
        if (!read_symbol(p, t, &arc.symbol))
            return false;
        th_automaton_build_arc(&p->build, arc);
    }
    return true;
}

/* ---- start, accept, output ---- */

static bool read_marks(Parser *p, ThStatement s, Keyword k)
{
    if (p->seen[k])
        return fail_token(p, s.first, "", " is given twice");
    p->seen[k] = true;
    for (const ThToken *t = s.first + 1; t < s.end; t++) {
        int q = 0;
        if (!check_listed(p, t) || !read_state(p, t, &q))
            return false;
        bool *mark = k == START ? &p->build.info[q].start : &p->build.info[q].accept;
        if (*mark)
            return fail_token(p, t, "state ", " is listed twice");
        *mark = true;
        p->any_start = p->any_start || k == START;
    }
    return true;
}

/* output STATE SYMBOL */
static bool read_moore(Parser *p, ThStatement s)
{
    int q = 0, output = 0;
    const ThToken *t = s.first + 1;
    if (!read_state(p, t, &q) || !read_output(p, t + 1, &output))
        return false;
    if (t + 2 != s.end)
        return th_token_unexpected(&p->tokens, t + 2, "the end of the statement", p->err);
    if (p->any_mealy)
        return th_fail_at(p->err, TH_EPARSE, s.first->line, s.first->col,
                          "outputs are of states or of transitions, not of both");
    if (p->build.info[q].moore != TH_AUTOMATON_NO_OUTPUT)
        return fail_token(p, t, "the output of state ", " is given twice");
    th_automaton_build_moore(&p->build, q, output);
    p->any_moore = true;
    return true;
}

/* ---- statements ---- */

static bool fail_statement(Parser *p, ThStatement s)
{
    if (s.first->kind == TH_TOKEN_WORD) {
        const char *near = th_nearest(text_of(p, s.first), keywords, N_KEYWORDS);
        if (near)
            return fail_token(p, s.first, "unknown statement ", "") ||
                   th_hint(p->err, "did you mean %s?", near);
    }
    const ThToken *at = s.first + th_token_is_name(s.first);
    while (at > s.first && at + 1 < s.end && at[1].kind == ',')
        at += 2;
    if (at > s.first)
        at = at < s.end ? at + 1 : s.end;
    th_token_unexpected(&p->tokens, at, th_token_is_name(s.first) ? "'->'" : "a statement", p->err);
    return th_hint(p->err, "a transition is written FROM SYMBOL -> TO");
}

/* Start states and transitions: they give the states their order. */
static bool read_moves(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k == N_KEYWORDS)
        return th_statement_has_arrow(s) ? read_transition(p, s) : fail_statement(p, s);
    return k != START || read_marks(p, s, START);
}

/* What is said about states that are known by then. */
static bool read_properties(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k == OUTPUT)
        return read_moore(p, s);
    return k != ACCEPT || read_marks(p, s, ACCEPT);
}

static bool read_declaration(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k > OUTPUTS)
        return true;
    if (p->seen[k])
        return fail_token(p, s.first, "", " is given twice");
    bool good = declare(p, s, k);
    p->seen[k] = true;
    return good;
}

static bool each_statement(Parser *p, bool (*read)(Parser *p, ThStatement s))
{
    for (ThStatement s = {0}; th_statement_next(&p->tokens, &s);)
        if (!read(p, s))
            return false;
    return true;
}

/* A state that only `accept` or `output` knows is a slip of the pen. */
static bool check_states(Parser *p)
{
    const ThAutomatonBuild *b = &p->build;
    bool *used TH_OWNED(free) = th_alloc(b->state.n, sizeof *used, p->err);
    if (!used)
        return false;
    for (size_t i = 0; i < b->n_arcs; i++)
        used[b->arc[i].from] = used[b->arc[i].to] = true;
    size_t q = 0;
    while (q < b->state.n && (used[q] || b->info[q].start))
        q++;
    if (q == b->state.n)
        return true;
    fail_token(p, p->state_at[q], "no transition leads to or from state ", "");
    return th_hint(p->err, "list it in `states` if that is meant");
}

static bool finish(Parser *p)
{
    const ThToken *end = &p->tokens.token[p->tokens.n - 1];
    if (p->build.failed)
        return true; /* th_automaton_build_finish reports it */
    if (p->blank && p->wide)
        return th_fail_at(p->err, TH_EPARSE, p->blank->line, p->blank->col,
                          "a blank symbol and one of several characters exclude each other");
    if (!p->any_start)
        return th_fail_at(p->err, TH_EPARSE, end->line, end->col, "no start state");
    if (!p->seen[STATES] && !check_states(p))
        return false;
    for (size_t q = 0; !p->seen[ACCEPT] && q < p->build.state.n; q++)
        p->build.info[q].accept = p->any_moore || p->any_mealy;
    return true;
}

ThAutomaton *th_automaton_parse(const char *text, ThError *err)
{
    Parser p = {.err = err};
    ThAutomaton *a = NULL;
    if (th_tokens_read(&p.tokens, text, err) && each_statement(&p, read_declaration) &&
        each_statement(&p, read_moves) && each_statement(&p, read_properties) && finish(&p))
        a = th_automaton_build_finish(&p.build, err);
    th_automaton_build_free(&p.build);
    th_tokens_free(&p.tokens);
    free(p.state_at);
    return a;
}
