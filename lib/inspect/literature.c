/* literature.c - the small models that are measured, and what is said of a monoid in words. */
#include "inspect/express.h"

const ThInspectSmallModel th_inspect_small_models[] = {
    {"regulargpt", "dim=32 heads=4"},
    {"transformer", "dim=32 heads=4 layers=2"},
    {"gpt", "dim=32 heads=4 layers=2"},
    {"universal", "dim=32 heads=4"},
    {"rnn", "dim=32"},
    {"lstm", "dim=32"},
    {"gru", "dim=32"},
    {"lrnn", "dim=32 block=8"},
    {"s4", "dim=32 state=16"},
    {"s4d", "dim=32 state=16"},
    {"liquid_s4", "dim=32 state=16"},
    {"lru", "dim=32 state=32"},
    {"mamba", "dim=32"},
    {"deltanet", "dim=32"},
    {"deltaproduct", "dim=32"},
    {"pd_ssm", "dim=32 state=32"},
    {NULL, NULL},
};

static void write_periodic_meaning(ThText *t, const ThVarieties *v)
{
    bool power_of_two = (v->exponent & (v->exponent - 1)) == 0;
    th_text_printf(t,
                   "The repetitions of some word have to be counted modulo %zu, however long the "
                   "input. In the "
                   "RegularGPT paper (table 1) the best plain Transformer reaches 22 to 75 %% on "
                   "the tasks of this kind (Parity, Cycle Navigation, Modular Arithmetic, Tomita 5 "
                   "and 6), and 100 %% on Tomita 3 only; RegularGPT with chunk 2 reaches 96 to "
                   "100 %% on all of them. A linear recurrence of bounded precision with diagonal "
                   "matrices needs %s entries for it (Grazzi et al. 2025). ",
                   v->period, power_of_two ? "negative" : "complex");
    if (!v->solvable)
        th_text_add(t, "A group in it is not solvable, so that recognizing it is complete for NC1 "
                       "(Barrington 1989): no model of constant depth and logarithmic precision "
                       "does it at all lengths unless TC0 = NC1. Depth that grows with the "
                       "logarithm of the length, as RegularGPT's does, suffices. ");
    else
        th_text_add(t, "Its groups are solvable: circuits of constant depth that count suffice "
                       "(ACC0; Barrington and Thérien 1988). ");
}

void th_inspect_meaning(ThText *t, const ThVarieties *v, int states)
{
    long long n = states;
    if (v->aperiodic)
        th_text_add(t, "Nothing has to be counted modulo a number. Transformers with masked hard "
                       "attention recognize exactly the star-free languages (Yang, Chiang and "
                       "Angluin 2024); in the RegularGPT paper (table 1) the best plain "
                       "Transformer reaches 99.7 to 100 % on every task of this kind, though the "
                       "average one 70 to 83 % only. ");
    else
        write_periodic_meaning(t, v);
    if (states > 1 && states < 1000000)
        th_text_printf(t,
                       "RegularGPT's exact construction (lemma 1) multiplies maps of %lld states "
                       "with %lld hidden units.",
                       n, n * n * n);
}
