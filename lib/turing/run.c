#include "turing/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"

const char *th_verdict_name(ThVerdict v)
{
    static const char *const name[] = {"running", "halted", "accepted", "rejected",
                                       "edge",    "steps",  "cells",    "seconds"};
    return name[v];
}

bool th_verdict_final(ThVerdict v)
{
    return v == TH_HALTED || v == TH_ACCEPTED || v == TH_REJECTED || v == TH_AT_EDGE;
}

/* ---- tapes ----------------------------------------------------------------------------------- */

static void fill(uint16_t *cell, size_t n, int symbol)
{
    for (size_t i = 0; i < n; i++)
        cell[i] = (uint16_t)symbol;
}

static bool tape_start(ThTuringTape *t, const int *word, int length, int blank, ThError *err)
{
    size_t size = (size_t)length + 64;
    *t = (ThTuringTape){.size = size, .base = -16};
    t->cell = th_alloc(size, sizeof *t->cell, err);
    if (!t->cell)
        return false;
    fill(t->cell, size, blank);
    for (int i = 0; i < length; i++)
        t->cell[i + 16] = (uint16_t)word[i];
    return true;
}

/* Doubles a tape to the side on which its head has left it. */
static bool tape_grow(ThTuringTape *t, int blank, ThError *err)
{
    size_t size = 2 * t->size, shift = t->head < t->base ? t->size : 0;
    uint16_t *cell = th_alloc(size, sizeof *cell, err);
    if (!cell)
        return false;
    memcpy(cell + shift, t->cell, t->size * sizeof *cell);
    fill(shift ? cell : cell + t->size, t->size, blank);
    free(t->cell);
    t->cell = cell;
    t->size = size;
    t->base -= (int64_t)shift;
    return true;
}

int th_turing_tape_at(const ThTuringTape *t, int64_t position, int blank)
{
    int64_t i = position - t->base;
    return i >= 0 && (uint64_t)i < t->size ? t->cell[i] : blank;
}

uint64_t th_turing_tape_extent(const ThTuringTape *t, int blank, int64_t *first, int64_t *last)
{
    uint64_t count = 0;
    *first = 0;
    *last = -1;
    for (size_t i = 0; i < t->size; i++) {
        if (t->cell[i] == blank)
            continue;
        if (count++ == 0)
            *first = t->base + (int64_t)i;
        *last = t->base + (int64_t)i;
    }
    return count;
}

/* ---- running --------------------------------------------------------------------------------- */

static void settle(ThRunning *r)
{
    static const ThVerdict of_role[] = {TH_GOES_ON, TH_HALTED, TH_ACCEPTED, TH_REJECTED};
    r->verdict = of_role[r->machine->role[r->state]];
}

bool th_running_start(ThRunning *r, const ThTuring *m, const int *const *word, const int *length,
                      ThError *err)
{
    *r = (ThRunning){.machine = m, .state = m->start, .rule = -1, .cells = (uint64_t)m->n_tapes};
    for (int t = 0; t < m->n_tapes; t++) {
        const int *w = word ? word[t] : NULL;
        if (!tape_start(&r->tape[t], w, w ? length[t] : 0, m->blank, err)) {
            th_running_free(r);
            return false;
        }
    }
    settle(r);
    return true;
}

void th_running_free(ThRunning *r)
{
    for (int t = 0; t < TH_MOST_TAPES; t++)
        free(r->tape[t].cell);
    *r = (ThRunning){0};
}

/* No rule applies.  Counts a step where the machine says so. */
static void miss(ThRunning *r)
{
    r->rule = -1;
    r->verdict = r->machine->missing == TH_MISSING_REJECT ? TH_REJECTED : TH_HALTED;
    r->steps += r->machine->missing == TH_MISSING_STEP;
}

/* How many cells a rule would let the heads stand on that they have not stood on yet. */
static uint64_t new_cells(const ThRunning *r, const ThRule *rule)
{
    uint64_t n = 0;
    for (int t = 0; t < r->machine->n_tapes; t++) {
        int64_t at = r->tape[t].head + rule->move[t];
        bool edge = at < 0 && r->machine->edge != TH_TWO_WAY;
        n += !edge && (at < r->tape[t].low || at > r->tape[t].high);
    }
    return n;
}

/* Writes and moves on one tape.  A move over the edge stays, and *edge is set. */
static bool act(ThTuringTape *t, const ThTuring *m, const ThRule *rule, int k, bool *edge,
                ThError *err)
{
    if (rule->write[k] != TH_ANY)
        t->cell[t->head - t->base] = (uint16_t)rule->write[k];
    t->head += rule->move[k];
    if (t->head < 0 && m->edge != TH_TWO_WAY) {
        t->head = 0;
        *edge = true;
    }
    if (t->head < t->low)
        t->low = t->head;
    if (t->head > t->high)
        t->high = t->head;
    bool outside = t->head < t->base || t->head >= t->base + (int64_t)t->size;
    return !outside || tape_grow(t, m->blank, err);
}

static bool step(ThRunning *r, ThRunLimits limits, ThError *err)
{
    const ThTuring *m = r->machine;
    int read[TH_MOST_TAPES];
    for (int t = 0; t < m->n_tapes; t++)
        read[t] = r->tape[t].cell[r->tape[t].head - r->tape[t].base];
    int i = th_turing_rule(m, r->state, read);
    if (limits.steps - r->steps < (i >= 0 || m->missing == TH_MISSING_STEP)) {
        r->verdict = TH_OUT_OF_STEPS;
        return true;
    }
    if (i < 0) {
        miss(r);
        return true;
    }
    const ThRule *rule = &m->rule[i];
    uint64_t more = new_cells(r, rule);
    if (r->cells + more > limits.cells) {
        r->verdict = TH_OUT_OF_CELLS;
        return true;
    }
    bool edge = false;
    for (int t = 0; t < m->n_tapes; t++)
        if (!act(&r->tape[t], m, rule, t, &edge, err))
            return false;
    r->cells += more;
    r->rule = i;
    r->steps++;
    r->state = rule->to == TH_ANY ? r->state : rule->to;
    settle(r);
    if (edge && m->edge == TH_EDGE_REJECT)
        r->verdict = TH_REJECTED;
    if (edge && m->edge == TH_EDGE_ERROR)
        r->verdict = TH_AT_EDGE;
    return true;
}

bool th_running_go(ThRunning *r, uint64_t n, ThRunLimits limits, ThStop *stop, ThError *err)
{
    enum { LOOK = 4096 };
    if (limits.steps > TH_MOST_STEPS)
        limits.steps = TH_MOST_STEPS;
    if (limits.steps < r->steps)
        limits.steps = r->steps;
    if (!th_verdict_final(r->verdict))
        r->verdict = TH_GOES_ON;
    for (uint64_t i = 0; i < n && r->verdict == TH_GOES_ON; i++) {
        if (i % LOOK == 0 && th_stopped(stop, err))
            return false;
        if (!step(r, limits, err))
            return false;
    }
    return true;
}

/* ---- showing --------------------------------------------------------------------------------- */

void th_turing_tape_write(ThText *t, const ThTuring *m, const ThTuringTape *tape, int64_t first,
                          int64_t last)
{
    bool single = th_symbols_single(m->symbol, m->n_symbols);
    for (int64_t i = first; i <= last; i++) {
        th_text_add(t, i > first && !single ? " " : "");
        th_text_add(t, m->symbol[th_turing_tape_at(tape, i, m->blank)]);
    }
}

static void write_tape(ThText *t, const ThRunning *r, int k, ThConfigurationForm form, int width)
{
    const ThTuring *m = r->machine;
    const ThTuringTape *tape = &r->tape[k];
    int64_t first, last;
    if (th_turing_tape_extent(tape, m->blank, &first, &last) == 0)
        first = last = tape->head;
    first = first < tape->head ? first : tape->head;
    last = last > tape->head ? last : tape->head;
    bool left = width > 0 && tape->head - first > width / 2;
    bool right = width > 0 && last - tape->head > width / 2;
    first = left ? tape->head - width / 2 : first;
    last = right ? tape->head + width / 2 : last;
    const char *gap = th_symbols_single(m->symbol, m->n_symbols) ? "" : " ";
    th_text_add(t, left ? ".." : "");
    th_turing_tape_write(t, m, tape, first, tape->head - 1);
    th_text_add(t, first < tape->head ? gap : "");
    if (form == TH_SHOW_HEAD)
        th_text_printf(t, "[%s]", m->symbol[th_turing_tape_at(tape, tape->head, m->blank)]);
    else
        th_text_printf(t, "%s%s%s", m->state[r->state], gap,
                       m->symbol[th_turing_tape_at(tape, tape->head, m->blank)]);
    th_text_add(t, last > tape->head ? gap : "");
    th_turing_tape_write(t, m, tape, tape->head + 1, last);
    th_text_add(t, right ? ".." : "");
}

void th_running_write(ThText *t, const ThRunning *r, ThConfigurationForm form, int width)
{
    for (int k = 0; k < r->machine->n_tapes; k++) {
        th_text_add(t, k ? " | " : "");
        write_tape(t, r, k, form, width);
    }
}
