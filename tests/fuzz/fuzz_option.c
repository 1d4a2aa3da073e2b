/* fuzz_option.c - option values of every type: the first line is the name, the rest the value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ThOptionSpec specs[] = {{"count", TH_INT, "1", -5, 100, NULL, "an integer"},
                                     {"rate", TH_REAL, "0.5", 0, 1e9, NULL, "a real"},
                                     {"deep", TH_FLAG, "no", 0, 0, NULL, "a flag"},
                                     {"form", TH_CHOICE, "a", 0, 0, "a|bc|def", "a choice"},
                                     {"length", TH_RANGE, "1..40", 1, 1000, NULL, "a range"},
                                     {"file", TH_STRING, NULL, 0, 0, NULL, "a text"},
                                     {0}};

/* Values that were accepted keep their promises. */
static void check(const ThOptions *o)
{
    long long count = th_option_int(o, "count");
    double rate = th_option_real(o, "rate");
    ThRange r = th_option_range(o, "length");
    if (count < -5 || count > 100 || !(rate >= 0 && rate <= 1e9) || r.lo < 1 || r.hi > 1000 ||
        r.lo > r.hi || r.step < 1 || th_range_count(r) < 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = th_strndup((const char *)data, size, NULL);
    ThOptions o = {0};
    ThError err = {0};
    if (name && th_options_init(&o, specs, NULL)) {
        char *value = strchr(name, '\n');
        if (value)
            *value++ = '\0';
        if (!th_options_set(&o, name, value ? value : "", &err) && err.code == TH_OK)
            abort();
        check(&o);
        free(th_options_format(&o, NULL));
    }
    th_options_free(&o);
    free(name);
    return 0;
}
