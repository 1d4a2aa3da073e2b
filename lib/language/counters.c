/* Machines with counters that read a symbol a step, deterministic, each rule for a pattern of which
 * counters are zero; after Fischer, Meyer and Rosenberg 1968. */
#include <math.h>

#include "automata/core/build.h"
#include "language/counters.h"
#include "language/language_text.h"

enum { MOST_CHANGE = 1000 };

static void free_data(void *data)
{
    ThCounters *c = data;
    th_intern_free(&c->state);
    TH_FREE(c->rule, c->accept, c->table, c->accepts, c->live, c);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef enum { COUNTERS, START, ALPHABET, ACCEPT, N_KEYWORDS } Keyword;

static const char *const keywords[N_KEYWORDS] = {"counters", "start", "alphabet", "accept"};

typedef struct {
    ThLanguageText text;
    ThCounters *c;
    bool counted, started;
} Parser;

static bool read_state(Parser *p, const ThToken *t, int *q)
{
    bool ok = th_language_read_state(&p->text, &p->c->state, t, q);
    p->c->n_states = (int)p->c->state.n;
    return ok;
}

/* A whole number with or without a sign, which is a token of its own. */
static bool read_number(Parser *p, const ThToken **t, int most, int *x)
{
    int sign = (*t)->kind == '-' ? -1 : 1;
    *t += (*t)->kind == '-' || (*t)->kind == '+';
    const char *text = (*t)->kind == TH_TOKEN_WORD ? th_language_token_text(&p->text, *t) : "";
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 5 || text[n] || atoi(text) > most) {
        th_language_unexpected(&p->text, *t, "a number");
        return th_hint(p->text.err, "of %d at most", most);
    }
    *x = sign * atoi(text);
    ++*t;
    return true;
}

/* Behind `where`: for each counter 0, + or *; *t stands behind it then. */
static bool read_pattern(Parser *p, const ThToken **t, ThCountersPattern *where)
{
    *where = (ThCountersPattern){{0}};
    if ((*t)->kind != TH_TOKEN_WORD || strcmp(th_language_token_text(&p->text, *t), "where") != 0)
        return true;
    ++*t;
    for (int i = 0; i < p->c->k; i++, ++*t) {
        const char *text = th_language_token_text(&p->text, *t);
        bool zero = (*t)->kind == TH_TOKEN_WORD && strcmp(text, "0") == 0;
        if (!zero && (*t)->kind != '+' && (*t)->kind != '*')
            return th_language_unexpected(&p->text, *t, "0, + or * for each counter");
        where->test[i] = zero                ? TH_COUNTERS_ZERO
                         : (*t)->kind == '+' ? TH_COUNTERS_POSITIVE
                                             : TH_COUNTERS_ANY;
    }
    return true;
}

static bool read_changes(Parser *p, const ThToken *t, const ThToken *end, ThCountersRule *r)
{
    if (t->kind == '/' && t < end)
        t++;
    else if (t < end)
        return th_language_unexpected(&p->text, t, "'/' or the end of the rule");
    else
        return true;
    for (int i = 0; i < p->c->k; i++)
        if (!read_number(p, &t, MOST_CHANGE, &r->change[i]))
            return false;
    return t == end || th_language_unexpected(&p->text, t, "the end of the rule");
}

/* FROM SYMBOL[,SYMBOL…] [where …] -> TO [/ CHANGE …] */
static bool read_rule(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    ThCounters *c = p->c;
    ThCountersRule r = {.line = s.first->line, .col = s.first->col};
    const ThToken *t = s.first;
    if (keyword < N_KEYWORDS)
        return true;
    if (!read_state(p, t++, &r.from))
        return false;
    const ThToken *symbols = t;
    for (t++; t < s.end && t->kind == ','; t += 2)
        ;
    const ThToken *behind = t;
    if (!read_pattern(p, &t, &r.where))
        return false;
    if (t->kind != TH_TOKEN_ARROW)
        return th_language_unexpected(&p->text, t, "'->'");
    if (!read_state(p, ++t, &r.to) || !read_changes(p, t + 1, s.end, &r))
        return false;
    for (t = symbols; t < behind; t += 2) {
        r.symbol = th_language_token_symbol(&p->text, t);
        if (r.symbol < 0 || !th_grow(&c->rule, &c->rule_cap, c->n_rules + 1, sizeof r, p->text.err))
            return false;
        c->rule[c->n_rules++] = r;
    }
    return true;
}

static bool read_accept(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    ThCounters *c = p->c;
    size_t first = c->n_accept;
    const ThToken *t = s.first + 1;
    ThCountersPattern where;
    if (keyword != ACCEPT)
        return true;
    while (t < s.end && !(t->kind == TH_TOKEN_WORD &&
                          strcmp(th_language_token_text(&p->text, t), "where") == 0)) {
        ThCountersAccept a = {0};
        int known = c->n_states;
        if (!read_state(p, t++, &a.state))
            return false;
        if (a.state == known && known > 0)
            return th_language_token_fail(&p->text, t - 1, "no rule leads to or from state ", "");
        if (!th_grow(&c->accept, &c->accept_cap, c->n_accept + 1, sizeof a, p->text.err))
            return false;
        c->accept[c->n_accept++] = a;
    }
    if (!read_pattern(p, &t, &where))
        return false;
    for (size_t i = first; i < c->n_accept; i++)
        c->accept[i].where = where;
    return th_language_end(&p->text, s, t);
}

static bool read_declaration(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    const ThToken *t = s.first + 1;
    int q;
    if (keyword != COUNTERS && keyword != START)
        return true;
    return th_language_once(&p->text, s, keyword == START ? &p->started : &p->counted) &&
           (keyword == START ? read_state(p, t++, &q)
                             : read_number(p, &t, TH_COUNTERS_MOST, &p->c->k)) &&
           th_language_end(&p->text, s, t);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static bool fits(const ThCounters *c, const ThCountersPattern *where, int positive)
{
    for (int i = 0; i < c->k; i++) {
        ThCountersTest now = positive >> i & 1 ? TH_COUNTERS_POSITIVE : TH_COUNTERS_ZERO;
        if (where->test[i] != TH_COUNTERS_ANY && where->test[i] != now)
            return false;
    }
    return true;
}

static size_t case_of(const ThCounters *c, int n_symbols, int q, int a, int positive)
{
    return (((size_t)q * (size_t)n_symbols + (size_t)a) << c->k) + (size_t)positive;
}

static bool two_rules(const ThLanguage *l, const ThCountersRule *r, int positive, ThError *err)
{
    const ThCounters *c = l->data;
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < c->k; i++)
        th_text_add(&t, positive >> i & 1 ? " +" : " 0");
    th_fail_at(err, TH_EVALUE, r->line, r->col, "there are two rules for state %s, symbol %s%s%s",
               (const char *)th_intern_at(&c->state, (size_t)r->from, NULL), l->symbol[r->symbol],
               c->k ? " and counters" : "", t.data ? t.data : "");
    return th_hint(err, "behind where stand 0, + or * for each counter: q a where 0 + -> p");
}

static void find_live(ThCounters *c)
{
    for (size_t i = 0; i < c->n_accept; i++)
        c->live[c->accept[i].state] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < c->n_rules; i++)
            if (c->live[c->rule[i].to] && !c->live[c->rule[i].from])
                c->live[c->rule[i].from] = more = true;
    }
}

static bool fill_tables(ThLanguage *l, ThError *err)
{
    ThCounters *c = l->data;
    int cases = 1 << c->k;
    size_t size = case_of(c, l->n_symbols, c->n_states, 0, 0);
    c->table = th_alloc(size, sizeof *c->table, err);
    c->accepts = th_alloc((size_t)c->n_states * (size_t)cases, sizeof *c->accepts, err);
    c->live = th_alloc((size_t)c->n_states, sizeof *c->live, err);
    if (!c->table || !c->accepts || !c->live)
        return false;
    find_live(c);
    for (size_t i = 0; i < size; i++)
        c->table[i] = -1;
    for (size_t i = 0; i < c->n_rules; i++) {
        const ThCountersRule *r = &c->rule[i];
        int up = 0, down = 0;
        for (int x = 0; x < cases; x++) {
            int *at = &c->table[case_of(c, l->n_symbols, r->from, r->symbol, x)];
            if (fits(c, &r->where, x) && *at >= 0)
                return two_rules(l, r, x, err);
            *at = fits(c, &r->where, x) ? (int)i : *at;
        }
        for (int j = 0; j < c->k; j++) {
            up += r->change[j] > 0 ? r->change[j] : 0;
            down -= r->change[j] < 0 ? r->change[j] : 0;
        }
        c->up = up > c->up ? up : c->up;
        c->down = down > c->down ? down : c->down;
    }
    c->empties = true;
    for (size_t i = 0; i < c->n_accept; i++)
        for (int x = 0; x < cases; x++)
            if (fits(c, &c->accept[i].where, x)) {
                c->accepts[c->accept[i].state * cases + x] = true;
                c->empties = c->empties && x == 0;
            }
    return true;
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    static ThLanguagePass *const pass[] = {read_declaration, read_rule, read_accept};
    Parser p = {.text = {.l = l, .keyword = keywords, .n_keywords = N_KEYWORDS, .err = err}};
    l->data = p.c = th_alloc(1, sizeof *p.c, err);
    if (p.c)
        p.c->k = 1;
    bool ok = p.c && th_language_read_block(&p.text, text, pass, 3, &p);
    if (ok && p.c->n_states == 0)
        ok = th_language_fail_at_end(&p.text, "no start state");
    if (ok && p.c->n_accept == 0)
        ok = th_language_fail_at_end(&p.text, "no state accepts") ||
             th_hint(err, "as in accept q where 0");
    ok = ok && fill_tables(l, err);
    th_tokens_free(&p.text.tokens);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_state(ThText *t, const ThCounters *c, int q)
{
    th_text_symbol(t, th_intern_at(&c->state, (size_t)q, NULL));
}

static void write_pattern(ThText *t, const ThCounters *c, const ThCountersPattern *where)
{
    static const char *const sign[] = {" *", " 0", " +"};
    bool any = false;
    for (int i = 0; i < c->k; i++)
        any = any || where->test[i] != TH_COUNTERS_ANY;
    if (any)
        th_text_add(t, " where");
    for (int i = 0; any && i < c->k; i++)
        th_text_add(t, sign[where->test[i]]);
}

static void write(ThText *t, const ThLanguage *l)
{
    const ThCounters *c = l->data;
    th_text_printf(t, "  counters %d\n", c->k);
    th_language_write_alphabet(t, l);
    th_text_add(t, "  start ");
    write_state(t, c, 0);
    for (size_t i = 0; i < c->n_accept; i++) {
        th_text_add(t, "\n  accept ");
        write_state(t, c, c->accept[i].state);
        write_pattern(t, c, &c->accept[i].where);
    }
    for (size_t i = 0; i < c->n_rules; i++) {
        const ThCountersRule *r = &c->rule[i];
        th_text_add(t, "\n  ");
        write_state(t, c, r->from);
        th_text_add(t, " ");
        th_language_write_symbol(t, l->symbol[r->symbol]);
        write_pattern(t, c, &r->where);
        th_text_add(t, " -> ");
        write_state(t, c, r->to);
        bool changes = false;
        for (int j = 0; j < c->k; j++)
            changes = changes || r->change[j];
        th_text_add(t, changes ? " /" : "");
        for (int j = 0; changes && j < c->k; j++)
            th_text_printf(t, r->change[j] ? " %+d" : " %d", r->change[j]);
    }
    th_text_add(t, "\n");
}

/* Labels "a, 0 + / +1 0": what is read, which counters are zero, and how they change. */
static ThAutomaton *picture(const ThLanguage *l, ThError *err)
{
    const ThCounters *c = l->data;
    static const char *const sign[] = {" *", " 0", " +"};
    ThAutomatonBuild b = {0};
    for (int q = 0; q < c->n_states; q++)
        th_automaton_build_state(&b, th_intern_at(&c->state, (size_t)q, NULL));
    th_automaton_build_start(&b, 0);
    for (size_t i = 0; i < c->n_accept; i++)
        th_automaton_build_accept(&b, c->accept[i].state);
    for (size_t i = 0; i < c->n_rules; i++) {
        const ThCountersRule *r = &c->rule[i];
        ThText t TH_OWNED(th_text_free) = {0};
        th_text_printf(&t, "%s |", l->symbol[r->symbol]);
        for (int j = 0; j < c->k; j++)
            th_text_add(&t, sign[r->where.test[j]]);
        th_text_add(&t, " /");
        for (int j = 0; j < c->k; j++)
            th_text_printf(&t, r->change[j] ? " %+d" : " %d", r->change[j]);
        int label = th_automaton_build_symbol(&b, t.data ? t.data : "");
        th_automaton_build_arc(&b, (ThAutomatonArc){r->from, label, r->to, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

/* ---- running --------------------------------------------------------------------------------- */

static int positive_set(const ThCounters *c, const int *counter)
{
    int set = 0;
    for (int i = 0; i < c->k; i++)
        set |= (counter[i] > 0) << i;
    return set;
}

/* A counter below zero ends the run, and so does one beyond what an int holds. */
ThCountersAt th_counters_step(const ThCounters *c, int n_symbols, const ThCountersAt *x, int a)
{
    ThCountersAt y = {.state = -1};
    int rule = x->state < 0
                   ? -1
                   : c->table[case_of(c, n_symbols, x->state, a, positive_set(c, x->counter))];
    if (rule < 0)
        return y;
    const ThCountersRule *r = &c->rule[rule];
    for (int i = 0; i < c->k; i++) {
        y.counter[i] = x->counter[i] + r->change[i];
        if (y.counter[i] < 0 || y.counter[i] > INT32_MAX / 2)
            return y;
    }
    y.state = r->to;
    return y;
}

bool th_counters_accept(const ThCounters *c, const ThCountersAt *x)
{
    return x->state >= 0 && c->accepts[(x->state << c->k) + positive_set(c, x->counter)];
}

typedef struct {
    const ThCounters *c;
    int n_symbols, n;
    ThCountersAt *at; /* (n + 1) */
    size_t cap;
    ThIntern known; /* configurations that have been searched from */
    char *leads;    /* (known.n): can acceptance be reached? */
    size_t leads_cap;
    bool unsure; /* of what was pushed last that is not known */
} Reading;

enum { NO, YES, UNSURE };

static void *start_reading(const ThLanguage *l, ThError *err)
{
    Reading *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->c = l->data;
    r->n_symbols = l->n_symbols;
    if (!th_grow(&r->at, &r->cap, 1, sizeof *r->at, err)) {
        free(r);
        return NULL;
    }
    r->at[0] = (ThCountersAt){0};
    return r;
}

static void stop_reading(void *reading)
{
    Reading *r = reading;
    th_intern_free(&r->known);
    TH_FREE(r->leads, r->at, r);
}

/* Notes what is known of a configuration; *index: its number. */
static bool note(Reading *r, const ThCountersAt *x, char leads, size_t *index, ThError *err)
{
    size_t n = r->known.n;
    if (!th_intern(&r->known, x, sizeof *x, index, err) ||
        !th_grow(&r->leads, &r->leads_cap, r->known.n, 1, err))
        return false;
    if (*index == n || leads)
        r->leads[*index] = leads;
    return true;
}

/* A configuration of a search, and the one that it came from. */
typedef struct {
    ThCountersAt at;
    int sum;
    size_t from;
} Node;

/* The node with the least sum of counters that has not been followed: buckets would be faster, but
 * searches are short, as the way to acceptance leads down. */
static size_t best_node(const Node *node, size_t n, const char *done)
{
    size_t best = n;
    for (size_t i = n; i-- > 0;)
        if (!done[i] && (best == n || node[i].sum < node[best].sum))
            best = i;
    return best;
}

static int sum_of(const ThCounters *c, const ThCountersAt *x)
{
    int sum = 0;
    for (int i = 0; i < c->k; i++)
        sum += x->counter[i];
    return sum;
}

/* The greatest sum that is worth looking at: one counter that acceptance can be reached with at all
 * need not rise by more than the square of the states, were every unit of change a state (Valiant
 * and Paterson 1975); of several nothing like that holds. */
static double highest(const ThCounters *c, const ThCountersAt *from)
{
    double states = (double)c->n_states * (c->up > c->down ? c->up : c->down);
    return c->k <= 1 ? sum_of(c, from) + states * states : HUGE_VAL;
}

/* Can acceptance be reached?  Searched with the smallest counters first, among MOST_NODES
 * configurations; beyond that it is not known. */
static bool search(Reading *r, const ThCountersAt *from, char *leads, ThError *err)
{
    enum { MOST_NODES = 4000 };
    size_t n = 1, index;
    bool cut = false;
    double most = highest(r->c, from);
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    Node *node TH_OWNED(free) = th_alloc(MOST_NODES, sizeof *node, err);
    char *done TH_OWNED(free) = th_alloc(MOST_NODES, 1, err);
    bool ok = node && done;
    if (ok)
        node[0] = (Node){*from, sum_of(r->c, from), 0};
    ok = ok && th_intern(&seen, from, sizeof *from, &index, err);
    *leads = NO;
    for (size_t i = 0; ok && !*leads && (i = best_node(node, n, done)) < n;) {
        done[i] = 1;
        size_t known = th_intern_find(&r->known, &node[i].at, sizeof node[i].at);
        char known_to = known == SIZE_MAX ? UNSURE : r->leads[known];
        *leads = known_to == YES || th_counters_accept(r->c, &node[i].at) ? YES : NO;
        for (size_t k = i; ok && *leads; k = node[k].from) {
            ok = note(r, &node[k].at, YES, &index, err);
            if (k == node[k].from)
                break;
        }
        for (int a = 0; ok && !*leads && known_to != NO && a < r->n_symbols; a++) {
            ThCountersAt y = th_counters_step(r->c, r->n_symbols, &node[i].at, a);
            size_t before = seen.n;
            bool goes_on = y.state >= 0 && r->c->live[y.state] && sum_of(r->c, &y) <= most;
            if (goes_on && n == MOST_NODES) {
                cut = cut || th_intern_find(&seen, &y, sizeof y) == SIZE_MAX;
                continue;
            }
            ok = !goes_on || th_intern(&seen, &y, sizeof y, &index, err);
            if (ok && goes_on && index == before)
                node[n++] = (Node){y, sum_of(r->c, &y), i};
        }
    }
    *leads = *leads == NO && cut ? UNSURE : *leads;
    return ok && note(r, from, *leads, &index, err);
}

static bool push(void *reading, int symbol, bool *viable, ThError *err)
{
    Reading *r = reading;
    if (!th_grow(&r->at, &r->cap, (size_t)r->n + 2, sizeof *r->at, err))
        return false;
    ThCountersAt *x = &r->at[r->n + 1];
    *x = th_counters_step(r->c, r->n_symbols, &r->at[r->n], symbol);
    char leads = NO;
    if (x->state >= 0 && r->c->live[x->state]) {
        size_t known = th_intern_find(&r->known, x, sizeof *x);
        if (known != SIZE_MAX)
            leads = r->leads[known];
        else if (!search(r, x, &leads, err))
            return false;
    }
    *viable = leads != NO;
    r->unsure = leads == UNSURE;
    r->n++;
    return true;
}

static void pop(void *reading)
{
    ((Reading *)reading)->n--;
}

static bool unsure(const void *reading)
{
    return ((const Reading *)reading)->unsure;
}

static bool accepts(void *reading, ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    const Reading *r = reading;
    *answer = th_counters_accept(r->c, &r->at[r->n]) ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop TH_UNUSED,
                   ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    ThCountersAt x = {0};
    for (int i = 0; x.state >= 0 && i < word.n; i++)
        x = th_counters_step(l->data, l->n_symbols, &x, word.symbol[i]);
    *answer = th_counters_accept(l->data, &x) ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

/* A state and which counters are zero: q:0+ */
static bool states(const ThLanguage *l, char ***name, int *n, ThError *err)
{
    const ThCounters *c = l->data;
    char seen[TH_COUNTERS_MOST + 1] = "";
    bool ok = true;
    for (int i = 0; ok && i < c->n_states << c->k; i++) {
        for (int j = 0; j < c->k; j++)
            seen[j] = i >> j & 1 ? '+' : '0';
        ok = th_language_add_state(name, n, th_intern_at(&c->state, (size_t)(i >> c->k), NULL),
                                   seen, err);
    }
    return ok;
}

static bool track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop TH_UNUSED,
                  ThError *err TH_UNUSED)
{
    const ThCounters *c = l->data;
    ThCountersAt x = {0};
    for (int i = 0; i < word.n; i++) {
        x = th_counters_step(c, l->n_symbols, &x, word.symbol[i]);
        state[i] = (x.state < 0 ? c->n_states : x.state) << c->k;
        state[i] += x.state < 0 ? 0 : positive_set(c, x.counter);
    }
    return true;
}

const ThLanguageKind th_language_kind_counters = {
    .name = "counters",
    .knows_prefixes = true,
    .parse = parse,
    .write = write,
    .free_data = free_data,
    .picture = picture,
    .member = member,
    .read = start_reading,
    .push = push,
    .pop = pop,
    .unsure = unsure,
    .accepts = accepts,
    .stop_reading = stop_reading,
    .words = th_counters_words,
    .log_words = th_counters_log_words,
    .draw = th_counters_draw,
    .free_words = th_counters_free_words,
    .count = th_counters_count,
    .states = states,
    .track = track,
};
