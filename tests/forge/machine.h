/* machine.h - the forger of certificates of bouncers: machines that stop, and numbers that are not
 * those of any. */
#ifndef TESTS_FORGE_MACHINE_H
#define TESTS_FORGE_MACHINE_H

#include "change.h"

/* Draws a machine and a certificate, and changes cases of the machine and numbers.  Returns whether
 * it is accepted; then *ok: the machine was not seen to stop, else x->why. */
bool machine_accepted(Change *x, bool *ok);

#endif
