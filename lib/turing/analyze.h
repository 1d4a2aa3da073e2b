/* analyze.h - does a machine ever stop?  Proofs that it does not, that a reader can check.
 *
 * A machine stops by entering a state that stops it, where no rule applies, or at the edge of its
 * tape.  None of the methods decides every machine, and together they still do not: what none of
 * them proves is unknown.  No method ever claims more than it has shown.
 *
 *   unreachable  no rule that stops the machine can be reached by states and symbols alone
 *   cycler       a configuration comes back (Brent's search)
 *   translated_cycler
 *                at two records of the head's position in the same direction, the state and all
 *                cells that the head read in between are the same (Lin and Radó 1965)
 *   backward_reasoning
 *                all ways to stop, followed backwards, lead into contradictions (Marxen and
 *                Buntrock 1990)
 *   choices      of a machine with choices: all configurations that they lead to, breadth first,
 *                none of which stops it
 *   ngram_cps    the cells around the head and the groups of neighbours on either side form a
 *                closed set without a way to stop (the closed position sets of Marxen and Buntrock;
 *                groups of n cells and their histories as in the proof of BB(5), 2024)
 *   bouncers     see bouncers.h; on a blank tape
 *   far, repeated_words
 *                see closed.h; on a blank tape
 *   rules        see rules.h; the same, also of machines that stop after more steps than are run
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/intern.h"
#include "turing/closed/afterwards.h"
#include "turing/closed/bouncers.h"
#include "turing/closed/rules.h"
#include "turing/engine.h"

typedef enum {
    TH_TM_PROOF_NONE,
    TH_TM_PROOF_STOPS, /* it was run to its end; of a machine with choices, some run ends */
    TH_TM_PROOF_REACH,
    TH_TM_PROOF_CYCLE,
    TH_TM_PROOF_TRANSLATION,
    TH_TM_PROOF_BACKWARD,
    TH_TM_PROOF_CONTEXTS,
    TH_TM_PROOF_CHOICES,
    TH_TM_PROOF_FAR,
    TH_TM_PROOF_WORDS,
    TH_TM_PROOF_BOUNCER,
    TH_TM_PROOF_RULES /* that it stops, or never does: ruled says which */
} ThTmProof;

/* What states and symbols alone allow: more than really happens, never less. */
typedef struct {
    bool *state;                    /* (n_states) can be entered */
    bool *symbol[TH_TM_MOST_TAPES]; /* (n_symbols) can stand on the tape */
    bool *rule;                     /* (n_rules) can be used */
    bool stops;                     /* the machine can stop */
} ThTmReach;

/* words NULL: any input over the machine's symbols.  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_tm_reach(ThTmReach *r, const ThTm *m, const ThTmTapeWords *words, ThStop *stop,
                 ThError *err);
void th_tm_reach_free(ThTmReach *r, const ThTm *m);

/* The state and cells first … last at `step` (relative to the start) are those at step + period
 * with all positions moved by `shift`; the head stands outside of them at no step in between.  A
 * shift of 0 is the whole configuration. */
typedef struct {
    uint64_t step, period;
    int64_t shift, head, first, last;
    int state;
} ThTmRecurrence;

/* Runs a machine without choices for up to w->limits.steps steps or until a recurrence is found.
 * *found says which: TH_TM_PROOF_STOPS, TH_TM_PROOF_CYCLE, TH_TM_PROOF_TRANSLATION or
 * TH_TM_PROOF_NONE; `end` gets how far it came.  Linear in the steps in most cases. */
bool th_tm_recur(const ThTmWork *w, ThTmRecurrence *a, ThTmProof *found, ThTmFastFigures *end,
                 ThError *err);

/* A set of configurations from which the machine stops after `depth` steps: a state and some
 * cells; positions count from where the head stands when it stops. */
typedef struct {
    int state, depth;
    int parent;    /* the node that follows, or -1 */
    int rule;      /* that leads there; -1 at the root */
    int head;      /* position */
    int low, high; /* cells that may be known */
    int edge;      /* position of the leftmost cell of a one-way tape; TH_TM_NO_EDGE: anywhere */
    size_t cells;  /* where in `cell` they begin; TH_TM_ANY is an unknown cell */
} ThTmBackNode;

enum { TH_TM_NO_EDGE = INT32_MIN };

/* All of them, breadth first; complete only where th_tm_backward says so. */
typedef struct {
    ThTmBackNode *node;
    size_t n, cap;
    int *cell;
    size_t n_cells, cell_cap;
    int depth; /* the greatest */
} ThTmBackward;

/* Follows all ways to stop that `r` allows.  *proved: there are no more than `depth` steps back and
 * some ten thousand nodes, and the start of the run is in none of them.  One tape. */
bool th_tm_backward(const ThTmWork *w, const ThTmReach *r, int depth, ThTmBackward *b, bool *proved,
                    ThError *err);
void th_tm_backward_free(ThTmBackward *b);

/* A rule that could lead to a node of its own, had it not left another symbol or come from outside
 * the tape.  Calls `see` for each rule that enters the node's state, with the symbol that it read;
 * `fits` tells whether there is a configuration before, and `clash` the cell that speaks against it
 * (where that is the tape's edge, written is TH_TM_ANY). */
typedef struct {
    int rule, state, read, written;
    int head; /* before */
    bool fits, bounces;
    int clash;
} ThTmBackStep;
typedef bool ThTmSeeBackStep(void *context, const ThTmBackStep *step);
bool th_tm_backward_each(const ThTmBackward *b, size_t node, const ThTm *m, const ThTmReach *r,
                         ThTmSeeBackStep *see, void *context);

/* Contexts of `width` cells on either side of the head.  Cells on the left are listed from the head
 * outwards.  A cell is a number: that of its symbol where no rule has written there yet, n_symbols
 * beyond the edge of a one-way tape, else that of a symbol and of the last `history` cases (state
 * and symbol read) in which rules wrote there, the last one first. */
typedef struct {
    int width, history;
    ThIntern cell;        /* symbol, then a state and a symbol for each case: uint16_t each */
    ThIntern left, right; /* groups of neighbours: (width) uint16_t each */
    ThIntern context;     /* (2 + 2 * width) uint16_t: state, scanned cell, left, right */
} ThTmContexts;

/* *proved: the least closed set has no way to stop and some ten thousand contexts at most.  One
 * tape, states up to 65535. */
bool th_tm_contexts(const ThTmWork *w, int width, int history, ThTmContexts *c, bool *proved,
                    ThError *err);
void th_tm_contexts_free(ThTmContexts *c);

typedef struct {
    ThTmRunLimits run;
    uint64_t configurations; /* of a machine with choices */
    int depth, width, history;
    uint64_t bouncers; /* steps in which they are looked for; 0: not tried */
    int far, words;    /* states of the automaton, cells of a word at most; 0: not tried */
    uint64_t rules;    /* moves by rules; 0: not tried */
    bool reach, run_it, backward, contexts; /* which methods are tried */
} ThTmAnalysisLimits;

typedef struct {
    ThTmProof proof;
    ThTmReach any, here; /* for any input, and for the one given */
    ThTmFastFigures end; /* of the run, as far as it went; steps 0 where it was not run.  Of a
                            machine with choices: of a shortest run that accepts, or else that ends;
                            where none does, as far as all went */
    ThTmVerdict runs;    /* what search.h says of all runs; TH_TM_GOES_ON where it was not asked */
    size_t configurations; /* that the choices led to */
    ThTmRecurrence again;
    ThTmBackward backward;
    ThTmContexts contexts;
    ThTmFar far;
    ThTmRepeated repeated;
    ThTmBouncer bouncer;
    ThTmRuled ruled;
} ThTmAnalysis;

/* Tries the methods from the cheapest on until one proves something.  Machines with several tapes
 * are analysed by reach and cycle; machines with choices by choices instead of cycle and
 * translation: they stop where some run does, and a proof that they do not means that none of their
 * runs stops.  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_tm_analyze(ThTmAnalysis *a, const ThTm *m, const ThTmTapeWords *words,
                   ThTmAnalysisLimits limits, ThStop *stop, ThError *err);
void th_tm_analysis_free(ThTmAnalysis *a, const ThTm *m);

/* As bbchallenge calls its deciders: "cycler", "translated_cycler", …; and "none", "run". */
const char *th_tm_proof_name(ThTmProof p);

/* Appends the numbers with which proof/machine/endless.h checks what was found of a machine that
 * has a bbchallenge string and a blank tape; nothing where there are none. */
void th_tm_certificate(ThText *t, const ThTmAnalysis *a);

/* Appends the proof in full, for a reader to check; of a set with more than `most` lines only the
 * first are written and how many there are (0: all).  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_tm_proof_write(ThText *t, const ThTmAnalysis *a, const ThTmWork *work, size_t most,
                       ThError *err);
