/* Gradients of several tapes added up, and the products that wait for that. */
#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

/* ---- products ---- */

void th_tape_keep_products(ThTape *t, bool keep)
{
    th_tape_products(t)->keep = keep;
}

bool th_tape_keep_product(ThTape *t, ThTapeNode *n, int x, int w)
{
    enum { FEW_ROWS = 32 };
    ThTapeProducts *all = th_tape_products(t);
    const ThTapeNode *to = th_tape_in(t, n, w);
    bool parameter = !to->op && to->n_in >= 0;
    if (!all->keep || !parameter || n->rows > FEW_ROWS || th_tape_touched(t, to->n_in) ||
        th_tape_product_of(t, to->n_in) ||
        !th_grow(&all->item, &all->cap, all->n + 1, sizeof *all->item, NULL))
        return false;
    all->item[all->n++] = (ThTapeProduct){to->n_in, n->rows, th_tape_in_float(t, n, x), n->grad};
    n->tagged = true;
    return true;
}

static ThTapeProduct *product_of(ThTape *t, int param)
{
    ThTapeProducts *all = th_tape_products(t);
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].param == param)
            return &all->item[i];
    return NULL;
}

const ThTapeProduct *th_tape_product_of(ThTape *t, int param)
{
    return product_of(t, param);
}

/* Some rows of a parameter. */
typedef struct {
    const ThParam *p;
    int first, n;
} Rows;

static void multiply_out(float *to, const ThTapeProduct *p, const Rows *r, float beta)
{
    th_kernel_outer(&(ThKernelOuter){.x = p->x + r->first,
                                     .dy = p->dy,
                                     .n = r->n,
                                     .d = r->p->cols,
                                     .k = p->rows,
                                     .x_cols = r->p->rows,
                                     .beta = beta},
                    to);
}

bool th_tape_settle_product(ThTape *t, int param)
{
    ThTapeProducts *all = th_tape_products(t);
    ThTapeProduct *product = product_of(t, param);
    if (!product)
        return false;
    const ThParam *p = &th_tape_params(t)->item[param];
    multiply_out(th_tape_gradient(t) + p->offset, product, &(Rows){p, 0, p->rows}, 0);
    *product = all->item[--all->n];
    return true;
}

/* ---- sums ---- */

/* The first row that begins at a place in the list of all parameters, or behind it. */
static int row_at(const ThParam *p, size_t at)
{
    size_t cols = (size_t)p->cols, row = at > p->offset ? (at - p->offset + cols - 1) / cols : 0;
    return row < (size_t)p->rows ? (int)row : p->rows;
}

/* A part begins with the first row that begins in it. */
static Rows rows_of(const ThParams *all, int param, size_t part, size_t parts)
{
    const ThParam *p = &all->item[param];
    size_t size = all->total / parts, from = part * size;
    int first = row_at(p, from), end = part + 1 == parts ? p->rows : row_at(p, from + size);
    return (Rows){p, first, end - first};
}

/* The rows of `from` are added to the first tape's, or are these. */
static void add_rows(float *sum, ThTape *from, int param, const Rows *r, bool first)
{
    size_t cols = (size_t)r->p->cols, at = r->p->offset + (size_t)r->first * cols;
    const ThTapeProduct *product = th_tape_product_of(from, param);
    if (product)
        multiply_out(sum, product, r, first ? 0 : 1);
    else if (!first)
        th_kernel_add(sum, th_tape_gradient(from) + at, (size_t)r->n * cols);
}

double th_tape_sum_gradients(ThTape *const *tape, int n, int part, int parts)
{
    enum { AT_ONCE = 4096 }; /* numbers that stay in the nearest cache */
    const ThParams *all = th_tape_params(tape[0]);
    double squares = 0;
    for (int i = 0; i < all->n; i++) {
        Rows r = rows_of(all, i, (size_t)part, (size_t)parts);
        int end = r.first + r.n, step = r.p->cols < AT_ONCE ? AT_ONCE / r.p->cols : 1;
        for (; r.first < end; r.first += step) {
            size_t at = r.p->offset + (size_t)r.first * (size_t)r.p->cols;
            float *sum = th_tape_gradient(tape[0]) + at;
            r.n = end - r.first < step ? end - r.first : step;
            for (int k = 0; k < n; k++)
                add_rows(sum, tape[k], i, &r, k == 0);
            squares += th_kernel_sum_squares(sum, (size_t)r.n * (size_t)r.p->cols);
        }
    }
    return squares;
}
