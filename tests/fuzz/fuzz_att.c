/* fuzz_att.c - AT&T text, with a symbol table after a line `--symbols`: what is read can be shown
 * and read again, and, where the format holds it, written and read again as the same language. */
#include <string.h>

#include "../unit/exchange.h"
#include "check.h"

static ThAutomaton *read_att(char *text, size_t size, ThText *notes, ThError *err)
{
    static const char line[] = "\n--symbols\n";
    char *cut = strstr(text, line);
    (void)size;
    if (cut)
        cut[1] = '\0';
    return read_text(&th_format_att, text, cut ? cut + strlen(line) : NULL, notes, err);
}

static void write_and_read(const ThAutomaton *a)
{
    ThText text = {0}, symbols = {0}, notes = {0};
    ThError err = {0};
    if (write_text(&th_format_att, &text, &symbols, a, "A", &notes, &err)) {
        ThAutomaton *again =
            read_text(&th_format_att, text.data ? text.data : "", symbols.data, &notes, &err);
        require(again);
        if (!th_automaton_mealy(a))
            require_same(a, again);
        th_automaton_free(again);
    }
    th_text_free(&text);
    th_text_free(&symbols);
    th_text_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file(data, size, read_att, write_and_read);
    return 0;
}
