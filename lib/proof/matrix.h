/* matrix.h - the few things that proofs do with matrices of doubles, all row-major.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/memory.h"

/* Of a product of an (m, k) and a (k, n) matrix. */
typedef struct {
    int m, k, n;
} ThProofSizes;

void th_proof_multiply(const double *a, const double *b, double *c, ThProofSizes s); /* c = ab */
void th_proof_multiply_add(const double *a, const double *b, double *c,
                           ThProofSizes s); /* c += ab */

/* The same where a lies transposed, as (k, m), or b does, as (n, k). */
void th_proof_transposed_multiply(const double *a, const double *b, double *c, ThProofSizes s);
void th_proof_multiply_transposed(const double *a, const double *b, double *c, ThProofSizes s);

/* to (cols) = v m; and to (rows) = m v; m is (rows, cols). */
void th_proof_row_times(const double *v, const double *m, double *to, int rows, int cols);
void th_proof_times_column(const double *m, const double *v, double *to, int rows, int cols);

void th_proof_transpose(double *m, int n); /* (n, n), in place */
double th_proof_trace(const double *a, int n);
double th_proof_dot(const double *a, const double *b, int n);
double th_proof_length(const double *a, int n); /* Euclidean */
double th_proof_length_between(const double *a, const double *b, int n);

/* An upper bound of the largest eigenvalue of a symmetric matrix without negative ones: the 16th
 * root of the trace of its 16th power.  scratch has room for two such matrices. */
double th_proof_power_bound(const double *a, int n, double *scratch);

/* The eigenvalues of the symmetric matrix a (n, n), in rising order; and, where vectors is not
 * NULL, its eigenvectors as the columns of vectors (n, n).  a is used up.  TH_ENOMEM, TH_ENUMERIC.
 */
bool th_proof_eigen(double *a, int n, double *value, double *vectors, ThError *err);

/* What the inverse of a symmetric matrix (n, n) is made with: it and its eigenvalues (n), in rising
 * order, and room for two such matrices. */
typedef struct {
    double *inverse, *value, *work, *other;
} ThProofInverse;

/* Fills it for a, by the eigenvalues; TH_ENUMERIC where one is not positive, TH_ENOMEM: false. */
bool th_proof_invert(const double *a, int n, const ThProofInverse *to, ThError *err);

double th_proof_logistic(double x); /* 1 / (1 + e^-x) */
