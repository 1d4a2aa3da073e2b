/* Randomised positions (Ruoss et al. 2023, section 3): each string stands at as many numbers as it
 * has symbols, drawn from 0 … longest-1 without repetition and sorted, so that positions beyond
 * the lengths of training are seen in training.  Any encoding but Transformer-XL's, named by
 * base_position=, gets the numbers; th_position_init puts it in place of this one. */
#include "models/position/position.h"

const ThPositionKind th_position_random = {
    .name = "random",
    .summary =
        "positions drawn from 0 … longest-1 and sorted, for the encoding named by base_position=",
    .source = "Ruoss et al. 2023, section 3",
    .options = "base_position|longest",
    .causal = true,
    .full = true,
};
