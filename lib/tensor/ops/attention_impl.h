/* attention_impl.h - what the fast and the reference version of attention share; included by
 * lib/tensor/ops_attention*.c only.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tensor/tape/tape_impl.h"

/* Inputs of the operation. */
enum {
    TH_TAPE_ATTEND_Q,
    TH_TAPE_ATTEND_KV,
    TH_TAPE_ATTEND_U,
    TH_TAPE_ATTEND_V,
    TH_TAPE_ATTEND_XL,
    TH_TAPE_ATTEND_BIAS
};

/* The arguments of its node. */
typedef struct {
    ThOpAttention how;
    int queries;       /* rows of q for a string */
    int d, width;      /* of the vectors, of one head */
    int kv_row, value; /* keys are so far apart, and values so far behind their keys */
    int reach;         /* m of xl, whose rows are 2m-1 */
    int bias_reach;    /* m of the bias */
    bool bias_each;    /* a full bias has numbers for every string */
    bool bias_learns;
    bool alone;   /* few queries a string, each worked on by itself: generation */
    double scale; /* 1/√width */
    double dropout;
    uint64_t seed; /* of what is dropped */
} ThTapeAttend;

/* How many positions of string b there are, and where its first query stands: before position 0
 * where the string is shorter than it has queries; at 0 where queries are no positions. */
int th_tape_attend_length(const ThTapeAttend *f, int b);
int th_tape_attend_first(const ThTapeAttend *f, int b);

/* The offset in the bias of what is added for a query i and a key 0 of a head of string b; that of
 * key j is j further.  Distances count alike from any position, so a string may also be cut. */
size_t th_tape_attend_bias_at(const ThTapeAttend *f, int b, int head, int i);

/* Room for the weights in the shape that inspections read, (B*heads*queries, T), zeroed; NULL
 * unless they are wanted. */
void *th_tape_attend_publish(ThTape *t, const ThTapeAttend *f, size_t real);

/* What weight j of a query is multiplied by: 0 where it is dropped; row: of B*heads*queries. */
double th_tape_attend_kept(const ThTapeAttend *f, size_t row, int j);

void th_tape_attend_forward(ThTape *t, ThTapeNode *n);
void th_tape_attend_backward(ThTape *t, ThTapeNode *n);

/* The same for queries and keys that nothing but lengths and a causal mask keeps apart, on
 * processors where that is faster. */
bool th_tape_attend_is_plain(const ThTapeAttend *f);
void th_tape_attend_plain_forward(ThTape *t, ThTapeNode *n);
void th_tape_attend_plain_backward(ThTape *t, ThTapeNode *n);

/* The same where only the greatest logits count. */
extern const ThOp th_tape_attend_hard;

/* In double precision n scores, -∞ of what is not seen, become weights, whatever their size: all 0
 * where nothing is seen, else with the sum 1. */
void th_tape_attend_weights(double *w, int n);

void th_tape_attend_forward_double(ThTape *t, ThTapeNode *n);
void th_tape_attend_backward_double(ThTape *t, ThTapeNode *n);
