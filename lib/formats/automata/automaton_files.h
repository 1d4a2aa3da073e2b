/* automaton_files.h - what the readers and writers of automata share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/automata/dot_graph.h"
#include "formats/format.h"
#include "language/distribution_impl.h"

/* dot_write.c: the writer of .dot files. */
bool th_dot_write(ThFormatOutput *out, const ThAutomaton *a, const char *name, ThText *notes,
                  ThError *err);

/* For writers: fails if some state or transition has an output. */
bool th_format_automaton_no_outputs(const ThAutomaton *a, const char *format, ThError *err);

/* For readers: takes an automaton (or NULL) over and returns it if its names can be written in the
 * language: none is empty, a symbol with a blank is one character among such, and not both states
 * and transitions have outputs; else NULL and TH_EVALUE. */
ThAutomaton *th_format_automaton_checked(ThAutomaton *a, ThError *err);

/* stochastic.c.  Is the graph of a stochastic automaton: do the labels of all edges between states
 * end in a probability, some with a point?  Returns new: its distribution, NULL without an error
 * where it is of something else. */
bool th_dot_is_state(const ThDotGraph *g, int node);
bool th_dot_is_stochastic(const ThDotGraph *g);
ThLanguage *th_dot_distribution(const ThFormatInput *in, ThText *notes, ThError *err);

/* Scales the moves of states whose numbers add up to one but for `rounding` a move, and says so in
 * the notes; false: others do not. */
bool th_format_scale(ThDistribution *d, double rounding, ThText *notes, ThError *err);

/* Fail with TH_EUSAGE and TH_EVALUE for a language without probabilities, and for weights. */
bool th_dot_write_distribution(ThFormatOutput *to, const ThLanguage *l, ThText *notes,
                               ThError *err);
const ThDistribution *th_format_probabilities(const ThLanguage *l, ThError *err);

/* jff_language.c.  Returns new: the pushdown automaton or the grammar of a file; NULL without an
 * error: it holds neither. */
ThLanguage *th_jff_language(const ThFormatInput *in, ThText *notes, ThError *err);

/* The way back.  TH_EUSAGE for other languages, TH_EVALUE for symbols that are no single characters
 * and TH_ELIMIT for more than 26 variables. */
bool th_jff_write_language(ThFormatOutput *to, const ThLanguage *l, ThText *notes, ThError *err);
