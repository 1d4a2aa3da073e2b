/* tape.h - reverse-mode differentiation.
 *
 * A model is a function that calls operations on a tape.  Each computes its result at once and,
 * while gradients are wanted, is remembered; th_tape_backward walks the record in reverse.  All
 * values are matrices (rows, cols), row-major.  A tape's memory is an arena that is sized in the
 * first step and reused.
 *
 *     ThTape *t = th_tape_new(TH_TAPE_FLOAT, params, &err);
 *     th_tape_begin(t, TH_TAPE_GRADIENT);
 *     ThVar x = th_op_rows(t, th_param(t, m->embedding), token, n, 1);
 *     ThVar y = th_op_linear(t, x, th_param(t, m->w), th_param(t, m->b));
 *     ThVar loss = th_op_cross_entropy(t, y, target, n, 1.0 / n);
 *     if (!th_tape_backward(t, loss, NULL, &err))
 *         …
 *     float *g = th_tape_gradient(t);                      // (params->total), view
 *
 * TH_TAPE_FLOAT uses the fast kernels (OpenBLAS, vector loops), TH_TAPE_DOUBLE the plain reference
 * versions: two independent implementations of every operation, of which the second is checked
 * against finite differences and the first against the second.
 *
 * Failure is sticky: an operation on a failed tape returns -1 and does nothing, so models check
 * once, at the end, through th_tape_backward or th_tape_ok.  Index arrays passed to operations are
 * borrowed until th_tape_begin is called again.  A tape belongs to one thread; tapes may share
 * params, which they only read.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "tensor/kernels/elementwise.h"
#include "tensor/tape/params.h"

typedef struct ThTape ThTape;
typedef int ThVar; /* a value on the tape; -1: none (an absent bias, or a failed tape) */

typedef enum { TH_TAPE_FLOAT, TH_TAPE_DOUBLE } ThTapePrecision;

/* What work on a tape minds. */
typedef struct {
    ThStop *stop;  /* once it is not zero, operations fail with TH_EINTERRUPTED; may be NULL */
    size_t memory; /* bytes that values and gradients of a step may take; 0: no limit */
    ThTapePrecision runs; /* the arithmetic in which models answer; they train in TH_TAPE_FLOAT */
} ThTapeBounds;

typedef enum { TH_TAPE_NO_GRADIENT, TH_TAPE_GRADIENT } ThTapeMode;

/* Returns new.  params is borrowed for the life of the tape and must be allocated. */
ThTape *th_tape_new(ThTapePrecision precision, const ThParams *params, ThError *err);
void th_tape_free(ThTape *t); /* NULL is fine */
TH_RELEASES(th_tape_free, ThTape)

/* From now on the tape, one of `tapes` that share the memory, fails where these bounds are met, in
 * long operations too: TH_EINTERRUPTED, TH_ELIMIT.  NULL: there are none. */
void th_tape_bound(ThTape *t, const ThTapeBounds *bounds, int tapes);

/* Forgets all values (and the gradient, where mode asks for one) and starts again. */
void th_tape_begin(ThTape *t, ThTapeMode mode);

/* Fails if an operation failed since th_tape_begin. */
bool th_tape_ok(const ThTape *t, ThError *err);

/* Fails the tape, unless it has: what operations call on misfitting shapes, models on inputs out of
 * range.  Returns -1. */
ThVar th_tape_fail(ThTape *t, ThErrc code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Arena memory that lives until the next begin, for index arrays that a model builds; NULL fails
 * the tape. */
void *th_tape_take(ThTape *t, size_t n, size_t size);
ThArena *th_tape_arena(ThTape *t); /* the same memory, a view */

int th_tape_rows(const ThTape *t, ThVar v);
int th_tape_cols(const ThTape *t, ThVar v);

/* Copies a value, or its gradient after backward, as doubles.  Gradients are kept of parameters,
 * constants and tagged values; others, and those that none arrived at, read as zeros. */
void th_tape_read(const ThTape *t, ThVar v, double *to);
void th_tape_read_gradient(const ThTape *t, ThVar v, double *to);
const float *th_tape_floats(const ThTape *t, ThVar v);

/* Number i of a value, in row order; of tapes in either precision. */
double th_tape_at(const ThTape *t, ThVar v, size_t i); /* view of a value; TH_TAPE_FLOAT only */

/* Remembers a value under a name, so that inspections find it.  With the same name twice the index
 * tells them apart; it is -1 where there is only one.  Names must be string constants.  Returns the
 * value, or what is watching puts in its place.  th_tape_note does the same, but only while names
 * are kept or watched: for values that nothing but an inspection asks for. */
ThVar th_tape_tag(ThTape *t, ThVar v, const char *name, int index);
ThVar th_tape_note(ThTape *t, ThVar v, const char *name, int index);
ThVar th_tape_find(const ThTape *t, const char *name, int index); /* -1: none */

typedef struct {
    const char *name;
    int index;
    ThVar var;
} ThTapeTag;
const ThTapeTag *th_tape_tags(const ThTape *t, size_t *n); /* a view, in the order of computation */

/* Sees every value as it gets its name, and returns it, or another of its shape to go on with. */
typedef struct {
    ThVar (*see)(void *context, ThTape *t, ThVar v, const char *name, int index);
    void *context;
} ThTapeWatch;

/* From now on *w watches, which is borrowed; NULL: nobody does.  Returns who did before. */
const ThTapeWatch *th_tape_watch(ThTape *t, const ThTapeWatch *w);

/* From now on attention weights are kept, under the tag "attention", and what is noted.  Off at
 * first; outlives begin. */
void th_tape_keep_named(ThTape *t, bool keep);
bool th_tape_keeps_named(const ThTape *t);

/* Runs the record backwards from a value of shape (1,1), or from `seed` (shape of v, row-major)
 * where seed is not NULL; once after each begin.  TH_EVALUE if v is none or gradients were not
 * wanted, else fails as th_tape_ok does. */
bool th_tape_backward(ThTape *t, ThVar v, const double *seed, ThError *err);

/* View of the parameters' gradient as floats (TH_TAPE_FLOAT) or doubles (TH_TAPE_DOUBLE),
 * params->total long, laid out as params->value.  Valid until the next begin. */
float *th_tape_gradient(ThTape *t);
double *th_tape_gradient_double(ThTape *t);

/* From now on gradients of matrices that few rows were multiplied with remain products of these
 * rows, which th_tape_sum_gradients multiplies out; before that th_tape_gradient lacks them.  Off
 * at first; outlives begin; TH_TAPE_FLOAT only. */
void th_tape_keep_products(ThTape *t, bool keep);

/* Adds the gradients of n tapes, in their order, into the first one's: one of several parts of
 * them, which different threads may add.  Returns the sum of the part's squares. */
double th_tape_sum_gradients(ThTape *const *tape, int n, int part, int parts);

/* In TH_TAPE_DOUBLE the parameters are read from this copy (params->total doubles), which finite
 * differences disturb.  th_tape_new fills it from params. */
double *th_tape_params_double(ThTape *t);

size_t th_tape_bytes(const ThTape *t); /* memory held */

/* ---- operations ----------------------------------------------------------------------------- */

/* A parameter as a value. */
ThVar th_param(ThTape *t, int index);

/* A constant (rows, cols) copied from floats; its gradient is kept, for inspections. */
ThVar th_tape_constant(ThTape *t, int rows, int cols, const float *from);

/* The same without a copy, for values that outlive the tape's step, as those that generation keeps:
 * TH_TAPE_FLOAT only, and `from` is borrowed. */
ThVar th_tape_view(ThTape *t, int rows, int cols, const float *from);

/* Rows of x by index: y[i] = x[index[i]], scaled.  Index -1 gives a row of zeros.  Gradients of
 * rows taken more than once add up.  x may be a parameter (an embedding table). */
ThVar th_op_rows(ThTape *t, ThVar x, const int *index, int n, double scale);

/* What is backward to th_op_rows: row i of x is added to row index[i] of a result of n rows, which
 * starts at zero; -1 drops it. */
ThVar th_op_scatter(ThTape *t, ThVar x, const int *index, int n);

/* The rows of a above those of b; the same columns. */
ThVar th_op_stack(ThTape *t, ThVar a, ThVar b);

/* The columns of 1 to 8 values beside each other; the same rows. */
ThVar th_op_beside(ThTape *t, const ThVar *in, int n);

/* a itself, to which no gradient goes back. */
ThVar th_op_detach(ThTape *t, ThVar a);

/* The same numbers, row by row, as (rows, cols). */
ThVar th_op_reshape(ThTape *t, ThVar a, int rows, int cols);

ThVar th_op_linear(ThTape *t, ThVar x, ThVar w, ThVar b);       /* x w + b; b (1,cols) or -1 */
ThVar th_op_linear_relu(ThTape *t, ThVar x, ThVar w, ThVar b);  /* max(0, x w + b) */
ThVar th_op_linear_gelu(ThTape *t, ThVar x, ThVar w, ThVar b);  /* gelu(x w + b), exact erf form */
ThVar th_op_linear_transposed(ThTape *t, ThVar x, ThVar w);     /* x wᵀ: tied output heads */
ThVar th_op_add_row(ThTape *t, ThVar a, ThVar row);             /* row (1,cols) to every row */
ThVar th_op_scale(ThTape *t, ThVar a, double by);               /* by a */
ThVar th_op_affine(ThTape *t, ThVar a, double by, double plus); /* by a + plus */

/* A function from the tables of elementwise.h: of each element, or of those of a and b, which have
 * the same shape. */
ThVar th_op_map(ThTape *t, ThVar a, ThOpMap f);
ThVar th_op_zip(ThTape *t, ThVar a, ThVar b, ThOpZip f);
ThVar th_op_relu(ThTape *t, ThVar a);
ThVar th_op_add(ThTape *t, ThVar a, ThVar b);
ThVar th_op_subtract(ThTape *t, ThVar a, ThVar b);
ThVar th_op_multiply(ThTape *t, ThVar a, ThVar b);
ThVar th_op_divide(ThTape *t, ThVar a, ThVar b);

/* sigmoid(z) open + (1 - sigmoid(z)) shut: three values of one shape. */
ThVar th_op_gate(ThTape *t, ThVar z, ThVar open, ThVar shut);

/* Masses of states (adaptive computation time, Graves 2016).  A row of an account (rows, d+2) holds
 * a sum of states by the masses they got, the mass that is left, and what was paid.  Giving: row i
 * gives p[of[i]] of the mass that is left to its state (rows, d), and pays as much as was left;
 * where of[i] is -1 it stays as it is, and p may be -1: it only pays.  Settling: the sum (rows, d)
 * when the mass that is left goes to the states. */
ThVar th_op_give(ThTape *t, ThVar account, ThVar p, const int *of, ThVar state);
ThVar th_op_settle(ThTape *t, ThVar account, ThVar state);

/* The first half of the columns, times the sigmoid of the second (Dauphin et al. 2017). */
ThVar th_op_gated_half(ThTape *t, ThVar x);

ThVar th_op_times_row(ThTape *t, ThVar a, ThVar row); /* every row of a, times row (1,cols) */
ThVar th_op_times_column(ThTape *t, ThVar a,
                         ThVar column); /* row i of a, times column[i] (rows,1) */

ThVar th_op_softmax(ThTape *t, ThVar a);     /* of each row */
ThVar th_op_row_sums(ThTape *t, ThVar a);    /* (rows,1): the sum of each row */
ThVar th_op_column_sums(ThTape *t, ThVar a); /* (1,cols): the sum of each column */
ThVar th_op_sum(ThTape *t, ThVar a);         /* (1,1) */
ThVar th_op_mean(ThTape *t, ThVar a);        /* (1,1): the mean of all elements */

/* Layer normalisation (Ba, Kiros and Hinton 2016) over columns, biased variance, eps 1e-5, gain and
 * offset (1,cols); of the sum a + b where b is not -1 (the residual connection). */
ThVar th_op_layer_norm(ThTape *t, ThVar a, ThVar b, ThVar gain, ThVar offset);

/* Adds Gaussian noise of the given standard deviation, drawn from *r now. */
ThVar th_op_noise(ThTape *t, ThVar a, double deviation, ThRng *r);

/* Dropout (Srivastava et al. 2014): each element is 0 with probability `rate`, drawn from *r now,
 * else divided by 1 - rate.  a itself where rate is 0 or r is NULL. */
ThVar th_op_dropout(ThTape *t, ThVar a, double rate, ThRng *r);

/* Attention over a few listed keys (RegularGPT, Chi et al. 2023, Eq. 1): node i has the query row
 * q[query[i]] and C keys and values, rows key[i*C + k] of kv, whose columns 0…d-1 are the key and
 * d…2d-1 the value; key -1 is masked, but never all of a node's.  Logits are
 * q·k/√(d/heads) + bias[head, k], bias being (heads, C); softmax over k.  Result (n, d).
 * While th_tape_keep_named is on, the weights (n*heads, C) are tagged "attention" with index
 * `tag`. */
typedef struct {
    const int *query; /* (n) */
    const int *key;   /* (n, C) */
    int n, C, heads, tag;
} ThOpWindowShape;
ThVar th_op_window_attention(ThTape *t, ThVar q, ThVar kv, ThVar bias,
                             const ThOpWindowShape *shape);

/* Attention within each of B strings of T positions: products, a softmax, and what modifies them.
 * kv is (B*T, 2d): key, then value; heads divide d.  q is (B*n, d) with 1 ≤ n ≤ T: where n = T a
 * row for every position, else for the last n positions of every string; the result has its shape.
 * With `room` a string has so many rows of kv, of which the first T count.
 * With `by_heads`, which is for values in TH_TAPE_FLOAT without gradient, kv is
 * (B*heads*room, 2 d/heads): what belongs to one head stands together.
 * With `across` queries are no positions of the strings: q has any number of rows for each, which
 * see all of its keys; nothing that counts distances goes with it.
 * Logits are q·k/√(d/heads), or, with xl ≥ 0, those of Transformer-XL (Dai et al. 2019):
 * ((q+u)·k + (q+v)·r(i-j))/√(d/heads), u and v being (1,d), and row m-1+j-i of xl (2m-1, d), m ≥ T,
 * holding r(i-j).
 *
 * Which keys j a query i sees: those of its own string; with `length` no others than the first
 * length[b], a query past them seeing none, its result being 0; with `segment` only those of the
 * same run of equal numbers; with `causal` none after i; with `window` none as far as window[head]
 * or farther, where that is not 0 (so 1: itself alone; Hard-ALiBi, Jelassi et al. 2024).  A window
 * costs its own width, not T, where that is much smaller and xl is -1.
 *
 * What is added to a logit: nothing; or by distance, column m-1+j-i of row `head` of the bias
 * (heads, c), where c = m ≥ T with `causal`, else c = 2m-1; or a number of its own, row head*m + i,
 * column j of a bias (heads*m, m), or row (b*heads + head)*m + i of one for every string.  The bias
 * is learned unless it is a constant, which then gets no gradient.
 *
 * With `rng` weights are dropped as by th_op_dropout, before they are used.
 *
 * The weights are kept under the tag "attention", index `tag`, as (B*heads*n, T), while
 * th_tape_keep_named is on.  Memory: none of order T² remains without gradient.  The arrays are
 * borrowed, as those of all operations.
 *
 * With `hard` there is no softmax, and nothing but lengths and `causal` may be asked for besides:
 * the latest key with the greatest logit has weight 1, of keys before the query alone with `causal`
 * (but that of position 0 sees itself); or all with the greatest logit share the weight.  Queries
 * and keys get no gradient then.  (Hahn 2020; Merrill et al. 2022; Yang, Chiang and Angluin 2024.)
 */
typedef enum { TH_TAPE_SOFT, TH_TAPE_RIGHTMOST, TH_TAPE_AVERAGE } ThTapeHard;
typedef enum { TH_TAPE_BIAS_NONE, TH_TAPE_BIAS_DISTANCE, TH_TAPE_BIAS_FULL } ThTapeBias;
typedef struct {
    int B, T, heads;
    int room; /* ≥ T; 0: T */
    bool by_heads, across, causal;
    ThTapeHard hard;
    ThVar u, v, xl; /* -1: no relative positions */
    int tag;
    const int *length;  /* (B); NULL: all T */
    const int *segment; /* (B, T); NULL: a string is one segment */
    const int *window;  /* (heads); NULL: none */
    ThTapeBias biased;  /* what `bias` is; with TH_TAPE_BIAS_NONE it is not looked at */
    ThVar bias;
    double dropout; /* the share of weights that is dropped */
    ThRng *rng;     /* NULL: none is */
} ThOpAttention;
ThVar th_op_attention(ThTape *t, ThVar q, ThVar kv, const ThOpAttention *how);

/* Attention within each of B strings of T positions that goes outward from the query and stops at
 * the first key that matches: key j is taken with probability σ(l_ij), times that of not having
 * stopped at a nearer one, or, of two that are as near, at the one ahead (Csordás et al. 2022,
 * section 3.2).  A position does not see itself; the weights of a query have a sum of at most 1.
 * With `causal` only keys behind it are seen (stick-breaking attention, Tan et al. 2024).  No
 * positions enter, and another string of the same keys nearby has the same weights.
 * q and the result are (B*T, d), kv (B*T, 2d): key, then value; heads divide d.  l_ij = q_i·k_j,
 * not divided by anything, plus, with side ≥ 0, column h of row i of side (B*T, 2 heads) for keys
 * behind the query, column heads + h for those ahead.
 * With `length` a string has that many positions, and rows behind them are 0.  While
 * th_tape_keep_named is on the weights (B*heads*T, T) are kept under the tag "attention", index
 * `tag`.  Time in T², of which memory holds that of one head. */
typedef struct {
    int B, T, heads;
    bool causal;
    const int *length; /* (B); NULL: all T */
    int tag;
} ThOpGeometric;
ThVar th_op_geometric_attention(ThTape *t, ThVar q, ThVar kv, ThVar side, const ThOpGeometric *how);

/* Turns pairs of columns by angles that grow with the position: the rotary positions of Su et al.
 * 2021, and with decay those of Sun et al. 2022 (xPos).  The first `columns` columns of x are
 * `heads` blocks; of each block the first `turned` columns (an even number) turn: pair t, columns
 * 2t and 2t+1 if `neighbours`, else t and t + turned/2, by position·base^(-2t/turned).  With decay
 * it is also multiplied by ((2t/turned + 0.4)/1.4)^(decay·position): 1/512 for queries and -1/512
 * for keys in the paper.  All other columns stay. */
typedef struct {
    int columns, heads, turned;
    bool neighbours;
    double base, decay;
    const int *position; /* (rows of x), ≥ 0; NULL: row i stands at position first + i modulo T */
    int T, first;
} ThOpRotation;
ThVar th_op_rotate(ThTape *t, ThVar x, const ThOpRotation *how);

/* A recurrent layer over B strings of T positions, one operation: the gradient of its weights is
 * one product.  The state starts at zero.  x holds what the inputs add to the gates, biases
 * included: position i of string b reads row index[b*T + i], or row b*T + i where index is NULL.
 * Result: the hidden states, (B, H) after the last position, or (B*T, H) where `every` is set.
 * String b stops after length[b] positions: nothing is computed behind them, where the result is
 * zero. */
typedef struct {
    int B, T;
    const int *index; /* (B,T): rows of x; NULL: x is (B*T, …) */
    bool every;
    const int *length; /* (B), each in 1 … T; NULL: all T */
} ThOpSequence;

/* h' = max(0, x + h wh), and h' = tanh(x + h wh); wh (H,H). */
ThVar th_op_rnn(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s);
ThVar th_op_rnn_tanh(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s);

/* Gates i, g, f, o as the columns of x + h wh; wh (H,4H).  c' = σ(f + forget) c + σ(i) tanh(g),
 * h' = σ(o) tanh(c'). */
ThVar th_op_lstm(ThTape *t, ThVar x, ThVar wh, const ThOpSequence *s, double forget);

/* Gates z, r and the candidate n as columns; wh (H,3H), bh (1,H).  h' = (1-σ(z)) h + σ(z) tanh(n_x
 * + σ(r) (n_h + bh)), where n_x comes from x and n_h from h wh. */
ThVar th_op_gru(ThTape *t, ThVar x, ThVar wh, ThVar bh, const ThOpSequence *s);

/* Linear recurrences h_i = A_i h_{i-1} + b_i over B strings of T positions.  Result (B*T, d): the
 * states, row b*T + i after position i of string b.  a holds the A_i and b, of d columns, the b_i:
 * position i of string s reads row a_row[s*T + i] of a and row b_row[s*T + i] of b.  NULL there
 * means row s*T + i, or row 0 of an a or b that has one row only.  Past the length of a string the
 * state stays as it is, so that the last position holds the final state; those positions read
 * nothing and give their a and b no gradient.  start is the state before the first position,
 * (B,d), or (1,d) for all strings; -1: zero. */
typedef struct {
    int B, T;
    const int *length;        /* (B), each 0 … T; NULL: all T */
    const int *a_row, *b_row; /* (B,T), or NULL */
} ThScan;

/* A_i diagonal: a (…, d). */
ThVar th_op_scan(ThTape *t, ThVar a, ThVar b, ThVar start, const ThScan *s);

/* The same in complex numbers: of d columns in a, b, start and result the first d/2 are the real
 * parts, the others the imaginary parts. */
ThVar th_op_scan_complex(ThTape *t, ThVar a, ThVar b, ThVar start, const ThScan *s);

/* A_i of d/k blocks of k rows and columns along the diagonal: a (…, d*k), block after block, each
 * row by row. */
ThVar th_op_scan_blocks(ThTape *t, ThVar a, ThVar b, ThVar start, int k, const ThScan *s);

/* For such A: every row of a holds blocks of k rows and columns, and these are made small by the
 * p-norms (p >= 1) of their columns.  Columns of a norm above 1 are divided by it; or, centred, all
 * columns lose their mean, and the block is divided by the greatest of their norms. */
ThVar th_op_bound_blocks(ThTape *t, ThVar a, int k, double p, bool centred);

/* State space models: every column of u (B*T, d) drives n complex numbers of its own, which are
 * zero before the string, or begin as `start`, (B, 2dn) or (1, 2dn).  x' = A x + b u and y = 2 Re
 * c·x', where A x = a∘x, less w (2 Re v·x) if modes has w and v, and, if `products`, more (b u)∘x.
 * modes (1, 6dn) holds a, b and c, (1, 10dn) also w and v: of each d rows of n real parts, then the
 * imaginary parts, as in start.  Result (B*T, d): the y, which are zero past the length of a
 * string.  If `states`, 2dn columns more: x', whose gradient is not looked at. */
typedef struct {
    int B, T, n;
    const int *length; /* (B), each 0 … T; NULL: all T */
    bool products, states;
} ThOpStateSpace;
ThVar th_op_state_space(ThTape *t, ThVar u, ThVar modes, ThVar start, const ThOpStateSpace *s);

/* Of B strings of T rows of u (B*T, d), each by itself: y_i = Σ_l kernel_l ∘ u_{i-l}, over the rows
 * l of kernel (L, d) that do not reach beyond the beginning. */
ThVar th_op_convolve(ThTape *t, ThVar u, ThVar kernel, int B, int T);

/* Fast weights: a matrix S (rows, cols) for each head, which is zero before a string, or begins as
 * `start`, that every position writes to and reads from.  First S becomes keep S, or each S_ij
 * exp(time_j decay_ij) S_ij, or, if `negative`, (2 exp(…) - 1) S_ij; then `steps` times
 * S + k (v - kᵀS)ᵀ rate, or S + k vᵀ where there is no rate; the result is qᵀS.
 * q (B*T, heads*rows), k (B*T, steps*heads*rows), v (B*T, steps*heads*cols), rate (B*T,
 * steps*heads), keep (B*T, heads), time (B*T, heads*cols), decay (rows, heads*cols), start (B or 1,
 * heads*cols*rows), transposed; all from rate on may be -1.  Result (B*T, heads*cols), zero past
 * the length of a string.  If `states`, heads*cols*rows columns more: S, transposed, whose gradient
 * is not looked at. */
typedef struct {
    int B, T, heads, rows, cols, steps;
    const int *length; /* (B), each 0 … T; NULL: all T */
    bool negative, states;
    ThVar q, k, v, rate, keep, time, decay, start;
} ThOpFastWeights;
ThVar th_op_fast_weights(ThTape *t, const ThOpFastWeights *w);

/* Complex states moved by matrices of zeros and ones and a diagonal: x' = d∘(P x) + b.  M is the
 * sum of the matrices (K, n*n), each row by row, weighed by a row of choice (…, K); P has a one at
 * the greatest number of every column of M, or else of every row, and its gradient is that of the
 * softmax of M there, straight through, which is no slope.  d and b are `diagonal` and `added`,
 * (…, 2n), n real parts, then the imaginary ones, as in start (B or 1, 2n), which may be -1: zero.
 * Result (B*T, 2n): the states, zero past the length of a string. */
typedef struct {
    int B, T;
    const int *length; /* (B), each 0 … T; NULL: all T */
    const int *row;    /* (B,T): rows of choice, d and b; NULL: row b*T + i */
    bool by_columns;
    ThVar choice, matrices, diagonal, added, start;
} ThOpOneHot;
ThVar th_op_scan_one_hot(ThTape *t, const ThOpOneHot *s);

/* A layer of hidden units that read a few coordinates of x each, and write one: unit h is down[h]
 * times the activation of Σ up[h][f] x[from[h][f]] + bias[h], added to coordinate to[h] of a result
 * like x, which begins with zeros.  up and from are (units, fan), the others (1, units); from and
 * to are whole numbers, which have no gradient, taken to the nearest coordinate that there is. */
typedef struct {
    ThVar x, up, from, bias, down, to;
    bool gelu; /* else relu */
} ThOpWired;
ThVar th_op_wired(ThTape *t, const ThOpWired *w);
int th_op_wired_coordinate(double at, int n); /* of n, that a number of from or to says */

/* Columns from … from+n-1. */
ThVar th_op_columns(ThTape *t, ThVar a, int from, int n);

/* scale * Σ over rows of -log softmax(z)[target]; target -1 is skipped.  Result (1,1). */
ThVar th_op_cross_entropy(ThTape *t, ThVar z, const int *target, int n, double scale);

/* scale * Σ of the binary cross-entropies of sigmoid(z) against targets 0 and 1; target is (n,
 * cols), and where it is -1 it is skipped.  Result (1,1). */
ThVar th_op_binary_cross_entropy(ThTape *t, ThVar z, const int *target, int n, double scale);
