/* fuzz_check.c - any bytes as a scratchpad of every kind, with and without a machine's rules. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scratchpad/check.h"

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

static void check(const char *text, size_t size, const ThCheckRules *rules)
{
    ThChecked c, again;
    require(th_scratchpad_check(text, size, rules, &c, NULL));
    require(c.offset <= size && c.line <= size + 1 && c.column <= size + 1);
    require((c.slip != TH_SLIP_NONE) == (c.line > 0));
    if (!c.kind || rules->kind || c.misprint)
        return;
    /* The kind that was recognised gives the same answer by name. */
    ThCheckRules named = *rules;
    named.kind = c.kind;
    require(th_scratchpad_check(text, size, &named, &again, NULL));
    require(again.slip == c.slip && again.offset == c.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    static const char *const styles[] = {"compact", "verbose", "blanks", "reversed-hints",
                                         "suffix",  "prefix",  "plain"};
    size_t n;
    const ThScratchpadKind *const *kinds = th_scratchpad_kinds(&n);
    ThCheckRules rules = th_check_rules();
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
    ThTuring *m = th_turing_parse(rules_of_machine, NULL);
    rules = th_check_rules();
    rules.machine = m;
    rules.kind = th_scratchpad_kind("machine");
    rules.final_carry = TH_CARRY_FOLD;
    if (m)
        check(text, size, &rules);
    th_turing_free(m);
    return 0;
}
