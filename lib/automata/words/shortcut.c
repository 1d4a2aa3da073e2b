#include "automata/words/shortcut.h"

#include <math.h>

/* Masses are shares of all strings of a length. */
typedef struct {
    const ThDfa *d;
    int n, k, words;      /* symbols; of a window; windows */
    bool *live;           /* (n_states): leads to the wanted class; all states are met */
    bool *stands, *ends;  /* (words): a wanted string has the word somewhere, at its end */
    double *mass, *after; /* (words, n_states): of strings that pass so far, by window and state */
    double *before;       /* (n_states) */
} Search;

/* The state behind q and a word. */
static int through(const Search *s, int q, int word)
{
    int m = s->d->n_symbols, power = s->words / m;
    for (int i = 0; i < s->k; i++, power /= m)
        q = s->d->next[q * m + word / power % m];
    return q;
}

/* to <- the shares of strings of so many symbols that lead to each state. */
static void spread(const Search *s, int length, double *to)
{
    const ThDfa *d = s->d;
    double *from = s->before;
    memset(to, 0, (size_t)d->n_states * sizeof *to);
    to[d->start] = 1;
    for (int i = 0; i < length; i++) {
        memcpy(from, to, (size_t)d->n_states * sizeof *to);
        memset(to, 0, (size_t)d->n_states * sizeof *to);
        for (int e = 0; e < d->n_states * d->n_symbols; e++)
            to[d->next[e]] += from[e / d->n_symbols] / d->n_symbols;
    }
}

static void find_words(Search *s, int wanted)
{
    const ThDfa *d = s->d;
    memset(s->stands, 0, (size_t)s->words * sizeof *s->stands);
    memset(s->ends, 0, (size_t)s->words * sizeof *s->ends);
    for (int w = 0; w < s->words; w++)
        for (int q = 0; q < d->n_states; q++) {
            int to = through(s, q, w);
            s->stands[w] |= s->live[to];
            s->ends[w] |= d->label[to] == wanted;
        }
}

/* A symbol more: a window that no wanted string has, or a beginning of none, does not pass. */
static void step(Search *s, int length)
{
    const ThDfa *d = s->d;
    int m = d->n_symbols;
    memset(s->after, 0, (size_t)s->words * (size_t)d->n_states * sizeof *s->after);
    for (int w = 0; w < s->words; w++)
        for (int q = 0; q < d->n_states; q++)
            for (int a = 0; s->mass[w * d->n_states + q] > 0 && a < m; a++) {
                int window = (w * m + a) % s->words, to = d->next[q * m + a];
                if (length <= s->k ? s->live[to] : s->stands[window])
                    s->after[window * d->n_states + to] += s->mass[w * d->n_states + q] / m;
            }
    double *other = s->mass;
    s->mass = s->after;
    s->after = other;
}

/* *share <- that of unwanted strings that pass for wanted ones. */
static bool passes(Search *s, int wanted, double unwanted, double *share, ThStop *stop,
                   ThError *err)
{
    const ThDfa *d = s->d;
    double wrong = 0;
    if (!th_dfa_leads_to(d, wanted, 1, s->live, err))
        return false;
    find_words(s, wanted);
    memset(s->mass, 0, (size_t)s->words * (size_t)d->n_states * sizeof *s->mass);
    s->mass[d->start] = s->live[d->start];
    for (int length = 1; length <= s->n; length++) {
        if (th_stopped(stop, err))
            return false;
        step(s, length);
    }
    for (int w = 0; w < s->words; w++)
        for (int q = 0; s->ends[w] && q < d->n_states; q++)
            wrong += d->label[q] == wanted ? 0 : s->mass[w * d->n_states + q];
    *share = wrong / unwanted;
    return true;
}

/* The share of right answers where each last word is answered by the likelier class. */
static double by_suffix(Search *s, const double share[2])
{
    const ThDfa *d = s->d;
    double right = 0, *start = s->mass;
    spread(s, s->n - s->k, start);
    for (int w = 0; w < s->words; w++) {
        double of[2] = {0};
        for (int q = 0; q < d->n_states; q++)
            of[d->label[through(s, q, w)] == 1] += start[q] / s->words;
        right += fmax(of[0] / share[0], of[1] / share[1]) / 2;
    }
    return right;
}

static bool take(Search *s, ThError *err)
{
    size_t states = (size_t)s->d->n_states, all = (size_t)s->words * states;
    s->live = th_alloc(states, sizeof *s->live, err);
    s->before = th_alloc(states, sizeof *s->before, err);
    s->stands = th_alloc((size_t)s->words, sizeof *s->stands, err);
    s->ends = th_alloc((size_t)s->words, sizeof *s->ends, err);
    s->mass = th_alloc(all, sizeof *s->mass, err);
    s->after = th_alloc(all, sizeof *s->after, err);
    return s->live && s->before && s->stands && s->ends && s->mass && s->after;
}

bool th_dfa_shortcut(const ThDfa *d, int n, int k, ThDfaShortcut *to, ThStop *stop, ThError *err)
{
    Search s = {.d = d, .n = n, .k = k, .words = 1};
    for (int i = 0; i < k; i++, s.words *= d->n_symbols)
        if (s.words * d->n_symbols > TH_DFA_SHORTCUT_WORDS)
            return th_fail(err, TH_ELIMIT, "there are more than %d words of %d symbols",
                           TH_DFA_SHORTCUT_WORDS, k);
    bool ok = take(&s, err);
    *to = (ThDfaShortcut){1, 1};
    if (ok) {
        double share[2] = {0}, wrong[2];
        spread(&s, n, s.mass);
        for (int q = 0; q < d->n_states; q++)
            share[d->label[q] == 1] += s.mass[q];
        if (share[0] > 0 && share[1] > 0) {
            to->suffix = by_suffix(&s, share);
            ok = passes(&s, 1, share[0], &wrong[0], stop, err) &&
                 passes(&s, 0, share[1], &wrong[1], stop, err);
            to->factors = ok ? 1 - fmin(wrong[0], wrong[1]) / 2 : 0;
        }
    }
    TH_FREE(s.live, s.before, s.stands, s.ends, s.mass, s.after);
    return ok;
}
