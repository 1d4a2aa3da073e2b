/* fuzz_att.c - AT&T text, with a symbol table after a line `--symbols`: what is read can be shown
 * and read again, and, where the format holds it, written and read again as the same language. */
#include <string.h>

#include "check.h"
#include "formats/automata/automaton_files.h"

static ThAutomaton *read_att(char *text, size_t size, ThText *notes, ThError *err)
{
    static const char line[] = "\n--symbols\n";
    char *cut = strstr(text, line);
    (void)size;
    if (cut)
        cut[1] = '\0';
    return th_att_read(text, cut ? cut + strlen(line) : NULL, notes, err);
}

static void write_and_read(const ThAutomaton *a)
{
    ThText text = {0}, symbols = {0}, notes = {0};
    ThError err = {0};
    if (th_att_write(&text, &symbols, a, &notes, &err)) {
        ThAutomaton *again = th_att_read(text.data ? text.data : "", symbols.data, &notes, &err);
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
