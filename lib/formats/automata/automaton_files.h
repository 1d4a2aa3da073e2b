/* automaton_files.h - automata as other programs write them.
 *
 * Readers take a whole text and return a new automaton; what they changed or left out on the way
 * they say in `notes`, one line each.  They use memory linear in the size of the text.  Writers
 * append to `to`, and refuse what the format cannot hold (TH_EVALUE).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_FORMATS_AUTOMATA_AUTOMATON_FILES_H
#define TH_FORMATS_AUTOMATA_AUTOMATON_FILES_H

#include "automata/core/automaton.h"
#include "base/error.h"
#include "base/text.h"

/* AT&T text (FSM library, OpenFST, foma, HFST): `from to in [out] [weight]` or `state [weight]` a
 * line, the start being the state of the first line; fields are separated by tabs, or by blanks in
 * lines without one.  The empty symbol is @0@, @_EPSILON_SYMBOL_@, <eps>, <epsilon>, or what
 * `symbols` (a symbol table, or NULL) gives the number 0.  The table also gives the order of the
 * alphabet, and names to labels that are numbers. */
ThAutomaton *th_att_read(const char *text, const char *symbols, ThText *notes, ThError *err);

/* Four columns, the empty symbol as @0@, and the table that OpenFST needs beside them. */
bool th_att_write(ThText *to, ThText *symbols, const ThAutomaton *a, ThText *notes, ThError *err);

/* Graphviz, in the dialect of AutomataWiki: an edge from an invisible node marks a start,
 * doublecircle accepts, labels are `in` or `in / out`, and `{ name | output }` in Moore machines.
 * Of several labels on one edge each stands in its own line, or between commas. */
ThAutomaton *th_dot_read(const char *text, ThText *notes, ThError *err);
bool th_dot_write(ThText *to, const ThAutomaton *a, const char *name, ThError *err);

/* JFLAP: finite automata, Mealy and Moore machines.  A label of several characters is a word in a
 * finite automaton, read through new states, unless the file was written here. */
ThAutomaton *th_jff_read(const char *text, size_t size, ThText *notes, ThError *err);
bool th_jff_write(ThText *to, const ThAutomaton *a, ThError *err);

/* Grail+ instructions, `(START) |- q`, `q symbol r`, `q -| (FINAL)`. */
bool th_format_grail_write(ThText *to, const ThAutomaton *a, ThError *err);

/* A record of GAP's package Automata: Automaton("det", …). */
bool th_format_gap_write(ThText *to, const ThAutomaton *a, const char *name, ThError *err);

/* For writers: fails if some state or transition has an output. */
bool th_format_automaton_no_outputs(const ThAutomaton *a, const char *format, ThError *err);

/* For readers: takes an automaton (or NULL) over and returns it if its names can be written in the
 * language: none is empty, a symbol with a blank is one character among such, and not both states
 * and transitions have outputs; else NULL and TH_EVALUE. */
ThAutomaton *th_format_automaton_checked(ThAutomaton *a, ThError *err);

#endif
