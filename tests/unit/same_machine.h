/* same_machine.h - whether two machines have the same names, properties and rules, in one order. */
#ifndef TEST_UNIT_SAME_MACHINE_H
#define TEST_UNIT_SAME_MACHINE_H

#include <string.h>

#include "turing/tm_machine.h"

static bool same_rule(const ThTmRule *a, const ThTmRule *b, int n_tapes)
{
    bool same = a->from == b->from && a->to == b->to && a->undefined == b->undefined &&
                a->pause == b->pause;
    for (int t = 0; t < n_tapes; t++)
        same = same && a->read[t] == b->read[t] && a->write[t] == b->write[t] &&
               a->move[t] == b->move[t];
    return same;
}

static bool same_machine(const ThTm *a, const ThTm *b)
{
    bool same = a->n_tapes == b->n_tapes && a->n_states == b->n_states &&
                a->n_symbols == b->n_symbols && a->n_rules == b->n_rules && a->blank == b->blank &&
                a->start == b->start && a->edge == b->edge && a->missing == b->missing &&
                a->nondeterministic == b->nondeterministic;
    for (int q = 0; same && q < a->n_states; q++)
        same = a->role[q] == b->role[q] && strcmp(a->state[q], b->state[q]) == 0;
    for (int s = 0; same && s < a->n_symbols; s++)
        same = strcmp(a->symbol[s], b->symbol[s]) == 0;
    for (size_t i = 0; same && i < a->n_rules; i++)
        same = same_rule(&a->rule[i], &b->rule[i], a->n_tapes);
    return same;
}

#endif
