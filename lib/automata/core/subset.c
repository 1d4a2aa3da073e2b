/* The subset construction.  Sets of states are rows of bits where the automaton is small, which
 * makes a step of the construction a few OR operations a state, and sorted lists where it is large.
 */

#include "automata/core/construction_steps.h"
#include "automata/core/state_classes.h"
#include "base/intern.h"

enum { DENSE_STATES = 512, DENSE_WORDS = 1 << 22 };

typedef struct {
    const ThAutomaton *a;
    size_t n, k;  /* states, symbols */
    ThIntern set; /* sets of states found so far: states of the result */
    int *next;    /* their rows */
    size_t next_cap;
    bool dense;
    size_t words;  /* 64-bit words of a dense set */
    uint64_t *to;  /* dense: (n, k, words): successors with their empty moves */
    uint64_t *row; /* dense: (k, words) successors of the set at hand */
    int *from;     /* sparse: (n) the set at hand */
    int *member;   /* sparse: (n) a successor set */
    size_t *mark;  /* (n): turn in which a state was put into the set */
    size_t turn;
    size_t *head; /* sparse: (k + 1) where the targets by a symbol begin */
    int *target;  /* sparse: targets of the set at hand, symbol by symbol */
    size_t target_cap;
} Subsets;

/* Puts a state into member[0 … count-1] unless it is there; returns the new count. */
static size_t put(Subsets *s, int q, size_t count)
{
    if (s->mark[q] != s->turn) {
        s->mark[q] = s->turn;
        s->member[count++] = q;
    }
    return count;
}

/* Adds what empty moves reach from the members. */
static size_t close_empty(Subsets *s, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ThAutomatonArc *arc = s->a->arc + s->a->first[s->member[i]];
        const ThAutomatonArc *end = s->a->arc + s->a->first[s->member[i] + 1];
        for (; arc < end && arc->symbol == TH_AUTOMATON_EPSILON; arc++)
            count = put(s, arc->to, count);
    }
    return count;
}

static int compare_ints(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

static void sort_members(int *member, size_t count)
{
    if (count > 24) {
        qsort(member, count, sizeof *member, compare_ints);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        int q = member[i];
        size_t j = i;
        for (; j > 0 && member[j - 1] > q; j--)
            member[j] = member[j - 1];
        member[j] = q;
    }
}

/* Interns member[0 … count-1] as a set of the form in use. */
static bool intern_members(Subsets *s, size_t count, size_t *index, ThError *err)
{
    if (!s->dense) {
        sort_members(s->member, count);
        return th_intern(&s->set, s->member, count * sizeof *s->member, index, err);
    }
    memset(s->row, 0, s->words * sizeof *s->row);
    for (size_t i = 0; i < count; i++)
        s->row[s->member[i] / 64] |= (uint64_t)1 << (s->member[i] % 64);
    return th_intern(&s->set, s->row, s->words * sizeof *s->row, index, err);
}

static bool start_set(Subsets *s, ThError *err)
{
    size_t count = 0, index;
    s->turn++;
    for (size_t q = 0; q < s->n; q++)
        if (s->a->start[q])
            count = put(s, (int)q, count);
    count = close_empty(s, count);
    return intern_members(s, count, &index, err);
}

/* Fills the successor table: for every arc, its target and what empty moves reach from it. */
static void fill_dense(Subsets *s)
{
    for (size_t i = 0; i < s->a->n_arcs; i++) {
        const ThAutomatonArc *arc = &s->a->arc[i];
        if (arc->symbol == TH_AUTOMATON_EPSILON)
            continue;
        uint64_t *row = s->to + ((size_t)arc->from * s->k + (size_t)arc->symbol) * s->words;
        s->turn++;
        size_t count = close_empty(s, put(s, arc->to, 0));
        for (size_t j = 0; j < count; j++)
            row[s->member[j] / 64] |= (uint64_t)1 << (s->member[j] % 64);
    }
}

static bool step_dense(Subsets *s, size_t i, ThError *err)
{
    size_t width = s->k * s->words;
    const uint64_t *set = th_intern_at(&s->set, i, NULL);
    memset(s->row, 0, width * sizeof *s->row);
    for (size_t w = 0; w < s->words; w++) {
        for (uint64_t left = set[w]; left; left &= left - 1) {
            size_t q = 64 * w + (size_t)__builtin_ctzll(left);
            const uint64_t *to = s->to + q * width;
            for (size_t j = 0; j < width; j++)
                s->row[j] |= to[j];
        }
    }
    for (size_t c = 0; c < s->k; c++) {
        size_t index;
        if (!th_intern(&s->set, s->row + c * s->words, s->words * sizeof *s->row, &index, err))
            return false;
        s->next[i * s->k + c] = (int)index;
    }
    return true;
}

/* Gathers the targets of all arcs of a set, symbol by symbol, into s->target. */
static bool gather(Subsets *s, size_t size, ThError *err)
{
    memset(s->head, 0, (s->k + 1) * sizeof *s->head);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = s->a->first[s->from[i]]; j < s->a->first[s->from[i] + 1]; j++)
            if (s->a->arc[j].symbol != TH_AUTOMATON_EPSILON)
                s->head[s->a->arc[j].symbol]++;
    }
    for (size_t c = 0; c < s->k; c++)
        s->head[c + 1] += s->head[c];
    if (!th_grow(&s->target, &s->target_cap, s->head[s->k] + 1, sizeof *s->target, err))
        return false;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = s->a->first[s->from[i]]; j < s->a->first[s->from[i] + 1]; j++)
            if (s->a->arc[j].symbol != TH_AUTOMATON_EPSILON)
                s->target[--s->head[s->a->arc[j].symbol]] = s->a->arc[j].to;
    }
    return true;
}

static bool step_sparse(Subsets *s, size_t i, ThError *err)
{
    size_t bytes;
    const void *set = th_intern_at(&s->set, i, &bytes);
    memcpy(s->from, set, bytes);
    if (!gather(s, bytes / sizeof *s->from, err))
        return false;
    for (size_t c = 0; c < s->k; c++) {
        size_t count = 0, index;
        s->turn++;
        for (size_t j = s->head[c]; j < s->head[c + 1]; j++)
            count = put(s, s->target[j], count);
        count = close_empty(s, count);
        if (!intern_members(s, count, &index, err))
            return false;
        s->next[i * s->k + c] = (int)index;
    }
    return true;
}

static bool subsets_alloc(Subsets *s, const ThAutomaton *a, ThError *err)
{
    s->a = a;
    s->n = (size_t)a->n_states;
    s->k = (size_t)a->n_symbols;
    s->words = s->n / 64 + 1;
    s->dense = s->n <= DENSE_STATES && s->n * s->k * s->words <= DENSE_WORDS;
    s->member = th_alloc(s->n, sizeof *s->member, err);
    s->mark = th_alloc(s->n, sizeof *s->mark, err);
    if (s->dense) {
        s->to = th_alloc(s->n * s->k * s->words, sizeof *s->to, err);
        s->row = th_alloc((s->k + 1) * s->words, sizeof *s->row, err);
        return s->member && s->mark && s->to && s->row;
    }
    s->from = th_alloc(s->n, sizeof *s->from, err);
    s->head = th_alloc(s->k + 1, sizeof *s->head, err);
    return s->member && s->mark && s->from && s->head;
}

static void subsets_free(Subsets *s)
{
    th_intern_free(&s->set);
    TH_FREE(s->next, s->to, s->row, s->from, s->member, s->mark, s->head, s->target);
}

static bool explore_sets(Subsets *s, size_t max_states, ThStop *stop, ThError *err)
{
    if (s->dense)
        fill_dense(s);
    if (!start_set(s, err))
        return false;
    for (size_t i = 0; i < s->set.n; i++) {
        if (!th_grow(&s->next, &s->next_cap, (i + 1) * s->k, sizeof *s->next, err) ||
            !(s->dense ? step_dense(s, i, err) : step_sparse(s, i, err)))
            return false;
        if (s->set.n > INT32_MAX || (max_states && s->set.n > max_states))
            return th_fail(err, TH_ELIMIT, "the deterministic automaton has more than %zu states",
                           max_states && max_states < s->set.n ? max_states : s->set.n);
        if (i % 1024 == 1023 && th_stopped(stop, err))
            return false;
    }
    return true;
}

/* The same; what ends it early says how many states there were by then. */
static bool explore(Subsets *s, size_t max_states, ThStop *stop, ThError *err)
{
    ThError why = {0};
    if (explore_sets(s, max_states, stop, &why))
        return true;
    if (why.code == TH_ELIMIT)
        return th_fail(err, why.code, "%s", why.msg);
    return th_fail(err, why.code, "%s at %zu states", why.msg, s->set.n);
}

/* Sets the class of every set: does one of its states accept? */
static void classify_dense(Subsets *s, int *label)
{
    uint64_t *accept = s->row;
    memset(accept, 0, s->words * sizeof *accept);
    for (size_t q = 0; q < s->n; q++)
        accept[q / 64] |= (uint64_t)s->a->accept[q] << (q % 64);
    for (size_t i = 0; i < s->set.n; i++) {
        const uint64_t *set = th_intern_at(&s->set, i, NULL);
        for (size_t w = 0; w < s->words; w++)
            label[i] |= (set[w] & accept[w]) != 0;
    }
}

static void classify_sparse(const Subsets *s, int *label)
{
    for (size_t i = 0; i < s->set.n; i++) {
        size_t bytes;
        const int *member = th_intern_at(&s->set, i, &bytes);
        for (size_t j = 0; j < bytes / sizeof *member && !label[i]; j++)
            label[i] = s->a->accept[member[j]];
    }
}

/* ---- step by step ---------------------------------------------------------------------------- */

/* Lists set i in ascending order; true if one of its states accepts. */
static bool list_set(const Subsets *s, size_t i, int *list, size_t *n)
{
    size_t bytes;
    const void *set = th_intern_at(&s->set, i, &bytes);
    const uint64_t *bits = set;
    bool accepts = false;
    *n = s->dense ? 0 : bytes / sizeof *list;
    if (!s->dense && bytes)
        memcpy(list, set, bytes);
    for (size_t q = 0; s->dense && q < s->n; q++)
        if (bits[q / 64] >> (q % 64) & 1)
            list[(*n)++] = (int)q;
    for (size_t j = 0; j < *n; j++)
        accepts = accepts || s->a->accept[list[j]];
    return accepts;
}

static bool tell(Subsets *s, int *from, int *to, ThAutomatonSubsetWatch *watch, void *context,
                 ThStop *stop, ThError *err)
{
    ThAutomatonSubsetStep step = {.from = from, .to = to, .symbol = -1, .fresh = true};
    int found = 0; /* the greatest number told */
    step.accepts = list_set(s, 0, to, &step.n_to);
    if (!watch(context, &step, err))
        return false;
    for (size_t i = 0; i < s->set.n * s->k; i++) {
        step.from_number = (int)(i / s->k);
        step.to_number = s->next[i];
        step.symbol = (int)(i % s->k);
        step.fresh = step.to_number > found;
        found += step.fresh;
        list_set(s, (size_t)step.from_number, from, &step.n_from);
        step.accepts = list_set(s, (size_t)step.to_number, to, &step.n_to);
        if (th_stopped_at(stop, s->set.n, "sets", err) || !watch(context, &step, err))
            return false;
    }
    return true;
}

bool th_automaton_subset_steps(const ThAutomaton *a, size_t max_states,
                               ThAutomatonSubsetWatch *watch, void *context, int *n, ThStop *stop,
                               ThError *err)
{
    Subsets s = {0};
    int *from TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *from, err);
    int *to TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *to, err);
    bool ok = from && to && subsets_alloc(&s, a, err) && explore(&s, max_states, stop, err) &&
              tell(&s, from, to, watch, context, stop, err);
    *n = (int)s.set.n;
    subsets_free(&s);
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ThDfa *determinize(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err)
{
    Subsets s = {0};
    ThDfa *d = NULL;
    if (subsets_alloc(&s, a, err) && explore(&s, max_states, stop, err))
        d = th_dfa_new((int)s.set.n, 0, 2, err);
    if (d && s.dense)
        classify_dense(&s, d->label);
    else if (d)
        classify_sparse(&s, d->label);
    if (d && s.next) {
        free(d->next);
        d->next = s.next;
        d->n_symbols = a->n_symbols;
        s.next = NULL;
    }
    subsets_free(&s);
    return d;
}

ThDfa *th_automaton_acceptor(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err)
{
    if (!th_automaton_deterministic(a))
        return determinize(a, max_states, stop, err);
    int *label TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *label, err);
    if (!label)
        return NULL;
    for (int q = 0; q < a->n_states; q++)
        label[q] = a->accept[q];
    return th_automaton_classes_dfa(a, label, 2, err);
}

ThDfa *th_automaton_dfa(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err)
{
    if (!th_automaton_moore(a))
        return th_automaton_acceptor(a, max_states, stop, err);
    int *label TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *label, err);
    if (!label)
        return NULL;
    for (int q = 0; q < a->n_states; q++)
        label[q] = a->moore[q] + 1;
    return th_automaton_classes_dfa(a, label, a->n_outputs + 1, err);
}
