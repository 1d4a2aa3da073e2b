/* fuzz_regex.c - regular expressions: what is read is shown again and means the same. */
#include <stdint.h>
#include <stdlib.h>

#include "automata/regex.h"
#include "base/memory.h"

enum { MOST_STATES = 300, MOST_DIGITS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Large counts are slow, not wrong. */
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

static void show_and_read(const ThAutomaton *a)
{
    bool whole;
    ThError err = {0};
    char *shown = th_regex_of(a, &whole, MOST_STATES, NULL, &err);
    ThAutomaton *again =
        shown ? th_regex_automaton(shown, a->symbol, a->n_symbols, 20 * MOST_STATES, NULL, &err)
              : NULL;
    ThDifference d = {0};
    bool compared = again && th_automaton_compare(a, again, 50 * MOST_STATES, NULL, &d, &err);
    if ((compared && !d.equivalent) ||
        (!compared && err.code != TH_ELIMIT && err.code != TH_EPARSE))
        abort();
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
        if (!a && err.code == TH_OK)
            abort();
        if (a && a->n_symbols <= 100)
            show_and_read(a);
        th_automaton_free(a);
    }
    free(text);
    return 0;
}
