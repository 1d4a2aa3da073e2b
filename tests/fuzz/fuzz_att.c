/* fuzz_att.c - AT&T text, with a symbol table after a line `--symbols`: what is read can be shown
 * and read again, and, where the format holds it, written and read again as the same language. */
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
    ThText text = {0}, symbols = {0}, notes = {0};
    ThError err = {0};
    if (th_att_write(&text, &symbols, a, &notes, &err)) {
        ThAutomaton *again = th_att_read(text.data ? text.data : "", symbols.data, &notes, &err);
        ThDifference d = {0};
        require(again);
        if (!th_automaton_mealy(a) && th_automaton_compare(a, again, MOST_STATES, NULL, &d, NULL))
            require(d.equivalent);
        free(d.word);
        th_automaton_free(again);
    }
    th_text_free(&text);
    th_text_free(&symbols);
    th_text_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    char *cut = text ? strstr(text, "\n--symbols\n") : NULL;
    ThError err = {0};
    ThText notes = {0};
    if (cut)
        cut[1] = '\0';
    ThAutomaton *a =
        text ? th_att_read(text, cut ? cut + strlen("\n--symbols\n") : NULL, &notes, &err) : NULL;
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
