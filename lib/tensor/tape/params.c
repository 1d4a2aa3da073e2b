#define _DEFAULT_SOURCE /* madvise */
#include "tensor/tape/params.h"

#include <math.h>
#include <sys/mman.h>

enum { ALIGN_FLOATS = 16 };

int th_params_add(ThParams *p, const char *name, int rows, int cols, ThInit init, double scale,
                  ThError *err)
{
    if (!th_grow(&p->item, &p->cap, (size_t)p->n + 1, sizeof *p->item, err))
        return -1;
    ThParam *item = &p->item[p->n];
    *item = (ThParam){.rows = rows, .cols = cols, .init = init, .scale = scale};
    size_t length = strlen(name);
    if (length >= sizeof item->name)
        length = sizeof item->name - 1;
    memcpy(item->name, name, length);
    item->decays = rows > 1;
    item->offset = p->total;
    size_t size = (size_t)rows * (size_t)cols;
    p->total += (size + ALIGN_FLOATS - 1) / ALIGN_FLOATS * ALIGN_FLOATS;
    return p->n++;
}

void th_param_hidden(ThParams *p, int index, int parts)
{
    if (index >= 0)
        p->item[index].hidden = parts;
}

void th_param_held(ThParams *p, int index, float least, float most)
{
    if (index < 0)
        return;
    p->item[index].least = least;
    p->item[index].most = most;
}

void th_params_hold(ThParams *p)
{
    for (int i = 0; i < p->n; i++) {
        const ThParam *item = &p->item[i];
        float *x = p->value + item->offset;
        for (int k = 0; item->most > 0 && k < item->rows * item->cols; k++)
            if (!isnan(x[k])) /* which is to be seen */
                x[k] = fminf(fmaxf(fabsf(x[k]), item->least), item->most);
    }
}

static size_t bytes_of(size_t n)
{
    return (n + ALIGN_FLOATS) / ALIGN_FLOATS * ALIGN_FLOATS * sizeof(float);
}

/* Large ones begin with a large page, which is more quickly found. */
static float *unset_floats(size_t n, ThError *err)
{
    enum { HUGE_PAGE = 1 << 21 };
    size_t size = n > SIZE_MAX / 8 ? 0 : bytes_of(n),
           alignment = size < HUGE_PAGE / 2 ? 64 : HUGE_PAGE;
    size = (size + alignment - 1) / alignment * alignment;
    float *p = size == 0 ? NULL : aligned_alloc(alignment, size);
#ifdef MADV_HUGEPAGE
    if (p && alignment == HUGE_PAGE)
        madvise(p, size, MADV_HUGEPAGE); /* no more than a wish */
#endif
    if (!p)
        th_fail(err, TH_ENOMEM, "out of memory (%zu numbers)", n);
    return p;
}

float *th_params_floats(size_t n, ThError *err)
{
    float *p = unset_floats(n, err);
    if (p)
        memset(p, 0, bytes_of(n));
    return p;
}

static double initial(const ThParam *item, ThRng *r, int row, int col)
{
    double x;
    switch (item->init) {
    case TH_INIT_ZERO:
        return 0;
    case TH_INIT_CONSTANT:
        return item->scale;
    case TH_INIT_ONE:
        return 1;
    case TH_INIT_NORMAL:
        return item->scale * th_rng_normal(r);
    case TH_INIT_TRUNCATED:
        do
            x = th_rng_normal(r);
        while (fabs(x) > 2);
        return item->scale * x;
    case TH_INIT_UNIFORM:
        return item->scale * (2 * th_rng_uniform(r) - 1);
    case TH_INIT_PLACE:
        return (double)th_rng_below(r, (uint64_t)item->scale);
    case TH_INIT_DRAWN:
        return item->draw(r, row, col);
    case TH_INIT_ROW:
        return item->row[col];
    }
    return 0;
}

void th_param_drawn(ThParams *p, int index, ThParamDraw *draw)
{
    if (index < 0)
        return;
    p->item[index].init = TH_INIT_DRAWN;
    p->item[index].draw = draw;
    p->item[index].decays = false;
}

bool th_param_row(ThParams *p, int index, const double *row, ThError *err)
{
    ThParam *item = &p->item[index];
    item->init = TH_INIT_ROW;
    item->decays = false;
    item->row = th_copy(row, (size_t)item->cols, sizeof *row, err);
    return item->row != NULL;
}

/* Of many gigabytes even zeros take long: all are set row by row, so that it can be stopped. */
bool th_params_allocate(ThParams *p, uint64_t seed, ThStop *stop, ThError *err)
{
    p->value = unset_floats(p->total, err);
    if (!p->value)
        return false;
    memset(p->value + p->total, 0, bytes_of(p->total) - p->total * sizeof(float));
    for (int i = 0; i < p->n; i++) {
        const ThParam *item = &p->item[i];
        ThRng r = th_rng(seed, item->name, 0);
        for (int row = 0; row < item->rows; row++) {
            float *value = p->value + item->offset + (size_t)row * (size_t)item->cols;
            for (int k = 0; k < item->cols; k++)
                value[k] = (float)initial(item, &r, row, k);
            if (th_stopped(stop, err))
                return false;
        }
        size_t end = item->offset + (size_t)item->rows * (size_t)item->cols;
        size_t next = i + 1 < p->n ? item[1].offset : p->total;
        memset(p->value + end, 0, (next - end) * sizeof(float));
    }
    th_params_hold(p);
    return true;
}

size_t th_params_count(const ThParams *p)
{
    size_t count = 0;
    for (int i = 0; i < p->n; i++)
        count += (size_t)p->item[i].rows * (size_t)p->item[i].cols;
    return count;
}

float *th_params_at(const ThParams *p, int index)
{
    return p->value + p->item[index].offset;
}

int th_params_find(const ThParams *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->item[i].name, name) == 0)
            return i;
    return -1;
}

void th_params_free(ThParams *p)
{
    for (int i = 0; i < p->n; i++)
        free(p->item[i].row);
    TH_FREE(p->item, p->value);
    *p = (ThParams){0};
}
