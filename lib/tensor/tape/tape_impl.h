/* tape_impl.h - how operations are made; included by lib/tensor/ops_*.c only.
 *
 * An operation is a constant ThOp with four functions: forward and backward, fast (float) and
 * reference (double).  Its public function checks shapes, makes the node and runs it:
 *
 *     int rows = th_tape_rows(t, a), cols = th_tape_cols(t, a);
 *     ThVar y = th_tape_op(t, &op_relu, rows, cols, &a, 1, NULL, 0);
 *
 * Values are -1, and have no rows, once the tape has failed; what fails after that changes nothing.
 * An operation that looks into arrays asks th_tape_failed first, for they may be missing then.
 *
 * Backward receives a node whose gradient is complete and adds to the gradients of its inputs.
 * Whoever comes first finds no gradient there: th_tape_grad_float returns its memory and says
 * whether the operation must overwrite (beta 0) or add (beta 1), which saves a pass of zeroing.
 * Backward may use its own node's gradient as scratch, except where models tag the result
 * (th_tape_tag).
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tensor/tape/tape.h"

enum { TH_TAPE_MAX_INPUTS = 8 };

typedef struct ThTapeNode ThTapeNode;

/* What is the same in both precisions may stand in both places. */
typedef struct {
    const char *name;
    void (*forward_float)(ThTape *t, ThTapeNode *n);
    void (*backward_float)(ThTape *t, ThTapeNode *n);
    void (*forward_double)(ThTape *t, ThTapeNode *n);
    void (*backward_double)(ThTape *t, ThTapeNode *n);
} ThOp;

struct ThTapeNode {
    const ThOp *op; /* NULL: a leaf */
    ThVar id;
    int rows, cols;
    ThVar in[TH_TAPE_MAX_INPUTS]; /* -1: none */
    int n_in;
    bool tagged;      /* its gradient is kept after it was passed on */
    void *value;      /* float or double (rows, cols) */
    void *grad;       /* the same, or NULL: none has arrived */
    const void *args; /* what the operation needs to know besides its inputs; tape memory */
    void *saved;      /* what forward leaves for backward; tape memory */
};

/* Makes a node with room for its value; inputs of -1 are absent ones.  NULL when the tape has
 * failed or memory runs out. */
ThTapeNode *th_tape_node(ThTape *t, const ThOp *op, int rows, int cols, const ThVar *in, int n_in);

/* Runs forward in the tape's precision and returns the node's variable. */
ThVar th_tape_node_run(ThTape *t, ThTapeNode *n);

/* Both, with `size` bytes of arguments, if any, copied to tape memory; -1 where the tape fails. */
ThVar th_tape_op(ThTape *t, const ThOp *op, int rows, int cols, const ThVar *in, int n_in,
                 const void *args, size_t size);

/* False if the tape has failed, or work is to stop, which fails it.  Operations that may take long
 * ask every now and then, and leave their result unfinished. */
bool th_tape_goes_on(ThTape *t);
ThStop *th_tape_stop(const ThTape *t); /* what it looks at; may be NULL */

/* The size of a number in the tape's precision, and how many a node has. */
size_t th_tape_real(const ThTape *t);
static inline size_t th_tape_size(const ThTapeNode *n)
{
    return (size_t)n->rows * (size_t)n->cols;
}

/* Positions of a string of a batch that has T for each, or `length` of them. */
static inline int th_tape_length(const int *length, int T, int string)
{
    return length ? length[string] : T;
}

/* True while gradients are wanted: forward then has to leave what backward needs. */
bool th_tape_records(const ThTape *t);
bool th_tape_failed(const ThTape *t);

/* True for a value that th_tape_constant or th_tape_view made. */
bool th_tape_is_constant(const ThTape *t, ThVar v);

/* Views of values.  Input i of a node; NULL if absent. */
ThTapeNode *th_tape_in(ThTape *t, const ThTapeNode *n, int i);
const float *th_tape_in_float(ThTape *t, const ThTapeNode *n, int i);
const double *th_tape_in_double(ThTape *t, const ThTapeNode *n, int i);

/* Memory for the gradient of input i (rows*cols), allocated at the first call; *beta is 0 if it
 * holds garbage that must be overwritten, 1 if it must be added to.  NULL: input absent or out of
 * memory.  The first is of the tape's precision. */
void *th_tape_grad(ThTape *t, const ThTapeNode *n, int i, float *beta);
float *th_tape_grad_float(ThTape *t, const ThTapeNode *n, int i, float *beta);

/* The same, always zeroed or valid, for operations that always add. */
float *th_tape_grad_float_zeroed(ThTape *t, const ThTapeNode *n, int i);

/* The same for double; NULL only where the input is absent. */
double *th_tape_grad_double(ThTape *t, const ThTapeNode *n, int i);

/* Gradients of parameters that have not been multiplied out: xᵀ dy, of so many rows. */
typedef struct {
    int param, rows;
    const float *x, *dy;
} ThTapeProduct;
typedef struct {
    bool keep;
    ThTapeProduct *item;
    size_t n, cap;
} ThTapeProducts;

/* Where products are kept, and inputs x and w of a node have few rows and are a parameter without
 * a gradient: leaves it as the product of x and the node's own, which stays.  False: it does not.
 */
bool th_tape_keep_product(ThTape *t, ThTapeNode *n, int x, int w);

/* Multiplies out the product of a parameter whose gradient is to be added to; false: there is
 * none. */
bool th_tape_settle_product(ThTape *t, int param);
const ThTapeProduct *th_tape_product_of(ThTape *t, int param); /* NULL: none */

ThTapeProducts *th_tape_products(ThTape *t);
const ThParams *th_tape_params(const ThTape *t);
bool th_tape_touched(const ThTape *t, int param); /* its gradient has been written */

/* Makes the node's own gradient, which must not be looked at afterwards, that of input i, where
 * that saves a copy: false if the input has one already, or is a parameter, or the node's is kept.
 */
bool th_tape_pass_gradient(ThTape *t, ThTapeNode *n, int i);

/* Passes dy, of the tape's precision and as large as input i, on to that as it is. */
void th_tape_pass_back(ThTape *t, const ThTapeNode *n, int i, const void *dy);

/* Publishes a value that is not a node's (attention weights) under a tag: (rows, cols), in the
 * tape's precision; borrowed tape memory. */
void th_tape_publish(ThTape *t, const void *value, int rows, int cols, const char *tag, int index);

/* Room for attention weights (rows, cols) under the tag "attention", zeroed; NULL unless the tape
 * keeps what has a name. */
void *th_tape_publish_weights(ThTape *t, int rows, int cols, int index, size_t real);
