/* recurrent.h - what the recurrent models share: symbols in, states out, one answer.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_MODELS_RECURRENT_H
#define TH_MODELS_RECURRENT_H

#include "models/model.h"
#include "tensor/kernels_recurrent.h"

/* The options of a model that has none but the width of its state, dim. */
extern const ThOptionSpec th_model_recurrent_options[];

/* Rows of the input matrix: one more than the alphabet has symbols, as in the papers' baselines,
 * which reserve it. */
int th_model_recurrent_inputs(const ThModel *m);

/* Indices of the output layer in the parameter table. */
typedef struct {
    int weight, bias;
} ThModelReadout;

/* Adds a matrix drawn as Haiku does, by fan-in, or a vector of zeros; -1 and err. */
int th_model_recurrent_matrix(ThModel *m, const char *name, int rows, int cols, int fan_in,
                              ThError *err);
int th_model_recurrent_bias(ThModel *m, const char *name, int cols, ThError *err);
bool th_model_recurrent_add_readout(ThModel *m, ThModelReadout *r, int dim, ThError *err);

/* What the symbols add to the gates: `table` (symbols, …) itself with s->index set to the tokens,
 * or, where each position is inspected, its row at every position, tagged "embedding".  *s says
 * the rest for the layer. */
ThVar th_model_recurrent_read(ThTape *t, const ThModel *m, ThVar table, const ThBatch *b,
                              const ThModelForward *how, ThOpSequence *s);

/* The logits of states: ThModelKind's answer. */
ThVar th_model_recurrent_answer(const ThModel *m, ThTape *t, ThVar h);

/* Logits from the states that the layer returned, which are tagged "state". */
ThVar th_model_recurrent_finish(ThTape *t, const ThModel *m, ThVar h, const ThOpSequence *s);

/* The trace of a recurrent model: one layer, the state after every position. */
bool th_model_recurrent_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                              ThError *err);

/* ---- symbol by symbol ---- */

/* What a recurrent model is made of: parameters by index, -1 where there is none.  A row of the
 * table, plus the biases, is what a symbol adds to the gates. */
typedef struct {
    void (*cell)(const ThKernelCell *c);
    int gates; /* columns of the table and of the recurrent matrix, in widths of the state */
    int table, bias[2], recurrent, candidate_bias;
    float forget;
    ThModelReadout readout;
} ThModelRecurrentParts;

/* ThModelKind's open, given the parts, feed, reset and close. */
void *th_model_recurrent_open(const ThModel *m, const ThModelRecurrentParts *parts, int B,
                              ThError *err);
bool th_model_recurrent_feed(void *state, const int *token, int n, float *logits, ThError *err);
void th_model_recurrent_reset(void *state);
void th_model_recurrent_close(void *state);

/* What the tables of these architectures share, see ThModelKind. */
#define TH_MODEL_RECURRENT_KIND                                                                    \
    .ragged = true, .causal = true, .answer = th_model_recurrent_answer,                           \
    .trace = th_model_recurrent_trace, .feed = th_model_recurrent_feed,                            \
    .reset = th_model_recurrent_reset, .close = th_model_recurrent_close

#endif
