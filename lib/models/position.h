/* position.h - positional encodings: how a Transformer knows where its symbols stand.
 *
 * An encoding is one file in position/ with one constant ThPositionKind, and one line in
 * positions.def; a model of any architecture that attends offers them all by
 *
 *         {"position", TH_CHOICE, "none", 0, 0, TH_POSITION_CHOICES, "how positions enter"},
 *     #define POSITION_OPTION(...) {__VA_ARGS__},
 *     #include "models/positions.def"
 *
 * in its table of options.  An encoding does one thing or more of these: it adds to the embedded
 * symbols, it turns queries and keys, it modifies the attention of every layer.  Each is said for
 * positions, not for batches, so that training, evaluation and generation with kept keys and values
 * use the same words.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_MODELS_POSITION_H
#define TH_MODELS_POSITION_H

#include "base/option.h"
#include "models/builder.h"
#include "tensor/tape.h"

typedef struct ThPositionKind ThPositionKind;

enum { TH_POSITION_PARAMS = 4, TH_POSITION_LAYERS = 64 };

/* The encoding of one model.  Flat: it may be copied and freed with what it lies in. */
typedef struct {
    const ThPositionKind *kind;
    const ThOptions *options; /* the model's; borrowed */
    int dim, heads;
    bool causal;
    /* Indices in the parameter table as bind and bind_layer set them. */
    int param[TH_POSITION_PARAMS];
    int layer[TH_POSITION_LAYERS][TH_POSITION_PARAMS];
} ThPosition;

/* Where n rows stand: row i at position[i], or, where that is NULL, at first + i modulo T. */
typedef struct {
    int n, T, first;
    const int *position;
} ThPositionRows;

struct ThPositionKind {
    const char *name, *summary, *source;
    bool causal, full; /* the attention that it is defined for: with, without causal masks */
    /* Checks the options and sizes of *p, whose parameters are not bound; NULL: all fit. */
    bool (*check)(const ThPosition *p, ThError *err);
    /* Add parameters by *b, of the model and of each layer (b->layer); NULL: there are none. */
    void (*bind)(ThPosition *p, ThModelBuilder *b);
    void (*bind_layer)(ThPosition *p, ThModelBuilder *b);
    /* Embedded symbols x (n, dim) with what it adds.  NULL: nothing; then equal symbols have equal
     * rows. */
    ThVar (*at_input)(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows);
    /* Queries (n, dim), or keys and values (n, 2*dim) with the keys turned; NULL: they stay. */
    ThVar (*at_queries)(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows);
    ThVar (*at_keys)(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows);
    /* What all layers need for positions 0 … span-1, computed once; NULL: nothing. */
    ThVar (*prepare)(const ThPosition *p, ThTape *t, int span);
    /* Sets the modifiers of attention in *how (u, v, xl, window, biased, bias) for positions 0 …
     * span-1 in a layer; NULL: there are none. */
    void (*at_attention)(const ThPosition *p, ThTape *t, int layer, ThVar prepared, int span,
                         ThOpAttention *how);
};

const ThPositionKind *const *th_position_kinds(size_t *n); /* the registry, in manual order */
const ThPositionKind *th_position_kind(const char *name);  /* view, or NULL */

/* What the option `position` offers, and the encodings' own options, for tables of options. */
extern const char th_position_list[]; /* "|none|…" */
#define TH_POSITION_CHOICES (th_position_list + 1)

/* Fills *p from a model's options and sizes; no parameters yet. */
void th_position_init(ThPosition *p, const ThOptions *o, int dim, int heads, bool causal);

/* TH_EUSAGE where the encoding does not fit the options and sizes. */
bool th_position_check(const ThPosition *p, ThError *err);

/* What the kind does, or nothing. */
void th_position_bind(ThPosition *p, ThModelBuilder *b);
void th_position_bind_layer(ThPosition *p, ThModelBuilder *b);
ThVar th_position_at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows);
ThVar th_position_at_queries(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows);
ThVar th_position_at_keys(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows);
ThVar th_position_prepare(const ThPosition *p, ThTape *t, int span);
void th_position_at_attention(const ThPosition *p, ThTape *t, int layer, ThVar prepared, int span,
                              ThOpAttention *how);

/* What at_attention set in one layer as plain numbers, for generation, which asks for the same at
 * every token. */
typedef struct {
    int dim, heads;
    int xl_rows, bias_rows, bias_cols;
    const float *u, *v, *xl, *bias; /* NULL: none */
    const int *window;
    ThTapeBias biased;
} ThPositionModifiers;

/* Fills *to for positions 0 … span-1 from a tape in TH_TAPE_FLOAT; its arrays lie in the arena. The
 * tape fails where memory runs out. */
void th_position_keep(const ThPosition *p, ThTape *t, int layer, ThVar prepared, int span,
                      ThPositionModifiers *to, ThArena *arena);

/* Sets the same modifiers in *how, without a copy. */
void th_position_reuse(const ThPositionModifiers *from, ThTape *t, ThOpAttention *how);

/* The greatest position of all rows. */
int th_position_last(const ThPositionRows *rows);

/* For encodings that add a row to each symbol: x plus rows of `table`, whose row 0 is for position
 * `from`. */
ThVar th_position_add(ThTape *t, ThVar x, ThVar table, int from, const ThPositionRows *rows);

/* The slopes of ALiBi, (heads): Press, Smith and Lewis 2022, section 3, and their program where the
 * heads are no power of two. */
void th_position_slopes(int heads, double *slope);

#endif
