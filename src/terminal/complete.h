/* complete.h - what Tab offers: by the kind of operand that is due at the cursor. */
#pragma once

#include "session_impl.h"

/* Candidates at the end of `line`, of which the word from byte `start` on is being typed.  Those
 * that end in `=`, `(` or `}` are not the end of a word: no blank follows. */
typedef struct {
    char **item; /* owned, sorted as they should be offered, each once */
    size_t n, cap;
    bool files; /* file names too */
} ShCandidates;

void sh_complete(ShSession *s, const char *line, size_t start, ShCandidates *c);
void sh_candidates_free(ShCandidates *c);
