/* machine_text.h - reading the lines of a machine's scratchpad: names, configurations, transitions.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "scratchpad/checker.h"
#include "scratchpad/configuration_text.h"

/* Words of a line. */
typedef struct {
    size_t from, to;
} ThPadLine;

typedef struct {
    const ThPadChecking *k;
    const ThTm *m; /* NULL: not known */
    ThPadWordList w;
    const char *separator; /* a word */
    bool paper;            /* names a1, b1, s1; else the machine's own */
    bool at_head;          /* the state stands before the scanned cell */
    int comma;             /* ~ stands between the parts of transitions: 1, 0; -1: not known yet */
    int n_tapes;
    ThIntern symbol, state; /* names; those of the machine in its order */
    size_t next;            /* word behind the line's end */
    bool more;              /* a separator stands before it */
    ThPadChecked *c;
    ThError *err;
    bool failed; /* memory ran out */
} ThPadMachineText;

/* Reads the words, and from the first line how the others are written.  False where there is a slip
 * or memory ran out. */
bool th_pad_machine_text_begin(ThPadMachineText *t, ThPadLine *first);
void th_pad_machine_text_free(ThPadMachineText *t);

/* The next line; false where none is left. */
bool th_pad_machine_text_line(ThPadMachineText *t, ThPadLine *line);

bool th_pad_machine_text_is(const ThPadMachineText *t, size_t word, const char *text);

/* A word as a symbol (with or without the mark of the head) or as a state: its number, or -1. */
int th_pad_machine_text_symbol(ThPadMachineText *t, size_t word, bool *marked);
int th_pad_machine_text_state(ThPadMachineText *t, size_t word);

/* The name of a symbol or a state, for messages. */
void th_pad_machine_text_name(const ThPadMachineText *t, bool is_state, int i, bool marked,
                              ThText *to);

/* Sets a slip at a word of a line: at the end of the text it is an early end. */
bool th_pad_machine_text_slip(ThPadMachineText *t, size_t word, ThPadSlip slip,
                              const char *expected);

/* The cells of tape k of a configuration's line, without the state. */
size_t th_pad_machine_text_cells(ThPadMachineText *t, const ThPadLine *line, int k);

/* Bars of a line, without the one behind the state. */
int th_pad_machine_text_bars(const ThPadMachineText *t, const ThPadLine *line);

/* Reads a configuration; a slip of format where it is none. */
bool th_pad_machine_text_configuration(ThPadMachineText *t, const ThPadLine *line,
                                       ThPadConfiguration *to);

/* Reads a transition.  Where `wanted` is not NULL it must be that one. */
bool th_pad_machine_text_transition(ThPadMachineText *t, const ThPadLine *line,
                                    const ThPadTransition *wanted, ThPadTransition *to);
