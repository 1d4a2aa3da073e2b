#include "automata/operations/shortest_difference.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_STATES = 500, MOST_DIGITS = 2 };

void require(bool holds)
{
    if (!holds)
        abort();
}

bool modest(const char *text)
{
    int digits = 0;
    for (; *text; text++) {
        digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
        if (digits > MOST_DIGITS)
            return false;
    }
    return true;
}

char *block_inside(ThText *written)
{
    char *open = strchr(written->data, '{'), *close = strrchr(written->data, '}');
    require(open && close);
    *close = '\0';
    return open + 1;
}

void show_and_read(const ThAutomaton *a)
{
    ThText first = {0}, second = {0};
    ThError err = {0};
    th_automaton_write(&first, a, "A");
    char *whole = th_strdup(first.data, NULL);
    ThAutomaton *again = th_automaton_parse(block_inside(&first), &err);
    require(whole && again);
    th_automaton_write(&second, again, "A");
    require(strcmp(whole, second.data) == 0);
    th_automaton_free(again);
    th_text_free(&first);
    th_text_free(&second);
    free(whole);
}

void require_same(const ThAutomaton *a, const ThAutomaton *b)
{
    ThAutomatonDifference d = {0};
    if (th_automaton_compare(a, b, MOST_STATES, NULL, &d, NULL))
        require(d.equivalent);
    free(d.word);
}

void check_file(const uint8_t *data, size_t size,
                ThAutomaton *(*read)(char *text, size_t size, ThText *notes, ThError *err),
                void (*write_and_read)(const ThAutomaton *a))
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThText notes = {0};
    ThAutomaton *a = text ? read(text, size, &notes, &err) : NULL;
    require(a || err.code != TH_OK || !text);
    if (a) {
        show_and_read(a);
        write_and_read(a);
    }
    th_automaton_free(a);
    th_text_free(&notes);
    free(text);
}
