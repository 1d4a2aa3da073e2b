/* Tables are written cell by cell so that a new state is always the next one: then states are
 * numbered breadth first, and no machine comes twice (Almeida, Moreira and Reis 2007). */
#include "automata/core/atlas.h"

/* ---- renaming symbols ---- */

int th_dfa_compare(const ThDfa *a, const ThDfa *b)
{
    for (int i = 0; i < a->n_states * a->n_symbols; i++)
        if (a->next[i] != b->next[i])
            return a->next[i] - b->next[i];
    for (int q = 0; q < a->n_states; q++)
        if (a->label[q] != b->label[q])
            return a->label[q] - b->label[q];
    return 0;
}

/* The next arrangement of n numbers in lexical order; false after the last. */
static bool rearrange(int *order, int n)
{
    int i = n - 2, k = n - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[k] < order[i])
        k--;
    int swap = order[i];
    order[i] = order[k];
    order[k] = swap;
    for (int lo = i + 1, hi = n - 1; lo < hi; lo++, hi--) {
        swap = order[lo];
        order[lo] = order[hi];
        order[hi] = swap;
    }
    return true;
}

/* Returns new: d reads symbol order[a] where the result reads a. */
static ThDfa *renamed(const ThDfa *d, const int *order, ThError *err)
{
    ThDfa *wide TH_OWNED(th_dfa_free) = th_dfa_widen(d, d->n_symbols, order, err);
    return wide ? th_dfa_reachable(wide, err) : NULL;
}

ThDfa *th_dfa_least_form(const ThDfa *d, int *forms, ThError *err)
{
    int order[TH_DFA_ATLAS_SYMBOLS] = {0, 1, 2, 3}, all = 0, same = 0;
    ThDfa *least = NULL, *form;
    do {
        form = renamed(d, order, err);
        int c = form && least ? th_dfa_compare(form, least) : -1;
        all++;
        same = c < 0 ? 1 : same + (c == 0);
        th_dfa_free(c < 0 ? least : form);
        least = c < 0 ? form : least;
    } while (form && rearrange(order, d->n_symbols));
    *forms = all / same;
    return least;
}

/* ---- the walk ---- */

typedef struct {
    const ThDfaAtlas *how;
    ThDfa *d;
} Walk;

/* Visits the machine if it is minimal and the least of its forms. */
static bool consider(const Walk *w, ThError *err)
{
    int forms;
    ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_minimize(w->d, w->how->stop, err);
    bool minimal = m && m->n_states == w->d->n_states;
    ThDfa *least TH_OWNED(th_dfa_free) = minimal ? th_dfa_least_form(w->d, &forms, err) : NULL;
    bool ok = m && (least || !minimal);
    if (ok && least && th_dfa_compare(least, w->d) == 0)
        ok = w->how->visit(w->how->context, w->d, forms, err);
    return ok;
}

static bool choose_classes(const Walk *w, ThError *err)
{
    int n = w->d->n_states;
    for (int accept = 0; accept < 1 << n; accept++) {
        for (int q = 0; q < n; q++)
            w->d->label[q] = accept >> q & 1;
        if (th_stopped(w->how->stop, err) || !consider(w, err))
            return false;
    }
    return true;
}

/* Fills the cells of the table from `at` on; `seen` states have been met in those before. */
static bool fill(const Walk *w, int at, int seen, ThError *err)
{
    int n = w->d->n_states, k = w->d->n_symbols;
    if (at == n * k)
        return choose_classes(w, err);
    if (at / k >= seen) /* nothing leads to this state */
        return true;
    for (int to = 0; to <= seen && to < n; to++) {
        w->d->next[at] = to;
        if (!fill(w, at + 1, to == seen ? seen + 1 : seen, err))
            return false;
    }
    return true;
}

bool th_dfa_atlas(const ThDfaAtlas *a, ThError *err)
{
    Walk w = {a, th_dfa_new(a->states, a->symbols, 2, err)};
    bool ok = w.d && fill(&w, 0, 1, err);
    th_dfa_free(w.d);
    return ok;
}

/* ---- by number ---- */

typedef struct {
    int left;
    ThDfa *found;
} Search;

static bool is_it(void *context, const ThDfa *d, int languages TH_UNUSED, ThError *err)
{
    Search *s = context;
    if (--s->left > 0)
        return true;
    s->found = th_dfa_copy(d, err);
    return false;
}

ThDfa *th_dfa_atlas_machine(int number, int symbols, ThError *err)
{
    enum { MOST = 9 };
    Search s = {.left = number};
    ThDfaAtlas a = {.symbols = symbols, .visit = is_it, .context = &s};
    for (a.states = 1; a.states * symbols <= MOST; a.states++)
        if (!th_dfa_atlas(&a, err))
            return s.found;
    th_fail(err, TH_ELIMIT, "machine %d over %d symbols has more than %d transitions", number,
            symbols, MOST);
    return NULL;
}
