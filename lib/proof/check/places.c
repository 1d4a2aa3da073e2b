#include "proof/check/places.h"

#include <math.h>
#include <string.h>

#include "models/position/position.h"
#include "proof/check/chunk.h"
#include "proof/rounding.h"

typedef ThProofNumber Number;
typedef ThProofDecoder Net;

static const struct {
    const char *name;
    ThProofPlaces places;
} named[] = {
    {"none", TH_PROOF_NO_PLACES},
    {"alibi", TH_PROOF_ALIBI},
    {"hard_alibi", TH_PROOF_HARD_ALIBI},
    {"sinusoidal", TH_PROOF_SINUSOIDAL},
    {"learned", TH_PROOF_LEARNED},
    {"rope", TH_PROOF_ROPE},
    {"xl", TH_PROOF_XL},
};

bool th_proof_places_named(const char *position, ThProofPlaces *places)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].name, position) == 0) {
            *places = named[i].places;
            return true;
        }
    return false;
}

size_t th_proof_places_room(ThProofPlaces places, int longest, int heads, int dim)
{
    return places == TH_PROOF_XL      ? (2 * (size_t)longest - 1) * (size_t)dim
           : places == TH_PROOF_ALIBI ? (size_t)heads
                                      : 0;
}

static double most(Number x)
{
    return fabs(x.at) + x.off;
}

/* A number of a table that runs hold in single precision. */
static Number of_table(double x)
{
    return (Number){(double)(float)x, 0};
}

/* A sine or cosine that runs hold in double precision, of an angle that is rounded, too. */
static Number of_angle(double x)
{
    return (Number){x, 1e-13};
}

static Number sum(const Net *f, Number x, Number y)
{
    Number z = {x.at + y.at, x.off + y.off};
    z.off += f->unit * most(z);
    return z;
}

void th_proof_places_begin(ThProofDecoder *f)
{
    double slope[TH_PROOF_CHILDREN];
    if (f->places != TH_PROOF_ALIBI)
        return;
    th_position_slopes(f->heads, slope);
    for (int h = 0; h < f->heads; h++)
        f->by_places[h] = (Number){slope[h], 0};
}

/* ---- at the input ---------------------------------------------------------------------------- */

/* Column c of position i: of the pair c / 2 the sine, then the cosine. */
static Number wave(int i, int c, int dim)
{
    double angle = i * pow(10000, -(double)(c - c % 2) / dim);
    return of_table(c % 2 ? cos(angle) : sin(angle));
}

void th_proof_places_embed(const ThProofDecoder *f, int n)
{
    const float *table =
        f->places == TH_PROOF_LEARNED ? th_proof_decoder_weights(f, -1, "position") : NULL;
    for (int i = 0; i < n * f->dim; i++) {
        if (table)
            f->x[i] = sum(f, f->x[i], (Number){(double)table[i], 0});
        else if (f->places == TH_PROOF_SINUSOIDAL)
            f->x[i] = sum(f, f->x[i], wave(i / f->dim, i % f->dim, f->dim));
    }
}

/* ---- at queries and keys --------------------------------------------------------------------- */

/* What turns a pair of columns makes of one of them: c x - s y. */
static Number turned(const Net *f, Number c, Number x, Number s, Number y)
{
    const double products = most(c) * most(x) + most(s) * most(y);
    return (Number){c.at * x.at - s.at * y.at,
                    c.off * most(x) + fabs(c.at) * x.off + s.off * most(y) + fabs(s.at) * y.off +
                        th_proof_gamma(f->unit, 6) * products + TH_PROOF_UNDERFLOW};
}

/* Columns t and t + half of every head turn by the angle i 10000^(-t/half). */
static void turn(const Net *f, Number *x, int i)
{
    const int width = f->dim / f->heads, half = width / 2;
    for (int h = 0; h < f->heads; h++)
        for (int t = 0; t < half; t++) {
            Number *a = x + h * width + t, *b = a + half, first = *a;
            double angle = i * pow(10000, -(double)t / half);
            Number c = of_angle(cos(angle)), s = of_angle(sin(angle));
            *a = turned(f, c, first, s, *b);
            s.at = -s.at;
            *b = turned(f, c, *b, s, first);
        }
}

/* What W_R makes of distances below n: of sines, then cosines. */
static void make_distances(const Net *f, int layer, int n)
{
    const int d = f->dim, half = d / 2;
    const float *w = th_proof_decoder_weights(f, layer, "attention.relative");
    for (int distance = 1 - n; distance < n; distance++) {
        for (int k = 0; k < half; k++) {
            double angle = distance * pow(10000, -2.0 * k / d);
            f->read[k] = of_table(sin(angle));
            f->read[k + half] = of_table(cos(angle));
        }
        th_proof_decoder_linear(f, f->read, w, NULL, 1, d, d,
                                f->by_places + (f->longest - 1 - distance) * d);
    }
}

void th_proof_places_prepare(const ThProofDecoder *f, int layer, int n)
{
    for (int i = 0; f->places == TH_PROOF_ROPE && i < n; i++) {
        turn(f, f->query + i * f->dim, i);
        turn(f, f->both + i * 2 * f->dim, i);
    }
    if (f->places == TH_PROOF_XL)
        make_distances(f, layer, n);
}

/* ---- in attention ---------------------------------------------------------------------------- */

void th_proof_places_seen(const ThProofDecoder *f, int layer, int head, int i, int n, int *from,
                          int *to)
{
    bool window = head < f->window_heads && layer < f->window_layers;
    *from = window && i > head ? i - head : 0;
    *to = f->causal ? i : n - 1;
}

ThProofNumber th_proof_places_product(const ThProofDecoder *f, const ThProofNumber *query,
                                      const float *more, const ThProofNumber *key)
{
    const int size = f->dim / f->heads;
    const double scale = 1 / sqrt(size), gamma = th_proof_gamma(f->unit, size + 4);
    double at = 0, off = 0, all = 0;
    for (int k = 0; k < size; k++) {
        Number q = more ? sum(f, query[k], (Number){(double)more[k], 0}) : query[k];
        at += q.at * key[k].at;
        off += q.off * most(key[k]) + fabs(q.at) * key[k].off;
        all += most(q) * most(key[k]);
    }
    return (Number){scale * at, scale * (off + gamma * all) + TH_PROOF_UNDERFLOW};
}

/* A run may add the two products of xl before it scales them: two roundings more. */
ThProofNumber th_proof_places_logit(const ThProofDecoder *f, int layer, int head, int i, int j)
{
    const int d = f->dim, c = head * (d / f->heads);
    const Number *query = f->query + i * d + c, *key = f->both + j * 2 * d + c;
    if (f->places == TH_PROOF_XL) {
        const float *u = th_proof_decoder_weights(f, layer, "attention.content_bias");
        const float *v = th_proof_decoder_weights(f, layer, "attention.position_bias");
        const Number *apart = f->by_places + (f->longest - 1 - (i - j)) * d + c;
        Number content = th_proof_places_product(f, query, u + c, key);
        Number place = th_proof_places_product(f, query, v + c, apart),
               both = sum(f, content, place);
        both.off += 2 * f->unit * (most(content) + most(place));
        return both;
    }
    Number logit = th_proof_places_product(f, query, NULL, key);
    if (f->places == TH_PROOF_ALIBI)
        logit = sum(f, logit, of_table(-f->by_places[head].at * abs(i - j)));
    return logit;
}
