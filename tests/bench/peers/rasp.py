#!/usr/bin/python3
"""rasp.py loop|numpy PROGRAM N - RASP in Python, by matrices: what bench_rasp.c is compared with.

loop builds a selector's matrix by calling a predicate for every pair of positions, as the listings
in papers do; numpy compares whole arrays.  Means are matrix products.  Prints "ready" and then, for
every line read, measures for so many seconds of processor time and prints the median, mean and
least milliseconds.
"""

import operator
import statistics
import sys
import time

import numpy


def select_loop(keys, queries, relation, causal):
    n = len(keys)
    chosen = numpy.zeros((n, n), dtype=bool)
    keys, queries = keys.tolist(), queries.tolist()
    for i in range(n):
        row, query = chosen[i], queries[i]
        for j in range(i + 1 if causal else n):
            row[j] = relation(keys[j], query)
    return chosen


def select_numpy(keys, queries, relation, causal):
    chosen = relation(keys[None, :], queries[:, None])
    return numpy.tril(chosen) if causal else chosen


def width(chosen):
    return chosen.sum(axis=1)


def mean(chosen, values, default=0.0):
    count = width(chosen)
    total = numpy.dot(chosen, values.astype(float))
    return numpy.divide(total, count, out=numpy.full(len(values), default, dtype=float),
                        where=count != 0)


def library_width(select, chosen):
    """selector_width from two means over attention, as RASP's library has it."""
    n = len(chosen)
    places = numpy.arange(n)
    first = select(places, numpy.zeros(n, dtype=int), operator.eq, False)
    inverse = mean(chosen | first, (places == 0).astype(float))
    has = mean(chosen & first, numpy.ones(n))
    return numpy.rint(1 / inverse - 1 + has).astype(int)


def head(select, x):
    return mean(select(x % 10, x // 10 % 10, operator.eq, True), x // 100).astype(int)


def hist(select, x):
    return library_width(select, select(x, x, operator.eq, False))


def sort(select, x):
    places = numpy.arange(len(x))
    tied = select(x, x, operator.eq, False) & select(places, places, operator.lt, False)
    before = library_width(select, select(x, x, operator.lt, False) | tied)
    return mean(select(before, places, operator.eq, False), x)


GAP, BEGIN, END, FILLER, SYMBOL, STATE, TOKENS = 0, 1, 2, 3, 4, 16, 32
GRAM, CELLS = 4, 50


def shift(select, x, by, default=0):
    """x moved to the right, by a head."""
    places = numpy.arange(len(x))
    return mean(select(places + by, places, operator.eq, True), x, default).astype(int)


def tables():
    """A random machine: the next state, the symbol written, and whether the head moves right."""
    draw = numpy.random.default_rng(1)
    state = draw.integers(STATE, TOKENS, (TOKENS, TOKENS))
    write = draw.integers(SYMBOL, STATE, (TOKENS, TOKENS))
    right = draw.integers(0, 2, (TOKENS, TOKENS))
    write[:, BEGIN], write[:, END], right[:, BEGIN], right[:, END] = BEGIN, END, 1, 0
    return state, write, right


MACHINE = tables()


def successor(far, left, here, right, further):
    """The token of the next configuration, from the five around its place."""
    state, write, moves = MACHINE

    def now(a, b, c):
        return numpy.where(b >= STATE, state[b, a],
                           numpy.where(c >= STATE, write[c, b], b))

    def head(a, b):
        return b >= STATE, moves[b, a] == 1

    (ours, ours_right), (theirs, theirs_right) = head(left, here), head(here, right)
    before, before_right = head(far, left)
    take_next = (ours & ours_right) | (theirs & ~theirs_right)
    take_last = (before & before_right) | (ours & ~ours_right)
    return numpy.where(take_next, now(here, right, further),
                       numpy.where(take_last, now(far, left, here), now(left, here, right)))


def grams(select, x):
    """The number of gaps so far and the last GRAM + 1 tokens of the configuration."""
    gap = (x == GAP).astype(int)
    count = width(select(gap, numpy.ones(len(x), dtype=int), operator.eq, True))
    columns, ended, moved = [count, x], x == GAP, x
    for _ in range(GRAM):
        moved = shift(select, moved, 1)
        ended = ended | (moved == GAP)
        columns.append(numpy.where(ended, GAP, moved))
    return numpy.stack(columns, axis=1)


def machine(select, x):
    at = [shift(select, x, k) for k in range(6)]
    later = successor(*at[4::-1])
    last = successor(*at[5:0:-1])
    last[:2] = FILLER
    both = numpy.concatenate([grams(select, last), grams(select, x)])
    keys = numpy.unique(both, axis=0, return_inverse=True)[1]
    chosen = select(keys[:len(x)], keys[len(x):], operator.eq, True)
    best = numpy.where(chosen, later[None, :], -1).max(axis=1)
    return numpy.where(best < 0, 0, best)


def run_of_machine(n):
    """The text of a run of the machine: what `machine` is to continue."""
    state, write, right = MACHINE
    draw = numpy.random.default_rng(2)
    now, at = int(draw.integers(STATE, TOKENS)), 5
    cells = [BEGIN, *(int(x) for x in draw.integers(SYMBOL, STATE, CELLS)), END]
    text = []
    while len(text) < n:
        text += cells[:at + 1] + [now] + cells[at + 1:] + [GAP]
        under = cells[at]
        cells[at], step = int(write[now, under]), 1 if right[now, under] else -1
        now, at = int(state[now, under]), at + step
    return numpy.array(text[:n])


def inputs(name, kinds, n, draw):
    return run_of_machine(n) if name == "machine" else draw.integers(0, kinds, n)


PROGRAMS = {"machine": (machine, 0), "head": (head, 1000), "hist": (hist, 26), "sort": (sort, 1000000)}


def main():
    select = {"loop": select_loop, "numpy": select_numpy}[sys.argv[1]]
    program, kinds = PROGRAMS[sys.argv[2]]
    n = int(sys.argv[3])
    draw = numpy.random.default_rng(0)
    x = inputs(sys.argv[2], kinds, min(n, 500), draw)  # a short input first: is it right?
    if sys.argv[2] == "machine":
        assert (program(select, x)[CELLS + 4:-1] == x[CELLS + 5:]).all()
    if sys.argv[2] == "sort":
        assert (program(select, x) == numpy.sort(x)).all()
    if sys.argv[2] == "hist":
        assert (program(select, x) == [(x == a).sum() for a in x]).all()
    print("ready", flush=True)
    for line in sys.stdin:
        taken = []
        while not taken or sum(taken) < float(line):
            x = inputs(sys.argv[2], kinds, n, draw)
            begun = time.process_time()
            program(select, x)
            taken.append(time.process_time() - begun)
        print("%.6f %.6f %.6f" % (1e3 * statistics.median(taken), 1e3 * statistics.mean(taken),
                                  1e3 * min(taken)), flush=True)


main()
