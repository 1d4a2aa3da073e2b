/* program.h - that a bare Transformer that takes means computes a formula of counts.
 *
 * What each coordinate of the stream holds is worked out from the weights alone, as a sum of
 * letters, of units, and of signs of sums over all positions (Yang and Chiang 2024); and so is the
 * formula, by what it says.  Where both are the same sums, every answer is, of strings of every
 * length in real numbers; and in floating point as long as no mean is so small that rounding could
 * change its sign.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/check/check.h"

/* Sets *k to whether a certificate (TH_PROOF_BY_PROGRAM) shows that a model says its class 1 to
 * the words that a formula is true of (th_language_counting_formula), and class 0 to all others;
 * `asked` are the symbols and classes that are meant.  TH_EVALUE for other models, and formulas
 * that no counts alone tell; TH_ELIMIT, TH_ENOMEM.
 */
bool th_proof_check_program(const ThProofCertificate *c, const ThModel *m, const ThSignature *asked,
                            const char *formula, ThProofChecked *k, ThError *err);
