/* automaton_files.h - what the readers and writers of automata share.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_FORMATS_AUTOMATA_AUTOMATON_FILES_H
#define TH_FORMATS_AUTOMATA_AUTOMATON_FILES_H

#include "formats/format.h"

/* dot_write.c: the writer of .dot files. */
bool th_dot_write(ThFormatOutput *out, const ThAutomaton *a, const char *name, ThText *notes,
                  ThError *err);

/* For writers: fails if some state or transition has an output. */
bool th_format_automaton_no_outputs(const ThAutomaton *a, const char *format, ThError *err);

/* For readers: takes an automaton (or NULL) over and returns it if its names can be written in the
 * language: none is empty, a symbol with a blank is one character among such, and not both states
 * and transitions have outputs; else NULL and TH_EVALUE. */
ThAutomaton *th_format_automaton_checked(ThAutomaton *a, ThError *err);

/* jff_language.c.  Returns new: the pushdown automaton or the grammar of a file; NULL without an
 * error: it holds neither. */
ThLanguage *th_jff_language(const ThFormatInput *in, ThText *notes, ThError *err);

#endif
