/* places.h - how a decoder tells positions apart, computed as numbers with radii (decoder.h).
 *
 * Tables of sines and slopes that runs hold in single precision are numbers of the model, as its
 * weights are: what is said of real numbers is said of these.
 *
 * Sources: those of models/position, each in the file of its encoding.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/decoder.h"

/* *places <- that of a position=; false: it is not known here. */
bool th_proof_places_named(const char *position, ThProofPlaces *places);

/* Numbers that f->by_places has, for strings of so many symbols; and fills in those that are the
 * same for all. */
size_t th_proof_places_room(ThProofPlaces places, int longest, int heads, int dim);
void th_proof_places_begin(ThProofDecoder *f);

/* f->x, n embedded rows, with what is added to them. */
void th_proof_places_embed(const ThProofDecoder *f, int n);

/* Makes what a layer has to know before it attends to n rows: turns f->query and the keys in
 * f->both, and fills f->by_places. */
void th_proof_places_prepare(const ThProofDecoder *f, int layer, int n);

/* The rows that a head of a layer sees from row i of n: *from up to *to. */
void th_proof_places_seen(const ThProofDecoder *f, int layer, int head, int i, int n, int *from,
                          int *to);

/* The product of a head's query and key, scaled; with `more`, where not NULL, added to the query.
 */
ThProofNumber th_proof_places_product(const ThProofDecoder *f, const ThProofNumber *query,
                                      const float *more, const ThProofNumber *key);

/* The logit of row i beside row j, of one head. */
ThProofNumber th_proof_places_logit(const ThProofDecoder *f, int layer, int head, int i, int j);
