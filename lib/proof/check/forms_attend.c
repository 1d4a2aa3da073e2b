/* forms_attend.c - what heads mix, as forms.
 *
 * A head's mixture is Σ e(s) v / Σ e(s), over the symbol that is at each position.  With a
 * reference value r it is r + Σ e(s) (v - r) / Σ e(s): both sums have a term for each position's
 * symbol, in which only what other symbols do is a line.  What all logits have in common does
 * nothing.
 */
#include <math.h>
#include <string.h>

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/forms_impl.h"
#include "proof/check/places.h"

typedef ThProofForms Forms;
typedef ThProofFormRow Row;

enum { SYMBOLS = TH_PROOF_FORM_SYMBOLS };

/* A head of a layer, as a row sees it. */
typedef struct {
    int layer, head, row, column, size; /* column: its first one */
    int from, to;                       /* places that it sees */
    const double *query_reach;          /* (dim) */
    double largest;                     /* magnitude of a logit */
} Head;

/* ---- keys as a row sees them ----------------------------------------------------------------- */

void th_proof_forms_turn(const ThProofForms *s, ThProofFormRow x, int place)
{
    const ThProofDecoder *f = s->f;
    const int width = f->dim / f->heads, half = width / 2;
    const double rounded = 1e-13 + th_proof_gamma(f->unit, 6);
    if (f->places != TH_PROOF_ROPE)
        return;
    for (int h = 0; h < f->heads; h++)
        for (int t = 0; t < half; t++) {
            const int a = h * width + t, b = a + half;
            const double angle = place * pow(10000, -(double)t / half), c = cos(angle),
                         d = sin(angle);
            double *first = th_proof_form(s, x, a), *second = th_proof_form(s, x, b);
            const double loose = rounded * (th_proof_form_most(s, first, x.off[a]) +
                                            th_proof_form_most(s, second, x.off[b])) +
                                 TH_PROOF_UNDERFLOW;
            const double one = x.off[a], other = x.off[b];
            for (int k = 0; k < s->cols; k++) {
                const double was = first[k];
                first[k] = c * was - d * second[k];
                second[k] = c * second[k] + d * was;
            }
            x.off[a] = fabs(c) * one + fabs(d) * other + loose;
            x.off[b] = fabs(c) * other + fabs(d) * one + loose;
        }
}

/* Is a row's symbol at its place where another row's is at its own? */
static bool can_meet(const Forms *s, int row, int key)
{
    return s->place[key] != s->place[row] || key == row;
}

/* Keys and values of what a row can see, where its own symbol is known, and how far they reach. */
static void see_keys(Forms *s, int row, int from, int to)
{
    const int wide = 2 * s->f->dim;
    for (int t = s->first[from]; t < s->first[to + 1]; t++) {
        if (!can_meet(s, row, t))
            continue;
        for (int c = 0; c < wide; c++) {
            double *v = th_proof_form(s, s->keys, t * wide + c);
            memcpy(v, th_proof_form(s, s->both, t * wide + c), (size_t)s->cols * sizeof *v);
            th_proof_form_settle(s, v, s->place[row], s->symbol[row]);
            th_proof_form_centre(s, v);
            s->keys.off[t * wide + c] = s->both.off[t * wide + c];
            s->reach[t * wide + c] = th_proof_form_reach(s, v, s->both.off[t * wide + c]);
        }
    }
}

/* ---- logits ---------------------------------------------------------------------------------- */

/* v <- v + (q + more) y, where q is a form that goes `reach` from its constant, and y a number: a
 * distance of position=xl.  Returns what it is off by. */
static double add_distance(const Forms *s, double *v, const double *q, double q_off, double reach,
                           double more, ThProofNumber y)
{
    const double at = q[0] + more;
    for (int k = 1; k < s->cols; k++)
        v[k] += y.at * q[k];
    v[0] += at * y.at;
    return fabs(y.at) * q_off + (fabs(at) + reach) * y.off;
}

/* s->logit of a key, times what it is scaled by; its radius has products of what is not constant.
 */
static void find_logit(Forms *s, Head *h, Row q, int key)
{
    const ThProofDecoder *f = s->f;
    const int d = f->dim, i = s->place[h->row], j = s->place[key];
    const double scale = 1 / sqrt(h->size), gamma = th_proof_gamma(f->unit, h->size + 8);
    const float *u = f->places == TH_PROOF_XL
                         ? th_proof_decoder_weights(f, h->layer, "attention.content_bias")
                         : NULL;
    const float *w = u ? th_proof_decoder_weights(f, h->layer, "attention.position_bias") : NULL;
    double *v = th_proof_form(s, s->logit, key), off = 0, size = 0;
    memset(v, 0, (size_t)s->cols * sizeof *v);
    for (int c = h->column; c < h->column + h->size; c++) {
        const double *query = th_proof_form(s, q, c),
                     *k = th_proof_form(s, s->keys, key * 2 * d + c);
        const double at = query[0] + (u ? (double)u[c] : 0), k_off = s->keys.off[key * 2 * d + c];
        const double k_reach = s->reach[key * 2 * d + c], q_reach = h->query_reach[c];
        for (int n = 1; n < s->cols; n++)
            v[n] += at * k[n] + k[0] * query[n];
        v[0] += at * k[0];
        off += q_reach * k_reach + fabs(at) * k_off + fabs(k[0]) * q.off[c];
        size += (fabs(at) + q_reach) * (fabs(k[0]) + k_reach);
        if (u) {
            ThProofNumber far = f->by_places[(f->longest - 1 - (i - j)) * d + c];
            off += add_distance(s, v, query, q.off[c], q_reach, (double)w[c], far);
            size += (fabs(query[0] + (double)w[c]) + q_reach) * (fabs(far.at) + far.off);
        }
    }
    for (int n = 0; n < s->cols; n++)
        v[n] *= scale;
    off = scale * (off + gamma * size) + TH_PROOF_UNDERFLOW;
    if (f->places == TH_PROOF_ALIBI) {
        v[0] -= (double)(float)(f->by_places[h->head].at * abs(i - j));
        off += f->unit * (fabs(v[0]) + scale * size);
    }
    s->logit.off[key] = off;
    h->largest = fmax(h->largest, th_proof_form_most(s, v, off));
}

/* Takes from all logits what they have in common, about, so that the greatest constant is 0. */
static void take_common(Forms *s, const Head *h)
{
    double top = -HUGE_VAL, total = 0, *common = s->more;
    memset(common, 0, (size_t)s->cols * sizeof *common);
    for (int t = s->first[h->from]; t < s->first[h->to + 1]; t++)
        top = can_meet(s, h->row, t) ? fmax(top, th_proof_form(s, s->logit, t)[0]) : top;
    for (int t = s->first[h->from]; t < s->first[h->to + 1]; t++) {
        const double *v = th_proof_form(s, s->logit, t), weight = exp(v[0] - top);
        if (!can_meet(s, h->row, t))
            continue;
        total += weight;
        for (int k = 1; k < s->cols; k++)
            common[k] += weight * v[k];
    }
    for (int t = s->first[h->from]; t < s->first[h->to + 1]; t++) {
        double *v = th_proof_form(s, s->logit, t);
        if (!can_meet(s, h->row, t))
            continue;
        v[0] -= top;
        for (int k = 1; k < s->cols; k++)
            v[k] -= common[k] / total;
        th_proof_form_settle(s, v, s->place[t], s->symbol[t]);
    }
}

/* s->logit of a key becomes its exponential, and range what it is in. */
static void exponentiate(Forms *s, int key, double range[2])
{
    double *v = th_proof_form(s, s->logit, key), loose = s->logit.off[key], own[2];
    th_proof_form_range(s, v, loose, range);
    const double value[2] = {exp(range[0]), exp(range[1])}, wide = range[1] - range[0];
    const double slope = wide > 1e-9 ? (value[1] - value[0]) / wide : value[0];
    ThProofFormLine line = th_proof_form_line(range, value, slope, log(slope), slope);
    for (int k = 0; k < s->cols; k++)
        v[k] *= line.slope;
    v[0] += line.offset;
    s->logit.off[key] = fabs(line.slope) * loose + line.error;
    th_proof_form_range(s, v, s->logit.off[key], own);
    range[0] = fmax(value[0], own[0]);
    range[1] = fmin(value[1], own[1]);
}

/* ---- sums over positions --------------------------------------------------------------------- */

static Row term_of(const Forms *s, int n)
{
    return th_proof_form_row(s, s->terms, n * (s->f->dim + 1));
}

/* Where s->keys has the value of a key in a head's column. */
static int value_of(const Forms *s, const Head *h, int key, int c)
{
    return key * 2 * s->f->dim + s->f->dim + h->column + c;
}

/* s->total of a column <- itself and what is at a place: one of n terms, each of a symbol.  What
 * the terms do not have in common is known to a radius. */
static void add_place(Forms *s, int column, int place, const int *symbol, int n)
{
    double *sum = th_proof_form(s, s->total, column), *common = s->more, *apart = s->more + s->wide,
           off = 0;
    for (int k = 1; k < s->cols; k++) {
        double least = HUGE_VAL, greatest = -HUGE_VAL, none = 0;
        for (int t = 0; t < n; t++) {
            const double x = th_proof_form(s, term_of(s, t), column)[k];
            least = fmin(least, x);
            greatest = fmax(greatest, x);
            none += 0 * x;
        }
        common[k] = (least + greatest) / 2 + none;
        sum[k] += common[k];
    }
    for (int t = 0; t < n; t++) {
        const Row term = term_of(s, t);
        const double *v = th_proof_form(s, term, column);
        apart[0] = 0;
        for (int k = 1; k < s->cols; k++)
            apart[k] = v[k] - common[k];
        off = fmax(off, th_proof_form_reach(s, apart, term.off[column]));
        sum[n > 1 ? SYMBOLS + place * s->symbols + symbol[t] : 0] += v[0]; /* alone it is sure */
    }
    s->total.off[column] += off;
}

/* Term number `n` <- of a key its weight, which is in a range, times its values less their
 * references, and behind these the weight. */
static void make_term(Forms *s, const Head *h, int key, int n, const double range[2],
                      const double *reference)
{
    const double *e = th_proof_form(s, s->logit, key), error = s->logit.off[key];
    const double reach = fmax(range[1] - e[0], e[0] - range[0]);
    Row to = term_of(s, n);
    for (int c = 0; c < h->size; c++) {
        const int from = value_of(s, h, key, c);
        const double *v = th_proof_form(s, s->keys, from), at = v[0] - reference[c];
        double *form = th_proof_form(s, to, c);
        form[0] = e[0] * at;
        for (int k = 1; k < s->cols; k++)
            form[k] = e[0] * v[k] + at * e[k];
        to.off[c] = error * fabs(at) + reach * (s->reach[from] - s->keys.off[from]);
    }
    memcpy(th_proof_form(s, to, h->size), e, (size_t)s->cols * sizeof *e);
    to.off[h->size] = error;
}

/* s->total <- a head's sums, that of weights behind the others; among <- what it is in, as far as
 * weights one by one say. */
static void add_up(Forms *s, const Head *h, const double *reference, double among[2])
{
    memset(s->total.at, 0, (size_t)(h->size + 1) * (size_t)s->wide * sizeof *s->total.at);
    memset(s->total.off, 0, (size_t)(h->size + 1) * sizeof *s->total.off);
    among[0] = among[1] = 0;
    for (int place = h->from; place <= h->to; place++) {
        double least = HUGE_VAL, greatest = 0, range[2];
        int n = 0, *symbol = s->word;
        for (int t = s->first[place]; t < s->first[place + 1]; t++) {
            if (!can_meet(s, h->row, t))
                continue;
            exponentiate(s, t, range);
            make_term(s, h, t, n, range, reference);
            symbol[n++] = s->symbol[t];
            least = fmin(least, range[0]);
            greatest = fmax(greatest, range[1]);
        }
        among[0] += least;
        among[1] += greatest;
        for (int c = 0; c <= h->size; c++)
            add_place(s, c, place, symbol, n);
    }
}

/* The mean value, by the weights of constants. */
static void find_reference(const Forms *s, const Head *h, double *reference)
{
    double total = 0;
    memset(reference, 0, (size_t)h->size * sizeof *reference);
    for (int t = s->first[h->from]; t < s->first[h->to + 1]; t++) {
        if (!can_meet(s, h->row, t))
            continue;
        int beside =
            s->place[t] == s->place[h->row] ? 1 : s->first[s->place[t] + 1] - s->first[s->place[t]];
        const double weight = exp(th_proof_form(s, s->logit, t)[0]) / beside;
        total += weight;
        for (int c = 0; c < h->size; c++)
            reference[c] += weight * th_proof_form(s, s->keys, value_of(s, h, t, c))[0];
    }
    for (int c = 0; c < h->size; c++)
        reference[c] /= total;
}

/* s->more <- one over the sum of weights, as a form; *reach <- how far it goes from its constant.
 * Returns what it misses. */
static double invert(Forms *s, const Head *h, const double among[2], double *reach)
{
    const int last = h->size;
    double *sum = th_proof_form(s, s->total, last), *v = s->more, range[2];
    th_proof_form_centre(s, sum);
    th_proof_form_range(s, sum, s->total.off[last], range);
    range[0] = fmax(among[0], range[0]);
    range[1] = fmax(range[0], fmin(among[1], range[1]));
    const double value[2] = {1 / range[0], 1 / range[1]}, slope = -value[0] * value[1];
    const double at = 1 / sqrt(-slope);
    ThProofFormLine line = th_proof_form_line(range, value, slope, at, 1 / at);
    const double error = fabs(line.slope) * s->total.off[last] + line.error;
    for (int k = 0; k < s->cols; k++)
        v[k] = line.slope * sum[k];
    v[0] += line.offset;
    th_proof_form_range(s, v, error, range);
    *reach = fmax(fmin(range[1], value[0]) - v[0], v[0] - fmax(range[0], value[1]));
    return error;
}

/* What all values of a column are in, and how far one is off. */
static void find_values(const Forms *s, const Head *h, int c, double range[2], double *off)
{
    double none = 0;
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    *off = 0;
    for (int t = s->first[h->from]; t < s->first[h->to + 1]; t++) {
        const int from = value_of(s, h, t, c);
        if (!can_meet(s, h->row, t))
            continue;
        const double at = th_proof_form(s, s->keys, from)[0];
        range[0] = fmin(range[0], at - s->reach[from]);
        range[1] = fmax(range[1], at + s->reach[from]);
        none += 0 * (at + s->reach[from]);
        *off = fmax(*off, s->keys.off[from]);
    }
    range[0] += none;
}

/* Numbers of a mixture from its sums: quotients, or no more than that they lie among the values. */
static void divide(Forms *s, const Head *h, const double *reference, const double summed[2], Row to)
{
    const int keys = h->to - h->from + 1, terms = s->first[h->to + 1] - s->first[h->from];
    const double rounded = th_proof_gamma(s->f->unit, 2 * keys + 26 + 8 * h->largest) +
                           th_proof_gamma(TH_PROOF_POINT_UNITS[0], 8 * (terms + s->cols));
    double reach, *scale = s->more;
    const double error = invert(s, h, summed, &reach);
    for (int c = 0; c < h->size; c++) {
        const int column = h->column + c;
        double *sum = th_proof_form(s, s->total, c), *v = th_proof_form(s, to, column), among[2],
               own[2], off;
        th_proof_form_centre(s, sum);
        const double at = sum[0], around = th_proof_form_reach(s, sum, s->total.off[c]);
        const double missed = s->total.off[c] * fabs(scale[0]) + fabs(at) * error + around * reach;
        for (int k = 0; k < s->cols; k++)
            v[k] = sum[k] * scale[0] + (k ? at * scale[k] : 0);
        v[0] += reference[c];
        v[s->own + s->taken + column] += missed;
        find_values(s, h, c, among, &off);
        th_proof_form_range(s, v, off, own);
        if (!(own[1] - own[0] < among[1] - among[0])) {
            memset(v, 0, (size_t)s->cols * sizeof *v);
            v[0] = (among[0] + among[1]) / 2;
            v[s->own + s->taken + column] = (among[1] - among[0]) / 2;
        }
        to.off[column] =
            off + rounded * fmax(fabs(among[0]), fabs(among[1])) * s->symbols + TH_PROOF_UNDERFLOW;
    }
}

void th_proof_forms_attend(ThProofForms *s, int layer, int row, ThProofFormRow q, ThProofFormRow to)
{
    const ThProofDecoder *f = s->f;
    const int d = f->dim, size = d / f->heads, i = s->place[row];
    double *reach = s->most, *reference = s->most + d;
    int from = i, until = i;
    for (int h = 0; h < f->heads; h++) {
        int first, last;
        th_proof_places_seen(f, layer, h, i, s->n, &first, &last);
        from = first < from ? first : from;
        until = last > until ? last : until;
    }
    th_proof_forms_turn(s, q, i);
    for (int c = 0; c < d; c++) {
        th_proof_form_centre(s, th_proof_form(s, q, c));
        reach[c] = th_proof_form_reach(s, th_proof_form(s, q, c), q.off[c]);
    }
    see_keys(s, row, from, until);
    for (int h = 0; h < f->heads; h++) {
        Head head = {layer, h, row, h * size, size, 0, 0, reach, 0};
        double summed[2];
        th_proof_places_seen(f, layer, h, i, s->n, &head.from, &head.to);
        for (int t = s->first[head.from]; t < s->first[head.to + 1]; t++)
            if (can_meet(s, row, t))
                find_logit(s, &head, q, t);
        take_common(s, &head);
        find_reference(s, &head, reference);
        add_up(s, &head, reference, summed);
        divide(s, &head, reference, summed, to);
    }
    s->taken += d;
}
