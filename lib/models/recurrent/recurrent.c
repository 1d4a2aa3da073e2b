#include "models/recurrent/recurrent.h"

#include <math.h>

#include "base/memory.h"

const ThOptionSpec th_model_recurrent_options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the state"}, {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Drawn as Haiku does. */
static int matrix(ThModelBuilder *b, const char *name, int rows, int cols, int fan_in)
{
    return th_model_build(b, name, rows, cols, TH_INIT_TRUNCATED, 1 / sqrt(fan_in));
}

static int bias(ThModelBuilder *b, const char *name, int cols)
{
    return name ? th_model_build_vector(b, name, cols, TH_INIT_ZERO) : -1;
}

bool th_model_recurrent_bind(ThModel *m, ThError *err)
{
    const ThModelRecurrentCell *cell = m->kind->part;
    const ThOptions *o = &m->options;
    ThModelRecurrent *r = m->layout = th_alloc(1, sizeof *r, err);
    if (!r)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* A row more than symbols, as in the papers' baselines, which reserve it. */
    int inputs = m->signature.n_symbols + 1, H = (int)th_option_int(o, "dim");
    int width = cell->gates * H;
    r->forget = th_option_known(o, "forget") ? th_option_real(o, "forget") : 0;
    r->table = matrix(&b, "input", inputs, width, cell->joined ? inputs + H : inputs);
    r->bias[0] = bias(&b, cell->bias[0], width);
    r->recurrent = matrix(&b, "recurrent", H, width, cell->joined ? inputs + H : H);
    th_param_hidden(&m->params, r->recurrent, cell->gates);
    r->bias[1] = bias(&b, cell->bias[1], cell->candidate ? H : width);
    r->head = th_model_build_head(&b, H);
    return !b.failed;
}

/* What the symbols add to the gates: the table itself with s->index set to the tokens, or, where
 * each position is inspected, its row at every position.  *s says the rest for the layer. */
static ThVar read_symbols(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how,
                          ThOpSequence *s)
{
    const ThModelRecurrent *r = m->layout;
    const ThModelRecurrentCell *cell = m->kind->part;
    ThVar table = th_param(t, r->table);
    for (int i = 0; i < 2 - cell->candidate; i++)
        if (r->bias[i] >= 0)
            table = th_op_add_row(t, table, th_param(t, r->bias[i]));
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
    const ThModelRecurrent *r = m->layout;
    return th_model_head(t, &r->head, th_op_relu(t, h));
}

ThVar th_model_recurrent_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how)
{
    const ThModelRecurrentCell *cell = m->kind->part;
    ThOpSequence s;
    ThVar x = read_symbols(m, t, b, how, &s);
    ThVar h = th_tape_tag(t, cell->layer(t, m->layout, x, &s), "state", 0);
    if (s.every && m->signature.target == TH_TARGET_FINAL)
        h = last_rows(t, h, &s);
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
