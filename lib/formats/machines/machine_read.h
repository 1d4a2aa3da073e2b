/* machine_read.h - what the readers of Turing machines share: lines cut into fields, with their
 * places, and machines put together rule by rule.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "formats/machines/machine_files.h"

/* ---- lines ---- */

enum { TH_FORMAT_MOST_FIELDS = 2 * TH_TM_MOST_TAPES + 2 };

typedef struct {
    const char *s; /* n bytes, in the text */
    size_t n;
} ThFormatField;

/* A text by lines.  Of a line there are the fields between separators; n counts all of them, also
 * those beyond TH_FORMAT_MOST_FIELDS. */
typedef struct {
    const char *next, *end; /* what is left of the text */
    const char *begin;      /* of the line */
    size_t size;            /* of the line, without its end */
    int line;               /* from 1 */
    ThFormatField field[TH_FORMAT_MOST_FIELDS];
    int n;
} ThFormatLines;

/* Starts, behind a byte order mark.  TH_EPARSE for bytes that are no UTF-8 and for control
 * characters, with their place. */
bool th_format_lines_start(ThFormatLines *l, const char *text, size_t size, ThError *err);

/* The next line, not yet cut; false at the end. */
bool th_format_lines_next(ThFormatLines *l);

/* Cuts the first n bytes of the line into fields: at every `separator` with blanks around the
 * fields dropped, or, where it is 0, between blanks. */
void th_format_lines_cut(ThFormatLines *l, size_t n, char separator);

bool th_format_field_is(ThFormatField f, const char *text); /* in any case of letters a … z */
bool th_format_field_starts(ThFormatField f, const char *text);
bool th_format_field_single(ThFormatField f); /* one character */

/* -1, 0, 1 for a move in one of its spellings (L l < left, R r > right, S s N n - * = stay), or -2.
 */
int th_format_field_move(ThFormatField f);

/* A field as an error message shows it, cut where it is long. */
enum { TH_FORMAT_FIELD_SHOWN = 64 };
const char *th_format_field_show(ThFormatField f, char buffer[TH_FORMAT_FIELD_SHOWN]);

/* The column of a place in the line, from 1, in characters. */
int th_format_lines_column(const ThFormatLines *l, const char *at);

/* Fails at a place in the line.  Returns false, always. */
bool th_format_lines_fail(const ThFormatLines *l, const char *at, ThError *err, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

/* ---- machines ---- */

/* What a second rule for the same case means. */
typedef enum {
    TH_FORMAT_TWICE_FAILS,
    TH_FORMAT_TWICE_REPLACES,
    TH_FORMAT_TWICE_CHOICE
} ThFormatTwice;

/* A machine that is being read.  Zero-initialised but for notes, err and twice. */
typedef struct {
    ThTmBuild b;
    ThFormatTwice twice;
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
} ThFormatImport;

/* The number of a state or symbol, which is added if it is new; -1 and an error when there are too
 * many or memory ran out. */
int th_format_import_state(ThFormatImport *im, ThFormatField f);
int th_format_import_symbol(ThFormatImport *im, ThFormatField f);

/* Adds a rule; the place is that of an error.  The one function that knows what a second rule for
 * the same case means. */
bool th_format_import_rule(ThFormatImport *im, const ThTmRule *r, int line, int col);

/* The role that a state's name tells: accept, reject, halt-accept, q_reject, halt…; TH_TM_RUNS
 * where it tells none. */
ThTmRole th_format_role_of_name(const char *name);

/* Returns new: for each state, whether a rule of its own leaves it. */
bool *th_format_import_left(const ThFormatImport *im);

/* States that no rule leaves stop, as their names tell; without a word in the name they halt.  One
 * that accepts makes missing rules reject.  The notes call each "the state q" and `which`, those
 * that halt only with `halts`.  TH_ENOMEM. */
bool th_format_import_stopping(ThFormatImport *im, const char *which, bool halts);

/* States that run and that no rule leaves reject, as every missing rule does.  TH_ENOMEM. */
bool th_format_import_reject_left(ThFormatImport *im);

/* The start state by name, with the nearest name as a hint; -1 and TH_EVALUE. */
int th_format_import_start(ThFormatImport *im, const char *name);

/* Returns new: the machine, with notes on what was dropped; NULL where reading it was not `good`.
 * *im is empty afterwards in any case. */
ThTm *th_format_import_finish(ThFormatImport *im, bool good);
