/* fuzz_expression.c - automaton expressions over the built-in automata. */
#include <stdint.h>
#include <stdlib.h>

#include "automata/automaton.h"
#include "base/memory.h"

enum { MOST_DIGITS = 2, MOST_STATES = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Large arguments are slow, not wrong. */
static bool modest(const char *text)
{
    int digits = 0;
    for (; *text; text++) {
        digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
        if (digits > MOST_DIGITS)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    if (text && modest(text)) {
        ThAutomatonScope scope = {.max_states = MOST_STATES};
        ThAutomaton *a = th_automaton_expression(text, &scope, NULL, &err);
        if (!a && err.code == TH_OK)
            abort();
        th_automaton_free(a);
    }
    free(text);
    return 0;
}
