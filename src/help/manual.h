/* manual.h - what is generated from the tables for other programs: the pages of the manual, the
 * words that shells and editors know, a description in json, the examples for the tests. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* what: man, markdown, words, json or examples; false for anything else. */
bool sh_emit(FILE *out, const char *what);

/* A line each: commands, kinds, functions; the name, then the words. */
void sh_emit_words(FILE *out);
