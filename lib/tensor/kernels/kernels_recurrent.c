#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_recurrent.h"

static inline const float *input_row(const ThKernelCell *c, int b, size_t width)
{
    return c->x + (size_t)c->index[(size_t)b * c->stride] * width;
}

/* ---- ReLU network ---- */

static inline void rnn_row(float *h, const float *z, const float *x, int H)
{
#pragma omp simd
    for (int j = 0; j < H; j++)
        h[j] = th_kernel_relu_of(z[j] + x[j]);
}

TH_KERNEL(void, th_kernel_rnn)(const ThKernelCell *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++)
        rnn_row(c->h_after + (size_t)b * H, c->gate + (size_t)b * H, input_row(c, b, H), c->H);
}

static inline void rnn_row_back(float *dz, const float *dh, const float *h, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        dz[j] = h[j] > 0 ? dh[j] : 0;
}

TH_KERNEL(void, th_kernel_rnn_back)(const ThKernelCellBack *c)
{
    rnn_row_back(c->gate, c->dh, c->h_after, (size_t)c->B * (size_t)c->H);
}

/* ---- network of hyperbolic tangents ---- */

static inline void tanh_row(float *h, const float *z, const float *x, int H)
{
#pragma omp simd
    for (int j = 0; j < H; j++)
        h[j] = tanhf(z[j] + x[j]);
}

TH_KERNEL(void, th_kernel_rnn_tanh)(const ThKernelCell *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++)
        tanh_row(c->h_after + (size_t)b * H, c->gate + (size_t)b * H, input_row(c, b, H), c->H);
}

static inline void tanh_row_back(float *dz, const float *dh, const float *h, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        dz[j] = dh[j] * (1 - h[j] * h[j]);
}

TH_KERNEL(void, th_kernel_rnn_tanh_back)(const ThKernelCellBack *c)
{
    tanh_row_back(c->gate, c->dh, c->h_after, (size_t)c->B * (size_t)c->H);
}

/* ---- LSTM ---- */

typedef struct {
    const float *x, *c_before;
    float *gate, *c, *h;
} LstmRow;

static inline void lstm_row(const LstmRow *r, int H, float forget)
{
    const float *x = r->x, *before = r->c_before;
    float *zi = r->gate, *zg = zi + H, *zf = zg + H, *zo = zf + H, *c = r->c, *h = r->h;
#pragma omp simd
    for (int j = 0; j < H; j++) {
        float i = th_kernel_sigmoid_of(zi[j] + x[j]);
        float g = tanhf(zg[j] + x[H + j]);
        float f = th_kernel_sigmoid_of(zf[j] + x[2 * H + j] + forget);
        float o = th_kernel_sigmoid_of(zo[j] + x[3 * H + j]);
        float cell = f * before[j] + i * g;
        zi[j] = i;
        zg[j] = g;
        zf[j] = f;
        zo[j] = o;
        c[j] = cell;
        h[j] = o * tanhf(cell);
    }
}

TH_KERNEL(void, th_kernel_lstm)(const ThKernelCell *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++) {
        size_t at = (size_t)b * H;
        LstmRow r = {input_row(c, b, 4 * H), c->c_before + at, c->gate + 4 * at, c->c_after + at,
                     c->h_after + at};
        lstm_row(&r, c->H, c->forget);
    }
}

typedef struct {
    const float *c_before, *c, *dh;
    float *gate, *dc;
} LstmRowBack;

static inline void lstm_row_back(const LstmRowBack *r, int H)
{
    const float *before = r->c_before, *c = r->c, *dh = r->dh;
    float *zi = r->gate, *zg = zi + H, *zf = zg + H, *zo = zf + H, *dc = r->dc;
#pragma omp simd
    for (int j = 0; j < H; j++) {
        float i = zi[j], g = zg[j], f = zf[j], o = zo[j];
        float squashed = tanhf(c[j]);
        float d = dc[j] + dh[j] * o * (1 - squashed * squashed);
        zi[j] = d * g * i * (1 - i);
        zg[j] = d * i * (1 - g * g);
        zf[j] = d * before[j] * f * (1 - f);
        zo[j] = dh[j] * squashed * o * (1 - o);
        dc[j] = d * f;
    }
}

TH_KERNEL(void, th_kernel_lstm_back)(const ThKernelCellBack *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++) {
        size_t at = (size_t)b * H;
        LstmRowBack r = {c->c_before + at, c->c_after + at, c->dh + at, c->gate + 4 * at,
                         c->dc + at};
        lstm_row_back(&r, c->H);
    }
}

/* ---- GRU ---- */

typedef struct {
    const float *x, *bias, *before;
    float *gate, *h;
} GruRow;

/* Afterwards the gate row holds z, r, the candidate's part of h wh, and the candidate. */
static inline void gru_row(const GruRow *row, int H)
{
    const float *x = row->x, *bias = row->bias, *before = row->before;
    float *gz = row->gate, *gr = gz + H, *gu = gr + H, *gn = gu + H, *h = row->h;
#pragma omp simd
    for (int j = 0; j < H; j++) {
        float z = th_kernel_sigmoid_of(gz[j] + x[j]);
        float r = th_kernel_sigmoid_of(gr[j] + x[H + j]);
        float recurrent = gu[j] + bias[j];
        float candidate = tanhf(x[2 * H + j] + r * recurrent);
        gz[j] = z;
        gr[j] = r;
        gu[j] = recurrent;
        gn[j] = candidate;
        h[j] = before[j] + z * (candidate - before[j]);
    }
}

TH_KERNEL(void, th_kernel_gru)(const ThKernelCell *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++) {
        size_t at = (size_t)b * H;
        GruRow r = {input_row(c, b, 3 * H), c->bias, c->h_before + at, c->gate + 4 * at,
                    c->h_after + at};
        gru_row(&r, c->H);
    }
}

static inline void gru_row_back(float *gate, float *dh, const float *before, int H)
{
    float *gz = gate, *gr = gz + H, *gu = gr + H, *gn = gu + H;
#pragma omp simd
    for (int j = 0; j < H; j++) {
        float z = gz[j], r = gr[j], recurrent = gu[j], candidate = gn[j], d = dh[j];
        float dn = d * z * (1 - candidate * candidate);
        gz[j] = d * (candidate - before[j]) * z * (1 - z);
        gr[j] = dn * recurrent * r * (1 - r);
        gu[j] = dn * r;
        gn[j] = dn;
        dh[j] = d * (1 - z);
    }
}

TH_KERNEL(void, th_kernel_gru_back)(const ThKernelCellBack *c)
{
    size_t H = (size_t)c->H;
    for (int b = 0; b < c->B; b++) {
        size_t at = (size_t)b * H;
        gru_row_back(c->gate + 4 * at, c->dh + at, c->h_before + at, c->H);
    }
}
