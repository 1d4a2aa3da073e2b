/* jff_records.h - a Turing machine of JFLAP as it stands in the file, and the machine that it is
 * once its blocks and other shorthands are written out.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/machines/machine_read.h"

/* Texts are numbers of ThJff.text; -1: none. */
typedef struct {
    int machine;
    int id, name, tag; /* tag: the name of the element with what is inside a block */
    int inside;        /* the machine inside a block, or -1 */
    int local;         /* its number in its machine */
    bool initial, final;
    int line, col;
    int next;  /* state of the same machine, or -1 */
    int first; /* transition that leaves it, or -1 */
    int last;
} ThJffState;

typedef struct {
    int machine;
    int from, to; /* texts; then states */
    int read[TH_TM_MOST_TAPES], write[TH_TM_MOST_TAPES], move[TH_TM_MOST_TAPES];
    bool block; /* a transition of blocks, which reads only */
    int line, col;
    int next; /* that leaves the same state, or -1 */
} ThJffTransition;

/* An element with states and transitions: the whole, or the inside of a block. */
typedef struct {
    int parent, tag;
    int first, last, n_states;
    int initial; /* a state, or -1 */
    int line, col;
} ThJffMachine;

typedef struct {
    ThIntern text;
    ThJffMachine *machine;
    size_t n_machines, machine_cap;
    ThJffState *state;
    size_t n_states, state_cap;
    ThJffTransition *transition;
    size_t n_transitions, transition_cap;
    int n_tapes;
    bool bare; /* without an element <automaton>: of an old version */
} ThJff;

/* jff_turing_write.c, for both writers: appends text as XML has it; opens a state, on its place of
 * a grid. */
void th_jff_write_text(ThText *t, const char *text);
void th_jff_open_state(ThText *t, int q, const char *name);

/* Returns new: the machine. */
ThTm *th_jff_build(ThJff *j, const ThFormatMachineReading *how, ThText *notes, ThError *err);
