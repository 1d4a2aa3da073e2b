#include "lab/head.h"

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"

enum { WEIGHT, BIAS };
enum { PARTS = 3 }; /* weights and both moments */

bool th_train_head_init(ThTrainHead *h, int dim, int n, int shards, ThError *err)
{
    *h = (ThTrainHead){.shards = shards};
    if (th_params_add(&h->weights, "head", dim, n, TH_INIT_ZERO, 0, err) < 0 ||
        th_params_add(&h->weights, "bias", 1, n, TH_INIT_ZERO, 0, err) < 0 ||
        !th_params_allocate(&h->weights, 1, NULL, err))
        return false;
    h->gradient = th_params_floats(h->weights.total * (size_t)shards, err);
    h->slot[0] = th_params_floats(h->weights.total, err);
    h->slot[1] = th_params_floats(h->weights.total, err);
    return h->gradient && h->slot[0] && h->slot[1];
}

void th_train_head_free(ThTrainHead *h)
{
    th_params_free(&h->weights);
    TH_FREE(h->gradient, h->slot[0], h->slot[1]);
}

/* ---- a shard's run ---- */

static float *gradient_of(const ThTrainHead *h, int shard)
{
    return h->gradient + (size_t)shard * h->weights.total;
}

void th_train_head_begin(ThTrainHead *h, int shard)
{
    memset(gradient_of(h, shard), 0, h->weights.total * sizeof *h->gradient);
}

void th_train_head_say(const ThTrainHead *h, const float *x, int rows, int F, float *said)
{
    const ThParam *w = &h->weights.item[WEIGHT];
    th_blas_gemm_nn(&(ThBlasGemm){rows, F, w->rows, w->rows, w->cols, F, 0}, x,
                    th_params_at(&h->weights, WEIGHT), said);
    th_kernel_bias(said, th_params_at(&h->weights, BIAS), rows, F);
}

void th_train_head_back(ThTrainHead *h, int shard, const float *x, const float *by, int rows, int F,
                        float *slope)
{
    const ThParam *w = &h->weights.item[WEIGHT], *bias = &h->weights.item[BIAS];
    float *gradient = gradient_of(h, shard);
    th_blas_gemm_tn(&(ThBlasGemm){w->rows, F, rows, w->rows, F, w->cols, 1}, x, by,
                    gradient + w->offset);
    th_kernel_column_sums(gradient + bias->offset, by, rows, F, 1);
    th_blas_gemm_nt(&(ThBlasGemm){rows, w->rows, F, F, w->cols, w->rows, 1}, by,
                    th_params_at(&h->weights, WEIGHT), slope);
}

/* ---- after a step ---- */

void th_train_head_step(ThTrainHead *h, double rate)
{
    for (int i = 1; i < h->shards; i++)
        th_kernel_add(h->gradient, gradient_of(h, i), h->weights.total);
    ThOptimizerUpdate update = {.rule = th_optimizer_find("adam"),
                                .rate = rate,
                                .beta1 = 0.9,
                                .beta2 = 0.999,
                                .eps = 1e-8,
                                .clip = 1,
                                .step = ++h->updates};
    ThOptimizerState state = {.params = &h->weights, .slot = h->slot, .gradient = h->gradient};
    th_optimizer_update(&update, &state, 0, 1);
}

/* ---- as numbers ---- */

static float *part(const ThTrainHead *h, int i)
{
    return i == 0 ? h->weights.value : h->slot[i - 1];
}

size_t th_train_head_size(const ThTrainHead *h)
{
    return PARTS * h->weights.total;
}

void th_train_head_write(const ThTrainHead *h, double *to)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < h->weights.total; k++)
            *to++ = (double)part(h, i)[k];
}

void th_train_head_read(ThTrainHead *h, const double *from)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < h->weights.total; k++)
            part(h, i)[k] = (float)*from++;
}
