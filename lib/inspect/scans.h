/* scans.h - the ways to compute a linear recurrence x_i = A_i x_{i-1} + v_i: one step after the
 * other, or in rounds whose combinations could be made at the same time.
 *
 * All combine pairs (A, v), for (A, v) and then (A', v') make (A'A, A'v + v'); they differ in which
 * pairs they combine when.  Chi, Fan, Rudnicky and Ramadge 2023 (Fig. 2) and Fan, Chi, Rudnicky and
 * Ramadge 2024 (section 4) speak of the tree, the dilated scan (Hillis and Steele 1986) and that of
 * Sklansky (1960); Martin and Cundy 2018 (section 2) of the chunks.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"
#include "models/linear/transitions.h"

enum { TH_INSPECT_SCANS = 5 };

/* What is at `right` becomes what is at `left` followed by it. */
typedef struct {
    int round, left, right;
} ThInspectScanStep;

typedef struct {
    const char *name;
    bool all;    /* every prefix is there in the end, else the whole string only */
    bool direct; /* states follow states: no pairs are combined */
    int rounds;
    size_t n_steps;
    ThInspectScanStep *step; /* (n_steps), round after round, in an order in which each round may
                                write over what it has read */
} ThInspectScanPlan;

/* Fills *to for `length` ≥ 1 positions: sequential, tree, dilated, Sklansky's, chunked (in about
 * √length chunks), by `which` from 0.  TH_ENOMEM. */
bool th_inspect_scan_plan(int which, int length, ThInspectScanPlan *to, ThError *err);
void th_inspect_scan_plan_free(ThInspectScanPlan *p);

/* Returns new: the states of all positions (length, blocks, size) by a plan; where only the whole
 * string is there, the others are NaN.  TH_EINTERRUPTED, TH_ENOMEM. */
double *th_inspect_scan(const ThInspectScanPlan *p, const ThModelTransitions *t, ThStop *stop,
                        ThError *err);

/* Where all transitions are the same A, the pairs of the dilated scan at one level share their
 * matrix, and level l makes x_i of x_i + A^(2^l) x_(i - 2^l) (Chi et al. 2023, Fig. 2). */
typedef struct {
    int levels;
    double *greatest; /* (levels): the greatest number, by size, in A^(2^l) */
    double *state;    /* (length, blocks, size) */
} ThInspectPowers;

bool th_inspect_constant(const ThModelTransitions *t); /* are they the same, up to rounding? */

/* Fills *to for such transitions.  TH_EINTERRUPTED, TH_ENOMEM: *to is zeros. */
bool th_inspect_powers(const ThModelTransitions *t, ThInspectPowers *to, ThStop *stop,
                       ThError *err);
void th_inspect_powers_free(ThInspectPowers *p);

/* Returns new: an automaton's transitions while it reads a word, as matrices of ones where it
 * moves, so that the state says in how many ways each of its states is reached.  TH_EVALUE for
 * empty moves and the empty word, TH_ELIMIT beyond 256 states. */
ThModelTransitions *th_inspect_automaton_transitions(const ThAutomaton *a, const int *word,
                                                     int length, ThError *err);

/* Returns new: the eigenvalues (2, blocks*size) of A_n … A_1 of a whole string, real parts and then
 * imaginary ones, from the greatest in size to the least.  TH_ENUMERIC, TH_ENOMEM. */
double *th_inspect_spectrum(const ThModelTransitions *t, ThError *err);
