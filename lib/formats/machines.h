/* machines.h - Turing machines as other programs write them.
 *
 * Readers take a whole text and return a new machine; what they changed, assumed or left out they
 * say in `notes`, one line each.  They use memory linear in the size of the text, and refuse with
 * TH_ELIMIT what would grow beyond TH_MOST_IMPORTED rules.  Writers append to `to`; what a format
 * cannot say is written in its terms, which a note tells, or refused with the reason (TH_EVALUE).
 */
#ifndef TH_MACHINES_H
#define TH_MACHINES_H

#include "base/error.h"
#include "base/text.h"
#include "turing/machine.h"

enum { TH_MOST_IMPORTED = 1 << 21 };

typedef enum {
    TH_BBCHALLENGE, /* bbchallenge.org: 1RB1LB_1LA1RZ */
    TH_MORPHETT,    /* morphett.info, jsturing: lines `state symbol new-symbol l|r|* new-state` */
    TH_SIMULATOR,   /* turingmachinesimulator.com: init:, accept:, rules of two lines each */
    TH_JFLAP,       /* JFLAP: XML */
    TH_VIZ,         /* turingmachine.io, turing-machine-viz: YAML */
    TH_QUINTUPLES,  /* lines `state,symbol,new-state,new-symbol,move` */
    TH_N_MACHINE_FORMATS
} ThMachineFormat;

/* What the columns of quintuples after state and symbol are; TH_FIELDS_AUTO: what fits. */
typedef enum {
    TH_FIELDS_AUTO,
    TH_FIELDS_NEXT_WRITE_MOVE,
    TH_FIELDS_WRITE_NEXT_MOVE,
    TH_FIELDS_WRITE_MOVE_NEXT
} ThFields;

/* What a file does not say.  Zero-initialised: what its format says, or what is usual. */
typedef struct {
    const char *start; /* the start state, or NULL */
    const char *blank; /* the blank symbol, of quintuples only, or NULL */
    int variant;       /* of jsturing: 1 two-way, 2 left-bounded, 3 nondeterministic; 0: as noted */
    ThFields fields;
} ThMachineReading;

/* The name of a format in the language, and what it is in a few words; static. */
const char *th_machine_format_name(ThMachineFormat f);
const char *th_machine_format_title(ThMachineFormat f);

/* The format that a text is in, or TH_N_MACHINE_FORMATS; looks at the beginning of it only.  *sure:
 * it cannot well be a list of words. */
ThMachineFormat th_machine_sniff(const char *text, size_t size, bool *sure);

/* Returns new.  Errors: TH_EPARSE, TH_EVALUE and TH_ELIMIT, with line and column. */
ThTuring *th_machine_read(ThMachineFormat f, const char *text, size_t size,
                          const ThMachineReading *how, ThText *notes, ThError *err);

/* A name is written where the format has room for one. */
bool th_machine_write(ThText *to, ThMachineFormat f, const ThTuring *m, const char *name,
                      ThText *notes, ThError *err);

/* The readers and writers one by one. */
ThTuring *th_morphett_read(const char *text, size_t size, const ThMachineReading *how,
                           ThText *notes, ThError *err);
ThTuring *th_simulator_read(const char *text, size_t size, const ThMachineReading *how,
                            ThText *notes, ThError *err);
ThTuring *th_jff_turing_read(const char *text, size_t size, const ThMachineReading *how,
                             ThText *notes, ThError *err);
ThTuring *th_viz_read(const char *text, size_t size, const ThMachineReading *how, ThText *notes,
                      ThError *err);
ThTuring *th_quintuples_read(const char *text, size_t size, const ThMachineReading *how,
                             ThText *notes, ThError *err);
bool th_morphett_write(ThText *to, const ThTuring *m, const char *name, ThText *notes,
                       ThError *err);
bool th_simulator_write(ThText *to, const ThTuring *m, const char *name, ThText *notes,
                        ThError *err);
bool th_jff_turing_write(ThText *to, const ThTuring *m, const char *name, ThText *notes,
                         ThError *err);
bool th_viz_write(ThText *to, const ThTuring *m, const char *name, ThText *notes, ThError *err);
bool th_quintuples_write(ThText *to, const ThTuring *m, const char *name, ThText *notes,
                         ThError *err);

/* True if a JFLAP file says that it holds a Turing machine; false too where it is not XML. */
bool th_jff_is_turing(const char *text, size_t size);

#endif
