/* rasp_text.c - what RASP always has: a list behind the text of `help rasp`.
 */
#include "help/help.h"

static const ShRaspTopic topics[] = {
    {"tokens", "tokens", "the elements of the input, as strings"},
    {"indices", "indices", "0, 1, 2, ...: the positions"},
    {"length", "length", "the length of the input, everywhere"},
    {"full_s", "full_s", "the selector that selects everything"},
    {"select", "select(KEYS, QUERIES, COMPARISON [, causal])",
     "the selector of the positions whose key compares with the query"},
    {"aggregate", "aggregate(SELECTOR, VALUES [, DEFAULT [, mean|max|min|rightmost|leftmost]])",
     "the mean of the selected values, or another summary of them"},
    {"selector_width", "selector_width(SELECTOR)",
     "how many positions each position selects; two heads"},
    {"has_focus", "has_focus(SELECTOR)", "does a position select any?"},
    {"count", "count(S, VALUE)", "how often a value occurs in an s-op"},
    {"contains", "contains(S, VALUE)", "does a value occur in an s-op?"},
    {"max", "max(A, B)", "the greater of two, element by element"},
    {"min", "min(A, B)", "the smaller of two, element by element"},
    {"average", "average(S)", "the mean of all elements, everywhere"},
    {"load_from_location", "load_from_location(S, POSITIONS)",
     "the element at the position that an s-op names"},
    {"shift", "shift(S, N, FILLER)", "moved n positions to the right; to the left if n < 0"},
    {"mark_last_instance", "mark_last_instance(S, VALUE)",
     "is this the last position that has the value?"},
    {"mark_first_instance", "mark_first_instance(S, VALUE)",
     "is this the first position that has the value?"},
    {"select_from_last", "select_from_last(S, VALUE)",
     "the selector of the last position that has the value"},
    {"select_from_first", "select_from_first(S, VALUE)",
     "the selector of the first position that has the value"},
    {"sort", "sort(S, KEYS)", "sorted by keys, those with equal keys in their order"},
    {"select_next_identical", "select_next_identical(S)",
     "the selector of the next position that has the same value"},
    {"round", "round(VALUE)", "the nearest int, of two the even one"},
    {"indicator", "indicator(S)", "1 where an s-op is true, 0 elsewhere"},
    {"range", "range([FROM,] TO [, STEP])", "the list of ints from FROM up to but not TO"},
    {"zip", "zip(LIST, LIST...)", "the list of the lists of what stands at the same place"},
    {"len", "len(LIST)", "the number of elements of a list"},
    {"sel_width", "sel_width(SELECTOR)",
     "how many positions each position selects; the causal dialect's, one head"},
    {"full", "full(S, VALUE)", "a value everywhere"},
    {"map", "map(FUNCTION, S...)", "a function of the elements of s-ops, called for each"},
    {"tok_map", "tok_map(S, FUNCTION)", "the same for one s-op"},
    {"seq_map", "seq_map(S, T, FUNCTION)", "the same for two"},
};

const ShRaspTopic *sh_rasp_topics(size_t *n)
{
    *n = sizeof topics / sizeof *topics;
    return topics;
}
