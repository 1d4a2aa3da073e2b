/* certificate.h - a proof as a file: what is claimed, and the sets that show it.
 *
 * The file is JSON.  It says what automaton the model is claimed to be, and for every label (kind
 * of subtree, and map of the automaton's states) a centre, a radius and perhaps a matrix.  It names
 * the weights by a digest, and itself by another, so that nothing changes unseen.  The sets of a
 * recurrent network are of its states: their maps lead from the start to the automaton's state.
 *
 * There are certificates of eight kinds: by sets; by the algebra of a compiled model (algebra.h),
 * of which the radius of all balls is enough; by the table of a model that snaps (quantize.h), by
 * all that the windows of a decoder can show, or by strings of which there are finitely many
 * (windows.h), by counts of symbols (shares.h), and by the steps of a recurrence (linear_steps.h),
 * which need nothing but the weights.  All name
 * automaton, symbols and classes; those by program (program.h) a formula in place of an automaton.
 *
 * A certificate can be about the strings of a domain alone.  Then it has their acceptor, too, the
 * states of which are numbered on from the automaton's, and labels are maps of both.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "learn/signature.h"
#include "proof/certify.h"

typedef enum {
    TH_PROOF_BY_SETS,
    TH_PROOF_BY_ALGEBRA,
    TH_PROOF_BY_TABLE,
    TH_PROOF_BY_WINDOWS,
    TH_PROOF_BY_COUNTS,
    TH_PROOF_BY_STEPS,
    TH_PROOF_BY_PROGRAM,
    TH_PROOF_BY_STRINGS
} ThProofMethod;

/* "sets", "algebra", "table", "windows", "counts", "steps", "program", "strings". */
const char *th_proof_method_name(ThProofMethod method);

typedef struct {
    ThProofMethod method; /* else than by sets there are no labels */
    double ball;          /* by algebra: the radius; by steps, and of soft attention: symbols of the
                             longest strings that it is about, 0: of every length */
    char *formula;        /* by program: what is computed, in place of an automaton; else NULL */
    int *bits;            /* (n_states, n_classes): answers that are sets; else NULL */
    int dim, n_states, n_symbols, n_classes, n_labels;
    int n_domain, first;         /* the domain's states, 0: all strings; and its start */
    int *inside;                 /* (n_domain): 1: accepts, 0 */
    int start, *next;            /* the automaton: (n_states + n_domain, n_symbols) */
    int *answer;                 /* (n_states): a class, or -1: nothing is asked */
    char **symbol, **class_name; /* their names */
    bool *complete;              /* (n_labels): of complete subtrees, else of the left edge */
    int *map;                    /* (n_labels, n_states + n_domain) */
    double *centre, *radius;     /* (n_labels, dim), (n_labels) */
    double *shape;               /* (n_labels, dim, dim), or NULL: balls */
    double slack;                /* what a run's vectors and logits may be off by */
    uint64_t weights, digest;    /* of the model; of all this, as it was written */
} ThProofCertificate;

/* Returns new: what a proof (TH_PROOF_PROVED) of a model with this signature says. */
ThProofCertificate *th_proof_certificate_new(const ThProof *p, const ThSignature *s, ThError *err);

/* Returns new: that a claim about a model holds by its algebra, with balls of a radius, by its
 * table, windows, strings or counts, or, on strings of up to `ball` symbols (0: all), by its steps
 * or its soft attention; whether it does is not asked. */
ThProofCertificate *th_proof_certificate_by(ThProofMethod method, const ThModel *m,
                                            const ThProofClaim *claim, double ball, ThError *err);

/* Returns new: that a model computes a formula by its steps. */
ThProofCertificate *th_proof_certificate_program(const ThModel *m, const char *formula,
                                                 ThError *err);

/* How a model of this kind can be proved right.  TH_EVALUE with those that can where it is none. */
bool th_proof_method(const ThModel *m, ThProofMethod *method, ThError *err);

/* Returns new: that of a file.  TH_EIO, TH_ENOMEM; TH_EPARSE with the line where it is not JSON;
 * TH_EVALUE where it is no certificate, or sizes in it do not agree. */
ThProofCertificate *th_proof_certificate_read(const char *path, ThError *err);
bool th_proof_certificate_write(const ThProofCertificate *c, const char *path, ThError *err);
void th_proof_certificate_free(ThProofCertificate *c); /* NULL is fine */
TH_RELEASES(th_proof_certificate_free, ThProofCertificate)

/* Returns new: the acceptor of the strings that one with a domain is about, and of the empty one.
 */
ThDfa *th_proof_certificate_domain(const ThProofCertificate *c, ThError *err);

/* Is it as it was written, about these weights, and its slack a number?  Else *why says what not.
 */
bool th_proof_certificate_fits(const ThProofCertificate *c, uint64_t weights, char why[200]);

/* The digest of what it holds now. */
uint64_t th_proof_certificate_digest(const ThProofCertificate *c);
