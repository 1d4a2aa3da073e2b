/* labels.h - what the vectors of a tree stand for, as an automaton says it.
 *
 * A vector stands for the map of states that the symbols below it induce: an element of the
 * automaton's semigroup.  A later child is always a complete subtree, of 2^l symbols, and only the
 * subtree at the left edge can lack some; so a vector's label is (kind, element), and only these
 * combinations occur:
 *
 *     (k, g) with complete h becomes (k, gh);    nothing with (k, h) becomes (edge, h).
 *
 * Where only the strings of a domain are meant, an element is a pair of maps: of the automaton's
 * states, and of those of the domain's acceptor; and only those labels and products are there whose
 * symbols can stand in a string of the domain where vectors have them: behind a vector complete
 * subtrees follow, so an even number of symbols, and before one of the edge there is nothing.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/monoid.h"

typedef enum { TH_PROOF_COMPLETE, TH_PROOF_EDGE } ThProofKind;

typedef struct {
    ThDfa *machine;    /* minimal */
    ThDfa *domain;     /* minimal acceptor; NULL: all strings */
    ThMonoid *monoid;  /* of the machine's maps; behind its states are those of the domain */
    int n, n_symbols;  /* labels */
    ThProofKind *kind; /* (n) */
    int *element;      /* (n): of the monoid */
    int *answer;       /* (n): the class of strings with this map; -1: nothing is asked */
    int *product;      /* (n, n): of F(i, j); -1: it does not occur, as where j is of the edge */
    int *alone;        /* (n): of F(nothing, j), or -1 */
    int *pair;         /* (n_symbols, n_symbols): of two symbols, or -1 */
    int *single;       /* (n_symbols): of nothing and a symbol, or -1 */
} ThProofLabels;

/* Returns new: all labels that occur in the strings that `domain`, over the same symbols, accepts
 * (NULL: all strings).  Classes of the machine from n_classes on ask for nothing.  TH_EVALUE where
 * there are none; TH_ELIMIT beyond `limit` elements, TH_ENOMEM, TH_EINTERRUPTED. */
ThProofLabels *th_proof_labels_new(const ThDfa *machine, const ThDfa *domain, int n_classes,
                                   size_t limit, ThStop *stop, ThError *err);
void th_proof_labels_free(ThProofLabels *l); /* NULL is fine */

/* The label of F(x, y), x -1: nothing; or -1: it never occurs. */
static inline int th_proof_labels_product(const ThProofLabels *l, int x, int y)
{
    return x < 0 ? l->alone[y] : l->product[x * l->n + y];
}

/* Are two labels the same map of the machine's own states?  What they do to a domain's is nothing
 * that a model has to know. */
bool th_proof_labels_same_map(const ThProofLabels *l, int i, int j);

/* Are they of one kind, too, so that one centre does for both?  And the first label with which a
 * label can share its centre. */
bool th_proof_labels_alike(const ThProofLabels *l, int i, int j);
int th_proof_labels_first(const ThProofLabels *l, int i);
