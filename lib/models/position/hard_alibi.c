/* Hard-ALiBi (Jelassi et al. 2024, section 3): some heads see only the last symbols, head h = 1 …
 * masked the last h of them, itself included; the other heads see everything and know no
 * positions. */
#include "models/position/position.h"

static int masked(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "window_heads", (p->heads + 1) / 2);
}

static bool check(const ThPosition *p, ThError *err)
{
    return masked(p) <= p->heads ||
           th_fail(err, TH_EUSAGE, "window_heads=%d: there are heads=%d", masked(p), p->heads);
}

static void windows(const ThPosition *p, int *window)
{
    for (int h = 0; h < p->heads; h++)
        window[h] = h < masked(p) ? h + 1 : 0;
}

const ThPositionKind th_position_hard_alibi = {
    .name = "hard_alibi",
    .summary =
        "Hard-ALiBi: head 1 sees itself, head 2 the last two, … up to window_heads=; others all",
    .source = "Jelassi et al. 2024, section 3; Hou et al. 2024",
    .options = "window_heads|window_layers|log_length",
    .causal = true,
    .check = check,
    .windows = windows,
};
