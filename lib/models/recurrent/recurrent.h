/* recurrent.h - recurrent networks: symbols in, states out, one answer.
 *
 * An architecture is its cell: the gates, and the biases that it has.  All else is here, reading
 * symbol by symbol included: further layers, which read the states of the one below, and the head,
 * a linear map of the last layer's state, with a hidden layer between them or without.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/builder.h"
#include "tensor/kernels/kernels_recurrent.h"

enum { TH_MODEL_RECURRENT_LAYERS = 4 };

/* Parameters by index, -1 where there is none.  A row of the table (of a layer above the first: the
 * state below, times the table), plus the biases of the gates, is what goes into these. */
typedef struct {
    int table, recurrent, bias[2];
} ThModelRecurrentLayer;

typedef struct ThModelRecurrent ThModelRecurrent;

/* An architecture, which is the `part` of its kind. */
typedef struct ThModelRecurrentCell {
    int gates; /* columns of the table and of the recurrent matrix, in widths of the state */
    void (**cell)(const ThKernelCell *c);
    ThVar (*layer)(ThTape *t, const ThModelRecurrentLayer *l, ThVar x, const ThOpSequence *s,
                   double forget);
    /* One step of it, as th_model_recurrent_advance says, given what goes into the gates. */
    ThVar (*step)(const ThModelRecurrent *r, ThTape *t, const ThModelRecurrentLayer *l, ThVar x,
                  ThVar state);
    bool joined;         /* table and recurrent matrix are drawn as one matrix */
    const char *bias[2]; /* names of those that stand behind table and recurrent matrix, or NULL */
    bool candidate;      /* the second bias is not that of the gates, but as wide as the state */
    const struct ThModelRecurrentCell *tanh; /* what activation=tanh stands for, or NULL */
} ThModelRecurrentCell;

/* What the head does with a state: maps of its numbers before its matrices, TH_TAPE_MAPS for none;
 * the matrix and the bias of the hidden layer, -1: there is none. */
typedef struct {
    ThOpMap reads, activation;
    int hidden, hidden_bias;
    ThModelHead last;
} ThModelRecurrentHead;

struct ThModelRecurrent {
    const ThModelRecurrentCell *cell;
    int layers, dim;
    double forget; /* the option, where it is one */
    ThModelRecurrentLayer layer[TH_MODEL_RECURRENT_LAYERS];
    ThModelRecurrentHead head;
};

/* Options that all have, and those of a model that has no others. */
#define TH_MODEL_RECURRENT_OPTIONS                                                                 \
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the state"},                                   \
        {"layers",                                                                                 \
         TH_INT,                                                                                   \
         "1",                                                                                      \
         1,                                                                                        \
         TH_MODEL_RECURRENT_LAYERS,                                                                \
         NULL,                                                                                     \
         "layers; each but the first reads the states of the one below"},                          \
        {"head",                                                                                   \
         TH_CHOICE,                                                                                \
         "relu",                                                                                   \
         0,                                                                                        \
         0,                                                                                        \
         "relu|linear|tanh",                                                                       \
         "what the head reads of the last state: its rectification, itself or its hyperbolic "     \
         "tangent"},                                                                               \
        {"head_hidden", TH_INT, "0", 0, 65536, NULL, "units of a hidden layer in the head"},       \
    {                                                                                              \
        "head_activation", TH_CHOICE, "relu", 0, 0, "relu|tanh|gelu", "of that hidden layer"       \
    }
extern const ThOptionSpec th_model_recurrent_options[];

/* What the tables of these architectures share, see ThModelKind. */
#define TH_MODEL_RECURRENT_KIND                                                                    \
    .causal = true, .bind = th_model_recurrent_bind, .forward = th_model_recurrent_forward,        \
    .answer = th_model_recurrent_answer, .trace = th_model_recurrent_trace,                        \
    .advance = th_model_recurrent_advance, .open = th_model_recurrent_open,                        \
    .feed = th_model_recurrent_feed, .reset = th_model_recurrent_reset,                            \
    .close = th_model_recurrent_close
bool th_model_recurrent_bind(ThModel *m, ThError *err);
ThVar th_model_recurrent_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how);
ThVar th_model_recurrent_advance(const ThModel *m, ThTape *t, ThVar state, const int *symbol,
                                 int n);
ThVar th_model_recurrent_answer(const ThModel *m, ThTape *t, ThVar h);
bool th_model_recurrent_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                              ThError *err);
void *th_model_recurrent_open(const ThModel *m, int B, ThError *err);
bool th_model_recurrent_feed(void *state, const int *token, int n, float *logits, ThError *err);
void th_model_recurrent_reset(void *state);
void th_model_recurrent_close(void *state);
