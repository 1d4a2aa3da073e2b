/* operation.h - what every differentiable operation is asked, on small matrices: does the reference
 * gradient agree with central differences, and do the fast value and gradient agree with the
 * reference? */
#ifndef TEST_UNIT_OPERATION_H
#define TEST_UNIT_OPERATION_H

#include "tensor/tape/tape.h"

enum { MOST_OPERANDS = 4 };

typedef struct {
    const char *name;
    int shape[MOST_OPERANDS][2]; /* of the operands, parameters 0 …; rows 0: no more of them */
    ThVar (*build)(ThTape *t, const ThVar *in, const void *how);
    const void *how;
    bool positive; /* operands are in 0.2 … 2.2 instead of normal */
} Operation;

/* The test fails where the operation does not pass.  Tolerances relative to 1 + |expected|: 1e-6
 * for differences, 2e-5 for floats. */
void check_operation(const Operation *o);

/* The error's message when the operation is built on matrices of these shapes; the test fails where
 * there is none.  View, valid until the next call. */
const char *misfit_of(const Operation *o);

#endif
