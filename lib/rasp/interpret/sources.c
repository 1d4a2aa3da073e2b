/* sources.c - the programs of RASP that are built in, as they lie in library.rasp and raspl.rasp:
 * the assembler reads the files, so that they stay plain RASP. */

#include "rasp/interpret/rasp.h"

#define BUILT_IN(name, file)                                                                       \
    __asm__(".section .rodata\n"                                                                   \
            "th_rasp_" name "_start:\n"                                                            \
            ".incbin \"lib/rasp/interpret/" file "\"\n"                                            \
            "th_rasp_" name "_end:\n"                                                              \
            ".byte 0\n"                                                                            \
            ".previous\n")

BUILT_IN("library", "library.rasp");
BUILT_IN("raspl", "raspl.rasp");

/* Hidden: of this program, wherever it is loaded to.  Else the linker would look local names up
 * where it keeps what other objects may define, and on arm64 all of them would be one address. */
#define HIDDEN extern __attribute__((visibility("hidden"))) const char
HIDDEN th_rasp_library_start[], th_rasp_library_end[];
HIDDEN th_rasp_raspl_start[], th_rasp_raspl_end[];

const char *th_rasp_builtin_source(const char *name, size_t *size)
{
    if (strcmp(name, "raspl") == 0) {
        *size = (size_t)((uintptr_t)th_rasp_raspl_end - (uintptr_t)th_rasp_raspl_start);
        return th_rasp_raspl_start;
    }
    if (strcmp(name, "library") != 0)
        return NULL;
    *size = (size_t)((uintptr_t)th_rasp_library_end - (uintptr_t)th_rasp_library_start);
    return th_rasp_library_start;
}
