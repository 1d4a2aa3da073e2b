/* Turning pairs of columns by the position (rotary positions), and letting them grow with it. */
#include <math.h>

#include "tensor/kernels/kernels_attention.h"
#include "tensor/tape/tape_impl.h"

typedef struct {
    ThOpRotation how;
    int width;             /* of a block */
    int rows;              /* of the tables */
    double *cosine, *sine; /* (rows, turned/2), times the growth */
} Rotate;

/* The row of the tables for a row of x. */
static size_t table_row(const Rotate *r, size_t i)
{
    return r->how.position ? i : i % (size_t)r->rows;
}

static bool fill_tables(ThTape *t, Rotate *r, int rows)
{
    const ThOpRotation *how = &r->how;
    int pairs = how->turned / 2;
    r->rows = how->position ? rows : how->T;
    size_t size = (size_t)r->rows * (size_t)pairs;
    r->cosine = th_tape_take(t, 2 * size, sizeof *r->cosine);
    r->sine = r->cosine ? r->cosine + size : NULL;
    for (int p = 0; r->cosine && p < pairs; p++) {
        double share = 2.0 * p / how->turned, frequency = pow(how->base, -share);
        double growth = how->decay * log((share + 0.4) / 1.4);
        for (int i = 0; i < r->rows; i++) {
            double at = how->position ? how->position[i] : how->first + i;
            double size_there = exp(growth * at);
            r->cosine[(size_t)i * (size_t)pairs + (size_t)p] = size_there * cos(at * frequency);
            r->sine[(size_t)i * (size_t)pairs + (size_t)p] = size_there * sin(at * frequency);
        }
    }
    return r->cosine != NULL;
}

static ThKernelTurn turn_of(const Rotate *r, size_t row, bool back)
{
    size_t at = table_row(r, row) * (size_t)(r->how.turned / 2);
    return (ThKernelTurn){.cosine = r->cosine + at,
                          .sine = r->sine + at,
                          .pairs = r->how.turned / 2,
                          .blocks = r->how.heads,
                          .width = r->width,
                          .neighbours = r->how.neighbours,
                          .back = back};
}

static void rotate_forward(ThTape *t, ThTapeNode *n)
{
    const Rotate *r = n->args;
    size_t cols = (size_t)n->cols;
    const float *x = th_tape_in_float(t, n, 0);
    float *y = n->value;
    for (size_t i = 0; i < (size_t)n->rows; i++) {
        ThKernelTurn turn = turn_of(r, i, false);
        memcpy(y + i * cols, x + i * cols, cols * sizeof *y);
        th_kernel_turn(&turn, y + i * cols);
    }
}

/* The transpose of a rotation turns the other way. */
static void rotate_backward(ThTape *t, ThTapeNode *n)
{
    const Rotate *r = n->args;
    size_t cols = (size_t)n->cols, size = (size_t)n->rows * cols;
    float *dy = n->grad;
    if (n->tagged) { /* then it stays as it is */
        dy = th_tape_take(t, size, sizeof *dy);
        if (!dy)
            return;
        memcpy(dy, n->grad, size * sizeof *dy);
    }
    for (size_t i = 0; i < (size_t)n->rows; i++) {
        ThKernelTurn turn = turn_of(r, i, true);
        th_kernel_turn(&turn, dy + i * cols);
    }
    if (!th_tape_pass_gradient(t, n, 0))
        th_tape_pass_back(t, n, 0, dy);
}

/* ---- reference ---- */

/* Column k of the part of a block that turns: its pair, the other column of that, and whether it
 * is the pair's second. */
typedef struct {
    int pair, other;
    bool second;
} Member;

static Member member(const ThOpRotation *how, int k)
{
    int pairs = how->turned / 2;
    if (how->neighbours)
        return (Member){k / 2, k % 2 ? k - 1 : k + 1, k % 2};
    return (Member){k % pairs, (k + pairs) % how->turned, k >= pairs};
}

/* Adds every row of x, turned by its angle times `way`, to y. */
static void add_turned(const ThTapeNode *n, const double *x, double *y, double way)
{
    const Rotate *r = n->args;
    const ThOpRotation *how = &r->how;
    for (size_t i = 0; i < (size_t)n->rows; i++, x += n->cols, y += n->cols) {
        size_t at = table_row(r, i) * (size_t)(how->turned / 2);
        for (int j = 0; j < n->cols; j++) {
            int k = j % r->width;
            if (j >= how->columns || k >= how->turned) {
                y[j] += x[j];
                continue;
            }
            Member m = member(how, k);
            double sine = (m.second ? way : -way) * r->sine[at + (size_t)m.pair];
            y[j] += r->cosine[at + (size_t)m.pair] * x[j] + sine * x[j - k + m.other];
        }
    }
}

static void rotate_forward_double(ThTape *t, ThTapeNode *n)
{
    memset(n->value, 0, th_tape_size(n) * sizeof(double));
    add_turned(n, th_tape_in_double(t, n, 0), n->value, 1);
}

static void rotate_backward_double(ThTape *t, ThTapeNode *n)
{
    add_turned(n, n->grad, th_tape_grad_double(t, n, 0), -1);
}

static const ThOp op_rotate = {"rotate", rotate_forward, rotate_backward, rotate_forward_double,
                               rotate_backward_double};

static bool fits(ThTape *t, ThVar x, const ThOpRotation *how)
{
    int width = how->heads > 0 ? how->columns / how->heads : 0;
    bool blocks = width > 0 && how->columns % how->heads == 0 && how->columns <= th_tape_cols(t, x);
    bool pairs = how->turned >= 0 && how->turned % 2 == 0 && how->turned <= width;
    if (blocks && pairs && how->base > 0 && (how->position || how->T > 0))
        return true;
    th_tape_fail(t, TH_EVALUE, "rotate: %d heads of %d columns of (%d,%d), %d of them to be turned",
                 how->heads, how->columns, th_tape_rows(t, x), th_tape_cols(t, x), how->turned);
    return false;
}

ThVar th_op_rotate(ThTape *t, ThVar x, const ThOpRotation *how)
{
    if (th_tape_failed(t) || !fits(t, x, how))
        return -1;
    Rotate r = {.how = *how, .width = how->columns / how->heads};
    if (!fill_tables(t, &r, th_tape_rows(t, x)))
        return -1;
    return th_tape_op(t, &op_rotate, th_tape_rows(t, x), th_tape_cols(t, x), &x, 1, &r, sizeof r);
}
