#include "given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int below(ThRng *r, int n)
{
    return (int)th_rng_below(r, (uint64_t)n);
}

bool next_word(int *word, int *length, int k, int most)
{
    int i = *length - 1;
    while (i >= 0 && word[i] == k - 1)
        word[i--] = 0;
    if (i >= 0) {
        word[i]++;
        return true;
    }
    for (i = 0; i <= *length && i < MAX_WORD; i++)
        word[i] = 0;
    ++*length;
    return k > 0 && *length <= most;
}

ThAutomaton *parse(const char *text)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_parse(text, &err);
    if (!a)
        fail_msg("%d:%d: %s", err.line, err.col, err.msg);
    return a;
}

ThAutomaton *evaluate(const char *text)
{
    ThError err = {0};
    ThAutomatonScope scope = {0};
    ThAutomaton *a = th_automaton_expression(text, &scope, NULL, &err);
    if (!a)
        fail_msg("%s: %d:%d: %s", text, err.line, err.col, err.msg);
    return a;
}
