/* manual.h - what is generated from the tables for other programs: the pages of the manual, the
 * completion of bash, the syntax of vim, a description in json, the examples for the tests. */
#ifndef SH_HELP_MANUAL_H
#define SH_HELP_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

/* what: man, markdown, bash, vim, json or examples; false for anything else. */
bool sh_emit(FILE *out, const char *what);

void sh_emit_bash(FILE *out);
void sh_emit_vim(FILE *out);

#endif
