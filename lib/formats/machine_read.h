/* machine_read.h - what the readers of Turing machines share: lines cut into fields, with their
 * places, and machines put together rule by rule. */
#ifndef TH_MACHINE_READ_H
#define TH_MACHINE_READ_H

#include "base/intern.h"
#include "formats/machines.h"

/* ---- lines ---- */

enum { TH_MOST_FIELDS = 2 * TH_MOST_TAPES + 2 };

typedef struct {
    const char *s; /* n bytes, in the text */
    size_t n;
} ThField;

/* A text by lines.  Of a line there are the fields between separators; n counts all of them, also
 * those beyond TH_MOST_FIELDS. */
typedef struct {
    const char *next, *end; /* what is left of the text */
    const char *begin;      /* of the line */
    size_t size;            /* of the line, without its end */
    int line;               /* from 1 */
    ThField field[TH_MOST_FIELDS];
    int n;
} ThLines;

/* Starts, behind a byte order mark.  TH_EPARSE for bytes that are no UTF-8 and for control
 * characters, with their place. */
bool th_lines_start(ThLines *l, const char *text, size_t size, ThError *err);

/* The next line, not yet cut; false at the end. */
bool th_lines_next(ThLines *l);

/* Cuts the first n bytes of the line into fields: at every `separator` with blanks around the
 * fields dropped, or, where it is 0, between blanks. */
void th_lines_cut(ThLines *l, size_t n, char separator);

bool th_field_is(ThField f, const char *text); /* in any case of letters a … z */
bool th_field_starts(ThField f, const char *text);
bool th_field_single(ThField f); /* one character */

/* -1, 0, 1 for a move in one of its spellings (L l < left, R r > right, S s N n - * = stay), or -2.
 */
int th_field_move(ThField f);

/* A field as an error message shows it, cut where it is long. */
enum { TH_FIELD_SHOWN = 64 };
const char *th_field_show(ThField f, char buffer[TH_FIELD_SHOWN]);

/* Fails at a place in the line.  Returns false, always. */
bool th_lines_fail(const ThLines *l, const char *at, ThError *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- machines ---- */

/* What a second rule for the same case means. */
typedef enum { TH_TWICE_FAILS, TH_TWICE_REPLACES, TH_TWICE_CHOICE } ThTwice;

/* A machine that is being read.  Zero-initialised but for notes, err and twice. */
typedef struct {
    ThTuringBuild b;
    ThTwice twice;
    ThIntern cases, whole; /* the cases of the rules; of a choice, the rules with their actions */
    size_t *rule_of;       /* (cases): the first rule */
    size_t rule_of_cap;
    int *line; /* (rules) */
    size_t line_cap;
    ThText name;                   /* room for one */
    size_t repeated, replaced;     /* rules that stood there twice, and others for the same case */
    int replaced_line, replacing;  /* the lines of the first two of those */
    int stopping, stopping_before; /* rules that leave states which stop: how many */
    ThText *notes;
    ThError *err;
} ThImport;

/* The number of a state or symbol, which is added if it is new; -1 and an error when there are too
 * many or memory ran out. */
int th_import_state(ThImport *im, ThField f);
int th_import_symbol(ThImport *im, ThField f);

/* Adds a rule; the place is that of an error.  The one function that knows what a second rule for
 * the same case means. */
bool th_import_rule(ThImport *im, const ThRule *r, int line, int col);

/* The role that a state's name tells: accept, reject, halt-accept, q_reject, halt…; TH_RUNS where
 * it tells none. */
ThRole th_role_of_name(const char *name);

/* Returns new: for each state, whether a rule of its own leaves it. */
bool *th_import_left(const ThImport *im);

/* The start state by name, with the nearest name as a hint; -1 and TH_EVALUE. */
int th_import_start(ThImport *im, const char *name);

/* Returns new: the machine, with notes on what was dropped; *im is empty afterwards in any case. */
ThTuring *th_import_finish(ThImport *im);
void th_import_free(ThImport *im);

#endif
