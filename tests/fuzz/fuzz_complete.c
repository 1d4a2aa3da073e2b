/* fuzz_complete.c - what Tab offers after any text, in a session with one object of each kind. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "terminal/complete.h"
#include "shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ShSession *s;
    if (!s && (s = sh_session_new(NULL)))
        sh_shell_text(s, "automaton p = parity; task t = parity; model m = rnn dim=2", "<fuzz>");
    char *line = th_strndup((const char *)data, size, NULL);
    if (s && line) {
        size_t start = strlen(line);
        while (start > 0 && !strchr(" \t=", line[start - 1]))
            start--;
        ShCandidates c = {0};
        sh_complete(s, line, start, &c);
        sh_candidates_free(&c);
    }
    free(line);
    return 0;
}
