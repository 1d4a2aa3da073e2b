/* transitions.h - how the layers of linear recurrences move their states, in double precision.
 *
 * While a model reads a string, a layer's state moves by x_i = A_i x_{i-1} + v_i; A_i and v_i
 * depend on the symbols up to i, in the first layer of most on symbol i alone.  A_i has blocks
 * along its diagonal, and each block moves its part of the state by itself.  Complex numbers count
 * as pairs of real ones: of a block first all real parts, then all imaginary ones.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

struct ThModelTransitions {
    int length, blocks, size; /* symbols; blocks, and the real numbers in each */
    double *a;                /* (length, blocks, size, size): the blocks of A_i, row by row */
    double *v;                /* (length, blocks, size) */
    double *start;            /* (blocks, size): the state before the first symbol */
    double *state;            /* (length, blocks, size): after each symbol, as the model has it */
};

/* Returns new: how a layer moves while a bound model reads a string of length ≥ 1.  TH_EVALUE for a
 * model that is not bound or no linear recurrence, a layer or a symbol that it does not have;
 * TH_ENOMEM, the model's bounds. */
ThModelTransitions *th_model_transitions(const ThModel *m, int layer, const int *token, int length,
                                         ThError *err);
void th_model_transitions_free(ThModelTransitions *t); /* NULL is fine */
TH_RELEASES(th_model_transitions_free, ThModelTransitions)

/* For architectures: returns new, with arrays of zeros for these sizes. */
ThModelTransitions *th_model_transitions_new(int length, int blocks, int size, ThError *err);
