/* stop.h - how long work is asked to stop.
 *
 * Work that cannot be cut into steps takes a ThStop pointer and looks at it every few thousand
 * operations; once it is non-zero the work fails with TH_EINTERRUPTED and leaves nothing behind.
 * The pointer may be NULL: then nothing can stop it.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include <signal.h>

#include "base/memory.h"

typedef const volatile sig_atomic_t ThStop;

/* True if work should end; sets TH_EINTERRUPTED. */
static inline bool th_stopped(ThStop *stop, ThError *err)
{
    if (!stop || !*stop)
        return false;
    th_fail(err, TH_EINTERRUPTED, "interrupted");
    return true;
}

/* The same, and the error tells how far the work has got: "interrupted at 4096 states". */
static inline bool th_stopped_at(ThStop *stop, size_t n, const char *what, ThError *err)
{
    if (!stop || !*stop)
        return false;
    th_fail(err, TH_EINTERRUPTED, "interrupted at %zu %s", n, what);
    return true;
}
