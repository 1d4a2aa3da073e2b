/* recurrent.h - recurrent networks of one layer: symbols in, states out, one answer.
 *
 * An architecture is its cell: the gates, and the biases that it has.  All else is here, reading
 * symbol by symbol included.  The answer is a linear map of the state, rectified.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_MODELS_RECURRENT_RECURRENT_H
#define TH_MODELS_RECURRENT_RECURRENT_H

#include "models/builder.h"
#include "tensor/kernels/kernels_recurrent.h"

/* The layout: parameters by index, -1 where there is none.  A row of the table, plus the biases of
 * the gates, is what a symbol adds to these. */
typedef struct {
    int table, recurrent, bias[2];
    double forget; /* the option, where it is one */
    ThModelHead head;
} ThModelRecurrent;

/* An architecture, which is the `part` of its kind. */
typedef struct {
    int gates; /* columns of the table and of the recurrent matrix, in widths of the state */
    void (*cell)(const ThKernelCell *c);
    ThVar (*layer)(ThTape *t, const ThModelRecurrent *r, ThVar x, const ThOpSequence *s);
    bool joined;         /* table and recurrent matrix are drawn as one matrix */
    const char *bias[2]; /* names of those that stand behind table and recurrent matrix, or NULL */
    bool candidate;      /* the second bias is not that of the gates, but as wide as the state */
} ThModelRecurrentCell;

/* The options of a model that has none but the width of its state, dim. */
extern const ThOptionSpec th_model_recurrent_options[];

/* What the tables of these architectures share, see ThModelKind. */
#define TH_MODEL_RECURRENT_KIND                                                                    \
    .ragged = true, .causal = true, .bind = th_model_recurrent_bind,                               \
    .forward = th_model_recurrent_forward, .answer = th_model_recurrent_answer,                    \
    .trace = th_model_recurrent_trace, .open = th_model_recurrent_open,                            \
    .feed = th_model_recurrent_feed, .reset = th_model_recurrent_reset,                            \
    .close = th_model_recurrent_close
bool th_model_recurrent_bind(ThModel *m, ThError *err);
ThVar th_model_recurrent_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how);
ThVar th_model_recurrent_answer(const ThModel *m, ThTape *t, ThVar h);
bool th_model_recurrent_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                              ThError *err);
void *th_model_recurrent_open(const ThModel *m, int B, ThError *err);
bool th_model_recurrent_feed(void *state, const int *token, int n, float *logits, ThError *err);
void th_model_recurrent_reset(void *state);
void th_model_recurrent_close(void *state);

#endif
