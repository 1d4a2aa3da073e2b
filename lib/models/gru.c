/* The gated recurrent unit (Cho et al. 2014), in the form that resets after the product, so that
 * all gates come from one: z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)),
 * h' = (1-z) h + z n.  The answer is ReLU(h_T) W + b. */
#include "base/memory.h"
#include "models/recurrent.h"

typedef struct {
    ThModelReadout readout; /* first: th_model_recurrent_answer looks there */
    int wx, bx, wh, candidate_bias;
} Layout;

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    int inputs = th_model_recurrent_inputs(m), H = (int)th_option_int(&m->options, "dim");
    l->wx = th_model_recurrent_matrix(m, "input", inputs, 3 * H, inputs, err);
    l->bx = th_model_recurrent_bias(m, "input_bias", 3 * H, err);
    l->wh = th_model_recurrent_matrix(m, "recurrent", H, 3 * H, H, err);
    th_param_hidden(&m->params, l->wh, 3);
    l->candidate_bias = th_model_recurrent_bias(m, "candidate_bias", H, err);
    return l->wx >= 0 && l->bx >= 0 && l->wh >= 0 && l->candidate_bias >= 0 &&
           th_model_recurrent_add_readout(m, &l->readout, H, err);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThOpSequence s;
    ThVar table = th_op_add_row(t, th_param(t, l->wx), th_param(t, l->bx));
    ThVar x = th_model_recurrent_read(t, m, table, b, how, &s);
    ThVar h = th_op_gru(t, x, th_param(t, l->wh), th_param(t, l->candidate_bias), &s);
    return th_model_recurrent_finish(t, m, h, &s);
}

static void *open_state(const ThModel *m, int B, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_recurrent_open(m,
                                   &(ThModelRecurrentParts){.cell = th_kernel_gru,
                                                            .gates = 3,
                                                            .table = l->wx,
                                                            .bias = {l->bx, -1},
                                                            .recurrent = l->wh,
                                                            .candidate_bias = l->candidate_bias,
                                                            .readout = l->readout},
                                   B, err);
}

const ThModelKind th_model_gru = {
    .name = "gru",
    .summary = "gated recurrent unit",
    .source = "Cho et al. 2014, section 2.3, resetting after the product",
    .detail = "z, r = σ(x W + b + h U), n = tanh(x W_n + b_n + r (h U_n + c)), "
              "h' = (1-z) h + z n, one layer, zeros at the start; the answer is a linear map of "
              "ReLU(h).",
    .options = th_model_recurrent_options,
    .bind = bind,
    .forward = forward,
    .open = open_state,
    TH_MODEL_RECURRENT_KIND,
};
