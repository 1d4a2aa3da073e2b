#include "models/recurrent.h"

#include <math.h>

const ThOptionSpec th_model_recurrent_options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the state"}, {NULL, 0, NULL, 0, 0, NULL, NULL}};

int th_model_recurrent_inputs(const ThModel *m)
{
    return m->signature.n_symbols + 1;
}

int th_model_recurrent_matrix(ThModel *m, const char *name, int rows, int cols, int fan_in,
                              ThError *err)
{
    return th_params_add(&m->params, name, rows, cols, TH_INIT_TRUNCATED, 1 / sqrt(fan_in), err);
}

int th_model_recurrent_bias(ThModel *m, const char *name, int cols, ThError *err)
{
    return th_params_add(&m->params, name, 1, cols, TH_INIT_ZERO, 0, err);
}

bool th_model_recurrent_add_readout(ThModel *m, ThModelReadout *r, int dim, ThError *err)
{
    int classes = m->signature.n_classes;
    r->weight = th_model_recurrent_matrix(m, "head", dim, classes, dim, err);
    r->bias = th_model_recurrent_bias(m, "head_bias", classes, err);
    return r->weight >= 0 && r->bias >= 0;
}

ThVar th_model_recurrent_read(ThTape *t, const ThModel *m, ThVar table, const ThBatch *b,
                              const ThModelForward *how, ThOpSequence *s)
{
    *s = (ThOpSequence){
        .B = b->B, .T = b->T, .every = m->signature.target != TH_TARGET_FINAL, .length = b->length};
    if (how->share) {
        s->index = b->token;
        return table;
    }
    s->every = true;
    ThVar x = th_op_rows(t, table, b->token, b->B * b->T, 1);
    return th_tape_tag(t, x, "embedding", -1);
}

static ThVar last_rows(ThTape *t, ThVar h, const ThOpSequence *s)
{
    int *last = th_tape_take(t, (size_t)s->B, sizeof *last);
    for (int b = 0; last && b < s->B; b++)
        last[b] = b * s->T + (s->length ? s->length[b] : s->T) - 1;
    return last ? th_op_rows(t, h, last, s->B, 1) : -1;
}

ThVar th_model_recurrent_answer(const ThModel *m, ThTape *t, ThVar h)
{
    const ThModelReadout *r = m->layout;
    return th_op_linear(t, th_op_relu(t, h), th_param(t, r->weight), th_param(t, r->bias));
}

ThVar th_model_recurrent_finish(ThTape *t, const ThModel *m, ThVar h, const ThOpSequence *s)
{
    h = th_tape_tag(t, h, "state", 0);
    if (s->every && m->signature.target == TH_TARGET_FINAL)
        h = last_rows(t, h, s);
    return th_model_recurrent_answer(m, t, h);
}

bool th_model_recurrent_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                              ThError *err)
{
    (void)m;
    ThVar h = th_tape_find(t, "state", 0);
    ThModelTraceLayer shape = {.n_rows = length, .dim = th_tape_cols(t, h)};
    if (!th_model_trace_layers(trace, 1, err) ||
        !th_model_trace_rows(&trace->layer[0], &shape, err))
        return false;
    for (int i = 0; i < length; i++)
        trace->layer[0].last[i] = i; /* from 0: the state knows the whole prefix */
    th_tape_read(t, h, trace->layer[0].state);
    return true;
}
