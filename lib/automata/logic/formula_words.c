/* Formulas on a word: the values of all parts at all positions. */
#include "automata/logic/formula.h"

typedef struct {
    const ThAutomatonFormula *f;
    const int *word;
    int n;
    bool *value; /* (f->n, n) */
} Word;

static bool *row(const Word *w, int part)
{
    return w->value + (size_t)part * (size_t)w->n;
}

/* Whether a sum is small enough, position by position: the counts grow. */
static void fill_counts(const Word *w, ThAutomatonPart p, bool *v)
{
    int64_t sum = 0;
    for (int k = 0; k < w->n; k++) {
        for (int t = p.x; t < p.x + p.y; t++)
            sum += row(w, w->f->term[t].part)[k] ? w->f->term[t].by : 0;
        v[k] = sum <= p.by;
    }
}

static bool value_at(const Word *w, ThAutomatonPart p, const bool *v, int k)
{
    switch (p.is) {
    case TH_AUTOMATON_TRUE:
        return true;
    case TH_AUTOMATON_FIRST:
        return k == 0;
    case TH_AUTOMATON_LETTER:
        return w->word[k] == p.x;
    case TH_AUTOMATON_NOT:
        return !row(w, p.x)[k];
    case TH_AUTOMATON_AND:
        return row(w, p.x)[k] && row(w, p.y)[k];
    case TH_AUTOMATON_NEXT:
        return k + 1 < w->n && row(w, p.x)[k + 1];
    case TH_AUTOMATON_PREVIOUS:
        return k > 0 && row(w, p.x)[k - 1];
    case TH_AUTOMATON_UNTIL:
        return row(w, p.y)[k] || (row(w, p.x)[k] && k + 1 < w->n && v[k + 1]);
    case TH_AUTOMATON_SINCE:
        return row(w, p.y)[k] || (row(w, p.x)[k] && k > 0 && v[k - 1]);
    default: /* the word is empty */
        return false;
    }
}

static void fill(const Word *w, int i)
{
    ThAutomatonPart p = w->f->part[i];
    bool *v = row(w, i), backwards = p.is == TH_AUTOMATON_UNTIL;
    if (p.is == TH_AUTOMATON_COUNTS) {
        fill_counts(w, p, v);
        return;
    }
    for (int k = 0; k < w->n; k++) {
        int at = backwards ? w->n - 1 - k : k;
        v[at] = value_at(w, p, v, at);
    }
}

bool th_automaton_formula_is_empty_meant(const ThAutomatonFormula *f, bool *value)
{
    bool spoken = false;
    for (size_t i = 0; i < f->n; i++) {
        ThAutomatonPart p = f->part[i];
        spoken = spoken || p.is == TH_AUTOMATON_EMPTY;
        value[i] = p.is == TH_AUTOMATON_TRUE || p.is == TH_AUTOMATON_EMPTY ||
                   (p.is == TH_AUTOMATON_NOT && !value[p.x]) ||
                   (p.is == TH_AUTOMATON_AND && value[p.x] && value[p.y]);
    }
    return spoken && value[f->whole];
}

bool th_automaton_formula_judge(const ThAutomatonFormula *f, const int *word, int n, bool *is,
                                ThStop *stop, ThError *err)
{
    bool *value TH_OWNED(free) = th_alloc(f->n * (size_t)(n > 0 ? n : 1), sizeof *value, err);
    Word w = {f, word, n, value};
    *is = value && n == 0 && th_automaton_formula_is_empty_meant(f, value);
    if (!value || n == 0)
        return value != NULL;
    for (size_t i = 0; i < f->n; i++) {
        if (th_stopped(stop, err))
            return false;
        fill(&w, (int)i);
    }
    *is = row(&w, f->whole)[0];
    return true;
}
