/* fuzz_dot.c - pictures of automata: what is read can be shown and read again, and written and read
 * again as the same automaton up to the order of its parts. */
#include "../unit/exchange.h"
#include "check.h"

static ThAutomaton *read_dot(char *text, size_t size, ThText *notes, ThError *err)
{
    (void)size;
    return read_text(&th_format_dot, text, NULL, notes, err);
}

static void write_and_read(const ThAutomaton *a)
{
    ThText text = {0}, notes = {0};
    ThError err = {0};
    if (write_text(&th_format_dot, &text, NULL, a, "A", NULL, &err)) {
        ThAutomaton *again = read_text(&th_format_dot, text.data, NULL, &notes, &err);
        require(again && again->n_arcs == a->n_arcs);
        require_same(a, again);
        th_automaton_free(again);
    }
    th_text_free(&text);
    th_text_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file(data, size, read_dot, write_and_read);
    return 0;
}
