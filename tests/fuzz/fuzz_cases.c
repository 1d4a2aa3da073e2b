/* fuzz_cases.c - files of tests for machines: what is read keeps its fields. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "turing/test_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Writes a field in quotes. */
static void write_field(ThText *t, const char *field)
{
    th_text_add(t, "\"");
    for (const char *s = field; *s; s++) {
        if (*s == '"')
            th_text_add(t, "\"");
        th_text_add_bytes(t, s, 1);
    }
    th_text_add(t, "\"");
}

static void write_and_read(const ThTmTestCases *c)
{
    ThText t = {0};
    ThTmTestCases again;
    th_text_add(&t, "input,verdict\n");
    for (size_t i = 0; i < c->n; i++) {
        write_field(&t, c->item[i].input);
        th_text_printf(&t, ",%s", th_tm_test_expected(&c->item[i]));
        if (c->item[i].tape) {
            th_text_add(&t, ",");
            write_field(&t, c->item[i].tape);
        }
        th_text_add(&t, "\n");
    }
    require(th_tm_test_cases_read(&again, t.data, NULL) && again.n == c->n);
    for (size_t i = 0; i < c->n; i++) {
        const ThTmTestCase *a = &c->item[i], *b = &again.item[i];
        require(strcmp(a->input, b->input) == 0 && a->verdict == b->verdict &&
                a->limit == b->limit && !a->tape == !b->tape);
        require(!a->tape || strcmp(a->tape, b->tape) == 0);
    }
    th_tm_test_cases_free(&again);
    th_text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThTmTestCases c;
    if (text && th_tm_test_cases_read(&c, text, &err)) {
        write_and_read(&c);
        th_tm_test_cases_free(&c);
    } else {
        require(!text || (err.code != TH_OK && err.line > 0));
    }
    free(text);
    return 0;
}
