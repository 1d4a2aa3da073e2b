/* equation.h - does a transition monoid satisfy an equation, and if not, where it breaks.
 *
 * Terms are products of one-letter variables; (xy)^ is the idempotent power of xy, and 1 the
 * identity.  Variables are declared one after the other, each with what it ranges over: x all
 * elements; e and f idempotents that non-empty words induce, one of every D-class (all others have
 * isomorphic local monoids); e+ those and the identity; x:ef the elements of eMf; s<e the products
 * of symbols that some word of e has.
 *
 *     ThMonoidEquation lt = {"e x:ee y:ee", "xy", "yx", false};
 *     int holds = th_monoid_satisfies(t, &lt, &where, stop, &err);
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/green.h"

typedef struct {
    const char *variables, *left, *right;
    bool ordered; /* left ≤ right in the order of ThMonoidTable, instead of equal */
} ThMonoidEquation;

/* A monoid that is quick to multiply in.  Everything but product, power and below is borrowed. */
typedef struct {
    const ThDfa *d;
    const ThMonoid *m;
    const ThGreen *g;
    bool empty_word_induced; /* some non-empty word acts as the identity */
    int *product;            /* (size, size), or NULL in large monoids: slower then */
    int *power;              /* (size): idempotent powers, -1: not computed yet */
    bool *below; /* (n_states, n_states): th_dfa_inclusions.  x ≤ y if whatever accepts
                    with y in a context accepts with x (Pin 1995) */
} ThMonoidTable;

ThMonoidTable *th_monoid_table_new(const ThDfa *d, const ThMonoid *m, const ThGreen *g,
                                   ThError *err);
void th_monoid_table_free(ThMonoidTable *t); /* NULL is fine */

/* Where an equation breaks: the variables in the order of their declaration, and both sides. */
enum { TH_MONOID_VARIABLES = 6 };
typedef struct {
    int n, value[TH_MONOID_VARIABLES], left, right;
    char name[TH_MONOID_VARIABLES];
} ThMonoidBreach;

/* 1: it holds; 0: it does not, *where says where; -1: too much to try, or an error (err is set,
 * TH_EINTERRUPTED or TH_ENOMEM). */
int th_monoid_satisfies(ThMonoidTable *t, const ThMonoidEquation *e, ThMonoidBreach *where,
                        ThStop *stop, ThError *err);

/* The same for Knast's equation of dot-depth one (1983),
 * (epfq)^ p s (erfs)^ = (epfq)^ (erfs)^, whose six variables would be too many to try. */
int th_monoid_satisfies_knast(ThMonoidTable *t, ThMonoidBreach *where, ThStop *stop, ThError *err);

/* Fills inside (n_states, n_states): what p accepts, q accepts; p·n_states + q.  TH_ENOMEM;
 * O(n_states^2 n_symbols). */
bool th_dfa_inclusions(const ThDfa *d, bool *inside, ThError *err);
