/* fuzz_script.c - whole scripts, of those commands that touch nothing outside and take no time. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shell.h"

enum { MOST_DIGITS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing that writes, runs other programs, reads files or trains. */
static bool is_harmless(const char *text)
{
    static const char *const unwanted[] = {"!",    "save",     "load",      "source", "cd",
                                           "plot", "train",    "gradcheck", "limit",  "threads",
                                           "\\",   "evaluate", NULL};
    for (const char *const *word = unwanted; *word; word++)
        if (strstr(text, *word))
            return false;
    int digits = 0;
    for (const char *c = text; *c; c++) {
        digits = isdigit((unsigned char)*c) ? digits + 1 : 0;
        if (digits > MOST_DIGITS || (*c == '>' && (c == text || c[-1] != '-')))
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    char *text = th_strndup((const char *)data, size, NULL);
    ShSession *s = text && nowhere && is_harmless(text) ? sh_session_new(NULL) : NULL;
    if (s) {
        s->out.stream = nowhere;
        s->keep_going = true;
        sh_shell_text(s, text, "<fuzz>");
        sh_session_free(s);
    }
    free(text);
    return 0;
}
