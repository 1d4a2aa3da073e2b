#include "inspect/word_model.h"

#include <math.h>

#include "lab/evaluate.h"

/* A tree of prefixes: son (n, k + 1) of which the last one is never used, p (n, k + 1): what comes
 * next; p[0] < 0: not asked for yet. */
struct ThInspectWordModel {
    const ThModel *model;
    ThStop *stop;
    ThTape *tape;
    size_t width, n, cap_son, cap_p, cap_read;
    int *son, *read; /* read: what the model reads, `.` and the prefix */
    double *p;
};

static int end_symbol(const ThInspectWordModel *w)
{
    return (int)w->width - 1;
}

static bool add_prefix(ThInspectWordModel *w, ThError *err)
{
    enum { MOST = 1 << 26 };
    size_t size = (w->n + 1) * w->width;
    if (size > MOST)
        return th_fail(err, TH_ELIMIT, "there are more than %zu prefixes", w->n);
    if (!th_grow(&w->son, &w->cap_son, size, sizeof *w->son, err) ||
        !th_grow(&w->p, &w->cap_p, size, sizeof *w->p, err))
        return false;
    memset(w->son + w->n * w->width, 0xff, w->width * sizeof *w->son);
    w->p[w->n++ * w->width] = -1;
    return true;
}

ThInspectWordModel *th_inspect_word_model(const ThModel *m, ThStop *stop, ThError *err)
{
    const ThSignature *s = &m->signature;
    if (!m->bound || !s->next || s->n_symbols < 2 || strcmp(s->symbol[s->n_symbols - 1], ".") != 0)
        return th_null(
            th_fail(err, TH_EVALUE, "the model was not trained on what comes next in words") ||
            th_hint(err, "task t = distribution P"));
    ThInspectWordModel *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (ThInspectWordModel){.model = m, .stop = stop, .width = (size_t)s->n_symbols};
    w->tape = th_model_run_tape(m, 1, err);
    return TH_KEEP_IF(w->tape && add_prefix(w, err), w, th_inspect_word_model_free);
}

void th_inspect_word_model_free(ThInspectWordModel *w)
{
    if (!w)
        return;
    th_tape_free(w->tape);
    TH_FREE(w->son, w->read, w->p, w);
}

char *const *th_inspect_word_symbols(const ThInspectWordModel *w, int *n)
{
    *n = end_symbol(w);
    return w->model->signature.symbol;
}

/* What comes next behind the prefix of n symbols in w->read, whose number is q; a view. */
static const double *ask(ThInspectWordModel *w, size_t q, int n, ThError *err)
{
    double *p = w->p + q * w->width;
    if (p[0] >= 0)
        return p;
    ThBatch b = {.B = 1, .T = n + 1, .token = w->read};
    th_tape_begin(w->tape, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(w->model, w->tape, &b, &(ThModelForward){.share = true});
    if (th_stopped(w->stop, err) || !th_tape_ok(w->tape, err))
        return NULL;
    for (size_t c = 0; c < w->width; c++)
        p[c] = th_tape_at(w->tape, z, (size_t)n * w->width + c);
    th_lab_probabilities(TH_TARGET_EVERY, p, (int)w->width);
    if (!isfinite(p[0])) {
        p[0] = -1;
        return th_null(th_model_fail_infinite(w->model, err));
    }
    return p;
}

/* One symbol more behind the prefix of n symbols whose number is *q. */
static bool read_on(ThInspectWordModel *w, size_t *q, int n, int symbol, ThError *err)
{
    size_t at = *q * w->width + (size_t)symbol;
    if (!th_grow(&w->read, &w->cap_read, (size_t)n + 2, sizeof *w->read, err))
        return false;
    if (w->son[at] < 0 && !add_prefix(w, err))
        return false;
    if (w->son[at] < 0)
        w->son[at] = (int)w->n - 1;
    w->read[n + 1] = symbol;
    *q = (size_t)w->son[at];
    return true;
}

static bool begin(ThInspectWordModel *w, ThError *err)
{
    if (!th_grow(&w->read, &w->cap_read, 1, sizeof *w->read, err))
        return false;
    w->read[0] = end_symbol(w);
    return true;
}

bool th_inspect_word_probability(ThInspectWordModel *w, ThLanguageWord word, double *to,
                                 ThError *err)
{
    size_t q = 0;
    bool ok = begin(w, err);
    *to = 1;
    for (int i = 0; ok && i <= word.n; i++) {
        int symbol = i < word.n ? word.symbol[i] : end_symbol(w);
        const double *p = ask(w, q, i, err);
        ok = p != NULL;
        *to *= ok ? p[symbol] : 0;
        ok = ok && (i == word.n || read_on(w, &q, i, symbol, err));
    }
    return ok;
}

bool th_inspect_word_draw(ThInspectWordModel *w, ThRng *r, int **word, size_t *cap, int *n,
                          ThError *err)
{
    enum { LONGEST = 1000 };
    size_t q = 0;
    *n = 0;
    if (!begin(w, err))
        return false;
    for (const double *p; (p = ask(w, q, *n, err)) != NULL;) {
        int a = 0;
        for (double left = th_rng_uniform(r) - p[0]; left >= 0 && a < end_symbol(w); left -= p[a])
            a++;
        if (a == end_symbol(w))
            return true;
        if (*n == LONGEST)
            return th_fail(err, TH_ELIMIT, "a word of the model has more than %d symbols", LONGEST);
        if (!th_grow(word, cap, (size_t)*n + 1, sizeof **word, err) || !read_on(w, &q, *n, a, err))
            return false;
        (*word)[(*n)++] = a;
    }
    return false;
}
