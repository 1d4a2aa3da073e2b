/* Linear recurrences, position after position: backward is the recurrence of the transposed
 * matrices from the other end. */

#include "tensor/kernels/kernels_scan.h"
#include "tensor/tape/tape_impl.h"

enum { A, B, START };

/* What is known before values are: every position has its rows. */
typedef struct {
    ThScan s;
    ThKernelScanForm form;
    int k;
    const int *a_row, *b_row;
} Scan;

/* Does every row belong to one position? */
static bool one_each(const int *given, const ThTapeNode *table, const Scan *scan)
{
    return !given && (table->rows > 1 || scan->s.B * scan->s.T == 1);
}

/* ---- fast ---- */

/* The start is borrowed, or a row of zeros. */
static bool arrange(ThTape *t, const ThTapeNode *n, ThKernelScan *k)
{
    const Scan *scan = n->args;
    const ThTapeNode *a = th_tape_in(t, n, A), *start = th_tape_in(t, n, START);
    const float *from = start ? start->value : NULL;
    if (!start) {
        float *zeros = th_tape_take(t, (size_t)n->cols, sizeof *zeros);
        if (!zeros)
            return false;
        memset(zeros, 0, (size_t)n->cols * sizeof *zeros);
        from = zeros;
    }
    *k = (ThKernelScan){.form = scan->form,
                        .B = scan->s.B,
                        .T = scan->s.T,
                        .d = n->cols,
                        .k = scan->k,
                        .length = scan->s.length,
                        .a_row = scan->a_row,
                        .b_row = scan->b_row,
                        .a_width = (size_t)a->cols,
                        .a = a->value,
                        .b = th_tape_in_float(t, n, B),
                        .start = from,
                        .one_start = !start || start->rows == 1,
                        .h = n->value,
                        .stop = th_tape_stop(t)};
    return true;
}

/* Do several positions share the blocks of a row? */
static bool shares_blocks(ThTape *t, const ThTapeNode *n)
{
    const Scan *scan = n->args;
    return scan->form == TH_SCAN_BLOCKS && th_tape_in(t, n, A)->rows < n->rows;
}

/* Columns take the place of the rows of blocks. */
static float *columns_of_blocks(ThTape *t, const ThTapeNode *n, const ThKernelScan *k)
{
    size_t side = (size_t)k->k, size = th_tape_size(th_tape_in(t, n, A));
    float *to = th_tape_take(t, size, sizeof *to);
    for (size_t i = 0; to && i < size; i++) {
        size_t row = i / side % side, col = i % side;
        to[i] = k->a[i - row * side - col + col * side + row];
    }
    return to;
}

static void scan_forward(ThTape *t, ThTapeNode *n)
{
    ThKernelScan k;
    if (!arrange(t, n, &k))
        return;
    k.columns = shares_blocks(t, n);
    if (!k.columns || (k.a = columns_of_blocks(t, n, &k)))
        th_kernel_scan(&k);
}

/* *clear: the kernel zeroes row by row, else what has no gradient yet is zeroed here. */
static float *gradient(ThTape *t, const ThTapeNode *n, int input, bool each, bool *clear)
{
    float beta, *g = th_tape_grad_float(t, n, input, &beta);
    *clear = beta == 0 && each;
    if (g && beta == 0 && !each)
        memset(g, 0, th_tape_size(th_tape_in(t, n, input)) * sizeof *g);
    return g;
}

static void scan_backward(ThTape *t, ThTapeNode *n)
{
    const Scan *scan = n->args;
    ThKernelScan k;
    if (!arrange(t, n, &k))
        return;
    ThKernelScanBack b = {.forward = &k, .dy = n->grad};
    b.da = gradient(t, n, A, one_each(scan->s.a_row, th_tape_in(t, n, A), scan), &b.clear_a);
    b.db = gradient(t, n, B, one_each(scan->s.b_row, th_tape_in(t, n, B), scan), &b.clear_b);
    b.dstart = n->in[START] < 0 ? NULL : th_tape_grad_float_zeroed(t, n, START);
    b.g = th_tape_take(t, (size_t)n->cols, sizeof *b.g);
    b.next = th_tape_take(t, (size_t)n->cols, sizeof *b.next);
    if (b.da && b.db && b.g && b.next)
        th_kernel_scan_back(&b);
}

/* ---- reference ---- */

/* Element (i,j) of the matrix A, where it may not be zero, is *sign times the number at this place
 * of the row of `a`.  (p + qi)(x + yi) is the matrix p, -q; q, p. */
static int place(const Scan *scan, int d, int i, int j, double *sign)
{
    int half = d > 1 ? d / 2 : 1, k = scan->k; /* complex numbers have two columns at least */
    *sign = 1;
    if (scan->form == TH_SCAN_DIAGONAL)
        return i;
    if (scan->form == TH_SCAN_BLOCKS)
        return i * k + j % k;
    *sign = i < half && j >= half ? -1 : 1;
    return i == j ? i % half : half + i % half;
}

/* The columns j of row i where A may not be zero: first, first + step, … */
typedef struct {
    int first, step, end;
} Columns;

static Columns columns_of(const Scan *scan, int d, int i)
{
    int half = d > 1 ? d / 2 : 1, k = scan->k;
    if (scan->form == TH_SCAN_DIAGONAL)
        return (Columns){i, 1, i + 1};
    if (scan->form == TH_SCAN_BLOCKS)
        return (Columns){i / k * k, 1, i / k * k + k};
    return (Columns){i % half, half, d};
}

static void scan_forward_double(ThTape *t, ThTapeNode *n)
{
    const Scan *scan = n->args;
    const ThTapeNode *in = th_tape_in(t, n, A), *first = th_tape_in(t, n, START);
    double *h = n->value, sign;
    int d = n->cols;
    for (int p = 0; p < n->rows && th_tape_goes_on(t); p++) {
        int string = p / scan->s.T, at = p % scan->s.T;
        const double *a = (const double *)in->value + scan->a_row[p] * in->cols;
        const double *b = th_tape_in_double(t, n, B) + scan->b_row[p] * d;
        const double *start =
            first ? (const double *)first->value + (first->rows == 1 ? 0 : string * d) : NULL;
        const double *before = at == 0 ? start : h + (p - 1) * d;
        bool moves = at < th_tape_length(scan->s.length, scan->s.T, string);
        for (int i = 0; i < d; i++) {
            double sum = moves ? b[i] : before ? before[i] : 0;
            Columns c = columns_of(scan, d, i);
            for (int j = c.first; moves && before && j < c.end; j += c.step) {
                int k = place(scan, d, i, j, &sign);
                sum += sign * a[k] * before[j];
            }
            h[p * d + i] = sum;
        }
    }
}

static void scan_backward_double(ThTape *t, ThTapeNode *n)
{
    const Scan *scan = n->args;
    const ThTapeNode *in = th_tape_in(t, n, A), *first = th_tape_in(t, n, START);
    double *da = th_tape_grad_double(t, n, A), *db = th_tape_grad_double(t, n, B);
    double *dstart = first ? th_tape_grad_double(t, n, START) : NULL;
    const double *h = n->value;
    double *g = th_tape_take(t, th_tape_size(n), sizeof *g), sign;
    int d = n->cols;
    if (g)
        memcpy(g, n->grad, th_tape_size(n) * sizeof *g);
    for (int p = g ? n->rows - 1 : -1; p >= 0 && th_tape_goes_on(t); p--) {
        int string = p / scan->s.T, at = p % scan->s.T;
        int row = first && first->rows > 1 ? string * d : 0;
        const double *a = (const double *)in->value + scan->a_row[p] * in->cols;
        const double *start = first ? (const double *)first->value + row : NULL;
        const double *before = at == 0 ? start : h + (p - 1) * d;
        double *dbefore = at > 0 ? g + (p - 1) * d : dstart ? dstart + row : NULL;
        bool moves = at < th_tape_length(scan->s.length, scan->s.T, string);
        for (int i = 0; i < d; i++) {
            double gi = g[p * d + i];
            if (moves)
                db[scan->b_row[p] * d + i] += gi;
            else if (dbefore)
                dbefore[i] += gi;
            Columns c = columns_of(scan, d, i);
            for (int j = c.first; moves && before && dbefore && j < c.end; j += c.step) {
                int k = place(scan, d, i, j, &sign);
                da[scan->a_row[p] * in->cols + k] += sign * gi * before[j];
                dbefore[j] += sign * gi * a[k];
            }
        }
    }
}

static const ThOp op_scan = {"scan", scan_forward, scan_backward, scan_forward_double,
                             scan_backward_double};

/* ---- building ---- */

/* The row of every position in a table of `rows` rows; NULL fails the tape. */
static const int *rows_of(ThTape *t, const ThScan *s, const int *given, int rows, const char *what)
{
    int n = s->B * s->T;
    int *row = th_tape_take(t, (size_t)n, sizeof *row);
    if (!row)
        return NULL;
    if (!given && rows != n && rows != 1) {
        th_tape_fail(t, TH_EVALUE, "scan: %s has %d rows, where %d strings of %d have %d positions",
                     what, rows, s->B, s->T, n);
        return NULL;
    }
    for (int p = 0; p < n; p++) {
        row[p] = given ? given[p] : rows == 1 ? 0 : p;
        bool read = !s->length || p % s->T < s->length[p / s->T];
        if (read && (row[p] < 0 || row[p] >= rows)) {
            th_tape_fail(t, TH_EVALUE, "scan: row %d of %d in %s", row[p], rows, what);
            return NULL;
        }
        if (!read && given)
            row[p] = 0;
    }
    return row;
}

static bool lengths_fit(ThTape *t, const ThScan *s)
{
    for (int b = 0; s->length && b < s->B; b++) {
        if (s->length[b] < 0 || s->length[b] > s->T) {
            th_tape_fail(t, TH_EVALUE, "scan: a string of %d of %d positions", s->length[b], s->T);
            return false;
        }
    }
    return true;
}

static ThVar scan_of(ThTape *t, const ThVar in[3], Scan *scan, int a_width)
{
    if (th_tape_failed(t))
        return -1;
    int d = th_tape_cols(t, in[B]), starts = th_tape_rows(t, in[START]);
    const ThScan *s = &scan->s;
    if (th_tape_cols(t, in[A]) != a_width)
        return th_tape_fail(t, TH_EVALUE, "scan: a has %d columns, and b of %d asks for %d",
                            th_tape_cols(t, in[A]), d, a_width);
    if (in[START] >= 0 && (th_tape_cols(t, in[START]) != d || (starts != 1 && starts != s->B)))
        return th_tape_fail(t, TH_EVALUE,
                            "scan: the start (%d,%d) does not fit %d strings of %d columns", starts,
                            th_tape_cols(t, in[START]), s->B, d);
    if (!lengths_fit(t, s))
        return -1;
    scan->a_row = rows_of(t, s, s->a_row, th_tape_rows(t, in[A]), "a");
    scan->b_row = rows_of(t, s, s->b_row, th_tape_rows(t, in[B]), "b");
    return th_tape_op(t, &op_scan, s->B * s->T, d, in, 3, scan, sizeof *scan);
}

ThVar th_op_scan(ThTape *t, ThVar a, ThVar b, ThVar start, const ThScan *s)
{
    return scan_of(t, (ThVar[]){a, b, start}, &(Scan){.s = *s, .form = TH_SCAN_DIAGONAL, .k = 1},
                   th_tape_cols(t, b));
}

ThVar th_op_scan_complex(ThTape *t, ThVar a, ThVar b, ThVar start, const ThScan *s)
{
    if (th_tape_cols(t, b) % 2 != 0)
        th_tape_fail(t, TH_EVALUE, "scan: %d columns are no complex numbers", th_tape_cols(t, b));
    return scan_of(t, (ThVar[]){a, b, start}, &(Scan){.s = *s, .form = TH_SCAN_COMPLEX, .k = 1},
                   th_tape_cols(t, b));
}

ThVar th_op_scan_blocks(ThTape *t, ThVar a, ThVar b, ThVar start, int k, const ThScan *s)
{
    if (k < 1 || th_tape_cols(t, b) % k != 0)
        th_tape_fail(t, TH_EVALUE, "scan: %d columns cannot be cut into blocks of %d",
                     th_tape_cols(t, b), k);
    return scan_of(t, (ThVar[]){a, b, start}, &(Scan){.s = *s, .form = TH_SCAN_BLOCKS, .k = k},
                   th_tape_cols(t, b) * k);
}
