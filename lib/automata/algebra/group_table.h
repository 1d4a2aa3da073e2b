/* group_table.h - a group of few elements as its table of products, and how one lies in another.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/group.h"

typedef struct {
    int n;                /* elements; 0 is the identity */
    int *product;         /* (n, n): first the row, then the column */
    int *inverse, *order; /* (n) */
} ThGroupTable;

/* Room for a table of n elements, all zeros; th_group_table_finish fills in what products say. */
bool th_group_table_new(ThGroupTable *t, int n, ThError *err);
void th_group_table_finish(ThGroupTable *t);
void th_group_table_free(ThGroupTable *t); /* leaves *t empty */
TH_RELEASES_VALUE(th_group_table_free, ThGroupTable)

/* The table of g, elements numbered as there.  O(n^2). */
bool th_group_table_of(ThGroupTable *t, const ThGroup *g, ThError *err);

static inline int th_group_times(const ThGroupTable *t, int x, int y)
{
    return t->product[(size_t)x * (size_t)t->n + (size_t)y];
}

/* x with y: y^-1 x y. */
static inline int th_group_conjugated(const ThGroupTable *t, int x, int y)
{
    return th_group_times(t, th_group_times(t, t->inverse[y], x), y);
}

/* What is looked for: images in `to` of generators of `from` that make an injective homomorphism.
 */
typedef struct {
    const ThGroupTable *from, *to;
    const int *generator; /* (n), elements of `from`, which they generate */
    int n;
    int *image;                               /* (n), elements of `to` */
    int *map;                                 /* (from->n): where every element goes */
    bool (*may)(void *context, int i, int x); /* is x an image of generator i?  NULL: any is */
    bool (*take)(void *context);              /* is told of each; returns whether to go on */
    void *context;
    long *budget; /* products; the search ends where it is used up */
} ThGroupEmbedding;

/* Calls take for every embedding, image and map being set, in the order of the images.
 * TH_EINTERRUPTED, TH_ENOMEM. */
bool th_group_embeddings(ThGroupEmbedding *e, ThStop *stop, ThError *err);
