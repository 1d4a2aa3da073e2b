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


PROGRAMS = {"head": (head, 1000), "hist": (hist, 26), "sort": (sort, 1000000)}


def main():
    select = {"loop": select_loop, "numpy": select_numpy}[sys.argv[1]]
    program, kinds = PROGRAMS[sys.argv[2]]
    n = int(sys.argv[3])
    draw = numpy.random.default_rng(0)
    x = draw.integers(0, kinds, min(n, 50))  # a short input first: is it right?
    if sys.argv[2] == "sort":
        assert (program(select, x) == numpy.sort(x)).all()
    if sys.argv[2] == "hist":
        assert (program(select, x) == [(x == a).sum() for a in x]).all()
    print("ready", flush=True)
    for line in sys.stdin:
        taken = []
        while not taken or sum(taken) < float(line):
            x = draw.integers(0, kinds, n)
            begun = time.process_time()
            program(select, x)
            taken.append(time.process_time() - begun)
        print("%.6f %.6f %.6f" % (1e3 * statistics.median(taken), 1e3 * statistics.mean(taken),
                                  1e3 * min(taken)), flush=True)


main()
