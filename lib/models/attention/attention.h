/* attention.h - layers of self-attention with positions: what the architectures share that are made
 * of them.
 *
 * An architecture lists its parameters in a ThModelAttention and says what a layer does with the
 * ThModelStream that goes through them, and how it answers.  All else is here, reading symbol by
 * symbol included, where keys and values are kept.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/position/position.h"

/* Indices into the parameter table; -1: no bias. */
typedef struct {
    int query, key_value, output;
    int query_bias, key_value_bias, output_bias;
} ThModelAttentionLayer;

typedef struct ThModelStream ThModelStream;

/* What is an architecture's own. */
typedef struct {
    /* The output of a layer for the positions that go on. */
    ThVar (*layer)(ThTape *t, const ThModel *m, int layer, const ThModelStream *s, ThRng *rng);
    ThVar (*answer)(ThTape *t, const ThModel *m, ThVar x); /* the logits */
} ThModelBlocks;

/* The layout of such a model begins with one. */
typedef struct {
    const ThModelBlocks *blocks;
    int dim, heads, layers;
    bool causal;
    ThTapeHard hard; /* by the option attention, where that is one */
    int embedding;   /* the parameter, and what its rows are multiplied by */
    double scale;
    double dropout; /* the share of weights that training drops */
    ThPosition position;
    ThModelAttentionLayer layer[TH_POSITION_LAYERS];
} ThModelAttention;

/* Keys, values and modifiers that generation keeps from symbol to symbol. */
typedef struct ThModelKept ThModelKept;

/* What a layer reads.  x holds a row for every position of every string, or, before the first
 * layer, one for every symbol, which `token` places.  `last` lists the rows of x that stand at the
 * ends of the strings where only those go on, else NULL; last_at their positions. */
struct ThModelStream {
    ThVar x;
    int B, T;
    const int *token, *length, *last, *last_at;
    ThPositionSpan span;
    int step;          /* where a layer is run again and again: for the tag of its attention */
    ThModelKept *kept; /* generation: what came before; else NULL */
    ThRng *rng;        /* of what is dropped; NULL: nothing is */
};

/* TH_EUSAGE where heads do not divide dim, or, in the second, the positional encoding does not fit,
 * or not with attention that is hard:
 * for ThModelKind's check. */
bool th_model_check_heads(const ThOptions *o, ThError *err);
bool th_model_attention_check(const ThOptions *o, ThError *err);

/* Sizes and positional encoding by the options dim, heads, position, attention_dropout and causal,
 * where that is one; else the model is causal. */
void th_model_attention_init(ThModelAttention *a, const ThOptions *o, int layers);

/* Lists what attends in layer b->layer, with the parameters of its positions. */
void th_model_attention_layer(ThModelAttention *a, ThModelBuilder *b, bool biased);

/* Rows of v, which is arranged as s->x, for the positions that go on. */
ThVar th_model_stream_rows(ThTape *t, const ThModelStream *s, ThVar v);

/* Attention of x, arranged as s->x, in one layer: (positions that go on, dim), through the output
 * matrix. */
ThVar th_model_attend(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                      ThVar x);

/* The same, keys and values being made of `from`. */
ThVar th_model_attend_to(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                         ThVar x, ThVar from);

/* x times a parameter, plus another if bias is not -1. */
ThVar th_model_project(ThTape *t, ThVar x, int weight, int bias);

/* Names keys and values for inspections, of kv (…, 2 dim). */
void th_model_note_keys(ThTape *t, ThVar kv, int index);

/* For the tables of architectures, see ThModelKind. */
ThVar th_model_attention_answer(const ThModel *m, ThTape *t, ThVar x);
ThVar th_model_attention_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how);
bool th_model_attention_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out,
                              ThError *err);
bool th_model_attention_keeps(const ThModel *m);
void *th_model_attention_open(const ThModel *m, int B, ThError *err);
bool th_model_attention_feed(void *state, const int *token, int n, float *logits, ThError *err);
bool th_model_attention_feed_each(void *state, const int *token, int n, float *logits,
                                  ThError *err);
void th_model_attention_cut(void *state, int n);
void th_model_attention_reset(void *state);
void th_model_attention_close(void *state);

/* What the tables of architectures share that do no more to a string than to run layers. */
#define TH_MODEL_ATTENTION_KIND                                                                    \
    .takes_noise = true, .check = th_model_attention_check, .forward = th_model_attention_forward, \
    .answer = th_model_attention_answer, .trace = th_model_attention_trace,                        \
    .keeps = th_model_attention_keeps, .open = th_model_attention_open,                            \
    .feed = th_model_attention_feed, .feed_each = th_model_attention_feed_each,                    \
    .cut = th_model_attention_cut, .reset = th_model_attention_reset,                              \
    .close = th_model_attention_close
