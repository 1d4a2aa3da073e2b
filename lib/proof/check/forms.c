#include <gsl/gsl_blas.h>

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/forms_impl.h"
#include "proof/check/places.h"

typedef ThProofForms Forms;
typedef ThProofFormRow Row;

enum { SYMBOLS = TH_PROOF_FORM_SYMBOLS };

/* ---- forms ----------------------------------------------------------------------------------- */

/* to <- the least and the greatest of what the symbols at a place add. */
static void find_span(const Forms *s, const double *v, int place, double to[2])
{
    const double *by = v + SYMBOLS + place * s->symbols;
    double none = 0;
    to[0] = HUGE_VAL;
    to[1] = -HUGE_VAL;
    for (int a = 0; a < s->symbols; a++)
        if (s->may[place * s->symbols + a]) {
            to[0] = fmin(to[0], by[a]);
            to[1] = fmax(to[1], by[a]);
            none += 0 * by[a]; /* of what is no number, nothing is known */
        }
    to[0] += none;
    to[1] += none;
}

/* What generators add at most. */
static double generated(const Forms *s, const double *v)
{
    double sum = 0;
    for (int k = s->own; k < s->cols; k++)
        sum += fabs(v[k]);
    return sum;
}

double th_proof_form_range(const Forms *s, const double *v, double off, double range[2])
{
    const double rest = generated(s, v) + off;
    double low = 0, high = 0, span[2];
    for (int i = 0; i < s->n; i++) {
        find_span(s, v, i, span);
        low += span[0];
        high += span[1];
    }
    range[0] = v[0] + low - rest;
    range[1] = v[0] + high + rest;
    return fmax(range[1] - v[0], v[0] - range[0]);
}

double th_proof_form_reach(const Forms *s, const double *v, double off)
{
    double range[2];
    return th_proof_form_range(s, v, off, range);
}

/* Not what it comes to alone: large numbers that come to little together round as large ones do. */
double th_proof_form_most(const Forms *s, const double *v, double off)
{
    double sum = fabs(v[0]) + generated(s, v) + off, span[2];
    for (int i = 0; i < s->n; i++) {
        find_span(s, v, i, span);
        sum += fabs(span[0]) > fabs(span[1]) ? fabs(span[0]) : fabs(span[1]);
    }
    return sum;
}

void th_proof_form_centre(const Forms *s, double *v)
{
    for (int i = 0; i < s->n; i++) {
        double *by = v + SYMBOLS + i * s->symbols, span[2];
        find_span(s, v, i, span);
        const double middle = (span[0] + span[1]) / 2;
        v[0] += middle;
        for (int a = 0; a < s->symbols; a++)
            by[a] = s->may[i * s->symbols + a] ? by[a] - middle : 0;
    }
}

void th_proof_form_settle(const Forms *s, double *v, int place, int symbol)
{
    double *by = v + SYMBOLS + place * s->symbols;
    v[0] += by[symbol];
    memset(by, 0, (size_t)s->symbols * sizeof *by);
}

ThProofFormLine th_proof_form_line(const double range[2], const double value[2], double slope,
                                   double at, double value_at)
{
    double chord = value[0] - slope * range[0], other = value[1] - slope * range[1],
           tangent = value_at - slope * at;
    double high = fmax(fmax(chord, other), tangent), low = fmin(fmin(chord, other), tangent);
    double size = fabs(value[0]) + fabs(value[1]) + fabs(slope) * (fabs(range[0]) + fabs(range[1]));
    return (ThProofFormLine){slope, (high + low) / 2,
                             (high - low) / 2 + TH_PROOF_DOUBLE_UNIT * size};
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Generators of a row: of its mixture, of its units, and of three layer norms. */
static int owns_of(const ThProofDecoder *f)
{
    return f->dim + f->hidden + 3 * (f->dim + 1);
}

ThProofForms *th_proof_forms_new(ThProofDecoder *f, int longest, ThError *err)
{
    const int d = f->dim, k = f->n_symbols, rows = longest * k, set = 1 + rows + owns_of(f);
    const int wide = set + longest * d * (f->before ? 2 : 1) * f->layers;
    const int forms[] = {rows * d,
                         f->before ? rows * d : 0,
                         rows * 2 * d,
                         d,
                         d,
                         d,
                         f->hidden,
                         rows * 2 * d,
                         rows,
                         k * (d + 1),
                         d + 1};
    enum { FORMS = sizeof forms / sizeof *forms };
    size_t all = 0, width = (size_t)wide,
           matrix = (size_t)d * (size_t)(f->hidden > 2 * d ? f->hidden : 2 * d);
    for (int i = 0; i < FORMS; i++)
        all += (size_t)forms[i] * (width + 1);
    size_t more = matrix + (size_t)rows * 2 * (size_t)d + 3 * width;
    Forms *s = th_alloc(1, sizeof *s + (all + more) * sizeof *s->number, err);
    if (!s)
        return NULL;
    *s = (Forms){.f = f, .symbols = k, .owns = owns_of(f), .wide = wide};
    Row *row[FORMS] = {&s->x,       &s->read, &s->both,  &s->query, &s->mixed, &s->sum,
                       &s->unit_of, &s->keys, &s->logit, &s->terms, &s->total};
    double *at = s->number;
    for (int i = 0; i < FORMS; i++) {
        row[i]->at = at;
        row[i]->off = at + (size_t)forms[i] * width;
        at += (size_t)forms[i] * (width + 1);
    }
    s->matrix = at;
    s->reach = s->matrix + matrix;
    s->most = s->reach + (size_t)rows * 2 * (size_t)d;
    s->more = s->most + wide;
    const int words = longest > k ? longest : k; /* of a string, or the symbols of a place */
    s->place = th_alloc((size_t)(2 * rows + longest + 1 + words), sizeof *s->place, err);
    if (!s->place) {
        free(s);
        return NULL;
    }
    s->symbol = s->place + rows;
    s->first = s->symbol + rows;
    s->word = s->first + longest + 1;
    return s;
}

void th_proof_forms_free(ThProofForms *s)
{
    if (s)
        free(s->place);
    free(s);
}

/* ---- steps of a row -------------------------------------------------------------------------- */

/* y (to) <- x (from) times a matrix, with a bias where there is one. */
static void linear(Forms *s, Row x, const float *w, const float *bias, int from, int to, Row y)
{
    const double gamma = th_proof_gamma(s->f->unit, from + 2);
    for (int k = 0; k < from * to; k++)
        s->matrix[k] = (double)w[k];
    gsl_matrix_const_view by = gsl_matrix_const_view_array(s->matrix, (size_t)from, (size_t)to);
    gsl_matrix_const_view in =
        gsl_matrix_const_view_array_with_tda(x.at, (size_t)from, (size_t)s->cols, (size_t)s->wide);
    gsl_matrix_view out =
        gsl_matrix_view_array_with_tda(y.at, (size_t)to, (size_t)s->cols, (size_t)s->wide);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, &by.matrix, &in.matrix, 0, &out.matrix);
    for (int k = 0; k < from; k++)
        s->most[k] = x.off[k] + gamma * th_proof_form_most(s, th_proof_form(s, x, k), x.off[k]);
    for (int j = 0; j < to; j++) {
        double bias_of = bias ? (double)bias[j] : 0, off = gamma * fabs(bias_of);
        for (int k = 0; k < from; k++)
            off += s->most[k] * fabs(s->matrix[k * to + j]);
        th_proof_form(s, y, j)[0] += bias_of;
        y.off[j] = off + TH_PROOF_UNDERFLOW;
    }
}

static void add(const Forms *s, Row x, Row y)
{
    for (int c = 0; c < s->f->dim; c++) {
        double *to = th_proof_form(s, x, c), *from = th_proof_form(s, y, c);
        for (int k = 0; k < s->cols; k++)
            to[k] += from[k];
        x.off[c] += y.off[c];
        x.off[c] += s->f->unit * th_proof_form_most(s, to, x.off[c]);
    }
}

/* y <- x less its mean, each number of which is centred. */
static void take_mean(const Forms *s, Row x, Row y)
{
    const int d = s->f->dim;
    const double gamma = th_proof_gamma(s->f->unit, d + 4);
    double *mean = s->more, off = 0, size = 0;
    memset(mean, 0, (size_t)s->cols * sizeof *mean);
    for (int c = 0; c < d; c++) {
        const double *from = th_proof_form(s, x, c);
        for (int k = 0; k < s->cols; k++)
            mean[k] += from[k] / d;
        off += x.off[c] / d;
        size += th_proof_form_most(s, from, x.off[c]) / d;
    }
    for (int c = 0; c < d; c++) {
        const double *from = th_proof_form(s, x, c);
        double *to = th_proof_form(s, y, c);
        y.off[c] = x.off[c] + off + gamma * (size + th_proof_form_most(s, from, x.off[c]));
        for (int k = 0; k < s->cols; k++)
            to[k] = from[k] - mean[k];
        th_proof_form_centre(s, to);
    }
}

/* s->more <- the form of one over the root of the mean square of d centred numbers, which go
 * s->most (d) from their constants; *reach <- how far it goes from its own.  Returns what it
 * misses. */
static double find_scale(Forms *s, Row y, double *reach)
{
    const int d = s->f->dim;
    double *v = s->more, loose = 0, low = 0, high = 0, middle = 0, around = 0, range[2];
    memset(v, 0, (size_t)s->cols * sizeof *v);
    for (int c = 0; c < d; c++) {
        const double *from = th_proof_form(s, y, c), at = from[0], by = 2 * at / d;
        const double half = s->most[c] * s->most[c] / (2 * d), off = y.off[c];
        for (int k = 1; k < s->cols; k++)
            v[k] += by * from[k];
        v[0] += at * at / d + half;
        loose += half + fabs(by) * off;
        low += pow(fmax(0, fabs(at) - s->most[c]), 2) / d;
        high += pow(fabs(at) + s->most[c], 2) / d;
        middle += at * at / d;
        around += s->most[c] * s->most[c] / d;
    }
    th_proof_form_range(s, v, loose, range);
    range[0] =
        fmax(fmax(range[0], low), pow(fmax(0, sqrt(middle) - sqrt(around)), 2)) + TH_PROOF_EPSILON;
    range[1] = fmax(range[0], fmin(range[1], high) + TH_PROOF_EPSILON);
    const double value[2] = {1 / sqrt(range[0]), 1 / sqrt(range[1])}, wide = range[1] - range[0];
    const double slope =
        wide > 1e-9 * range[1] ? (value[1] - value[0]) / wide : -value[0] / (2 * range[0]);
    const double at = pow(-2 * slope, -2.0 / 3);
    ThProofFormLine line = th_proof_form_line(range, value, slope, at, 1 / sqrt(at));
    const double error = line.error + fabs(line.slope) * loose;
    for (int k = 0; k < s->cols; k++)
        v[k] *= line.slope;
    v[0] += line.offset + line.slope * TH_PROOF_EPSILON;
    th_proof_form_range(s, v, error, range);
    *reach = fmax(fmin(range[1], value[0]) - v[0], v[0] - fmax(range[0], value[1]));
    return error;
}

/* Takes off what is known of a form beside a range that it surely is in, where that is less. */
static void hold(const Forms *s, double *v, double *off, const double sure[2], int own)
{
    double range[2];
    th_proof_form_range(s, v, *off, range);
    if (range[1] - range[0] < sure[1] - sure[0])
        return;
    memset(v, 0, (size_t)s->cols * sizeof *v);
    v[0] = (sure[0] + sure[1]) / 2;
    v[own] = (sure[1] - sure[0]) / 2;
    *off = 0;
}

/* y <- layer norm of x (dim); takes dim + 1 generators. */
static void normalise(Forms *s, Row x, const float *gain, const float *offset, Row y)
{
    const int d = s->f->dim, shared = s->own + s->taken, own = shared + 1;
    /* The root of d, not of d - 1: a run rounds the mean, too, and what is left need not add up to
     * 0. */
    const double more = th_proof_gamma(s->f->unit, d + 16), far = sqrt(d) * (1 + TH_PROOF_SPARE);
    const double sure[2] = {-far, far};
    double reach, *scale = s->more;
    take_mean(s, x, y);
    for (int c = 0; c < d; c++)
        s->most[c] = th_proof_form_reach(s, th_proof_form(s, y, c), y.off[c]);
    const double error = find_scale(s, y, &reach);
    for (int c = 0; c < d; c++) {
        double *v = th_proof_form(s, y, c), at = v[0], g = (double)gain[c];
        for (int k = 0; k < s->cols; k++)
            v[k] = v[k] * scale[0] + at * (k ? scale[k] : 0);
        v[shared] += at * error;
        v[own + c] += s->most[c] * reach;
        y.off[c] *= fabs(scale[0]);
        y.off[c] += more * th_proof_form_most(s, v, y.off[c]);
        hold(s, v, &y.off[c], sure, own + c);
        for (int k = 0; k < s->cols; k++)
            v[k] *= g;
        v[0] += (double)offset[c];
        y.off[c] = fabs(g) * y.off[c] + more * (fabs(g) * far + fabs((double)offset[c])) +
                   TH_PROOF_UNDERFLOW;
    }
    s->taken += d + 1;
}

ThProofFormLine th_proof_form_unit(double at, const double range[2], bool gelu)
{
    const double most_below = 0.17, least = -0.1081, greatest = 0.7979;
    const double reach = fmax(range[1] - at, at - range[0]), square = reach * reach / 2;
    ThProofFormLine line = {range[0] >= 0, 0, 0};
    if (range[0] < 0 && range[1] > 0) {
        line.slope = range[1] / (range[1] - range[0]);
        line.offset = line.error = -line.slope * range[0] / 2;
    }
    if (!gelu)
        return line;
    line.offset -= most_below / 2;
    line.error += most_below / 2;
    const double error = (greatest - least) / 2 * square;
    if (!(error < line.error))
        return line;
    const double below = 0.5 * erfc(-at * M_SQRT1_2), value = at * below;
    const double slope = below + at * exp(-at * at / 2) / sqrt(2 * M_PI);
    return (ThProofFormLine){slope, value - slope * at + (least + greatest) / 2 * square, error};
}

/* Bends the hidden units, and takes a generator for each. */
static void bend(Forms *s, Row u)
{
    enum { GELU_ROUNDINGS = 32 };
    const ThProofDecoder *f = s->f;
    for (int c = 0; c < f->hidden; c++) {
        double *v = th_proof_form(s, u, c), range[2];
        const double most = th_proof_form_most(s, v, u.off[c]);
        th_proof_form_range(s, v, u.off[c], range);
        ThProofFormLine line = th_proof_form_unit(v[0], range, f->gelu);
        for (int k = 0; k < s->cols; k++)
            v[k] *= line.slope;
        v[0] += line.offset;
        v[s->own + s->taken + c] += line.error;
        u.off[c] = fabs(line.slope) * u.off[c] + (f->gelu ? GELU_ROUNDINGS : 1) * f->unit * most;
    }
    s->taken += f->hidden;
}

/* ---- layers ---------------------------------------------------------------------------------- */

static const float *weights(const Forms *s, int layer, const char *name)
{
    return th_proof_decoder_weights(s->f, layer, name);
}

static void norm_of(Forms *s, int layer, int which, Row x, Row y)
{
    normalise(s, x, weights(s, layer, which == 1 ? "norm1.gain" : "norm2.gain"),
              weights(s, layer, which == 1 ? "norm1.offset" : "norm2.offset"), y);
}

static void copy(const Forms *s, Row from, Row to)
{
    memcpy(to.at, from.at, (size_t)s->f->dim * (size_t)s->wide * sizeof *to.at);
    memcpy(to.off, from.off, (size_t)s->f->dim * sizeof *to.off);
}

/* A row's generators become one a coordinate, behind all that there are: nothing else of a row is
 * of its symbol alone.  Before there are any, radii: numbers that depend on no symbol. */
static void condense(const Forms *s, Row x, int place, bool first)
{
    for (int c = 0; c < s->f->dim; c++) {
        double *v = th_proof_form(s, x, c), size = 0;
        if (!first)
            memset(v + s->cols, 0, (size_t)(s->n * s->f->dim) * sizeof *v);
        for (int k = s->own; k < s->set; k++) {
            size += fabs(v[k]);
            v[k] = 0;
        }
        if (first)
            x.off[c] += size;
        else
            v[s->cols + place * s->f->dim + c] = size;
    }
}

static void embed(Forms *s)
{
    ThProofDecoder *f = s->f;
    const int d = f->dim;
    memset(s->x.at, 0, (size_t)s->rows * (size_t)d * (size_t)s->wide * sizeof *s->x.at);
    for (int a = 0; a < s->symbols; a++) {
        for (int i = 0; i < s->n; i++)
            s->word[i] = a;
        th_proof_decoder_embed(f, s->word, s->n);
        for (int r = 0; r < s->rows; r++)
            for (int c = 0; s->symbol[r] == a && c < d; c++) {
                ThProofNumber x = f->x[s->place[r] * d + c];
                th_proof_form(s, s->x, r * d + c)[0] = x.at;
                s->x.off[r * d + c] = x.off;
            }
    }
}

/* s->both <- keys and values of all rows, which a head sees at their places. */
static void make_keys(Forms *s, int layer)
{
    const int d = s->f->dim;
    const float *w = weights(s, layer, "attention.key_value"),
                *bias = weights(s, layer, "attention.key_value_bias");
    for (int r = 0; s->f->before && r < s->rows; r++) {
        Row to = th_proof_form_row(s, s->read, r * d);
        s->taken = 0;
        memset(to.at, 0, (size_t)d * (size_t)s->wide * sizeof *to.at);
        norm_of(s, layer, 1, th_proof_form_row(s, s->x, r * d), to);
        condense(s, to, s->place[r], layer == 0);
    }
    if (s->f->before && layer > 0)
        s->cols += s->n * d;
    for (int r = 0; r < s->rows; r++) {
        Row to = th_proof_form_row(s, s->both, r * 2 * d);
        linear(s, th_proof_form_row(s, s->f->before ? s->read : s->x, r * d), w, bias, d, 2 * d,
               to);
        th_proof_forms_turn(s, to, s->place[r]);
    }
}

static void feed(Forms *s, int layer, Row from)
{
    const int d = s->f->dim, hidden = s->f->hidden;
    linear(s, from, weights(s, layer, "feed_forward.up"), weights(s, layer, "feed_forward.up_bias"),
           d, hidden, s->unit_of);
    bend(s, s->unit_of);
    linear(s, s->unit_of, weights(s, layer, "feed_forward.down"),
           weights(s, layer, "feed_forward.down_bias"), hidden, d, s->sum);
}

/* As th_proof_decoder_layer, of one row. */
static void take_row(Forms *s, int layer, int r)
{
    const ThProofDecoder *f = s->f;
    const int d = f->dim;
    Row x = th_proof_form_row(s, s->x, r * d),
        read = f->before ? th_proof_form_row(s, s->read, r * d) : x;
    s->taken = 0;
    linear(s, read, weights(s, layer, "attention.query"), weights(s, layer, "attention.query_bias"),
           d, d, s->query);
    th_proof_forms_attend(s, layer, r, s->query, s->mixed);
    linear(s, s->mixed, weights(s, layer, "attention.output"),
           weights(s, layer, "attention.output_bias"), d, d, s->sum);
    read = s->mixed;
    if (f->beside)
        norm_of(s, layer, 2, x, read);
    add(s, x, s->sum);
    if (!f->before) {
        norm_of(s, layer, 1, x, read);
        copy(s, read, x);
    } else if (!f->beside)
        norm_of(s, layer, 2, x, read);
    feed(s, layer, read);
    add(s, x, s->sum);
    if (!f->before) {
        norm_of(s, layer, 2, x, read);
        copy(s, read, x);
    }
    for (int c = 0; c < d; c++)
        x.off[c] += f->slack;
}

static void list_rows(Forms *s)
{
    s->rows = 0;
    for (int i = 0; i < s->n; i++) {
        s->first[i] = s->rows;
        for (int a = 0; a < s->symbols; a++)
            if (s->may[i * s->symbols + a]) {
                s->place[s->rows] = i;
                s->symbol[s->rows++] = a;
            }
    }
    s->first[s->n] = s->rows;
}

/* Of the last layer only the last place is read. */
void th_proof_forms_read(ThProofForms *s, const bool *may, int n)
{
    const int d = s->f->dim;
    s->may = may;
    s->n = n;
    list_rows(s);
    s->own = SYMBOLS + n * s->symbols;
    s->set = s->cols = s->own + s->owns;
    embed(s);
    for (int layer = 0; layer < s->f->layers; layer++) {
        bool last = layer == s->f->layers - 1;
        if (s->f->places == TH_PROOF_XL)
            th_proof_places_prepare(s->f, layer, n);
        make_keys(s, layer);
        for (int r = last ? s->first[n - 1] : 0; r < s->rows; r++)
            take_row(s, layer, r);
        for (int r = 0; !last && r < s->rows; r++)
            condense(s, th_proof_form_row(s, s->x, r * d), s->place[r], false);
        s->cols += last ? 0 : n * d;
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The string of which a form is least, and how much each position moves it. */
static void look_at(const Forms *s, const double *v, int row, ThProofFormsLead *to)
{
    for (int i = 0; i < s->n; i++) {
        const double *by = v + SYMBOLS + i * s->symbols;
        double most = -HUGE_VAL, least = HUGE_VAL;
        for (int a = 0; a < s->symbols; a++) {
            if (!s->may[i * s->symbols + a])
                continue;
            most = fmax(most, by[a]);
            if (!(by[a] >= least)) {
                least = by[a];
                to->word[i] = a;
            }
        }
        to->effect[i] = most - least;
    }
    to->word[s->n - 1] = s->symbol[row];
}

/* By how much one class leads another of a row's logits. */
static void compare(Forms *s, int row, Row x, const int class[2], ThProofFormsLead *to)
{
    const ThProofDecoder *f = s->f;
    const int d = f->dim, all = f->n_classes;
    const float *w = weights(s, -1, "head"), *bias = weights(s, -1, "head_bias");
    const double gamma = th_proof_gamma(f->unit, d + 2);
    double *v = s->more, off = 0, range[2];
    memset(v, 0, (size_t)s->cols * sizeof *v);
    for (int k = 0; bias && k < 2; k++) {
        v[0] += (k ? -1 : 1) * (double)bias[class[k]];
        off += gamma * fabs((double)bias[class[k]]);
    }
    for (int c = 0; c < d; c++) {
        const double *from = th_proof_form(s, x, c);
        const double one = (double)w[c * all + class[0]], other = (double)w[c * all + class[1]];
        for (int k = 0; k < s->cols; k++)
            v[k] += (one - other) * from[k];
        off += fabs(one - other) * x.off[c] +
               gamma * (fabs(one) + fabs(other)) * th_proof_form_most(s, from, x.off[c]);
    }
    off = off * TH_PROOF_WIDER + 2 * (f->slack + TH_PROOF_SPARE);
    th_proof_form_range(s, v, off, range);
    if (range[0] >= to->least || isnan(to->least))
        return;
    to->least = range[0];
    if (to->word)
        look_at(s, v, row, to);
}

void th_proof_forms_lead(ThProofForms *s, int class, ThProofFormsLead *to)
{
    const int d = s->f->dim;
    const float *gain = weights(s, -1, "final_norm.gain");
    to->least = HUGE_VAL;
    for (int r = s->first[s->n - 1]; r < s->rows; r++) {
        Row x = th_proof_form_row(s, s->x, r * d);
        if (gain) {
            s->taken = s->owns - (d + 1);
            normalise(s, x, gain, weights(s, -1, "final_norm.offset"), s->mixed);
            x = s->mixed;
        }
        for (int c = 0; c < s->f->n_classes; c++)
            if (c != class)
                compare(s, r, x, (const int[]){class, c}, to);
    }
}
