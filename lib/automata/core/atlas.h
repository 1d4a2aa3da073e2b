/* atlas.h - all minimal acceptors of a size, one of those that differ in names only.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

enum { TH_DFA_ATLAS_STATES = 8, TH_DFA_ATLAS_SYMBOLS = 4 }; /* at most */

typedef struct {
    int states, symbols;
    /* Gets every machine, as it is while the call lasts, and of how many languages it is the form
     * (th_dfa_least_form); false, with an error or without, ends the walk. */
    bool (*visit)(void *context, const ThDfa *d, int languages, ThError *err);
    void *context;
    ThStop *stop;
} ThDfaAtlas;

/* Visits the minimal complete acceptors of so many states and symbols: one of all those that
 * renaming states or symbols makes equal.  They come in the order of their tables, states numbered
 * breadth first.  False where a visit was, or with TH_EINTERRUPTED, TH_ENOMEM. */
bool th_dfa_atlas(const ThDfaAtlas *a, ThError *err);

/* Returns new: number 1, 2, … of the minimal acceptors over so many symbols, those of one state
 * first.  TH_ELIMIT where it would have more than 9 transitions. */
ThDfa *th_dfa_atlas_machine(int number, int symbols, ThError *err);

/* The order of machines of as many states and symbols: by their tables, then by their classes. */
int th_dfa_compare(const ThDfa *a, const ThDfa *b);

/* Returns new: of the machines that renaming the symbols of a machine makes, states numbered
 * breadth first, the one with the first table; *forms gets the number of different ones.  At most
 * TH_DFA_ATLAS_SYMBOLS symbols. */
ThDfa *th_dfa_least_form(const ThDfa *d, int *forms, ThError *err);
