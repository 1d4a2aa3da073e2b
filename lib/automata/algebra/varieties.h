/* varieties.h - what the transition monoid of a minimal machine says about the language: its
 * groups, and the classes of languages that it belongs to.
 *
 * Where a class depends on it, the semigroup of non-empty words is meant: it lacks the identity
 * unless some non-empty word acts as such.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/green.h"
#include "automata/algebra/group.h"

typedef struct {
    bool aperiodic;   /* star-free, first-order with <: all groups are trivial (Schützenberger) */
    bool group;       /* every word permutes the states */
    bool solvable;    /* all groups in it are */
    bool commutative; /* the order of symbols in a word does not matter */
    bool idempotent;  /* xx = x */
    bool j_trivial;   /* piecewise testable: which scattered subwords there are (Simon) */
    bool r_trivial, l_trivial;
    bool da;                   /* groups' D-classes hold idempotents only: first-order with two
                                  variables (Thérien and Wilke) */
    bool definite;             /* the last k symbols decide, for some k */
    bool reverse_definite;     /* the first k symbols decide */
    bool generalized_definite; /* the first and last k symbols decide */
    bool locally_testable;     /* so do they and the set of factors of length k */
    bool reset;                /* every symbol is the identity or a constant map */
    bool empty_word_induced;   /* some non-empty word acts as the identity */
    size_t period;             /* greatest p for which some x has x^n, …, x^(n+p-1) all different
                                  and x^(n+p) = x^n */
    size_t exponent;           /* least common multiple of these p over all x */
    ThGroupFacts *groups;      /* (n_d of the ThGreen): of a D-class's groups; order 0: none */
} ThVarieties;

/* v->groups is freed by th_varieties_free.  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_varieties_of(ThVarieties *v, const ThMonoid *m, const ThGreen *g, ThStop *stop,
                     ThError *err);
void th_varieties_free(ThVarieties *v);
TH_RELEASES_VALUE(th_varieties_free, ThVarieties)

/* *definite <- do the last k symbols decide, for some k?  Of a machine all of whose states
 * are reached, what th_varieties_of says, without the monoid: O(states^3 symbols).  TH_ENOMEM. */
bool th_dfa_definite(const ThDfa *d, bool *definite, ThError *err);

/* The first of these that a language is, as a number from 0 on, and its name (static): trivial,
 * J-trivial, definite, reverse definite, generalized definite, R-trivial, L-trivial, DA, locally
 * testable, star-free, group, solvable, not solvable. */
int th_varieties_class(const ThVarieties *v);
const char *th_varieties_class_name(int number);
