/* blas_kernels.h - OpenBLAS with the kernels that fit the processor. */
#pragma once

#include "base/error.h"

/* To be called first of all in main: where OpenBLAS does not know the processor and fell back to
 * its oldest kernels, or started threads in a limited address space, runs the program once more
 * with the right ones chosen.  In any case there
 * will be one BLAS thread, since the program's own threads share the work. */
void sh_blas_choose_kernels(char **argv);

/* The program's own kernels: those that TAPEHEAD_KERNELS names, if it is set. */
bool sh_blas_choose_own(ThError *err);

/* Makes OpenBLAS keep room for products in n threads at once, up to 256.  To be called before
 * memory is limited: where OpenBLAS gets none it tries for ever.  False if there is no room. */
bool sh_blas_reserve(int n);

/* To be called before products: the same where the address space is limited, else true. */
bool sh_blas_ready(int n);

/* What numbers are rounded by: "v4, OpenBLAS 0.3.21's SkylakeX", ….  A view. */
const char *sh_blas_kernels(void);
