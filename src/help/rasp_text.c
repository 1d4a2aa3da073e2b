/* rasp_text.c - the language RASP, explained: `help rasp` and a section of the manual. */
#include "help/help.h"

const char *const sh_rasp_guide[] = {
    "RASP describes what a transformer encoder computes, operation by operation (Weiss, Goldberg "
    "and Yahav, Thinking Like Transformers, 2021).  A statement of RASP is known by its shape: "
    "NAME = ..., also where NAME is a command's word; a name and behind it a ; or , or a bracket "
    "or an operator; a number, string, bracket or sign in front; def, for, if, not, lambda.  All "
    "else is a command, and a word that is one always runs it: show words shows a value of that "
    "name, words[0] and words+1 use it.  A word that is none shows the value of that name.  The "
    "final ; may be missing where a line is complete, and a line that is not complete continues.",
    "An s-op is a sequence that is not known before there is an input: as many elements as the "
    "input has, all ints, floats, bools or strings.  What a statement defines is shown on an "
    "example, which is hello until it is changed:\n\n"
    "  tokens;                # the input, element by element: h e l l o\n"
    "  indices;               # 0 1 2 3 4\n"
    "  length;                # 5 5 5 5 5\n"
    "  tokens == \"l\";         # F F T T F\n"
    "  set example \"banana\"   # or a list; also set s-op example, set selector example\n"
    "  show example           # what it is\n"
    "  examples off           # definitions are shown without it\n"
    "  full seq display on    # input and output stand in columns",
    "Operators work on each element by itself; a single value stands for a sequence of it.  They "
    "are, from the tightest: not and the signs - and +; ^ (power); * and / (which always gives a "
    "float); % (with the divisor's sign); + and -; == <= >= > <; and and or; A if CONDITION else "
    "B; in.  All of them group from the left, also ^, and prefixes bind before everything else, so "
    "that -2^2 is 4 and not 1==2 is (not 1)==2: programs in circulation count on it.  set "
    "rasp-precedence modern makes operators bind as in other languages, in statements that are "
    "read from then on.",
    "A selector says which positions each position attends to: row i of select(keys, queries, ==) "
    "holds the columns j where keys[j] == queries[i]; != < <= > >= are the other comparisons.  "
    "Selectors combine by and, or and not.  aggregate(selector, values, default) is, row by row, "
    "the default where nothing is selected (0, unless another is given), the value itself where "
    "one position is, and else the mean, of numbers only:\n\n"
    "  same = select(tokens, tokens, ==);\n"
    "  hist = selector_width(same);\n"
    "  reverse = aggregate(select(indices, length - 1 - indices, ==), tokens);\n"
    "  hist(\"abaca\");         # applied to an input: 3 1 3 1 3",
    "Single values are ints of 64 bits, floats, True, False and strings; there are lists [1, 2], "
    "dictionaries {\"a\": 1}, and functions.  An s-op may be the index of a list or the key of a "
    "dictionary; s[3] is the value of s at position 3, everywhere.  range, zip and len make and "
    "measure lists, and [x*x for x in range(5)] and {x: 0 for x in list} go through them, or "
    "through the keys of a dictionary.  Statements are expressions, assignments, definitions and "
    "loops:\n\n"
    "  a, b = 1, [2, 3];      # also a, b = [1, 2];\n"
    "  def f(x, y) { z = x + y; return z; }\n"
    "  for x, y in zip([1, 2], [3, 4]) { s = s + x * y; }\n"
    "  load \"program\";        # runs program.rasp; names that begin with _ stay in it\n"
    "  draw(hist, \"abaca\");   # the value, and the picture of its computation",
    "A file that is loaded knows the library and tokens only, not the names of who loads it.  It "
    "is looked for in the current directory and beside the script that loads it.  tokens are "
    "strings; tokens_int, tokens_float and tokens_bool convert them, tokens_asis takes the "
    "elements of a list as they are.  tokens may be redefined, other names of the language may "
    "not.  set example, examples, full seq display and quit stand in files, too; a file with an "
    "error in it defines nothing.  show NAME and save write an s-op as the program that it is, "
    "whatever became of the names it was made from; functions bring what they look up.  An s-op "
    "that gives truth values is a language: compare and learn take it beside automata, and task t "
    "= label SOP trains on what any s-op answers.",
    "Of the causal dialect of RASP-L (Zhou et al. 2023; Hou et al. 2024, appendix D) there are: "
    "select(keys, queries, ==, causal), whose rows see no later column, also with a function of "
    "key and query for the comparison; aggregate(selector, values, default, mean), or max or min, "
    "where the mean of ints is cut off to an int, or, of B-RASP, rightmost or leftmost: the "
    "value at the last or first position; sel_width(selector) in one head; tuples (a, b) "
    "as keys; lambda x, y: x + y; map(function, s, ...), tok_map(s, function) and seq_map(s, t, "
    "function), which call a function for every element; parameters with defaults, def f(x, n=1), "
    "and named arguments, f(x, n=2).  load \"raspl\" defines the rest of that library: kqv, "
    "shift_right, cumsum, where, firsts, induct and others; show NAME shows their source.",
    "Names of RASP are objects like others: list, show, rename, copy, drop and save know them; run "
    "and trace apply an s-op to inputs.  Every new s-op must have a value on the example, else the "
    "statement is refused.  A statement that fails changes nothing.",
    NULL};

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
