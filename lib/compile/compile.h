/* compile.h - automata as the weights of a RegularGPT that is exact.
 *
 * A segment of the input is the function on states that it induces, and a level of the model
 * multiplies the functions of neighbouring segments (Chi et al. 2023, section 4 and Lemma 1).
 * Layer norms are made to do nothing, attention weights are 0 and 1, and the feed-forward layer
 * takes all that it has read away and puts the product in its place.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/holonomy.h"
#include "automata/algebra/monoid.h"
#include "models/model.h"
#include "tasks/task.h"

typedef struct {
    bool monoid;  /* a segment is an element of the monoid, else a matrix */
    bool split;   /* layout A: the latest child is copied, too; else B: it stays where it is */
    bool plain;   /* Lemma 1's unit; else a pair of units with slope zero about 0 and 1, so that no
                     error is handed on */
    int chunk;    /* C: factors of a product, 2 … 8 */
    bool pairs;   /* of layout B: C - 1 layers a level (thickness), each of which multiplies two
                     factors; else one that multiplies all.  Not with plain units, whose errors
                     would grow too far in so many layers */
    bool pre;     /* GPT-2's block: layer norm before each part */
    bool gelu;    /* else ReLU */
    bool sparse;  /* hidden units keep the few weights that are not zero (fan of regulargpt) */
    bool dilated; /* every position is computed; where each has an answer, they always are */
} ThCompileShape;

typedef struct {
    double terms; /* of a product */
    double dim, heads, hidden;
    double parameters;
    double operations; /* multiplications to combine one chunk */
} ThCompileSize;

/* What a task's machine takes in a shape.  monoid may be NULL unless the shape needs it. */
ThCompileSize th_compile_size(const ThTask *t, const ThMonoid *monoid, const ThCompileShape *shape);

/* Returns new: a model that answers every string as the task does.  The task must have a machine
 * (TH_EVALUE); monoid is that of its machine, or NULL unless the shape needs it.  bounds may be
 * NULL.  TH_ELIMIT where the bounds or the sizes of models have no room for it, TH_ENOMEM. */
ThModel *th_compile_regulargpt(const ThTask *t, const ThMonoid *monoid, const ThCompileShape *shape,
                               const ThTapeBounds *bounds, ThError *err);

/* Returns new: a linear recurrence whose matrices depend on the input (lrnn, norm=paper) that
 * answers as the task does: in one layer, or, with the decomposition of the task's machine, in a
 * cascade of one layer a level.  Errors as above. */
ThModel *th_compile_lrnn(const ThTask *t, const ThHolonomy *h, const ThTapeBounds *bounds,
                         ThError *err);

/* Returns new: one with norm=code, for a task whose machine adds in a cyclic group; its monoid is
 * borrowed, NULL: it has more elements than states.  TH_EVALUE for other machines; else as above.
 */
ThModel *th_compile_lrnn_sum(const ThTask *t, const ThMonoid *monoid, const ThTapeBounds *bounds,
                             ThError *err);

/* Returns new: a pd_ssm that answers as the task does: in one layer whose maps are those of the
 * machine, for every machine; or, with `phases`, where symbols permute the states and their group,
 * all of the monoid, is solvable, by complex diagonals, a layer for each step of the derived series
 * and one that says which state it is.  TH_EVALUE for other machines; TH_ELIMIT beyond 720 elements
 * (monoid NULL: it has more), else as above. */
ThModel *th_compile_pd_ssm(const ThTask *t, const ThMonoid *monoid, bool phases,
                           const ThTapeBounds *bounds, ThError *err);

/* Returns new: a deltaproduct that answers as the task does, whose machine has up to 16 states and
 * symbols that permute them, by one reflection less than states at most, or lead all to one.
 * TH_EVALUE for other machines, TH_ELIMIT for more states or steps, else as above. */
ThModel *th_compile_deltaproduct(const ThTask *t, const ThTapeBounds *bounds, ThError *err);
