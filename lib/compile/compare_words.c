#include "compile/compare_words.h"

#include "lab/evaluate.h"

typedef struct {
    const ThModel *m;
    const ThTask *t;
    ThCompileTrial *trial;
    int *word, *answer;
} Try;

/* Is the answer that of state q?  Nothing is asked in some states. */
static bool agrees(const Try *y, int q, const int *answer)
{
    const ThTask *t = y->t;
    int n = t->signature.n_classes;
    if (t->bits)
        return memcmp(t->bits + q * n, answer, (size_t)n * sizeof *answer) == 0;
    return t->machine->label[q] == n || t->machine->label[q] == *answer;
}

static bool try_word(Try *y, int length, ThError *err)
{
    const ThDfa *d = y->t->machine;
    bool final = y->t->signature.target == TH_TARGET_FINAL, right = true;
    if (th_stopped(y->trial->stop, err) || !th_lab_predict(y->m, y->word, length, y->answer, err))
        return false;
    for (int i = 0, q = d->start; i < length; i++) {
        q = d->next[q * d->n_symbols + y->word[i]];
        int at = y->t->bits ? i * y->t->signature.n_classes : i;
        if (!final || i == length - 1)
            right = right && agrees(y, q, y->answer + (final ? 0 : at));
    }
    y->trial->tried++;
    y->trial->right = right;
    y->trial->wrong = right ? 0 : length;
    return true;
}

/* The next word of a length; false after the last. */
static bool next(int *word, int length, int k)
{
    for (int i = length - 1; i >= 0; i--) {
        if (++word[i] < k)
            return true;
        word[i] = 0;
    }
    return false;
}

static bool try_all(Try *y, ThError *err)
{
    int k = y->t->signature.n_symbols;
    long long there = 0;
    double more = k;
    for (int n = 1; n < y->trial->length && (double)there + more <= (double)y->trial->words;
         n++, more *= k) {
        there += (long long)more;
        y->trial->all = n;
        memset(y->word, 0, (size_t)n * sizeof *y->word);
        do {
            if (!try_word(y, n, err))
                return false;
        } while (y->trial->right && next(y->word, n, k));
        if (!y->trial->right)
            return true;
    }
    return true;
}

static bool try_drawn(Try *y, ThError *err)
{
    ThRng r = th_rng(1, "trial", 0);
    for (int i = 0; y->trial->right && i < y->trial->drawn; i++) {
        for (int j = 0; j < y->trial->length; j++)
            y->word[j] = (int)th_rng_below(&r, (uint64_t)y->t->signature.n_symbols);
        if (!try_word(y, y->trial->length, err))
            return false;
    }
    return true;
}

bool th_compile_try(const ThModel *m, const ThTask *t, ThCompileTrial *trial, ThError *err)
{
    size_t room = (size_t)trial->length + 1, n = (size_t)t->signature.n_classes;
    Try y = {m, t, trial, th_alloc(room, sizeof *y.word, err),
             th_alloc(room * n, sizeof *y.answer, err)};
    trial->right = true;
    bool ok = y.word && y.answer && try_all(&y, err) && try_drawn(&y, err);
    TH_FREE(y.word, y.answer);
    return ok;
}
