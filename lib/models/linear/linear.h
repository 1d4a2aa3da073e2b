/* linear.h - networks of linear recurrences: embedding, layers with layer norm before and a
 * residual around each but the last, layer norm, and a head of two layers (Fan, Chi, Rudnicky and
 * Ramadge 2024, section 4 and its code).
 *
 * An architecture is its layer: what an input adds to the state, how the state moves, and what is
 * read from it.  Everything else is here, reading symbol by symbol included.  The first layer's
 * inputs depend on the symbol only, so that what it computes from them is computed for each symbol
 * once.  Where nobody looks at states, a layer may compute its output without them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/builder.h"
#include "models/linear/transitions.h"

enum { TH_MODEL_LINEAR_LAYERS = 64, TH_MODEL_LINEAR_PARAMS = 16 };

/* What a layer reads: rows of x, of which position i of string b reads row index[b*T + i] (NULL:
 * row b*T + i).  start is the state that there was before, (B, state). */
typedef struct {
    ThVar x, start;
    int B, T;
    const int *index, *length;
    bool states; /* they are wanted */
} ThModelLinearInput;

/* What it makes of it: the states (B*T, state), -1 where they are not wanted and not needed, and
 * its output (B*T, dim). */
typedef struct {
    ThVar state, output;
} ThModelLinearOutput;

/* How the numbers of a state move: x -> A x + v for a given input, A having blocks along its
 * diagonal.  Number i of block k is number first + k*size + i of the state; where they are complex
 * that is its real part, and its imaginary part is blocks*size numbers farther. */
typedef struct {
    int first, blocks, size;
    bool complex;
} ThModelLinearBlocks;

typedef struct {
    /* Numbers in the state of a layer. */
    int (*state)(const ThOptions *o);
    /* Which of them move linearly; others, as of a convolution's last inputs, are not looked at. */
    ThModelLinearBlocks (*blocks)(const ThOptions *o);
    /* Adds a layer's parameters by *b; param[TH_MODEL_LINEAR_PARAMS] takes their indices. */
    void (*add)(ThModelBuilder *b, int *param);
    /* The state before the first symbol, (1, state); NULL: zeros. */
    ThVar (*start)(ThTape *t, const int *param);
    ThModelLinearOutput (*run)(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in);
    bool norm_after; /* layer norm behind each layer instead of before, no residual around any, and
                        a linear head without another norm (Terzić et al. 2025) */
} ThModelLinearLayer;

/* What the tables of these architectures share, see ThModelKind; the layer is their `part`. */
#define TH_MODEL_LINEAR_KIND                                                                       \
    .takes_noise = true, .causal = true, .bind = th_model_linear_bind,                             \
    .forward = th_model_linear_forward, .level = "output", .answer = th_model_linear_answer,       \
    .trace = th_model_linear_trace, .transitions = th_model_linear_transitions,                    \
    .open = th_model_linear_open, .feed = th_model_linear_feed, .reset = th_model_linear_reset,    \
    .close = th_model_linear_close
/* `advance` is not among them: it is for models of one layer, whose state is what is read. */
bool th_model_linear_bind(ThModel *m, ThError *err);
ThVar th_model_linear_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                              const ThModelForward *how);
ThVar th_model_linear_answer(const ThModel *m, ThTape *t, ThVar x);
bool th_model_linear_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                           ThError *err);
ThModelTransitions *th_model_linear_transitions(const ThModel *m, int layer, const int *token,
                                                int length, ThError *err);
ThVar th_model_linear_advance(const ThModel *m, ThTape *t, ThVar state, const int *symbol, int n);
void *th_model_linear_open(const ThModel *m, int B, ThError *err);
bool th_model_linear_feed(void *state, const int *token, int n, float *logits, ThError *err);
void th_model_linear_reset(void *state);
void th_model_linear_close(void *state);

/* For layers: a linear map as PyTorch begins it, named `name` and `name`_bias, whose indices are
 * param[0] and param[1]; and what it makes of x. */
void th_model_linear_map(ThModelBuilder *b, const char *name, int rows, int cols, int *param);
ThVar th_model_linear_apply(ThTape *t, ThVar x, const int *param);

/* Rows of x for all positions. */
ThVar th_model_linear_rows(ThTape *t, const ThModelLinearInput *in, ThVar x);

/* u (B*T, d) convolved with the kernel (L, d), and, where states are wanted, the L-1 rows before
 * the next position at each position, (B*T, (L-1) d).  `before` is what these were before the first
 * one, (1, (L-1) d), or of each string its own; -1: zeros. */
typedef struct {
    ThVar output, recent;
} ThModelLinearConvolved;
ThModelLinearConvolved th_model_linear_convolve(ThTape *t, const ThModelLinearInput *in, ThVar u,
                                                ThVar kernel, ThVar before);

/* What else those have that can be layers of a language model. */
#define TH_MODEL_LINEAR_DECODER                                                                    \
    TH_MODEL_OPTION("decoder", TH_FLAG, "no", 0, 0, NULL,                                          \
                    "as in a language model: RMS norm before each layer, what it makes is added "  \
                    "to what it read, and the head is an RMS norm and one matrix"),                \
        TH_MODEL_OPTION("mlp_width", TH_INT, NULL, 1, 1 << 20, NULL,                               \
                        "decoder=yes: width of a gated feed-forward layer with SiLU behind each "  \
                        "layer; none if not given"),                                               \
        TH_MODEL_OPTION("norm_epsilon", TH_REAL, NULL, 0, 1, NULL,                                 \
                        "decoder=yes: what is added to a mean square before its root, 1e-5 if "    \
                        "not given")
bool th_model_linear_check(const ThOptions *o, ThError *err);

/* The two options that all have, for the beginning of a table. */
#define TH_MODEL_LINEAR_OPTIONS                                                                    \
    TH_MODEL_OPTION("dim", TH_INT, "64", 1, 65536, NULL, "width of the vectors between layers"),   \
        TH_MODEL_OPTION("layers", TH_INT, "1", 1, TH_MODEL_LINEAR_LAYERS, NULL,                    \
                        "layers, each with weights of its own")
