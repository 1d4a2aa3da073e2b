/* fuzz_automaton.c - automaton blocks: what is read can be written and read again, and its minimal
 * machine has the same language. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"

enum { MOST_STATES = 500 };

static void minimize(const ThAutomaton *a)
{
    ThDfa *d = th_automaton_dfa(a, MOST_STATES, NULL, NULL);
    if (!d)
        return;
    int length = 0;
    ThDfa *least = th_dfa_minimize(d, NULL, NULL);
    require(least && least->n_states <= d->n_states);
    require(!th_dfa_distinguish(d, least, &length, NULL, NULL) && length == -1);
    th_dfa_free(least);
    th_dfa_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThAutomaton *a = text ? th_automaton_parse(text, &err) : NULL;
    require(a || err.code != TH_OK || !text);
    if (a) {
        show_and_read(a);
        minimize(a);
    }
    th_automaton_free(a);
    free(text);
    return 0;
}
