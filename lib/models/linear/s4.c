/* The structured state space model S4 (Gu, Goel and Ré 2022) and its form whose transition depends
 * on the input, Liquid-S4 (Hasani et al. 2023).  Each channel has a matrix A = Λ - P P* of its own,
 * a diagonal and a rank more, which begins as HiPPO-LegS: the state remembers what came as Legendre
 * polynomials. */
#include <gsl/gsl_complex_math.h>
#include <gsl/gsl_eigen.h>
#include <math.h>

#include "models/linear/state_space.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS, TH_MODEL_SPACE_STATE(512), {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { INPUT = TH_MODEL_SPACE_OWN, RANK_ONE = INPUT + 2 };

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    return (ThModelLinearBlocks){
        .blocks = (int)th_option_int(o, "dim"), .size = th_model_space_modes(o), .complex = true};
}

/* ---- HiPPO-LegS ---- */

/* A + P Pᵀ is -1/2 and a skew-symmetric matrix S, so that -i S is Hermitian.  For row i > j of it
 * S_ij = -√(2i+1) √(2j+1) / 2. */
static void set_hermitian(gsl_matrix_complex *m)
{
    for (size_t i = 0; i < m->size1; i++) {
        for (size_t j = 0; j < m->size2; j++) {
            double s = 0.5 * sqrt(2 * (double)i + 1) * sqrt(2 * (double)j + 1);
            gsl_matrix_complex_set(m, i, j, gsl_complex_rect(0, i > j ? s : i < j ? -s : 0));
        }
    }
}

/* |v* B| of an eigenvector v: as v is determined up to its phase, B may be taken to be real. */
static double input_along(const gsl_matrix_complex *vectors, size_t column)
{
    double re = 0, im = 0;
    for (size_t i = 0; i < vectors->size1; i++) {
        gsl_complex v = gsl_matrix_complex_get(vectors, i, column);
        re += sqrt(2 * (double)i + 1) * GSL_REAL(v);
        im += sqrt(2 * (double)i + 1) * GSL_IMAG(v);
    }
    return hypot(re, im);
}

/* Of the N eigenvalues -1/2 + i w those with w < 0, the greatest first, and B there.  The matrices
 * have a row more than is used: OpenBLAS 0.3.21 reads a column of complex numbers one row too far,
 * which may be beyond the heap. */
static bool hippo(int N, double *w, double *input)
{
    size_t n = (size_t)N;
    gsl_matrix_complex *m = gsl_matrix_complex_alloc(n + 1, n),
                       *vectors = gsl_matrix_complex_alloc(n + 1, n);
    gsl_vector *values = gsl_vector_alloc(n);
    gsl_eigen_hermv_workspace *room = gsl_eigen_hermv_alloc(n);
    bool ok = m && vectors && values && room;
    if (ok) {
        m->size1 = vectors->size1 = n;
        set_hermitian(m);
        ok = gsl_eigen_hermv(m, values, vectors, room) == 0 &&
             gsl_eigen_hermv_sort(values, vectors, GSL_EIGEN_SORT_VAL_ASC) == 0;
    }
    for (size_t k = 0; ok && k < n / 2; k++) {
        w[k] = gsl_vector_get(values, n / 2 - 1 - k);
        input[k] = input_along(vectors, n / 2 - 1 - k);
    }
    gsl_eigen_hermv_free(room);
    gsl_vector_free(values);
    gsl_matrix_complex_free(vectors);
    gsl_matrix_complex_free(m);
    return ok;
}

/* P = B/√2. */
static void add_numbers(ThModelBuilder *b, int *param, double *w, double *input, int n)
{
    int d = (int)th_option_int(&b->m->options, "dim");
    th_model_space_add(b, param, NULL, w);
    param[INPUT] = th_model_build_row(b, "input.real", d, n, input);
    param[INPUT + 1] = th_model_build(b, "input.imaginary", d, n, TH_INIT_ZERO, 0);
    for (int k = 0; k < n; k++)
        input[k] /= sqrt(2);
    param[RANK_ONE] = th_model_build_row(b, "rank_one.real", d, n, input);
    param[RANK_ONE + 1] = th_model_build(b, "rank_one.imaginary", d, n, TH_INIT_ZERO, 0);
}

static void add(ThModelBuilder *b, int *param)
{
    int n = th_model_space_modes(&b->m->options);
    double *w TH_OWNED(free) = th_alloc(2 * (size_t)n, sizeof *w, b->err);
    if (w && hippo(2 * n, w, w + n))
        add_numbers(b, param, w, w + n, n);
    else
        b->failed = !th_fail(b->err, TH_ENOMEM, "out of memory");
}

/* ---- one step ---- */

static ThModelComplex times_column(ThTape *t, ThModelComplex a, ThVar column)
{
    return (ThModelComplex){th_op_times_column(t, a.real, column),
                            th_op_times_column(t, a.imaginary, column)};
}

static ThModelComplex conjugate(ThTape *t, ThModelComplex a)
{
    return (ThModelComplex){a.real, th_op_scale(t, a.imaginary, -1)};
}

/* 2 Re Σ of each channel's numbers, (dim, 1). */
static ThVar real_sum(ThTape *t, ThModelComplex a)
{
    return th_op_scale(t, th_op_row_sums(t, a.real), 2);
}

/* The bilinear rule (I - Δ/2 A)⁻¹ ((I + Δ/2 A) x + Δ B u) for A = Λ - P P*, by Woodbury's identity:
 * with g = 2/Δ, D = 1/(g - Λ), s = 2 Re Σ P̄ D P and q = 2 Re Σ P̄ D B
 *     x' = D(g+Λ) x - D P (2 Re Σ v x) + 2 (D B - D P q/(1+s)) u,  v = 2 g P̄ D/(1+s). */
static ThModelSpaceStep bilinear(ThTape *t, const int *param)
{
    ThModelComplex lambda = th_model_space_eigenvalues(t, param);
    ThModelComplex b = {th_param(t, param[INPUT]), th_param(t, param[INPUT + 1])};
    ThModelComplex p = {th_param(t, param[RANK_ONE]), th_param(t, param[RANK_ONE + 1])};
    ThVar half = th_op_scale(t, th_model_space_step(t, param), 0.5);
    /* g D = 1/(1 - Δ/2 Λ) is the inverse, and D (g+Λ) = (1 + Δ/2 Λ) times it. */
    ThModelComplex part = times_column(t, lambda, half);
    ThModelComplex inverse = th_model_complex_inverse(
        t, (ThModelComplex){th_op_affine(t, part.real, -1, 1), th_op_scale(t, part.imaginary, -1)});
    ThModelComplex d = times_column(t, inverse, half);
    ThModelComplex w = th_model_complex_times(t, d, p);
    ThModelComplex db = th_model_complex_times(t, d, b), pd = conjugate(t, p);
    ThVar s = real_sum(t, th_model_complex_times(t, pd, w));
    ThVar share = th_op_map(t, th_op_affine(t, s, 1, 1), TH_MAP_RECIPROCAL);
    ThVar q = th_op_multiply(t, real_sum(t, th_model_complex_times(t, pd, db)), share);
    ThModelComplex back = times_column(t, w, q);
    return (ThModelSpaceStep){
        .a = th_model_complex_times(
            t, (ThModelComplex){th_op_affine(t, part.real, 1, 1), part.imaginary}, inverse),
        .b = {th_op_scale(t, th_op_subtract(t, db.real, back.real), 2),
              th_op_scale(t, th_op_subtract(t, db.imaginary, back.imaginary), 2)},
        .w = w,
        .v = times_column(t, th_model_complex_times(t, pd, inverse), th_op_scale(t, share, 2))};
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o TH_UNUSED, const int *param,
                               const ThModelLinearInput *in)
{
    ThModelSpaceStep step = bilinear(t, param);
    return th_model_space_run(t, param, in, &step, false);
}

static ThModelLinearOutput run_liquid(ThTape *t, const ThOptions *o TH_UNUSED, const int *param,
                                      const ThModelLinearInput *in)
{
    ThModelSpaceStep step = bilinear(t, param);
    return th_model_space_run(t, param, in, &step, true);
}

static const ThModelLinearLayer
    layer = {.state = th_model_space_state, .blocks = blocks, .add = add, .run = run},
    liquid = {.state = th_model_space_state, .blocks = blocks, .add = add, .run = run_liquid};

const ThModelKind th_model_s4 = {
    .name = "s4",
    .summary = "structured state space model: for each channel a diagonal and a rank more",
    .source = "Gu, Goel and Ré 2022 (Efficiently Modeling Long Sequences with Structured State "
              "Spaces), in the form diagonalised in complex numbers",
    .detail = "Each channel moves by x' = A x + B u, A = Λ - P P* beginning as HiPPO-LegS, made "
              "discrete by the bilinear rule with a step that is learned, and is read as "
              "2 Re(C x) + D u; GELU and a gated linear map mix the channels.  The transition does "
              "not depend on the input, so that training computes the same by a convolution.",
    .options = options,
    .check = th_model_space_check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};

const ThModelKind th_model_liquid_s4 = {
    .name = "liquid_s4",
    .summary = "S4 whose transition depends on the input",
    .source = "Hasani et al. 2023 (Liquid Structural State-Space Models), section 3: the "
              "recurrence, not the kernels of the released code, which look ahead",
    .detail = "x_k = (A + diag(B u_k)) x_{k-1} + B u_k with the A and B of s4, after these were "
              "made discrete, in the complex basis where A is diagonal and a rank more.  Read as "
              "s4; symbol after symbol.",
    .options = options,
    .check = th_model_space_check,
    .part = &liquid,
    TH_MODEL_LINEAR_KIND,
};
