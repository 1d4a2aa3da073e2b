/* owned.h - variables that own what they point to: it is released where their scope ends, on every
 * way out of it; and parameters that nobody reads.
 *
 *     char *text TH_OWNED(free) = th_strdup("...", &err);
 *     ThText line TH_OWNED(th_text_free) = {0};
 *
 * Both attributes are known to gcc and clang.  Variables are released in the reverse of the order
 * in which they were declared, behind the evaluation of what is returned; a NULL is not.  They need
 * a value where they are declared, and no goto may lead past that.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdlib.h>

#define TH_OWNED(release) __attribute__((cleanup(th_owned_##release)))

/* Behind the declaration of a function that releases a pointer, or what a value holds. */
#define TH_RELEASES(release, Type)                                                                 \
    static inline void th_owned_##release(Type **owned)                                            \
    {                                                                                              \
        if (*owned)                                                                                \
            release(*owned);                                                                       \
    }
#define TH_RELEASES_VALUE(release, Type)                                                           \
    static inline void th_owned_##release(Type *owned)                                             \
    {                                                                                              \
        release(owned);                                                                            \
    }

/* For TH_OWNED(free): a pointer of any type. */
static inline void th_owned_free(void *owned)
{
    void *pointer;
    __builtin_memcpy(&pointer, owned, sizeof pointer);
    free(pointer);
}

/* Behind a parameter that functions of its type have and this one does not read. */
#define TH_UNUSED __attribute__((unused))
