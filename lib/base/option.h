/* option.h - options `key=value`, described by tables and read by name.
 *
 * A command, a model kind or a task kind describes its options by a constant array that ends with
 * an entry whose name is NULL.  The same array feeds the parser, help, completion and manual.
 *
 *     static const ThOptionSpec specs[] = {
 *         {"dim", TH_INT, "256", 1, 65536, NULL, "width of the hidden vectors"},
 *         {"position", TH_CHOICE, "xl", 0, 0, "none|xl", "how positions enter"},
 *         {NULL, 0, NULL, 0, 0, NULL, NULL}};
 *     ThOptions o = {0};
 *     th_options_init(&o, specs, &err) && th_options_set_int(&o, "dim", 64, &err);
 *     long long dim = th_option_int(&o, "dim");
 *     th_options_free(&o);
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "base/memory.h"

typedef enum {
    TH_INT,    /* an integer in min … max */
    TH_REAL,   /* a finite real in min … max */
    TH_FLAG,   /* yes|no, on|off, true|false, 1|0 */
    TH_CHOICE, /* one of the words in choices, separated by | */
    TH_RANGE,  /* N, N..M or N..M:STEP, each in min … max */
    TH_STRING  /* any text, a file name for instance */
} ThOptionType;

typedef struct {
    const char *name;
    ThOptionType type;
    const char *fallback; /* the default as it would be typed; NULL: none, see th_option_given */
    double min, max;
    const char *choices;
    const char *help; /* one line, no full stop */
} ThOptionSpec;

/* lo, lo+step, … up to hi. */
typedef struct {
    long long lo, hi, step;
} ThRange;

typedef struct {
    const ThOptionSpec *spec;
    bool given; /* typed by the user, not the default */
    char *text; /* as typed (an integer in digits), or the default; NULL: neither */
    long long integer;
    double real;
    ThRange range;
    int line, col; /* where it stands in a text, see th_options_set_at; 0: nowhere */
} ThOption;

typedef struct {
    size_t n;
    ThOption *item;
} ThOptions;

/* Sets every option to its default.  specs is borrowed for as long as o lives; NULL means none. */
bool th_options_init(ThOptions *o, const ThOptionSpec *specs, ThError *err);
/* Appends the options of another table at their defaults; a name that is there already stays as it
 * is.  On failure *o is as before. */
bool th_options_add(ThOptions *o, const ThOptionSpec *specs, ThError *err);
bool th_options_copy(ThOptions *to, const ThOptions *from, ThError *err); /* a deep copy */
void th_options_free(ThOptions *o); /* leaves *o without options */
TH_RELEASES_VALUE(th_options_free, ThOptions)

/* Sets one option from text.  Errors: TH_EUSAGE for an unknown name (the message lists the valid
 * ones) or a value that does not fit (the message says what would). */
bool th_options_set(ThOptions *o, const char *name, const char *value, ThError *err);

/* The same of a TH_INT, of a TH_REAL (or a TH_INT, where the number is whole), of a TH_RANGE. */
bool th_options_set_int(ThOptions *o, const char *name, long long value, ThError *err);
bool th_options_set_real(ThOptions *o, const char *name, double value, ThError *err);
bool th_options_set_range(ThOptions *o, const char *name, ThRange value, ThError *err);

/* The same from text, and keeps where the option stands; th_option_error says of an error without a
 * position that it is there, and returns false, always. */
bool th_options_set_at(ThOptions *o, const char *name, const char *value, int line, int col,
                       ThError *err);
bool th_option_error(const ThOptions *o, const char *name, ThError *err);

/* What an option that had a name before is called now: view, i = 0, 1, … until it is NULL, for an
 * old name may stand for options of several commands. */
const char *th_option_renamed(const char *was, size_t i);

/* True if there is an option of that name, or one that had it. */
bool th_option_known(const ThOptions *o, const char *name);

/* The values by name.  Asking for a name that is not in the specs is a programmer's error. */
bool th_option_given(const ThOptions *o, const char *name);
long long th_option_int(const ThOptions *o, const char *name);
double th_option_real(const ThOptions *o, const char *name);
bool th_option_flag(const ThOptions *o, const char *name);
ThRange th_option_range(const ThOptions *o, const char *name);
const char *th_option_text(const ThOptions *o, const char *name); /* view; also the CHOICE word */

/* The same, or another value where the option is not given and has no default. */
long long th_option_int_or(const ThOptions *o, const char *name, long long otherwise);
double th_option_real_or(const ThOptions *o, const char *name, double otherwise);
const char *th_option_text_or(const ThOptions *o, const char *name, const char *otherwise);

/* Of a TH_CHOICE: the place of its word in the table's a|b|c, from 0, or -1 where it is not given
 * and has no default.  Beside the table stands an enum in that order. */
int th_option_choice(const ThOptions *o, const char *name);

/* The place of a word of n bytes in a list a|b|c, from 0, or -1. */
int th_choice_index(const char *choices, const char *word, size_t n);

/* Reads "5", "1..40" or "1..40:3".  TH_EUSAGE if it is none of these, or lo > hi, or step < 1. */
bool th_range_parse(ThRange *r, const char *text, ThError *err);
size_t th_range_count(ThRange r);

/* Returns new: "key=value key=value …" of all options that differ from their defaults. */
char *th_options_format(const ThOptions *o, ThError *err);
