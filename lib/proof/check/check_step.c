/* One step of a recurrent network, made with a set of states.
 *
 * What goes into a unit is kept as a value, a row of coefficients of the coordinates of the set,
 * and half a box; sigmoids become their tangents at the centre with what is missing of them,
 * products lose what is of second order to the box.  What a run rounds goes to the box, too, as in
 * check_tree.c. */

#include "proof/check/check_impl.h"

enum { FROM, GATES, BELOW, FORMS }; /* stacks */
enum { LOOSE = 1 };                 /* number of s->size */
enum { ROUNDINGS = 10 };

typedef struct {
    double at, box, *row; /* (dim) */
} Form;

/* ---- forms ----------------------------------------------------------------------------------- */

typedef struct {
    ThProofCheckSet *s;
    const ThProofCell *f;
    int layer, first;    /* the number at which its state begins */
    const double *input; /* what the symbol adds, or a layer's biases */
    Form form[5];
} Step;

static double reach_of(const Step *p, const Form *f)
{
    return sqrt(th_proof_check_inner(f->row, f->row, p->s->d)) + f->box;
}

/* What it is at most; and what one more rounding of it adds to its box. */
static double magnitude(const Step *p, const Form *f)
{
    return fabs(f->at) + reach_of(p, f);
}

static void round_once(const Step *p, Form *a)
{
    a->box += 2 * p->s->unit * magnitude(p, a);
}

/* a <- a + plus · b */
static void add(const Step *p, Form *a, const Form *b, double plus)
{
    a->at += plus * b->at;
    a->box += fabs(plus) * b->box;
    for (int i = 0; i < p->s->d; i++)
        a->row[i] += plus * b->row[i];
    round_once(p, a);
}

/* a <- a + b, a number. */
static void shift(const Step *p, Form *a, double by)
{
    a->at += by;
    round_once(p, a);
}

/* a <- a + b where nothing is rounded yet. */
static void join(const Step *p, Form *a, const Form *b)
{
    a->at += b->at;
    a->box += b->box;
    for (int i = 0; i < p->s->d; i++)
        a->row[i] += b->row[i];
}

/* a <- a · b */
static void multiply(const Step *p, Form *a, const Form *b)
{
    double second = reach_of(p, a) * reach_of(p, b);
    a->box = fabs(a->at) * b->box + fabs(b->at) * a->box + second;
    for (int i = 0; i < p->s->d; i++)
        a->row[i] = a->at * b->row[i] + b->at * a->row[i];
    a->at *= b->at;
    round_once(p, a);
}

/* A sigmoid is (1 + tanh(x / 2)) / 2; both are at most 1, and a tanh is off by four ulps. */
static void bend(const Step *p, Form *a, ThProofBend how)
{
    double by = reach_of(p, a), range[] = {a->at - by, a->at + by}, loose[] = {-a->box, a->box};
    ThProofLine l = th_proof_check_line(how, a->at, range, loose);
    a->at = l.value;
    a->box = l.error + (how == TH_PROOF_RELU ? 0 : ROUNDINGS * p->s->unit);
    for (int i = 0; i < p->s->d; i++)
        a->row[i] *= l.slope;
}

/* to <- number i of a stack's rows of n. */
static void take(const Step *p, Form *to, int stack, int n, int i)
{
    const double *from = p->s->stack[stack] + i;
    to->at = *from;
    to->box = 0;
    for (int m = 0; m < p->s->d; m++)
        to->row[m] = from[(m + 1) * n];
}

/* to <- what goes into gate g of unit j but what its own layer's h adds. */
static void take_input(const Step *p, Form *to, int g, int j)
{
    int n = p->f->width, at = g * n + j;
    take(p, to, BELOW, p->f->gates * n, at);
    to->at += p->input[at];
    to->box += p->s->size[LOOSE][at];
}

/* to <- what h adds to gate g of unit j; and what a run is off by of all that goes into it. */
static void take_own(const Step *p, Form *to, int g, int j)
{
    int n = p->f->width, at = g * n + j;
    take(p, to, GATES, p->f->gates * n, at);
    to->box += p->s->off[at];
}

/* to <- what goes into gate g of unit j. */
static void take_gate(const Step *p, Form *to, int g, int j)
{
    Form x = {.row = p->form[4].row};
    take_own(p, to, g, j);
    take_input(p, &x, g, j);
    join(p, to, &x);
}

/* Number i of the layer's next state. */
static void put(const Step *p, int i, const Form *from)
{
    int d = p->s->d;
    i += p->first;
    p->s->row[i] = from->at;
    for (int m = 0; m < d; m++)
        th_proof_check_row(p->s, m)[i] = from->row[m];
    th_proof_check_row(p->s, d + i)[i] = from->box;
}

/* ---- one step -------------------------------------------------------------------------------- */

static void step_gru(Step *p, int j)
{
    Form *z = p->form, *r = z + 1, *u = z + 2, *h = z + 3;
    take_gate(p, z, 0, j);
    bend(p, z, TH_PROOF_LOGISTIC);
    take_gate(p, r, 1, j);
    bend(p, r, TH_PROOF_LOGISTIC);
    take_own(p, u, 2, j);
    shift(p, u, p->f->candidate[p->layer * p->f->width + j]);
    multiply(p, u, r);
    take_input(p, h, 2, j);
    h->box += p->s->off[2 * p->f->width + j]; /* of its own sum, which r does not make less */
    add(p, u, h, 1);
    bend(p, u, TH_PROOF_TANH);
    take(p, h, FROM, p->s->d, p->first + j);
    add(p, u, h, -1);
    multiply(p, u, z);
    add(p, h, u, 1);
    put(p, j, h);
}

static void step_lstm(Step *p, int j)
{
    Form *f = p->form, *cell = f + 4;
    int n = p->f->width;
    for (int g = 0; g < 4; g++) {
        take_gate(p, f + g, g, j);
        bend(p, f + g, g == 1 ? TH_PROOF_TANH : TH_PROOF_LOGISTIC);
    }
    take(p, cell, FROM, p->s->d, p->first + n + j);
    multiply(p, cell, f + 2);
    multiply(p, f, f + 1);
    add(p, cell, f, 1);
    put(p, n + j, cell);
    bend(p, cell, TH_PROOF_TANH);
    multiply(p, cell, f + 3);
    put(p, j, cell);
}

static void step_rnn(Step *p, int j)
{
    take_gate(p, p->form, 0, j);
    bend(p, p->form, p->f->hyperbolic ? TH_PROOF_TANH : TH_PROOF_RELU);
    put(p, j, p->form);
}

/* s->most (n) <- the greatest magnitudes of numbers of the state from `first` on: those that the
 * step is made from, or new ones, which have boxes. */
static void measure_state(ThProofCheckSet *s, int first, int n, bool new)
{
    int d = s->d;
    const double *row = new ? s->row : s->stack[FROM];
    for (int i = 0; i < n; i++) {
        double square = 0, box = new ? th_proof_check_row(s, d + first + i)[first + i] : 0;
        for (int r = 1; r <= d; r++)
            square += row[r * d + first + i] * row[r * d + first + i];
        s->most[i] = fabs(row[first + i]) + sqrt(square) + box;
    }
}

/* What a run is off by of number i: of its matrix and its input, and of the sum. */
static double round_linear(const ThProofCheckSet *s, const ThProofCell *f, int symbol, int i)
{
    int d = s->d, in_float = s->unit > TH_PROOF_DOUBLE_UNIT;
    size_t at = (size_t)symbol * (size_t)d + (size_t)i;
    const double *by = f->transition + at * (size_t)d;
    const double *by_off = f->transition_off[in_float] + at * (size_t)d;
    double off = f->input_off[in_float][at], sum = fabs(f->input[at]) + off;
    for (int j = 0; j < d; j++) {
        off += by_off[j] * s->most[j];
        sum += (fabs(by[j]) + by_off[j]) * s->most[j];
    }
    return off + th_proof_check_gamma(s, d + 3) * sum + TH_PROOF_UNDERFLOW;
}

static void step_linear(Step *p, int symbol)
{
    int d = p->s->d;
    const double *by = p->f->transition + (size_t)symbol * (size_t)d * (size_t)d;
    for (int r = 0; r <= d; r++)
        for (int i = 0; i < d; i++)
            p->s->row[r * d + i] = th_proof_check_inner(by + i * d, p->s->stack[FROM] + r * d, d) +
                                   (r == 0 ? p->f->input[symbol * d + i] : 0);
    measure_state(p->s, 0, d, false);
    for (int i = 0; p->s->unit > 0 && i < d; i++)
        th_proof_check_row(p->s, d + i)[i] = round_linear(p->s, p->f, symbol, i);
}

/* s->off (gates width) <- it and |x| |weight|, where x is of at most s->most. */
static void add_sizes(ThProofCheckSet *s, const double *weight, int n, int wide)
{
    for (int i = 0; i < n; i++)
        for (int at = 0; at < wide; at++)
            s->off[at] += s->most[i] * fabs(weight[i * wide + at]);
}

/* s->off (gates width) <- what a run is off by of what goes into a layer's gates: sums of h, which
 * is in s->most, of what is below, and of what the symbol adds. */
static void round_gates(Step *p, int symbol)
{
    ThProofCheckSet *s = p->s;
    const ThProofCell *f = p->f;
    int n = f->width, wide = f->gates * n, row = th_proof_cell_row(f, p->layer, symbol);
    double gamma = th_proof_check_gamma(s, p->layer > 0 ? 2 * n + 8 : n + 5);
    memcpy(s->off, f->input_size + row * wide, (size_t)wide * sizeof *s->off);
    measure_state(s, p->first, n, false);
    add_sizes(s, f->recurrent + p->layer * n * wide, n, wide);
    if (p->layer > 0) {
        measure_state(s, p->first - f->own, n, true);
        add_sizes(s, f->below + (p->layer - 1) * n * wide, n, wide);
    }
    for (int at = 0; at < wide; at++)
        s->off[at] = gamma * s->off[at] + (s->unit > 0 ? TH_PROOF_UNDERFLOW : 0);
}

/* Of the new h below, which is found: what it brings into the gates, and half the box of that. */
static void read_below(Step *p)
{
    ThProofCheckSet *s = p->s;
    const ThProofCell *f = p->f;
    int d = s->d, n = f->width, wide = f->gates * n, first = p->first - f->own;
    memset(s->stack[BELOW], 0, (size_t)((1 + d) * wide) * sizeof *s->row);
    memset(s->size[LOOSE], 0, (size_t)wide * sizeof *s->off);
    if (p->layer == 0)
        return;
    const double *weight = f->below + (p->layer - 1) * n * wide;
    for (int r = 0; r <= d; r++)
        th_proof_check_times(s->row + r * d + first, weight, s->stack[BELOW] + r * wide, 1, n,
                             wide);
    for (int i = 0; i < n; i++) {
        double box = th_proof_check_row(s, d + first + i)[first + i];
        for (int at = 0; at < wide; at++)
            s->size[LOOSE][at] += box * fabs(weight[i * wide + at]);
    }
}

static void step_layer(Step *p, int symbol)
{
    static void (*const unit[])(Step *, int) = {
        [TH_PROOF_RNN] = step_rnn, [TH_PROOF_LSTM] = step_lstm, [TH_PROOF_GRU] = step_gru};
    ThProofCheckSet *s = p->s;
    const ThProofCell *f = p->f;
    int d = s->d, n = f->width, wide = f->gates * n;
    p->first = p->layer * f->own;
    p->input = f->input + th_proof_cell_row(f, p->layer, symbol) * wide;
    for (int r = 0; r <= d; r++)
        th_proof_check_times(s->stack[FROM] + r * d + p->first, f->recurrent + p->layer * n * wide,
                             s->stack[GATES] + r * wide, 1, n, wide);
    read_below(p);
    round_gates(p, symbol);
    for (int j = 0; j < n; j++)
        unit[f->kind](p, j);
}

void th_proof_check_step(ThProofCheckSet *s, const ThProofCell *f, const ThProofEllipsoid *x,
                         int symbol)
{
    int d = s->d;
    Step p = {.s = s, .f = f};
    for (int i = 0; i < 5; i++)
        p.form[i].row = s->stack[FORMS + i];
    s->n = 2 * d;
    memset(th_proof_check_row(s, d), 0, (size_t)(d * d) * sizeof *s->row);
    th_proof_check_load(x, d, s->stack[FROM]);
    if (f->kind == TH_PROOF_LRNN)
        step_linear(&p, symbol);
    for (; f->kind != TH_PROOF_LRNN && p.layer < f->layers; p.layer++)
        step_layer(&p, symbol);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* s->off (width) <- what a run is off by of what goes into the units behind an lrnn's layer norm,
 * which scales by `most` at most; s->size[0] is what centring rounds of its numbers, as in
 * check_tree.c. */
static void round_view(ThProofCheckSet *s, const ThProofCell *f, double most)
{
    int d = s->d, n = f->width;
    double square = 0, gamma = th_proof_check_gamma(s, d + 2), *norm_off = s->size[0];
    for (int i = 0; i < d; i++)
        square += norm_off[i] * norm_off[i] / d;
    double by = sqrt(square) * most, share = by < 1 ? by / (1 - by) : HUGE_VAL;
    share += th_proof_check_gamma(s, d + 12) * (1 + share);
    for (int k = 0; k < n; k++)
        s->off[k] = gamma * fabs(f->inner_bias[k]);
    th_proof_check_widths(s, NULL, d, s->most);
    for (int i = 0; i < d; i++) {
        double size = fabs(f->gain[i]) * (s->most[i] + fabs(s->row[i])) * most;
        double off = fabs(f->gain[i]) * norm_off[i] * most * (1 + share) + size * share;
        off += th_proof_check_gamma(s, 4) * (size + off + fabs(f->offset[i]));
        for (int k = 0; k < n; k++)
            s->off[k] +=
                (off + gamma * (size + off + fabs(f->offset[i]))) * fabs(f->inner[i * d + k]);
    }
}

/* s->size[0] <- what taking the mean off a run's numbers rounds of each; the set loses its mean. */
static void centre_view(ThProofCheckSet *s)
{
    int d = s->d;
    double mean = 0, *off = s->size[0], gamma = th_proof_check_gamma(s, d + 4);
    th_proof_check_widths(s, NULL, d, off);
    for (int i = 0; i < d; i++) {
        off[i] += fabs(s->row[i]);
        mean += off[i] / d;
    }
    for (int i = 0; i < d; i++)
        off[i] = gamma * (mean + off[i]);
    th_proof_check_centre(s->row, 1 + d, d);
}

/* s->off (units) <- what a run rounds of what goes into the units of a hidden layer. */
static void round_units(ThProofCheckSet *s, const ThProofCell *f)
{
    double gamma = th_proof_check_gamma(s, f->width + 2);
    th_proof_check_widths(s, NULL, s->d, s->most);
    for (int k = 0; k < f->units; k++) {
        double size = fabs(f->inner_bias[k]);
        for (int i = 0; i < s->d; i++)
            size += (s->most[i] + fabs(s->row[i])) * fabs(f->inner[i * f->units + k]);
        s->off[k] = gamma * size;
    }
}

/* s->at, s->half, s->off <- what goes into the units before the read-out, how far that can be off,
 * and what a run rounds of it; without units, all numbers of the state.  Of an lrnn scale <- what
 * its layer norm scales up least and most, by the lengths of the centred states. */
static void view(ThProofCheckSet *s, const ThProofCell *f, double scale[2])
{
    int d = s->d;
    scale[0] = scale[1] = 1;
    if (f->units == 0) {
        memset(s->off, 0, (size_t)f->width * sizeof *s->off);
        memcpy(s->at, s->row, (size_t)d * sizeof *s->at);
        th_proof_check_widths(s, NULL, d, s->half);
        return;
    }
    if (f->kind != TH_PROOF_LRNN) {
        round_units(s, f);
        th_proof_check_times(s->row, f->inner, s->at, 1, d, f->units);
        th_proof_check_widths(s, f->inner, f->units, s->half);
        return;
    }
    centre_view(s);
    double at = sqrt(th_proof_check_inner(s->row, s->row, d)), by = th_proof_check_reach(s);
    double near = fmax(0, at - by), far = at + by;
    scale[0] = 1 / sqrt(far * far / d + TH_PROOF_EPSILON);
    scale[1] = 1 / sqrt(near * near / d + TH_PROOF_EPSILON);
    round_view(s, f, scale[1]);
    for (int i = 0; i < d * (d + 1); i++)
        s->row[i] *= f->gain[i % d];
    th_proof_check_times(s->row, f->inner, s->at, 1, d, d);
    th_proof_check_widths(s, f->inner, d, s->half);
}

double th_proof_check_step_lead(ThProofCheckSet *s, const ThProofCell *f, const ThProofEllipsoid *e,
                                int right, int other)
{
    int d = s->d, n = f->n_classes;
    int first = f->units > 0 ? 0 : d - f->own; /* of the last layer */
    int units = f->units > 0 ? f->units : f->width;
    bool linear = f->units == 0 && f->linear;
    double scale[2], lead = f->head_bias[right] - f->head_bias[other];
    double sizes = fabs(f->head_bias[right]) + fabs(f->head_bias[other]);
    th_proof_check_load(e, d, s->row);
    s->n = d;
    view(s, f, scale);
    for (int j = 0; j < units; j++) {
        double w = f->head[j * n + right] - f->head[j * n + other];
        double shift = f->units > 0 ? f->inner_bias[j] : 0;
        for (int i = 0; f->kind == TH_PROOF_LRNN && i < d; i++)
            shift += f->offset[i] * f->inner[i * d + j];
        double at = s->at[first + j], half = s->half[first + j];
        double end = at + (w > 0 ? -1 : 1) * half * (1 + TH_PROOF_SPARE);
        bool outwards = (end > 0) == (w < 0); /* the greatest scale makes it worst */
        double read = shift + end * scale[outwards];
        lead += w * (linear ? read : fmax(0, read)) - fabs(w) * s->off[j];
        sizes += (fabs(shift) + (fabs(at) + half) * scale[1] + s->off[j]) *
                 (fabs(f->head[j * n + right]) + fabs(f->head[j * n + other]));
    }
    return lead - TH_PROOF_SPARE - th_proof_check_gamma(s, units + 2) * sizes;
}
