/* The simple recurrent network (Elman 1990) with rectified units, the RNN baseline of Chi et al.
 * 2023: h_t = ReLU(x_t W_x + b_x + h_{t-1} W_h + b_h), from h_0 = 0; the answer is
 * ReLU(h_T) W + b.  x_t is one-hot, so x_t W_x is a row of W_x. */
#include "base/memory.h"
#include "models/recurrent.h"

typedef struct {
    ThModelReadout readout; /* first: th_model_recurrent_answer looks there */
    int wx, bx, wh, bh;
} Layout;

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    int inputs = th_model_recurrent_inputs(m), H = (int)th_option_int(&m->options, "dim");
    l->wx = th_model_recurrent_matrix(m, "input", inputs, H, inputs, err);
    l->bx = th_model_recurrent_bias(m, "input_bias", H, err);
    l->wh = th_model_recurrent_matrix(m, "recurrent", H, H, H, err);
    th_param_hidden(&m->params, l->wh, 1);
    l->bh = th_model_recurrent_bias(m, "recurrent_bias", H, err);
    return l->wx >= 0 && l->bx >= 0 && l->wh >= 0 && l->bh >= 0 &&
           th_model_recurrent_add_readout(m, &l->readout, H, err);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThOpSequence s;
    ThVar table = th_op_add_row(t, th_param(t, l->wx), th_param(t, l->bx));
    table = th_op_add_row(t, table, th_param(t, l->bh));
    ThVar x = th_model_recurrent_read(t, m, table, b, how, &s);
    ThVar h = th_op_rnn(t, x, th_param(t, l->wh), &s);
    return th_model_recurrent_finish(t, m, h, &s);
}

static void *open_state(const ThModel *m, int B, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_recurrent_open(m,
                                   &(ThModelRecurrentParts){.cell = th_kernel_rnn,
                                                            .gates = 1,
                                                            .table = l->wx,
                                                            .bias = {l->bx, l->bh},
                                                            .recurrent = l->wh,
                                                            .candidate_bias = -1,
                                                            .readout = l->readout},
                                   B, err);
}

const ThModelKind th_model_rnn = {
    .name = "rnn",
    .summary = "simple recurrent network with rectified units",
    .source = "Elman 1990; with ReLU the RNN baseline of Chi et al. 2023, section 5",
    .detail = "h' = ReLU(x W_x + b_x + h W_h + b_h) from h = 0, one layer; the answer is a linear "
              "map of ReLU(h). The papers use dim=256.",
    .options = th_model_recurrent_options,
    .bind = bind,
    .forward = forward,
    .open = open_state,
    TH_MODEL_RECURRENT_KIND,
};
