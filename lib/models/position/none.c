/* No positions at all: with a causal mask a Transformer can still tell them apart. */
#include "models/position/position.h"

const ThPositionKind th_position_none = {
    .name = "none",
    .summary = "nothing: only a causal mask tells positions apart",
    .source = "Haviv et al. 2022; Kazemnejad et al. 2023 (NoPE)",
    .causal = true,
    .full = true,
};
