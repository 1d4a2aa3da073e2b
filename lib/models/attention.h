/* attention.h - layers of self-attention with positions: what the architectures share that are made
 * of them.
 *
 * An architecture lists its parameters in a ThModelAttention, runs its layers over a
 * ThModelStream, and gets reading symbol by symbol, where keys and values are kept, by naming its
 * own run function.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_MODELS_ATTENTION_H
#define TH_MODELS_ATTENTION_H

#include "models/builder.h"
#include "models/position.h"

/* Indices into the parameter table; -1: no bias. */
typedef struct {
    int query, key_value, output;
    int query_bias, key_value_bias, output_bias;
} ThModelAttentionLayer;

typedef struct {
    int dim, heads, layers;
    bool causal;
    ThPosition position;
    ThModelAttentionLayer layer[TH_POSITION_LAYERS];
} ThModelAttention;

/* Keys, values and modifiers that generation keeps from symbol to symbol. */
typedef struct ThModelKept ThModelKept;

/* What a layer reads.  x holds a row for every position of every string, or, before the first
 * layer, one for every symbol, which `token` places.  `last` lists the rows of x that stand at the
 * ends of the strings where only those go on, else NULL; last_at their positions. */
typedef struct {
    ThVar x;
    int B, T;
    const int *token, *length, *last, *last_at;
    ThPositionSpan span;
    ThModelKept *kept; /* generation: what came before; else NULL */
} ThModelStream;

/* TH_EUSAGE where heads do not divide dim, or the positional encoding does not fit. */
bool th_model_attention_check(const ThOptions *o, int dim, int heads, bool causal, ThError *err);

/* Sizes, and the positional encoding with its parameters for the whole model; the layers are the
 * architecture's to fill, each with th_position_bind_layer where its parameters shall stand. */
void th_model_attention_init(ThModelAttention *a, const ThOptions *o,
                             const ThModelAttention *sizes);

/* The embedded symbols of a batch, `scale` times rows of `table`, plus what the positional encoding
 * adds; in shared form (`token`) where how->share is set and all equal symbols are equal rows. */
typedef struct {
    ThVar table;
    double scale;
} ThModelEmbedding;
ThModelStream th_model_stream(ThTape *t, const ThModelAttention *a, const ThBatch *b,
                              const ThModelForward *how, ThModelEmbedding from, ThModelKept *kept);

/* From here on only the ends of the strings matter. */
void th_model_stream_ends(ThTape *t, ThModelStream *s);

/* Rows of v, which is arranged as s->x, for the positions that go on. */
ThVar th_model_stream_rows(ThTape *t, const ThModelStream *s, ThVar v);

/* After a layer: its output is what the next one reads. */
void th_model_stream_next(ThModelStream *s, ThVar x);

/* Attention of x, arranged as s->x, in one layer: (positions that go on, dim), through the output
 * matrix. */
ThVar th_model_attend(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                      ThVar x);

/* Fills a trace from layers whose outputs are tagged "state". */
bool th_model_attention_trace(const ThModelAttention *a, const ThTape *t, int length,
                              ThModelTrace *out, ThError *err);

/* ---- symbol by symbol ---- */

/* A forward pass that reads behind what was kept; kept is NULL for a whole batch. */
typedef ThVar ThModelRun(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how,
                         ThModelKept *kept);

/* For the tables of architectures, see ThModelKind: open returns new, and the model and *a are
 * borrowed. */
void *th_model_kept_open(const ThModel *m, const ThModelAttention *a, ThModelRun *run,
                         ThError *err);
bool th_model_kept_feed(void *state, const int *token, int n, float *logits, ThError *err);
void th_model_kept_reset(void *state);
void th_model_kept_close(void *state);

#endif
