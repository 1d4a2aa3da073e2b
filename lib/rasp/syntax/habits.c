/* habits.c - what is written otherwise in other languages. */

#include "rasp/syntax/syntax.h"

/* The token at which reading stops, those before and behind it, and how RASP says it; "" is any
 * token.  Undefined names and characters without a meaning are looked up as tokens. */
static const struct {
    const char *before, *at, *behind, *hint;
} habits[] = {
    {"/", "/", "", "/ always gives a float; (a - a % b) / b divides without a rest"},
    {"*", "*", "", "a power is a ^ b"},
    {"", ":", "=", "a name gets its value by ="},
    {"+", "=", "", "there is no +=: x = x + 1"},
    {"-", "=", "", "there is no -=: x = x - 1"},
    {"*", "=", "", "there is no *=: x = x * 2"},
    {"/", "=", "", "there is no /=: x = x / 2"},
    {"", "=", "", "== compares; = gives a name its value"},
    {")", ":", "", "a body stands between { and }"},
    {"", ":", "", "bodies stand between { and }; there are no slices"},
    {"", "if", "", "if stands behind a value: A if CONDITION else B"},
    {"elif", "", "", "A if CONDITION else B if OTHER else C chooses among several values"},
    {"", "elif", "", "A if CONDITION else B if OTHER else C chooses among several values"},
    {"while", "", "", "for NAME in LIST { … } is the only loop"},
    {"import", "", "", "load \"FILE\" runs another program"},
    {"from", "", "", "load \"FILE\" runs another program"},
    {"", "not", "in", "not (x in list)"},
    {"", "is", "", "== compares"},
    {"print", "", "", "a name by itself shows its value"},
    {"", "print", "", "a name by itself shows its value"},
    {"", "true", "", "it is True"},
    {"", "false", "", "it is False"},
    {"", "None", "",
     "every value is an int, float, bool, string or tuple; aggregate has a default"},
    {"", "abs", "", "x if x > 0 else -x"},
    {"", "sum", "", "aggregate takes the mean; times length it is the sum"},
    {"", "int", "", "tokens_int reads numbers; round makes ints"},
    {"", "float", "", "tokens_float reads numbers"},
    {"", "str", "", "tokens are strings already; tokens_asis leaves a list's elements as they are"},
    {"", "&", "", "and is written as a word"},
    {"", "|", "", "or is written as a word"},
    {"", "~", "", "not is written as a word"},
    {"", "?", "", "A if CONDITION else B chooses"},
    {"", "'", "", "strings are written in double quotes"},
    {"", "!", "", "not negates; != compares"},
};

static bool fits(const char *pattern, const char *token)
{
    return !*pattern || strcmp(pattern, token) == 0;
}

const char *th_rasp_habit(const char *before, const char *at, const char *behind)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (fits(habits[i].before, before) && fits(habits[i].at, at) &&
            fits(habits[i].behind, behind))
            return habits[i].hint;
    return NULL;
}
