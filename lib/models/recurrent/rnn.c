/* The simple recurrent network (Elman 1990) with rectified units, the RNN baseline of Chi et al.
 * 2023: h_t = ReLU(x_t W_x + b_x + h_{t-1} W_h + b_h), from h_0 = 0; the answer is
 * ReLU(h_T) W + b.  x_t is one-hot, so x_t W_x is a row of W_x. */
#include "models/recurrent/recurrent.h"

static ThVar layer(ThTape *t, const ThModelRecurrent *r, ThVar x, const ThOpSequence *s)
{
    return th_op_rnn(t, x, th_param(t, r->recurrent), s);
}

static const ThModelRecurrentCell cell = {
    .gates = 1, .cell = th_kernel_rnn, .layer = layer, .bias = {"input_bias", "recurrent_bias"}};

const ThModelKind th_model_rnn = {
    .name = "rnn",
    .summary = "simple recurrent network with rectified units",
    .source = "Elman 1990; with ReLU the RNN baseline of Chi et al. 2023, section 5",
    .detail = "h' = ReLU(x W_x + b_x + h W_h + b_h) from h = 0, one layer; the answer is a linear "
              "map of ReLU(h). The papers use dim=256.",
    .options = th_model_recurrent_options,
    .part = &cell,
    .recipe = "lr=3e-3",
    TH_MODEL_RECURRENT_KIND,
};
