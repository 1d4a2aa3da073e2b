/* word_list.c - lists of words, one a line. */
#include "automata/words/lexicon.h"
#include "formats/format_table.h"

static ThAutomaton *read(const ThFormatInput *in, ThText *notes TH_UNUSED, ThError *err)
{
    return th_automaton_of_words(in->text, in->size, in->stop, err);
}

const ThFormat th_format_words = {
    .name = "words",
    .title = "a list of words",
    .extension = ".txt",
    .summary = "words, one a line: the minimal automaton that accepts them",
    .shared = true,
    .most_bytes = (size_t)1 << 30,
    .read_automaton = read,
};
