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

/* A figure of a paper. */
typedef struct {
    json_t *key;   /* the values of the variables, as they are written */
    char *text;    /* as the file has it */
    double value;  /* NaN: only the side is known */
    int side;      /* then: 1 above, 0 at, -1 below what it is compared with */
    double chance; /* NaN: not given */
} ShPublished;

typedef struct {
    json_t *records; /* all */
    json_t *by;      /* names of variables */
    const char *of;  /* the figure; a view */
    ShGroup *group;
    size_t n, cap;
    ShPublished *published;
    size_t n_published;
} ShResults;

/* Reads the records that a call is about, its first operand, in groups by the variables that the
 * others name, or the columns of the file `against`, if that is not NULL.  *r is freed by the
 * second in any case. */
bool sh_results_read(const ShCall *call, const char *against, ShResults *r, ThError *err);
void sh_results_free(ShResults *r);

/* A figure as the last command of a point has it that answered with one of that name; NaN where
 * none did. */
double sh_results_figure(const json_t *record, const char *name);

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

/* Rows of texts with a line of names above them: arrays of strings. */
typedef struct {
    json_t *head, *rows;
    int left; /* columns that name the row */
} ShGrid;

/* Writes it in LaTeX or Markdown. */
void sh_grid_print(FILE *out, const ShGrid *g, ShLayout layout);

/* results_against.c: reads the figures of a paper, whose columns become the variables; errors name
 * the place in the file.  The last puts the figures out beside those of the points. */
bool sh_published_read(ShResults *r, const char *file, ThError *err);
void sh_published_free(ShResults *r);
bool sh_results_compare(ShSession *s, const ThOptions *o, const ShResults *r, ThError *err);

#endif
