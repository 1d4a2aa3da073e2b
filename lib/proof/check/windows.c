#include "proof/check/windows.h"

#include <stdio.h>

#include "models/ablation.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/map_impl.h"
#include "proof/prover.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* What a run has lies within `off` of `at`. */
/* Of points, where `at` rounds as one more run does: half of the first unit is a double run's. */
static const double units[] = {0x1p-51, 0x1p-24 * (1 + 0x1p-20)};

typedef struct {
    double at, off;
} Number;

static double most(Number x)
{
    return fabs(x.at) + x.off;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct {
    const ThModel *m;
    int dim, heads, layers, hidden, n_symbols, n_classes, reach;
    bool gpt, before, beside, gelu;
    double unit;  /* of the arithmetic */
    double slack; /* what every vector and logit may be off by besides */
    double scale; /* of embeddings */
    Number *x, *read, *query, *both, *mixed, *sum, *unit_of, *logit; /* rows of a string */
    Number number[];                                                 /* where all these are */
} Net;

/* View of a parameter of a layer; layer -1: of the model. */
static const float *weights(const Net *f, int layer, const char *name)
{
    char full[80];
    if (layer < 0)
        return th_proof_chunk_weights(f->m, name);
    snprintf(full, sizeof full, "layer%d.%s", layer, name);
    return th_proof_chunk_weights(f->m, full);
}

/* Not where it is not given and has no default. */
static bool option_is(const ThModel *m, const char *name, const char *value)
{
    const char *text = th_option_text(&m->options, name);
    return text && strcmp(text, value) == 0;
}

/* What other options say may change what the model computes. */
static bool only_known(const ThModel *m)
{
    static const char known[] =
        " size dim heads layers mlp_ratio mlp_width block activation norm final_norm causal scale "
        "head_bias head init dropout attention_dropout position window_heads window_layers ";
    char name[80];
    for (const ThOptionSpec *s = m->kind->options; s->name; s++) {
        snprintf(name, sizeof name, " %s ", s->name);
        if (th_option_given(&m->options, s->name) && !strstr(known, name))
            return false;
    }
    return true;
}

static bool gpt_fits(const ThModel *m)
{
    return (option_is(m, "block", "gpt2") || option_is(m, "block", "neox")) &&
           option_is(m, "head", "own") && !option_is(m, "activation", "gelu_tanh");
}

bool th_proof_windows_fit(const ThModel *m)
{
    const ThOptions *o = &m->options;
    bool gpt = strcmp(m->kind->name, "gpt") == 0;
    if (!m->bound || (!gpt && strcmp(m->kind->name, "transformer") != 0) ||
        !option_is(m, "position", "hard_alibi") || !th_option_flag(o, "causal"))
        return false;
    long long heads = th_option_int(o, "heads"), layers = th_option_int(o, "layers");
    return only_known(m) && heads <= TH_PROOF_CHILDREN &&
           th_option_int_or(o, "window_heads", (heads + 1) / 2) == heads &&
           th_option_int_or(o, "window_layers", layers) >= layers &&
           (m->signature.target == TH_TARGET_FINAL || m->signature.target == TH_TARGET_EVERY) &&
           (!gpt || gpt_fits(m));
}

/* Returns new: the model, and room for a string of as many symbols as it reads. */
static Net *net_of(const ThModel *m, double slack, ThError *err)
{
    const ThOptions *o = &m->options;
    int d = (int)th_option_int(o, "dim"), heads = (int)th_option_int(o, "heads");
    int layers = (int)th_option_int(o, "layers"), reach = layers * (heads - 1) + 1;
    int up = th_params_find(&m->params, "layer0.feed_forward.up"), n = m->signature.n_classes;
    int hidden = up < 0 ? 0 : m->params.item[up].cols;
    size_t rows = (size_t)reach, wide = (size_t)d;
    Net *f = th_alloc(
        1, sizeof *f + (rows * (7 * wide + (size_t)hidden) + (size_t)n) * sizeof *f->number, err);
    if (!f)
        return NULL;
    bool gpt = strcmp(m->kind->name, "gpt") == 0;
    *f = (Net){.m = m,
               .dim = d,
               .heads = heads,
               .layers = layers,
               .hidden = hidden,
               .n_symbols = m->signature.n_symbols,
               .n_classes = n,
               .reach = reach,
               .gpt = gpt,
               .slack = slack};
    f->before = gpt && option_is(m, "norm", "before");
    f->beside = gpt && option_is(m, "block", "neox");
    f->gelu = gpt && !option_is(m, "activation", "relu");
    f->scale = !gpt || th_option_flag(o, "scale") ? sqrt(d) : 1;
    Number **row[] = {&f->x, &f->read, &f->query, &f->mixed, &f->sum}, *at = f->number;
    for (int i = 0; i < 5; i++, at += rows * wide)
        *row[i] = at;
    f->both = at;
    f->unit_of = f->both + 2 * rows * wide;
    f->logit = f->unit_of + rows * (size_t)hidden;
    return f;
}

/* ---- its steps ------------------------------------------------------------------------------- */

/* y (n, to) <- x (n, from) times a matrix, with a bias where there is one. */
static void linear(const Net *f, const Number *x, const float *w, const float *bias, int n,
                   int from, int to, Number *y)
{
    const double gamma = th_proof_gamma(f->unit, from + 2);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < to; j++) {
            double at = bias ? (double)bias[j] : 0, off = 0, size = fabs(at);
            for (int k = 0; k < from; k++) {
                double by = (double)w[k * to + j];
                Number from_x = x[i * from + k];
                at += from_x.at * by;
                off += from_x.off * fabs(by);
                size += most(from_x) * fabs(by);
            }
            y[i * to + j] = (Number){at, off + gamma * size + TH_PROOF_UNDERFLOW};
        }
}

/* x <- x + y, n numbers. */
static void add(const Net *f, Number *x, const Number *y, int n)
{
    for (int i = 0; i < n; i++) {
        x[i].at += y[i].at;
        x[i].off += y[i].off;
        x[i].off += f->unit * most(x[i]);
    }
}

/* Layer norm of n rows.  The root of the mean square, with or without ε in it, moves by no more
 * than that of what the centred numbers are off by. */
static void normalise(const Net *f, const Number *x, const float *gain, const float *offset, int n,
                      Number *y)
{
    const int d = f->dim;
    const double gamma = th_proof_gamma(f->unit, d + 4), more = th_proof_gamma(f->unit, d + 16);
    for (int r = 0; r < n; r++, x += d, y += d) {
        double mean = 0, off = 0, size = 0, square = 0, loose = 0;
        for (int i = 0; i < d; i++) {
            mean += x[i].at / d;
            off += x[i].off / d;
            size += most(x[i]) / d;
        }
        for (int i = 0; i < d; i++) {
            y[i] = (Number){x[i].at - mean, x[i].off + off + gamma * (size + most(x[i]))};
            square += y[i].at * y[i].at / d;
            loose += y[i].off * y[i].off / d;
        }
        double root = sqrt(square + TH_PROOF_EPSILON), by = sqrt(loose);
        double least = fmax(sqrt(TH_PROOF_EPSILON), root - by);
        for (int i = 0; i < d; i++) {
            double z = y[i].at / root, g = (double)gain[i];
            double far = (y[i].off + fabs(z) * by) / least;
            far += more * (fabs(z) + far);
            double at = g * z + (double)offset[i];
            y[i] = (Number){at, fabs(g) * far +
                                    more * (fabs(g) * (fabs(z) + far) + fabs((double)offset[i])) +
                                    TH_PROOF_UNDERFLOW};
        }
    }
}

/* Weights of n keys from their logits: each is one over the sum of all exponentials beside its own,
 * which is greatest and least where the others are. */
static void weigh(const Net *f, const Number *logit, int n, Number *to)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, most(logit[j]));
    const double roundings = th_proof_gamma(f->unit, n + 24 + 8 * largest);
    for (int j = 0; j < n; j++) {
        double least = 1, greatest = 1;
        for (int k = 0; k < n; k++)
            if (k != j) {
                double gap = logit[k].at - logit[j].at, by = logit[k].off + logit[j].off;
                greatest += exp(gap - by);
                least += exp(gap + by);
            }
        double low = 1 / least, high = 1 / greatest;
        to[j] =
            (Number){(low + high) / 2, (high - low) / 2 + roundings * high + TH_PROOF_UNDERFLOW};
    }
}

/* f->mixed <- what all heads mix of the values, for n rows of queries and keys: head h looks at the
 * last h + 1. */
static void attend(const Net *f, int n)
{
    const int d = f->dim, size = d / f->heads;
    const double scale = 1 / sqrt(size), gamma = th_proof_gamma(f->unit, size + 4);
    Number logit[TH_PROOF_CHILDREN], weight[TH_PROOF_CHILDREN];
    for (int i = 0; i < n; i++)
        for (int h = 0; h < f->heads; h++) {
            int from = i - h > 0 ? i - h : 0, keys = i - from + 1;
            const Number *query = f->query + i * d + h * size;
            for (int j = 0; j < keys; j++) {
                const Number *key = f->both + (from + j) * 2 * d + h * size;
                double at = 0, off = 0, all = 0;
                for (int k = 0; k < size; k++) {
                    at += query[k].at * key[k].at;
                    off += query[k].off * most(key[k]) + fabs(query[k].at) * key[k].off;
                    all += most(query[k]) * most(key[k]);
                }
                logit[j] = (Number){scale * at, scale * (off + gamma * all) + TH_PROOF_UNDERFLOW};
            }
            weigh(f, logit, keys, weight);
            const double sums = th_proof_gamma(f->unit, keys + 2);
            for (int c = h * size; c < (h + 1) * size; c++) {
                double at = 0, off = 0, all = 0;
                for (int j = 0; j < keys; j++) {
                    Number v = f->both[(from + j) * 2 * d + d + c];
                    at += weight[j].at * v.at;
                    off += weight[j].off * most(v) + weight[j].at * v.off;
                    all += most(weight[j]) * most(v);
                }
                f->mixed[i * d + c] = (Number){at, off + sums * all + TH_PROOF_UNDERFLOW};
            }
        }
}

/* GELU's slope is at most 1.13, and a run's Φ is off by 32 roundings of 1 at most. */
static void bend(const Net *f, Number *x, int n)
{
    enum { GELU_ROUNDINGS = 32 };
    const double steepest = 1.13;
    for (int i = 0; i < n; i++) {
        double at = x[i].at;
        x[i].at = f->gelu ? at * 0.5 * erfc(-at * M_SQRT1_2) : fmax(0, at);
        if (f->gelu)
            x[i].off =
                steepest * x[i].off + GELU_ROUNDINGS * f->unit * most((Number){at, x[i].off});
    }
}

/* sum <- what the feed-forward layer makes of n rows. */
static void feed(const Net *f, int layer, const Number *from, int n)
{
    const int d = f->dim;
    linear(f, from, weights(f, layer, "feed_forward.up"), weights(f, layer, "feed_forward.up_bias"),
           n, d, f->hidden, f->unit_of);
    bend(f, f->unit_of, n * f->hidden);
    linear(f, f->unit_of, weights(f, layer, "feed_forward.down"),
           weights(f, layer, "feed_forward.down_bias"), n, f->hidden, d, f->sum);
}

static void norm_of(const Net *f, int layer, int which, const Number *x, int n, Number *y)
{
    normalise(f, x, weights(f, layer, which == 1 ? "norm1.gain" : "norm2.gain"),
              weights(f, layer, which == 1 ? "norm1.offset" : "norm2.offset"), n, y);
}

/* f->x <- what a layer makes of its n rows.  Norms stand before each part (gpt), or behind each
 * sum; `beside` both parts read the same. */
static void run_layer(const Net *f, int layer, int n)
{
    const int d = f->dim;
    const size_t all = (size_t)n * (size_t)d * sizeof *f->x;
    if (f->before)
        norm_of(f, layer, 1, f->x, n, f->read);
    else
        memcpy(f->read, f->x, all);
    linear(f, f->read, weights(f, layer, "attention.query"),
           weights(f, layer, "attention.query_bias"), n, d, d, f->query);
    linear(f, f->read, weights(f, layer, "attention.key_value"),
           weights(f, layer, "attention.key_value_bias"), n, d, 2 * d, f->both);
    attend(f, n);
    linear(f, f->mixed, weights(f, layer, "attention.output"),
           weights(f, layer, "attention.output_bias"), n, d, d, f->sum);
    if (f->beside)
        norm_of(f, layer, 2, f->x, n, f->read);
    add(f, f->x, f->sum, n * d);
    if (!f->before) {
        norm_of(f, layer, 1, f->x, n, f->read);
        memcpy(f->x, f->read, all);
    } else if (!f->beside)
        norm_of(f, layer, 2, f->x, n, f->read);
    feed(f, layer, f->read, n);
    add(f, f->x, f->sum, n * d);
    if (!f->before) {
        norm_of(f, layer, 2, f->x, n, f->read);
        memcpy(f->x, f->read, all);
    }
}

static void loosen(const Net *f, int n)
{
    for (int i = 0; i < n * f->dim; i++)
        f->x[i].off += f->slack;
}

/* f->logit <- what is read behind a string, in arithmetic that rounds by `unit`. */
static void answer(Net *f, const int *word, int n, double unit)
{
    const int d = f->dim;
    const float *embedding = weights(f, -1, "embedding");
    f->unit = unit;
    for (int i = 0; i < n * d; i++) {
        double at = f->scale * (double)embedding[word[i / d] * d + i % d];
        f->x[i] = (Number){at, 3 * unit * fabs(at)};
    }
    loosen(f, n);
    for (int layer = 0; layer < f->layers; layer++) {
        run_layer(f, layer, n);
        loosen(f, n);
    }
    const float *gain = weights(f, -1, "final_norm.gain");
    Number *last = f->x + (n - 1) * d;
    if (gain) {
        normalise(f, last, gain, weights(f, -1, "final_norm.offset"), 1, f->read);
        last = f->read;
    }
    linear(f, last, weights(f, -1, "head"), weights(f, -1, "head_bias"), 1, d, f->n_classes,
           f->logit);
    for (int c = 0; c < f->n_classes; c++)
        f->logit[c].off = f->logit[c].off * TH_PROOF_WIDER + f->slack + TH_PROOF_SPARE;
}

/* The class whose logit is surely the greatest, or -1; *lead <- by how much it leads at least. */
static int surely(const Net *f, double *lead)
{
    int best = 0;
    double next = -HUGE_VAL;
    *lead = -HUGE_VAL;
    for (int c = 0; c < f->n_classes; c++)
        if (!(fabs(f->logit[c].at) + f->logit[c].off < HUGE_VAL))
            return -1;
    for (int c = 1; c < f->n_classes; c++)
        if (f->logit[c].at > f->logit[best].at)
            best = c;
    for (int c = 0; c < f->n_classes; c++)
        if (c != best)
            next = fmax(next, f->logit[c].at + f->logit[c].off);
    *lead = f->logit[best].at - f->logit[best].off - next;
    return *lead > 0 ? best : -1;
}

/* ---- all strings ----------------------------------------------------------------------------- */

/* Where automaton and domain can be, with how they got there: a word of `length` symbols, the last
 * of which is `symbol` behind `from`. */
typedef struct {
    int state, place, length, from, symbol;
} Point;

typedef struct {
    Net *f;
    const ThProofClaim *claim;
    ThProofWindows *out;
    Point *point; /* in the order of their lengths, the start first */
    int n_points;
} Look;

static int step(const ThDfa *d, int q, int symbol)
{
    return d ? d->next[q * d->n_symbols + symbol] : 0;
}

static bool find_points(Look *k, ThError *err)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    const int places = d ? d->n_states : 1;
    size_t all = (size_t)m->n_states * (size_t)places;
    bool *seen TH_OWNED(free) = th_alloc(all, sizeof *seen, err);
    k->point = th_alloc(all, sizeof *k->point, err);
    if (!seen || !k->point)
        return false;
    k->point[k->n_points++] = (Point){m->start, d ? d->start : 0, 0, -1, -1};
    seen[m->start * places + k->point[0].place] = true;
    for (int i = 0; i < k->n_points; i++)
        for (int a = 0; a < m->n_symbols; a++) {
            Point to = {step(m, k->point[i].state, a), step(d, k->point[i].place, a),
                        k->point[i].length + 1, i, a};
            if (seen[to.state * places + to.place])
                continue;
            seen[to.state * places + to.place] = true;
            k->point[k->n_points++] = to;
        }
    return true;
}

/* Keeps a string that is not surely answered right (said -1: nothing is sure), behind what leads to
 * a point: the shortest, but one that is surely wrong before all that are not known. */
static bool keep(Look *k, const Point *p, const int *word, int n, int right, int said, ThError *err)
{
    ThProofWindows *w = k->out;
    int length = p->length + n;
    bool wrong = said >= 0;
    if (w->word && (w->wrong != wrong ? w->wrong : w->length <= length))
        return true;
    int *all = th_alloc((size_t)length, sizeof *all, err);
    if (!all)
        return false;
    memcpy(all + p->length, word, (size_t)n * sizeof *word);
    for (const Point *at = p; at->from >= 0; at = &k->point[at->from])
        all[at->length - 1] = at->symbol;
    free(w->word);
    w->word = all;
    w->length = length;
    w->wrong = wrong;
    w->right = right;
    w->answer = said;
    return true;
}

/* Compares the answer to a string, behind the first points, with the automaton's. */
static bool compare(Look *k, const int *word, int n, ThError *err)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    double lead, in_float;
    answer(k->f, word, n, units[1]);
    int run = surely(k->f, &in_float);
    for (int c = 0; c < k->f->n_classes; c++)
        k->out->rounding = fmax(k->out->rounding, k->f->logit[c].off);
    answer(k->f, word, n, units[0]);
    int said = surely(k->f, &lead);
    k->out->strings++;
    for (int i = 0; i < (n < k->f->reach ? 1 : k->n_points); i++) {
        int q = k->point[i].state, place = k->point[i].place;
        for (int a = 0; a < n; a++) {
            q = step(m, q, word[a]);
            place = step(d, place, word[a]);
        }
        if (m->label[q] >= k->f->n_classes || (d && d->label[place] == 0))
            continue;
        k->out->answers++;
        k->out->in_float &= run == m->label[q];
        k->out->lead = fmin(k->out->lead, lead);
        if (said != m->label[q] && !keep(k, &k->point[i], word, n, m->label[q], said, err))
            return false;
    }
    return true;
}

static bool compare_all(Look *k, ThStop *stop, ThError *err)
{
    int *word TH_OWNED(free) = th_alloc((size_t)k->f->reach, sizeof *word, err);
    for (int n = 1; word && n <= k->f->reach; n++) {
        int i;
        memset(word, 0, (size_t)n * sizeof *word);
        do {
            if (th_stopped_at(stop, (size_t)k->out->strings, "strings", err) ||
                !compare(k, word, n, err))
                return false;
            for (i = n - 1; i >= 0 && ++word[i] == k->f->n_symbols; i--)
                word[i] = 0;
        } while (i >= 0);
    }
    return word != NULL;
}

/* What is wrong in real numbers must be so of the model itself, whose run may say something else.
 */
static bool ask(Look *k, ThError *err)
{
    ThProofWindows *w = k->out;
    int said = 0;
    if (!w->wrong)
        return true;
    if (!th_proof_ask(k->f->m, w->word, w->length, &said, err))
        return false;
    w->wrong = said != w->right;
    w->answer = said;
    return true;
}

static bool few(const Net *f, ThError *err)
{
    const double largest = 1e6, all = pow(f->n_symbols, f->reach);
    return all <= largest ||
           th_fail(err, TH_ELIMIT,
                   "an answer depends on the last %d symbols: %.3g strings of them are too many",
                   f->reach, all) ||
           th_hint(err, "fewer heads or layers read fewer symbols: layers (heads - 1) + 1");
}

bool th_proof_windows_logits(const ThModel *m, const int *word, int n, bool in_float, double *at,
                             double *off, ThError *err)
{
    Net *f TH_OWNED(free) = net_of(m, 0, err);
    if (!f)
        return false;
    answer(f, word, n, units[in_float]);
    for (int c = 0; c < f->n_classes; c++) {
        at[c] = f->logit[c].at;
        off[c] = f->logit[c].off;
    }
    return true;
}

ThProofWindows *th_proof_windows(const ThModel *m, const ThProofClaim *claim, double slack,
                                 ThStop *stop, ThError *err)
{
    if (!th_proof_windows_fit(m))
        return th_null(th_fail(err, TH_EVALUE, "the model sees more than windows"));
    if (!th_model_whole(m, "a proof", err) || !th_proof_moderate(&m->params, err))
        return NULL;
    Net *f TH_OWNED(free) = net_of(m, slack, err);
    ThProofWindows *w = f && few(f, err) ? th_alloc(1, sizeof *w, err) : NULL;
    if (!w)
        return NULL;
    Look k = {.f = f, .claim = claim, .out = w};
    *w = (ThProofWindows){.reach = f->reach, .in_float = true, .lead = HUGE_VAL};
    bool ok = find_points(&k, err) && compare_all(&k, stop, err) && ask(&k, err);
    free(k.point);
    w->holds = ok && !w->word;
    w->in_float &= w->holds;
    return TH_KEEP_IF(ok, w, th_proof_windows_free);
}

void th_proof_windows_free(ThProofWindows *w)
{
    if (w)
        free(w->word);
    free(w);
}
