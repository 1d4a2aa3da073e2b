#include "inspect/literature.h"

/* The languages of the papers' tables, as automata that come with the program. */
enum {
    EVEN_PAIRS = 1,
    PARITY = 2,
    CYCLE = 4,
    DYCK = 8,
    TOMITA_3 = 16,
    TOMITA_4 = 32,
    TOMITA_5 = 64,
    TOMITA_6 = 128,
    SUM = 256,
    OF_CHI = EVEN_PAIRS | PARITY | CYCLE | DYCK | TOMITA_3 | TOMITA_4 | TOMITA_5 | TOMITA_6,
    OF_TERZIC = EVEN_PAIRS | PARITY | CYCLE
};

const ThInspectPaperLanguage th_inspect_paper_languages[] = {{"even_pairs", 0, {0}, EVEN_PAIRS},
                                                             {"parity", 0, {0}, PARITY},
                                                             {"cycle_navigation", 1, {5}, CYCLE},
                                                             {"dyck", 2, {1, 2}, DYCK},
                                                             {"dyck", 2, {1, 3}, DYCK},
                                                             {"dyck", 2, {1, 4}, DYCK},
                                                             {"dyck", 2, {1, 12}, DYCK},
                                                             {"tomita", 1, {3}, TOMITA_3},
                                                             {"tomita", 1, {4}, TOMITA_4},
                                                             {"tomita", 1, {5}, TOMITA_5},
                                                             {"tomita", 1, {6}, TOMITA_6},
                                                             {"sum", 1, {5}, SUM},
                                                             {NULL, 0, {0}, 0}};

static const char chi[] = "Chi et al. 2023, Table 1", fan[] = "Fan et al. 2024, Table 2",
                  terzic[] = "Terzic et al. 2025, Table 1",
                  unverified[] = "Terzic et al. 2025, Table 1 (unverified)",
                  sarrof[] = "Grazzi et al. 2025, Theorem 1; Sarrof et al. 2024";

/* Fan et al. 2024, Proposition 1 (no state of its own for each value where one matrix serves all
 * symbols) is not among the sources: it is about states, not about answers, which a second layer
 * finds in several states of one value.
 *
 * That one symbol moves what a Transformer says of n by O(1/n) (Hahn 2020, Lemma 5) is about
 * how sure it is, not about its answers: some are exact on parity (Chiang and Cholak 2022).  Hence
 * no verdict follows from it.  What could not be compared with its source says unverified.
 *
 * Tables speak of the languages that they measure, and of no others; theorems of all that
 * they are about.  yes is at least 99 % in the table, at best over its runs. */
const ThInspectPaperRow th_inspect_paper_rows[] = {
    {"regulargpt", TH_INSPECT_OF_ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES,
     "at best 100, in the mean 89.3 to 100", chi},
    {"transformer", TH_INSPECT_OF_ANY, PARITY, TH_INSPECT_YES, TH_INSPECT_NO,
     "99.6 at length 40, at best 52.3 beyond", "Chi et al. 2023, Tables 1 and 2"},
    {"transformer", TH_INSPECT_OF_ANY, CYCLE | TOMITA_5 | TOMITA_6, TH_INSPECT_UNKNOWN,
     TH_INSPECT_NO, "at best 21.7 to 74.5", chi},
    {"transformer", TH_INSPECT_OF_ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES,
     "at best 99.7 to 100, in the mean 70.0 to 94.4", chi},
    {"transformer", TH_INSPECT_OF_GROUP, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "ever less sure, which need not be wrong (Hahn 2020, Lemma 5)", ""},
    {"transformer", TH_INSPECT_OF_ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "flip-flops have errors at any size (Liu et al. 2023)", ""},
    {"gpt", TH_INSPECT_OF_GROUP, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "ever less sure, which need not be wrong (Hahn 2020, Lemma 5)", ""},
    {"rnn", TH_INSPECT_OF_ANY, OF_CHI, TH_INSPECT_YES, TH_INSPECT_YES, "98.9 to 100 in the mean",
     chi},
    {"lstm", TH_INSPECT_OF_ANY, OF_TERZIC, TH_INSPECT_YES, TH_INSPECT_YES, "100", unverified},
    {"lrnn", TH_INSPECT_OF_ANY, SUM, TH_INSPECT_YES, TH_INSPECT_YES,
     "1.00: a matrix for every symbol", fan},
    {"s4", TH_INSPECT_OF_ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance", fan},
    {"s4", TH_INSPECT_OF_ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     ".81 of five symbols; chance is .87", fan},
    {"s4d", TH_INSPECT_OF_ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance", fan},
    {"s4d", TH_INSPECT_OF_ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     ".82 of five symbols; chance is .87", fan},
    {"liquid_s4", TH_INSPECT_OF_ANY, SUM, TH_INSPECT_UNKNOWN, TH_INSPECT_NO, ".27, which is chance",
     fan},
    {"liquid_s4", TH_INSPECT_OF_ANY, EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     ".72 of five symbols; chance is .87", fan},
    {"lru", TH_INSPECT_OF_ANY, SUM | EVEN_PAIRS, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "as S4 and S4D: one matrix for all symbols", fan},
    {"mamba", TH_INSPECT_OF_PERIODIC, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "positive eigenvalues count modulo nothing", sarrof},
    {"mamba", TH_INSPECT_OF_ANY, EVEN_PAIRS, TH_INSPECT_YES, TH_INSPECT_YES, "100", terzic},
    {"deltanet", TH_INSPECT_OF_ANY, EVEN_PAIRS, TH_INSPECT_YES, TH_INSPECT_YES, "100", unverified},
    {"deltanet", TH_INSPECT_OF_ANY, PARITY, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "97.2; a reflection swaps two states", unverified},
    {"deltanet", TH_INSPECT_OF_ANY, CYCLE, TH_INSPECT_UNKNOWN, TH_INSPECT_NO,
     "47.3: a reflection a symbol", unverified},
    {"deltaproduct", TH_INSPECT_OF_ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "m-1 reflections permute m states (Siems et al. 2025)", ""},
    {"pd_ssm", TH_INSPECT_OF_ANY, OF_TERZIC, TH_INSPECT_YES, TH_INSPECT_YES, "99.5 to 99.9",
     terzic},
    {"pd_ssm", TH_INSPECT_OF_ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN,
     "can be exact, with a coordinate a state", ""},
    {NULL, TH_INSPECT_OF_ANY, 0, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN, NULL, NULL},
};

const ThInspectPaperModel th_inspect_paper_models[] = {
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
