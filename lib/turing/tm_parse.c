/* The inside of a machine block, in three readings: what declares names and properties; the start
 * state and the rules, which give the states their order; the states that stop. */
#include <stdio.h>

#include "base/intern.h"
#include "base/scan.h"
#include "turing/tm_machine.h"

typedef enum {
    ALPHABET,
    STATES,
    BLANK,
    TAPES,
    TAPE,
    MISSING,
    NONDETERMINISTIC,
    START,
    HALT,
    ACCEPT,
    REJECT,
    N_KEYWORDS
} Keyword;

static const char *const keywords[N_KEYWORDS] = {
    "alphabet",         "states", "blank", "tapes",  "tape",  "missing",
    "nondeterministic", "start",  "halt",  "accept", "reject"};

typedef struct {
    ThTokens tokens;
    ThTmBuild build;
    bool seen[N_KEYWORDS];
    ThIntern cases;          /* what the rules read */
    const ThToken **rule_at; /* (rules) */
    size_t rule_cap;
    const ThToken **state_at; /* (states): where a state was mentioned first */
    size_t state_cap;
    const ThToken *spaced, *wide; /* symbols: a blank character, one of several characters */
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

static bool unexpected(Parser *p, const ThToken *t, const char *wanted)
{
    return th_token_unexpected(&p->tokens, t, wanted, p->err);
}

static bool out_of_memory(Parser *p)
{
    return th_fail(p->err, TH_ENOMEM, "out of memory for a machine");
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool read_state(Parser *p, const ThToken *t, int *q)
{
    if (!th_token_is_name(t))
        return unexpected(p, t, "a state");
    if (!*text_of(p, t))
        return th_fail_at(p->err, TH_EPARSE, t->line, t->col, "a name cannot be empty");
    int known = th_tm_find_state(&p->build, text_of(p, t));
    if (known < 0 && p->seen[STATES])
        return fail_token(p, t, "state ", " is not among the states") ||
               th_hint(p->err, "add it to `states`");
    *q = known >= 0 ? known : th_tm_state(&p->build, text_of(p, t));
    if (p->build.failed)
        return out_of_memory(p);
    if (known >= 0)
        return true;
    if (!th_grow(&p->state_at, &p->state_cap, (size_t)*q + 1, sizeof t, p->err))
        return false;
    p->state_at[*q] = t;
    return true;
}

static bool check_symbol(Parser *p, const ThToken *t)
{
    if (!*text_of(p, t))
        return th_fail_at(p->err, TH_EPARSE, t->line, t->col, "a name cannot be empty");
    return th_token_symbol(&p->tokens, t, &p->spaced, &p->wide, p->err);
}

static bool read_symbol(Parser *p, const ThToken *t, int *s)
{
    if (!th_token_is_name(t))
        return unexpected(p, t, "a symbol");
    int known = th_tm_find_symbol(&p->build, text_of(p, t));
    if (known < 0 && p->seen[ALPHABET])
        return fail_token(p, t, "symbol ", " is not in the alphabet") ||
               th_hint(p->err, "add it to `alphabet`");
    if (known < 0 && !check_symbol(p, t))
        return false;
    *s = known >= 0 ? known : th_tm_symbol(&p->build, text_of(p, t));
    if (p->build.failed)
        return out_of_memory(p);
    if (*s >= TH_TM_MOST_SYMBOLS)
        return th_fail_at(p->err, TH_ELIMIT, t->line, t->col, "more than %d symbols",
                          TH_TM_MOST_SYMBOLS);
    return true;
}

/* A symbol, or * for TH_TM_ANY. */
static bool read_pattern(Parser *p, const ThToken *t, int *s)
{
    *s = TH_TM_ANY;
    return t->kind == '*' || read_symbol(p, t, s);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool declare_names(Parser *p, ThStatement s, Keyword k)
{
    for (const ThToken *t = s.first + 1; t < s.end; t++) {
        int before = k == ALPHABET ? p->build.m.n_symbols : p->build.m.n_states, number = 0;
        if (!(k == ALPHABET ? read_symbol(p, t, &number) : read_state(p, t, &number)))
            return false;
        if (number < before)
            return fail_token(p, t, k == ALPHABET ? "symbol " : "state ", " is listed twice");
    }
    return true;
}

/* The number of the word that follows a keyword among choices, alone; -1 and an error. */
static int choose(Parser *p, ThStatement s, const char *const *choice, const char *wanted)
{
    const ThToken *t = s.first + 1;
    for (int i = 0; choice[i]; i++)
        if (t < s.end && t->kind == TH_TOKEN_WORD && strcmp(text_of(p, t), choice[i]) == 0)
            return i;
    unexpected(p, t, wanted);
    return -1;
}

static bool at_end(Parser *p, const ThToken *t, ThStatement s)
{
    return t == s.end || unexpected(p, t, "the end of the statement");
}

static bool declare_tapes(Parser *p, ThStatement s)
{
    static const char *const counts[] = {"1", "2", "3", "4", "5", NULL};
    int n = choose(p, s, counts, "a number of tapes, 1 to 5,");
    p->build.m.n_tapes = n + 1;
    return n >= 0 && at_end(p, s.first + 2, s);
}

/* tape two-way | one-way [edge=stay|reject|error] */
static bool declare_tape(Parser *p, ThStatement s)
{
    static const char *const ways[] = {"two-way", "one-way", NULL};
    static const char *const edges[] = {"stay", "reject", "error", NULL};
    int way = choose(p, s, ways, "two-way or one-way");
    p->build.m.edge = way == 1 ? TH_TM_EDGE_STAY : TH_TM_TWO_WAY;
    if (way != 1 || s.first + 2 == s.end)
        return way >= 0 && at_end(p, s.first + 2, s);
    const ThToken *t = s.first + 2;
    if (t->kind != TH_TOKEN_WORD || strcmp(text_of(p, t), "edge") != 0 || t[1].kind != '=')
        return unexpected(p, t, "edge=stay, edge=reject or edge=error");
    int edge = choose(p, (ThStatement){t + 1, s.end}, edges, "stay, reject or error");
    p->build.m.edge = (ThTmEdge)(TH_TM_EDGE_STAY + edge);
    return edge >= 0 && at_end(p, t + 3, s);
}

static bool declare_missing(Parser *p, ThStatement s)
{
    static const char *const ways[] = {"halt", "reject", "step", NULL};
    int way = choose(p, s, ways, "halt, reject or step");
    p->build.m.missing = (ThTmMissing)way;
    return way >= 0 && at_end(p, s.first + 2, s);
}

static bool declare_blank(Parser *p, ThStatement s)
{
    const ThToken *t = s.first + 1;
    return read_symbol(p, t, &p->build.m.blank) && at_end(p, t + 1, s);
}

static bool declare(Parser *p, ThStatement s, Keyword k)
{
    switch (k) {
    case ALPHABET:
    case STATES:
        return declare_names(p, s, k);
    case TAPES:
        return declare_tapes(p, s);
    case TAPE:
        return declare_tape(p, s);
    case MISSING:
        return declare_missing(p, s);
    case NONDETERMINISTIC:
        p->build.m.nondeterministic = true;
        return at_end(p, s.first + 1, s);
    default:
        return true;
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The parts of a rule: what each tape reads lies between first[t] and first[t + 1] - 1. */
typedef struct {
    ThTmRule rule;
    const ThToken *from;
    const ThToken *first[TH_TM_MOST_TAPES], *end[TH_TM_MOST_TAPES];
} RuleText;

static bool remember_case(Parser *p, const RuleText *x)
{
    int key[TH_TM_MOST_TAPES + 1] = {x->rule.from};
    size_t before = p->cases.n, index = 0;
    memcpy(key + 1, x->rule.read, (size_t)p->build.m.n_tapes * sizeof *key);
    if (!th_intern(&p->cases, key, sizeof key, &index, p->err))
        return false;
    if (index < before && !p->build.m.nondeterministic) {
        int above = x->from->line - p->rule_at[index]->line;
        char where[40] = "in the same line";
        if (above > 0)
            snprintf(where, sizeof where, "%d line%s above", above, above == 1 ? "" : "s");
        th_fail_at(p->err, TH_EPARSE, x->from->line, x->from->col,
                   "a second rule for the same state and symbols; the first is %s", where);
        return th_hint(p->err, "a machine with a choice of rules must say `nondeterministic`");
    }
    size_t rule = p->build.m.n_rules; /* which is index, where no case has several */
    if (!th_grow(&p->rule_at, &p->rule_cap, rule + 1, sizeof *p->rule_at, p->err))
        return false;
    p->rule_at[rule] = x->from;
    th_tm_add(&p->build, &x->rule);
    return !p->build.failed || out_of_memory(p);
}

/* Adds a rule for every choice of what the tapes from number `tape` on read. */
static bool add_rules(Parser *p, RuleText *x, int tape)
{
    if (tape == p->build.m.n_tapes)
        return remember_case(p, x);
    for (const ThToken *t = x->first[tape]; t < x->end[tape]; t += 2)
        if (!read_pattern(p, t, &x->rule.read[tape]) || !add_rules(p, x, tape + 1))
            return false;
    return true;
}

/* SYMBOL[,SYMBOL…] [| …] up to the arrow, which *at points at afterwards. */
static bool read_cases(Parser *p, RuleText *x, const ThToken **at)
{
    const ThToken *t = *at;
    int s;
    for (int tape = 0; tape < p->build.m.n_tapes; tape++) {
        x->first[tape] = t;
        while (read_pattern(p, t, &s) && t[1].kind == ',')
            t += 2;
        if (p->err->code)
            return false;
        x->end[tape] = ++t;
        char want = tape + 1 < p->build.m.n_tapes ? '|' : TH_TOKEN_ARROW;
        if (t->kind != want)
            return unexpected(p, t, want == '|' ? "'|' and what the next tape reads" : "'->'");
        t += want == '|';
    }
    *at = t;
    return true;
}

static bool read_move(Parser *p, const ThToken *t, int *move)
{
    const char *text = t->kind == TH_TOKEN_WORD ? text_of(p, t) : "";
    const char *at = text[0] && !text[1] ? strchr("LSR", *text) : NULL;
    if (!at)
        return unexpected(p, t, "a move (L, R or S)");
    *move = *at == 'L' ? -1 : *at == 'R';
    return true;
}

/* [WRITE] MOVE [| …] NEXT [!] */
static bool read_actions(Parser *p, RuleText *x, const ThToken *t, const ThToken *end)
{
    x->rule.pause = end > t && end[-1].kind == '!';
    end -= x->rule.pause;
    if (x->rule.pause && end > t && end[-1].kind == '!')
        return unexpected(p, end, "the end of the rule");
    for (int tape = 0; tape < p->build.m.n_tapes; tape++) {
        bool last = tape + 1 == p->build.m.n_tapes;
        const ThToken *stop = t;
        while (stop < end && stop->kind != '|')
            stop++;
        long n = stop - t - last;
        x->rule.write[tape] = TH_TM_ANY;
        if (n >= 2 && !read_pattern(p, t++, &x->rule.write[tape]))
            return false;
        if (!read_move(p, t, &x->rule.move[tape]))
            return false;
        t++;
        if (!last && t->kind != '|')
            return unexpected(p, t, "'|' and what the next tape does");
        t += !last;
    }
    if (t->kind == '*')
        x->rule.to = TH_TM_ANY;
    else if (t == end || !read_state(p, t, &x->rule.to))
        return unexpected(p, t, "a state");
    return t + 1 == end || unexpected(p, t + 1, "the end of the rule");
}

/* FROM SYMBOL[,SYMBOL…] [| …] -> [WRITE] MOVE [| …] NEXT [!] */
static bool read_rule(Parser *p, ThStatement s)
{
    RuleText x = {.from = s.first};
    const ThToken *t = s.first;
    if (t->kind == '*')
        x.rule.from = TH_TM_ANY;
    else if (!read_state(p, t, &x.rule.from))
        return false;
    t++;
    return read_cases(p, &x, &t) && read_actions(p, &x, t + 1, s.end) && add_rules(p, &x, 0);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool fail_statement(Parser *p, ThStatement s)
{
    const char *near = NULL;
    if (s.first->kind == TH_TOKEN_WORD)
        near = th_nearest(text_of(p, s.first), keywords, N_KEYWORDS);
    fail_token(p, s.first, "not a statement or rule: ", "");
    if (near)
        return th_hint(p->err, "did you mean %s?", near);
    return th_hint(p->err, "a rule is written FROM SYMBOL -> [WRITE] MOVE NEXT");
}

static bool once(Parser *p, ThStatement s, Keyword k)
{
    if (p->seen[k])
        return fail_token(p, s.first, "", " is given twice");
    p->seen[k] = true;
    return true;
}

static bool read_declaration(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k > NONDETERMINISTIC)
        return true;
    if (p->seen[k])
        return once(p, s, k);
    bool good = declare(p, s, k);
    p->seen[k] = true;
    return good;
}

/* After the alphabet, wherever that stands. */
static bool read_blank(Parser *p, ThStatement s)
{
    return keyword_of(p, s) != BLANK || declare_blank(p, s);
}

static bool read_moves(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k == N_KEYWORDS)
        return th_statement_has_arrow(s) ? read_rule(p, s) : fail_statement(p, s);
    if (k != START)
        return true;
    return once(p, s, k) && read_state(p, s.first + 1, &p->build.m.start) &&
           at_end(p, s.first + 2, s);
}

static bool read_ends(Parser *p, ThStatement s)
{
    Keyword k = keyword_of(p, s);
    if (k < HALT || k == N_KEYWORDS)
        return true;
    p->seen[k] = true;
    for (const ThToken *t = s.first + 1; t < s.end; t++) {
        int q = 0;
        if (!read_state(p, t, &q))
            return false;
        if (p->build.m.role[q] != TH_TM_RUNS)
            return fail_token(p, t, "state ", " is listed twice");
        p->build.m.role[q] = (ThTmRole)(TH_TM_HALTS + (k - HALT));
    }
    return true;
}

static bool each_statement(Parser *p, bool (*read)(Parser *p, ThStatement s))
{
    for (ThStatement s = {0}; th_statement_next(&p->tokens, &s);)
        if (!read(p, s))
            return false;
    return true;
}

/* A state that no rule mentions is a slip of the pen, but for one that rejects: textbooks leave the
 * rules out that lead to it. */
static bool check_states(Parser *p)
{
    const ThTm *m = &p->build.m;
    bool *used TH_OWNED(free) = th_alloc((size_t)m->n_states, sizeof *used, p->err);
    if (!used)
        return false;
    for (size_t i = 0; i < m->n_rules; i++) {
        if (m->rule[i].from != TH_TM_ANY)
            used[m->rule[i].from] = true;
        if (m->rule[i].to != TH_TM_ANY)
            used[m->rule[i].to] = true;
    }
    int q = 0;
    while (q < m->n_states && (used[q] || q == m->start || m->role[q] == TH_TM_REJECTS))
        q++;
    bool good = q == m->n_states || p->seen[STATES];
    if (good)
        return true;
    fail_token(p, p->state_at[q], "no rule leads to or from state ", "");
    return th_hint(p->err, "list it in `states` if that is meant");
}

static bool check_rules(Parser *p)
{
    const ThTm *m = &p->build.m;
    for (size_t i = 0; i < m->n_rules; i++) {
        int q = m->rule[i].from;
        if (q == TH_TM_ANY || m->role[q] == TH_TM_RUNS)
            continue;
        fail_token(p, p->rule_at[i], "a rule leaves state ", ", which stops the machine");
        return th_hint(p->err, "remove the rule, or the state from halt, accept and reject");
    }
    return true;
}

static bool finish(Parser *p)
{
    const ThToken *end = &p->tokens.token[p->tokens.n - 1];
    if (p->spaced && p->wide)
        return th_fail_at(p->err, TH_EPARSE, p->spaced->line, p->spaced->col,
                          "a blank character and a symbol of several characters exclude each "
                          "other");
    if (p->build.m.n_states == 0)
        return th_fail_at(p->err, TH_EPARSE, end->line, end->col, "no start state and no rules");
    if (!p->seen[MISSING])
        p->build.m.missing = p->seen[ACCEPT] ? TH_TM_MISSING_REJECT : TH_TM_MISSING_HALT;
    return check_states(p) && check_rules(p);
}

/* The blank symbol is _ where none is named. */
static bool set_blank(Parser *p)
{
    if (!p->seen[BLANK])
        p->build.m.blank = th_tm_symbol(&p->build, "_");
    return !p->build.failed || out_of_memory(p);
}

ThTm *th_tm_parse(const char *text, ThError *err)
{
    ThError own = {0};
    Parser p = {.err = err ? err : &own, .build.m.n_tapes = 1};
    ThTm *m = NULL;
    if (th_tokens_read(&p.tokens, text, p.err) && each_statement(&p, read_declaration) &&
        each_statement(&p, read_blank) && set_blank(&p) && each_statement(&p, read_moves) &&
        each_statement(&p, read_ends) && finish(&p))
        m = th_tm_finish(&p.build, p.err);
    th_tm_build_free(&p.build);
    th_intern_free(&p.cases);
    th_tokens_free(&p.tokens);
    TH_FREE(p.rule_at, p.state_at);
    return m;
}
