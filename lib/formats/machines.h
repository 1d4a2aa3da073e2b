/* machines.h - Turing machines as other programs write them.
 *
 * Readers take a whole text and return a new machine; what they changed, assumed or left out they
 * say in `notes`, one line each.  They use memory linear in the size of the text, and refuse with
 * TH_ELIMIT what would grow beyond TH_FORMAT_MOST_IMPORTED rules.  Writers append to `to`; what a
 * format cannot say is written in its terms, which a note tells, or refused with the reason
 * (TH_EVALUE).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_FORMATS_MACHINES_H
#define TH_FORMATS_MACHINES_H

#include "base/error.h"
#include "base/text.h"
#include "turing/machine.h"

enum { TH_FORMAT_MOST_IMPORTED = 1 << 21 };

typedef enum {
    TH_FORMAT_BBCHALLENGE, /* bbchallenge.org: 1RB1LB_1LA1RZ */
    TH_FORMAT_MORPHETT,  /* morphett.info, jsturing: lines `state symbol new-symbol l|r|* new-state`
                          */
    TH_FORMAT_SIMULATOR, /* turingmachinesimulator.com: init:, accept:, rules of two lines each */
    TH_FORMAT_JFLAP,     /* JFLAP: XML */
    TH_FORMAT_VIZ,       /* turingmachine.io, turing-machine-viz: YAML */
    TH_FORMAT_QUINTUPLES, /* lines `state,symbol,new-state,new-symbol,move` */
    TH_FORMAT_N_MACHINES
} ThFormatMachine;

/* What the columns of quintuples after state and symbol are; TH_FORMAT_FIELDS_AUTO: what fits. */
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
    int variant;       /* of jsturing: 1 two-way, 2 left-bounded, 3 nondeterministic; 0: as noted */
    ThFormatFields fields;
} ThFormatMachineReading;

/* The name of a format in the language, and what it is in a few words; static. */
const char *th_format_machine_format_name(ThFormatMachine f);
const char *th_format_machine_format_title(ThFormatMachine f);

/* The format that a text is in, or TH_FORMAT_N_MACHINES; looks at the beginning of it only.  *sure:
 * it cannot well be a list of words. */
ThFormatMachine th_format_machine_sniff(const char *text, size_t size, bool *sure);

/* Returns new.  Errors: TH_EPARSE, TH_EVALUE and TH_ELIMIT, with line and column. */
ThTm *th_format_machine_read(ThFormatMachine f, const char *text, size_t size,
                             const ThFormatMachineReading *how, ThText *notes, ThError *err);

/* A name is written where the format has room for one. */
bool th_format_machine_write(ThText *to, ThFormatMachine f, const ThTm *m, const char *name,
                             ThText *notes, ThError *err);

/* The readers and writers one by one. */
ThTm *th_format_morphett_read(const char *text, size_t size, const ThFormatMachineReading *how,
                              ThText *notes, ThError *err);
ThTm *th_format_simulator_read(const char *text, size_t size, const ThFormatMachineReading *how,
                               ThText *notes, ThError *err);
ThTm *th_jff_turing_read(const char *text, size_t size, const ThFormatMachineReading *how,
                         ThText *notes, ThError *err);
ThTm *th_format_viz_read(const char *text, size_t size, const ThFormatMachineReading *how,
                         ThText *notes, ThError *err);
ThTm *th_format_quintuples_read(const char *text, size_t size, const ThFormatMachineReading *how,
                                ThText *notes, ThError *err);
bool th_format_morphett_write(ThText *to, const ThTm *m, const char *name, ThText *notes,
                              ThError *err);
bool th_format_simulator_write(ThText *to, const ThTm *m, const char *name, ThText *notes,
                               ThError *err);
bool th_jff_turing_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);
bool th_format_viz_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);
bool th_format_quintuples_write(ThText *to, const ThTm *m, const char *name, ThText *notes,
                                ThError *err);

/* True if a JFLAP file says that it holds a Turing machine; false too where it is not XML. */
bool th_jff_is_turing(const char *text, size_t size);

#endif
