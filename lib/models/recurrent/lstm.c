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

static ThVar step(const ThModelRecurrent *r, ThTape *t, const ThModelRecurrentLayer *l, ThVar x,
                  ThVar state)
{
    int H = r->dim;
    ThVar h = th_op_columns(t, state, 0, H), c = th_op_columns(t, state, H, H), part[4];
    ThVar p = th_op_add(t, x, th_op_linear(t, h, th_param(t, l->recurrent), -1));
    for (int i = 0; i < 4; i++)
        part[i] = th_op_columns(t, p, i * H, H);
    ThVar in = th_op_multiply(t, th_op_map(t, part[0], TH_MAP_SIGMOID),
                              th_op_map(t, part[1], TH_MAP_TANH));
    ThVar kept = th_op_map(t, th_op_affine(t, part[2], 1, r->forget), TH_MAP_SIGMOID);
    ThVar next = th_op_add(t, th_op_multiply(t, kept, c), in);
    ThVar out =
        th_op_multiply(t, th_op_map(t, part[3], TH_MAP_SIGMOID), th_op_map(t, next, TH_MAP_TANH));
    return th_op_beside(t, (ThVar[]){out, next}, 2);
}

static const ThModelRecurrentCell cell = {.gates = 4,
                                          .cell = &th_kernel_lstm,
                                          .layer = layer,
                                          .step = step,
                                          .joined = true,
                                          .bias = {NULL, "bias"}};

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
