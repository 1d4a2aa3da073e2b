/* level.h - for which processors the loops are compiled that are running.
 *
 * Levels are those of x86-64: plain is what the compiler was told (by default every processor of
 * the kind), v3 has 256 bits in a register, v4 512.  The highest that the processor has is in use
 * from the start.  The same computation may differ in its last bits from level to level.
 *
 *     th_kernel_choose("plain", &err);
 *     puts(th_kernel_level());
 *
 * Evolving: names may change with a minor version.
 */
#pragma once

#include "base/error.h"

/* The level in use, as a view that stays. */
const char *th_kernel_level(void);

/* Sets the level for the whole process; to be called where no other thread computes.  False, and
 * nothing is changed, if there is no such level, or not on this processor. */
bool th_kernel_choose(const char *name, ThError *err);

/* Do registers of 512 bits hold a tile of lib/tensor/kernels/kernels_tile.h?  With fewer, OpenBLAS
 * is faster. */
bool th_kernel_is_wide(void);
