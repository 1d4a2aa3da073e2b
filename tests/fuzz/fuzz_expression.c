/* fuzz_expression.c - automaton expressions over the built-in automata. */
#include <stdlib.h>

#include "automata/expression/expression.h"
#include "base/memory.h"
#include "check.h"

enum { MOST_STATES = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    if (text && modest(text)) {
        ThAutomatonScope scope = {.max_states = MOST_STATES};
        ThAutomaton *a = th_automaton_expression(text, &scope, NULL, &err);
        require(a || err.code != TH_OK);
        th_automaton_free(a);
    }
    free(text);
    return 0;
}
