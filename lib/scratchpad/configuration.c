#include "scratchpad/configuration.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void th_configuration_free(ThConfiguration *c)
{
    for (int k = 0; k < TH_MOST_TAPES; k++)
        free(c->tape[k].cell);
    *c = (ThConfiguration){0};
}

bool th_configuration_add(ThCellRow *t, int symbol, ThError *err)
{
    if (!th_grow(&t->cell, &t->cap, t->n + 1, sizeof *t->cell, err))
        return false;
    t->cell[t->n++] = (uint16_t)symbol;
    return true;
}

ThTransition th_transition_of(const ThTuring *m, const ThRule *rule, const ThConfiguration *c)
{
    ThTransition t = {.state = rule->to == TH_ANY ? c->state : rule->to};
    for (int k = 0; k < m->n_tapes; k++) {
        const ThCellRow *row = &c->tape[k];
        t.write[k] = rule->write[k] == TH_ANY ? row->cell[row->head] : rule->write[k];
        t.move[k] = rule->move[k];
    }
    return t;
}

/* A blank in front of the first cell. */
static bool add_left(ThCellRow *t, int blank, ThError *err)
{
    if (!th_configuration_add(t, blank, err))
        return false;
    memmove(t->cell + 1, t->cell, (t->n - 1) * sizeof *t->cell);
    t->cell[0] = (uint16_t)blank;
    return true;
}

static bool move_head(ThCellRow *t, int move, ThCells cells, ThEdge edge, int blank, ThStepEnd *end,
                      ThError *err)
{
    bool left = move < 0 && t->head == 0, right = move > 0 && t->head + 1 == t->n;
    if (!left && !right) {
        t->head += (size_t)move;
        return true;
    }
    if (cells == TH_CELLS_EXTEND && right) {
        t->head++;
        return th_configuration_add(t, blank, err);
    }
    if (cells == TH_CELLS_EXTEND && edge == TH_TWO_WAY)
        return add_left(t, blank, err);
    bool stops = cells == TH_CELLS_EXTEND && edge != TH_EDGE_STAY;
    *end = stops || *end == TH_STEP_STOPPED ? TH_STEP_STOPPED : TH_STEP_HELD;
    return true;
}

bool th_configuration_step(ThConfiguration *c, const ThTransition *t, int n_tapes, ThCells cells,
                           ThEdge edge, int blank, ThStepEnd *end, ThError *err)
{
    *end = TH_STEP_DONE;
    c->state = t->state;
    for (int k = 0; k < n_tapes; k++) {
        ThCellRow *row = &c->tape[k];
        row->cell[row->head] = (uint16_t)t->write[k];
        if (!move_head(row, t->move[k], cells, edge, blank, end, err))
            return false;
    }
    return true;
}

const size_t *th_configuration_choices(const ThTuring *m, const ThConfiguration *c, size_t *n)
{
    int read[TH_MOST_TAPES];
    *n = 0;
    if (m->role[c->state] != TH_RUNS)
        return NULL;
    for (int k = 0; k < m->n_tapes; k++)
        read[k] = c->tape[k].cell[c->tape[k].head];
    return th_turing_choices(m, c->state, read, n);
}

void th_configuration_extent(const ThCellRow *t, int blank, size_t *first, size_t *end)
{
    *first = 0;
    *end = t->n;
    while (*end > 0 && t->cell[*end - 1] == blank)
        --*end;
    while (*first < *end && t->cell[*first] == blank)
        ++*first;
}
