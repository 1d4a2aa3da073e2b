/* proofs.h - what compile, certify and check share: proofs that a model is a machine. */
#pragma once

#include "command.h"

/* What runs of compiled models may be off by, beside their rounding. */
static const double SH_COMPILED_SLACK = 1e-5;

#define SH_DOMAIN_OPTION                                                                           \
    SH_OPTION_ROW("domain", TH_STRING, NULL, 0, 0, NULL,                                           \
                  "the strings that are meant: those of an automaton, or all; default: those "     \
                  "that the task can draw")

/* The options of check certificate, and of what else takes one: domain= alone. */
extern const ThOptionSpec sh_check_options[];

/* The strings that are meant, and how to say so: "", " that t draws", " in A". */
typedef struct {
    ThDfa *words; /* to be freed; NULL: all strings */
    const char *before, *name, *after;
} ShDomain;

/* Of the option domain=, else of the task; what is proved of recurrent networks is about all. */
bool sh_find_domain(ShSession *s, const ShCall *call, const ThModel *m, const ShObject *task,
                    ShDomain *d, ThError *err);

/* Returns new: a certificate by algebra or table and in *k what the checker says of it, with the
 * smallest of a few radii that leaves room for rounding in single precision, or else is closed. */
ThProofCertificate *sh_decide(ShSession *s, const ThModel *m, ThProofMethod method,
                              const ThProofClaim *claim, ThProofChecked *k, ThError *err);

/* Proves that a compiled model is right about a task, says what was shown, and sets its figures.
 * Fails where it is not right, and as th_proof_check does. */
bool sh_prove(ShSession *s, const ThModel *m, const ThTask *t, ThError *err);

/* The same of a model with hard attention. */
bool sh_prove_hard(ShSession *s, const ThModel *m, const ThTask *t, ThError *err);

/* Proves that a compiled model computes a formula that counts, and says what was shown. */
bool sh_prove_program(ShSession *s, const ThModel *m, const ThSignature *asked, const char *formula,
                      ThError *err);

/* Says what a proof by program has found. */
void sh_say_program(ShSession *s, const ThProofChecked *k);

/* Says how near soft attention is to hard attention, and sets the figures. */
void sh_say_soft(ShSession *s, const ThProofChecked *k);

/* The same of a linear recurrence, by its steps; TH_ELIMIT where it is not known. */
bool sh_prove_steps(ShSession *s, const ThModel *m, const ThTask *t, ThError *err);

/* Says what was found by steps, and sets the figures; and text <- of which strings a proof is. */
void sh_say_steps(ShSession *s, const ThProofChecked *k);
void sh_write_lengths(const ThProofChecked *k, char text[64]);

/* Says what was found of a model by its algebra, and sets the figures. */
void sh_say_algebra(ShSession *s, const ThModel *m, const ThProofCertificate *c,
                    const ThProofChecked *k);

/* The verdict on what holds: "proved" of runs in the session's precision, or else "proved of real
 * numbers". */
const char *sh_proved(const ShSession *s, const ThProofChecked *k);

/* Says what the prover and, where that has a proof, the checker say of a model, and sets the
 * figures: certify's answer. */
void sh_say_proof(ShSession *s, const ShObject *model, const ShDomain *d, const ThProof *p,
                  const ThProofChecked *k);

/* Says what a model's table is once its vectors snap, and what the checker says of the snapped
 * model where that table is the automaton's, and sets the figures: quantize's answer. */
void sh_say_quantized(ShSession *s, const ShObject *model, const ThProofQuantized *q,
                      const ThProofChecked *k, const ShDomain *d);

/* Says in which arithmetic a proof that was checked holds. */
void sh_say_arithmetic(ShSession *s, const ThProofChecked *k);

/* Returns new: the certificate that an operand names. */
ThProofCertificate *sh_read_certificate(ShSession *s, const ShOperand *file, ThError *err);

/* A certificate beside the model and the task that it is held against. */
typedef struct {
    ThProofCertificate *c;
    ThProofChecked k;
    ThProofPairs pairs; /* begins empty, but for ways */
    ShDomain d;
    double seconds; /* that the check took */
} ShVerified;

/* Reads and checks a certificate for the call of sh_check_certificate; that it does not hold is no
 * error.  *v is to be freed in any case. */
bool sh_verify(ShSession *s, const ShCall *call, const ShObject *model, const ShObject *task,
               ShVerified *v, ThError *err);
void sh_verified_free(ShVerified *v);
TH_RELEASES_VALUE(sh_verified_free, ShVerified)

/* Fails with why the certificate of a call does not hold, where it does not. */
bool sh_need_proof(const ShCall *call, const ShVerified *v, ThError *err);

/* Says what was found of a certificate that holds, and sets the figures. */
void sh_say_checked(ShSession *s, const char *name, const ShVerified *v);

/* check certificate FILE of MODEL on TASK, and check file FILE model=MODEL task=TASK, of which the
 * call is: does the certificate hold?  One that does not is an error. */
bool sh_check_certificate(ShSession *s, const ShCall *call, const ShObject *model,
                          const ShObject *task, ThError *err);

/* check certificate FILE: checks the rows that analyze wrote about a list of machines. */
bool sh_check_machines(ShSession *s, const ShCall *call, ThError *err);

/* Appends "complete ab": the kind of subtree, and the shortest word with its map. */
void sh_write_label(ThText *t, const ThProofLabels *l, int label, char *const *symbol);

/* compile of an s-op, and of a Turing machine.  Return new. */
ThModel *sh_compile_program(ShSession *s, const ShCall *call, ThError *err);
ThModel *sh_compile_machine(ShSession *s, const ShCall *call, ThError *err);
