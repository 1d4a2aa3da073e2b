/* Both are deterministic without a subset construction: a state is a row of numbers that a symbol
 * turns into another row, and rows are numbered as they are met. */
#include "automata/operations/halves.h"

#include "base/intern.h"

/* Of root: where the word so far leads from each state.  Of half: where it leads from the start,
 * then of every state whether some word of that length leads from it to acceptance. */
typedef struct {
    const ThDfa *d;
    bool half;
    size_t width;
} Rows;

static void first_row(const Rows *r, int *row)
{
    const ThDfa *d = r->d;
    row[0] = d->start;
    for (int q = 0; q < d->n_states; q++)
        row[q + r->half] = r->half ? d->label[q] == 1 : q;
}

static void next_row(const Rows *r, const int *row, int symbol, int *to)
{
    const ThDfa *d = r->d;
    size_t k = (size_t)d->n_symbols, lead = r->half ? 1 : r->width;
    for (size_t i = 0; i < lead; i++)
        to[i] = d->next[(size_t)row[i] * k + (size_t)symbol];
    for (size_t i = lead; i < r->width; i++) {
        to[i] = 0;
        for (size_t a = 0; a < k; a++)
            to[i] |= row[1 + d->next[(i - 1) * k + a]];
    }
}

static bool accepted(const Rows *r, const int *row)
{
    return r->half ? row[1 + row[0]] : r->d->label[row[row[r->d->start]]] == 1;
}

/* Numbers all rows; next grows to (rows, symbols). */
static bool meet(const Rows *r, ThAutomatonWork w, ThIntern *rows, int **next, ThError *err)
{
    size_t size = r->width * sizeof(int), k = (size_t)r->d->n_symbols, cap = 0, index;
    int *row TH_OWNED(free) = th_alloc(r->width, sizeof *row, err);
    int *to TH_OWNED(free) = th_alloc(r->width, sizeof *to, err);
    if (!row || !to)
        return false;
    first_row(r, row);
    bool ok = th_intern(rows, row, size, &index, err);
    for (size_t i = 0; ok && i < rows->n; i++) {
        if (w.max_states && rows->n > w.max_states)
            return th_fail(err, TH_ELIMIT, "more than %zu states", w.max_states);
        ok = th_grow(next, &cap, (i + 1) * k, sizeof **next, err);
        memcpy(row, th_intern_at(rows, i, NULL), size);
        for (size_t a = 0; ok && a < k; a++) {
            next_row(r, row, (int)a, to);
            ok = !th_stopped_at(w.stop, rows->n, "states", err) &&
                 th_intern(rows, to, size, &index, err);
            (*next)[i * k + a] = (int)index;
        }
    }
    return ok;
}

static ThAutomaton *by_rows(const ThAutomaton *a, bool half, ThAutomatonWork w, ThError *err)
{
    ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, w.max_states, w.stop, err);
    ThDfa *d TH_OWNED(th_dfa_free) = any ? th_dfa_minimize(any, w.stop, err) : NULL;
    if (!d)
        return NULL;
    Rows r = {d, half, (size_t)d->n_states + half};
    ThIntern rows TH_OWNED(th_intern_free) = {0};
    int *next TH_OWNED(free) = NULL;
    ThDfa *all TH_OWNED(th_dfa_free) =
        meet(&r, w, &rows, &next, err) ? th_dfa_new((int)rows.n, d->n_symbols, 2, err) : NULL;
    if (!all)
        return NULL;
    if (next)
        memcpy(all->next, next, rows.n * (size_t)d->n_symbols * sizeof *next);
    for (size_t i = 0; i < rows.n; i++)
        all->label[i] = accepted(&r, th_intern_at(&rows, i, NULL));
    ThDfa *least TH_OWNED(th_dfa_free) = th_dfa_minimize(all, w.stop, err);
    return least ? th_automaton_from_dfa(least, a->symbol, err) : NULL;
}

ThAutomaton *th_automaton_root(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    return by_rows(a, false, w, err);
}

ThAutomaton *th_automaton_half(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    return by_rows(a, true, w, err);
}
