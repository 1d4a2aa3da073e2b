#include "scratchpad/configuration_text.h"

void th_pad_configuration_free(ThPadConfiguration *c)
{
    for (int k = 0; k < TH_TM_MOST_TAPES; k++)
        free(c->tape[k].cell);
    *c = (ThPadConfiguration){0};
}

bool th_pad_configuration_add(ThPadCellRow *t, int symbol, ThError *err)
{
    return TH_APPEND(t->cell, t->n, t->cap, err, (uint16_t)symbol);
}

ThPadTransition th_pad_transition_of(const ThTm *m, const ThTmRule *rule,
                                     const ThPadConfiguration *c)
{
    ThPadTransition t = {.state = rule->to == TH_TM_ANY ? c->state : rule->to};
    for (int k = 0; k < m->n_tapes; k++) {
        const ThPadCellRow *row = &c->tape[k];
        t.write[k] = rule->write[k] == TH_TM_ANY ? row->cell[row->head] : rule->write[k];
        t.move[k] = rule->move[k];
    }
    return t;
}

/* A blank in front of the first cell. */
static bool add_left(ThPadCellRow *t, int blank, ThError *err)
{
    if (!th_pad_configuration_add(t, blank, err))
        return false;
    memmove(t->cell + 1, t->cell, (t->n - 1) * sizeof *t->cell);
    t->cell[0] = (uint16_t)blank;
    return true;
}

static bool move_head(ThPadCellRow *t, int move, const ThPadTapes *on, ThPadStepEnd *end,
                      ThError *err)
{
    ThPadCells cells = on->cells;
    ThTmEdge edge = on->edge;
    int blank = on->blank;
    bool left = move < 0 && t->head == 0, right = move > 0 && t->head + 1 == t->n;
    if (!left && !right) {
        t->head += (size_t)move;
        return true;
    }
    if (cells == TH_PAD_CELLS_EXTEND && right) {
        t->head++;
        return th_pad_configuration_add(t, blank, err);
    }
    if (cells == TH_PAD_CELLS_EXTEND && edge == TH_TM_TWO_WAY)
        return add_left(t, blank, err);
    bool stops = cells == TH_PAD_CELLS_EXTEND && edge != TH_TM_EDGE_STAY;
    *end = stops || *end == TH_PAD_STEP_STOPPED ? TH_PAD_STEP_STOPPED : TH_PAD_STEP_HELD;
    return true;
}

bool th_pad_configuration_step(ThPadConfiguration *c, const ThPadTransition *t,
                               const ThPadTapes *on, ThPadStepEnd *end, ThError *err)
{
    *end = TH_PAD_STEP_DONE;
    c->state = t->state;
    for (int k = 0; k < on->n_tapes; k++) {
        ThPadCellRow *row = &c->tape[k];
        row->cell[row->head] = (uint16_t)t->write[k];
        if (!move_head(row, t->move[k], on, end, err))
            return false;
    }
    return true;
}

const size_t *th_pad_configuration_choices(const ThTm *m, const ThPadConfiguration *c, size_t *n)
{
    int read[TH_TM_MOST_TAPES];
    *n = 0;
    if (m->role[c->state] != TH_TM_RUNS)
        return NULL;
    for (int k = 0; k < m->n_tapes; k++)
        read[k] = c->tape[k].cell[c->tape[k].head];
    return th_tm_choices(m, c->state, read, n);
}

void th_pad_configuration_extent(const ThPadCellRow *t, int blank, size_t *first, size_t *end)
{
    *first = 0;
    *end = t->n;
    while (*end > 0 && t->cell[*end - 1] == blank)
        --*end;
    while (*first < *end && t->cell[*first] == blank)
        ++*first;
}
