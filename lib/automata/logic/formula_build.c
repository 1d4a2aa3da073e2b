#include "automata/logic/formula.h"

/* Parts that are there already are shared, which keeps automata small. */
int th_automaton_formula_part(ThAutomatonFormula *f, ThAutomatonPart p, ThError *err)
{
    if (p.x < 0 || p.y < 0)
        return -1;
    for (size_t i = 0; i < f->n; i++)
        if (f->part[i].is == p.is && f->part[i].x == p.x && f->part[i].y == p.y &&
            f->part[i].by == p.by)
            return (int)i;
    if (!th_grow(&f->part, &f->cap, f->n + 1, sizeof *f->part, err))
        return -1;
    f->part[f->n] = p;
    return (int)f->n++;
}

int th_automaton_formula_truth(ThAutomatonFormula *f, ThError *err)
{
    return th_automaton_formula_part(f, (ThAutomatonPart){.is = TH_AUTOMATON_TRUE}, err);
}

int th_automaton_formula_false(ThAutomatonFormula *f, ThError *err)
{
    return th_automaton_formula_not(f, th_automaton_formula_truth(f, err), err);
}

int th_automaton_formula_is(ThAutomatonFormula *f, int letter, ThError *err)
{
    return th_automaton_formula_part(f, (ThAutomatonPart){TH_AUTOMATON_LETTER, .x = letter}, err);
}

bool th_automaton_formula_letters(ThAutomatonFormula *f, char *const *name, int n, ThError *err)
{
    bool ok = true;
    for (int a = 0; ok && a < n; a++)
        ok = th_automaton_formula_letter(f, name[a], strlen(name[a]), err) >= 0;
    return ok;
}

int th_automaton_formula_not(ThAutomatonFormula *f, int x, ThError *err)
{
    if (x >= 0 && f->part[x].is == TH_AUTOMATON_NOT)
        return f->part[x].x;
    return th_automaton_formula_part(f, (ThAutomatonPart){TH_AUTOMATON_NOT, .x = x}, err);
}

static bool is_not(const ThAutomatonFormula *f, int x, int y)
{
    return (f->part[x].is == TH_AUTOMATON_NOT && f->part[x].x == y) ||
           (f->part[y].is == TH_AUTOMATON_NOT && f->part[y].x == x);
}

static bool is_false(const ThAutomatonFormula *f, int x)
{
    return f->part[x].is == TH_AUTOMATON_NOT && f->part[f->part[x].x].is == TH_AUTOMATON_TRUE;
}

/* ---- letters ---- */

bool th_automaton_formula_letters_of(const ThAutomatonFormula *f, int x, uint64_t *set)
{
    const ThAutomatonPart *p = &f->part[x];
    uint64_t all = f->letters >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << f->letters) - 1, other;
    if (f->letters > 64)
        return false;
    switch (p->is) {
    case TH_AUTOMATON_TRUE:
        *set = all;
        return true;
    case TH_AUTOMATON_LETTER:
        *set = (uint64_t)1 << p->x;
        return true;
    case TH_AUTOMATON_NOT:
        if (!th_automaton_formula_letters_of(f, p->x, set))
            return false;
        *set = all & ~*set;
        return true;
    case TH_AUTOMATON_AND:
        if (!th_automaton_formula_letters_of(f, p->x, set) ||
            !th_automaton_formula_letters_of(f, p->y, &other))
            return false;
        *set &= other;
        return true;
    default:
        return false;
    }
}

/* The shorter of: one of these letters, none of the others. */
static int of_letters(ThAutomatonFormula *f, uint64_t set, ThError *err)
{
    int n = (int)f->letters, in = __builtin_popcountll(set), none = -1;
    bool inside = in > 0 && 2 * in <= n;
    if (in == n)
        return th_automaton_formula_truth(f, err);
    for (int a = 0; a < n; a++) {
        if ((set >> a & 1) != inside)
            continue;
        int not_a = th_automaton_formula_not(f, th_automaton_formula_is(f, a, err), err);
        none = none < 0 ? not_a
                        : th_automaton_formula_part(
                              f, (ThAutomatonPart){TH_AUTOMATON_AND, none, not_a, 0}, err);
    }
    if (in == 0)
        none = th_automaton_formula_truth(f, err);
    return inside || in == 0 ? th_automaton_formula_not(f, none, err) : none;
}

/* ---- operators ---- */

int th_automaton_formula_and(ThAutomatonFormula *f, int x, int y, ThError *err)
{
    if (x < 0 || y < 0)
        return -1;
    uint64_t these, those;
    if (x == y || f->part[y].is == TH_AUTOMATON_TRUE || is_false(f, x))
        return x;
    if (f->part[x].is == TH_AUTOMATON_TRUE || is_false(f, y))
        return y;
    if (th_automaton_formula_letters_of(f, x, &these) &&
        th_automaton_formula_letters_of(f, y, &those))
        return of_letters(f, these & those, err);
    if (is_not(f, x, y))
        return th_automaton_formula_false(f, err);
    return th_automaton_formula_part(
        f, (ThAutomatonPart){TH_AUTOMATON_AND, x < y ? x : y, x < y ? y : x, 0}, err);
}

int th_automaton_formula_or(ThAutomatonFormula *f, int x, int y, ThError *err)
{
    x = th_automaton_formula_not(f, x, err);
    y = th_automaton_formula_not(f, y, err);
    return th_automaton_formula_not(f, th_automaton_formula_and(f, x, y, err), err);
}

int th_automaton_formula_previous(ThAutomatonFormula *f, int x, ThError *err)
{
    if (x >= 0 && is_false(f, x))
        return x;
    return th_automaton_formula_part(f, (ThAutomatonPart){TH_AUTOMATON_PREVIOUS, .x = x}, err);
}

int th_automaton_formula_since(ThAutomatonFormula *f, int x, int y, ThError *err)
{
    if (x < 0 || y < 0)
        return -1;
    if (is_false(f, y) || is_false(f, x) || f->part[y].is == TH_AUTOMATON_TRUE)
        return y;
    if (is_not(f, x, y)) /* since the last y there was none */
        x = th_automaton_formula_truth(f, err);
    return th_automaton_formula_part(f, (ThAutomatonPart){TH_AUTOMATON_SINCE, x, y, 0}, err);
}

/* ---- counts ---- */

/* Where n terms stand one behind the other, or behind them all. */
static size_t find_terms(const ThAutomatonFormula *f, const ThAutomatonTerm *term, size_t n)
{
    for (size_t i = 0; i + n <= f->terms; i++)
        if (memcmp(&f->term[i], term, n * sizeof *term) == 0)
            return i;
    return f->terms;
}

/* Leaves out what is counted never, or 0 times, and adds up what is the same. */
static int merge_terms(const ThAutomatonFormula *f, const ThAutomatonTerm *term, int n,
                       ThAutomatonTerm *to)
{
    int merged = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < merged && to[j].part != term[i].part)
            j++;
        if (j < merged)
            to[j].by += term[i].by;
        else if (!is_false(f, term[i].part))
            to[merged++] = term[i];
    }
    int left = 0;
    for (int i = 0; i < merged; i++)
        if (to[i].by)
            to[left++] = to[i];
    return left;
}

int th_automaton_formula_counts(ThAutomatonFormula *f, const ThAutomatonTerm *term, int n, int most,
                                ThError *err)
{
    for (int i = 0; i < n; i++)
        if (term[i].part < 0)
            return -1;
    ThAutomatonTerm *to TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *to, err);
    if (!to)
        return -1;
    size_t left = (size_t)merge_terms(f, term, n, to);
    if (left == 0)
        return most >= 0 ? th_automaton_formula_truth(f, err) : th_automaton_formula_false(f, err);
    size_t first = find_terms(f, to, left);
    bool new = first == f->terms;
    if (new && !th_grow(&f->term, &f->term_cap, f->terms + left, sizeof *f->term, err))
        return -1;
    if (new)
        memcpy(&f->term[first], to, left * sizeof *to);
    f->terms += new ? left : 0;
    return th_automaton_formula_part(
        f, (ThAutomatonPart){TH_AUTOMATON_COUNTS, (int)first, (int)left, most}, err);
}
