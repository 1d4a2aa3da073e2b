#include "turing/tm_machine.h"

#include <limits.h>
#include <stdio.h>

#include "base/intern.h"

enum { MOST_TABLE = 1 << 24, MOST_TUPLES = 1 << 16 /* of several tapes */ };

/* Names by number, and numbers by name. */
struct ThTmNames {
    ThIntern intern;
};

/* ---- building -------------------------------------------------------------------------------- */

/* The number of a name, which a list of *n names has from now on; -1: memory ran out. */
static int number_of(ThTmBuild *b, struct ThTmNames **table, const char *name, char ***list,
                     size_t *cap, int *n)
{
    size_t index = 0;
    if (!*table)
        *table = th_alloc(1, sizeof **table, NULL);
    b->failed = b->failed || !*table || *n >= INT_MAX / 2 ||
                !th_intern(&(*table)->intern, name, strlen(name) + 1, &index, NULL);
    if (!b->failed && index == (size_t)*n) {
        char *copy = th_strdup(name, NULL);
        b->failed = !copy || !TH_APPEND(*list, *n, *cap, NULL, copy);
        if (b->failed)
            free(copy);
    }
    return b->failed ? -1 : (int)index;
}

int th_tm_state(ThTmBuild *b, const char *name)
{
    int before = b->m.n_states;
    int q = number_of(b, &b->states, name, &b->m.state, &b->state_cap, &b->m.n_states);
    if (q < before)
        return q < 0 ? 0 : q;
    if (!th_grow(&b->m.role, &b->role_cap, (size_t)q + 1, sizeof *b->m.role, NULL)) {
        b->failed = true;
        return 0;
    }
    b->m.role[q] = TH_TM_RUNS;
    return q;
}

int th_tm_symbol(ThTmBuild *b, const char *name)
{
    int s = number_of(b, &b->symbols, name, &b->m.symbol, &b->symbol_cap, &b->m.n_symbols);
    return s < 0 ? 0 : s;
}

static int find_name(const struct ThTmNames *table, const char *name)
{
    size_t i = table ? th_intern_find(&table->intern, name, strlen(name) + 1) : SIZE_MAX;
    return i == SIZE_MAX ? -1 : (int)i;
}

int th_tm_find_state(const ThTmBuild *b, const char *name)
{
    return find_name(b->states, name);
}

int th_tm_find_symbol(const ThTmBuild *b, const char *name)
{
    return find_name(b->symbols, name);
}

void th_tm_add(ThTmBuild *b, const ThTmRule *rule)
{
    if (b->failed ||
        !th_grow(&b->m.rule, &b->rule_cap, b->m.n_rules + 1, sizeof *b->m.rule, NULL)) {
        b->failed = true;
        return;
    }
    b->m.rule[b->m.n_rules++] = *rule;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The order of precedence: own states first, then own symbols, tape by tape; equal cases meet. */
static int compare_rules(const ThTmRule *a, const ThTmRule *b, int n_tapes)
{
    unsigned x = (unsigned)a->from, y = (unsigned)b->from; /* TH_TM_ANY is the greatest */
    for (int t = 0; x == y && t < n_tapes; t++) {
        x = (unsigned)a->read[t];
        y = (unsigned)b->read[t];
    }
    return x < y ? -1 : x > y;
}

/* Sorts the order of rules by merging, with `spare` as room. */
static void sort_rules(const ThTm *m, size_t *order, size_t n, size_t *spare)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half, k = 0;
    sort_rules(m, order, half, spare);
    sort_rules(m, order + half, n - half, spare);
    while (i < half && j < n) {
        bool second = compare_rules(&m->rule[order[j]], &m->rule[order[i]], m->n_tapes) < 0;
        spare[k++] = second ? order[j++] : order[i++];
    }
    while (i < half)
        spare[k++] = order[i++];
    memcpy(order, spare, k * sizeof *order);
}

static const char *rule_symbol(const ThTm *m, int symbol)
{
    return symbol == TH_TM_ANY ? "*" : m->symbol[symbol];
}

/* Says that two rules are for the same case. */
static bool fail_twice(const ThTm *m, const ThTmRule *r, ThError *err)
{
    ThText reads TH_OWNED(th_text_free) = {0};
    for (int t = 0; t < m->n_tapes; t++)
        th_text_printf(&reads, "%s%.40s", t ? " | " : "", rule_symbol(m, r->read[t]));
    th_fail(err, TH_EVALUE, "two rules for state %.40s reading %s",
            r->from == TH_TM_ANY ? "*" : m->state[r->from], th_text_string(&reads));
    return th_hint(err, "a machine with a choice of rules must say `nondeterministic`");
}

static bool order_rules(ThTm *m, ThError *err)
{
    m->order = th_alloc(m->n_rules, sizeof *m->order, err);
    m->order_end = th_alloc((size_t)m->n_states + 2, sizeof *m->order_end, err);
    m->place = th_alloc(m->n_rules, sizeof *m->place, err);
    size_t *spare TH_OWNED(free) = th_alloc(m->n_rules, sizeof *spare, err);
    bool ok = m->order && m->order_end && m->place && spare;
    for (size_t i = 0; ok && i < m->n_rules; i++)
        m->order[i] = i;
    if (ok)
        sort_rules(m, m->order, m->n_rules, spare);
    for (size_t i = 1; ok && i < m->n_rules; i++) {
        const ThTmRule *a = &m->rule[m->order[i - 1]], *b = &m->rule[m->order[i]];
        bool equal = compare_rules(a, b, m->n_tapes) == 0;
        if (equal && !m->nondeterministic)
            return fail_twice(m, a, err);
        m->branching = m->branching || equal;
    }
    for (size_t i = 0; ok && i < m->n_rules; i++)
        m->place[m->order[i]] = i;
    size_t at = 0;
    for (int q = 0; ok && q <= m->n_states; q++) {
        m->order_end[q] = at;
        while (at < m->n_rules && m->rule[m->order[at]].from == q)
            at++;
    }
    return ok;
}

static bool rule_fits(const ThTm *m, const ThTmRule *r, const int *read)
{
    for (int t = 0; t < m->n_tapes; t++)
        if (r->read[t] != TH_TM_ANY && r->read[t] != read[t])
            return false;
    return true;
}

/* By search through the rules of the state, then those of any state. */
static int search_rule(const ThTm *m, int state, const int *read)
{
    for (size_t i = m->order_end[state]; i < m->order_end[state + 1]; i++)
        if (rule_fits(m, &m->rule[m->order[i]], read))
            return (int)m->order[i];
    for (size_t i = m->order_end[m->n_states]; i < m->n_rules; i++)
        if (rule_fits(m, &m->rule[m->order[i]], read))
            return (int)m->order[i];
    return -1;
}

/* Enters the rules order[from … to - 1], of one state or of any: first those for any symbol, which
 * come last; of equal cases the one listed first. */
static void fill_row(const ThTm *m, int *row, size_t from, size_t to)
{
    size_t any = to;
    while (any > from && m->rule[m->order[any - 1]].read[0] == TH_TM_ANY)
        any--;
    for (int s = 0; any < to && s < m->n_symbols; s++)
        row[s] = (int)m->order[any];
    for (size_t i = any; i-- > from;)
        row[m->rule[m->order[i]].read[0]] = (int)m->order[i];
}

/* The table of a machine with one tape, row by row. */
static bool fill_rows(ThTm *m, ThError *err)
{
    size_t width = (size_t)m->n_symbols, size = (size_t)m->n_states * width;
    int *any TH_OWNED(free) = th_alloc(width, sizeof *any, err);
    if (!any)
        return false;
    memset(any, 0xff, width * sizeof *any); /* -1 */
    memset(m->table, 0xff, size * sizeof *m->table);
    fill_row(m, any, m->order_end[m->n_states], m->n_rules);
    for (int q = 0; q < m->n_states; q++) {
        int *row = m->table + (size_t)q * width;
        if (m->role[q] != TH_TM_RUNS)
            continue;
        memcpy(row, any, width * sizeof *row);
        fill_row(m, row, m->order_end[q], m->order_end[q + 1]);
    }
    return true;
}

/* Entries of the table: a state with a symbol of every tape; 0 where they are too many. */
static size_t table_size(const ThTm *m)
{
    size_t size = (size_t)m->n_states, most = m->n_tapes == 1 ? MOST_TABLE : MOST_TUPLES;
    for (int t = 0; t < m->n_tapes && size <= most; t++)
        size *= (size_t)m->n_symbols;
    return size <= most ? size : 0;
}

static size_t table_place(const ThTm *m, int state, const int *read)
{
    size_t place = (size_t)state;
    for (int t = 0; t < m->n_tapes; t++)
        place = place * (size_t)m->n_symbols + (size_t)read[t];
    return place;
}

/* The next symbols that a rule fits, in the order of the table; false after the last. */
static bool next_fitting(const ThTm *m, const ThTmRule *r, int *read)
{
    for (int t = m->n_tapes - 1; t >= 0; t--) {
        if (r->read[t] != TH_TM_ANY)
            continue;
        if (++read[t] < m->n_symbols)
            return true;
        read[t] = 0;
    }
    return false;
}

/* Enters a rule wherever it fits in a state. */
static void fill_fitting(ThTm *m, int rule, int state)
{
    const ThTmRule *r = &m->rule[rule];
    int read[TH_TM_MOST_TAPES];
    for (int t = 0; t < m->n_tapes; t++)
        read[t] = r->read[t] == TH_TM_ANY ? 0 : r->read[t];
    do {
        m->table[table_place(m, state, read)] = rule;
    } while (next_fitting(m, r, read));
}

/* The table of a machine with several tapes: what goes before comes after.  No entry is written
 * more often than there are ways to put wildcards. */
static void fill_tuples(ThTm *m, size_t size)
{
    memset(m->table, 0xff, size * sizeof *m->table); /* -1 */
    for (size_t i = m->n_rules; i-- > 0;) {
        int rule = (int)m->order[i], from = m->rule[rule].from;
        bool again =
            i > 0 && compare_rules(&m->rule[m->order[i - 1]], &m->rule[rule], m->n_tapes) == 0;
        int first = from == TH_TM_ANY ? 0 : from, end = from == TH_TM_ANY ? m->n_states : from + 1;
        for (int q = first; !again && q < end; q++)
            if (m->role[q] == TH_TM_RUNS)
                fill_fitting(m, rule, q);
    }
}

static bool make_table(ThTm *m, ThError *err)
{
    size_t size = table_size(m);
    if (size == 0)
        return true;
    m->table = th_alloc(size, sizeof *m->table, err);
    if (m->table && m->n_tapes > 1)
        fill_tuples(m, size);
    return m->table && (m->n_tapes > 1 || fill_rows(m, err));
}

static bool check_machine(const ThTm *m, ThError *err)
{
    if (m->start < 0 || m->start >= m->n_states)
        return th_fail(err, TH_EVALUE, "no start state");
    if (m->n_symbols > TH_TM_MOST_SYMBOLS)
        return th_fail(err, TH_ELIMIT, "more than %d symbols", TH_TM_MOST_SYMBOLS);
    if (m->n_rules > INT_MAX / 2)
        return th_fail(err, TH_ELIMIT, "too many rules");
    for (size_t i = 0; i < m->n_rules; i++) {
        int q = m->rule[i].from;
        if (q == TH_TM_ANY || m->role[q] == TH_TM_RUNS)
            continue;
        th_fail(err, TH_EVALUE, "a rule leaves state %.60s, which stops the machine", m->state[q]);
        return th_hint(err, "remove the rule, or the state from halt, accept and reject");
    }
    return true;
}

ThTm *th_tm_finish(ThTmBuild *b, ThError *err)
{
    ThTm *m = b->failed ? NULL : th_alloc(1, sizeof *m, err);
    if (b->failed)
        th_fail(err, TH_ENOMEM, "out of memory for a machine");
    if (m) {
        *m = b->m;
        b->m = (ThTm){0};
    }
    th_tm_build_free(b);
    return TH_KEEP_IF(m && check_machine(m, err) && order_rules(m, err) && make_table(m, err), m,
                      th_tm_free);
}

int th_tm_rule(const ThTm *m, int state, const int *read)
{
    if (m->table)
        return m->table[table_place(m, state, read)];
    return m->role[state] == TH_TM_RUNS ? search_rule(m, state, read) : -1;
}

const size_t *th_tm_choices(const ThTm *m, int state, const int *read, size_t *n)
{
    int first = th_tm_rule(m, state, read);
    *n = first >= 0;
    if (first < 0)
        return NULL;
    const size_t *choice = &m->order[m->place[first]], *end = m->order + m->n_rules;
    while (m->branching && choice + *n < end &&
           compare_rules(&m->rule[first], &m->rule[choice[*n]], m->n_tapes) == 0)
        ++*n;
    return choice;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_names(struct ThTmNames *names)
{
    if (names)
        th_intern_free(&names->intern);
    free(names);
}

static void free_inside(ThTm *m)
{
    TH_FREE_EACH(m->state, m->n_states);
    for (int s = 0; s < m->n_symbols; s++)
        free(m->symbol[s]);
    TH_FREE(m->symbol, m->role, m->rule, m->table, m->order, m->place, m->order_end);
}

void th_tm_build_free(ThTmBuild *b)
{
    free_inside(&b->m);
    free_names(b->states);
    free_names(b->symbols);
    *b = (ThTmBuild){0};
}

void th_tm_free(ThTm *m)
{
    if (m)
        free_inside(m);
    free(m);
}

void th_tm_like(ThTmBuild *b, const ThTm *m)
{
    for (int q = 0; q < m->n_states; q++)
        th_tm_state(b, m->state[q]);
    for (int s = 0; s < m->n_symbols; s++)
        th_tm_symbol(b, m->symbol[s]);
    for (int q = 0; !b->failed && b->m.role && q < m->n_states; q++)
        b->m.role[q] = m->role[q];
    b->m.n_tapes = m->n_tapes;
    b->m.blank = m->blank;
    b->m.start = m->start;
    b->m.edge = m->edge;
    b->m.missing = m->missing;
    b->m.nondeterministic = m->nondeterministic;
}

ThTm *th_tm_copy(const ThTm *m, ThError *err)
{
    ThTmBuild b = {0};
    th_tm_like(&b, m);
    for (size_t i = 0; i < m->n_rules; i++)
        th_tm_add(&b, &m->rule[i]);
    b.m.busy_beaver = m->busy_beaver;
    return th_tm_finish(&b, err);
}

/* ---- random machines ------------------------------------------------------------------------- */

ThTm *th_tm_random(int states, int symbols, ThRng *rng, ThError *err)
{
    ThTmBuild b = {0};
    char name[24];
    for (int q = 0; q < states; q++) {
        snprintf(name, sizeof name, "s%d", q + 1);
        th_tm_state(&b, name);
    }
    for (int s = 0; s < symbols; s++) {
        snprintf(name, sizeof name, symbols <= 10 ? "%d" : "a%d", symbols <= 10 ? s : s + 1);
        th_tm_symbol(&b, name);
    }
    for (int q = 0; q < states; q++) {
        for (int s = 0; s < symbols; s++) {
            ThTmRule r = {.from = q, .read = {s}};
            r.to = (int)th_rng_below(rng, (uint64_t)states);
            r.write[0] = (int)th_rng_below(rng, (uint64_t)symbols);
            r.move[0] = th_rng_below(rng, 2) ? 1 : -1;
            th_tm_add(&b, &r);
        }
    }
    b.m.n_tapes = 1;
    return th_tm_finish(&b, err);
}
