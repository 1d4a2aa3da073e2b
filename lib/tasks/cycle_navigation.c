
#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"modulus", TH_INT, "5", 2, 100, NULL, "length of the cycle"},
    {"encoding", TH_CHOICE, "paper", 0, 0, "paper|deepmind",
     "0 1 2 mean stay, up, down (paper) or down, stay, up (deepmind)"},
    {0},
};
enum { ENCODING_PAPER, ENCODING_DEEPMIND }; /* encoding= */

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    static const int paper[] = {0, 1, -1}, deepmind[] = {-1, 0, 1};
    bool as_paper = th_option_choice(&t->options, "encoding") == ENCODING_PAPER;
    int m = (int)th_option_int(&t->options, "modulus");
    t->machine = th_task_cyclic_machine(m, 3, as_paper ? paper : deepmind, err);
    return t->machine &&
           th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){3, ""}, (ThTaskNames){m, ""}, err);
}

const ThTaskKind th_task_kind_cycle_navigation = {
    .name = "cycle_navigation",
    .summary = "where on a cycle do the moves lead?",
    .source = "Delétang et al. 2023, Cycle Navigation; Chi et al. 2023, Table 1",
    .detail = "Uniform strings of the moves 0 1 2 on a cycle of modulus= places, from place 0.  "
              "RegularGPT's text writes stay, up and down as 0 1 2, the code that it builds on "
              "down, stay and up; encoding= chooses.",
    .options = options,
    .init = init,
    .draw = th_task_draw_uniform,
    .chance = th_task_chance_uniform,
};
