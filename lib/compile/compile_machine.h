/* compile_machine.h - Turing machines as the weights of a Transformer that writes their runs.
 *
 * The program of Hou et al. 2024, appendix D, predicts the next token of a run's text by looking
 * for the last n+1 tokens in what the configuration before turns into (turing/nexttoken.h).  Here
 * its parts are heads and units.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "turing/nexttoken.h"

/* Returns new: a model (bare, causal) over the machine's tokens that says which comes next, for
 * texts of up to `context` tokens.  0 ≤ n.  TH_EVALUE for several tapes or a choice of rules;
 * TH_ELIMIT where it would be too large; TH_ENOMEM. */
ThModel *th_compile_machine(const ThTmTokens *t, int n, int context, const ThTapeBounds *bounds,
                            ThError *err);

/* What a model wrote, beside a machine's own run. */
typedef struct {
    ThTmRunExtent extent;
    long long tokens, right; /* of the configurations after the start, as far as they fit */
    long long room;          /* tokens of all configurations */
    int line;                /* tokens of one */
} ThCompileFollowed;

/* What the model would write behind the first configuration of a run, up to the first token that is
 * not the run's, and to the model's context.  All is asked at once: as long as what it says is the
 * run, that is what it would write.  TH_ELIMIT where the run has more than 2^22 tokens; errors of
 * th_tm_run_extent and th_lab_predict. */
bool th_compile_follow(const ThModel *m, const ThTmRunStart *s, ThTmRunLimits limits, ThStop *stop,
                       ThCompileFollowed *f, ThError *err);
