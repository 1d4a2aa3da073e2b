/* params.h - the parameters of a model: one aligned block of floats described by a table.
 *
 * Saving, loading, counting, optimising and showing are loops over the table.  A parameter is a
 * matrix (rows, cols), row-major; vectors have one row.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/rng.h"
#include "base/stop.h"
#include "base/text.h"

typedef enum {
    TH_INIT_ZERO,
    TH_INIT_ONE,
    TH_INIT_CONSTANT,  /* scale */
    TH_INIT_NORMAL,    /* N(0, scale²) */
    TH_INIT_TRUNCATED, /* N(0,1) conditioned on |x| ≤ 2, times scale: Haiku's, real deviation 0.88
                        */
    TH_INIT_UNIFORM,   /* U(-scale, scale) */
    TH_INIT_PLACE,     /* a whole number from 0 to scale - 1, each as often */
    TH_INIT_DRAWN,     /* as a function says, see th_param_drawn */
    TH_INIT_ROW        /* every row the same, see th_param_row */
} ThInit;

/* The initial value of an element. */
typedef double ThParamDraw(ThRng *r, int row, int col);

typedef struct {
    char name[64];
    int rows, cols;
    ThInit init;
    double scale;
    ThParamDraw *draw; /* of TH_INIT_DRAWN */
    double *row;       /* (cols): of TH_INIT_ROW */
    bool decays;       /* AdamW's weight decay applies: matrices yes, biases and norms no */
    int hidden; /* matrices from hidden vectors to hidden vectors that lie side by side in its
                   columns, 2 where keys and values are one parameter; 0: not such a matrix */
    float least, most; /* what a step holds sizes between, see th_params_hold; most 0: nothing */
    size_t offset;     /* of its first element in value */
} ThParam;

typedef struct {
    ThParam *item;
    int n;
    size_t cap;
    size_t total; /* floats in the block, the padding between parameters included */
    float *value; /* 64-byte aligned; NULL until th_params_allocate */
} ThParams;

/* Adds a row to the table and returns its index, or -1 and TH_ENOMEM.  Matrices (rows > 1) decay,
 * vectors do not. */
int th_params_add(ThParams *p, const char *name, int rows, int cols, ThInit init, double scale,
                  ThError *err);

/* Says that a parameter is `parts` hidden matrices side by side, which divide its columns; 0: it is
 * none (an embedding, a head), which is how parameters begin.  Index -1 does nothing. */
void th_param_hidden(ThParams *p, int index, int parts);

/* Says how the elements of a parameter are drawn, and that weight decay is not for it.  Index -1
 * does nothing. */
void th_param_drawn(ThParams *p, int index, ThParamDraw *draw);

/* Says that every row of a parameter begins as `row` (cols), of which it keeps a copy, and that
 * weight decay is not for it.  TH_ENOMEM. */
bool th_param_row(ThParams *p, int index, const double *row, ThError *err);

/* Says that th_params_hold keeps a parameter's numbers at least … most, least > 0.  Index -1 does
 * nothing. */
void th_param_held(ThParams *p, int index, float least, float most);

/* Brings the sizes of held parameters back between their bounds and makes them positive: the
 * projection after a step of the optimiser.  th_params_allocate has done it. */
void th_params_hold(ThParams *p);

/* Allocates the block once the table is complete and draws initial values; each parameter has a
 * stream of its own, named by it.  stop may be NULL.  TH_ENOMEM, TH_EINTERRUPTED: free *p. */
bool th_params_allocate(ThParams *p, uint64_t seed, ThStop *stop, ThError *err);

size_t th_params_count(const ThParams *p);               /* learnable numbers, without padding */
float *th_params_at(const ThParams *p, int index);       /* view */
int th_params_find(const ThParams *p, const char *name); /* -1: none */
void th_params_free(ThParams *p);                        /* leaves *p zero-initialised */

/* Returns new: n zeroed floats aligned for the kernels; freed with free(). */
float *th_params_floats(size_t n, ThError *err);
