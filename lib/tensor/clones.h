/* clones.h - TH_KERNEL_CLONES before a function compiles it for several x86 processors; the right
 * version is chosen when the program starts.  Elsewhere it means nothing, nor under the thread
 * sanitizer, which is not ready when the choice is made.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_TENSOR_CLONES_H
#define TH_TENSOR_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TH_KERNEL_CLONES                                                                           \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TH_KERNEL_CLONES
#endif

#endif
