/* fuzz_dot.c - pictures of automata: what is read can be shown and read again, and written and read
 * again as the same automaton up to the order of its parts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/exchange.h"

enum { MOST_STATES = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The block of an automaton is read as what it was. */
static void show_and_read(const ThAutomaton *a)
{
    ThText first = {0}, second = {0};
    ThError err = {0};
    th_automaton_write(&first, a, "A");
    char *whole = th_strdup(first.data, NULL);
    char *open = strchr(first.data, '{'), *close = strrchr(first.data, '}');
    *close = '\0';
    ThAutomaton *again = th_automaton_parse(open + 1, &err);
    require(whole && again);
    th_automaton_write(&second, again, "A");
    require(strcmp(whole, second.data) == 0);
    th_automaton_free(again);
    th_text_free(&first);
    th_text_free(&second);
    free(whole);
}

static void write_and_read(const ThAutomaton *a)
{
    ThText text = {0}, notes = {0};
    ThError err = {0};
    if (th_dot_write(&text, a, "A", &err)) {
        ThAutomaton *again = th_dot_read(text.data, &notes, &err);
        ThDifference d = {0};
        require(again && again->n_arcs == a->n_arcs);
        if (th_automaton_compare(a, again, MOST_STATES, NULL, &d, NULL))
            require(d.equivalent);
        free(d.word);
        th_automaton_free(again);
    }
    th_text_free(&text);
    th_text_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThText notes = {0};
    ThAutomaton *a = text ? th_dot_read(text, &notes, &err) : NULL;
    require(a || err.code != TH_OK || !text);
    if (a) {
        show_and_read(a);
        write_and_read(a);
    }
    th_automaton_free(a);
    th_text_free(&notes);
    free(text);
    return 0;
}
