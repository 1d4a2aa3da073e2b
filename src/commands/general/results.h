/* results.h - what the commands share that tell what the points of a sweep found. */
#pragma once

#include "point_records.h"

/* The points that agree in the variables asked for. */
typedef struct {
    json_t *key;         /* their values */
    json_t *records;     /* of the points that are done */
    double *x;           /* (n): the figure of each that has it */
    const json_t **from; /* (n): the record that has it, */
    const json_t **in;   /* (n): and what the command answered that has it */
    double *sorted;      /* (n): x, ascending */
    size_t n, failed;    /* failed: points that ended in an error, or without a finite figure, or
                            without one of the command that the others have it of */
    double strings;      /* that each was tested on, at least; NaN: not known of all */
} ShGroup;

/* A figure of a paper. */
typedef struct {
    json_t *key;                 /* the values of the variables, as they are written */
    char *text;                  /* as the file has it */
    double value;                /* NaN: only the side is known */
    int side;                    /* then: 1 above, 0 at, -1 below what it is compared with */
    double chance, paper_chance; /* of our test, of the paper's; NaN: not given */
    ThStatsStatistic statistic;
    char *test; /* what the paper tested on; NULL: not given */
} ShPublished;

typedef struct {
    json_t *records; /* all */
    json_t *by;      /* names of variables */
    const char *of;  /* the figure; a view */
    bool share;      /* of right answers */
    int better;      /* 1: higher, -1: lower is better, 0: neither */
    ShGroup *group;
    size_t n, cap;
    ShPublished *published;
    size_t n_published;
    ThStatsStatistic statistic;                     /* where a row of the file says none */
    bool has_paper_chance, has_statistic, has_test; /* columns of the file */
} ShResults;

/* Reads the records that a call is about, its first operand, in groups by the variables that the
 * others name, or the columns of the file `against`, if that is not NULL.  *r is freed by the
 * second in any case. */
bool sh_results_read(const ShCall *call, const char *against, ShResults *r, ThError *err);
void sh_results_free(ShResults *r);
TH_RELEASES_VALUE(sh_results_free, ShResults)

/* A figure as the last command of a point has it that answered with one of that name; NaN where
 * none did. */
double sh_results_figure(const json_t *record, const char *name);

/* Another figure of the answer that a group's point i has its own from; NaN: it has none. */
double sh_results_beside(const ShGroup *g, size_t i, const char *name);

/* Returns new: a string, the value of a variable as it is read. */
json_t *sh_results_text(const json_t *v);

/* What is shown of a group: words of a list, and how their numbers are written. */
typedef struct {
    int what[8], n; /* places in the list */
    double scale, goal;
    int digits;
    bool bold; /* the best of a row, with across= */
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

/* Rows of texts with a line of names above them: arrays of strings.  A cell that begins with
 * SH_GRID_BOLD is printed bold where that can be. */
#define SH_GRID_BOLD "\x01"
typedef struct {
    json_t *head, *rows;
    int left;         /* columns that name the row */
    const char *over; /* what the other columns are values of, or NULL; a view */
} ShGrid;

/* Writes it in LaTeX or Markdown. */
void sh_grid_print(FILE *out, const ShGrid *g, ShLayout layout);

/* results_published.c: reads the figures of a paper, whose columns become the variables; errors
 * name the place in the file.  r->statistic is what a row has that says none. */
bool sh_published_read(ShResults *r, const char *file, ThError *err);
void sh_published_free(ShResults *r);

/* results_against.c: puts the figures of the paper out beside those of the points, with verdicts.
 */
bool sh_results_compare(ShSession *s, const ThOptions *o, const ShResults *r, ShLayout layout,
                        ThError *err);

/* results_versus.c.  Splits "NAME=VALUE" at a variable of the table: *at is its place in r->by, the
 * value a view; TH_EUSAGE for another. */
bool sh_results_value(const ShResults *r, const char *option, const char *text, int *at,
                      const char **value, ThError *err);

/* The group that has a key of these texts, or NULL. */
const ShGroup *sh_results_at(const ShResults *r, const json_t *key);

/* The figures of two groups by pairs of the same seed: n of them, the interval of the mean of the
 * differences, for other seeds and, of shares on a known number of strings, for other strings (none
 * where the differences fall into two groups, or are all equal and nothing is known of the
 * strings), how many are positive, and the exact p of their signs. */
typedef struct {
    size_t n, higher;
    double mean, p;
    ThStatsInterval away;
} ShPairs;
bool sh_results_pair(const ShResults *r, const ShGroup *a, const ShGroup *b, ShPairs *to,
                     ThError *err);

/* Puts each group out beside the one that versus= names. */
bool sh_results_versus(ShSession *s, const ThOptions *o, const ShResults *r, ThError *err);

/* Puts out how the figures of a paper and those found, (n_published) of them or NaN, order the
 * values of the variable that rank= names. */
bool sh_results_rank(ShSession *s, const ThOptions *o, const ShResults *r, const double *found,
                     ThError *err);
