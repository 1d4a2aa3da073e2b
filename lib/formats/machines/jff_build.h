/* jff_build.h - what the parts of the builder of JFLAP's machines share.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_FORMATS_MACHINES_JFF_BUILD_H
#define TH_FORMATS_MACHINES_JFF_BUILD_H

#include "formats/machines/jff_records.h"

enum { TH_JFF_STATES = 1 << 20, TH_JFF_BLANK = 0 };

/* A machine in the place of a block; its states are flat states base, base + 1, … */
typedef struct {
    int machine, base, owner; /* owner: the flat state of the block, or -1 */
} ThJffInstance;

/* A state of the file in an instance; inside: the instance that a block stands for, or -1. */
typedef struct {
    int state, instance, inside;
    int number; /* of the machine's state, or -1 */
} ThJffFlat;

/* What a label reads: these symbols, or all but these. */
typedef struct {
    bool others;
    size_t first, n; /* in item of the building */
} ThJffPattern;

enum { TH_JFF_KEEPS = -1 }; /* a label that writes what was read; else a symbol */

typedef struct {
    ThJff *j;
    ThFormatImport im;
    ThJffInstance *instance;
    size_t n_instances, instance_cap;
    ThJffFlat *flat;
    size_t n_flat, flat_cap;
    ThJffPattern *read; /* (transitions, tapes) */
    int *write;         /* (transitions, tapes) */
    int *item;          /* symbols */
    size_t n_items, item_cap;
    size_t *order; /* flat states as they are numbered */
    size_t n_numbered;
    bool b_is_blank;
    bool expanded;
    const char *start;
    ThError *err;
} ThJffBuilding;

/* Fails at a transition's place.  Returns false, always. */
bool th_jff_fail(const ThJffBuilding *b, const ThJffTransition *t, const char *what);

/* jff_blocks.c: transitions get states instead of ids and hang on the states that they leave; the
 * machine is put together from the insides of its blocks, as flat states. */
bool th_jff_put_together(ThJffBuilding *b);

const ThJffState *th_jff_state(const ThJffBuilding *b, int flat);

/* The state that is entered with a state of the file: of a block the initial one inside. */
int th_jff_entry(const ThJffBuilding *b, int flat);

/* The state whose transitions are taken: a final state inside a block goes on with the block's. */
int th_jff_leaving(const ThJffBuilding *b, int flat);

/* Where a transition from there leads. */
int th_jff_target(const ThJffBuilding *b, int leaving, const ThJffTransition *t);

/* jff_labels.c: reads the labels, which gives the alphabet with the blank first. */
bool th_jff_read_labels(ThJffBuilding *b);

#endif
