/* pack.h - scratchpads one after the other as tokens, and cut into rows of one length.
 *
 *     ThPadPacker k;
 *     th_pad_packer_begin(&k, &how);
 *     for (size_t i = 0; ok && i < rows; i++)
 *         ok = th_pad_pack_row(&k, i, token, scored, &err) && use(token, scored);
 *     th_pad_packer_free(&k);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "scratchpad/scratchpad.h"

/* One scratchpad a row; or rows of as many tokens as a context holds, cut from one endless stream;
 * or each from a stream of its own that begins anywhere in a scratchpad; or each beginning with a
 * scratchpad, the last of which is cut off and not scored.  In the order of the options pack=. */
typedef enum {
    TH_PAD_PACK_NONE,
    TH_PAD_PACK_STREAM,
    TH_PAD_PACK_OFFSET,
    TH_PAD_PACK_FILL
} ThPadPacking;

typedef struct {
    const ThPad *pad;
    uint64_t seed;        /* example i is drawn from th_rng(seed, "scratchpad", i); */
    ThRngWalk *walk;      /* where not NULL, the one example that this walk is at */
    const ThRange *sizes; /* of what is drawn; NULL: as the pad's options say */
    ThPadPacking packing;
    size_t context;       /* tokens of a row that is packed */
    size_t overlap;       /* tokens that a row of a stream shares with the next, 0 or 1 */
    bool score_questions; /* the loss counts on the tokens of questions, too */
    bool skip_cut;        /* it does not count on lines made from one that a row's beginning has cut
                             off */
    const ThPadExample *given; /* where not NULL, n_given examples, none being drawn */
    size_t n_given;
    ThStop *stop; /* NULL: nothing stops it */
} ThPadPackRules;

typedef struct {
    ThPadPackRules rules;
    uint64_t index;        /* examples begun */
    const ThPadExample *e; /* the last one */
    int *id;               /* (n): its tokens; those before `question` are its question's */
    size_t n, question;
    size_t at, legal; /* the next token to go into a row; the first that may be scored */
    ThPadExample drawn;
    size_t cap;
} ThPadPacker;

void th_pad_packer_begin(ThPadPacker *k, const ThPadPackRules *rules); /* *rules is copied */
void th_pad_packer_free(ThPadPacker *k);
TH_RELEASES_VALUE(th_pad_packer_free, ThPadPacker)

/* Sets k->e to the next example, and k->id, n and question, too.  Errors: those of drawing and
 * encoding, TH_EINTERRUPTED. */
bool th_pad_pack_example(ThPadPacker *k, ThError *err);
bool th_pad_pack_tokens(ThPadPacker *k, ThError *err);

/* Fills row number `row` of a packing: `context` tokens, and for each whether the loss counts on
 * it.  Rows are asked for in order, from 0.  Errors as above. */
bool th_pad_pack_row(ThPadPacker *k, size_t row, int *token, unsigned char *scored, ThError *err);
