#include "proof/cell/cell.h"

#include <math.h>

#include "models/ablation.h"
#include "proof/cell/cell_linear.h"
#include "proof/matrix.h"

enum { KINDS = TH_PROOF_LRNN + 1 };
static const char *const kinds[KINDS] = {"rnn", "lstm", "gru", "lrnn"};
static const int gates[KINDS] = {1, 4, 3, 0};

/* Their number, or -1. */
static int kind_of(const ThModel *m)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(m->kind->name, kinds[i]) == 0)
            return i;
    return -1;
}

bool th_proof_is_cell(const ThModel *m)
{
    return kind_of(m) >= 0;
}

/* Adds a bias to every symbol's row. */
static void add_bias(ThProofReader *r, ThProofCell *f, const char *name)
{
    int wide = f->gates * f->width;
    double *bias TH_OWNED(free) = th_proof_read_whole(r, name);
    for (int i = 0; bias && f->input && f->input_size && i < f->n_symbols * wide; i++) {
        f->input[i] += bias[i % wide];
        f->input_size[i] += fabs(bias[i % wide]);
    }
}

static void read_all(ThProofReader *r, ThProofCell *f)
{
    f->input = th_proof_read_whole(r, "input"); /* one row more than symbols, which nothing reads */
    f->recurrent = th_proof_read_whole(r, "recurrent");
    f->head = th_proof_read_whole(r, "head");
    f->head_bias = th_proof_read_whole(r, "head_bias");
    if (f->kind == TH_PROOF_GRU)
        f->candidate = th_proof_read_whole(r, "candidate_bias");
    f->start = th_alloc((size_t)f->dim, sizeof *f->start, r->err);
    size_t inputs = (size_t)f->n_symbols * (size_t)(f->gates * f->width);
    f->input_size = th_alloc(inputs, sizeof *f->input_size, r->err);
    r->failed |= !f->start || !f->input_size;
    for (size_t i = 0; !r->failed && i < inputs; i++)
        f->input_size[i] = fabs(f->input[i]);
    add_bias(r, f, f->kind == TH_PROOF_LSTM ? "bias" : "input_bias");
    if (f->kind == TH_PROOF_RNN)
        add_bias(r, f, "recurrent_bias");
    double forget = f->kind == TH_PROOF_LSTM ? th_option_real(&r->m->options, "forget") : 0;
    for (int i = 0; !r->failed && f->kind == TH_PROOF_LSTM && i < f->n_symbols * f->width; i++) {
        int at = i / f->width * 4 * f->width + 2 * f->width + i % f->width;
        f->input[at] += forget;
        f->input_size[at] += fabs(forget);
    }
}

static bool can(const ThModel *m, int kind, ThError *err)
{
    if (kind < 0)
        return th_fail(err, TH_EVALUE, "%s is no rnn, lstm, gru or lrnn", m->kind->name);
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the %s has not been trained", m->kind->name);
    if (th_option_int(&m->options, "layers") != 1)
        return th_fail(err, TH_EVALUE, "proofs about %s are for layers=1", m->kind->name);
    if (kind == TH_PROOF_LRNN || (th_option_int(&m->options, "head_hidden") == 0 &&
                                  strcmp(th_option_text(&m->options, "head"), "tanh") != 0))
        return true;
    return th_fail(err, TH_EVALUE,
                   "proofs about %s are for head=relu or linear without a hidden layer",
                   m->kind->name);
}

ThProofCell *th_proof_cell_new(const ThModel *m, ThError *err)
{
    int kind = kind_of(m);
    if (!can(m, kind, err))
        return NULL;
    ThProofCell *f = th_model_whole(m, "a proof", err) && th_proof_moderate(&m->params, err)
                         ? th_alloc(1, sizeof *f, err)
                         : NULL;
    if (!f)
        return NULL;
    f->kind = (ThProofCellKind)kind;
    f->width = (int)th_option_int(&m->options, "dim");
    f->gates = gates[kind];
    f->dim = kind == TH_PROOF_LSTM ? 2 * f->width : f->width;
    f->n_symbols = m->signature.n_symbols;
    f->n_classes = m->signature.n_classes;
    f->digest = th_proof_digest(&m->params);
    f->hyperbolic = kind == TH_PROOF_RNN && th_option_choice(&m->options, "activation") == 1;
    f->linear = kind != TH_PROOF_LRNN && strcmp(th_option_text(&m->options, "head"), "linear") == 0;
    ThProofReader r = {.m = m, .err = err};
    if (kind == TH_PROOF_LRNN)
        th_proof_cell_read_linear(&r, f);
    else
        read_all(&r, f);
    return TH_KEEP_IF(!r.failed, f, th_proof_cell_free);
}

void th_proof_cell_free(ThProofCell *f)
{
    if (!f)
        return;
    double *all[] = {f->input,
                     f->input_size,
                     f->recurrent,
                     f->candidate,
                     f->start,
                     f->transition,
                     f->transition_off[0],
                     f->transition_off[1],
                     f->input_off[0],
                     f->input_off[1],
                     f->gain,
                     f->offset,
                     f->inner,
                     f->inner_bias,
                     f->head,
                     f->head_bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(f);
}

/* p (gates width) <- what goes into the gates but what the symbol adds: h recurrent. */
static void find_gates(const ThProofCell *f, const double *state, double *p)
{
    int wide = f->gates * f->width;
    memset(p, 0, (size_t)wide * sizeof *p);
    for (int i = 0; i < f->width; i++)
        for (int j = 0; state[i] != 0 && j < wide; j++)
            p[j] += state[i] * f->recurrent[i * wide + j];
}

void th_proof_cell_apply(const ThProofCell *f, const double *state, int symbol, double *p,
                         double *to)
{
    int n = f->width;
    const double *x = f->input + symbol * f->gates * n;
    if (f->kind == TH_PROOF_LRNN) {
        th_proof_times_column(f->transition + (size_t)symbol * (size_t)n * (size_t)n, state, to, n,
                              n);
        for (int j = 0; j < n; j++)
            to[j] += f->input[symbol * n + j];
        return;
    }
    find_gates(f, state, p);
    for (int j = 0; j < n; j++) {
        double first = th_proof_logistic(x[j] + p[j]);
        if (f->kind == TH_PROOF_RNN)
            to[j] = f->hyperbolic ? tanh(x[j] + p[j]) : fmax(0, x[j] + p[j]);
        if (f->kind == TH_PROOF_GRU) {
            double reset = th_proof_logistic(x[n + j] + p[n + j]);
            double new = tanh(x[2 * n + j] + reset * (f->candidate[j] + p[2 * n + j]));
            to[j] = state[j] + first * (new - state[j]);
        }
        if (f->kind == TH_PROOF_LSTM) {
            to[n + j] = th_proof_logistic(x[2 * n + j] + p[2 * n + j]) * state[n + j] +
                        first * tanh(x[n + j] + p[n + j]);
            to[j] = th_proof_logistic(x[3 * n + j] + p[3 * n + j]) * tanh(to[n + j]);
        }
    }
}

void th_proof_cell_logits(const ThProofCell *f, const double *state, double *logits)
{
    if (f->kind == TH_PROOF_LRNN) {
        th_proof_cell_linear_logits(f, state, logits);
        return;
    }
    for (int c = 0; c < f->n_classes; c++) {
        logits[c] = f->head_bias[c];
        for (int j = 0; j < f->width; j++)
            logits[c] += (f->linear ? state[j] : fmax(0, state[j])) * f->head[j * f->n_classes + c];
    }
}
