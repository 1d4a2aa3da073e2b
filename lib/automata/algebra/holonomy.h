/* holonomy.h - the holonomy decomposition of a machine (Krohn and Rhodes 1965; Zeiger 1967;
 * Eilenberg 1976) and the cascade that it gives.
 *
 * Sets of states that words take the whole set to, and single states, are the image sets.  The
 * tiles of an image set are the greatest image sets strictly inside it.  Image sets that words
 * take to each other and back form a family; words that take a set to itself permute its tiles:
 * its holonomy group.  A state is given by coordinates: on each level, from the whole set
 * downwards, which tile of the set chosen so far holds it.  A symbol changes a coordinate by a
 * permutation from the group or by a constant, and which one depends on the coordinates above
 * only: the levels form a cascade.
 *
 *     ThHolonomy *h = th_holonomy_new(minimal, 100000, stop, &err);
 *     int c[h->n_levels];
 *     th_holonomy_lift(h, q, c);
 *     if (th_holonomy_step(h, c, a, next, &err))
 *         assert(th_holonomy_state(h, next) == minimal->next[q * minimal->n_symbols + a]);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/group.h"
#include "automata/core/dfa.h"
#include "base/intern.h"

typedef struct {
    int representative; /* image set, the first of the family */
    int n_sets, n_points;
    int level;      /* 0 is the whole set's; n_levels for single states */
    int n_tiles;    /* of the representative */
    int *tile;      /* (n_tiles): image sets */
    ThGroup *group; /* permutations of the tiles; NULL for single states */
    ThGroupFacts facts;
} ThAutomatonFamily;

typedef struct {
    const ThDfa *d; /* borrowed */
    int n_states, n_symbols, n_sets, n_families, n_levels;
    size_t words; /* 64-bit words of a set */
    ThIntern set; /* image sets as bits; 0 is the whole set */
    int *points;  /* (n_sets) */
    int *image;   /* (n_sets, n_symbols): image sets */
    int *family;  /* (n_sets) */
    int *carry;   /* (n_sets, n_states): from the family's representative to the set; -1 */
    int *back;    /* (n_sets, n_states): from the set to the representative; -1 */
    ThAutomatonFamily *families; /* by level, then by first sets */
    int *scratch;                /* (n_states) */
    uint64_t *bits;              /* (words) */
} ThHolonomy;

/* Returns new; d is borrowed for as long as it lives.  TH_ELIMIT beyond `limit` image sets (0: no
 * limit; there may be 2^n_states) or group elements. */
ThHolonomy *th_holonomy_new(const ThDfa *d, size_t limit, ThStop *stop, ThError *err);
void th_holonomy_free(ThHolonomy *h); /* NULL is fine */
TH_RELEASES(th_holonomy_free, ThHolonomy)

/* True if state q lies in an image set. */
bool th_holonomy_contains(const ThHolonomy *h, int set, int q);

/* One coordinate a level: a tile's number, or -1 on levels that the set chosen so far skips.  A
 * state may have several coordinates; its lift are the first tiles that hold it. */
void th_holonomy_lift(const ThHolonomy *h, int q, int *coordinate);
int th_holonomy_state(const ThHolonomy *h, const int *coordinate);

/* Coordinates after a symbol; to may not be from.  False if memory runs out. */
bool th_holonomy_step(const ThHolonomy *h, const int *from, int symbol, int *to, ThError *err);

/* What th_holonomy_verify looked at. */
typedef struct {
    size_t tuples;       /* coordinates of states, each tried with every symbol */
    size_t dependencies; /* different (coordinates above, symbol) on all levels */
    bool closed;         /* these tuples are closed under symbols: the whole cascade from the
                            lifts of all states; else the limit cut it short */
} ThHolonomyCheck;

/* Follows the cascade from the lifts of all states by all symbols, up to `limit` tuples, and checks
 * that it goes where d goes, that what happens on a level depends on those above only, and that it
 * is a constant or a permutation from the group.  TH_EVALUE if not. */
bool th_holonomy_verify(const ThHolonomy *h, size_t limit, ThHolonomyCheck *check, ThStop *stop,
                        ThError *err);
