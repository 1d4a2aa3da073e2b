/* Recurrent layers, each over whole strings in one operation. */
#include <math.h>
#include <string.h>

#include "tensor/blas.h"
#include "tensor/kernels.h"
#include "tensor/kernels_recurrent.h"
#include "tensor/tape_impl.h"

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
    void (*forward)(const ThKernelCell *c);
    void (*backward)(const ThKernelCellBack *c);
    void (*forward_one)(const Position *p);
    void (*backward_one)(const Position *p);
} Cell;

typedef struct {
    ThOpSequence s;
    const Cell *cell;
    double forget;
} Layer;

/* ---- fast ---- */

/* Time-major, so that a position is one block and all positions are one matrix.  Without gradient
 * two slots take turns. */
typedef struct {
    float *h, *c; /* (slots, B, H) */
    float *gate;  /* (positions kept, B, kept*H) */
    size_t block; /* B*H */
    bool all;
} Memory;

static size_t slot(const Memory *m, int i)
{
    return (m->all ? (size_t)i : (size_t)i % 2) * m->block;
}

static float *gate_at(const Memory *m, const Layer *l, int i)
{
    return m->gate + (m->all ? (size_t)i : 0) * m->block * (size_t)l->cell->kept;
}

static Memory *reserve(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    Memory *m = n->saved = th_tape_take(t, 1, sizeof *m);
    if (!m)
        return NULL;
    m->all = th_tape_records(t);
    m->block = (size_t)l->s.B * (size_t)n->cols;
    size_t slots = m->all ? (size_t)l->s.T + 1 : 2;
    size_t gates = (m->all ? (size_t)l->s.T : 1) * (size_t)l->cell->kept;
    m->h = th_tape_take(t, slots * m->block, sizeof(float));
    m->c = th_tape_take(t, slots * m->block, sizeof(float));
    m->gate = th_tape_take(t, gates * m->block, sizeof(float));
    if (!m->h || !m->c || !m->gate)
        return NULL;
    memset(m->h, 0, m->block * sizeof(float));
    memset(m->c, 0, m->block * sizeof(float));
    return m;
}

static void step(ThTape *t, const ThTapeNode *n, const Memory *m, int i)
{
    const Layer *l = n->args;
    int H = n->cols, width = l->cell->gates * H;
    float *gate = gate_at(m, l, i);
    if (i == 0)
        memset(gate, 0, m->block * (size_t)l->cell->kept * sizeof *gate);
    else
        th_blas_gemm_nn(&(ThBlasGemm){l->s.B, width, H, H, width, l->cell->kept * H, 0},
                        m->h + slot(m, i), th_tape_in_float(t, n, WH), gate);
    l->cell->forward(&(ThKernelCell){.B = l->s.B,
                                     .H = H,
                                     .x = th_tape_in_float(t, n, X),
                                     .index = l->s.index + i,
                                     .stride = (size_t)l->s.T,
                                     .forget = (float)l->forget,
                                     .bias = th_tape_in_float(t, n, BH),
                                     .h_before = m->h + slot(m, i),
                                     .c_before = m->c + slot(m, i),
                                     .h_after = m->h + slot(m, i + 1),
                                     .c_after = m->c + slot(m, i + 1),
                                     .gate = gate});
}

static void recurrent_forward(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    const Memory *m = reserve(t, n);
    size_t H = (size_t)n->cols, T = (size_t)l->s.T;
    float *y = n->value;
    for (int i = 0; m && i < l->s.T; i++) {
        step(t, n, m, i);
        const float *h = m->h + slot(m, i + 1);
        for (size_t b = 0; l->s.every && b < (size_t)l->s.B; b++)
            memcpy(y + (b * T + (size_t)i) * H, h + b * H, H * sizeof *y);
    }
    if (m && !l->s.every)
        memcpy(y, m->h + slot(m, l->s.T), m->block * sizeof *y);
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
    else
        memcpy(c->dh, n->grad, m->block * sizeof(float));
    return true;
}

/* dx and dbias of one position, while its gate gradients are in the cache. */
static void add_input_gradients(const ThTapeNode *n, const Carry *c, const float *gate, int i)
{
    const Layer *l = n->args;
    size_t H = (size_t)n->cols, gates = (size_t)l->cell->gates * H;
    size_t kept = (size_t)l->cell->kept * H, shared = kept == gates ? gates : gates - H;
    for (int b = 0; b < l->s.B; b++, gate += kept) {
        float *dx = c->dx + (size_t)l->s.index[b * l->s.T + i] * gates;
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
    int width = l->cell->gates * n->cols, kept = l->cell->kept * n->cols;
    float *gate = gate_at(m, l, i);
    const float *dy = n->grad;
    for (size_t b = 0; l->s.every && b < (size_t)l->s.B; b++)
        th_kernel_add(c->dh + b * H, dy + (b * (size_t)l->s.T + (size_t)i) * H, H);
    l->cell->backward(&(ThKernelCellBack){.B = l->s.B,
                                          .H = n->cols,
                                          .bias = th_tape_in_float(t, n, BH),
                                          .h_before = m->h + slot(m, i),
                                          .c_before = m->c + slot(m, i),
                                          .h_after = m->h + slot(m, i + 1),
                                          .c_after = m->c + slot(m, i + 1),
                                          .gate = gate,
                                          .dh = c->dh,
                                          .dc = c->dc});
    add_input_gradients(n, c, gate, i);
    float direct = th_tape_in(t, n, BH) ? 1.0f : 0.0f;
    if (i > 0)
        th_blas_gemm_nt(&(ThBlasGemm){l->s.B, n->cols, width, kept, width, n->cols, direct}, gate,
                        th_tape_in_float(t, n, WH), c->dh);
}

static void recurrent_backward(ThTape *t, ThTapeNode *n)
{
    const Layer *l = n->args;
    const Memory *m = n->saved;
    int H = n->cols, width = l->cell->gates * H, kept = l->cell->kept * H;
    Carry c;
    if (!start(t, n, m, &c))
        return;
    for (int i = l->s.T - 1; i >= 0; i--)
        step_back(t, n, &c, i);
    float beta, *dwh = th_tape_grad_float(t, n, WH, &beta);
    if (dwh && l->s.T > 1)
        th_blas_gemm_tn(&(ThBlasGemm){H, width, (l->s.T - 1) * l->s.B, H, kept, width, beta},
                        m->h + slot(m, 1), gate_at(m, l, 1), dwh);
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
    for (int b = 0; r && b < l->s.B; b++) {
        for (int i = 0; i < T; i++) {
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
            for (int j = 0; j < H && (l->s.every || i == T - 1); j++)
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
    int H = n->cols, gates = l->cell->gates * H, T = l->s.T;
    const double *wh = th_tape_in_double(t, n, WH), *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, X), *dwh = th_tape_grad_double(t, n, WH);
    for (int j = 0; j < 2 * H; j++)
        carry[j] = 0;
    for (int i = T - 1; i >= 0; i--) {
        Position p = position(t, n, b, i);
        p.dh = carry;
        p.dc = carry + H;
        p.dx = carry + 2 * H;
        p.da = p.dx + gates;
        p.dbias = th_tape_grad_double(t, n, BH);
        for (int j = 0; j < H && (l->s.every || i == T - 1); j++)
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

/* ---- the three cells, for the reference ---- */

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

static const Cell rnn_cell = {"rnn",   1,           1, th_kernel_rnn, th_kernel_rnn_back,
                              rnn_one, rnn_one_back};
static const Cell lstm_cell = {"lstm",       4, 4, th_kernel_lstm, th_kernel_lstm_back, lstm_one,
                               lstm_one_back};
static const Cell gru_cell = {"gru",   3,           4, th_kernel_gru, th_kernel_gru_back,
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
    return true;
}

static const int *every_row(ThTape *t, int n)
{
    int *index = th_tape_take(t, (size_t)n, sizeof *index);
    for (int i = 0; index && i < n; i++)
        index[i] = i;
    return index;
}

static ThVar recurrent(ThTape *t, const ThVar in[3], Layer *l)
{
    if (th_tape_failed(t) || !fits(t, in, l))
        return -1;
    if (!l->s.index)
        l->s.index = every_row(t, l->s.B * l->s.T);
    int rows = l->s.every ? l->s.B * l->s.T : l->s.B;
    ThTapeNode *n = th_tape_node(t, &op_recurrent, rows, th_tape_rows(t, in[WH]), in, 3);
    return n && th_tape_node_args(t, n, l, sizeof *l) ? th_tape_node_run(t, n) : -1;
}

ThVar th_op_rnn(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s)
{
    return recurrent(t, (ThVar[]){x, wh, -1}, &(Layer){.s = *s, .cell = &rnn_cell});
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
