/* registry.h - tables of pointers to constants that have a name, as the lists in .def files make
 * them.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>
#include <string.h>

/* Defines `all`, which gives the table and its length, and `named`, which gives the constant of a
 * name, or NULL. */
#define TH_REGISTRY(Type, table, all, named)                                                       \
    const Type *const *all(size_t *n)                                                              \
    {                                                                                              \
        *n = sizeof table / sizeof *table;                                                         \
        return table;                                                                              \
    }                                                                                              \
    const Type *named(const char *name)                                                            \
    {                                                                                              \
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                  \
            if (strcmp(table[i]->name, name) == 0)                                                 \
                return table[i];                                                                   \
        return NULL;                                                                               \
    }
