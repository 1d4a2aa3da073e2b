/* The next-token program of Hou et al. 2024, appendix D, as weights of four layers.
 *
 * Positions are known by codes of ±1, so that two are the same where the product of their codes is
 * greatest; a position's row of the table holds the codes of those before it, too, for the heads
 * that look so far back.  The beginning of a string stands for all that is before it, as a gap
 * does.
 *
 *   1  heads gather the last tokens, and the place of the latest gap; units make the token of the
 *      successor from five tokens around it
 *   2  heads gather the last tokens of the successor, and the latest gap of one and three positions
 *      before; units put nothing in the place of what lies before a gap
 *   3  a head looks at the latest gap: where was the latest before it?
 *   4  a head looks where the successor of the configuration before has the same last tokens, and
 *      takes the token that follows there
 *
 * The program counts configurations; comparing the places of gaps says the same, without a bound.
 */
#include "compile/compile_machine.h"

#include <math.h>
#include <stdio.h>

#include "compile/weights.h"
#include "lab/evaluate.h"
#include "turing/tm_program.h"

enum { LAYERS = 4, WINDOW = 4 };
static const double sharp = 30; /* what the best key is ahead of others; e^-30 is nothing */

/* Coordinates of the stream; blocks of tokens have V, codes of places B numbers. */
typedef struct {
    const ThTmTokens *tokens;
    ThModel *m;
    int n, context;
    int V, B, bits;                     /* tokens; numbers of a place's code, and of a token's */
    int back;                           /* tokens that are gathered in layer 1 */
    int begin, early, place, key, code; /* code + k B: of the place k before; 0 ≤ k ≤ back */
    int token;                          /* + k V: the token k before */
    int gap, gap1, gap3, before;        /* places of gaps */
    int turned;                         /* + k V: of the successor, k = 0: two places before */
    int text, other;                    /* codes of the last n+1 tokens, and of the successor's */
    int answer;
    int stream, dim, heads, head, hidden;
} Work;

/* ---- sizes ---- */

static int bits_for(int n)
{
    int bits = 1;
    while ((1 << bits) < n)
        bits++;
    return bits;
}

static int take(Work *w, int numbers)
{
    int at = w->stream;
    w->stream += numbers;
    return at;
}

static void place_all(Work *w)
{
    int grams = (w->n + 1) * w->bits;
    w->begin = take(w, 1);
    w->early = take(w, 1);
    w->place = take(w, 1);
    w->key = take(w, w->B);
    w->code = take(w, (w->back + 1) * w->B);
    w->token = take(w, (w->back + 1) * w->V);
    w->gap = take(w, w->B);
    w->gap1 = take(w, w->B);
    w->gap3 = take(w, w->B);
    w->before = take(w, w->B);
    w->turned = take(w, (w->n + 2) * w->V);
    w->text = take(w, grams);
    w->other = take(w, grams);
    w->answer = take(w, w->V);
}

/* Cells, and marks; states. */
static int cells_of(const Work *w)
{
    return th_tm_token_of_state(w->tokens, 0);
}

static void find_sizes(Work *w)
{
    int larger = w->n + 1 > WINDOW ? w->n + 1 : WINDOW, cells = cells_of(w), states = w->V - cells;
    w->back = larger;
    w->bits = bits_for(w->V);
    w->B = bits_for(w->context + 1 + w->back + 1);
    place_all(w);
    int match = (w->n + 1) * w->bits + w->B + 1;
    w->head = match > w->V ? match : w->V;
    w->head = w->head > w->B + 1 ? w->head : w->B + 1;
    w->heads = w->n + 3 > w->back + 1 ? w->n + 3 : w->back + 1;
    w->head = w->head > (w->stream + w->heads - 1) / w->heads
                  ? w->head
                  : (w->stream + w->heads - 1) / w->heads;
    w->dim = w->heads * w->head;
    int turns = cells * states + 2 * cells * states * w->V + cells, masks = 2 * (w->n + 1) * w->V;
    w->hidden = turns > masks ? turns : masks;
}

static bool set_options(const Work *w, ThOptions *o, ThError *err)
{
    if (w->dim > 16384 || w->hidden > 100000)
        return th_fail(err, TH_ELIMIT, "a model with dim=%d hidden=%d is too large", w->dim,
                       w->hidden);
    return th_options_set_int(o, "dim", w->dim, err) &&
           th_options_set_int(o, "heads", w->heads, err) &&
           th_options_set_int(o, "layers", LAYERS, err) &&
           th_options_set_int(o, "hidden", w->hidden, err) &&
           th_options_set_int(o, "longest", w->context + 1, err) &&
           th_options_set(o, "causal", "yes", err);
}

/* ---- codes ---- */

/* Writes the ±1 code of a number. */
static void write_code(float *to, int number, int bits)
{
    for (int i = 0; i < bits; i++)
        to[i] = number >> i & 1 ? 1 : -1;
}

/* Place -1 is the beginning, in row 0 of the table. */
static void write_positions(const Work *w)
{
    float *row = th_compile_weights(w->m, "position");
    for (int p = -1; p < w->context; p++, row += w->dim) {
        for (int k = 0; k <= w->back; k++)
            write_code(row + w->code + k * w->B, p - k + w->back + 1, w->B);
        if (p < 0)
            continue;
        write_code(row + w->key, p + w->back + 1, w->B);
        row[w->place] = (float)(p + 1);
        row[w->early] = p < 2;
    }
}

static void write_tokens(const Work *w)
{
    float *row = th_compile_weights(w->m, "embedding");
    for (int t = 0; t < w->V; t++)
        row[t * w->dim + w->token + t] = 1;
    row[w->V * w->dim + w->token + TH_TM_TOKEN_GAP] = 1;
    row[w->V * w->dim + w->begin] = 1;
}

/* ---- heads ---- */

/* A head: column c of its queries reads query + c and of its keys key + c, each times √sharp;
 * what it takes from value on it adds from `to` on. */
typedef struct {
    int layer, number;
    int query, key, columns;
    double begin; /* score of the beginning, which has no key */
    int value, width, to;
} Head;

static float *layer_weights(const Work *w, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "layer%d.%s", layer - 1, name);
    return th_compile_weights(w->m, full);
}

static void write_head(const Work *w, const Head *h)
{
    int d = w->dim, first = h->number * w->head;
    double root = sqrt(w->head);
    float *query = layer_weights(w, h->layer, "attention.query");
    float *key = layer_weights(w, h->layer, "attention.key_value");
    float *output = layer_weights(w, h->layer, "attention.output");
    for (int c = 0; c < h->columns; c++) {
        query[(h->query + c) * d + first + c] = (float)(root * sharp);
        key[(h->key + c) * 2 * d + first + c] = 1;
    }
    layer_weights(w, h->layer, "attention.query_bias")[first + h->columns] = (float)root;
    key[w->begin * 2 * d + first + h->columns] = (float)(sharp * h->begin);
    for (int c = 0; c < h->width; c++) {
        key[(h->value + c) * 2 * d + d + first + c] = 1;
        output[(first + c) * d + h->to + c] = 1;
    }
}

/* Looks k places back: a wrong key is wrong in one number of its code at least. */
static void look_back(const Work *w, int layer, int number, int k, int value, int width, int to)
{
    write_head(
        w, &(Head){layer, number, w->code + k * w->B, w->key, w->B, w->B - 1, value, width, to});
}

/* The latest gap: gaps are ahead of all else, and of two the later one. */
static void look_for_gap(const Work *w, int number)
{
    int d = w->dim, col = number * w->head;
    write_head(w, &(Head){1, number, 0, 0, 0, w->context + 2, w->code, w->B, w->gap});
    float *key = layer_weights(w, 1, "attention.key_value");
    key[(w->token + TH_TM_TOKEN_GAP) * 2 * d + col] = (float)(sharp * (w->context + 2));
    key[w->place * 2 * d + col] = (float)sharp;
    key[w->begin * 2 * d + col] = 0; /* it is a gap by its token */
}

/* The same tokens, in the successor of the configuration before. */
static void look_for_match(const Work *w)
{
    int grams = (w->n + 1) * w->bits, d = w->dim, columns = grams + w->B;
    write_head(
        w, &(Head){LAYERS, 0, w->text, w->other, grams, columns - 1, w->turned, w->V, w->answer});
    float *query = layer_weights(w, LAYERS, "attention.query");
    float *key = layer_weights(w, LAYERS, "attention.key_value");
    float *bias = layer_weights(w, LAYERS, "attention.query_bias");
    double root = sqrt(w->head);
    bias[grams] = 0;
    key[w->begin * 2 * d + grams] = 0;
    for (int c = 0; c < w->B; c++) {
        query[(w->before + c) * d + grams + c] = (float)(root * sharp);
        key[(w->gap3 + c) * 2 * d + grams + c] = 1;
    }
    bias[columns] = (float)root;
    /* The beginning has codes of its own, which count for columns at most. */
    key[w->begin * 2 * d + columns] = (float)(-4 * sharp * columns);
    key[w->early * 2 * d + columns] = (float)(-4 * sharp * columns);
}

static void write_heads(const Work *w)
{
    for (int k = 1; k <= w->back; k++)
        look_back(w, 1, k - 1, k, w->token, w->V, w->token + k * w->V);
    look_for_gap(w, w->back);
    for (int k = 1; k <= w->n + 1; k++)
        look_back(w, 2, k - 1, k, w->turned, w->V, w->turned + k * w->V);
    look_back(w, 2, w->n + 1, 1, w->gap, w->B, w->gap1);
    look_back(w, 2, w->n + 2, 3, w->gap, w->B, w->gap3);
    write_head(w, &(Head){3, 0, w->gap, w->key, w->B, w->B - 1, w->gap1, w->B, w->before});
    look_for_match(w);
}

/* ---- units ---- */

typedef struct {
    const Work *w;
    float *up, *bias, *down;
    int used;
} Units;

static Units units_of(const Work *w, int layer)
{
    return (Units){w, layer_weights(w, layer, "feed_forward.up"),
                   layer_weights(w, layer, "feed_forward.up_bias"),
                   layer_weights(w, layer, "feed_forward.down"), 0};
}

/* The place of a token of the window: the fifth is the present one. */
static int seen(const Work *w, int i, int token)
{
    return w->token + (WINDOW - i) * w->V + token;
}

/* A unit that is 1 where all of n coordinates are. */
static float *add_unit(Units *u, const int *at, int n)
{
    for (int i = 0; i < n; i++)
        u->up[at[i] * u->w->hidden + u->used] = 2;
    u->bias[u->used] = (float)(1 - 2 * n);
    return u->down + u->used++ * u->w->dim;
}

/* Where a window has these tokens (-1: any), the successor has this in its middle. */
static void add_turn(Units *u, const int window[5])
{
    int at[5], n = 0, token[5];
    for (int i = 0; i < 5; i++) {
        token[i] = window[i] < 0 ? TH_TM_TOKEN_GAP : window[i];
        if (window[i] >= 0)
            at[n++] = seen(u->w, i, window[i]);
    }
    add_unit(u, at, n)[u->w->turned + th_tm_next_local(u->w->tokens, token)] = 1;
}

/* Away from the state tokens stay. */
static void add_still(Units *u, int token)
{
    const Work *w = u->w;
    int at = seen(w, 2, token), unit = u->used;
    add_unit(u, &at, 1)[w->turned + token] = 1;
    for (int q = cells_of(w); q < w->V; q++)
        u->up[seen(w, 1, q) * w->hidden + unit] = u->up[seen(w, 3, q) * w->hidden + unit] = -2;
}

static void write_turns(const Work *w)
{
    Units u = units_of(w, 1);
    int cells = cells_of(w);
    for (int c = 0; c < cells; c++) {
        add_still(&u, c);
        for (int q = cells; q < w->V; q++) {
            add_turn(&u, (int[5]){-1, -1, c, q, -1});
            for (int t = 0; t < cells; t++) {
                add_turn(&u, (int[5]){-1, c, q, t, -1});
                add_turn(&u, (int[5]){c, q, t, -1, -1});
            }
        }
    }
}

/* Codes of the last n+1 tokens, and of none for those before a gap. */
static void write_masks(const Work *w, Units *u, int tokens, int codes)
{
    float *constant = layer_weights(w, 2, "feed_forward.down_bias"), code[32];
    for (int k = 0; k <= w->n; k++) {
        write_code(constant + codes + k * w->bits, TH_TM_TOKEN_GAP, w->bits);
        for (int t = 0; t < w->V; t++) {
            int at = tokens + k * w->V + t, unit = u->used;
            if (t == TH_TM_TOKEN_GAP)
                continue;
            float *down = add_unit(u, &at, 1);
            for (int j = 0; j < k; j++)
                u->up[(tokens + j * w->V + TH_TM_TOKEN_GAP) * w->hidden + unit] = -2;
            write_code(code, t, w->bits);
            for (int i = 0; i < w->bits; i++)
                down[codes + k * w->bits + i] = code[i] - constant[codes + k * w->bits + i];
        }
    }
}

static void write_units(const Work *w)
{
    write_turns(w);
    Units u = units_of(w, 2);
    write_masks(w, &u, w->token, w->text);
    write_masks(w, &u, w->turned + w->V, w->other);
}

/* ---- the model ---- */

static bool sign(ThSignature *s, const ThTmTokens *t, int n, ThError *err)
{
    char **name = th_tm_program_names(t, err);
    *s = (ThSignature){.target = TH_TARGET_EVERY, .next = true};
    if (!name)
        return false;
    ThSignature view = {.target = TH_TARGET_EVERY,
                        .next = true,
                        .n_symbols = n,
                        .n_classes = n,
                        .symbol = name,
                        .label = name};
    bool ok = th_signature_copy(s, &view, err);
    th_tm_program_names_free(name);
    return ok;
}

ThModel *th_compile_machine(const ThTmTokens *t, int n, int context, const ThTapeBounds *bounds,
                            ThError *err)
{
    Work w = {.tokens = t, .n = n, .context = context, .V = th_tm_token_count(t)};
    ThOptions o TH_OWNED(th_options_free) = {0};
    ThSignature s TH_OWNED(th_signature_free) = {0};
    find_sizes(&w);
    if (th_options_init(&o, th_model_kind("bare")->options, err) && set_options(&w, &o, err) &&
        sign(&s, t, w.V, err))
        w.m = th_compile_blank("bare", &o, &s, bounds, err);
    if (!w.m)
        return NULL;
    write_positions(&w);
    write_tokens(&w);
    write_heads(&w);
    write_units(&w);
    float *head = th_compile_weights(w.m, "head");
    for (int i = 0; i < w.V; i++)
        head[(w.answer + i) * w.V + i] = (float)TH_COMPILE_CERTAIN;
    return w.m;
}

/* ---- beside the run ---- */

typedef struct {
    int *text, *answer; /* (n) */
    int n;
} Followed;

/* Writes the first n tokens of the run, whole lines first into `answer`. */
static bool write_text(const Followed *w, const ThTmTokens *t, const ThTmRunStart *s,
                       const ThCompileFollowed *f, ThError *err)
{
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    bool ok = th_tm_running_from(&r, s, err);
    for (int at = 0; ok && at < w->n; at += f->line) {
        int here = w->n - at < f->line ? w->n - at : f->line;
        ok = at == 0 || th_tm_running_go(&r, 1, (ThTmRunLimits){UINT64_MAX, UINT64_MAX}, NULL, err);
        th_tm_configuration_tokens(t, &r, f->extent.first, f->extent.last, w->answer);
        memcpy(w->text + at, w->answer, (size_t)here * sizeof *w->text);
    }
    return ok;
}

/* What the model would write is what it says behind each token of the run, up to the first that is
 * not the run's.  The last token may stand behind its context: it is not read any more. */
static bool follow(const ThModel *m, const ThTmTokens *t, const ThTmRunStart *s,
                   ThCompileFollowed *f, ThError *err)
{
    long long fit = th_option_int(&m->options, "longest");
    Followed w = {.n = (int)(f->room < fit ? f->room : fit)};
    w.text = th_alloc((size_t)w.n, sizeof *w.text, err);
    w.answer = th_alloc((size_t)w.n, sizeof *w.answer, err);
    bool ok = w.text && w.answer && write_text(&w, t, s, f, err) &&
              (w.n == f->line || th_lab_predict(m, w.text, w.n - 1, w.answer, err));
    for (int i = f->line; ok && f->right == f->tokens && i < w.n; i++) {
        f->tokens++;
        f->right += w.answer[i - 1] == w.text[i];
    }
    TH_FREE(w.text, w.answer);
    return ok;
}

bool th_compile_follow(const ThModel *m, const ThTmRunStart *s, ThTmRunLimits limits, ThStop *stop,
                       ThCompileFollowed *f, ThError *err)
{
    enum { MOST_TOKENS = 1 << 22 };
    ThTmTokens t = {s->machine, false};
    *f = (ThCompileFollowed){0};
    if (!th_tm_run_extent(&f->extent, s, limits, stop, err))
        return false;
    f->line = th_tm_configuration_length(&t, f->extent.first, f->extent.last);
    if (f->extent.steps >= MOST_TOKENS / (uint64_t)f->line)
        return th_fail(err, TH_ELIMIT, "the run has more than %d tokens", MOST_TOKENS);
    f->room = (long long)(f->extent.steps + 1) * f->line;
    if (f->line > th_option_int(&m->options, "longest") - 1)
        return th_fail(err, TH_EVALUE,
                       "a configuration has %d tokens: context=%lld has room for all of the run",
                       f->line, f->room);
    return follow(m, &t, s, f, err);
}
