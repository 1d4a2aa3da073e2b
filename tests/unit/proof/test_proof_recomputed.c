/* Bounds of rounding, calculated once more: in long double, from their formulas, step by step for
 * one point.  No run comes near to most of them, for they hold for sums of any order; that nothing
 * of them is missing is seen here, where a twentieth of any term is a difference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/windows.h"

enum { MOST = 512, SYMBOLS = 3 };
typedef long double Real;

/* A number, and how far a run's can be from it. */
typedef struct {
    Real at, off;
} Known;

static Real unit; /* of the arithmetic */

/* Of n roundings. */
static Real gamma_of(Real n)
{
    return n * unit / (1 - n * unit);
}

static Real size_of(Known x)
{
    return fabsl(x.at) + x.off;
}

static const float *weights(const ThModel *m, int layer, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, layer < 0 ? "%.0d%s" : "layer%d.%s", layer < 0 ? 0 : layer, name);
    int index = th_params_find(&m->params, full);
    return index < 0 ? NULL : th_params_at(&m->params, index);
}

static void same(const char *what, Real is, Real wanted, Real share)
{
    if (!(fabsl(is - wanted) <= share * fabsl(wanted)))
        fail_msg("%s is %.12Lg and should be %.12Lg", what, is, wanted);
}

/* to (n) = x (k) w + bias, each number of which has `more` roundings besides its products. */
static void affine(const Known *x, const float *w, const float *bias, int k, int n, int more,
                   Known *to)
{
    for (int j = 0; j < n; j++) {
        Known sum = {bias ? (Real)bias[j] : 0, 0};
        Real all = fabsl(sum.at);
        for (int i = 0; i < k; i++) {
            Real by = (Real)w[i * n + j];
            sum.at += x[i].at * by;
            sum.off += x[i].off * fabsl(by);
            all += size_of(x[i]) * fabsl(by);
        }
        sum.off += gamma_of(k + more) * all;
        to[j] = sum;
    }
}

/* ---- decoders with windows ------------------------------------------------------------------- */

static void norm(const ThModel *m, int layer, const char *name, const Known *x, int d, Known *to)
{
    char gain[40], offset[40];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    const float *g = weights(m, layer, gain), *o = weights(m, layer, offset);
    Real mean = 0, mean_off = 0, mean_size = 0, square = 0, loose = 0;
    for (int i = 0; i < d; i++) {
        mean += x[i].at / d;
        mean_off += x[i].off / d;
        mean_size += size_of(x[i]) / d;
    }
    for (int i = 0; i < d; i++) {
        Real off = x[i].off + mean_off + gamma_of(d + 4) * (mean_size + size_of(x[i]));
        to[i] = (Known){x[i].at - mean, off};
        square += to[i].at * to[i].at / d;
        loose += off * off / d;
    }
    Real root = sqrtl(square + 1e-5L), by = sqrtl(loose);
    Real least = fmaxl(sqrtl(1e-5L), root - by);
    for (int i = 0; i < d; i++) {
        Real z = fabsl(to[i].at / root), far = (to[i].off + z * by) / least;
        far += gamma_of(d + 16) * (z + far);
        Real all = fabsl((Real)g[i]) * (z + far) + fabsl((Real)o[i]);
        to[i].at = (Real)g[i] * to[i].at / root + (Real)o[i];
        to[i].off = fabsl((Real)g[i]) * far + gamma_of(d + 16) * all;
    }
}

/* The softmax of n logits: what it is where the others are all greatest, and all least. */
static void softmax(const Known *logit, int n, Known *to)
{
    Real largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmaxl(largest, size_of(logit[j]));
    for (int j = 0; j < n; j++) {
        Real least = 0, most = 0;
        for (int k = 0; k < n; k++) {
            Real gap = logit[k].at - logit[j].at, by = k == j ? 0 : logit[k].off + logit[j].off;
            least += expl(gap + by);
            most += expl(gap - by);
        }
        to[j] = (Known){(1 / least + 1 / most) / 2,
                        (1 / most - 1 / least) / 2 + gamma_of(n + 24 + 8 * largest) / most};
    }
}

/* What heads h = 0, 1, … mix behind row i of n: of the last h + 1 rows. */
static void heads(int i, int d, int count, const Known *query, const Known *both, Known *to)
{
    int size = d / count;
    for (int h = 0; h < count; h++) {
        Known logit[8], weight[8];
        int from = i > h ? i - h : 0, keys = i - from + 1;
        for (int j = 0; j < keys; j++) {
            Real at = 0, off = 0, all = 0;
            for (int k = h * size; k < (h + 1) * size; k++) {
                Known q = query[k], key = both[(from + j) * 2 * d + k];
                at += q.at * key.at;
                off += fabsl(q.at) * key.off + q.off * fabsl(key.at) + q.off * key.off;
                all += size_of(q) * size_of(key);
            }
            logit[j] = (Known){at / sqrtl(size), (off + gamma_of(size + 4) * all) / sqrtl(size)};
        }
        softmax(logit, keys, weight);
        for (int c = h * size; c < (h + 1) * size; c++) {
            Real all = 0;
            to[c] = (Known){0, 0};
            for (int j = 0; j < keys; j++) {
                Known v = both[(from + j) * 2 * d + d + c];
                to[c].at += weight[j].at * v.at;
                to[c].off += weight[j].at * v.off + weight[j].off * size_of(v);
                all += size_of(weight[j]) * size_of(v);
            }
            to[c].off += gamma_of(keys + 2) * all;
        }
    }
}

static void add(Known *x, const Known *y, int n)
{
    for (int i = 0; i < n; i++) {
        x[i].at += y[i].at;
        x[i].off += y[i].off;
        x[i].off += unit * size_of(x[i]);
    }
}

static void feed(const ThModel *m, int layer, bool gelu, int d, int hidden, const Known *x,
                 Known *to)
{
    Known u[MOST];
    affine(x, weights(m, layer, "feed_forward.up"), weights(m, layer, "feed_forward.up_bias"), d,
           hidden, 2, u);
    for (int k = 0; k < hidden; k++) {
        Real at = u[k].at, size = size_of(u[k]);
        u[k].at = gelu ? at * erfcl(-at / sqrtl(2)) / 2 : fmaxl(0, at);
        u[k].off = gelu ? 1.13L * u[k].off + 32 * unit * size : u[k].off;
    }
    affine(u, weights(m, layer, "feed_forward.down"), weights(m, layer, "feed_forward.down_bias"),
           hidden, d, 2, to);
}

typedef struct {
    const char *kind, *settings;
    int d, heads, layers, hidden;
    bool before, beside, gelu, last;
    Real scale;
} Decoder;

static const Decoder decoders[] = {
    {"transformer", "dim=6 heads=3 layers=2 causal=yes position=hard_alibi window_heads=3", 6, 3, 2,
     24, false, false, false, false, 2.449489742783178L},
    {"gpt", "dim=4 heads=2 layers=2 position=hard_alibi window_heads=2 head_bias=yes", 4, 2, 2, 16,
     true, false, true, true, 1},
    {"gpt",
     "dim=4 heads=2 layers=1 position=hard_alibi window_heads=2 block=neox activation=relu "
     "scale=yes",
     4, 2, 1, 16, true, true, false, true, 2},
};

static void decode(const ThModel *m, const Decoder *g, int layer, int n, Known *x)
{
    int d = g->d;
    Known read[MOST], query[MOST], both[MOST], mixed[MOST], more[MOST], fed[MOST];
    for (int i = 0; i < n; i++) {
        Known *from = read + i * d;
        if (g->before)
            norm(m, layer, "norm1", x + i * d, d, from);
        else
            memcpy(from, x + i * d, (size_t)d * sizeof *x);
        affine(from, weights(m, layer, "attention.query"),
               weights(m, layer, "attention.query_bias"), d, d, 2, query + i * d);
        affine(from, weights(m, layer, "attention.key_value"),
               weights(m, layer, "attention.key_value_bias"), d, 2 * d, 2, both + i * 2 * d);
    }
    for (int i = 0; i < n; i++) {
        Known *row = x + i * d, was[MOST];
        heads(i, d, g->heads, query + i * d, both, mixed);
        affine(mixed, weights(m, layer, "attention.output"),
               weights(m, layer, "attention.output_bias"), d, d, 2, more);
        memcpy(was, row, (size_t)d * sizeof *was);
        add(row, more, d);
        if (!g->before)
            norm(m, layer, "norm1", memcpy(was, row, (size_t)d * sizeof *was), d, row);
        if (g->before)
            norm(m, layer, "norm2", g->beside ? was : row, d, read);
        feed(m, layer, g->gelu, d, g->hidden, g->before ? read : row, fed);
        add(row, fed, d);
        if (!g->before)
            norm(m, layer, "norm2", memcpy(was, row, (size_t)d * sizeof *was), d, row);
    }
}

static void test_windows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof decoders / sizeof *decoders; k++)
        for (int in_float = 0; in_float < 2; in_float++) {
            const Decoder *g = &decoders[k];
            int word[] = {0, 2, 1, 1}, n = g->layers * (g->heads - 1) + 1 < 4 ? 2 : 3;
            double at[SYMBOLS], off[SYMBOLS];
            Known x[MOST], last[MOST], logit[SYMBOLS];
            ThModel *m = bound(g->kind, g->settings, TH_TARGET_FINAL, SYMBOLS);
            unit = in_float ? 0x1p-24L * (1 + 0x1p-20L) : 0x1p-51L;
            for (int i = 0; i < n * g->d; i++) {
                Real e = (Real)weights(m, -1, "embedding")[word[i / g->d] * g->d + i % g->d];
                x[i] = (Known){g->scale * e, 3 * unit * fabsl(g->scale * e)};
            }
            for (int layer = 0; layer < g->layers; layer++)
                decode(m, g, layer, n, x);
            memcpy(last, x + (n - 1) * g->d, (size_t)g->d * sizeof *last);
            if (g->last)
                norm(m, -1, "final_norm", x + (n - 1) * g->d, g->d, last);
            affine(last, weights(m, -1, "head"), weights(m, -1, "head_bias"), g->d, SYMBOLS, 2,
                   logit);
            assert_true(th_proof_windows_logits(m, word, n, in_float, at, off, NULL));
            for (int c = 0; c < SYMBOLS; c++) {
                same("a logit", (Real)at[c], logit[c].at, 1e-10L);
                same("its bound", (Real)off[c] - 1e-9L, logit[c].off * (1 + 1e-9L),
                     in_float ? 1e-8L : 1e-2L);
            }
            th_model_free(m);
        }
}

/* ---- linear recurrences ---------------------------------------------------------------------- */

enum { D = 6 };

/* Of a symbol: a layer norm of what is exact, and two layers with ReLU between them. */
static void norm_of_symbol(const ThModel *m, int symbol, Known *to)
{
    const float *e = weights(m, -1, "embedding") + symbol * D;
    const float *g = weights(m, 0, "norm.gain"), *o = weights(m, 0, "norm.offset");
    Real mean = 0, size = 0, square = 0, loose = 0;
    for (int i = 0; i < D; i++) {
        mean += (Real)e[i] / D;
        size += fabsl((Real)e[i]) / D;
    }
    for (int i = 0; i < D; i++) {
        to[i] = (Known){(Real)e[i] - mean, gamma_of(D + 4) * (size + fabsl((Real)e[i]))};
        square += to[i].at * to[i].at / D;
        loose += to[i].off * to[i].off / D;
    }
    Real root = sqrtl(square + 1e-5L), by = sqrtl(loose) / root, share = by / (1 - by);
    share += gamma_of(D + 12) * (1 + share);
    for (int i = 0; i < D; i++) {
        Real z = (Real)g[i] * to[i].at / root;
        Real off = fabsl((Real)g[i]) * to[i].off / root * (1 + share) + fabsl(z) * share;
        off += gamma_of(4) * (fabsl(z) + off + fabsl((Real)o[i]));
        to[i] = (Known){z + (Real)o[i], off};
    }
}

static void two_layers(const ThModel *m, const char *const name[4], const Known *x, int wide,
                       Known *to)
{
    Known up[MOST];
    affine(x, weights(m, 0, name[0]), weights(m, 0, name[1]), D, wide, 2, up);
    for (int i = 0; i < wide; i++)
        up[i].at = fmaxl(0, up[i].at);
    affine(up, weights(m, 0, name[2]), weights(m, 0, name[3]), wide, wide, 2, to);
}

/* A column of a block of k, without its mean. */
static void centre(Known *a, int k)
{
    Real mean = 0, size = 0, loose = 0;
    for (int i = 0; i < k; i++) {
        mean += a[i * k].at / k;
        size += size_of(a[i * k]) / k;
        loose += a[i * k].off / k;
    }
    for (int i = 0; i < k; i++) {
        a[i * k].off += loose + gamma_of(k + 4) * (size + size_of(a[i * k]));
        a[i * k].at -= mean;
    }
}

static Known length(const Known *a, int k, Real p)
{
    Real sum = 0, loose = 0, logarithm = 1;
    for (int i = 0; i < k; i++) {
        Real most = size_of(a[i * k]), least = fmaxl(0, fabsl(a[i * k].at) - a[i * k].off);
        sum += powl(fabsl(a[i * k].at), p);
        loose += powl(a[i * k].off, p);
        logarithm = fmaxl(logarithm, fmaxl(fabsl(logl(most)), fabsl(logl(least))));
    }
    Real norm = powl(sum, 1 / p), moved = powl(loose, 1 / p) + powl(k * 1e-29L, 1 / p);
    return (Known){norm, moved + gamma_of(k + 40 + 12 * p * (1 + logarithm)) * (norm + moved)};
}

static void divide(Known *a, int k, Known by)
{
    for (int i = 0; i < k; i++) {
        Real q = a[i * k].at / by.at;
        Real off = (a[i * k].off + fabsl(q) * by.off) / (by.at - by.off);
        a[i * k] = (Known){q, off + gamma_of(4) * (fabsl(q) + off)};
    }
}

static void bound_block(Known *a, int k, Real p, bool paper)
{
    Known most = {0, 0};
    for (int j = 0; !paper && j < k; j++) {
        centre(a + j, k);
        Known n = length(a + j, k, p);
        most = (Known){fmaxl(most.at, n.at), fmaxl(most.off, n.off)};
    }
    for (int j = 0; j < k; j++) {
        Known n = paper ? length(a + j, k, p) : most;
        if (!paper || size_of(n) > 1)
            divide(a + j, k, (Known){paper ? fmaxl(1, n.at) : n.at, n.off});
    }
}

static void check_symbol(const ThModel *m, const ThProofCell *f, int symbol, int in_float)
{
    static const char *const transition[] = {"transition.up", "transition.up_bias",
                                             "transition.blocks", "transition.blocks_bias"};
    static const char *const value[] = {"value.up", "value.up_bias", "value.down",
                                        "value.down_bias"};
    int k = (int)th_option_int(&m->options, "block");
    bool paper = strcmp(th_option_text(&m->options, "norm"), "paper") == 0;
    Known x[D], block[MOST], input[D];
    unit = in_float ? 0x1p-24L : 0x1p-44L;
    norm_of_symbol(m, symbol, x);
    two_layers(m, transition, x, D * k, block);
    two_layers(m, value, x, D, input);
    for (int i = 0; i < D; i++)
        same("what a symbol adds is off by", (Real)f->input_off[in_float][symbol * D + i],
             input[i].off, 1e-9L);
    for (int b = 0; b < D / k; b++) {
        Known *a = block + b * k * k;
        bound_block(a, k, (Real)th_option_real(&m->options, "p"), paper);
        for (int i = 0; i < k * k; i++) {
            int at = (symbol * D + b * k + i / k) * D + b * k + i % k;
            same("a matrix", (Real)f->transition[at], a[i].at, 1e-10L);
            same("a matrix is off by", (Real)f->transition_off[in_float][at], a[i].off,
                 in_float ? 1e-8L : 1e-5L);
        }
    }
}

static void test_symbols(void **state)
{
    (void)state;
    static const char *const settings[] = {"dim=6 block=3", "dim=6 block=3 norm=paper p=2",
                                           "dim=6 block=2 p=1.5", "dim=6 block=6 norm=paper"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ThModel *m = bound("lrnn", settings[i], TH_TARGET_FINAL, SYMBOLS);
        ThProofCell *f = th_proof_cell_new(m, NULL);
        for (int symbol = 0; symbol < SYMBOLS; symbol++)
            for (int in_float = 0; in_float < 2; in_float++)
                check_symbol(m, f, symbol, in_float);
        th_proof_cell_free(f);
        th_model_free(m);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Arithmetic so coarse that what is of second order counts. */
static const Real COARSE = 1e-3L;

static Known once(Known x)
{
    x.off += 2 * unit * size_of(x);
    return x;
}

static Known plus(Known a, Known b, Real by)
{
    return once((Known){a.at + by * b.at, a.off + b.off});
}

static Known product(Known a, Known b)
{
    Real off = fabsl(a.at) * b.off + fabsl(b.at) * a.off + a.off * b.off;
    return once((Known){a.at * b.at, off});
}

static Known bend(Known a, ThProofBend how)
{
    double at = (double)a.at, by = (double)a.off;
    const double range[] = {at - by, at + by}, loose[] = {-by, by};
    ThProofLine l = th_proof_check_line(how, at, range, loose);
    return (Known){(Real)l.value, (Real)l.error + (how == TH_PROOF_RELU ? 0 : 10 * unit)};
}

/* What goes into gate g of unit j. */
static Known gate(const ThProofCell *f, const double *h, int symbol, int g, int j)
{
    int wide = f->gates * f->width, at = g * f->width + j;
    Real all = (Real)f->input_size[symbol * wide + at];
    Known x = {(Real)f->input[symbol * wide + at], 0};
    for (int i = 0; i < f->width; i++) {
        Real by = (Real)f->recurrent[i * wide + at];
        x.at += (Real)h[i] * by;
        all += fabsl((Real)h[i] * by);
    }
    x.off = gamma_of(f->width + 5) * all;
    return x;
}

/* h (and c of an lstm) behind a symbol. */
static void step_gated(const ThProofCell *f, const double *h, int symbol, int j, Known to[2])
{
    Known g[4] = {{0, 0}};
    for (int i = 0; i < f->gates; i++)
        g[i] = gate(f, h, symbol, i, j);
    if (f->kind == TH_PROOF_RNN)
        to[0] = bend(g[0], f->hyperbolic ? TH_PROOF_TANH : TH_PROOF_RELU);
    else if (f->kind == TH_PROOF_GRU) {
        Known x = {(Real)f->input[symbol * 3 * f->width + 2 * f->width + j], g[2].off};
        Known was = {(Real)h[j], 0}, z = bend(g[0], TH_PROOF_LOGISTIC);
        g[2].at -= x.at;
        g[2] = plus(g[2], (Known){(Real)f->candidate[j], 0}, 1);
        g[2] = product(g[2], bend(g[1], TH_PROOF_LOGISTIC));
        g[2] = bend(plus(g[2], x, 1), TH_PROOF_TANH);
        to[0] = plus(was, product(plus(g[2], was, -1), z), 1);
    } else {
        Known c = {(Real)h[f->width + j], 0};
        for (int i = 0; i < 4; i++)
            g[i] = bend(g[i], i == 1 ? TH_PROOF_TANH : TH_PROOF_LOGISTIC);
        to[1] = plus(product(c, g[2]), product(g[0], g[1]), 1);
        to[0] = product(bend(to[1], TH_PROOF_TANH), g[3]);
    }
}

static Known step_linear(const ThProofCell *f, const double *h, int symbol, int i)
{
    int at = symbol * D + i;
    Known x = {(Real)f->input[at], (Real)f->input_off[1][at]};
    Real all = size_of(x);
    for (int j = 0; j < D; j++) {
        Known by = {(Real)f->transition[at * D + j], (Real)f->transition_off[1][at * D + j]};
        x.at += by.at * (Real)h[j];
        x.off += by.off * fabsl((Real)h[j]);
        all += size_of(by) * fabsl((Real)h[j]);
    }
    x.off += gamma_of(D + 3) * all;
    return x;
}

static const struct {
    const char *kind, *settings;
} cells[] = {{"rnn", "dim=6"},          {"rnn", "dim=6 activation=tanh head=linear"},
             {"gru", "dim=6"},          {"lstm", "dim=6 head=linear"},
             {"lrnn", "dim=6 block=3"}, {"gru", "dim=6 head=linear head_hidden=6"}};
enum { CELLS = sizeof cells / sizeof *cells };

static void test_steps(void **state)
{
    (void)state;
    for (int n = 0; n < CELLS * SYMBOLS; n++) {
        ThModel *m =
            bound(cells[n / SYMBOLS].kind, cells[n / SYMBOLS].settings, TH_TARGET_FINAL, SYMBOLS);
        ThProofCell *f = th_proof_cell_new(m, NULL);
        ThProofCheckSet *s = th_proof_check_set_new(f->dim, 1, f->dim + 1, 4 * D, NULL);
        double eye[4 * D * D] = {0}, h[2 * D];
        ThRng r = th_rng(1, "steps", (uint64_t)n);
        for (int i = 0; i < f->dim; i++)
            h[i] = th_rng_normal(&r);
        unit = COARSE;
        s->unit = (double)unit;
        const ThProofEllipsoid e = {.centre = h, .shape = eye};
        th_proof_check_step(s, f, &e, n % SYMBOLS);
        for (int j = 0; j < f->width; j++) {
            Known to[2] = {{0, 0}};
            if (f->kind == TH_PROOF_LRNN)
                to[0] = step_linear(f, h, n % SYMBOLS, j);
            else
                step_gated(f, h, n % SYMBOLS, j, to);
            for (int i = j, k = 0; i < f->dim; i += f->width, k++) {
                same("a state", (Real)s->row[i], to[k].at, 1e-9L);
                same("a state is off by", (Real)th_proof_check_row(s, f->dim + i)[i], to[k].off,
                     1e-7L);
            }
        }
        free(s);
        th_proof_cell_free(f);
        th_model_free(m);
    }
}

/* ---- leads ----------------------------------------------------------------------------------- */

/* What goes into the units of an lrnn's read-out, and what it is a sum of: with the terms of the
 * norm, and those of its offset and bias, apart. */
static void view(const ThProofCell *f, const double *h, Known *to, Real *sum)
{
    Real mean = 0, size = 0, square = 0, loose = 0, c[D], off[D];
    for (int i = 0; i < D; i++) {
        mean += (Real)h[i] / D;
        size += fabsl((Real)h[i]) / D;
    }
    for (int i = 0; i < D; i++) {
        c[i] = (Real)h[i] - mean;
        off[i] = gamma_of(D + 4) * (size + fabsl((Real)h[i]));
        square += c[i] * c[i] / D;
        loose += off[i] * off[i] / D;
    }
    Real by = 1 / sqrtl(square + 1e-5L), share = sqrtl(loose) * by;
    share /= 1 - share;
    share += gamma_of(D + 12) * (1 + share);
    for (int k = 0; k < D; k++) {
        Real shift = (Real)f->inner_bias[k], end = 0;
        to[k].off = gamma_of(D + 2) * fabsl(shift);
        for (int i = 0; i < D; i++) {
            Real g = fabsl((Real)f->gain[i]), o = (Real)f->offset[i], w = (Real)f->inner[i * D + k];
            Real all = g * fabsl(c[i]) * by, far = g * off[i] * by * (1 + share) + all * share;
            far += gamma_of(4) * (all + far + fabsl(o));
            to[k].off += (far + gamma_of(D + 2) * (all + far + fabsl(o))) * fabsl(w);
            shift += o * w;
            end += (Real)f->gain[i] * c[i] * by * w;
        }
        to[k].at = shift + end;
        sum[k] = fabsl(shift) + fabsl(end);
    }
}

/* What goes into the units of a hidden layer that reads the states themselves. */
static void hidden(const ThProofCell *f, const double *h, Known *to, Real *sum)
{
    for (int k = 0; k < D; k++) {
        Real bias = (Real)f->inner_bias[k], all = fabsl(bias), end = 0;
        for (int i = 0; i < D; i++) {
            end += (Real)h[i] * (Real)f->inner[i * D + k];
            all += fabsl((Real)h[i] * (Real)f->inner[i * D + k]);
        }
        to[k] = (Known){end + bias, gamma_of(D + 2) * all};
        sum[k] = fabsl(end) + fabsl(bias);
    }
}

static void test_step_leads(void **state)
{
    (void)state;
    for (int n = 0; n < CELLS; n++) {
        ThModel *m = bound(cells[n].kind, cells[n].settings, TH_TARGET_FINAL, SYMBOLS);
        ThProofCell *f = th_proof_cell_new(m, NULL);
        ThProofCheckSet *s = th_proof_check_set_new(f->dim, 1, f->dim + 1, 4 * D, NULL);
        double eye[4 * D * D] = {0}, h[2 * D];
        ThRng r = th_rng(2, "leads", (uint64_t)n);
        for (int i = 0; i < f->dim; i++)
            h[i] = th_rng_normal(&r);
        unit = COARSE;
        s->unit = (double)unit;
        Known u[D];
        Real sum[D];
        for (int i = 0; i < D; i++) {
            u[i] = (Known){(Real)h[i], 0};
            sum[i] = fabsl((Real)h[i]);
        }
        if (f->kind == TH_PROOF_LRNN)
            view(f, h, u, sum);
        else if (f->units > 0)
            hidden(f, h, u, sum);
        Real lead = (Real)f->head_bias[0] - (Real)f->head_bias[2], off = 0;
        Real all = fabsl((Real)f->head_bias[0]) + fabsl((Real)f->head_bias[2]);
        for (int j = 0; j < D; j++) {
            Real a = (Real)f->head[j * SYMBOLS], b = (Real)f->head[j * SYMBOLS + 2];
            lead += (a - b) * (f->linear && !f->units ? u[j].at : fmaxl(0, u[j].at));
            off += fabsl(a - b) * u[j].off;
            all += (sum[j] + u[j].off) * (fabsl(a) + fabsl(b));
        }
        const ThProofEllipsoid e = {.centre = h, .shape = eye};
        Real is = lead - (Real)th_proof_check_step_lead(s, f, &e, 0, 2);
        same("a lead is off by", is - 1e-9L, off + gamma_of(D + 2) * all, 1e-6L);
        free(s);
        th_proof_cell_free(f);
        th_model_free(m);
    }
}

/* How far the norm before an lrnn's read-out scales a ball, in real numbers: each unit sees it as
 * long as it can be, scaled the way that is worse. */
static void test_scaled(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++) {
        ThModel *m = bound("lrnn", "dim=6 block=3", TH_TARGET_FINAL, SYMBOLS);
        ThProofCell *f = th_proof_cell_new(m, NULL);
        ThProofCheckSet *s = th_proof_check_set_new(D, 1, D + 1, 4 * D, NULL);
        double eye[D * D] = {0}, h[D], radius = 0.05 * (1 + n % 4);
        ThRng r = th_rng(5, "scaled", (uint64_t)n);
        Real mean = 0, square = 0, c[D];
        for (int i = 0; i < D; i++) {
            eye[i * (D + 1)] = 1;
            h[i] = th_rng_normal(&r);
            mean += (Real)h[i] / D;
        }
        for (int i = 0; i < D; i++) {
            c[i] = (Real)h[i] - mean;
            square += c[i] * c[i];
        }
        Real near = fmaxl(0, sqrtl(square) - (Real)radius), far = sqrtl(square) + (Real)radius;
        Real scale[] = {1 / sqrtl(far * far / D + 1e-5L), 1 / sqrtl(near * near / D + 1e-5L)};
        Real lead = (Real)f->head_bias[0] - (Real)f->head_bias[2];
        for (int j = 0; j < D; j++) {
            Real w = (Real)f->head[j * SYMBOLS] - (Real)f->head[j * SYMBOLS + 2];
            Real shift = (Real)f->inner_bias[j], at = 0, by[D], middle = 0, half = 0;
            for (int i = 0; i < D; i++) {
                shift += (Real)f->offset[i] * (Real)f->inner[i * D + j];
                by[i] = (Real)f->gain[i] * (Real)f->inner[i * D + j];
                at += c[i] * by[i];
                middle += by[i] / D;
            }
            for (int i = 0; i < D; i++)
                half += (by[i] - middle) * (by[i] - middle);
            Real end = at - (w > 0 ? 1 : -1) * (Real)radius * sqrtl(half);
            Real worst =
                fminl(w * fmaxl(0, shift + end * scale[0]), w * fmaxl(0, shift + end * scale[1]));
            lead += worst;
        }
        const ThProofEllipsoid e = {.centre = h, .shape = eye, .radius = radius};
        same("the lead over a ball", (Real)th_proof_check_step_lead(s, f, &e, 0, 2), lead, 2e-3L);
        free(s);
        th_proof_cell_free(f);
        th_model_free(m);
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* The lead over an ellipsoid that no axis of has the length of another. */
static void check_lead_of_set(ThProofCheckSet *s, const ThProofMap *f, const double *at)
{
    double shape[D * D];
    const ThProofEllipsoid e = {.centre = at, .shape = shape, .radius = 0.3};
    Real lead = (Real)f->head_bias[0] - (Real)f->head_bias[2], square = 0;
    Real all = fabsl((Real)f->head_bias[0]) + fabsl((Real)f->head_bias[2]);
    for (int i = 0; i < D * D; i++)
        shape[i] = i % (D + 1) == 0 ? 1 + i : 1.0 / (1 + i / D + i % D);
    for (int i = 0; i < D; i++) {
        Real along = 0, wide = 0;
        for (int j = 0; j < D; j++) {
            Real by = 0.3L * (Real)shape[i * D + j];
            along += by * ((Real)f->head[j * SYMBOLS] - (Real)f->head[j * SYMBOLS + 2]);
            wide += by * by;
        }
        Real a = (Real)f->head[i * SYMBOLS], b = (Real)f->head[i * SYMBOLS + 2];
        lead += (Real)at[i] * (a - b);
        square += along * along;
        all += (fabsl((Real)at[i]) + sqrtl(wide)) * (fabsl(a) + fabsl(b));
    }
    Real is = (Real)th_proof_check_tree_lead(s, f, &e, 0, 2);
    same("a set is spread and rounded by", lead - is - 1e-9L,
         sqrtl(square) * (1 + 1e-9L) + gamma_of(D + 2) * all, 1e-6L);
    same("what of it is rounding", lead - is - 1e-9L - sqrtl(square) * (1 + 1e-9L),
         gamma_of(D + 2) * all, 1e-6L);
}

static void test_tree_lead(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=6 heads=2", TH_TARGET_FINAL, SYMBOLS);
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofCheckSet *s = th_proof_check_set_new(D, 3, 2 + 4 * D + 3, 4 * D, NULL);
    double eye[D * D] = {0}, at[D], shape[D * D] = {0};
    ThRng r = th_rng(3, "tree", 0);
    Real lead = (Real)f->head_bias[0] - (Real)f->head_bias[2], total = 0;
    Real all = fabsl((Real)f->head_bias[0]) + fabsl((Real)f->head_bias[2]);
    for (int i = 0; i < D; i++) {
        Real a = (Real)f->head[i * SYMBOLS], b = (Real)f->head[i * SYMBOLS + 2];
        at[i] = th_rng_normal(&r);
        lead += (Real)at[i] * (a - b);
        all += fabsl((Real)at[i]) * (fabsl(a) + fabsl(b));
        total += fabsl((Real)at[i]);
    }
    unit = COARSE;
    s->unit = (double)unit;
    ThProofEllipsoid e = {.centre = at, .shape = eye};
    Real is = lead - (Real)th_proof_check_tree_lead(s, f, &e, 0, 2);
    same("a lead is off by", is - 1e-9L, gamma_of(D + 2) * all, 1e-6L);
    check_lead_of_set(s, f, at);
    th_proof_check_leaf(s, shape, &e);
    for (int i = 0; i < D; i++)
        same("a leaf", (Real)(e.radius * shape[i * (D + 1)]),
             3 * unit * sqrtl(total * fabsl((Real)at[i])), 1e-9L);
    free(s);
    th_proof_map_free(f);
    th_model_free(m);
}

/* ---- compiled models ------------------------------------------------------------------------- */

static Real length_of(const Real *x)
{
    Real square = 0;
    for (int i = 0; i < D; i++)
        square += x[i] * x[i];
    return sqrtl(square);
}

static Real mean_rounds(const Real *most)
{
    Real all = 0, to[D];
    for (int i = 0; i < D; i++)
        all += most[i] / D;
    for (int i = 0; i < D; i++)
        to[i] = all + most[i];
    return gamma_of(D + 4) * length_of(to);
}

/* to <- what a layer norm gives at most; which = 3: the one before the answers. */
static Real norm_rounds(const ThModel *m, int which, Real *to)
{
    static const char *const gain[] = {"norm1.gain", "norm2.gain", "final_norm.gain"};
    static const char *const offset[] = {"norm1.offset", "norm2.offset", "final_norm.offset"};
    const float *g = weights(m, which < 3 ? 0 : -1, gain[which - 1]);
    const float *o = weights(m, which < 3 ? 0 : -1, offset[which - 1]);
    for (int i = 0; i < D; i++)
        to[i] = fabsl((Real)g[i]) * sqrtl(D) + fabsl((Real)o[i]);
    return gamma_of(D + 16) * length_of(to);
}

/* most += what children of at most `in` add: weights of a head add up to 1. */
static Real sum_rounds(const ThModel *m, const Real *in, Real *most, int roundings)
{
    const float *v = weights(m, 0, "attention.key_value"), *out = weights(m, 0, "attention.output");
    const float *v_bias = weights(m, 0, "attention.key_value_bias");
    const float *bias = weights(m, 0, "attention.output_bias");
    for (int c = 0; c < D; c++) {
        most[c] += bias ? fabsl((Real)bias[c]) : 0;
        for (int j = 0; j < D; j++) {
            Real all = v_bias ? fabsl((Real)v_bias[D + j]) : 0;
            for (int i = 0; i < D; i++)
                all += in[i] * fabsl((Real)v[i * 2 * D + D + j]);
            most[c] += all * fabsl((Real)out[j * D + c]);
        }
    }
    const float *relative = weights(m, 0, "attention.relative");
    Real largest = 0;
    for (int i = 0; i < 2 * 3; i++)
        largest = fmaxl(largest, fabsl((Real)relative[i]));
    return gamma_of(roundings + 24 + 4 * largest) * length_of(most);
}

static Real units_round(const ThModel *m, const Real *u, Real *most, int hidden, bool gelu)
{
    const float *up = weights(m, 0, "feed_forward.up"), *down = weights(m, 0, "feed_forward.down");
    Real off[D] = {0};
    for (int c = 0; c < D; c++)
        most[c] += fabsl((Real)weights(m, 0, "feed_forward.down_bias")[c]);
    for (int h = 0; h < hidden; h++) {
        Real in = fabsl((Real)weights(m, 0, "feed_forward.up_bias")[h]);
        for (int i = 0; i < D; i++)
            in += u[i] * fabsl((Real)up[i * hidden + h]);
        for (int c = 0; c < D; c++) {
            most[c] += in * fabsl((Real)down[h * D + c]);
            off[c] += (1.13L * gamma_of(D + 2) + (gelu ? 32 * unit : 0)) * in *
                      fabsl((Real)down[h * D + c]);
        }
    }
    for (int c = 0; c < D; c++)
        off[c] += gamma_of(hidden + 16) * most[c];
    return length_of(off);
}

static void check_chunk(const ThModel *m, const ThProofChunk *f, bool pre, bool gelu)
{
    Real want[TH_PROOF_ROUNDINGS] = {0}, most[D] = {0}, in[D], u[D];
    for (int i = 0; i < 2 * D; i++)
        most[i % D] = fmaxl(most[i % D], fabsl((Real)f->centre[i]) + 0.25L);
    memcpy(in, most, sizeof in);
    if (pre) {
        want[TH_PROOF_IN_MEAN] = mean_rounds(most);
        want[TH_PROOF_IN] = norm_rounds(m, 1, in);
    }
    want[TH_PROOF_SUM] = sum_rounds(m, in, most, 2 * D + 3);
    want[TH_PROOF_BETWEEN_MEAN] = mean_rounds(most);
    want[TH_PROOF_BETWEEN] = norm_rounds(m, pre ? 2 : 1, u);
    if (!pre)
        memcpy(most, u, sizeof most);
    want[TH_PROOF_UNITS] = units_round(m, u, most, D, gelu);
    if (!pre)
        want[TH_PROOF_OUT_MEAN] = mean_rounds(most);
    want[TH_PROOF_OUT] = norm_rounds(m, pre ? 3 : 2, u);
    for (int i = 0; i < TH_PROOF_ROUNDINGS; i++)
        same("a step of a compiled model rounds", (Real)f->noise[i], want[i], 1e-8L);
}

/* By how much distances grow: through what a child adds, into a unit, through a layer norm. */
static void check_norms(const ThModel *m, const ThProofChunk *f, bool pre)
{
    const float *v = weights(m, 0, "attention.key_value"), *out = weights(m, 0, "attention.output");
    const float *relative = weights(m, 0, "attention.relative"), *g = weights(m, 0, "norm2.gain");
    const float *up = weights(m, 0, "feed_forward.up");
    for (int k = 0; k < 3; k++) {
        Real row[D] = {0}, column[D] = {0}, most[2] = {0};
        for (int n = 0; n < D * D; n++) {
            int i = n / D, c = n % D;
            Real a = k == 0 && !pre && i == c;
            for (int j = 0; j < D; j++) {
                const float *r = relative + j / 3 * 3;
                Real all = expl((Real)r[0]) + expl((Real)r[1]) + expl((Real)r[2]);
                a += expl((Real)r[k]) / all * (Real)v[i * 2 * D + D + j] * (Real)out[j * D + c];
            }
            row[i] += fabsl(a);
            column[c] += fabsl(a);
        }
        for (int i = 0; i < D; i++) {
            most[0] = fmaxl(most[0], row[i]);
            most[1] = fmaxl(most[1], column[i]);
        }
        same("a child counts", (Real)f->spread[k], sqrtl(most[0] * most[1]), 1e-8L);
    }
    Real mean = 0, square = 0, gain = 0;
    for (int h = 0; h < D; h++) {
        Real in[D];
        for (int i = 0; i < D; i++)
            in[i] = (Real)up[i * D + h];
        same("a unit reads", (Real)f->slope[h], length_of(in), 1e-8L);
        mean += (Real)f->centre[h] / D;
        gain = fmaxl(gain, fabsl((Real)g[h]));
    }
    for (int i = 0; i < D; i++)
        square += powl((Real)f->centre[i] - mean, 2) / D;
    Real least = sqrtl(powl(sqrtl(square) - 0.3L / sqrtl(D), 2) + 1e-5L);
    double radius = 0.3, x[D];
    memcpy(x, f->centre, sizeof x);
    th_proof_chunk_normalise(f, x, "layer0.norm2.gain", "layer0.norm2.offset", &radius);
    same("a norm scales", (Real)radius, 0.3L * gain / least, 1e-8L);
}

static void test_chunk(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        char settings[100];
        ThProofChunk f;
        snprintf(settings, sizeof settings,
                 "dim=6 heads=2 mlp_ratio=1 arity=3 norm=%s activation=%s", n % 2 ? "pre" : "post",
                 n / 2 ? "gelu" : "relu");
        ThModel *m = bound("regulargpt", settings, TH_TARGET_FINAL, SYMBOLS);
        static const char *const query[] = {"layer0.attention.query",
                                            "layer0.attention.query_bias"};
        for (int i = 0; i < 2; i++) {
            int at = th_params_find(&m->params, query[i]);
            const ThParam *p = at < 0 ? NULL : &m->params.item[at];
            for (int k = 0; p && k < p->rows * p->cols; k++)
                m->params.value[p->offset + (size_t)k] = 0;
        }
        assert_true(th_proof_chunk_read(&f, m, 2, NULL));
        ThRng r = th_rng(4, "chunk", (uint64_t)n);
        for (int i = 0; i < 2 * D; i++)
            f.centre[i] = th_rng_normal(&r);
        unit = COARSE;
        assert_true(th_proof_chunk_round(&f, (double)unit, 2, 0.25, NULL));
        check_chunk(m, &f, n % 2, n / 2);
        check_norms(m, &f, n % 2);
        th_proof_chunk_free(&f);
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_steps),   cmocka_unit_test(test_step_leads),
        cmocka_unit_test(test_scaled),  cmocka_unit_test(test_tree_lead),
        cmocka_unit_test(test_chunk),
    };
    return cmocka_run_group_tests_name("proof_recomputed", tests, NULL, NULL);
}
