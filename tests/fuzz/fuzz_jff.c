/* fuzz_jff.c - files of JFLAP: what is read can be shown and read again, and, where the format
 * holds it, written and read again as the same language. */
#include "check.h"
#include "formats/automata/automaton_files.h"

static ThAutomaton *read_jff(char *text, size_t size, ThText *notes, ThError *err)
{
    return th_jff_read(text, size, notes, err);
}

static void write_and_read(const ThAutomaton *a)
{
    ThText text = {0}, notes = {0};
    ThError err = {0};
    if (th_jff_write(&text, a, &err)) {
        ThAutomaton *again = th_jff_read(text.data, text.size, &notes, &err);
        require(again);
        require_same(a, again);
        th_automaton_free(again);
    }
    th_text_free(&text);
    th_text_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file(data, size, read_jff, write_and_read);
    return 0;
}
