/* blas_kernels.h - OpenBLAS with the kernels that fit the processor. */
#ifndef TH_BLAS_KERNELS_H
#define TH_BLAS_KERNELS_H

/* To be called first of all in main: where OpenBLAS does not know the processor and fell back to
 * its oldest kernels, runs the program once more with the right ones chosen.  In any case there
 * will be one BLAS thread, since the program's own threads share the work. */
void th_blas_choose_kernels(char **argv);

const char *th_blas_kernels(void); /* "SkylakeX", … */
const char *th_blas_version(void); /* "OpenBLAS 0.3.21", … */

#endif
