/* The gated recurrent unit (Cho et al. 2014), in the form that resets after the product, so that
 * all gates come from one: z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)),
 * h' = (1-z) h + z n. */
#include "models/recurrent/recurrent.h"

static ThVar layer(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                   double forget TH_UNUSED)
{
    return th_op_gru(t, x, th_param(t, l->recurrent), th_param(t, l->bias[1]), s);
}

static ThVar step(const ThModelRecurrent *r, ThTape *t, const ThModelRecurrentLayer *l, ThVar x,
                  ThVar h)
{
    int H = r->dim;
    ThVar part[3], p = th_op_linear(t, h, th_param(t, l->recurrent), -1);
    for (int i = 0; i < 2; i++)
        part[i] =
            th_op_map(t, th_op_add(t, th_op_columns(t, x, i * H, H), th_op_columns(t, p, i * H, H)),
                      TH_MAP_SIGMOID);
    part[2] = th_op_add_row(t, th_op_columns(t, p, 2 * H, H), th_param(t, l->bias[1]));
    ThVar new = th_op_add(t, th_op_columns(t, x, 2 * H, H), th_op_multiply(t, part[1], part[2]));
    ThVar change = th_op_subtract(t, th_op_map(t, new, TH_MAP_TANH), h);
    return th_op_add(t, h, th_op_multiply(t, part[0], change));
}

static const ThModelRecurrentCell cell = {.gates = 3,
                                          .cell = &th_kernel_gru,
                                          .layer = layer,
                                          .step = step,
                                          .bias = {"input_bias", "candidate_bias"},
                                          .candidate = true};

const ThModelKind th_model_gru = {
    .name = "gru",
    .summary = "gated recurrent unit",
    .source = "Cho et al. 2014, section 2.3, resetting after the product",
    .detail = "z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)), h' = (1-z) h + z n, "
              "zeros at the start; the answer is a linear map of ReLU(h), or what head= says.",
    .options = th_model_recurrent_options,
    .part = &cell,
    .recipe = "lr=5e-3",
    TH_MODEL_RECURRENT_KIND,
};
