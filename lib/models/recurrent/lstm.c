/* Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
 * 2000), the LSTM baseline of Chi et al. 2023: [i, g, f, o] = [x_t, h_{t-1}] W + b,
 * c_t = σ(f + 1) c_{t-1} + σ(i) tanh(g), h_t = σ(o) tanh(c_t). */
#include "models/recurrent/recurrent.h"

static const ThOptionSpec options[] = {
    TH_MODEL_RECURRENT_OPTIONS,
    {"forget", TH_REAL, "1", -100, 100, NULL, "constant added to the forget gate"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static ThVar layer(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                   double forget)
{
    return th_op_lstm(t, x, th_param(t, l->recurrent), s, forget);
}

static const ThModelRecurrentCell cell = {
    .gates = 4, .cell = &th_kernel_lstm, .layer = layer, .joined = true, .bias = {NULL, "bias"}};

const ThModelKind th_model_lstm = {
    .name = "lstm",
    .summary = "long short-term memory",
    .source = "Hochreiter and Schmidhuber 1997, Gers, Schmidhuber and Cummins 2000; the LSTM "
              "baseline of Chi et al. 2023, section 5",
    .detail =
        "Gates i, g, f, o = [x, h] W + b; c' = σ(f + forget) c + σ(i) tanh(g), "
        "h' = σ(o) tanh(c'), zeros at the start; the answer is a linear map of ReLU(h), or what "
        "head= says. The papers use dim=256.",
    .options = options,
    .part = &cell,
    .recipe = "lr=5e-3",
    TH_MODEL_RECURRENT_KIND,
};
