/* claim.h - what is to be proved of a model: which answers, to which strings.
 *
 * A claim is made once, from a model and what it is held against.  The prover, the certificate and
 * the checker all take it from here: symbols and classes by name and in order, the automaton, which
 * of its states ask for an answer, and the strings that are meant.  What the claim does not ask is
 * not asked, whatever a file says.
 *
 * An answer belongs to a prefix of a string: the whole string where a task has one answer, every
 * prefix where it has one behind each symbol.  `domain` accepts the prefixes whose answers count,
 * so of a task that asks everywhere it is closed under prefixes.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "models/model.h"

typedef struct {
    ThSignature asked; /* symbols, classes and their order; where answers are asked for */
    ThDfa *machine;    /* minimal; states of a class from asked.n_classes on ask for nothing */
    ThDfa *domain;     /* minimal acceptor of the prefixes whose answers count; NULL: all */
    ThDfa *given;      /* the automaton as it was given */
    int *bits;         /* (machine->n_classes, asked.n_classes) of 0 and 1: where answers are sets,
                          what belongs to that of a state's class; else NULL */
    double slack;      /* what each vector and logit of a run may be off by, beyond its rounding */
} ThProofClaim;

/* What a claim is made of, borrowed. */
typedef struct {
    const ThSignature *task; /* of the task, or of an automaton as one */
    const ThDfa *machine;    /* over its symbols */
    const ThDfa *domain;     /* acceptor of the strings that are meant; NULL: all */
    double slack;            /* ≥ 0 */
    const int *bits;         /* (n_states, n_classes): of answers that are sets, as of ThTask */
} ThProofAsked;

/* Returns new.  TH_EVALUE where a bound model has other symbols, classes, orders of them, or
 * answers elsewhere; where answers are sets and bits is NULL; where the machines have other symbols
 * than the task; where the domain has no string but the empty one. TH_ENOMEM, TH_EINTERRUPTED. */
ThProofClaim *th_proof_claim_new(const ThModel *m, const ThProofAsked *asked, ThStop *stop,
                                 ThError *err);
void th_proof_claim_free(ThProofClaim *c); /* NULL is fine */
TH_RELEASES(th_proof_claim_free, ThProofClaim)
