/* table.h - labelled strings kept in memory: what the data of a data set is, and the functions that
 * a ThTaskKind with such data is made of.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/hash.h"
#include "tasks/task.h"

enum { TH_TASK_LONGEST_ROW = 1000000 };

/* The strings one behind the other.  Zero-initialised it is empty. */
typedef struct {
    int n, n_train;   /* rows; those of them to train on */
    bool every;       /* whether answers are one a symbol, or one a row */
    const char *unit; /* what symbols are called: "words" */
    size_t *start;    /* (n + 1): where a row begins in token, and in answer where there is one a
                         symbol */
    int *token;
    int *answer; /* a class for every symbol, -1 for nothing asked; or for every row */
    int *order;  /* (n): the rows to train on, then those to test on, each by length */
} ThTaskTable;

/* Copies and frees t->data; as copy_data and free_data of ThTaskKind. */
void *th_task_table_copy(const void *table, ThError *err);
void th_task_table_free(void *table); /* NULL is fine */

/* Fills d->order: chooses d->n_train rows at random to train on, or with r = NULL the first ones.
 */
bool th_task_table_order(ThTaskTable *d, ThRng *r, ThError *err);

/* Rows that are drawn until there are enough different ones, with one answer each.  Begins with an
 * empty table, which is borrowed. */
typedef struct {
    ThTaskTable *table;
    size_t cap_start, cap_token, cap_answer;
    ThHashTable known;
} ThTaskPool;

/* Appends a string with its answer, unless it is there already; *kept tells.  TH_ENOMEM. */
bool th_task_pool_keep(ThTaskPool *p, ThTaskWord word, int answer, bool *kept, ThError *err);
void th_task_pool_free(ThTaskPool *p); /* not the table */
TH_RELEASES_VALUE(th_task_pool_free, ThTaskPool)

/* Leaves the rows row[0] … row[n-1] in this order, which takes d->order away. */
bool th_task_table_select(ThTaskTable *d, const int *row, int n, ThError *err);

/* Functions of a ThTaskKind whose data is a table: a drawn length is one that a row to train on
 * has, or where there is none, one to test on. */
int th_task_table_drawn_length(const ThTask *t, int length);
bool th_task_table_draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);
long long th_task_table_count(const ThTask *t, const ThTaskRows *which);
bool th_task_table_take(const ThTask *t, const ThTaskRows *which, const long long *number,
                        ThBatch *b, ThError *err);
void th_task_table_describe(const ThTask *t, ThText *to);

/* The rows of a ThTaskKind whose data is a table. */
#define TH_TASK_TABLE                                                                              \
    .ragged = true, .length = th_task_table_drawn_length, .draw = th_task_table_draw,              \
    .count = th_task_table_count, .take = th_task_table_take, .describe = th_task_table_describe,  \
    .copy_data = th_task_table_copy, .free_data = th_task_table_free
