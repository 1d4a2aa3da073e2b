/* What a run rounds of a combination: bounds from magnitudes, for all that is combined. */

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"

/* GELU's Φ is off by so many roundings of 1 at most, as runs have it: a polynomial times an
 * exponential with 1e-8 of its own in single precision, or an error function. */
enum { GELU_ROUNDINGS = 32 };

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum) * TH_PROOF_WIDER;
}

/* What taking the mean off numbers of such magnitudes rounds. */
static double round_mean(const ThProofChunk *f, const double *most)
{
    double all = 0, square = 0;
    for (int i = 0; i < f->dim; i++)
        all += most[i] / f->dim;
    for (int i = 0; i < f->dim; i++)
        square += (all + most[i]) * (all + most[i]);
    return th_proof_gamma(f->unit, f->dim + 4) * sqrt(square) * TH_PROOF_WIDER + TH_PROOF_UNDERFLOW;
}

/* most (dim) <- what a layer norm gives back at most.  Returns what it rounds behind the mean. */
static double round_norm(const ThProofChunk *f, const char *gain_name, const char *offset_name,
                         double *most)
{
    const float *gain = th_proof_chunk_weights(f->m, gain_name);
    const float *offset = th_proof_chunk_weights(f->m, offset_name);
    for (int i = 0; i < f->dim; i++)
        most[i] = fabs((double)gain[i]) * sqrt(f->dim) + fabs((double)offset[i]);
    return th_proof_gamma(f->unit, f->dim + 16) * length_of(most, f->dim) + TH_PROOF_UNDERFLOW;
}

/* Of exponentials of differences of the relative scalars: how many roundings they are worth. */
static double exponents(const ThProofChunk *f)
{
    const float *r = th_proof_chunk_weights(f->m, "layer0.attention.relative");
    double most = 0;
    for (int i = 0; i < f->heads * f->chunk; i++)
        most = fmax(most, fabs((double)r[i]));
    return 24 + 4 * most;
}

/* most (dim) += the magnitudes of what children of at most `in` add.  Returns its rounding. */
static double round_sum(const ThProofChunk *f, const double *in, double *most)
{
    int d = f->dim;
    for (int c = 0; c < d; c++) {
        for (int i = 0; i < d; i++)
            most[c] += in[i] * f->size[(size_t)i * (size_t)d + (size_t)c];
        most[c] += f->size[(size_t)d * (size_t)d + (size_t)c];
    }
    return th_proof_gamma(f->unit, 2 * d + f->chunk + exponents(f)) * length_of(most, d) +
           TH_PROOF_UNDERFLOW;
}

/* What goes into unit h at most: of a wired one number by number, as a run adds them. */
static double input_of(const ThProofChunk *f, int h, const double *u)
{
    double sum = fabs((double)f->up_bias[h]);
    int fan = (int)th_option_int(&f->m->options, "fan_in");
    if (fan == 0) {
        for (int i = f->up.first[h]; i < f->up.first[h + 1]; i++)
            sum += fabs(f->up.value[i]) * u[f->up.col[i]];
        return sum;
    }
    const float *value = th_proof_chunk_weights(f->m, "layer0.feed_forward.up");
    const float *at = th_proof_chunk_weights(f->m, "layer0.feed_forward.from");
    for (int i = h * fan; i < (h + 1) * fan; i++)
        sum += fabs((double)value[i]) * u[th_op_wired_coordinate((double)at[i], f->dim)];
    return sum;
}

/* most (dim) += what the feed-forward layer of at most u adds; off (dim) <- its rounding, the
 * length of which is returned. */
static double round_units(const ThProofChunk *f, const double *u, double *most, double *off)
{
    const double steepest = 1.13; /* slope of GELU */
    const float *bias = th_proof_chunk_weights(f->m, "layer0.feed_forward.down_bias");
    double input = th_proof_gamma(f->unit, f->dim + 2),
           sum = th_proof_gamma(f->unit, f->hidden + 16);
    double unit = steepest * input + (f->gelu ? GELU_ROUNDINGS * f->unit : 0);
    memset(off, 0, (size_t)f->dim * sizeof *off);
    for (int i = 0; i < f->dim; i++)
        most[i] += fabs((double)bias[i]);
    for (int h = 0; h < f->hidden; h++) {
        double in = input_of(f, h, u);
        for (int j = f->down.first[h]; j < f->down.first[h + 1]; j++) {
            most[f->down.col[j]] += in * fabs(f->down.value[j]);
            off[f->down.col[j]] += unit * in * fabs(f->down.value[j]);
        }
    }
    for (int i = 0; i < f->dim; i++)
        off[i] += sum * most[i];
    return length_of(off, f->dim) + TH_PROOF_UNDERFLOW;
}

bool th_proof_chunk_round(ThProofChunk *f, double unit, int elements, double each, ThError *err)
{
    size_t d = (size_t)f->dim;
    double *most TH_OWNED(free) = th_alloc(4 * d, sizeof *most, err);
    if (!most)
        return false;
    double *in = most + d, *u = in + d, *off = u + d;
    f->unit = unit;
    for (size_t i = 0; i < (size_t)elements * d; i++)
        most[i % d] = fmax(most[i % d], fabs(f->centre[i]) + each);
    memcpy(in, most, d * sizeof *in);
    f->noise[TH_PROOF_IN_MEAN] = f->pre ? round_mean(f, most) : 0;
    f->noise[TH_PROOF_IN] =
        f->pre ? round_norm(f, "layer0.norm1.gain", "layer0.norm1.offset", in) : 0;
    f->noise[TH_PROOF_SUM] = round_sum(f, in, most);
    f->noise[TH_PROOF_BETWEEN_MEAN] = round_mean(f, most);
    f->noise[TH_PROOF_BETWEEN] = f->pre
                                     ? round_norm(f, "layer0.norm2.gain", "layer0.norm2.offset", u)
                                     : round_norm(f, "layer0.norm1.gain", "layer0.norm1.offset", u);
    if (!f->pre)
        memcpy(most, u, d * sizeof *most);
    f->noise[TH_PROOF_UNITS] = round_units(f, u, most, off);
    f->noise[TH_PROOF_OUT_MEAN] = f->pre ? 0 : round_mean(f, most);
    f->noise[TH_PROOF_OUT] = f->pre ? round_norm(f, "final_norm.gain", "final_norm.offset", u)
                                    : round_norm(f, "layer0.norm2.gain", "layer0.norm2.offset", u);
    return true;
}
