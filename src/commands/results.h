/* results.h - what the commands share that tell what the points of a sweep found. */
#ifndef SH_COMMANDS_RESULTS_H
#define SH_COMMANDS_RESULTS_H

#include "command.h"
#include "points.h"

/* The points that agree in the variables asked for. */
typedef struct {
    json_t *key;     /* their values */
    json_t *records; /* of the points that are done */
    double *x;       /* (n): the figure of each that has it */
    size_t n;
} ShGroup;

typedef struct {
    json_t *records; /* all */
    json_t *by;      /* names of variables */
    const char *of;  /* the figure; a view */
    ShGroup *group;
    size_t n, cap;
} ShResults;

/* Reads the records that a call is about, its first operand, in groups by the variables that the
 * others name.  *r is freed by the second in any case. */
bool sh_results_read(const ShCall *call, ShResults *r, ThError *err);
void sh_results_free(ShResults *r);

/* Returns new: a string, the value of a variable as it is read. */
json_t *sh_results_text(const json_t *v);

/* What is shown of a group: words of a list, and how their numbers are written. */
typedef struct {
    int what[6], n; /* places in the list */
    double scale;
    int digits;
} ShShown;

/* TH_EUSAGE for a word that is none of the list. */
bool sh_shown_read(const ThOptions *o, ShShown *sh, ThError *err);

/* Takes the keys apart: appends the values at place `at` of r->by, and the rests, in the order in
 * which they come.  Then the group with a rest and a value, or NULL. */
void sh_results_split(const ShResults *r, size_t at, json_t *values, json_t *rests);
const ShGroup *sh_results_find(const ShResults *r, json_t *rest, size_t at, json_t *value);

/* The place in r->by of what across= names; -1: none was named.  TH_EUSAGE where it is not there.
 */
bool sh_results_across(const ShResults *r, const ThOptions *o, int *at, ThError *err);

/* Puts a table out: numbers, a row a group; with a layout or with the values of the variable
 * `across` as columns, texts.  -1: no variable. */
typedef enum { SH_LAYOUT_PLAIN, SH_LAYOUT_LATEX, SH_LAYOUT_MARKDOWN } ShLayout;
void sh_results_print(ShSession *s, const ShResults *r, const ShShown *sh, int across,
                      ShLayout layout);

#endif
