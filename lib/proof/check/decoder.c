#include "proof/check/decoder.h"

#include <stdio.h>

#include "models/position/position.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/places.h"

typedef ThProofNumber Number;
typedef ThProofDecoder Net;

static double most(Number x)
{
    return fabs(x.at) + x.off;
}

/* ---- the model ------------------------------------------------------------------------------- */

const float *th_proof_decoder_weights(const ThProofDecoder *f, int layer, const char *name)
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
        "head_bias head init dropout attention_dropout position window_heads window_layers "
        "longest places ";
    char name[80];
    for (const ThOptionSpec *s = m->kind->options; s->name; s++) {
        snprintf(name, sizeof name, " %s ", s->name);
        if (th_option_given(&m->options, s->name) && !strstr(known, name))
            return false;
    }
    return !th_position_has_places(&m->options);
}

static bool gpt_fits(const ThModel *m)
{
    return (option_is(m, "block", "gpt2") || option_is(m, "block", "neox")) &&
           option_is(m, "head", "own") && !option_is(m, "activation", "gelu_tanh");
}

bool th_proof_decoder_known(const ThModel *m, const char *position)
{
    ThProofPlaces places;
    bool gpt = strcmp(m->kind->name, "gpt") == 0;
    return m->bound && (gpt || strcmp(m->kind->name, "transformer") == 0) &&
           (position ? option_is(m, "position", position)
                     : th_proof_places_named(th_option_text(&m->options, "position"), &places)) &&
           only_known(m) && (!gpt || gpt_fits(m)) &&
           (m->signature.target == TH_TARGET_FINAL || m->signature.target == TH_TARGET_EVERY);
}

ThProofDecoder *th_proof_decoder_new(const ThModel *m, int n_rows, double slack, ThError *err)
{
    const ThOptions *o = &m->options;
    int d = (int)th_option_int(o, "dim");
    int up = th_params_find(&m->params, "layer0.feed_forward.up"), n = m->signature.n_classes;
    int hidden = up < 0 ? 0 : m->params.item[up].cols;
    size_t rows = (size_t)n_rows, wide = (size_t)d, far;
    int heads = (int)th_option_int(o, "heads");
    ThProofPlaces places = TH_PROOF_NO_PLACES;
    th_proof_places_named(th_option_text(o, "position"), &places);
    far = th_proof_places_room(places, n_rows, heads, d);
    Net *f = th_alloc(
        1, sizeof *f + (rows * (7 * wide + (size_t)hidden) + (size_t)n + far) * sizeof *f->number,
        err);
    if (!f)
        return NULL;
    bool gpt = strcmp(m->kind->name, "gpt") == 0;
    *f = (Net){.m = m,
               .dim = d,
               .heads = heads,
               .places = places,
               .causal = th_option_flag(o, "causal"),
               .longest = n_rows,
               .layers = (int)th_option_int(o, "layers"),
               .hidden = hidden,
               .n_symbols = m->signature.n_symbols,
               .n_classes = n,
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
    f->by_places = f->logit + n;
    if (places == TH_PROOF_HARD_ALIBI) {
        f->window_heads = (int)th_option_int_or(o, "window_heads", (heads + 1) / 2);
        f->window_layers = (int)th_option_int_or(o, "window_layers", f->layers);
    }
    th_proof_places_begin(f);
    return f;
}

/* ---- its steps ------------------------------------------------------------------------------- */

void th_proof_decoder_linear(const ThProofDecoder *f, const ThProofNumber *x, const float *w,
                             const float *bias, int n, int from, int to, ThProofNumber *y)
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

/* The root of the mean square, with or without ε in it, moves by no more than that of what the
 * centred numbers are off by. */
void th_proof_number_norm(const Number *x, int d, double unit, const float *gain,
                          const float *offset, Number *y)
{
    const double gamma = th_proof_gamma(unit, d + 4), more = th_proof_gamma(unit, d + 16);
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

/* Layer norm of n rows. */
static void normalise(const Net *f, const Number *x, const float *gain, const float *offset, int n,
                      Number *y)
{
    for (int r = 0; r < n; r++)
        th_proof_number_norm(x + r * f->dim, f->dim, f->unit, gain, offset, y + r * f->dim);
}

/* Each weight is one over the sum of all exponentials beside its own, which is greatest and least
 * where the others are. */
void th_proof_number_softmax(const Number *logit, int n, double unit, Number *to)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, most(logit[j]));
    const double roundings = th_proof_gamma(unit, n + 24 + 8 * largest);
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

/* f->mixed <- what all heads mix of the values, for n rows of queries and keys. */
static void attend(const Net *f, int layer, int n)
{
    const int d = f->dim, size = d / f->heads;
    Number logit[TH_PROOF_CHILDREN], weight[TH_PROOF_CHILDREN];
    for (int i = 0; i < n; i++)
        for (int h = 0; h < f->heads; h++) {
            int from, to;
            th_proof_places_seen(f, layer, h, i, n, &from, &to);
            const int keys = to - from + 1;
            for (int j = 0; j < keys; j++)
                logit[j] = th_proof_places_logit(f, layer, h, i, from + j);
            th_proof_number_softmax(logit, keys, f->unit, weight);
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

/* Weights in real numbers, which add up to 1, of all symbols: that of one is greatest where it is
 * most often there and others least.  Returns what a run rounds, relative. */
static double weigh_shares(const Net *f, const Number *logit, bool any, Number *to)
{
    const int n = f->n_symbols;
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, most(logit[j]));
    for (int j = 0; j < n; j++) {
        double low = any ? 0 : f->share[0][j], high = any ? 1 : f->share[1][j];
        double least = low, greatest = high;
        for (int k = 0; k < n; k++)
            if (k != j) {
                double gap = logit[k].at - logit[j].at, by = logit[k].off + logit[j].off;
                greatest += any ? 0 : f->share[0][k] * exp(gap - by);
                least += any ? 0 : f->share[1][k] * exp(gap + by);
            }
        low = low > 0 ? low / least : 0;
        high = high > 0 ? high / greatest : 0;
        to[j] = (Number){(low + high) / 2, (high - low) / 2};
    }
    return th_proof_gamma(f->unit, f->positions + n + 24 + 8 * largest);
}

/* One number of a head's mixture: in real numbers it lies among the values, and is no farther from
 * any point than weights and distances from there say. */
static Number mix_shares(const Net *f, const Number *weight, const Number *value, double lost)
{
    const int n = f->n_symbols, step = 2 * f->dim;
    double point = 0, total = 0, far = 0, farthest = 0, loose = 0, size = 0;
    for (int j = 0; j < n; j++) {
        total += weight[j].at;
        point += weight[j].at * value[j * step].at;
        size += most(value[j * step]);
    }
    if (!(total > 0 && size < HUGE_VAL))
        return (Number){0, HUGE_VAL};
    point /= total;
    double at = point;
    for (int j = 0; j < n; j++)
        at += weight[j].at * (value[j * step].at - point);
    for (int j = 0; j < n; j++) {
        Number v = value[j * step];
        far += weight[j].off * fabs(v.at - point);
        if (most(weight[j]) == 0)
            continue;
        farthest = fmax(farthest, fabs(v.at - at));
        loose = fmax(loose, v.off);
    }
    const double roundings = lost + th_proof_gamma(f->unit, f->positions + n + 8);
    return (Number){at, (fmin(far, farthest) + loose) * TH_PROOF_WIDER +
                            2 * roundings * size * fmax(1, total) +
                            TH_PROOF_UNDERFLOW * (1 + f->positions)};
}

/* The same as attend, where rows stand for symbols. */
static void attend_shares(const Net *f, int n)
{
    const int d = f->dim, size = d / f->heads;
    Number logit[TH_PROOF_CHILDREN], weight[TH_PROOF_CHILDREN];
    for (int i = 0; i < n; i++)
        for (int h = 0; h < f->heads; h++) {
            for (int j = 0; j < f->n_symbols; j++)
                logit[j] = th_proof_places_product(f, f->query + i * d + h * size, NULL,
                                                   f->both + j * 2 * d + h * size);
            double lost = weigh_shares(f, logit, f->apart && i < f->n_symbols, weight);
            for (int c = h * size; c < (h + 1) * size; c++)
                f->mixed[i * d + c] = mix_shares(f, weight, f->both + d + c, lost);
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
    th_proof_decoder_linear(f, from, th_proof_decoder_weights(f, layer, "feed_forward.up"),
                            th_proof_decoder_weights(f, layer, "feed_forward.up_bias"), n, d,
                            f->hidden, f->unit_of);
    bend(f, f->unit_of, n * f->hidden);
    th_proof_decoder_linear(f, f->unit_of, th_proof_decoder_weights(f, layer, "feed_forward.down"),
                            th_proof_decoder_weights(f, layer, "feed_forward.down_bias"), n,
                            f->hidden, d, f->sum);
}

static void norm_of(const Net *f, int layer, int which, const Number *x, int n, Number *y)
{
    normalise(f, x, th_proof_decoder_weights(f, layer, which == 1 ? "norm1.gain" : "norm2.gain"),
              th_proof_decoder_weights(f, layer, which == 1 ? "norm1.offset" : "norm2.offset"), n,
              y);
}

static void loosen(const Net *f, int n)
{
    for (int i = 0; i < n * f->dim; i++)
        f->x[i].off += f->slack;
}

/* Norms stand before each part (gpt), or behind each sum; `beside` both parts read the same. */
void th_proof_decoder_layer(const ThProofDecoder *f, int layer, int n)
{
    const int d = f->dim;
    const size_t all = (size_t)n * (size_t)d * sizeof *f->x;
    if (f->before)
        norm_of(f, layer, 1, f->x, n, f->read);
    else
        memcpy(f->read, f->x, all);
    th_proof_decoder_linear(f, f->read, th_proof_decoder_weights(f, layer, "attention.query"),
                            th_proof_decoder_weights(f, layer, "attention.query_bias"), n, d, d,
                            f->query);
    th_proof_decoder_linear(f, f->read, th_proof_decoder_weights(f, layer, "attention.key_value"),
                            th_proof_decoder_weights(f, layer, "attention.key_value_bias"), n, d,
                            2 * d, f->both);
    th_proof_places_prepare(f, layer, n);
    if (f->share[0])
        attend_shares(f, n);
    else
        attend(f, layer, n);
    th_proof_decoder_linear(f, f->mixed, th_proof_decoder_weights(f, layer, "attention.output"),
                            th_proof_decoder_weights(f, layer, "attention.output_bias"), n, d, d,
                            f->sum);
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
    loosen(f, n);
}

void th_proof_decoder_embed(ThProofDecoder *f, const int *symbol, int n)
{
    const float *embedding = th_proof_decoder_weights(f, -1, "embedding");
    const int d = f->dim;
    const double unit = f->unit;
    for (int i = 0; i < n * d; i++) {
        double at = f->scale * (double)embedding[symbol[i / d] * d + i % d];
        f->x[i] = (Number){at, 3 * unit * fabs(at)};
    }
    th_proof_places_embed(f, n);
    loosen(f, n);
}

void th_proof_decoder_read(const ThProofDecoder *f, int row)
{
    const int d = f->dim;
    const float *gain = th_proof_decoder_weights(f, -1, "final_norm.gain");
    const Number *last = f->x + row * d;
    if (gain) {
        normalise(f, last, gain, th_proof_decoder_weights(f, -1, "final_norm.offset"), 1, f->read);
        last = f->read;
    }
    th_proof_decoder_linear(f, last, th_proof_decoder_weights(f, -1, "head"),
                            th_proof_decoder_weights(f, -1, "head_bias"), 1, d, f->n_classes,
                            f->logit);
    for (int c = 0; c < f->n_classes; c++)
        f->logit[c].off = f->logit[c].off * TH_PROOF_WIDER + f->slack + TH_PROOF_SPARE;
}

int th_proof_decoder_surely(const ThProofDecoder *f, double *lead)
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
