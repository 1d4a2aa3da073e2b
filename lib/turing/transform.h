/* transform.h - machines that do the same in poorer terms: without wildcards, without standing
 * still, without a missing rule, without an edge of the tape.
 *
 * Each returns a new machine, or NULL and TH_ENOMEM; TH_ELIMIT where it would have more than `most`
 * rules.  States keep their numbers, names and roles; new ones come behind them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_machine.h"

/* A rule for each state and each combination of symbols instead of wildcards.  Step for step the
 * same run. */
ThTm *th_tm_expand(const ThTm *m, size_t most, ThError *err);

/* True if some state that runs has no rule for some symbols, or there are too many cases (2^24) to
 * look at. */
bool th_tm_misses(const ThTm *m);

/* Where m has no rule, one that changes nothing and goes to a state of the given role: the one
 * called `name`, else the first of the role, else a new one with that name.  One step more than a
 * machine makes that stops where no rule applies; the same number where ThTm.missing is
 * TH_TM_MISSING_STEP.  The result misses nothing; its `missing` is as before. */
ThTm *th_tm_total(const ThTm *m, ThTmRole role, const char *name, size_t most, ThError *err);

/* Of one tape, without wildcards: where a rule stands still, two steps to the right and back.  The
 * result has no wildcards. */
ThTm *th_tm_moving(const ThTm *m, size_t most, ThError *err);

/* Of tapes with an edge: two-way ones with a mark, a new symbol, to the left of the first cells,
 * which two first steps write.  A step over an edge that stays takes one more for each tape; one
 * over an edge that is an error begins a run that never ends.  Several tapes: without wildcards. */
ThTm *th_tm_unbounded(const ThTm *m, size_t most, ThError *err);
