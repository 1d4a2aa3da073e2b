/* string_boxes.h - all strings of a length at once: in boxes of strings, which are halved until the
 * answer is sure.
 *
 * A box has at each position any of some symbols.  Where the automaton gives all strings of a box
 * that are meant one class, forms.h bounds by how much its logit leads; where that is not enough,
 * the position whose symbol moves it most is split.  Where there are several classes, the position
 * is split that leaves the least doubt (the entropy of classes, weighted by strings).  A box of a
 * few strings is gone through string by string.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/decoder.h"
#include "proof/claim.h"

typedef struct {
    ThProofDecoder *f; /* whose unit is that of the runs that are meant */
    const ThProofClaim *claim;
    int longest;    /* of all strings */
    long long most; /* boxes and strings by themselves, at most */
    void *context;
    /* *sure <- is a class, `right`, surely answered to a string by itself?  Where it is not, forms
     * are asked, too; and then `open` is called, which sets *end where no more are to be looked at.
     */
    void (*string)(void *context, const int *word, int n, int right, bool *sure);
    bool (*open)(void *context, const int *word, int n, int right, bool *end, ThError *err);
} ThProofBoxesHow;

/* What has become of it. */
typedef struct {
    double strings;          /* about which something is asked */
    long long boxes, single; /* that forms were computed of, and strings by themselves */
    double lead;             /* the least that forms found where they were sure; HUGE_VAL: none */
} ThProofBoxesFound;

/* Looks at all strings of up to how->longest symbols about which something is asked, the shorter
 * ones first, and fills *found.  Returns false on an error; TH_ELIMIT where there is too much to be
 * looked at, TH_ENOMEM, TH_EINTERRUPTED. */
bool th_proof_boxes(const ThProofBoxesHow *how, ThProofBoxesFound *found, ThStop *stop,
                    ThError *err);
