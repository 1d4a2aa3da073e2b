/* fuzz_regex.c - regular expressions: what is read is shown again and means the same. */
#include <stdlib.h>

#include "automata/operations/shortest_difference.h"
#include "automata/regex/regex.h"
#include "base/memory.h"
#include "check.h"

enum { MOST_STATES = 300 };

static void convert_and_read(const ThAutomaton *a)
{
    bool whole;
    ThError err = {0};
    char *shown = th_regex_of(a, &whole, MOST_STATES, NULL, &err);
    ThAutomaton *again =
        shown ? th_regex_automaton(shown, a->symbol, a->n_symbols, 20 * MOST_STATES, NULL, &err)
              : NULL;
    ThAutomatonDifference d = {0};
    bool compared = again && th_automaton_compare(a, again, 50 * MOST_STATES, NULL, &d, &err);
    require(compared ? d.equivalent : err.code == TH_ELIMIT || err.code == TH_EPARSE);
    free(d.word);
    free(shown);
    th_automaton_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size <= 200 ? th_strndup((const char *)data, size, NULL) : NULL;
    ThError err = {0};
    if (text && modest(text)) {
        ThAutomaton *a = th_regex_automaton(text, NULL, 0, MOST_STATES, NULL, &err);
        require(a || err.code != TH_OK);
        if (a && a->n_symbols <= 100)
            convert_and_read(a);
        th_automaton_free(a);
    }
    free(text);
    return 0;
}
