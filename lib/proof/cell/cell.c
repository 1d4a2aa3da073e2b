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

/* to (n) <- the first numbers of a layer's parameter. */
static void read_first(ThProofReader *r, int layer, const char *name, double *to, int n)
{
    ThText full TH_OWNED(th_text_free) = {0};
    if (layer > 0)
        th_text_printf(&full, "layer%d.", layer);
    th_text_add(&full, name);
    double *from TH_OWNED(free) = full.data ? th_proof_read_whole(r, full.data) : NULL;
    r->failed |= !from;
    if (from)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* Adds n numbers over and over to a layer's rows of `input`, from column `at` on. */
static void add_bias(ThProofCell *f, int layer, int at, const double *bias, int n)
{
    int wide = f->gates * f->width, from = th_proof_cell_row(f, layer, 0);
    int to = layer > 0 ? from + 1 : f->n_symbols;
    for (int i = from * wide; i < to * wide; i += wide)
        for (int j = 0; j < n; j++) {
            f->input[i + at + j] += bias[j];
            f->input_size[i + at + j] += fabs(bias[j]);
        }
}

static void read_layer(ThProofReader *r, ThProofCell *f, int layer, double *bias)
{
    static const char *const second[] = {"recurrent_bias", "bias", NULL};
    int n = f->width, wide = f->gates * n, square = n * wide;
    if (layer == 0) /* the parameter has one row more than symbols, which nothing reads */
        read_first(r, 0, "input", f->input, f->n_symbols * wide);
    else
        read_first(r, layer, "input", f->below + (size_t)(layer - 1) * (size_t)square, square);
    for (int i = 0; layer == 0 && i < f->n_symbols * wide; i++)
        f->input_size[i] = fabs(f->input[i]);
    read_first(r, layer, "recurrent", f->recurrent + (size_t)layer * (size_t)square, square);
    if (f->kind == TH_PROOF_GRU)
        read_first(r, layer, "candidate_bias", f->candidate + layer * n, n);
    const char *name[] = {f->kind == TH_PROOF_LSTM ? NULL : "input_bias", second[f->kind]};
    for (int i = 0; i < 2; i++)
        if (name[i]) {
            read_first(r, layer, name[i], bias, wide);
            add_bias(f, layer, 0, bias, wide);
        }
    for (int j = 0; j < n; j++)
        bias[j] = f->kind == TH_PROOF_LSTM ? th_option_real(&r->m->options, "forget") : 0;
    if (f->kind == TH_PROOF_LSTM)
        add_bias(f, layer, 2 * n, bias, n);
}

/* The hidden layer of the head reads the last layer's h. */
static void read_units(ThProofReader *r, ThProofCell *f)
{
    size_t units = (size_t)f->units;
    double *own TH_OWNED(free) = th_proof_read_whole(r, "head_hidden");
    f->inner_bias = th_proof_read_whole(r, "head_hidden_bias");
    f->inner = th_alloc((size_t)f->dim * units, sizeof *f->inner, r->err);
    r->failed |= !own || !f->inner;
    if (!r->failed)
        memcpy(f->inner + (size_t)(f->dim - f->own) * units, own,
               (size_t)f->width * units * sizeof *own);
}

static void read_all(ThProofReader *r, ThProofCell *f)
{
    size_t layers = (size_t)f->layers, n = (size_t)f->width, wide = (size_t)f->gates * n;
    size_t rows = (size_t)f->n_symbols + layers - 1;
    double *bias TH_OWNED(free) = th_alloc(wide, sizeof *bias, r->err);
    f->head = th_proof_read_whole(r, "head");
    f->head_bias = th_proof_read_whole(r, "head_bias");
    f->start = th_alloc((size_t)f->dim, sizeof *f->start, r->err);
    f->input = th_alloc(rows * wide, sizeof *f->input, r->err);
    f->input_size = th_alloc(rows * wide, sizeof *f->input_size, r->err);
    f->recurrent = th_alloc(layers * n * wide, sizeof *f->recurrent, r->err);
    f->below = th_alloc(layers * n * wide, sizeof *f->below, r->err);
    f->candidate = th_alloc(layers * n, sizeof *f->candidate, r->err);
    r->failed |= !bias || !f->start || !f->input || !f->input_size || !f->recurrent || !f->below ||
                 !f->candidate;
    for (int i = 0; !r->failed && i < f->layers; i++)
        read_layer(r, f, i, bias);
    if (f->units > 0)
        read_units(r, f);
}

/* Is the head of a kind of which proofs know? */
static bool knows_head(const ThOptions *o)
{
    const char *reads = th_option_text(o, "head");
    return th_option_int(o, "head_hidden") == 0
               ? strcmp(reads, "tanh") != 0
               : strcmp(reads, "linear") == 0 &&
                     strcmp(th_option_text(o, "head_activation"), "relu") == 0;
}

static bool can(const ThModel *m, int kind, ThError *err)
{
    if (kind < 0)
        return th_fail(err, TH_EVALUE, "%s is no rnn, lstm, gru or lrnn", m->kind->name);
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the %s has not been trained", m->kind->name);
    if (kind == TH_PROOF_LRNN && th_option_int(&m->options, "layers") != 1)
        return th_fail(err, TH_EVALUE, "proofs about %s are for layers=1", m->kind->name);
    if (kind == TH_PROOF_LRNN || knows_head(&m->options))
        return true;
    return th_fail(err, TH_EVALUE,
                   "proofs about %s are for head=relu or linear without a hidden layer, or "
                   "head=linear with one of head_activation=relu",
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
    f->layers = (int)th_option_int(&m->options, "layers");
    f->gates = gates[kind];
    f->parts = f->gates + (kind == TH_PROOF_GRU);
    f->own = kind == TH_PROOF_LSTM ? 2 * f->width : f->width;
    f->dim = f->layers * f->own;
    f->units = kind == TH_PROOF_LRNN ? f->width : (int)th_option_int(&m->options, "head_hidden");
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
    TH_FREE(f->input, f->input_size, f->recurrent, f->below, f->candidate, f->start, f->transition,
            f->transition_off[0], f->transition_off[1], f->input_off[0], f->input_off[1], f->gain,
            f->offset, f->inner, f->inner_bias, f->head, f->head_bias, f);
}

size_t th_proof_cell_room(const ThProofCell *f)
{
    return (size_t)f->layers * (size_t)f->parts * (size_t)f->width + 1;
}

int th_proof_cell_row(const ThProofCell *f, int layer, int symbol)
{
    return layer > 0 ? f->n_symbols + layer - 1 : symbol;
}

int th_proof_cell_part(const ThProofCell *f, int column)
{
    return f->kind == TH_PROOF_GRU && column >= 2 * f->width ? column + f->width : column;
}

/* p (parts, width) <- what a layer reads: of itself, and of the new h below. */
static void find_parts(const ThProofCell *f, int layer, int symbol, const double *h,
                       const double *under, double *p)
{
    int n = f->width, wide = f->gates * n;
    const double *x = f->input + th_proof_cell_row(f, layer, symbol) * wide;
    memset(p, 0, (size_t)(f->parts * n) * sizeof *p);
    for (int j = 0; j < wide; j++)
        p[th_proof_cell_part(f, j)] = x[j];
    for (int i = 0; i < n; i++) {
        const double *by = f->recurrent + (size_t)(layer * n + i) * (size_t)wide;
        for (int j = 0; h[i] != 0 && j < wide; j++)
            p[j] += h[i] * by[j];
    }
    for (int i = 0; layer > 0 && i < n; i++) {
        const double *by = f->below + (size_t)((layer - 1) * n + i) * (size_t)wide;
        for (int j = 0; j < wide; j++)
            p[th_proof_cell_part(f, j)] += under[i] * by[j];
    }
}

/* to (own) <- a layer's next state. */
static void step(const ThProofCell *f, int layer, const double *state, const double *p, double *to)
{
    int n = f->width;
    for (int j = 0; j < n; j++) {
        double first = th_proof_logistic(p[j]);
        if (f->kind == TH_PROOF_RNN)
            to[j] = f->hyperbolic ? tanh(p[j]) : fmax(0, p[j]);
        if (f->kind == TH_PROOF_GRU) {
            double reset = th_proof_logistic(p[n + j]);
            double new = tanh(p[3 * n + j] + reset * (f->candidate[layer * n + j] + p[2 * n + j]));
            to[j] = state[j] + first * (new - state[j]);
        }
        if (f->kind == TH_PROOF_LSTM) {
            to[n + j] = th_proof_logistic(p[2 * n + j]) * state[n + j] + first * tanh(p[n + j]);
            to[j] = th_proof_logistic(p[3 * n + j]) * tanh(to[n + j]);
        }
    }
}

void th_proof_cell_apply(const ThProofCell *f, const double *state, int symbol, double *p,
                         double *to)
{
    int n = f->dim;
    if (f->kind == TH_PROOF_LRNN) {
        th_proof_times_column(f->transition + (size_t)symbol * (size_t)n * (size_t)n, state, to, n,
                              n);
        for (int j = 0; j < n; j++)
            to[j] += f->input[symbol * n + j];
    }
    for (int k = 0; f->kind != TH_PROOF_LRNN && k < f->layers; k++, p += f->parts * f->width) {
        find_parts(f, k, symbol, state + k * f->own, to + (k - (k > 0)) * f->own, p);
        step(f, k, state + k * f->own, p, to + k * f->own);
    }
}

static void read_through_units(const ThProofCell *f, const double *state, double *logits)
{
    memcpy(logits, f->head_bias, (size_t)f->n_classes * sizeof *logits);
    for (int k = 0; k < f->units; k++) {
        double unit = f->inner_bias[k];
        for (int i = f->dim - f->own; i < f->dim; i++)
            unit += state[i] * f->inner[i * f->units + k];
        for (int c = 0; unit > 0 && c < f->n_classes; c++)
            logits[c] += unit * f->head[k * f->n_classes + c];
    }
}

void th_proof_cell_logits(const ThProofCell *f, const double *state, double *logits)
{
    if (f->kind == TH_PROOF_LRNN) {
        th_proof_cell_linear_logits(f, state, logits);
        return;
    }
    if (f->units > 0) {
        read_through_units(f, state, logits);
        return;
    }
    const double *h = state + f->dim - f->own; /* the last layer's */
    for (int c = 0; c < f->n_classes; c++) {
        logits[c] = f->head_bias[c];
        for (int j = 0; j < f->width; j++)
            logits[c] += (f->linear ? h[j] : fmax(0, h[j])) * f->head[j * f->n_classes + c];
    }
}
