#include "proof/provable.h"

#include <stddef.h>
#include <string.h>

static const ThProofProvable rows[] = {
    {"regulargpt", true,
     "any regular language, where arity=2 layers_per_level=1 norm=post: its map of two vectors "
     "takes sets into the set of the product, and by induction over the levels every string is "
     "answered right, for what a part does to the states is one of finitely many functions "
     "(Rabin and Scott 1959), which compose as the parts of a tree do (Liu et al. 2023, "
     "Transformers "
     "learn shortcuts to automata).  Compiled it is proved by its algebra, quantized by its finite "
     "table",
     NULL},
    {"rnn lstm gru", true,
     "regular languages whose states a step draws apart: every symbol takes the set of a state "
     "into that of the next one, and induction goes along the string; of several layers the hidden "
     "vectors together are the state.  Where no metric contracts a step, no such sets are found.  "
     "With numbers of bounded precision an rnn or gru has finitely many states, and so can do no "
     "more (Merrill 2019, Sequential neural networks as automata); what an lstm counts is not "
     "proved",
     NULL},
    {"lrnn", true,
     "definite languages, which the last symbols decide (Perles, Rabin and Shamir 1963), where "
     "layers=1: a step is linear, and a "
     "set that is closed under linear steps and an error in each must shrink, so that strings with "
     "one end lead to one state; with Gaussian noise in each step no network has more (Maass "
     "and Sontag 1999).  Compiled ones by their steps, of which there are finitely many",
     NULL},
    {"transformer gpt", false,
     "with position=hard_alibi and windows in all heads definite languages: the last symbols are "
     "all that is read, and all that they can be is gone through.  With position=none what the "
     "last symbol decides, or counts up to a length: logits are continuous in the shares of "
     "symbols, of which one of n is 1/n (Hahn 2020, Theoretical limitations of self-attention).  "
     "With xl, sinusoidal, learned, rope, alibi or hard_alibi nothing of every length, but all "
     "strings of up to a length that domain= names, of up to 64 symbols: in boxes, as far as "
     "single symbols decide little.  Of one that writes texts compare MODEL TASK reads all prompts "
     "of "
     "the lengths at which they can be counted",
     "one symbol among n weighs less the longer a string is (Hahn 2020); certify takes it with "
     "windows or without positions"},
    {"bare", false,
     "as compiled, with hard attention, star-free languages (Yang, Chiang and Angluin 2024): what "
     "its heads remember is finite, and is gone through beside the automaton; with soft attention "
     "that is steep, up to the length where that is the "
     "same.  Compiled from counting NAME: that its weights compute the formula (Yang and Chiang "
     "2024, Counting like transformers)",
     "hard attention has no slopes; compile makes such models"},
    {"universal gated_universal tlb gutlb encoder", false,
     "nothing: soft attention to everything, in which one symbol of n weighs 1/n (Hahn 2020)",
     "it attends to everything, and one symbol among n weighs less the longer a string is (Hahn "
     "2020)"},
    {"ndr", false,
     "nothing: a symbol keeps its weight in geometric attention however long a string is, but it "
     "is "
     "applied again to what it made, and no bounded sets are known that it keeps; with "
     "geometric=no as universal",
     "no bounded sets are known that its block keeps when it is applied again"},
    {"s4 s4d liquid_s4 lru mamba", false,
     "nothing: a diagonal step that shrinks forgets, and one that does not adds up what is "
     "rounded, so that by sets only definite languages could be shown; diagonals that are not "
     "negative cannot count modulo 2 at every length (Sarrof, Veitsman and Hahn 2024)",
     "a diagonal step that shrinks forgets, and one that does not adds up what is rounded"},
    {"deltanet deltaproduct pd_ssm", false,
     "compiled ones by their steps, of which there are finitely many, as any regular language has "
     "them (Grazzi et al. 2025; Siems et al. 2025; Terzić et al. 2025): at every length where no "
     "step adds an error, else up to one that is said.  Nothing of trained ones: reflections and "
     "permutations have norm 1, so that with an error in each step no bounded set is closed",
     "its steps can have norm 1, so that what is rounded adds up and no bounded set is closed"},
};

const ThProofProvable *th_proof_provable(int i)
{
    return i >= 0 && (size_t)i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const ThProofProvable *th_proof_provable_kind(const char *kind)
{
    size_t n = strlen(kind);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *at = rows[i].kinds; at; at = strchr(at, ' ')) {
            at += *at == ' ';
            if (strncmp(at, kind, n) == 0 && (at[n] == ' ' || at[n] == '\0'))
                return &rows[i];
        }
    return NULL;
}
