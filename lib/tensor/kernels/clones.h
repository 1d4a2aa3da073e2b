/* clones.h - TH_KERNEL_CLONES before a function compiles it for several x86 processors; the right
 * version is chosen when the program starts.  Elsewhere it means nothing, nor under the thread
 * sanitizer, which is not ready when the choice is made, nor with a C library whose loader makes no
 * choices (musl).  gcc 11 knows the levels of x86-64 by
 * processors that have them only.
 *
 * TH_KERNEL_SHUFFLE(ints, a, b, ...) is a vector of the elements of a and behind them b that are
 * numbered; ints: a vector type of as many ints.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_TENSOR_KERNELS_CLONES_H
#define TH_TENSOR_KERNELS_CLONES_H

#include <stdlib.h> /* which C library this is */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define TH_KERNEL_CLONES                                                                           \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TH_KERNEL_CLONES                                                                           \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#endif
#else
#define TH_KERNEL_CLONES
#endif

#if defined(__clang__) || __GNUC__ >= 12
#define TH_KERNEL_SHUFFLE(ints, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TH_KERNEL_SHUFFLE(ints, a, b, ...) __builtin_shuffle(a, b, (ints){__VA_ARGS__})
#endif

#endif
