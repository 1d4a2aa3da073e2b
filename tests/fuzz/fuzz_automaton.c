/* fuzz_automaton.c - automaton blocks: what is read can be written and read again, and its minimal
 * machine has the same language. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "automata/automaton.h"
#include "base/memory.h"

enum { MOST_STATES = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static char *body(ThText *written)
{
    char *open = strchr(written->data, '{'), *close = strrchr(written->data, '}');
    require(open && close);
    *close = '\0';
    return open + 1;
}

static void write_and_read(const ThAutomaton *a)
{
    ThText first = {0}, second = {0};
    ThError err = {0};
    th_automaton_write(&first, a, "A");
    char *whole = th_strdup(first.data, NULL);
    ThAutomaton *again = th_automaton_parse(body(&first), &err);
    require(whole && again);
    th_automaton_write(&second, again, "A");
    require(strcmp(whole, second.data) == 0);
    th_automaton_free(again);
    th_text_free(&first);
    th_text_free(&second);
    free(whole);
}

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
        write_and_read(a);
        minimize(a);
    }
    th_automaton_free(a);
    free(text);
    return 0;
}
