/* machine_files.h - Turing machines as other programs write them.
 *
 * Readers take a whole text and return a new machine; what they changed, assumed or left out they
 * say in `notes`, one line each.  They use memory linear in the size of the text, and refuse with
 * TH_ELIMIT what would grow beyond TH_FORMAT_MOST_IMPORTED rules.  Writers append to `to`; what a
 * format cannot say is written in its terms, which a note tells, or refused with the reason
 * (TH_EVALUE). The table of all formats is in format.h.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_machine.h"

enum { TH_FORMAT_MOST_IMPORTED = 1 << 21 };

/* What the columns of quintuples after state and symbol are; TH_FORMAT_FIELDS_AUTO: what fits.  In
 * the order of the option fields=. */
typedef enum {
    TH_FORMAT_FIELDS_AUTO,
    TH_FORMAT_FIELDS_NEXT_WRITE_MOVE,
    TH_FORMAT_FIELDS_WRITE_NEXT_MOVE,
    TH_FORMAT_FIELDS_WRITE_MOVE_NEXT
} ThFormatFields;

/* What a file does not say.  Zero-initialised: what its format says, or what is usual. */
typedef struct {
    const char *start; /* the start state, or NULL */
    const char *blank; /* the blank symbol, of quintuples only, or NULL */
    int variant; /* of jsturing, in the order of the option variant=: 1 two-way, 2 left-bounded, 3
                    nondeterministic; 0: as noted */
    ThFormatFields fields;
} ThFormatMachineReading;

/* The bytes of a line, at most n, that are a string of bbchallenge: what follows behind a blank and
 * is no cell of a table (steps, scores) does not belong to it. */
size_t th_format_bb_length(const char *line, size_t n);

/* The reader and the writer of JFLAP's machines. */
ThTm *th_jff_turing_read(const char *text, size_t size, const ThFormatMachineReading *how,
                         ThText *notes, ThError *err);
bool th_jff_turing_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);

/* True if a JFLAP file says that it holds a Turing machine; false too where it is not XML. */
bool th_jff_is_turing(const char *text, size_t size);
