#include "lab/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"

struct ThLabGenerator {
    const ThModel *m;
    ThGenerateSettings how;
    ThModelState *state;
    int *symbol;  /* (n_classes): the symbol that a class names */
    int *pending; /* (n_pending): what was not read yet: the prompt, later the last symbol */
    int n_pending;
    float *logits;  /* (n_classes) */
    double *weight; /* (n_classes) */
    long long n;    /* symbols written */
    bool ended;
};

/* ---- can it write? ---- */

static bool check_settings(const ThGenerateSettings *how, ThError *err)
{
    if (!(how->temperature >= 0 && how->temperature < HUGE_VAL) || how->top_k < 0)
        return th_fail(err, TH_EUSAGE, "a temperature and top_k are not negative");
    if (how->window < 0 || (how->window > 0 && (how->hop < 1 || how->hop > how->window)))
        return th_fail(err, TH_EUSAGE, "hop=%d is not between 1 and window=%d", how->hop,
                       how->window);
    return true;
}

static bool name_symbols(ThLabGenerator *g, ThError *err)
{
    const ThSignature *s = &g->m->signature;
    for (int c = 0; c < s->n_classes; c++) {
        g->symbol[c] = th_symbols_find(s->symbol, s->n_symbols, s->label[c]);
        if (g->symbol[c] < 0) {
            th_fail(err, TH_EVALUE,
                    "the model does not say which symbol comes next: its class %s is no symbol",
                    s->label[c]);
            return th_hint(err, "a task whose classes are its symbols trains a model that does");
        }
    }
    return true;
}

static bool check_model(const ThModel *m, ThError *err)
{
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has not been trained on any task yet");
    if (m->signature.target == TH_TARGET_EVERY)
        return true;
    th_fail(err, TH_EVALUE, "the model does not say which symbol comes next: it answers %s",
            m->signature.target == TH_TARGET_FINAL ? "once, for the whole string" : "by bits");
    return th_hint(err, "a task with one class at every position trains a model that does");
}

/* ---- life ---- */

static bool prepare(ThLabGenerator *g, const int *prompt, int n, ThError *err)
{
    size_t classes = (size_t)g->m->signature.n_classes;
    return (g->symbol = th_alloc(classes, sizeof *g->symbol, err)) && name_symbols(g, err) &&
           (g->logits = th_alloc(classes, sizeof *g->logits, err)) &&
           (g->weight = th_alloc(classes, sizeof *g->weight, err)) &&
           (g->pending = th_copy(prompt, (size_t)n, sizeof *prompt, err)) &&
           (g->state = th_model_open(g->m, g->how.cache, err));
}

ThLabGenerator *th_generate_open(const ThModel *m, const int *prompt, int n,
                                 const ThGenerateSettings *how, ThError *err)
{
    if (!check_model(m, err) || !check_settings(how, err))
        return NULL;
    if (n < 1) {
        th_fail(err, TH_EVALUE, "a prompt has at least one symbol");
        return NULL;
    }
    ThLabGenerator *g = th_alloc(1, sizeof *g, err);
    if (!g)
        return NULL;
    *g = (ThLabGenerator){.m = m, .how = *how, .n_pending = n};
    if (prepare(g, prompt, n, err))
        return g;
    th_generate_free(g);
    return NULL;
}

void th_generate_free(ThLabGenerator *g)
{
    if (!g)
        return;
    th_model_close(g->state);
    free(g->symbol);
    free(g->pending);
    free(g->logits);
    free(g->weight);
    free(g);
}

bool th_generate_ended(const ThLabGenerator *g)
{
    return g->ended;
}

bool th_generate_done(const ThLabGenerator *g)
{
    return g->ended || g->n >= g->how.most;
}

/* ---- one symbol ---- */

/* Of a prompt longer than the window its end is read; of what was read before, hops go until the
 * pending symbols find room. */
static bool read_pending(ThLabGenerator *g, ThError *err)
{
    int held = th_model_length(g->state), hop = g->how.hop, skip = 0;
    long long over = (long long)held + g->n_pending - g->how.window;
    if (g->how.window > 0 && over > 0) {
        long long gone = (over + hop - 1) / hop * hop;
        int dropped = gone < held ? (int)gone : held;
        th_model_drop(g->state, dropped);
        skip = gone - dropped < g->n_pending ? (int)(gone - dropped) : g->n_pending - 1;
    }
    return th_model_feed(g->state, g->pending + skip, g->n_pending - skip, g->logits, err);
}

static int greatest(const double *x, int n)
{
    int best = 0;
    for (int c = 1; c < n; c++)
        if (x[c] > x[best])
            best = c;
    return best;
}

/* True if fewer than k logits are greater than that of class c; of equal ones the first count as
 * greater. */
static bool is_among(const float *logits, int n, int c, int k)
{
    int before = 0;
    for (int i = 0; i < n && before < k; i++)
        before += logits[i] > logits[c] || (i < c && logits[i] == logits[c]);
    return before < k;
}

static int draw(ThLabGenerator *g)
{
    int n = g->m->signature.n_classes, last = 0;
    double most = g->weight[greatest(g->weight, n)], sum = 0;
    for (int c = 0; c < n; c++) {
        bool in = g->how.top_k == 0 || is_among(g->logits, n, c, g->how.top_k);
        g->weight[c] = in ? exp((g->weight[c] - most) / g->how.temperature) : 0;
        sum += g->weight[c];
    }
    ThRng r = th_rng(g->how.seed, "generate", (uint64_t)g->n);
    double at = th_rng_uniform(&r) * sum;
    for (int c = 0; c < n; c++) {
        if (g->weight[c] == 0)
            continue;
        if (at < g->weight[c])
            return c;
        at -= g->weight[c];
        last = c; /* rounding may leave a rest */
    }
    return last;
}

bool th_generate_step(ThLabGenerator *g, int *symbol, ThError *err)
{
    int n = g->m->signature.n_classes;
    if (!read_pending(g, err))
        return false;
    for (int c = 0; c < n; c++) {
        if (!isfinite(g->logits[c]))
            return th_fail(err, TH_ENUMERIC, "the model's output is not a finite number");
        g->weight[c] = (double)g->logits[c];
    }
    *symbol = g->symbol[g->how.temperature > 0 ? draw(g) : greatest(g->weight, n)];
    g->pending[0] = *symbol;
    g->n_pending = 1;
    g->n++;
    g->ended = *symbol == g->how.end;
    return true;
}
