/* Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
 * 2000), the LSTM baseline of Chi et al. 2023: [i, g, f, o] = [x_t, h_{t-1}] W + b,
 * c_t = σ(f + 1) c_{t-1} + σ(i) tanh(g), h_t = σ(o) tanh(c_t); the answer is ReLU(h_T) W + b. */
#include "base/memory.h"
#include "models/recurrent.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the state"},
    {"forget", TH_REAL, "1", -100, 100, NULL, "constant added to the forget gate"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    ThModelReadout readout; /* first: th_model_recurrent_answer looks there */
    int wx, wh, b;          /* W in two parts: the rows that x selects, and those for h */
} Layout;

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    int inputs = th_model_recurrent_inputs(m), H = (int)th_option_int(&m->options, "dim");
    l->wx = th_model_recurrent_matrix(m, "input", inputs, 4 * H, inputs + H, err);
    l->wh = th_model_recurrent_matrix(m, "recurrent", H, 4 * H, inputs + H, err);
    th_param_hidden(&m->params, l->wh, 4);
    l->b = th_model_recurrent_bias(m, "bias", 4 * H, err);
    return l->wx >= 0 && l->wh >= 0 && l->b >= 0 &&
           th_model_recurrent_add_readout(m, &l->readout, H, err);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThOpSequence s;
    ThVar table = th_op_add_row(t, th_param(t, l->wx), th_param(t, l->b));
    ThVar x = th_model_recurrent_read(t, m, table, b, how, &s);
    ThVar h = th_op_lstm(t, x, th_param(t, l->wh), &s, th_option_real(&m->options, "forget"));
    return th_model_recurrent_finish(t, m, h, &s);
}

static void *open_state(const ThModel *m, int B, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_recurrent_open(
        m,
        &(ThModelRecurrentParts){.cell = th_kernel_lstm,
                                 .gates = 4,
                                 .table = l->wx,
                                 .bias = {l->b, -1},
                                 .recurrent = l->wh,
                                 .candidate_bias = -1,
                                 .forget = (float)th_option_real(&m->options, "forget"),
                                 .readout = l->readout},
        B, err);
}

const ThModelKind th_model_lstm = {
    .name = "lstm",
    .summary = "long short-term memory",
    .source = "Hochreiter and Schmidhuber 1997, Gers, Schmidhuber and Cummins 2000; the LSTM "
              "baseline of Chi et al. 2023, section 5",
    .detail = "Gates i, g, f, o = [x, h] W + b; c' = σ(f + forget) c + σ(i) tanh(g), "
              "h' = σ(o) tanh(c'), one layer, zeros at the start; the answer is a linear map of "
              "ReLU(h). The papers use dim=256.",
    .options = options,
    .bind = bind,
    .forward = forward,
    .open = open_state,
    TH_MODEL_RECURRENT_KIND,
};
