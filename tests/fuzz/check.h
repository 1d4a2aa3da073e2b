/* check.h - what several fuzz targets ask of what they read. */
#ifndef TEST_FUZZ_CHECK_H
#define TEST_FUZZ_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "automata/core/automaton.h"

/* The target that a fuzzer, or driver.c, calls; each program defines its own.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which a fuzzer takes for a finding, unless the condition holds. */
void require(bool holds);

/* Has no number of the text more than two digits?  Larger ones are slow, not wrong. */
bool modest(const char *text);

/* The inside of a written block: what stands between its outermost braces.  A view of the text,
 * which ends there afterwards. */
char *block_inside(ThText *written);

/* Requires that the block of an automaton is read as what it was. */
void show_and_read(const ThAutomaton *a);

/* Requires that both automata have the same language (transducers: the same relation), as far as
 * subset constructions of some hundred states tell. */
void require_same(const ThAutomaton *a, const ThAutomaton *b);

/* Reads a file's text of `size` bytes with a zero behind it, which `read` may change; requires
 * either an error or an automaton that can be shown and that write_and_read finds fit. */
void check_file(const uint8_t *data, size_t size,
                ThAutomaton *(*read)(char *text, size_t size, ThText *notes, ThError *err),
                void (*write_and_read)(const ThAutomaton *a));

#endif
