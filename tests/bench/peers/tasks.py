"""The tasks that the benchmarks train on: strings of tokens and the class of each, or of each of their
beginnings."""

import numpy as np


def parity(rng, strings, length):
    """Is the number of ones odd?"""
    tokens = rng.integers(0, 2, (strings, length))
    return tokens, tokens.sum(1) % 2


def even_pairs(rng, strings, length):
    """Is the number of places where the symbol changes even?  So iff first and last are equal."""
    tokens = rng.integers(0, 2, (strings, length))
    return tokens, (tokens[:, 0] == tokens[:, -1]).astype(np.int64)


def cycle_navigation(rng, strings, length):
    """Where on a cycle of five do steps 0, +1 and -1 (tokens 0, 1, 2) lead?"""
    tokens = rng.integers(0, 3, (strings, length))
    return tokens, np.array([0, 1, -1])[tokens].sum(1) % 5


def running_sum(rng, strings, length):
    """The sum modulo five of what has come so far, at every position."""
    tokens = rng.integers(0, 5, (strings, length))
    return tokens, tokens.cumsum(1) % 5


# name: sampler, symbols, classes
TASKS = {
    "parity": (parity, 2, 2),
    "even_pairs": (even_pairs, 2, 2),
    "cycle_navigation": (cycle_navigation, 3, 5),
    "sum": (running_sum, 5, 5),
}
