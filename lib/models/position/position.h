/* position.h - positional encodings: how a Transformer knows where its symbols stand.
 *
 * An encoding is one file in position/ with one constant ThPositionKind, and one line in
 * positions.def; a model of any architecture that attends offers them all by
 *
 *         {"position", TH_CHOICE, "none", 0, 0, TH_POSITION_CHOICES, "how positions enter"},
 *     #include "models/position/position_options.def"
 *
 * at the end of its table of options.  An encoding does one thing or more of these: it adds to the
 * embedded symbols, it turns queries and keys, it modifies the attention of every layer.  Each is
 * said for positions, not for batches, so that training, evaluation and generation with kept keys
 * and values use the same words.  Beside it places= adds what depends on the symbols themselves.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/builder.h"

typedef struct ThPositionKind ThPositionKind;

enum { TH_POSITION_PARAMS = 6, TH_POSITION_LAYERS = 64 };

/* The encoding of one model.  Flat: it may be copied and freed with what it lies in. */
typedef struct {
    const ThPositionKind *kind; /* with position=random the encoding that it draws positions for */
    const ThOptions *options;   /* the model's; borrowed */
    int dim, heads;
    bool causal;
    bool tied;         /* the weights of the bias are the same in all layers */
    int longest;       /* position=random: positions are drawn from 0 … longest-1; else 0 */
    int log_length;    /* logits are what they are where so many symbols are seen; 0: everywhere */
    long long numbers; /* parameters that the encoding has added */
    int places;        /* by the option places=, see place_vectors.h */
    int place, line, part;        /* parameters of these */
    const ThSignature *signature; /* once it is bound; borrowed */
    /* Indices in the parameter table as bind and bind_layer set them. */
    int param[TH_POSITION_PARAMS];
    int layer[TH_POSITION_LAYERS][TH_POSITION_PARAMS];
} ThPosition;

/* Where n rows stand: row i at position[i], or, where that is NULL, at first + i modulo T. */
typedef struct {
    int n, T, first;
    const int *position;
} ThPositionRows;

/* The positions of B strings of T, which attend to each other. */
typedef struct {
    int B, T;
    const int *place;  /* (B,T): where they stand, growing along a string; NULL: 0 … T-1 */
    const int *window; /* (heads): how far each sees; NULL: everything */
    ThVar bias;        /* of all layers, where they share it; of drawn positions also the windows;
                          else -1 */
    ThVar distance;    /* what kind->prepare made; else -1 */
} ThPositionSpan;

struct ThPositionKind {
    const char *name, *summary, *source;
    bool causal, full;   /* the attention that it is defined for: with, without causal masks */
    const char *options; /* of those in positions.def the ones that it reads, a|b|c; NULL: none */
    /* Checks the options and sizes of *p, whose parameters are not bound; NULL: all fit. */
    bool (*check)(const ThPosition *p, ThError *err);
    /* Add parameters by *b, of the model and of each layer (b->layer); NULL: there are none. */
    void (*bind)(ThPosition *p, ThModelBuilder *b);
    void (*bind_layer)(ThPosition *p, int *param, ThModelBuilder *b);
    /* Embedded symbols x (n, dim) with what it adds.  NULL: nothing; then equal symbols have equal
     * rows. */
    ThVar (*at_input)(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows);
    /* Queries (n, dim), or keys and values (n, 2*dim) with the keys turned; NULL: they stay. */
    ThVar (*at_queries)(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows);
    ThVar (*at_keys)(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows);
    /* What is added to the logits, in the shape that `biased` says (tensor/tape/tape.h,
     * ThOpAttention): by distance for span->T positions, or for each pair of span->place.  param
     * are the weights that bind_bias added, of the model or of a layer; NULL: the bias has none. */
    ThTapeBias biased;
    ThVar (*bias)(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span);
    void (*bind_bias)(const ThPosition *p, int *param, ThModelBuilder *b);
    /* Multiply-adds that it takes for every query and key, in each layer or, where bind_bias is
     * for all layers, once; NULL: none but those of the products. */
    int (*pair)(const ThPosition *p);
    /* Fills the widths of the windows (heads), 0 for none; NULL: all heads see everything. */
    void (*windows)(const ThPosition *p, int *window);
    /* Relative positions among the products: what all layers need for T positions; and u, v and xl
     * of a layer in *how. */
    ThVar (*prepare)(const ThPosition *p, ThTape *t, int T);
    void (*at_attention)(const ThPosition *p, ThTape *t, int layer, ThVar distance,
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
/* `layer` is the one that attends, from 0: of a block that is applied again, 0. */
void th_position_bind_layer(ThPosition *p, ThModelBuilder *b, int layer);
ThVar th_position_at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows);
ThVar th_position_at_queries(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows);
ThVar th_position_at_keys(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows);

/* The symbols of B texts of T, of which length[b] count (NULL: all), and how many of them, the last
 * ones of each, are embedded. */
typedef struct {
    int B, T, last;
    const int *token, *length; /* (B,T), (B) */
} ThPositionText;

/* Embedded symbols x (B*last, dim) with the vectors of their places where places= asks for them; r:
 * where a text begins in the table, at its beginning where it is NULL.  The tape fails with
 * TH_EVALUE where the table ends.  Linear in the texts. */
ThVar th_position_at_places(const ThPosition *p, ThTape *t, ThVar x, const ThPositionText *text,
                            ThRng *r);

/* Are the rows of the table of places drawn, also when nothing is trained (place_draw=random)? They
 * depend on how many places a text has.  So the second says whether those of the first `kept` ≥ 1
 * symbols of any text are others when all of it is read: false if not, or where it cannot be read.
 */
bool th_position_draws_places(const ThPosition *p);
bool th_position_moves_places(const ThPosition *p, const ThPositionText *text, int kept);

/* Do the options of a model ask for places? */
bool th_position_has_places(const ThOptions *o);

/* Does anything enter at the embeddings, so that equal symbols differ? */
bool th_position_adds(const ThPosition *p);

/* With position=random draws where the rows of *span stand, whose B and T are set: from *r, or,
 * where that is NULL, from a fixed seed and the length alone, so that a string is read the same way
 * at any time.  length (B): how long each string is; NULL: T. */
void th_position_draw(const ThPosition *p, ThTape *t, const int *length, ThRng *r,
                      ThPositionSpan *span);

/* Begins a forward pass over *span, whose B and T are set: draws its positions, where that has not
 * been done, and computes what all layers need. */
void th_position_prepare(const ThPosition *p, ThTape *t, const int *length, ThRng *r,
                         ThPositionSpan *span);

/* Sets the modifiers of attention in *how (u, v, xl, window, biased, bias) in a layer. */
void th_position_at_attention(const ThPosition *p, ThTape *t, int layer, const ThPositionSpan *span,
                              ThOpAttention *how);

/* So many layers, from the first, have the kind's windows. */
int th_position_windowed(const ThPosition *p);

/* False where positions are drawn anew for every length, so that generation cannot keep keys. */
bool th_position_stays(const ThPosition *p);

/* What at_attention set in one layer as plain numbers, for generation, which asks for the same at
 * every token. */
typedef struct {
    int dim, heads;
    int xl_rows, bias_rows, bias_cols;
    const float *u, *v, *xl, *bias; /* NULL: none */
    const int *window;
    ThTapeBias biased;
} ThPositionModifiers;

/* Fills *to for the one string of *span from a tape in TH_TAPE_FLOAT; its arrays lie in the arena.
 * The tape fails where memory runs out. */
void th_position_keep(const ThPosition *p, ThTape *t, int layer, const ThPositionSpan *span,
                      ThPositionModifiers *to, ThArena *arena);

/* Sets the same modifiers in *how, without a copy. */
void th_position_reuse(const ThPositionModifiers *from, ThTape *t, ThOpAttention *how);

/* The greatest position of all rows. */
int th_position_last(const ThPositionRows *rows);

/* For encodings that add a row to each symbol: x plus rows of `table`, whose row 0 is for position
 * `from`. */
ThVar th_position_add(ThTape *t, ThVar x, ThVar table, int from, const ThPositionRows *rows);

/* Turns the columns of queries or keys that come first in x by their positions; growth: xPos's
 * exponent for each position, 0 for rotary positions alone. */
ThVar th_position_turn(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows,
                       double growth);
bool th_position_turns(const ThPosition *p, ThError *err); /* do the sizes fit? */

/* For biases by distance: column c of one stands for this distance, which is negative where the key
 * is behind the query (without causal masks); and how many columns it has. */
int th_position_distance(const ThPositionSpan *span, int column);
int th_position_columns(const ThPosition *p, const ThPositionSpan *span);

/* A weight (rows, 1) made positive as KERPLE does it, at least 0.01; a number below zero, of an old
 * file, counts by its size.  Below 0.01 there is no slope: a weight that th_position_build made is
 * held where there is one, so that a step that goes too far ends at the bound and the next may
 * leave it, which is what the authors' program does. */
ThVar th_position_positive(ThTape *t, ThVar weight);

/* Adds such a weight, (p->heads, 1), which begins uniform up to `begins` and is held at most
 * `most`; its index, or -1. */
int th_position_build(const ThPosition *p, ThModelBuilder *b, const char *name, double begins,
                      double most);

/* The slopes of ALiBi, (heads): Press, Smith and Lewis 2022, section 3, and their program where the
 * heads are no power of two. */
void th_position_slopes(int heads, double *slope);
