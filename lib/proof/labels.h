/* labels.h - what the vectors of a tree stand for, as an automaton says it.
 *
 * A vector stands for the map of states that the symbols below it induce: an element of the
 * automaton's semigroup.  A later child is always a complete subtree, of 2^l symbols, and only the
 * subtree at the left edge can lack some; so a vector's label is (kind, element), and only these
 * combinations occur:
 *
 *     (k, g) with complete h becomes (k, gh);    nothing with (k, h) becomes (edge, h).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_PROOF_LABELS_H
#define TH_PROOF_LABELS_H

#include "automata/algebra/monoid.h"
#include "automata/core/dfa.h"

typedef enum { TH_PROOF_COMPLETE, TH_PROOF_EDGE } ThProofKind;

typedef struct {
    ThDfa *machine;    /* minimal */
    ThMonoid *monoid;  /* of its maps */
    int n, n_symbols;  /* labels */
    ThProofKind *kind; /* (n) */
    int *element;      /* (n): of the monoid */
    int *answer;       /* (n): the class of strings with this map; -1: nothing is asked */
    int *product;      /* (n, n): of F(i, j); -1: j is never a later child */
    int *alone;        /* (n): of F(nothing, j) */
    int *pair;         /* (n_symbols, n_symbols): of two symbols */
    int *single;       /* (n_symbols): of nothing and a symbol */
} ThProofLabels;

/* Returns new: all labels that occur.  Classes of the machine from n_classes on ask for nothing.
 * TH_ELIMIT beyond `limit` elements, TH_ENOMEM, TH_EINTERRUPTED. */
ThProofLabels *th_proof_labels_new(const ThDfa *machine, int n_classes, size_t limit, ThStop *stop,
                                   ThError *err);
void th_proof_labels_free(ThProofLabels *l); /* NULL is fine */

/* The label of F(x, y), x -1: nothing; or -1: it never occurs. */
static inline int th_proof_labels_product(const ThProofLabels *l, int x, int y)
{
    return x < 0 ? l->alone[y] : l->product[x * l->n + y];
}

#endif
