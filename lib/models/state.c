#include "models/state.h"

#include <limits.h>

/* Symbols that are read before they come (see guess). */
enum { MOST_GUESSES = 7 };

struct ThModelState {
    const ThModel *m;
    void *own;     /* the architecture's; NULL: uncached */
    ThTape *tape;  /* uncached */
    int *token;    /* (n,B): all that were read and not dropped */
    int *row;      /* (B,n): some of them, as models take them */
    int B, n, fed; /* strings; symbols of each; those that `own` knows, the first ones */
    size_t cap, cap_row;
    int guess[MOST_GUESSES]; /* what `own` knows besides */
    float *answer;        /* (MOST_GUESSES + 1, n_classes): before and after each guess; or NULL */
    int n_guesses, right; /* guesses; those of them, the first ones, that came true */
    int daring;           /* guesses next time, at most */
};

ThModelState *th_model_open(const ThModel *m, ThModelCache cache, int B, ThError *err)
{
    if (!m->bound)
        return th_null(th_fail(err, TH_EVALUE, "the model has not been trained on any task yet"));
    if (!th_model_causal(m))
        return th_null(
            th_fail(err, TH_EVALUE, "the model looks at symbols that are still to come") ||
            th_hint(err, "a model of kind %s with causal=yes does not", m->kind->name));
    ThModelState *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->m = m;
    s->B = B;
    s->daring = 1;
    bool keeps = m->n_ablations == 0 && m->kind->open && (!m->kind->keeps || m->kind->keeps(m));
    /* What is kept from symbol to symbol is kept in single precision. */
    bool exact = m->bounds && m->bounds->runs == TH_TAPE_DOUBLE;
    if (cache == TH_MODEL_CACHED && keeps && !exact)
        s->own = m->kind->open(m, B, err);
    else
        s->tape = th_model_run_tape(m, 1, err);
    if (s->own || s->tape)
        return s;
    th_model_close(s);
    return NULL;
}

void th_model_close(ThModelState *s)
{
    if (!s)
        return;
    if (s->own)
        s->m->kind->close(s->own);
    th_tape_free(s->tape);
    TH_FREE(s->token, s->row, s->answer, s);
}

void th_model_last_logits(const ThTape *t, ThVar z, int B, float *logits)
{
    size_t classes = (size_t)th_tape_cols(t, z), each = (size_t)(th_tape_rows(t, z) / B) * classes;
    for (size_t b = 0; b < (size_t)B; b++)
        for (size_t c = 0; c < classes; c++)
            logits[b * classes + c] = (float)th_tape_at(t, z, (b + 1) * each - classes + c);
}

/* Lays symbol `from` and those behind it of every string where models read them. */
static bool lay_rows(ThModelState *s, int from, ThError *err)
{
    int n = s->n - from;
    if (!th_grow(&s->row, &s->cap_row, (size_t)s->B * (size_t)n, sizeof *s->row, err))
        return false;
    for (int b = 0; b < s->B; b++)
        for (int i = 0; i < n; i++)
            s->row[b * n + i] = s->token[(from + i) * s->B + b];
    return true;
}

/* The logits after the last of s->n symbols, all run anew. */
static bool run(ThModelState *s, float *logits, ThError *err)
{
    th_tape_begin(s->tape, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(s->m, s->tape, &(ThBatch){.B = s->B, .T = s->n, .token = s->row},
                               &(ThModelForward){.share = true});
    if (!th_tape_ok(s->tape, err))
        return false;
    th_model_last_logits(s->tape, z, s->B, logits);
    return true;
}

/* ---- guesses ----
 *
 * To answer after one symbol takes reading all weights, and so does answering after a few.  Where
 * the last symbols have stood in the string before, what came then is read on trial together with
 * the one that is there; if it comes again, its answer is there already, else it is forgotten. */

static bool can_guess(const ThModelState *s)
{
    return s->own && s->B == 1 && s->m->kind->feed_each &&
           s->m->signature.target != TH_TARGET_FINAL;
}

/* Where the symbols behind the latest earlier place are that reads like the end; -1: there is none.
 */
static int latest_like_end(const ThModelState *s)
{
    enum { ALIKE = 4 };
    for (int at = s->n - 1; at >= ALIKE; at--)
        if (memcmp(s->token + at - ALIKE, s->token + s->n - ALIKE, ALIKE * sizeof *s->token) == 0)
            return at;
    return -1;
}

static void guess(ThModelState *s)
{
    int from = latest_like_end(s);
    s->right = s->n_guesses = 0;
    for (; from >= 0 && s->n_guesses < s->daring; from++)
        s->guess[s->n_guesses++] = from < s->n ? s->token[from] : s->guess[from - s->n];
}

/* Reads the last symbol and guesses behind it.  False: nothing was read. */
static bool read_ahead(ThModelState *s, float *logits)
{
    size_t classes = (size_t)s->m->signature.n_classes;
    int token[MOST_GUESSES + 1] = {s->token[s->n - 1]};
    if (s->n_guesses == 0)
        return false;
    if (!s->answer)
        s->answer = th_alloc((MOST_GUESSES + 1) * classes, sizeof *s->answer, NULL);
    memcpy(token + 1, s->guess, (size_t)s->n_guesses * sizeof *token);
    if (s->answer && s->m->kind->feed_each(s->own, token, s->n_guesses + 1, s->answer, NULL)) {
        memcpy(logits, s->answer, classes * sizeof *logits);
        return true;
    }
    s->n_guesses = 0;
    return false;
}

/* Takes the new symbols that were guessed as read, and forgets guesses that were wrong. */
static void compare_guesses(ThModelState *s)
{
    while (s->right < s->n_guesses && s->fed < s->n && s->token[s->fed] == s->guess[s->right]) {
        s->fed++;
        s->right++;
    }
    if (s->n_guesses == 0 || s->fed == s->n)
        return;
    bool wrong = s->right < s->n_guesses;
    if (wrong)
        s->m->kind->cut(s->own, s->fed);
    int more = 2 * s->daring + 1;
    s->daring = wrong ? (s->daring + 1) / 2 : more < MOST_GUESSES ? more : MOST_GUESSES;
    s->right = s->n_guesses = 0;
}

static bool read_new(ThModelState *s, float *logits, ThError *err)
{
    compare_guesses(s);
    int from = s->own ? s->fed : 0;
    size_t classes = (size_t)s->m->signature.n_classes;
    if (from == s->n) {
        memcpy(logits, s->answer + (size_t)s->right * classes, classes * sizeof *logits);
        return true;
    }
    if (!lay_rows(s, from, err))
        return false;
    if (!s->own)
        return run(s, logits, err);
    if (can_guess(s) && s->n - from == 1)
        guess(s);
    if (!read_ahead(s, logits) && !s->m->kind->feed(s->own, s->row, s->n - from, logits, err))
        return false;
    s->fed = s->n;
    return true;
}

bool th_model_feed(ThModelState *s, const int *token, int n, float *logits, ThError *err)
{
    int symbols = s->m->signature.n_symbols;
    if (n < 1)
        return th_fail(err, TH_EVALUE, "a model reads at least one symbol");
    for (int i = 0; i < s->B * n; i++)
        if (token[i] < 0 || token[i] >= symbols)
            return th_fail(err, TH_EVALUE, "symbol number %d of an alphabet of %d", token[i],
                           symbols);
    int most = INT_MAX / s->B;
    if (n > most - s->n)
        return th_fail(err, TH_ELIMIT, "a string of more than %d symbols", most);
    if (!th_grow(&s->token, &s->cap, (size_t)s->B * (size_t)(s->n + n), sizeof *s->token, err))
        return false;
    for (int b = 0; b < s->B; b++)
        for (int i = 0; i < n; i++)
            s->token[(s->n + i) * s->B + b] = token[b * n + i];
    s->n += n;
    if (read_new(s, logits, err))
        return true;
    s->n -= n;
    if (s->fed > s->n)
        s->m->kind->cut(s->own, s->n);
    s->fed = s->fed < s->n ? s->fed : s->n;
    return false;
}

void th_model_drop(ThModelState *s, int n)
{
    if (n == 0)
        return;
    s->n -= n;
    s->fed = s->n_guesses = s->right = 0;
    memmove(s->token, s->token + n * s->B, (size_t)s->n * (size_t)s->B * sizeof *s->token);
    if (s->own)
        s->m->kind->reset(s->own);
}

bool th_model_keep(ThModelState *s, const int *which, int n, ThError *err)
{
    void *own = s->own ? s->m->kind->open(s->m, n, err) : NULL;
    if (s->own && !own)
        return false;
    if (s->own)
        s->m->kind->close(s->own);
    s->own = own;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < n; k++)
            s->token[i * n + k] = s->token[i * s->B + which[k]];
    s->B = n;
    s->fed = s->n_guesses = s->right = 0;
    return true;
}

int th_model_length(const ThModelState *s)
{
    return s->n;
}

bool th_model_cached(const ThModelState *s)
{
    return s->own != NULL;
}
