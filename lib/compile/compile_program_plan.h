/* compile_program_plan.h - where the values of a program stand in the residual stream, which layer
 * computes them, and by which heads and units.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "compile/observe.h"

/* A unit of a layer: what it reads and writes, in the list of entries. */
typedef struct {
    int layer, first, inputs, outputs;
    double bias;
} ThCompileUnit;

typedef struct {
    int at; /* coordinate */
    double weight;
} ThCompileEntry;

typedef struct {
    int layer, selector;
    ThCompileGathering how; /* WIDTH: the beginning counts as selected; else ONE */
    int ranked;             /* an aggregate that takes the greatest or least; -1 */
    int width;              /* columns of values */
} ThCompileHead;

typedef struct {
    const ThCompileObserved *o;
    int *ready;         /* (columns): the layer after which it is there; -1: not needed */
    int *block;         /* (columns): first coordinate */
    double *weight;     /* (columns, bases): of sums that say a value (numeric.h) */
    int *layer, *raw;   /* (gathered): its layer, and first coordinate */
    int *head, *within; /* (gathered): its head, and first column of values there */
    ThCompileHead *heads;
    size_t n_heads, cap_heads;
    ThCompileUnit *unit;
    size_t n_units, cap_units;
    ThCompileEntry *entry;
    size_t n_entries, cap_entries;
    int stream, layers, hidden; /* coordinates in use; layers; units of a layer at the most */
    int most_heads, head_width;
    int heads_in[65];
} ThCompilePlan;

/* Plans all but the units, and then these.  A zeroed *p is freed in any case; *o is borrowed.
 * TH_ELIMIT, TH_EVALUE, TH_ENOMEM. */
bool th_compile_plan(ThCompilePlan *p, const ThCompileObserved *o, ThError *err);
bool th_compile_plan_units(ThCompilePlan *p, ThError *err);
void th_compile_plan_free(ThCompilePlan *p);
TH_RELEASES_VALUE(th_compile_plan_free, ThCompilePlan)

/* The coordinate of the symbol that begins a string, and the first of those of positions; the
 * columns of what a head gathers. */
int th_compile_plan_begin(const ThCompilePlan *p);
int th_compile_plan_index(const ThCompilePlan *p);
int th_compile_plan_width(const ThCompilePlan *p, const ThCompileGathered *g);
