/* fuzz_check.c - any bytes as a scratchpad of every kind, with and without a machine's rules. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scratchpad/check_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char rules_of_machine[] =
    "blank _ ; start right ; halt done ; tape one-way edge=reject\n"
    "right 0,1 -> R right\nright _ -> L carry\n"
    "carry 1 -> 0 L carry\ncarry 0,_ -> 1 S done";

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const char *text, size_t size, const ThPadCheckRules *rules)
{
    ThPadChecked c, again;
    require(th_pad_check(text, size, rules, &c, NULL));
    require(c.offset <= size && c.line <= size + 1 && c.column <= size + 1);
    require((c.slip != TH_PAD_SLIP_NONE) == (c.line > 0));
    if (!c.kind || rules->kind || c.misprint)
        return;
    /* The kind that was recognised gives the same answer by name. */
    ThPadCheckRules named = *rules;
    named.kind = c.kind;
    require(th_pad_check(text, size, &named, &again, NULL));
    require(again.slip == c.slip && again.offset == c.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    static const char *const styles[] = {"compact", "verbose", "blanks", "reversed-hints",
                                         "suffix",  "prefix",  "plain"};
    size_t n;
    const ThPadKind *const *kinds = th_pad_kinds(&n);
    ThOptions o;
    require(th_pad_check_options(&o, NULL));
    ThPadCheckRules rules = {.options = &o};
    check(text, size, &rules);
    for (size_t i = 0; i < n; i++) {
        rules.kind = kinds[i];
        check(text, size, &rules);
    }
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        rules.kind = NULL;
        rules.style = styles[i];
        check(text, size, &rules);
    }
    ThTm *m = th_tm_parse(rules_of_machine, NULL);
    rules = (ThPadCheckRules){.options = &o};
    rules.machine = m;
    rules.kind = th_pad_kind("machine");
    require(th_options_set(&o, "steps", "3", NULL));
    if (m)
        check(text, size, &rules);
    th_tm_free(m);
    th_options_free(&o);
    return 0;
}
