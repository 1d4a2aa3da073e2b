/* proofs.h - what compile, certificate and check share: proofs that a model is a machine. */
#ifndef SH_COMMANDS_PROOFS_H
#define SH_COMMANDS_PROOFS_H

#include "command.h"
#include "compile/prove.h"
#include "proof/labels.h"

/* Proves that a model is right, checking so many products at most (0: any number), says what was
 * shown, in *p, too, and sets its figures.  Fails where it is not right, and as th_compile_prove
 * does. */
bool sh_prove(ShSession *s, const ThModel *m, const ThCompileTruth *truth, double products,
              ThCompileProof *p, ThError *err);

/* check file FILE model=NAME: whether the certificate in a file holds of a model. */
bool sh_check_certificate(ShSession *s, const ShOperand *file, const ThModel *m, ThError *err);

/* Appends "complete ab": the kind of subtree, and the shortest word with its map. */
void sh_write_label(ThText *t, const ThProofLabels *l, int label, char *const *symbol);

/* compile of an s-op, and of a Turing machine.  Return new. */
ThModel *sh_compile_program(ShSession *s, const ShCall *call, ThError *err);
ThModel *sh_compile_machine(ShSession *s, const ShCall *call, ThError *err);

#endif
