/* A recurrent network that reads strings symbol by symbol: its states are all that it keeps. */

#include "models/recurrent/recurrent.h"
#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"

typedef struct {
    float *h[2], *c[2]; /* (B,H) */
} Layer;

typedef struct {
    const ThModel *m;
    const ThModelRecurrent *r;
    int B, H, width; /* strings; of the state, of the gates */
    float *memory;
    float *table; /* (symbols, width): rows of the first table and the biases */
    float *from;  /* (B, width): what the layer below and the biases add to the gates */
    float *gate;  /* (B,4H): room for what any cell leaves there */
    float *seen;  /* (B,H): what the head reads, */
    float *units; /* (B, hidden): and its hidden layer */
    int *row;     /* (B): 0, 1, … */
    Layer layer[TH_MODEL_RECURRENT_LAYERS];
    int now; /* which of h and c is the state */
} State;

static const float *param(const ThModel *m, int index)
{
    return index < 0 ? NULL : th_params_at(&m->params, index);
}

static int cols(const State *s, int index)
{
    return s->m->params.item[index].cols;
}

/* y (n, width) += the biases that all gates of a layer have. */
static void add_biases(const State *s, int layer, float *y, int n)
{
    const ThModelRecurrentLayer *l = &s->r->layer[layer];
    for (int i = 0; i < 2 - s->r->cell->candidate; i++)
        if (l->bias[i] >= 0)
            th_kernel_bias(y, param(s->m, l->bias[i]), n, s->width);
}

/* y (B, cols) = x times a parameter. */
static void multiply(const State *s, const float *x, int index, float *y, int room)
{
    const ThParam *p = &s->m->params.item[index];
    th_blas_gemm_nn(&(ThBlasGemm){s->B, p->cols, p->rows, p->rows, p->cols, room, 0}, x,
                    param(s->m, index), y);
}

/* Gives the arrays their places. */
static bool reserve(State *s, ThError *err)
{
    const ThModelRecurrentHead *head = &s->r->head;
    size_t B = (size_t)s->B, H = B * (size_t)s->H, symbols = (size_t)s->m->signature.n_symbols;
    size_t table = symbols * (size_t)s->width, from = B * (size_t)s->width;
    size_t units = head->hidden < 0 ? 0 : B * (size_t)cols(s, head->hidden);
    size_t all = table + from + units + (5 + 4 * (size_t)s->r->layers) * H;
    float *at = s->memory = th_params_floats(all, err);
    s->row = th_alloc(B, sizeof *s->row, err);
    if (!at || !s->row)
        return false;
    s->table = at;
    s->from = s->table + table;
    s->units = s->from + from;
    s->gate = s->units + units;
    s->seen = s->gate + 4 * H;
    at = s->seen + H;
    for (int k = 0; k < s->r->layers; k++)
        for (int i = 0; i < 2; i++, at += 2 * H) {
            s->layer[k].h[i] = at;
            s->layer[k].c[i] = at + H;
        }
    memcpy(s->table, param(s->m, s->r->layer[0].table), table * sizeof *s->table);
    add_biases(s, 0, s->table, (int)symbols);
    for (int b = 0; b < s->B; b++)
        s->row[b] = b;
    return true;
}

void *th_model_recurrent_open(const ThModel *m, int B, ThError *err)
{
    State *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    *s = (State){.m = m, .r = m->layout, .B = B};
    s->H = s->r->dim;
    s->width = s->r->cell->gates * s->H;
    if (reserve(s, err))
        return s;
    th_model_recurrent_close(s);
    return NULL;
}

void th_model_recurrent_close(void *state)
{
    State *s TH_OWNED(free) = state;
    if (s) {
        TH_FREE(s->memory, s->row);
    }
}

void th_model_recurrent_reset(void *state)
{
    State *s = state;
    size_t size = (size_t)s->B * (size_t)s->H * sizeof(float);
    for (int k = 0; k < s->r->layers; k++) {
        memset(s->layer[k].h[s->now], 0, size);
        memset(s->layer[k].c[s->now], 0, size);
    }
}

/* String b reads token[b * stride]; a layer above the first what the one below it has made of
 * that. */
static void step(State *s, const int *token, size_t stride)
{
    const ThModelRecurrentCell *cell = s->r->cell;
    int now = s->now, next = 1 - now;
    int room = cell->gates == 1 ? s->H : 4 * s->H; /* a row of gate, see ThKernelCell */
    for (int k = 0; k < s->r->layers; k++) {
        const ThModelRecurrentLayer *l = &s->r->layer[k];
        Layer *own = &s->layer[k];
        if (k > 0) {
            multiply(s, s->layer[k - 1].h[next], l->table, s->from, s->width);
            add_biases(s, k, s->from, s->B);
        }
        multiply(s, own->h[now], l->recurrent, s->gate, room);
        (*cell->cell)(&(ThKernelCell){.B = s->B,
                                      .H = s->H,
                                      .x = k > 0 ? s->from : s->table,
                                      .index = k > 0 ? s->row : token,
                                      .stride = k > 0 ? 1 : stride,
                                      .forget = (float)s->r->forget,
                                      .bias = cell->candidate ? param(s->m, l->bias[1]) : NULL,
                                      .h_before = own->h[now],
                                      .c_before = own->c[now],
                                      .h_after = own->h[next],
                                      .c_after = own->c[next],
                                      .gate = s->gate});
    }
    s->now = next;
}

static void map(float *y, const float *x, size_t n, ThOpMap f)
{
    if (f != TH_TAPE_MAPS)
        th_kernel_map(f)->forward(y, x, n);
    else if (y != x)
        memcpy(y, x, n * sizeof *y);
}

bool th_model_recurrent_feed(void *state, const int *token, int n, float *logits,
                             ThError *err TH_UNUSED)
{
    State *s = state;
    const ThModelRecurrentHead *head = &s->r->head;
    size_t H = (size_t)s->B * (size_t)s->H;
    int classes = s->m->signature.n_classes;
    for (int i = 0; i < n; i++)
        step(s, token + i, (size_t)n);
    const float *x = s->seen;
    map(s->seen, s->layer[s->r->layers - 1].h[s->now], H, head->reads);
    if (head->hidden >= 0) {
        int units = cols(s, head->hidden);
        multiply(s, x, head->hidden, s->units, units);
        th_kernel_bias(s->units, param(s->m, head->hidden_bias), s->B, units);
        map(s->units, s->units, (size_t)s->B * (size_t)units, head->activation);
        x = s->units;
    }
    multiply(s, x, head->last.weight, logits, classes);
    th_kernel_bias(logits, param(s->m, head->last.bias), s->B, classes);
    return true;
}
