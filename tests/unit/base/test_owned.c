/* test_owned.c - owned variables: what is released, when, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/owned.h"

typedef struct {
    char name;
} Thing;

static char gone[16]; /* the names of what was released, in order */

static void release_thing(Thing *t)
{
    gone[strlen(gone)] = t->name;
}

static void release_value(Thing *t)
{
    gone[strlen(gone)] = t->name;
}

TH_RELEASES(release_thing, Thing)
TH_RELEASES_VALUE(release_value, Thing)

/* The name of a thing that is released behind the evaluation of what is returned. */
static char leave(int way)
{
    Thing a = {'a'}, b = {'b'};
    Thing *first TH_OWNED(release_thing) = &a;
    if (way == 1)
        return gone[0] ? '!' : first->name;
    Thing second TH_OWNED(release_value) = b;
    for (int i = 0; i < 2; i++) {
        Thing turn TH_OWNED(release_value) = {(char)('0' + i)};
        if (way == 2 && i == 1)
            return turn.name;
    }
    first = way == 3 ? NULL : first;
    return gone[2] ? '!' : second.name;
}

static void released_on_every_way_out(void **state)
{
    static const struct {
        int way;
        char returned;
        const char *gone;
    } cases[] = {{1, 'a', "a"}, {2, '1', "01ba"}, {3, 'b', "01b"}, {4, 'b', "01ba"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(gone, 0, sizeof gone);
        assert_int_equal(leave(cases[i].way), cases[i].returned);
        assert_string_equal(gone, cases[i].gone);
    }
}

static void memory_is_freed(void **state) /* which the sanitizers look at */
{
    (void)state;
    char *text TH_OWNED(free) = malloc(10), *none TH_OWNED(free) = NULL;
    assert_non_null(text);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_on_every_way_out),
        cmocka_unit_test(memory_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
