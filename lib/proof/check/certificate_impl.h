/* certificate_impl.h - what making certificates and reading them share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/certificate.h"

/* Makes room for everything but the shape and the bits, by the counts.  TH_ENOMEM. */
bool th_proof_certificate_take(ThProofCertificate *c, ThError *err);

/* How many numbers bits has, where there is any. */
static inline size_t th_proof_certificate_bits(const ThProofCertificate *c)
{
    return (size_t)c->n_states * (size_t)c->n_classes;
}
