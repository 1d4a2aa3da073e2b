/* The simple recurrent network (Elman 1990), with rectified units the RNN baseline of Chi et al.
 * 2023: h_t = f(x_t W_x + b_x + h_{t-1} W_h + b_h), from h_0 = 0, where f is max(0, ·) or tanh.
 * x_t is one-hot, so x_t W_x is a row of W_x. */
#include "models/recurrent/recurrent.h"

static const ThOptionSpec options[] = {
    TH_MODEL_RECURRENT_OPTIONS,
    {"activation", TH_CHOICE, "relu", 0, 0, "relu|tanh", "what a unit does with its sum"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static ThVar rectified(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                       double forget TH_UNUSED)
{
    return th_op_rnn(t, x, th_param(t, l->recurrent), s);
}

static ThVar hyperbolic(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                        double forget TH_UNUSED)
{
    return th_op_rnn_tanh(t, x, th_param(t, l->recurrent), s);
}

static ThVar step(const ThModelRecurrent *r, ThTape *t, const ThModelRecurrentLayer *l, ThVar x,
                  ThVar h)
{
    ThVar p = th_op_add(t, x, th_op_linear(t, h, th_param(t, l->recurrent), -1));
    return r->cell->tanh ? th_op_relu(t, p) : th_op_map(t, p, TH_MAP_TANH);
}

static const ThModelRecurrentCell tanh_cell = {.gates = 1,
                                               .cell = &th_kernel_rnn_tanh,
                                               .layer = hyperbolic,
                                               .step = step,
                                               .bias = {"input_bias", "recurrent_bias"}};
static const ThModelRecurrentCell cell = {.gates = 1,
                                          .cell = &th_kernel_rnn,
                                          .layer = rectified,
                                          .step = step,
                                          .bias = {"input_bias", "recurrent_bias"},
                                          .tanh = &tanh_cell};

const ThModelKind th_model_rnn = {
    .name = "rnn",
    .summary = "simple recurrent network with rectified units",
    .source = "Elman 1990; with ReLU the RNN baseline of Chi et al. 2023, section 5",
    .detail = "h' = f(x W_x + b_x + h W_h + b_h) from h = 0, where f is ReLU, or tanh with "
              "activation=tanh; the answer is a linear map of ReLU(h), or what head= says. The "
              "papers use dim=256.",
    .options = options,
    .part = &cell,
    .recipe = "lr=3e-3",
    TH_MODEL_RECURRENT_KIND,
};
