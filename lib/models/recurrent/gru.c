/* The gated recurrent unit (Cho et al. 2014), in the form that resets after the product, so that
 * all gates come from one: z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)),
 * h' = (1-z) h + z n. */
#include "models/recurrent/recurrent.h"

static ThVar layer(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                   double forget)
{
    (void)forget;
    return th_op_gru(t, x, th_param(t, l->recurrent), th_param(t, l->bias[1]), s);
}

static const ThModelRecurrentCell cell = {.gates = 3,
                                          .cell = &th_kernel_gru,
                                          .layer = layer,
                                          .bias = {"input_bias", "candidate_bias"},
                                          .candidate = true};

const ThModelKind th_model_gru = {
    .name = "gru",
    .summary = "gated recurrent unit",
    .source = "Cho et al. 2014, section 2.3, resetting after the product",
    .detail =
        "z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)), "
        "h' = (1-z) h + z n, zeros at the start; the answer is a linear map of ReLU(h), or what "
        "head= says.",
    .options = th_model_recurrent_options,
    .part = &cell,
    .recipe = "lr=5e-3",
    TH_MODEL_RECURRENT_KIND,
};
