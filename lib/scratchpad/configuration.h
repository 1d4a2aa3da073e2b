/* configuration.h - a machine's tapes as the lines of a scratchpad show them: all cells, and no
 * others. */
#ifndef TH_SCRATCHPAD_CONFIGURATION_H
#define TH_SCRATCHPAD_CONFIGURATION_H

#include "turing/machine.h"

/* What happens where a head leaves the cells: it stays; or a blank is added there (at the left of a
 * one-way tape, the machine's own edge decides). */
typedef enum { TH_CELLS_STAY, TH_CELLS_EXTEND } ThCells;

typedef struct {
    uint16_t *cell;
    size_t n, cap, head;
} ThCellRow;

/* Zero-initialised it has no cells. */
typedef struct {
    int state;
    ThCellRow tape[TH_MOST_TAPES];
} ThConfiguration;

/* What a step does, on each tape. */
typedef struct {
    int state;
    int write[TH_MOST_TAPES], move[TH_MOST_TAPES];
} ThTransition;

void th_configuration_free(ThConfiguration *c);

/* Appends a cell to a tape. */
bool th_configuration_add(ThCellRow *t, int symbol, ThError *err);

/* What a rule does in a configuration. */
ThTransition th_transition_of(const ThTuring *m, const ThRule *rule, const ThConfiguration *c);

/* How a step ends: it is done; a head was held at an edge; or it was, and that stops the machine.
 */
typedef enum { TH_STEP_DONE, TH_STEP_HELD, TH_STEP_STOPPED } ThStepEnd;

/* Applies a transition.  False on TH_ENOMEM only. */
bool th_configuration_step(ThConfiguration *c, const ThTransition *t, int n_tapes, ThCells cells,
                           ThEdge edge, int blank, ThStepEnd *end, ThError *err);

/* The rules that there is a choice of, *n of them; none where the machine has stopped. */
const size_t *th_configuration_choices(const ThTuring *m, const ThConfiguration *c, size_t *n);

/* First cell of a tape that is not blank, and the one behind the last: equal where all are. */
void th_configuration_extent(const ThCellRow *t, int blank, size_t *first, size_t *end);

#endif
