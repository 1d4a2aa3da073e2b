/* differ.h - on which inputs do two s-ops, or two selectors, differ?
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/evaluate/rasp_run.h"

typedef struct {
    bool differ;
    uint64_t inputs; /* compared, the one on which they differ included */
    uint64_t errors; /* of these both are an error on so many */
    ThRaspSeq input; /* that one; empty if there is none */
    size_t at;       /* the first element (of selectors: row) that differs; SIZE_MAX if only one
                        of them has a value */
    bool fails[2];   /* which has none, and why */
    ThError why[2];
} ThRaspDifferOf;

/* Inputs: words over an alphabet of n_letters atoms of one kind (borrowed), of lengths from … to.
 */
typedef struct {
    const ThRaspAtom *letter;
    size_t n_letters, from, to;
} ThRaspDifferInputs;

/* Compares a and b on all such inputs, in length-lexicographic order (length 0 has no inputs),
 * until they differ: in a value, by ==, or because one of the two is an error.  *d is freed with
 * th_rasp_differ_free.  Errors: TH_EUSAGE for an s-op with a selector, for no letters and for
 * lengths without any input; TH_ELIMIT if there are more than
 * TH_RASP_DIFFER_INPUTS inputs; TH_EINTERRUPTED, TH_ENOMEM. */
#define TH_RASP_DIFFER_INPUTS ((uint64_t)1 << 40)
bool th_rasp_differ(ThRaspGraph *g, ThRaspSop a, ThRaspSop b, const ThRaspDifferInputs *in,
                    ThRaspDifferOf *d, ThStop *stop, ThError *err);
void th_rasp_differ_free(ThRaspDifferOf *d);
TH_RELEASES_VALUE(th_rasp_differ_free, ThRaspDifferOf)
