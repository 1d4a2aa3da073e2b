/* quantize.h - a model whose vectors snap to the nearest of finitely many after every level.
 *
 * A vector snaps to a centre of its own kind, complete or at the left edge, which the tree knows.
 * Such a model is a finite algebra: a table says which centre the map leads to from every two.  If
 * the table is the automaton's, and so are the answers, the snapped model is right on strings of
 * every length, whatever the model itself does; no geometry is needed.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/claim.h"
#include "proof/labels.h"
#include "proof/map.h"

typedef struct {
    ThProofLabels *labels; /* the centres are those of these labels */
    int dim;
    double *centre;     /* (n, dim) */
    int *product;       /* (n, n): as the map has it, where j is complete; -1: there is no centre */
    int *alone;         /* (n): of nothing and j */
    int *pair, *single; /* of symbols, as in ThProofLabels */
    int *said;          /* (n): the class read off a centre */
    int checked, wrong; /* entries of all these, and those that are not the automaton's */
    double margin;      /* least distance to another centre, less that to the nearest */
    double rounding;    /* how far a float run's vector can be from the map's before it snaps, where
                           no entry is wrong */
    bool
        in_double; /* rounding changes no entry, in double precision: every margin is above twice
                      what rounding takes its vector away, and every answer's lead above what it
                      takes.  So the table, which is made in double, is that of real numbers, too */
    bool in_float; /* nor in single precision */
    /* The shortest string found that the table answers wrong, where any entry is wrong, and the
     * model that snaps, too; NULL: there is none. */
    int *word, length, right, answer;
} ThProofQuantized;

/* Returns new: the table, with the centres of a model that snaps, or that training with table_loss=
 * has left, and else those of sampled vectors as th_proof_certify takes them, in single precision;
 * where the table is wrong then, of lower levels, settled (settle.h): one or two tables.  Errors as
 * there; TH_EVALUE, too, where a model has not as many centres as the automaton has labels. */
ThProofQuantized *th_proof_quantize(const ThModel *m, const ThProofClaim *claim, size_t limit,
                                    uint64_t seed, ThStop *stop, ThError *err);
void th_proof_quantized_free(ThProofQuantized *q); /* NULL is fine */
TH_RELEASES(th_proof_quantized_free, ThProofQuantized)

/* Fills word, length, right and answer, where a string of up to 12 levels is found.  TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_proof_quantized_word(ThProofQuantized *q, ThStop *stop, ThError *err);

/* Returns new: the machine whose states are the table's labels, and a start of class `empty`: state
 * and symbol lead where the table puts the shortest word of the state with the symbol behind it,
 * and a state's class is what is read off its centre, or n_classes where nothing is asked.  If the
 * table is an automaton's, so is the machine; else it answers some words as the table does. */
ThDfa *th_proof_quantized_machine(const ThProofQuantized *q, int n_classes, int empty,
                                  ThError *err);

/* Returns new: the model with codebook= and edge_codebook= to which its vectors snap, whose table
 * this is, untrained but for its weights. */
ThModel *th_proof_snapped(const ThModel *m, const ThProofQuantized *q, ThError *err);
