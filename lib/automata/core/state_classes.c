#include "automata/core/state_classes.h"

#include "base/intern.h"

/* ---- automaton to classes ---- */

/* The row of a state: accept, Moore output, and the Mealy output of every symbol. */
static void fill_row(int *row, const ThAutomaton *a, int q)
{
    row[0] = a->accept[q];
    row[1] = a->moore[q];
    for (int c = 0; c < a->n_symbols; c++)
        row[2 + c] = TH_AUTOMATON_NO_OUTPUT;
    for (size_t j = a->first[q]; j < a->first[q + 1]; j++)
        if (a->arc[j].symbol != TH_AUTOMATON_EPSILON)
            row[2 + a->arc[j].symbol] = a->arc[j].output;
}

/* The row of a sink comes first. */
static bool intern_rows(ThIntern *t, const ThAutomaton *a, int *of_state, ThError *err)
{
    size_t width = 2 + (size_t)a->n_symbols, index;
    int *row TH_OWNED(free) = th_alloc(width, sizeof *row, err);
    bool good = row != NULL;
    for (size_t i = 1; good && i < width; i++)
        row[i] = TH_AUTOMATON_NO_OUTPUT;
    good = good && th_intern(t, row, width * sizeof *row, &index, err);
    for (int q = 0; good && q < a->n_states; q++) {
        fill_row(row, a, q);
        good = th_intern(t, row, width * sizeof *row, &index, err);
        of_state[q] = (int)index;
    }
    return good;
}

bool th_automaton_classes_of(ThAutomatonClasses *c, const ThAutomaton *a, ThError *err)
{
    ThIntern t TH_OWNED(th_intern_free) = {0};
    *c = (ThAutomatonClasses){.n_symbols = a->n_symbols};
    c->of_state = th_alloc((size_t)a->n_states, sizeof *c->of_state, err);
    if (c->of_state && intern_rows(&t, a, c->of_state, err))
        c->row = th_copy(t.bytes, t.size, 1, err);
    c->n_classes = (int)t.n;
    return c->row != NULL;
}

void th_automaton_classes_free(ThAutomatonClasses *c)
{
    TH_FREE(c->of_state, c->row);
    *c = (ThAutomatonClasses){0};
}

/* ---- classes to machine ---- */

/* Numbers the reachable states breadth first: queue gets them, number[q] their number + 1.  Returns
 * how many; *complete tells whether no transition is missing. */
static int number_reachable(const ThAutomaton *a, int *queue, int *number, bool *complete)
{
    int count = 0;
    for (int q = 0; q < a->n_states && count == 0; q++) {
        if (a->start[q]) {
            queue[count++] = q;
            number[q] = count;
        }
    }
    *complete = count > 0;
    for (int i = 0; i < count; i++) {
        size_t first = a->first[queue[i]], end = a->first[queue[i] + 1];
        *complete = *complete && end - first == (size_t)a->n_symbols;
        for (size_t j = first; j < end; j++) {
            int to = a->arc[j].to;
            if (!number[to]) {
                queue[count++] = to;
                number[to] = count;
            }
        }
    }
    return count;
}

ThDfa *th_automaton_classes_dfa(const ThAutomaton *a, const int *label, int n_classes, ThError *err)
{
    if (!th_automaton_deterministic(a))
        return th_null(
            th_fail(err, TH_EVALUE, "an automaton with outputs has to be deterministic for this"));
    size_t n = (size_t)a->n_states, k = (size_t)a->n_symbols;
    int *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err),
               *number TH_OWNED(free) = th_alloc(n, sizeof *number, err);
    ThDfa *d = NULL;
    if (queue && number) {
        bool complete;
        int count = number_reachable(a, queue, number, &complete);
        d = th_dfa_new(count + !complete, a->n_symbols, n_classes, err);
        for (size_t i = 0; d && i < k * (size_t)d->n_states; i++)
            d->next[i] = count; /* the sink */
        for (size_t i = 0; d && i < (size_t)count; i++) {
            int q = queue[i];
            d->label[i] = label[q];
            for (size_t j = a->first[q]; j < a->first[q + 1]; j++)
                d->next[i * k + (size_t)a->arc[j].symbol] = number[a->arc[j].to] - 1;
        }
    }
    return d;
}

/* ---- machine to automaton ---- */

/* Marks the states that can reach a class other than 0. */
static bool mark_useful(const ThDfa *d, bool *useful, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols, filled = 0;
    size_t *head TH_OWNED(free) = th_alloc(n + 2, sizeof *head, err);
    int *before TH_OWNED(free) = th_alloc(n * k, sizeof *before, err),
                *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err);
    bool good = head && before && queue;
    for (size_t i = 0; good && i < n * k; i++)
        head[d->next[i]]++;
    for (size_t q = 0; good && q < n; q++)
        head[q + 1] += head[q];
    for (size_t i = n * k; good && i-- > 0;)
        before[--head[d->next[i]]] = (int)(i / k);
    for (size_t q = 0; good && q < n; q++) {
        if (d->label[q]) {
            useful[q] = true;
            queue[filled++] = (int)q;
        }
    }
    for (size_t i = 0; i < filled; i++) {
        for (size_t j = head[queue[i]]; j < head[queue[i] + 1]; j++) {
            if (!useful[before[j]]) {
                useful[before[j]] = true;
                queue[filled++] = before[j];
            }
        }
    }
    return good;
}

typedef struct {
    const ThDfa *d;
    bool *useful; /* (n_states) */
    int *queue;   /* states kept, in their new order */
    int *number;  /* (n_states): new number + 1, or 0 */
    int n_kept;
    size_t n_arcs;
} Trim;

static bool trim(Trim *t, const ThDfa *d, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    t->d = d;
    t->useful = th_alloc(n, sizeof *t->useful, err);
    t->queue = th_alloc(n, sizeof *t->queue, err);
    t->number = th_alloc(n, sizeof *t->number, err);
    if (!t->useful || !t->queue || !t->number || !mark_useful(d, t->useful, err))
        return false;
    t->queue[t->n_kept++] = d->start;
    t->number[d->start] = 1;
    for (int i = 0; i < t->n_kept; i++) {
        const int *row = d->next + (size_t)t->queue[i] * k;
        for (size_t c = 0; c < k; c++) {
            if (!t->useful[row[c]])
                continue;
            t->n_arcs++;
            if (!t->number[row[c]]) {
                t->queue[t->n_kept++] = row[c];
                t->number[row[c]] = t->n_kept;
            }
        }
    }
    return true;
}

static void fill_automaton(ThAutomaton *a, const Trim *t, const ThAutomatonClasses *c)
{
    size_t k = (size_t)a->n_symbols, width = 2 + k, filled = 0;
    a->start[0] = true;
    for (int i = 0; i < t->n_kept; i++) {
        const int *row = t->d->next + (size_t)t->queue[i] * k;
        const int *meaning = c->row + (size_t)t->d->label[t->queue[i]] * width;
        a->accept[i] = meaning[0];
        a->moore[i] = meaning[1];
        a->first[i] = filled;
        for (size_t s = 0; s < k; s++) {
            if (t->useful[row[s]])
                a->arc[filled++] =
                    (ThAutomatonArc){i, (int)s, t->number[row[s]] - 1, meaning[2 + s]};
        }
    }
    a->first[t->n_kept] = filled;
}

ThAutomaton *th_automaton_classes_automaton(const ThDfa *d, const ThAutomatonClasses *c,
                                            char *const *symbol, const ThAutomaton *names,
                                            ThError *err)
{
    Trim t = {0};
    ThAutomaton *a = NULL;
    if (trim(&t, d, err)) {
        ThAutomaton sizes = {.n_symbols = d->n_symbols,
                             .n_outputs = names ? names->n_outputs : 0,
                             .n_states = t.n_kept,
                             .n_arcs = t.n_arcs};
        a = th_automaton_named(&sizes, symbol, names ? names->output : NULL, err);
    }
    if (a)
        fill_automaton(a, &t, c);
    TH_FREE(t.useful, t.queue, t.number);
    return a;
}

ThAutomaton *th_automaton_from_dfa(const ThDfa *d, char *const *symbol, ThError *err)
{
    if (d->n_classes > 2)
        return th_null(
            th_fail(err, TH_EVALUE, "a machine with %d classes is no acceptor", d->n_classes));
    size_t width = 2 + (size_t)d->n_symbols;
    ThAutomatonClasses c TH_OWNED(th_automaton_classes_free) = {.n_classes = 2,
                                                                .n_symbols = d->n_symbols};
    c.row = th_alloc(2 * width, sizeof *c.row, err);
    if (!c.row)
        return NULL;
    for (size_t i = 0; i < 2 * width; i++)
        c.row[i] = TH_AUTOMATON_NO_OUTPUT;
    c.row[0] = 0;
    c.row[width] = 1;
    return th_automaton_classes_automaton(d, &c, symbol, NULL, err);
}
