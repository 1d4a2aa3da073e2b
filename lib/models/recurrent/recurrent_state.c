/* A recurrent network that reads strings symbol by symbol: its states are all that it keeps. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/recurrent/recurrent.h"
#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"

typedef struct {
    const ThModel *m;
    const ThModelRecurrent *r;
    const ThModelRecurrentCell *cell;
    int B, H, width; /* strings; of the state, of the gates */
    float *memory;
    float *table;       /* (symbols, width): rows of the table and the biases */
    float *h[2], *c[2]; /* (B,H) */
    float *gate;        /* (B,4H): room for what any cell leaves there */
    float *seen;        /* (B,H): the state rectified */
    int now;            /* which of h and c is the state */
} State;

static const float *param(const ThModel *m, int index)
{
    return th_params_at(&m->params, index);
}

static void fill_table(State *s)
{
    int symbols = s->m->signature.n_symbols;
    size_t size = (size_t)symbols * (size_t)s->width;
    memcpy(s->table, param(s->m, s->r->table), size * sizeof *s->table);
    for (int i = 0; i < 2 - s->cell->candidate; i++)
        if (s->r->bias[i] >= 0)
            th_kernel_bias(s->table, param(s->m, s->r->bias[i]), symbols, s->width);
}

void *th_model_recurrent_open(const ThModel *m, int B, ThError *err)
{
    State *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    *s = (State){.m = m, .r = m->layout, .cell = m->kind->part, .B = B};
    s->H = m->params.item[s->r->recurrent].rows;
    s->width = s->cell->gates * s->H;
    size_t H = (size_t)B * (size_t)s->H;
    size_t table = (size_t)m->signature.n_symbols * (size_t)s->width;
    s->memory = th_params_floats(table + 9 * H, err);
    if (!s->memory) {
        free(s);
        return NULL;
    }
    s->table = s->memory;
    s->gate = s->table + table;
    s->seen = s->gate + 4 * H;
    for (int i = 0; i < 2; i++) {
        s->h[i] = s->seen + (size_t)(1 + 2 * i) * H;
        s->c[i] = s->h[i] + H;
    }
    fill_table(s);
    return s;
}

void th_model_recurrent_close(void *state)
{
    State *s = state;
    if (s)
        free(s->memory);
    free(s);
}

void th_model_recurrent_reset(void *state)
{
    State *s = state;
    size_t size = (size_t)s->B * (size_t)s->H;
    memset(s->h[s->now], 0, size * sizeof(float));
    memset(s->c[s->now], 0, size * sizeof(float));
}

/* String b reads token[b * stride]. */
static void step(State *s, const int *token, size_t stride)
{
    int now = s->now, next = 1 - now;
    int room = s->cell->gates == 1 ? s->H : 4 * s->H; /* a row of gate, see ThKernelCell */
    th_blas_gemm_nn(&(ThBlasGemm){s->B, s->width, s->H, s->H, s->width, room, 0}, s->h[now],
                    param(s->m, s->r->recurrent), s->gate);
    s->cell->cell(&(ThKernelCell){.B = s->B,
                                  .H = s->H,
                                  .x = s->table,
                                  .index = token,
                                  .stride = stride,
                                  .forget = (float)s->r->forget,
                                  .bias = s->cell->candidate ? param(s->m, s->r->bias[1]) : NULL,
                                  .h_before = s->h[now],
                                  .c_before = s->c[now],
                                  .h_after = s->h[next],
                                  .c_after = s->c[next],
                                  .gate = s->gate});
    s->now = next;
}

bool th_model_recurrent_feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    State *s = state;
    int classes = s->m->signature.n_classes;
    (void)err;
    for (int i = 0; i < n; i++)
        step(s, token + i, (size_t)n);
    th_kernel_relu(s->seen, s->h[s->now], (size_t)s->B * (size_t)s->H);
    th_blas_gemm_nn(&(ThBlasGemm){s->B, classes, s->H, s->H, classes, classes, 0}, s->seen,
                    param(s->m, s->r->head.weight), logits);
    th_kernel_bias(logits, param(s->m, s->r->head.bias), s->B, classes);
    return true;
}
