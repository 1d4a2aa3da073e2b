#include "automata/infer/rpni.h"

#include <math.h>

/* What a merge changed, to be taken back: an entry of a table and its value before. */
typedef struct {
    int *entry;
    int before;
} Change;

typedef struct {
    int to, from; /* the second is a tree that is folded into the first */
} Fold;

typedef struct {
    const ThWordsSample *sample;
    const ThRpniOptions *options;
    ThRpniReport *report;
    ThStop *stop;
    size_t n, child_cap, count_cap, parent_cap, letter_cap;
    int k, c;
    int *child;  /* (n, k): -1: none */
    int *count;  /* (n, c): words of each class that end here */
    int *parent; /* (n): in the tree */
    int *letter; /* (n): symbol that leads there from the parent */
    int *red;    /* (n): states of the result, in their order */
    int n_red;
    int *number; /* (n): place in red, or -1 */
    Change *change;
    size_t n_changes, change_cap;
    Fold *fold;
    size_t n_folds, fold_cap;
    double agree, clash; /* worth of one agreement, cost of one contradiction */
    int *word;           /* of the step being told */
    size_t word_cap;
} Merger;

void th_words_sample_free(ThWordsSample *s)
{
    TH_FREE(s->symbol, s->start, s->label);
    *s = (ThWordsSample){0};
}

static void merger_free(Merger *m)
{
    TH_FREE(m->child, m->count, m->parent, m->letter, m->red, m->number, m->change, m->fold,
            m->word);
}
TH_RELEASES_VALUE(merger_free, Merger)

static int *child_of(const Merger *m, int q, int a)
{
    return &m->child[(size_t)q * (size_t)m->k + (size_t)a];
}

static int *counts_of(const Merger *m, int q)
{
    return &m->count[(size_t)q * (size_t)m->c];
}

/* ---- the tree of all words ---- */

static bool new_node(Merger *m, int parent, int letter, int *q, ThError *err)
{
    enum { MOST = 1 << 28 };
    size_t n = m->n, k = (size_t)m->k, c = (size_t)m->c;
    if (n >= MOST / (k + c + 1))
        return th_fail(err, TH_ELIMIT, "the words make a tree of more than %zu states", n);
    if (!th_grow(&m->child, &m->child_cap, (n + 1) * k, sizeof *m->child, err) ||
        !th_grow(&m->count, &m->count_cap, (n + 1) * c, sizeof *m->count, err) ||
        !th_grow(&m->parent, &m->parent_cap, n + 1, sizeof *m->parent, err) ||
        !th_grow(&m->letter, &m->letter_cap, n + 1, sizeof *m->letter, err))
        return false;
    for (size_t a = 0; a < k; a++)
        m->child[n * k + a] = -1;
    memset(m->count + n * c, 0, c * sizeof *m->count);
    m->parent[n] = parent;
    m->letter[n] = letter;
    *q = (int)m->n++;
    return true;
}

static bool add_word(Merger *m, size_t i, ThError *err)
{
    const ThWordsSample *s = m->sample;
    int q = 0, next;
    for (size_t j = s->start[i]; j < s->start[i + 1]; j++, q = next) {
        int a = s->symbol[j];
        next = *child_of(m, q, a);
        if (next < 0) {
            if (!new_node(m, q, a, &next, err))
                return false;
            *child_of(m, q, a) = next;
        }
    }
    counts_of(m, q)[s->label[i]]++;
    return true;
}

/* Words at a state, and how many of them are not of its most frequent class (*best). */
static int minority(const int *count, int c, int *best, int *total)
{
    int most = 0;
    *total = 0;
    *best = -1;
    for (int i = 0; i < c; i++) {
        *total += count[i];
        if (count[i] > most) {
            most = count[i];
            *best = i;
        }
    }
    return *total - most;
}

static bool grow_tree(Merger *m, ThError *err)
{
    int root, best, total;
    if (!new_node(m, -1, -1, &root, err))
        return false;
    for (size_t i = 0; i < m->sample->n; i++)
        if (th_stopped_at(m->stop, i, "words", err) || !add_word(m, i, err))
            return false;
    m->report->tree = m->n;
    for (size_t q = 0; m->options->noise <= 0 && q < m->n; q++)
        if (minority(counts_of(m, (int)q), m->c, &best, &total) > 0)
            return th_fail(err, TH_EVALUE, "a word has two classes, and no noise is allowed");
    m->red = th_alloc(m->n, sizeof *m->red, err);
    m->number = th_alloc(m->n, sizeof *m->number, err);
    for (size_t q = 0; m->number && q < m->n; q++)
        m->number[q] = -1;
    return m->red && m->number;
}

/* ---- one merge, made and taken back ---- */

static bool set(Merger *m, int *entry, int value, ThError *err)
{
    if (!TH_APPEND(m->change, m->n_changes, m->change_cap, err, (Change){entry, *entry}))
        return false;
    *entry = value;
    return true;
}

static void take_back(Merger *m)
{
    while (m->n_changes > 0) {
        m->n_changes--;
        *m->change[m->n_changes].entry = m->change[m->n_changes].before;
    }
}

/* Adds the words that end at `from` to those at `to`; the score of doing so. */
static bool add_counts(Merger *m, int to, int from, double *score, ThError *err)
{
    int *x = counts_of(m, to), *y = counts_of(m, from), best_x, best_y, best, n_x, n_y, n;
    int before = minority(x, m->c, &best_x, &n_x) + minority(y, m->c, &best_y, &n_y);
    if (n_y == 0)
        return true;
    for (int i = 0; i < m->c; i++)
        if (y[i] && !set(m, &x[i], x[i] + y[i], err))
            return false;
    int clashes = minority(x, m->c, &best, &n) - before;
    if (clashes)
        *score -= m->clash * clashes;
    if (n_x && best_x == best_y)
        *score += m->agree;
    return true;
}

static bool push(Merger *m, int to, int from, ThError *err)
{
    return TH_APPEND(m->fold, m->n_folds, m->fold_cap, err, (Fold){to, from});
}

/* Folds the tree below the child of `above` by symbol a into state `to`.  The changes are on
 * record; *score is -HUGE_VAL, and the folding not complete, where a contradiction is not allowed.
 */
static bool fold(Merger *m, int to, int above, int a, double *score, ThError *err)
{
    int from = *child_of(m, above, a);
    *score = 0;
    m->n_folds = 0;
    m->report->tried++;
    if (!set(m, child_of(m, above, a), to, err) || !push(m, to, from, err))
        return false;
    while (m->n_folds > 0 && *score > -HUGE_VAL) {
        Fold f = m->fold[--m->n_folds];
        if (!add_counts(m, f.to, f.from, score, err))
            return false;
        for (int b = 0; b < m->k; b++) {
            int *x = child_of(m, f.to, b), y = *child_of(m, f.from, b);
            if (y >= 0 && !(*x < 0 ? set(m, x, y, err) : push(m, *x, y, err)))
                return false;
        }
    }
    return true;
}

/* ---- which merge ---- */

typedef struct {
    int above, symbol; /* the state in question is the child of a red one */
    int into;          /* best red state */
    double score;
} Candidate;

/* The best state to merge a child of a red state into. */
static bool best_merge(Merger *m, Candidate *x, ThError *err)
{
    x->score = -HUGE_VAL;
    x->into = -1;
    for (int r = 0; r < m->n_red; r++) {
        double score;
        bool ok = !th_stopped_at(m->stop, (size_t)m->n_red, "states", err) &&
                  fold(m, m->red[r], x->above, x->symbol, &score, err);
        take_back(m);
        if (!ok)
            return false;
        if (score > x->score) {
            x->score = score;
            x->into = r;
        }
    }
    return true;
}

/* What another state costs: its transitions and its class.  Without noise no price is too high for
 * a contradiction, and nothing else is priced. */
static double state_cost(const Merger *m)
{
    if (m->options->noise <= 0)
        return HUGE_VAL;
    return m->k * log((double)m->n_red + 1) + log(m->c);
}

/* Tells of a state that is merged or kept. */
static bool tell(Merger *m, int q, int into, double score, ThError *err)
{
    if (!m->options->step)
        return true;
    int depth = 0;
    for (int p = q; m->parent[p] >= 0; p = m->parent[p])
        depth++;
    if (!th_grow(&m->word, &m->word_cap, (size_t)depth + 1, sizeof *m->word, err))
        return false;
    int at = depth;
    for (int p = q; m->parent[p] >= 0; p = m->parent[p])
        m->word[--at] = m->letter[p];
    ThRpniStep step = {depth, m->word, m->n_red, into, score};
    m->options->step(m->options->context, &step);
    return true;
}

static bool keep(Merger *m, int q, double score, ThError *err)
{
    if (!tell(m, q, -1, score, err))
        return false;
    m->number[q] = m->n_red;
    m->red[m->n_red++] = q;
    return true;
}

/* Looks at every child of a red state that is not red.  One that should be kept ends the search
 * (*kept); else *best is the best merge, with into = -1 if there is nothing left to merge. */
static bool survey(Merger *m, Candidate *best, bool *kept, ThError *err)
{
    bool full = m->options->max_states && m->n_red >= m->options->max_states;
    *best = (Candidate){.into = -1, .score = -HUGE_VAL};
    *kept = false;
    for (int i = 0; i < m->n_red; i++) {
        for (int a = 0; a < m->k; a++) {
            Candidate x = {.above = m->red[i], .symbol = a};
            int q = *child_of(m, x.above, a);
            if (q < 0 || m->number[q] >= 0)
                continue;
            if (!best_merge(m, &x, err))
                return false;
            bool hopeless = isinf(x.score) || x.score < -state_cost(m);
            if (hopeless && full && m->options->noise <= 0)
                return th_fail(err, TH_ELIMIT, "more than %d states", m->options->max_states);
            if (hopeless && !full) {
                *kept = true;
                return keep(m, q, x.score, err);
            }
            if (x.score > best->score || best->into < 0)
                *best = x;
        }
    }
    return true;
}

static bool merge_all(Merger *m, ThError *err)
{
    for (;;) {
        Candidate best;
        bool kept;
        double score;
        if (!survey(m, &best, &kept, err))
            return false;
        if (kept)
            continue;
        if (best.into < 0)
            return true;
        int q = *child_of(m, best.above, best.symbol);
        if (!tell(m, q, best.into, best.score, err) ||
            !fold(m, m->red[best.into], best.above, best.symbol, &score, err))
            return false;
        m->n_changes = 0;
        m->report->merges++;
    }
}

/* ---- the result ---- */

static ThDfa *result_of(const Merger *m, ThError *err)
{
    bool sink = false;
    for (int i = 0; i < m->n_red; i++)
        for (int a = 0; a < m->k; a++)
            sink = sink || *child_of(m, m->red[i], a) < 0;
    ThDfa *d = th_dfa_new(m->n_red + sink, m->k, m->c + 1, err);
    for (int i = 0; d && i < d->n_states; i++) {
        int best = -1, total;
        if (i < m->n_red)
            m->report->conflicts += (size_t)minority(counts_of(m, m->red[i]), m->c, &best, &total);
        d->label[i] = best + 1;
        for (int a = 0; a < m->k; a++) {
            int to = i < m->n_red ? *child_of(m, m->red[i], a) : -1;
            d->next[(size_t)i * (size_t)m->k + (size_t)a] = to < 0 ? m->n_red : m->number[to];
        }
    }
    m->report->states = m->n_red;
    return d;
}

ThDfa *th_rpni(const ThWordsSample *sample, const ThRpniOptions *options, ThRpniReport *report,
               ThStop *stop, ThError *err)
{
    Merger m TH_OWNED(merger_free) = {.sample = sample,
                                      .options = options,
                                      .report = report,
                                      .stop = stop,
                                      .k = sample->n_symbols,
                                      .c = sample->n_classes};
    double p = options->noise;
    m.agree = p > 0 ? log(m.c > 1 ? m.c : 2) : 1;
    m.clash = p > 0 ? log((1 - p) / p) : HUGE_VAL;
    *report = (ThRpniReport){0};
    bool ok = grow_tree(&m, err) && keep(&m, 0, -HUGE_VAL, err) && merge_all(&m, err);
    return ok ? result_of(&m, err) : NULL;
}
