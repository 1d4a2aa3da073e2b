#include "lab/generate.h"

#include <math.h>

#include "base/symbols.h"

struct ThLabGenerator {
    const ThModel *m;
    ThGenerateSettings how;
    ThModelState *state;
    int *symbol;  /* (n_classes): the symbol that a class names */
    int *string;  /* (n_strings): those that the state is about, by number */
    int *kept;    /* (B): room for numbers of strings */
    int *pending; /* (n_strings, n_pending): not read yet: the prompt, later the last symbol */
    int B, n_strings, n_pending;
    int open;       /* strings that have not ended */
    bool *ended;    /* (B) */
    float *logits;  /* (n_strings, n_classes) */
    double *weight; /* (n_classes) */
    long long n;    /* symbols written behind each */
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
        if (g->symbol[c] < 0)
            return th_fail(
                       err, TH_EVALUE,
                       "the model does not say which symbol comes next: its class %s is no symbol",
                       s->label[c]) ||
                   th_hint(err, "a task whose classes are its symbols trains a model that does");
    }
    return true;
}

static bool check_model(const ThModel *m, ThError *err)
{
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has not been trained on any task yet");
    if (m->signature.target == TH_TARGET_EVERY)
        return true;
    return th_fail(err, TH_EVALUE, "the model does not say which symbol comes next: it answers %s",
                   m->signature.target == TH_TARGET_FINAL ? "once, for the whole string"
                                                          : "by bits") ||
           th_hint(err, "a task with one class at every position trains a model that does");
}

/* ---- life ---- */

static bool prepare(ThLabGenerator *g, const ThGeneratePrompts *p, ThError *err)
{
    size_t classes = (size_t)g->m->signature.n_classes, B = (size_t)p->B;
    bool ok = (g->symbol = th_alloc(classes, sizeof *g->symbol, err)) && name_symbols(g, err) &&
              (g->logits = th_alloc(B * classes, sizeof *g->logits, err)) &&
              (g->weight = th_alloc(classes, sizeof *g->weight, err)) &&
              (g->string = th_alloc(B, sizeof *g->string, err)) &&
              (g->kept = th_alloc(B, sizeof *g->kept, err)) &&
              (g->ended = th_alloc(B, sizeof *g->ended, err)) &&
              (g->pending = th_copy(p->token, B * (size_t)p->n, sizeof *p->token, err)) &&
              (g->state = th_model_open(g->m, g->how.cache, p->B, err));
    for (int b = 0; ok && b < p->B; b++)
        g->string[b] = b;
    return ok;
}

ThLabGenerator *th_generate_open(const ThModel *m, const ThGeneratePrompts *prompts,
                                 const ThGenerateSettings *how, ThError *err)
{
    if (!check_model(m, err) || !check_settings(how, err))
        return NULL;
    if (prompts->n < 1)
        return th_null(th_fail(err, TH_EVALUE, "a prompt has at least one symbol"));
    ThLabGenerator *g = th_alloc(1, sizeof *g, err);
    if (!g)
        return NULL;
    *g = (ThLabGenerator){.m = m,
                          .how = *how,
                          .B = prompts->B,
                          .n_strings = prompts->B,
                          .open = prompts->B,
                          .n_pending = prompts->n};
    return TH_KEEP_IF(prepare(g, prompts, err), g, th_generate_free);
}

void th_generate_free(ThLabGenerator *g)
{
    if (!g)
        return;
    th_model_close(g->state);
    TH_FREE(g->symbol, g->string, g->kept, g->pending, g->ended, g->logits, g->weight, g);
}

bool th_generate_ended(const ThLabGenerator *g, int string)
{
    return g->ended[string];
}

bool th_generate_done(const ThLabGenerator *g)
{
    return g->open == 0 || g->n >= g->how.most;
}

/* ---- one symbol ---- */

/* Of prompts longer than the window their ends are read; of what was read before, hops go until
 * the pending symbols find room. */
static bool read_pending(ThLabGenerator *g, ThError *err)
{
    int held = th_model_length(g->state), hop = g->how.hop, n = g->n_pending, skip = 0;
    long long over = (long long)held + n - g->how.window;
    if (g->how.window > 0 && over > 0) {
        long long gone = (over + hop - 1) / hop * hop;
        int dropped = gone < held ? (int)gone : held;
        th_model_drop(g->state, dropped);
        skip = gone - dropped < n ? (int)(gone - dropped) : n - 1;
    }
    for (int i = 0; skip > 0 && i < g->n_strings; i++)
        memmove(g->pending + i * (n - skip), g->pending + i * n + skip,
                (size_t)(n - skip) * sizeof *g->pending);
    g->n_pending -= skip;
    return th_model_feed(g->state, g->pending, g->n_pending, g->logits, err);
}

/* Where half of the strings have ended they are left out from here on. */
static bool narrow(ThLabGenerator *g, ThError *err)
{
    int n = 0;
    if (g->open == 0 || 2 * g->open > g->n_strings)
        return true;
    for (int i = 0; i < g->n_strings; i++) {
        if (g->ended[g->string[i]])
            continue;
        g->pending[n] = g->pending[i];
        g->string[n] = g->string[i];
        g->kept[n++] = i;
    }
    g->n_strings = n;
    return th_model_keep(g->state, g->kept, n, err);
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

static int draw(ThLabGenerator *g, const float *logits, int string)
{
    int n = g->m->signature.n_classes, last = 0;
    double most = g->weight[th_score_class(g->weight, n)], sum = 0;
    for (int c = 0; c < n; c++) {
        bool in = g->how.top_k == 0 || is_among(logits, n, c, g->how.top_k);
        g->weight[c] = in ? exp((g->weight[c] - most) / g->how.temperature) : 0;
        sum += g->weight[c];
    }
    uint64_t number = (uint64_t)(g->how.number ? g->how.number[string] : string);
    ThRng r = th_rng(g->how.seed, "generate", number << 32 | (uint64_t)g->n);
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

/* The symbol that string i of those at work goes on with. */
static bool choose(ThLabGenerator *g, int i, int *symbol, ThError *err)
{
    int n = g->m->signature.n_classes;
    const float *logits = g->logits + (size_t)i * (size_t)n;
    for (int c = 0; c < n; c++) {
        if (!isfinite(logits[c]))
            return th_model_fail_infinite(g->m, err);
        g->weight[c] = (double)logits[c];
    }
    bool drawn = g->how.temperature > 0;
    *symbol = g->symbol[drawn ? draw(g, logits, g->string[i]) : th_score_class(g->weight, n)];
    return true;
}

bool th_generate_step(ThLabGenerator *g, int *symbol, ThError *err)
{
    if (!read_pending(g, err))
        return false;
    for (int b = 0; b < g->B; b++)
        symbol[b] = -1;
    for (int i = 0; i < g->n_strings; i++) {
        int b = g->string[i];
        if (!choose(g, i, &g->pending[i], err))
            return false;
        if (g->ended[b])
            continue;
        symbol[b] = g->pending[i];
        g->ended[b] = symbol[b] == g->how.end;
        g->open -= g->ended[b];
    }
    g->n_pending = 1;
    g->n++;
    return narrow(g, err);
}
