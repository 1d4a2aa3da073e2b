/* state_space.h - what S4D, S4 and Liquid-S4 share: for every channel complex numbers of its own,
 * which its input drives, GELU, and a gated linear map that mixes the channels (Gu, Goel and Ré
 * 2022, section 3.4).  How a layer's parameters become one step is their own.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/linear/linear.h"

/* Complex numbers, half as many as the option `state` says, for each channel: (dim, n) each part.
 */
typedef struct {
    ThVar real, imaginary;
} ThModelComplex;

ThModelComplex th_model_complex_times(ThTape *t, ThModelComplex a, ThModelComplex b);
ThModelComplex th_model_complex_inverse(ThTape *t, ThModelComplex a);

/* x' = a∘x - w (2 Re v·x) + b u and y = 2 Re output·x'; w.real = -1: without w. */
typedef struct {
    ThModelComplex a, b, w, v;
} ThModelSpaceStep;

/* The parameters that all have, at param[0 …]; others are to follow from TH_MODEL_SPACE_OWN. */
enum {
    TH_MODEL_SPACE_DECAY,     /* the eigenvalues: the logarithm of less their real parts, */
    TH_MODEL_SPACE_FREQUENCY, /* and their imaginary parts */
    TH_MODEL_SPACE_STEP,      /* ln Δ */
    TH_MODEL_SPACE_OUTPUT,    /* real parts, then imaginary parts */
    TH_MODEL_SPACE_SKIP = TH_MODEL_SPACE_OUTPUT + 2,
    TH_MODEL_SPACE_GATE,
    TH_MODEL_SPACE_OWN = TH_MODEL_SPACE_GATE + 2
};

int th_model_space_modes(const ThOptions *o); /* complex numbers of a channel */

/* Adds them; frequencies begin as `frequency` says, where it is not NULL, else as `given`, see
 * th_param_row. */
void th_model_space_add(ThModelBuilder *b, int *param, ThParamDraw *frequency, const double *given);

/* The eigenvalues, (dim, n), and Δ, (dim, 1). */
ThModelComplex th_model_space_eigenvalues(ThTape *t, const int *param);
ThVar th_model_space_step(ThTape *t, const int *param);

/* The layer, given its step.  Without products the output is a convolution with the answer to an
 * impulse, unless the states are wanted; with them (b u)∘x is added to x', symbol after symbol. */
ThModelLinearOutput th_model_space_run(ThTape *t, const int *param, const ThModelLinearInput *in,
                                       const ThModelSpaceStep *step, bool products);

/* For the tables of architectures: the option that all have, its check, and the size of a layer's
 * state. */
#define TH_MODEL_SPACE_STATE(most)                                                                 \
    TH_MODEL_OPTION(                                                                               \
        "state", TH_INT, "64", 2, most, NULL,                                                      \
        "numbers in the state of a channel, counted as real ones: half as many complex")
bool th_model_space_check(const ThOptions *o, ThError *err);
int th_model_space_state(const ThOptions *o);
