/* embed.h - files that are a part of the program: the assembler reads them where it is compiled.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

/* Defines and declares `const char name[]`, of this object only: what is in the file, a path below
 * the tree's top, and a zero behind it.  It is declared as hidden, of this program wherever it is
 * loaded to.  Else the linker would look local names up where it keeps what other objects may
 * define, and on arm64 all of them would be one address. */
#define TH_EMBED(name, file)                                                                       \
    __asm__(".section .rodata\n" #name ":\n"                                                       \
            ".incbin \"" file "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern __attribute__((visibility("hidden"))) const char name[]
