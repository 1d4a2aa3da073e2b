/* Recurrent layers, each over whole strings in one operation. */
#include <math.h>

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_recurrent.h"
#include "tensor/tape/tape_impl.h"

enum { X, WH, BH };

/* One position of one string, for the reference version.  Backward reads the gradients of h_next
 * and c_next in dh and dc, leaves there what h and c get directly, and adds to dbias. */
typedef struct {
    int H;
    double forget;
    const double *x, *a, *bias; /* from the inputs and from h wh, each as wide as the gates; (H) */
    const double *h, *c;
    double *h_next, *c_next;
    double *dh, *dc, *dx, *da, *dbias;
} Position;

typedef struct {
    const char *name;
    int gates; /* columns of x and wh, in units of H */
    int kept;  /* columns that forward keeps for backward, in units of H */
    void (**forward)(const ThKernelCell *c);
    void (**backward)(const ThKernelCellBack *c);
    void (*forward_one)(const Position *p);
    void (*backward_one)(const Position *p);
} Cell;

/* The fast version works on the strings from the longest to the shortest, so that those that a
 * position still has are the first ones. */
typedef struct {
    ThOpSequence s;
    const Cell *cell;
    double forget;
    const int *order;  /* (B): the string in each place; NULL: as they come, all of one length */
    const int *input;  /* (B,T): s.index in that order */
    const int *alive;  /* (T+1): strings with a position i, and 0; NULL: B of each */
    const int *before; /* (T+1): positions before i, of all strings; NULL: B*i */
} Layer;

static int alive(const Layer *l, int i)
{
    return l->alive ? l->alive[i] : l->s.B;
}

static size_t before(const Layer *l, int i)
{
    return l->before ? (size_t)l->before[i] : (size_t)l->s.B * (size_t)i;
}

static size_t string_at(const Layer *l, int place)
{
    return l->order ? (size_t)l->order[place] : (size_t)place;
}

/* ---- fast ---- */

/* Time-major, so that a position is one block of the strings that have it, and all positions are
 * one matrix.  Without gradient two slots take turns. */
typedef struct {
    float *h, *c; /* B states at the start, then those after each position */
    float *gate;  /* (positions kept, kept*H) */
    size_t block; /* B*H */
    int H;
    bool all;
} Memory;

/* Where the states before position i begin. */
static size_t slot(const Memory *m, const Layer *l, int i)
{
    if (!m->all)
        return (size_t)i % 2 * m->block;
    return i == 0 ? 0 : m->block + before(l, i - 1) * (size_t)m->H;
}

static float *gate_at(const Memory *m, const Layer *l, int i)
{
    return m->gate + (m->all ? before(l, i) : 0) * (size_t)(m->H * l->cell->kept);
}

static Memory *reserve(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    Memory *m = n->saved = th_tape_take(t, 1, sizeof *m);
    if (!m)
        return NULL;
    m->all = th_tape_records(t);
    m->H = n->cols;
    m->block = (size_t)l->s.B * (size_t)n->cols;
    size_t all = before(l, l->s.T) * (size_t)m->H;
    size_t states = m->block + (m->all ? all : m->block);
    m->h = th_tape_take(t, states, sizeof(float));
    m->c = th_tape_take(t, states, sizeof(float));
    m->gate = th_tape_take(t, (m->all ? all : m->block) * (size_t)l->cell->kept, sizeof(float));
    if (!m->h || !m->c || !m->gate)
        return NULL;
    memset(m->h, 0, m->block * sizeof(float));
    memset(m->c, 0, m->block * sizeof(float));
    return m;
}

static void step(ThTape *t, const ThTapeNode *n, const Memory *m, int i)
{
    const Layer *l = n->args;
    int H = n->cols, width = l->cell->gates * H, B = alive(l, i);
    size_t from = slot(m, l, i), to = slot(m, l, i + 1);
    float *gate = gate_at(m, l, i);
    if (i == 0)
        memset(gate, 0, m->block * (size_t)l->cell->kept * sizeof *gate);
    else
        th_blas_gemm_stopping(th_blas_gemm_nn,
                              &(ThBlasGemm){B, width, H, H, width, l->cell->kept * H, 0},
                              m->h + from, th_tape_in_float(t, n, WH), gate, th_tape_stop(t));
    (*l->cell->forward)(&(ThKernelCell){.B = B,
                                        .H = H,
                                        .x = th_tape_in_float(t, n, X),
                                        .index = l->input + i,
                                        .stride = (size_t)l->s.T,
                                        .forget = (float)l->forget,
                                        .bias = th_tape_in_float(t, n, BH),
                                        .h_before = m->h + from,
                                        .c_before = m->c + from,
                                        .h_after = m->h + to,
                                        .c_after = m->c + to,
                                        .gate = gate});
}

/* Takes the states after position i into the result: of all strings that have it, or of those that
 * it is the last of. */
static void answer(const Layer *l, const float *h, int i, size_t H, float *y)
{
    int n = alive(l, i), first = l->s.every ? 0 : i + 1 < l->s.T ? alive(l, i + 1) : 0;
    if (!l->s.every && !l->order && i + 1 < l->s.T)
        return;
    for (int b = first; b < n; b++) {
        size_t string = string_at(l, b);
        size_t row = l->s.every ? string * (size_t)l->s.T + (size_t)i : string;
        memcpy(y + row * H, h + (size_t)b * H, H * sizeof *y);
    }
}

static void recurrent_forward(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    const Memory *m = reserve(t, n);
    if (m && l->order && l->s.every)
        memset(n->value, 0, th_tape_size(n) * sizeof(float));
    for (int i = 0; m && i < l->s.T && th_tape_goes_on(t); i++) {
        step(t, n, m, i);
        answer(l, m->h + slot(m, l, i + 1), i, (size_t)n->cols, n->value);
    }
}

/* What backward carries from position to position. */
typedef struct {
    float *dh, *dc; /* (B,H) */
    float *dx, *dbias;
} Carry;

static bool start(ThTape *t, const ThTapeNode *n, const Memory *m, Carry *c)
{
    const Layer *l = n->args;
    c->dh = th_tape_take(t, m->block, sizeof(float));
    c->dc = th_tape_take(t, m->block, sizeof(float));
    c->dx = th_tape_grad_float_zeroed(t, n, X);
    c->dbias = th_tape_grad_float_zeroed(t, n, BH);
    if (th_tape_failed(t))
        return false;
    memset(c->dc, 0, m->block * sizeof(float));
    if (l->s.every)
        memset(c->dh, 0, m->block * sizeof(float));
    size_t H = (size_t)n->cols;
    const float *dy = n->grad;
    for (int b = 0; !l->s.every && b < l->s.B; b++)
        memcpy(c->dh + (size_t)b * H, dy + string_at(l, b) * H, H * sizeof *dy);
    return true;
}

/* dx and dbias of one position, while its gate gradients are in the cache. */
static void add_input_gradients(const ThTapeNode *n, const Carry *c, const float *gate, int i)
{
    const Layer *l = n->args;
    size_t H = (size_t)n->cols, gates = (size_t)l->cell->gates * H;
    size_t kept = (size_t)l->cell->kept * H, shared = kept == gates ? gates : gates - H;
    for (int b = 0; b < alive(l, i); b++, gate += kept) {
        float *dx = c->dx + (size_t)l->input[b * l->s.T + i] * gates;
        th_kernel_add(dx, gate, shared);
        if (shared < gates)
            th_kernel_add(dx + shared, gate + gates, H);
        if (c->dbias)
            th_kernel_add(c->dbias, gate + shared, H);
    }
}

static void step_back(ThTape *t, const ThTapeNode *n, const Carry *c, int i)
{
    const Layer *l = n->args;
    const Memory *m = n->saved;
    size_t H = (size_t)n->cols;
    int width = l->cell->gates * n->cols, kept = l->cell->kept * n->cols, B = alive(l, i);
    size_t from = slot(m, l, i), to = slot(m, l, i + 1);
    float *gate = gate_at(m, l, i);
    const float *dy = n->grad;
    for (int b = 0; l->s.every && b < B; b++)
        th_kernel_add(c->dh + (size_t)b * H,
                      dy + (string_at(l, b) * (size_t)l->s.T + (size_t)i) * H, H);
    (*l->cell->backward)(&(ThKernelCellBack){.B = B,
                                             .H = n->cols,
                                             .bias = th_tape_in_float(t, n, BH),
                                             .h_before = m->h + from,
                                             .c_before = m->c + from,
                                             .h_after = m->h + to,
                                             .c_after = m->c + to,
                                             .gate = gate,
                                             .dh = c->dh,
                                             .dc = c->dc});
    add_input_gradients(n, c, gate, i);
    float direct = th_tape_in(t, n, BH) ? 1.0f : 0.0f;
    if (i > 0)
        th_blas_gemm_stopping(th_blas_gemm_nt,
                              &(ThBlasGemm){B, n->cols, width, kept, width, n->cols, direct}, gate,
                              th_tape_in_float(t, n, WH), c->dh, th_tape_stop(t));
}

/* The states before positions 1, 2, … of the strings that have these: a view where all strings have
 * the same, else a copy. */
static const float *states_before(ThTape *t, const Memory *m, const Layer *l)
{
    const float *h = m->h + slot(m, l, 1);
    if (!l->order)
        return h;
    size_t H = (size_t)m->H, rows = before(l, l->s.T) - before(l, 1);
    float *copy = th_tape_take(t, rows * H, sizeof *copy), *to = copy;
    for (int i = 1; copy && i < l->s.T; i++) {
        size_t n = (size_t)alive(l, i) * H;
        memcpy(to, m->h + slot(m, l, i), n * sizeof *to);
        to += n;
    }
    return copy;
}

static void recurrent_backward(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    const Memory *m = n->saved;
    int H = n->cols, width = l->cell->gates * H, kept = l->cell->kept * H;
    Carry c;
    if (!start(t, n, m, &c))
        return;
    for (int i = l->s.T - 1; i >= 0 && th_tape_goes_on(t); i--)
        step_back(t, n, &c, i);
    float beta, *dwh = th_tape_grad_float(t, n, WH, &beta);
    int rows = (int)(before(l, l->s.T) - before(l, 1));
    const float *h = dwh && rows > 0 ? states_before(t, m, l) : NULL;
    if (h)
        th_blas_gemm_stopping(th_blas_gemm_tn, &(ThBlasGemm){H, width, rows, H, kept, width, beta},
                              h, gate_at(m, l, 1), dwh, th_tape_stop(t));
    else if (dwh && beta == 0)
        memset(dwh, 0, (size_t)H * (size_t)width * sizeof *dwh);
}

/* ---- reference ---- */

typedef struct {
    double *h, *c; /* (B, T+1, H) */
    double *a;     /* (B, T, gates): h wh */
} Record;

static Record *reserve_double(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    size_t positions = (size_t)l->s.B * (size_t)(l->s.T + 1), H = (size_t)n->cols;
    Record *r = n->saved = th_tape_take(t, 1, sizeof *r);
    if (!r)
        return NULL;
    r->h = th_tape_take(t, positions * H, sizeof(double));
    r->c = th_tape_take(t, positions * H, sizeof(double));
    r->a = th_tape_take(t, positions * H * (size_t)l->cell->gates, sizeof(double));
    return th_tape_failed(t) ? NULL : r;
}

static Position position(ThTape *t, const ThTapeNode *n, int b, int i)
{
    const Layer *l = n->args;
    const Record *r = n->saved;
    size_t H = (size_t)n->cols, gates = (size_t)l->cell->gates * H;
    size_t at = (size_t)b * (size_t)(l->s.T + 1) + (size_t)i;
    return (Position){.H = n->cols,
                      .forget = l->forget,
                      .x = th_tape_in_double(t, n, X) + (size_t)l->s.index[b * l->s.T + i] * gates,
                      .a = r->a + at * gates,
                      .bias = th_tape_in_double(t, n, BH),
                      .h = r->h + at * H,
                      .c = r->c + at * H,
                      .h_next = r->h + (at + 1) * H,
                      .c_next = r->c + (at + 1) * H};
}

static void recurrent_forward_double(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    const Record *r = reserve_double(t, n);
    const double *wh = th_tape_in_double(t, n, WH);
    int H = n->cols, gates = l->cell->gates * H, T = l->s.T;
    double *y = n->value;
    memset(y, 0, (size_t)n->rows * (size_t)H * sizeof *y);
    for (int b = 0; r && b < l->s.B; b++) {
        int last = th_tape_length(l->s.length, l->s.T, b) - 1;
        for (int i = 0; i <= last && th_tape_goes_on(t); i++) {
            Position p = position(t, n, b, i);
            size_t at = (size_t)b * (size_t)(T + 1) + (size_t)i;
            double *h = r->h + at * (size_t)H, *c = r->c + at * (size_t)H;
            double *a = r->a + at * (size_t)gates;
            for (int j = 0; i == 0 && j < H; j++)
                h[j] = c[j] = 0;
            for (int j = 0; j < gates; j++) {
                a[j] = 0;
                for (int k = 0; k < H; k++)
                    a[j] += h[k] * wh[k * gates + j];
            }
            l->cell->forward_one(&p);
            for (int j = 0; j < H && (l->s.every || i == last); j++)
                y[(l->s.every ? b * T + i : b) * H + j] = p.h_next[j];
        }
    }
}

/* dwh and dh from the gradient of h wh. */
static void product_back(const double *wh, const Position *p, int gates, double *dwh)
{
    for (int k = 0; k < p->H; k++) {
        for (int j = 0; j < gates; j++) {
            dwh[k * gates + j] += p->h[k] * p->da[j];
            p->dh[k] += p->da[j] * wh[k * gates + j];
        }
    }
}

static void string_back(ThTape *t, const ThTapeNode *n, int b, double *carry)
{
    const Layer *l = n->args;
    int H = n->cols, gates = l->cell->gates * H, T = l->s.T,
        last = th_tape_length(l->s.length, l->s.T, b) - 1;
    const double *wh = th_tape_in_double(t, n, WH), *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, X), *dwh = th_tape_grad_double(t, n, WH);
    for (int j = 0; j < 2 * H; j++)
        carry[j] = 0;
    for (int i = last; i >= 0 && th_tape_goes_on(t); i--) {
        Position p = position(t, n, b, i);
        p.dh = carry;
        p.dc = carry + H;
        p.dx = carry + 2 * H;
        p.da = p.dx + gates;
        p.dbias = th_tape_grad_double(t, n, BH);
        for (int j = 0; j < H && (l->s.every || i == last); j++)
            p.dh[j] += dy[(l->s.every ? b * T + i : b) * H + j];
        l->cell->backward_one(&p);
        for (int j = 0; j < gates; j++)
            dx[l->s.index[b * T + i] * gates + j] += p.dx[j];
        product_back(wh, &p, gates, dwh);
    }
}

static void recurrent_backward_double(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    size_t width = (size_t)n->cols * (size_t)(2 + 2 * l->cell->gates);
    double *carry = th_tape_take(t, width, sizeof *carry);
    for (int b = 0; carry && b < l->s.B; b++)
        string_back(t, n, b, carry);
}

/* ---- the cells, for the reference ---- */

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void rnn_one(const Position *p)
{
    for (int j = 0; j < p->H; j++)
        p->h_next[j] = fmax(0, p->x[j] + p->a[j]);
}

static void rnn_one_back(const Position *p)
{
    for (int j = 0; j < p->H; j++) {
        p->dx[j] = p->da[j] = p->h_next[j] > 0 ? p->dh[j] : 0;
        p->dh[j] = 0;
    }
}

static void tanh_one(const Position *p)
{
    for (int j = 0; j < p->H; j++)
        p->h_next[j] = tanh(p->x[j] + p->a[j]);
}

static void tanh_one_back(const Position *p)
{
    for (int j = 0; j < p->H; j++) {
        p->dx[j] = p->da[j] = p->dh[j] * (1 - p->h_next[j] * p->h_next[j]);
        p->dh[j] = 0;
    }
}

typedef struct {
    double i, g, f, o;
} LstmGates;

static LstmGates lstm_gates(const Position *p, int j)
{
    int H = p->H;
    return (LstmGates){logistic(p->x[j] + p->a[j]), tanh(p->x[H + j] + p->a[H + j]),
                       logistic(p->x[2 * H + j] + p->a[2 * H + j] + p->forget),
                       logistic(p->x[3 * H + j] + p->a[3 * H + j])};
}

static void lstm_one(const Position *p)
{
    for (int j = 0; j < p->H; j++) {
        LstmGates z = lstm_gates(p, j);
        p->c_next[j] = z.f * p->c[j] + z.i * z.g;
        p->h_next[j] = z.o * tanh(p->c_next[j]);
    }
}

static void lstm_one_back(const Position *p)
{
    int H = p->H;
    for (int j = 0; j < H; j++) {
        LstmGates z = lstm_gates(p, j);
        double squashed = tanh(p->c_next[j]);
        double dc = p->dc[j] + p->dh[j] * z.o * (1 - squashed * squashed);
        p->da[j] = dc * z.g * z.i * (1 - z.i);
        p->da[H + j] = dc * z.i * (1 - z.g * z.g);
        p->da[2 * H + j] = dc * p->c[j] * z.f * (1 - z.f);
        p->da[3 * H + j] = p->dh[j] * squashed * z.o * (1 - z.o);
        p->dc[j] = dc * z.f;
        p->dh[j] = 0;
    }
    memcpy(p->dx, p->da, 4 * (size_t)H * sizeof *p->dx);
}

typedef struct {
    double z, r, recurrent, candidate;
} GruGates;

static GruGates gru_gates(const Position *p, int j)
{
    int H = p->H;
    GruGates g = {.z = logistic(p->x[j] + p->a[j]), .r = logistic(p->x[H + j] + p->a[H + j])};
    g.recurrent = p->a[2 * H + j] + p->bias[j];
    g.candidate = tanh(p->x[2 * H + j] + g.r * g.recurrent);
    return g;
}

static void gru_one(const Position *p)
{
    for (int j = 0; j < p->H; j++) {
        GruGates g = gru_gates(p, j);
        p->h_next[j] = (1 - g.z) * p->h[j] + g.z * g.candidate;
    }
}

static void gru_one_back(const Position *p)
{
    int H = p->H;
    for (int j = 0; j < H; j++) {
        GruGates g = gru_gates(p, j);
        double d = p->dh[j], dn = d * g.z * (1 - g.candidate * g.candidate);
        p->dx[j] = p->da[j] = d * (g.candidate - p->h[j]) * g.z * (1 - g.z);
        p->dx[H + j] = p->da[H + j] = dn * g.recurrent * g.r * (1 - g.r);
        p->dx[2 * H + j] = dn;
        p->da[2 * H + j] = dn * g.r;
        p->dbias[j] += dn * g.r;
        p->dh[j] = d * (1 - g.z);
    }
}

/* ---- the operations ---- */

static const Cell rnn_cell = {"rnn",   1,           1, &th_kernel_rnn, &th_kernel_rnn_back,
                              rnn_one, rnn_one_back};
static const Cell tanh_cell = {
    "rnn", 1, 1, &th_kernel_rnn_tanh, &th_kernel_rnn_tanh_back, tanh_one, tanh_one_back};
static const Cell lstm_cell = {"lstm",       4, 4, &th_kernel_lstm, &th_kernel_lstm_back, lstm_one,
                               lstm_one_back};
static const Cell gru_cell = {"gru",   3,           4, &th_kernel_gru, &th_kernel_gru_back,
                              gru_one, gru_one_back};

static const ThOp op_recurrent = {"recurrent", recurrent_forward, recurrent_backward,
                                  recurrent_forward_double, recurrent_backward_double};

static bool fits(ThTape *t, const ThVar in[3], const Layer *l)
{
    int H = th_tape_rows(t, in[WH]), width = l->cell->gates * H, rows = th_tape_rows(t, in[X]);
    int positions = l->s.B * l->s.T;
    if (th_tape_cols(t, in[X]) != width || th_tape_cols(t, in[WH]) != width ||
        (in[BH] >= 0 && (th_tape_rows(t, in[BH]) != 1 || th_tape_cols(t, in[BH]) != H)) ||
        positions < 1 || (!l->s.index && rows != positions)) {
        th_tape_fail(t, TH_EVALUE, "%s: (%d,%d) does not fit (%d,%d) and %d strings of %d",
                     l->cell->name, rows, th_tape_cols(t, in[X]), H, th_tape_cols(t, in[WH]),
                     l->s.B, l->s.T);
        return false;
    }
    for (int i = 0; l->s.index && i < positions; i++) {
        if (l->s.index[i] < 0 || l->s.index[i] >= rows) {
            th_tape_fail(t, TH_EVALUE, "%s: row %d of %d", l->cell->name, l->s.index[i], rows);
            return false;
        }
    }
    for (int b = 0; l->s.length && b < l->s.B; b++) {
        if (l->s.length[b] < 1 || l->s.length[b] > l->s.T) {
            th_tape_fail(t, TH_EVALUE, "%s: length %d of %d", l->cell->name, l->s.length[b],
                         l->s.T);
            return false;
        }
    }
    return true;
}

static const int *every_row(ThTape *t, int n)
{
    int *index = th_tape_take(t, (size_t)n, sizeof *index);
    for (int i = 0; index && i < n; i++)
        index[i] = i;
    return index;
}

/* Counts the strings that have each position, and puts the longest first. */
static bool sort_strings(ThTape *t, Layer *l)
{
    size_t B = (size_t)l->s.B, T = (size_t)l->s.T;
    int *order = th_tape_take(t, B, sizeof *order), *input = th_tape_take(t, B * T, sizeof *input);
    int *counts = th_tape_take(t, T + 1, sizeof *counts);
    int *sums = th_tape_take(t, T + 1, sizeof *sums);
    if (!order || !input || !counts || !sums)
        return false;
    memset(counts, 0, (T + 1) * sizeof *counts);
    for (size_t b = 0; b < B; b++)
        counts[l->s.length[b] - 1]++;
    for (size_t i = T; i-- > 0;)
        counts[i] += counts[i + 1];
    sums[0] = 0;
    for (size_t i = 0; i < T; i++)
        sums[i + 1] = sums[i] + counts[i];
    int *place = th_tape_take(t, T + 1, sizeof *place); /* the next one of each length */
    if (!place)
        return false;
    memcpy(place, counts, (T + 1) * sizeof *place);
    for (size_t b = 0; b < B; b++)
        order[place[l->s.length[b]]++] = (int)b;
    for (size_t b = 0; b < B; b++)
        memcpy(input + b * T, l->s.index + (size_t)order[b] * T, T * sizeof *input);
    l->order = order;
    l->input = input;
    l->alive = counts;
    l->before = sums;
    return true;
}

static ThVar recurrent(ThTape *t, const ThVar in[3], Layer *l)
{
    if (th_tape_failed(t) || !fits(t, in, l))
        return -1;
    if (!l->s.index)
        l->s.index = every_row(t, l->s.B * l->s.T);
    l->input = l->s.index;
    if (!l->s.index || (l->s.length && !sort_strings(t, l)))
        return -1;
    int rows = l->s.every ? l->s.B * l->s.T : l->s.B;
    return th_tape_op(t, &op_recurrent, rows, th_tape_rows(t, in[WH]), in, 3, l, sizeof *l);
}

ThVar th_op_rnn(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s)
{
    return recurrent(t, (ThVar[]){x, wh, -1}, &(Layer){.s = *s, .cell = &rnn_cell});
}

ThVar th_op_rnn_tanh(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s)
{
    return recurrent(t, (ThVar[]){x, wh, -1}, &(Layer){.s = *s, .cell = &tanh_cell});
}

ThVar th_op_lstm(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s, double forget)
{
    return recurrent(t, (ThVar[]){x, wh, -1},
                     &(Layer){.s = *s, .cell = &lstm_cell, .forget = forget});
}

ThVar th_op_gru(ThTape *t, ThVar x, ThVar wh, ThVar bh, const ThOpSequence *s)
{
    return recurrent(t, (ThVar[]){x, wh, bh}, &(Layer){.s = *s, .cell = &gru_cell});
}
