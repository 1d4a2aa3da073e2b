#include "models/state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct ThModelState {
    const ThModel *m;
    void *own;    /* the architecture's; NULL: uncached */
    ThTape *tape; /* uncached */
    int *token;   /* (n): all that were read and not dropped */
    int n, fed;   /* fed: those that `own` knows, the first ones */
    size_t cap;
};

ThModelState *th_model_open(const ThModel *m, ThModelCache cache, ThError *err)
{
    if (!m->bound) {
        th_fail(err, TH_EVALUE, "the model has not been trained on any task yet");
        return NULL;
    }
    if (!th_model_causal(m)) {
        th_fail(err, TH_EVALUE, "the model looks at symbols that are still to come");
        th_hint(err, "a %s with causal=yes does not", m->kind->name);
        return NULL;
    }
    ThModelState *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->m = m;
    bool keeps = m->kind->open && (!m->kind->keeps || m->kind->keeps(m));
    if (cache == TH_MODEL_CACHED && keeps)
        s->own = m->kind->open(m, err);
    else
        s->tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
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
    free(s->token);
    free(s);
}

/* The logits after the last of s->n symbols, all run anew. */
static bool run(ThModelState *s, float *logits, ThError *err)
{
    th_tape_begin(s->tape, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(s->m, s->tape, &(ThBatch){.B = 1, .T = s->n, .token = s->token},
                               &(ThModelForward){.share = true});
    if (!th_tape_ok(s->tape, err))
        return false;
    size_t classes = (size_t)s->m->signature.n_classes;
    size_t last = (size_t)th_tape_rows(s->tape, z) - 1;
    memcpy(logits, th_tape_floats(s->tape, z) + last * classes, classes * sizeof *logits);
    return true;
}

static bool read_new(ThModelState *s, float *logits, ThError *err)
{
    if (!s->own)
        return run(s, logits, err);
    if (!s->m->kind->feed(s->own, s->token + s->fed, s->n - s->fed, logits, err))
        return false;
    s->fed = s->n;
    return true;
}

bool th_model_feed(ThModelState *s, const int *token, int n, float *logits, ThError *err)
{
    int symbols = s->m->signature.n_symbols;
    if (n < 1)
        return th_fail(err, TH_EVALUE, "a model reads at least one symbol");
    for (int i = 0; i < n; i++)
        if (token[i] < 0 || token[i] >= symbols)
            return th_fail(err, TH_EVALUE, "symbol number %d of an alphabet of %d", token[i],
                           symbols);
    if (n > INT_MAX - s->n)
        return th_fail(err, TH_ELIMIT, "a string of more than %d symbols", INT_MAX);
    if (!th_grow(&s->token, &s->cap, (size_t)s->n + (size_t)n, sizeof *s->token, err))
        return false;
    memcpy(s->token + s->n, token, (size_t)n * sizeof *token);
    s->n += n;
    if (read_new(s, logits, err))
        return true;
    s->n -= n;
    return false;
}

void th_model_drop(ThModelState *s, int n)
{
    if (n == 0)
        return;
    s->n -= n;
    s->fed = 0;
    memmove(s->token, s->token + n, (size_t)s->n * sizeof *s->token);
    if (s->own)
        s->m->kind->reset(s->own);
}

int th_model_length(const ThModelState *s)
{
    return s->n;
}

bool th_model_cached(const ThModelState *s)
{
    return s->own != NULL;
}
