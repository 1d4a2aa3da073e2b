/* Words of a distribution, to be foretold symbol by symbol.
 *
 * A string is the symbol `.`, which stands for an end before the word, and the word; its answers
 * are the symbols of the word and `.` behind them.  As models of next symbols do not look ahead,
 * what stands behind the last answer of a row does not matter. */
#include <math.h>

#include "base/symbols.h"
#include "language/probability.h"
#include "tasks/of_language.h"

static const char end_name[] = ".";

static int end_symbol(const ThTask *t)
{
    return t->signature.n_symbols - 1;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    int n;
    ThSignature *s = &t->signature;
    if (!from->language || !th_language_is_distribution(from->language))
        return th_fail(err, TH_EVALUE, "the task needs a distribution") ||
               th_hint(err,
                       "distribution P { ... } defines some; random distribution P draws some");
    char *const *symbol = th_language_symbols(from->language, &n);
    if (th_symbols_find(symbol, n, end_name) >= 0)
        return th_fail(err, TH_EVALUE, "the symbol %s stands for the end of a word", end_name);
    s->target = TH_TARGET_EVERY;
    s->next = true;
    t->data = th_task_keep_language(from->language, from->stop, err);
    return t->data && th_task_names_and(&s->symbol, &s->n_symbols, symbol, n, end_name, err) &&
           th_task_names_and(&s->label, &s->n_classes, symbol, n, end_name, err);
}

/* The word of n symbols in the row behind its first column. */
static void label_row(const ThTask *t, ThBatch *b, int i, int n)
{
    int *row = th_batch_token(b, i), *target = th_batch_target(&t->signature, b, i);
    row[0] = end_symbol(t);
    for (int k = 0; k < b->T; k++) {
        target[k] = k < n ? row[k + 1] : k == n ? end_symbol(t) : -1;
        row[k] = k <= n ? row[k] : end_symbol(t);
    }
}

static int length(const ThTask *t, int length)
{
    return 1 + th_task_near_length(t->data, length - 1, 0);
}

static ThRange lengths(const ThTask *t TH_UNUSED)
{
    return (ThRange){1, 41, 1};
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    bool ok = th_task_draw_words(t, r, length - 1, b, err);
    for (int i = 0; ok && i < b->B; i++)
        label_row(t, b, i, length - 1);
    return ok;
}

typedef struct {
    int *symbol, n;
    size_t cap;
} Word;

/* A word, by its probability among those of the lengths. */
static bool draw_word(const ThTaskLanguage *d, ThRng *r, const ThRange *lengths, Word *w,
                      ThError *err)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        if (!th_distribution_draw(d->language, r, &w->symbol, &w->cap, &w->n, d->stop, err))
            return false;
        long long n = w->n + 1;
        if (n >= lengths->lo && n <= lengths->hi && (n - lengths->lo) % lengths->step == 0)
            return true;
    }
    return th_fail(err, TH_EVALUE,
                   "none of %d words drawn is %lld to %lld symbols long with its end", TRIES,
                   lengths->lo, lengths->hi);
}

/* Twice the same words: how long they are is to be known first. */
static bool study(const ThTask *t, ThRng *r, const ThRange *lengths, ThBatch *b, ThError *err)
{
    Word w = {0};
    ThRng again = *r;
    bool ok = true;
    b->T = 1;
    for (int i = 0; ok && i < b->B; i++) {
        ok = draw_word(t->data, r, lengths, &w, err);
        b->T = w.n >= b->T ? w.n + 1 : b->T;
    }
    ok = ok && th_batch_reserve(b, &t->signature, false, err);
    for (int i = 0; ok && i < b->B; i++) {
        ok = draw_word(t->data, &again, lengths, &w, err);
        for (int k = 0; ok && k < w.n; k++)
            th_batch_token(b, i)[k + 1] = w.symbol[k];
        if (ok)
            label_row(t, b, i, w.n);
    }
    free(w.symbol);
    return ok;
}

/* Rows of words in the order of their symbols, from a number on. */
static void put_all(const ThTask *t, long long first, ThBatch *b)
{
    int base = end_symbol(t);
    for (int i = 0; i < b->B; i++) {
        long long rest = first + i;
        for (int k = b->T - 1; k > 0; k--, rest /= base)
            th_batch_token(b, i)[k] = (int)(rest % base);
        label_row(t, b, i, b->T - 1);
    }
}

static bool foretell(const ThTask *t, ThRng *r, ThTaskForetold *which, ThBatch *b, double *p,
                     ThError *err)
{
    const ThTaskLanguage *d = t->data;
    int n = which->length - 1;
    double all = pow(end_symbol(t), n);
    double *of TH_OWNED(free) = th_alloc(2 * (size_t)n + 2, sizeof *of, err);
    if (!of || !th_distribution_lengths(d->language, n, of, of + n + 1, NULL, err))
        return false;
    which->probability = of[n];
    which->entropy = of[2 * n + 1] - log2(of[n]); /* that it is so long is news, too */
    which->all = all <= (double)which->most;
    if (which->all && all - (double)which->first < b->B)
        b->B = (int)(all - (double)which->first);
    if (which->all)
        put_all(t, which->first, b);
    bool ok = which->all || draw(t, r, which->length, b, err);
    for (int i = 0; ok && i < b->B; i++, p += (size_t)b->T * (size_t)t->signature.n_classes)
        ok = th_distribution_next(d->language, (ThLanguageWord){th_batch_token(b, i) + 1, n}, p,
                                  err);
    return ok;
}

const ThTaskKind th_task_kind_distribution = {
    .name = "distribution",
    .summary = "what comes next in a word of a distribution?",
    .source = "Vidal et al. 2005, Probabilistic finite-state machines",
    .detail = "task t = distribution P, where P has been defined by distribution or random "
              "distribution.  A string is . and a word; the answer to every symbol is the one "
              "after it, and . behind the last.  The end counts: a word of N symbols is a string "
              "of length N+1, and length=1 the empty word.\n\n"
              "train reads words by their probability, those that do not have one of the lengths "
              "being drawn anew (default 1..41).  evaluate compares what a model expects with what "
              "is true: cross-entropy beside the entropy, both in bits a word, their difference, "
              "which is the divergence of Kullback and Leibler, and total variation.",
    .takes_language = true,
    .init = init,
    .length = length,
    .lengths = lengths,
    .draw = draw,
    .study = study,
    .foretell = foretell,
    .copy_data = th_task_copy_language,
    .free_data = th_task_free_language,
    .describe = th_task_describe_chance,
    .chance = th_task_measured_chance,
};
