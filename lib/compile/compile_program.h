/* compile_program.h - programs of RASP as the weights of a Transformer (Lindner et al. 2023).
 *
 * Every value that a part of the program can take has a coordinate of the residual stream; an
 * aggregate is a head, what is computed element by element a layer of units.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "rasp/evaluate/rasp_run.h"

/* An s-op, and the inputs that are meant: all words of 1 … length letters.  Borrowed. */
typedef struct {
    ThRaspGraph *graph;
    ThRaspSop sop;
    const ThRaspAtom *letter; /* (n_letters) */
    char *const *name;        /* (n_letters): as symbols */
    int n_letters, length;
    ThStop *stop;
} ThCompileProgram;

typedef struct {
    long long inputs;
    int layers, heads; /* heads of all layers that have work */
    int attending;     /* layers with heads that have work */
    int stream;        /* coordinates of the residual stream in use */
} ThCompileProgramSize;

/* Returns new: a model (bare) whose answers are the program's values, as text, at every position of
 * all these inputs; each has been run through both.  TH_EVALUE, with the input or the part, where
 * the program fails, has values of too many sorts to be averaged, or where the model turns out to
 * differ; TH_ELIMIT, TH_ENOMEM, TH_EINTERRUPTED. */
ThModel *th_compile_program(const ThCompileProgram *p, const ThTapeBounds *bounds,
                            ThCompileProgramSize *size, ThError *err);

/* A head of such a model that has work, and the selector that it looks by.  Layers and heads count
 * from 0. */
typedef struct {
    int layer, head;
    ThRaspSop selector;
    bool width;  /* the beginning of a string counts as selected */
    bool ranked; /* of what is selected the greatest or least is looked at */
} ThCompileProgramHead;

/* Returns new: the heads of the model that th_compile_program makes, *n of them, freed with free().
 * Errors as there. */
ThCompileProgramHead *th_compile_program_heads(const ThCompileProgram *p, size_t *n, ThError *err);
