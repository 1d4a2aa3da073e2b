/* configuration_text.h - a machine's tapes as the lines of a scratchpad show them: all cells, and
 * no others.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "turing/tm_machine.h"

/* What happens where a head leaves the cells: it stays; or a blank is added there (at the left of a
 * one-way tape, the machine's own edge decides). */
typedef enum { TH_PAD_CELLS_STAY, TH_PAD_CELLS_EXTEND } ThPadCells;

typedef struct {
    uint16_t *cell;
    size_t n, cap, head;
} ThPadCellRow;

/* Zero-initialised it has no cells. */
typedef struct {
    int state;
    ThPadCellRow tape[TH_TM_MOST_TAPES];
} ThPadConfiguration;

/* What a step does, on each tape. */
typedef struct {
    int state;
    int write[TH_TM_MOST_TAPES], move[TH_TM_MOST_TAPES];
} ThPadTransition;

void th_pad_configuration_free(ThPadConfiguration *c);
TH_RELEASES_VALUE(th_pad_configuration_free, ThPadConfiguration)

/* Appends a cell to a tape. */
bool th_pad_configuration_add(ThPadCellRow *t, int symbol, ThError *err);

/* What a rule does in a configuration. */
ThPadTransition th_pad_transition_of(const ThTm *m, const ThTmRule *rule,
                                     const ThPadConfiguration *c);

/* How a step ends: it is done; a head was held at an edge; or it was, and that stops the machine.
 */
typedef enum { TH_PAD_STEP_DONE, TH_PAD_STEP_HELD, TH_PAD_STEP_STOPPED } ThPadStepEnd;

/* The tapes that a step is made on. */
typedef struct {
    int n_tapes;
    ThPadCells cells;
    ThTmEdge edge;
    int blank;
} ThPadTapes;

/* Applies a transition.  False on TH_ENOMEM only. */
bool th_pad_configuration_step(ThPadConfiguration *c, const ThPadTransition *t,
                               const ThPadTapes *on, ThPadStepEnd *end, ThError *err);

/* The rules that there is a choice of, *n of them; none where the machine has stopped. */
const size_t *th_pad_configuration_choices(const ThTm *m, const ThPadConfiguration *c, size_t *n);

/* First cell of a tape that is not blank, and the one behind the last: equal where all are. */
void th_pad_configuration_extent(const ThPadCellRow *t, int blank, size_t *first, size_t *end);
