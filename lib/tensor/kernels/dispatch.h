/* dispatch.h - one loop, compiled for several processors.
 *
 * TH_KERNEL(type, name)(parameters) declares a kernel.  To its callers it is a pointer, which
 * lib/tensor/kernels/level.c sets.  The files of kernels are compiled once for each level that the
 * processors of x86-64 have, with TH_KERNEL_LEVEL plain, v3 or v4: to them it is a function, which
 * bears the level in its name and is called there by TH_KERNEL_OWN(name).  So no loader and no
 * compiler has to know about the choice.
 *
 * TH_KERNEL_SHUFFLE(ints, a, b, ...) is a vector of the elements of a and behind them b that are
 * numbered; ints: a vector type of as many ints.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#ifdef TH_KERNEL_LEVEL
#define TH_KERNEL_JOIN(name, level) name##_##level
#define TH_KERNEL_OF(name, level)   TH_KERNEL_JOIN(name, level)
#define TH_KERNEL_OWN(name)         TH_KERNEL_OF(name, TH_KERNEL_LEVEL)
#define TH_KERNEL(type, name)       type TH_KERNEL_OWN(name)
#else
#define TH_KERNEL(type, name) extern type(*name)
#endif

enum { TH_KERNEL_LANES = 16 }; /* numbers or rows that are worked on together */

#if defined(__clang__) || __GNUC__ >= 12
#define TH_KERNEL_SHUFFLE(ints, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TH_KERNEL_SHUFFLE(ints, a, b, ...) __builtin_shuffle(a, b, (ints){__VA_ARGS__})
#endif
