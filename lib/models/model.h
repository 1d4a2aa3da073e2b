/* model.h - models: architectures, their parameters, and what training has made of them.
 *
 * An architecture is one file with one constant ThModelKind, and one line in kinds.def.  A
 * model is created from options alone; its alphabet and classes come with the first task it is
 * bound to, and only then do its parameters exist.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/option.h"
#include "learn/score.h"
#include "tensor/optimizers/optimizer.h"

typedef struct ThModel ThModel;
typedef struct ThModelTransitions ThModelTransitions; /* models/linear/transitions.h */
typedef struct ThModelAblation ThModelAblation;       /* models/ablation.h */

/* How a forward pass is run. */
typedef struct {
    bool share;   /* compute equal sub-computations once; off where each position is inspected */
    double noise; /* deviation of the noise on every level's output (training only) */
    ThRng *rng;   /* draws it; may be NULL where noise is 0 */
    struct ThModelRouting *routing; /* of a model of trees (ThModelKind): becomes what it computed,
                                       views that live as long as its values; may be NULL */
} ThModelForward;

/* What a model did with one string, for inspection: per layer, in order of computation. */
typedef struct {
    int n_rows, dim;
    int before;        /* rows that stand before these in the layer's values on the tape */
    int *first, *last; /* (n_rows): row i is about the positions first[i] … last[i] */
    double *state;     /* (n_rows, dim): the layer's output */
    int n_heads, n_keys;
    int *key;       /* (n_rows, n_keys): position whose vector is key k of row i; TH_MODEL_KEY_* */
    double *weight; /* (n_heads, n_rows, n_keys); NULL: the layer has no attention */
} ThModelTraceLayer;
enum { TH_MODEL_KEY_PAD = -1, TH_MODEL_KEY_MASKED = -2 };

typedef struct {
    int length, n_layers, n_classes, n_outputs;
    ThModelTraceLayer *layer; /* (n_layers) */
    double *output;           /* (n_outputs, n_classes): logits; n_outputs is 1 or length */
} ThModelTrace;

/* How long a model thought about one string, by units that stop together: positions, chunks, or the
 * whole string.  State i is what i applications have made, 0 the input. */
typedef struct {
    int first, last; /* the positions of the unit: -1 is a symbol that the model puts before the
                        string, the length of the string one behind it */
    int steps;       /* applications that count */
    double ponder;   /* the mean number of them by the masses, which is paid for */
} ThModelHaltedUnit;
typedef struct {
    int most; /* applications that a unit may have */
    int n;
    ThModelHaltedUnit *unit; /* (n) */
    double *p;               /* (n, most + 1): the probability of stopping said at each state; NaN:
                                not asked */
    double *mass;            /* (n, most + 1): what each state got; 1 in all */
} ThModelHalted;

/* What a choice of the option size= stands for: values, "key=value key=value", of the options that
 * are not given. */
typedef struct {
    const char *size, *values;
} ThModelPreset;

typedef struct {
    const char *name, *summary, *source;
    const char *detail;
    const ThOptionSpec *options;
    const ThModelPreset *presets; /* up to one whose size is NULL; NULL: there is no size= */
    const void *part;             /* what a family of architectures must know of this one; NULL */
    bool takes_noise;             /* forward adds how->noise; else it ignores it */
    /* What small models of this architecture want of a training on a regular language, as options
     * of train, "key=value key=value" (see th_train_follow_recipe); NULL: it was not measured. */
    const char *recipe;
    /* Of an architecture that is a tree, with arity= children a node and layers_per_level= layers a
     * level, for a bound model of one layer: the vectors (n, dim) of nodes whose children are rows
     * of x, child (n, chunk), the last one first; -1 stands for what is before a string.  Its
     * forward fills how->routing.  NULL: it is none, and ignores that. */
    ThVar (*combine)(const ThModel *m, ThTape *t, ThVar x, const int *child, int n);
    bool reads_pairs; /* it reads both sides of a pair apart (signature.h, pairs) */
    /* Of a cell, for a bound model: the states (n, numbers of a state) that symbols lead to from
     * those of `state`, of an lstm h and behind it c, layer by layer.  NULL: it is none, or was not
     * asked. */
    ThVar (*advance)(const ThModel *m, ThTape *t, ThVar state, const int *symbol, int n);
    bool causal; /* no output depends on later symbols; where there is an option causal, it
                    decides */
    /* How many levels of its layers a bound model runs on a string; NULL: as many on any. */
    int (*levels)(const ThModel *m, int length);
    /* Of a model with these options: what files that say nothing of `revision` were made with that
     * the architecture does otherwise now, "queries were not scaled"; NULL: nothing.  A kind that
     * has it writes a revision. */
    const char *(*changed)(const ThOptions *o);
    /* Checks the options against each other; called when the model is created. */
    bool (*check)(const ThOptions *o, ThError *err);
    /* Lists the parameters for the signature in m->params and remembers their indices in
     * m->layout (allocated here, freed with free()). */
    bool (*bind)(ThModel *m, ThError *err);
    /* What th_model_forward does, for a batch that it has looked at: it minds b->length.  Embedded
     * inputs are tagged "embedding" (one row per string and position unless how->share), what a
     * layer hands on "state" (or see `level`), indices counting layers. */
    ThVar (*forward)(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how);
    const char *level; /* the name of what a layer hands on, on the tape; NULL: "state" */
    /* The logits of vectors (n, dim) that stand where the last layer's do, which it hands on; of
     * all those of one string.  NULL: layers hand on something else, and there are no levels. */
    ThVar (*answer)(const ThModel *m, ThTape *t, ThVar x);
    /* Fills trace->layer from a tape on which one string was run without sharing, with attention;
     * NULL where the architecture has no layers to show. */
    bool (*trace)(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace, ThError *err);
    /* Fills *to from a tape on which one string was run; NULL where all do the same work. */
    bool (*halted)(const ThModel *m, const ThTape *t, int length, ThModelHalted *to, ThError *err);
    /* What th_model_transitions does, for arguments that it has looked at; NULL where no layer is a
     * linear recurrence. */
    ThModelTransitions *(*transitions)(const ThModel *m, int layer, const int *token, int length,
                                       ThError *err);
    /* Reading B strings symbol by symbol, see models/state.h: open returns new, for a bound model
     * that is causal; feed reads n ≥ 1 symbols more of each, (B, n), and fills the logits
     * (B, n_classes) of the last, or leaves the state as it was; reset forgets all symbols.  All
     * NULL where the architecture keeps nothing from symbol to symbol; a model of which `keeps` is
     * false (NULL: true) keeps nothing either. */
    bool (*keeps)(const ThModel *m);
    void *(*open)(const ThModel *m, int B, ThError *err);
    bool (*feed)(void *state, const int *token, int n, float *logits, ThError *err);
    void (*reset)(void *state);
    void (*close)(void *state); /* NULL is fine */
    /* For one string of a model that answers at every position: feed with the logits (n, n_classes)
     * after each of the symbols; and forgetting all symbols but the first n.  NULL: it cannot. */
    bool (*feed_each)(void *state, const int *token, int n, float *logits, ThError *err);
    void (*cut)(void *state, int n);
} ThModelKind;

/* One line of the training history. */
typedef struct {
    long long step;
    double loss, accuracy;
} ThModelHistoryPoint;

/* What a training found on strings that it set aside. */
typedef struct {
    long long step;
    double accuracy, loss;
} ThModelValidation;

/* How a training against an automaton stood at a step. */
typedef struct {
    long long step;
    long long words, wrong; /* that were read, and of them those that were answered wrongly */
    int states;             /* of the automaton that the model was; 0: none was found */
} ThModelComparison;

/* How a training that goes on until the model is proved stood after one of its stages; see
 * lab/until_proved.h. */
typedef struct {
    long long step;
    int stage;     /* which */
    int undone;    /* 1: the parameters are again those of before the stage */
    int verdict;   /* a ThProofVerdict, or -1: the prover was not asked */
    double mixed;  /* of vectors that trees can hold the share that is misjudged, or nearer to the
                      centre of another label */
    double reach;  /* the farthest vector from its centre, in the mean distance of a centre from
                      its nearest other one */
    double gap;    /* that distance */
    double excess; /* the worst pair of sets beside its room, or the share of a table's entries that
                      are wrong, before the first stage 1; 0: the prover was not asked */
} ThModelStage;

/* What must survive between two trainings for the second to continue the first bit for bit. */
typedef struct {
    long long step;                    /* steps done */
    long long began;                   /* those that there were when the last training began */
    long long updates;                 /* by the present optimiser: bias correction */
    uint64_t seed;                     /* of initialisation and data */
    char *optimizer;                   /* name, NULL before the first step */
    float *moment[TH_OPTIMIZER_SLOTS]; /* (params.total) for each slot of the optimiser, or NULL */
    double ema, reach; /* adaptive curriculum: running accuracy and current greatest length */
    double mean_loss, mean_accuracy,
        mean_weight;            /* running means; the weight of all steps so far */
    int trained_lo, trained_hi; /* lengths seen; 0: none */
    char *task;                 /* how the task was written, for reports */
    char *answers;              /* a hash of what its automaton answers; NULL: not told */
    char *made_on;              /* by which kernels the last training ran; NULL: not told */
    ThModelHistoryPoint *history;
    size_t n_history, cap_history;
    ThModelValidation *validation;
    size_t n_validations, cap_validations;
    ThModelComparison *comparison;
    size_t n_comparisons, cap_comparisons;
    ThModelStage *stage; /* of the last training until proved */
    size_t n_stages, cap_stages;
    ThBatch joined; /* words that join every batch since the last of them, owned */
    float *best;    /* (params.total): parameters at the best validation since `began`, or those
                       before a stage that began then, while a training keeps them; else NULL */
    double *pull;   /* (n_pull): what losses beside that of the answers know, in the training since
                       `began`, which they alone can read; or NULL */
    size_t n_pull;
    int n_centres; /* of table_loss=, see th_model_centres; 0: none */
} ThModelTraining;

struct ThModel {
    const ThTapeBounds *bounds; /* of everything that runs or trains it; borrowed, NULL: none */
    const ThModelKind *kind;
    ThOptions options;
    bool bound;
    ThSignature signature;
    ThParams params;
    void *layout;
    ThModelTraining training;
    ThScore *scores; /* (n_scores): of the last evaluation; freed with free() */
    size_t n_scores;
    ThModelAblation *ablation; /* (n_ablations): what is silenced; freed with the model */
    size_t n_ablations;
};

const ThModelKind *const *th_model_kinds(size_t *n); /* the registry, in manual order */
const ThModelKind *th_model_kind(const char *name);  /* view, or NULL */

/* Returns new, not yet bound.  options must come from kind->options; they are copied.  TH_EUSAGE if
 * they do not fit together, TH_ENOMEM. */
ThModel *th_model_new(const ThModelKind *kind, const ThOptions *options, ThError *err);
ThModel *th_model_copy(const ThModel *m, ThError *err); /* returns new; scores are not copied */

/* The centres (n, dim) to which vectors are to snap, of labels in the order of proof/labels.h, that
 * the last training has left, if it was with table_loss= and there are as many: a view of the end
 * of training.pull.  NULL: there are none. */
const double *th_model_centres(const ThModel *m, int n, int dim);
void th_model_free(ThModel *m); /* NULL is fine */
TH_RELEASES(th_model_free, ThModel)

/* Whether no output of the model depends on symbols behind its position. */
bool th_model_causal(const ThModel *m);

/* Returns new: a tape for a bound model that minds its bounds, one of `tapes` at the same time. */
ThTape *th_model_tape(const ThModel *m, ThTapePrecision precision, int tapes, ThError *err);

/* TH_ENUMERIC: what the model says is not finite, with a hint at why that may be.  False. */
bool th_model_fail_infinite(const ThModel *m, ThError *err);

/* The same for answers, in the precision that its bounds say. */
ThTape *th_model_run_tape(const ThModel *m, int tapes, ThError *err);

/* TH_ELIMIT unless `bytes` are within the bounds; what: "the parameters". */
bool th_model_affords(const ThModel *m, double bytes, const char *what, ThError *err);

/* Gives the model its alphabet and classes and draws its parameters; on a bound model checks that
 * they are the same (TH_EVALUE).  *s is copied.  TH_EUSAGE if the architecture cannot answer as *s
 * asks, or looks ahead where the symbols that follow are asked for; TH_ELIMIT if its bounds have no
 * room for its parameters; TH_ENOMEM: the model stays unbound. */
bool th_model_bind(ThModel *m, const ThSignature *s, uint64_t seed, ThError *err);

/* How many numbers the parameters of a model would be if it were bound: nothing is allocated for
 * them.  Errors as th_model_bind. */
bool th_model_size(const ThModel *m, const ThSignature *s, size_t *numbers, ThError *err);

/* Makes a model what it was before it was bound, and forgets its training. */
void th_model_unbind(ThModel *m);

/* Runs a bound model on a batch and returns the logits on the tape: (B, classes) for
 * TH_TARGET_FINAL, (B*T, classes) otherwise.  Of a ragged batch the answer of a string is that of
 * its own last position, the same as if it stood alone, and rows of logits behind it mean nothing.
 * Fails the tape on a token outside the alphabet, on lengths outside 1 … T, and as th_batch_fits
 * does.  b->target is not read; the rest of *b is borrowed until the tape begins again. */
ThVar th_model_forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how);

/* The loss, and `scale` times what the forward pass on this tape asks for besides, summed over its
 * strings (tagged "cost"): for how long it thought, for instance.  To be trained on. */
ThVar th_model_priced(ThTape *t, ThVar loss, double scale);

/* Runs one string of length ≥ 1 and returns new: everything there is to see.  TH_EVALUE if the
 * model is not bound. */
ThModelTrace *th_model_trace(const ThModel *m, const int *token, int length, ThError *err);

/* The same on a tape, where everything that has a name is kept until it begins again; token is
 * borrowed until then. */
ThModelTrace *th_model_trace_on(const ThModel *m, ThTape *t, int *token, int length, ThError *err);

/* TH_EVALUE if a model's layers do not hand on a vector for every position (answer is NULL). */
bool th_model_need_levels(const ThModel *m, ThError *err);

/* What a layer handed on in the last run on a tape, from 0; -1: there is no such layer. */
ThVar th_model_level(const ThModel *m, const ThTape *t, int layer);
void th_model_trace_free(ThModelTrace *t); /* NULL is fine */
TH_RELEASES(th_model_trace_free, ThModelTrace)

/* Runs one string of length ≥ 1 and returns new: how long the model thought about it.  TH_EVALUE if
 * it is not bound, or does not halt by itself. */
ThModelHalted *th_model_halted(const ThModel *m, const int *token, int length, ThError *err);
void th_model_halted_free(ThModelHalted *h); /* NULL is fine */
TH_RELEASES(th_model_halted_free, ThModelHalted)

/* For the trace functions of architectures: n layers; and one layer's arrays by the sizes in
 * `shape` (n_rows, dim, n_heads, n_keys; no attention where n_keys is 0), zeroed. */
bool th_model_trace_layers(ThModelTrace *trace, int n, ThError *err);
bool th_model_trace_rows(ThModelTraceLayer *l, const ThModelTraceLayer *shape, ThError *err);
