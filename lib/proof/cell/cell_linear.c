#include "proof/cell/cell_linear.h"

#include "proof/rounding.h"
#include "proof/map.h"

/* What is read, and the arithmetic of the runs that are bounded beside it: how far a number is off
 * after one rounding, relative. */
typedef struct {
    ThProofReader *r;
    double unit;
} Reading;

/* Rows of numbers, and how far those of a run can be off. */
typedef struct {
    double *at, *off;
} Rows;

static Rows take_rows(Reading *k, size_t n)
{
    Rows x = {th_alloc(n, sizeof *x.at, k->r->err), th_alloc(n, sizeof *x.off, k->r->err)};
    k->r->failed |= !x.at || !x.off;
    return x;
}

static void drop_rows(Rows *x)
{
    TH_FREE(x->at, x->off);
}

/* ---- layer norm ------------------------------------------------------------------------------ */

/* Of a row that is exact.  The root of the mean square moves by no more than that of what the
 * centred numbers are off by. */
static void normalise(const Reading *k, double *x, double *off, const double *gain,
                      const double *offset, int d)
{
    double mean = 0, size = 0, square = 0, loose = 0;
    for (int i = 0; i < d; i++) {
        mean += x[i] / d;
        size += fabs(x[i]) / d;
    }
    for (int i = 0; i < d; i++) {
        off[i] = th_proof_gamma(k->unit, d + 4) * (size + fabs(x[i]));
        x[i] -= mean;
        square += x[i] * x[i] / d;
        loose += off[i] * off[i] / d;
    }
    double root = sqrt(square + TH_PROOF_EPSILON), by = sqrt(loose) / root;
    double share = by < 1 ? by / (1 - by) : HUGE_VAL;
    share += th_proof_gamma(k->unit, d + 12) * (1 + share);
    for (int i = 0; i < d; i++) {
        double z = gain[i] * x[i] / root;
        off[i] = fabs(gain[i]) * off[i] / root * (1 + share) + fabs(z) * share;
        off[i] +=
            th_proof_gamma(k->unit, 4) * (fabs(z) + off[i] + fabs(offset[i])) + TH_PROOF_UNDERFLOW;
        x[i] = z + offset[i];
    }
}

/* ---- networks -------------------------------------------------------------------------------- */

/* Returns new: x (n, from) times a matrix (from, to) with its bias, NAME and NAME_bias. */
static Rows linear(Reading *k, const char *name, Rows x, int n, int from, int to)
{
    ThText bias TH_OWNED(th_text_free) = {0};
    th_text_printf(&bias, "%s_bias", name);
    double *w TH_OWNED(free) = th_proof_read_whole(k->r, name),
              gamma = th_proof_gamma(k->unit, from + 2);
    double *b TH_OWNED(free) = bias.data ? th_proof_read_whole(k->r, bias.data) : NULL;
    Rows y = take_rows(k, (size_t)n * (size_t)to);
    bool good = w && b && y.at && y.off && x.at && x.off;
    k->r->failed |= !good;
    for (int i = 0; good && !k->r->failed && i < n * to; i++) {
        double sum = fabs(b[i % to]), off = 0;
        y.at[i] = b[i % to];
        for (int j = 0; j < from; j++) {
            int at = i / to * from + j;
            double by = w[j * to + i % to];
            y.at[i] += x.at[at] * by;
            off += x.off[at] * fabs(by);
            sum += (fabs(x.at[at]) + x.off[at]) * fabs(by);
        }
        y.off[i] = off + gamma * sum + TH_PROOF_UNDERFLOW;
    }
    return y;
}

/* Returns new: two layers with ReLU between them. */
static Rows network(Reading *k, const char *const name[2], Rows x, int n, int d, int wide)
{
    Rows up = linear(k, name[0], x, n, d, wide);
    for (int i = 0; !k->r->failed && i < n * wide; i++)
        up.at[i] = fmax(0, up.at[i]);
    Rows y = linear(k, name[1], up, n, wide, wide);
    drop_rows(&up);
    return y;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A block (k, k), how far a run's is off, and what it is made small by. */
typedef struct {
    double *a, *off, p;
    int k;
    bool centred;
} Block;

/* Column j without its mean. */
static void centre(const Reading *r, const Block *b, int j)
{
    double mean = 0, size = 0, loose = 0;
    for (int i = j; i < b->k * b->k; i += b->k) {
        mean += b->a[i] / b->k;
        size += (fabs(b->a[i]) + b->off[i]) / b->k;
        loose += b->off[i] / b->k;
    }
    for (int i = j; i < b->k * b->k; i += b->k) {
        b->off[i] += loose + th_proof_gamma(r->unit, b->k + 4) * (size + fabs(b->a[i]) + b->off[i]);
        b->off[i] = b->k > 1 ? b->off[i] : 0; /* x - x is 0 */
        b->a[i] -= mean;
    }
}

/* The norm of column j.  *off <- how far a run's is from it: a norm moves by no more than that of
 * what is off; powers are exponentials of logarithms, of numbers to which 1e-30 is added. */
static double norm_of(const Reading *r, const Block *b, int j, double *off)
{
    const double largest = 1e37;
    double sum = 0, loose = 0, all = 0, log_of = 1;
    for (int i = j; i < b->k * b->k; i += b->k) {
        double most = fabs(b->a[i]) + b->off[i], least = fmax(0, fabs(b->a[i]) - b->off[i]);
        sum += pow(fabs(b->a[i]), b->p);
        loose += pow(b->off[i], b->p);
        all += pow(most, b->p);
        log_of = fmax(log_of, fmax(fabs(log(most + 1e-30)), fabs(log(least + 1e-30))));
    }
    double norm = pow(sum, 1 / b->p), moved = pow(loose, 1 / b->p) + pow(b->k * 1e-29, 1 / b->p);
    double roundings = th_proof_gamma(r->unit, b->k + 40 + 12 * b->p * (1 + log_of));
    *off = all < largest ? moved + roundings * (norm + moved) : HUGE_VAL;
    return norm;
}

/* Divides column j by `by`, of which a run's is off by `loose` at most. */
static void divide(const Reading *r, const Block *b, int j, double by, double loose)
{
    double least = loose < by ? by - loose : 0;
    for (int i = j; i < b->k * b->k; i += b->k) {
        double q = b->a[i] / by;
        b->off[i] = least > 0 ? (b->off[i] + fabs(q) * loose) / least : HUGE_VAL;
        b->off[i] += th_proof_gamma(r->unit, 4) * (fabs(q) + b->off[i]) + TH_PROOF_UNDERFLOW;
        b->a[i] = q;
    }
}

/* Makes a block small, as th_op_bound_blocks does.  One of zeros stays so; what a run has instead
 * is divided by next to nothing. */
static void bound(const Reading *r, const Block *b)
{
    double most = 0, loose = 0, off;
    for (int j = 0; b->centred && j < b->k; j++) {
        centre(r, b, j);
        most = fmax(most, norm_of(r, b, j, &off));
        loose = fmax(loose, off);
    }
    for (int i = 0; b->centred && most == 0 && i < b->k * b->k; i++)
        b->off[i] = b->off[i] > 0 ? HUGE_VAL : 0;
    for (int j = 0; j < b->k; j++) {
        double norm = b->centred ? most : norm_of(r, b, j, &loose);
        if (b->centred ? most > 0 : norm + loose > 1)
            divide(r, b, j, b->centred ? most : fmax(1, norm), loose);
    }
}

/* The blocks of all symbols (n_symbols, dim, block) become matrices. */
static void put_blocks(const Reading *r, ThProofCell *f, Rows block, double *off)
{
    enum { CODE }; /* norm= */
    const ThOptions *o = &r->r->m->options;
    int k = (int)th_option_int(o, "block"), d = f->dim;
    for (int i = 0; i < f->n_symbols * d / k; i++) {
        size_t first = (size_t)i * (size_t)(k * k);
        Block b = {block.at + first, block.off + first, th_option_real(o, "p"), k,
                   th_option_choice(o, "norm") == CODE};
        int symbol = i * k / d, at = i * k % d;
        bound(r, &b);
        for (int m = 0; m < k * k; m++) {
            size_t to = ((size_t)symbol * (size_t)d + (size_t)(at + m / k)) * (size_t)d +
                        (size_t)(at + m % k);
            f->transition[to] = b.a[m];
            off[to] = b.off[m];
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Transitions and inputs of all symbols, and how far those of runs in arithmetic number i are off.
 */
static void read_symbols(Reading *k, ThProofCell *f, int i)
{
    static const char *const transition[] = {"layer0.transition.up", "layer0.transition.blocks"};
    static const char *const value[] = {"layer0.value.up", "layer0.value.down"};
    ThProofReader *r = k->r;
    int d = f->dim, n = f->n_symbols, wide = d * (int)th_option_int(&r->m->options, "block");
    size_t inputs = (size_t)n * (size_t)d;
    Rows x = {th_proof_read_whole(r, "embedding"), th_alloc(inputs, sizeof(double), r->err)};
    double *gain TH_OWNED(free) = th_proof_read_whole(r, "layer0.norm.gain");
    double *offset TH_OWNED(free) = th_proof_read_whole(r, "layer0.norm.offset");
    r->failed |= !x.off;
    for (int s = 0; !r->failed && s < n; s++)
        normalise(k, x.at + s * d, x.off + s * d, gain, offset, d);
    Rows block = network(k, transition, x, n, d, wide), input = network(k, value, x, n, d, d);
    if (!r->failed) {
        put_blocks(k, f, block, f->transition_off[i]);
        memcpy(f->input, input.at, inputs * sizeof *f->input);
        memcpy(f->input_off[i], input.off, inputs * sizeof *f->input);
    }
    drop_rows(&input);
    drop_rows(&block);
    drop_rows(&x);
}

void th_proof_cell_read_linear(ThProofReader *r, ThProofCell *f)
{
    static const double unit[] = {TH_PROOF_DOUBLE_UNIT, TH_PROOF_FLOAT_UNIT};
    size_t inputs = (size_t)f->n_symbols * (size_t)f->dim, all = inputs * (size_t)f->dim;
    f->input = th_alloc(inputs, sizeof *f->input, r->err);
    f->transition = th_alloc(all, sizeof *f->transition, r->err);
    r->failed |= !f->input || !f->transition;
    for (int i = 0; i < 2; i++) {
        f->input_off[i] = th_alloc(inputs, sizeof *f->input, r->err);
        f->transition_off[i] = th_alloc(all, sizeof *f->transition, r->err);
        r->failed |= !f->input_off[i] || !f->transition_off[i];
        if (!r->failed)
            read_symbols(&(Reading){r, unit[i]}, f, i);
    }
    f->start = th_proof_read_whole(r, "layer0.start");
    f->gain = th_proof_read_whole(r, "final_norm.gain");
    f->offset = th_proof_read_whole(r, "final_norm.offset");
    f->inner = th_proof_read_whole(r, "head");
    f->inner_bias = th_proof_read_whole(r, "head_bias");
    f->head = th_proof_read_whole(r, "answer");
    f->head_bias = th_proof_read_whole(r, "answer_bias");
}

void th_proof_cell_linear_logits(const ThProofCell *f, const double *state, double *logits)
{
    int d = f->dim, n = f->n_classes;
    double mean = 0, square = 0;
    memcpy(logits, f->head_bias, (size_t)n * sizeof *logits);
    for (int i = 0; i < d; i++)
        mean += state[i] / d;
    for (int i = 0; i < d; i++)
        square += (state[i] - mean) * (state[i] - mean) / d;
    for (int k = 0; k < d; k++) {
        double hidden = f->inner_bias[k];
        for (int i = 0; i < d; i++)
            hidden +=
                (f->gain[i] * (state[i] - mean) / sqrt(square + TH_PROOF_EPSILON) + f->offset[i]) *
                f->inner[i * d + k];
        for (int c = 0; hidden > 0 && c < n; c++)
            logits[c] += hidden * f->head[k * n + c];
    }
}
