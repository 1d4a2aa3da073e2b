#!/usr/bin/python3
"""measure.py MODEL step|infer|write THREADS DIM HEADS LENGTH BATCH [LAYERS] - times a peer, a round at
a time.

For every line SECONDS on standard input one round is measured and a line printed:
"median mean least count", in milliseconds, of that round.  With the word `check` in place of MODEL
it says whether the forms of one model agree where they must.
"""

import statistics
import sys
import time

import numpy as np
import torch
from torch.nn import functional as F

import decoder
import halting
import linear
import models
from tasks import TASKS


def make(name, dim, heads, layers):
    """The model, and the task that it is to learn."""
    if name in linear.LAYERS:
        return linear.Network(name, 5, 5, dim, *layers), "sum"
    if name in halting.MODELS:
        return halting.MODELS[name](2, 2, dim, heads, *layers), "parity"
    if name in ("none", "hard_alibi", "rope", "t5", "fire"):
        return decoder.Decoder(name, 5, 5, dim, heads, *layers), "sum"
    return models.make(name, 2, 2, dim, heads), "parity"


def work(model, task, what, length, batch):
    sample, _, _ = TASKS[task]
    tokens, target = map(torch.from_numpy, sample(np.random.default_rng(0), batch, length))
    if what == "write":
        def write():
            with torch.no_grad():
                model.generate(length)
        return write
    if what == "infer":
        def once():
            with torch.no_grad():
                model(tokens)
        return once
    optimizer = torch.optim.Adam(model.parameters(), 1e-4)

    def step():
        loss = F.cross_entropy(model(tokens).flatten(0, -2), target.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return step


def measure(once, seconds):
    times, start = [], time.perf_counter()
    while not times or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        once()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), statistics.fmean(times), min(times), len(times)


def check():
    """Without missing children the two forms are one function."""
    model = models.RegularGPT(2, 2, 64, 4)
    with torch.no_grad():
        model.bias.normal_()
    tokens = torch.randint(0, 2, (4, 64))
    routing = model(tokens)
    model.form = "masked"
    print("difference of the forms: %.1e" % (model(tokens) - routing).abs().max().item())
    for layer, name, other in ((linear.Delta(64, chunk=16), "chunk", 0),
                               (linear.Unit(64), "loop", False)):
        rows = torch.randn(3, 40, 64)
        first = layer(rows, None)
        setattr(layer, name, other)
        print("difference of the forms: %.1e" % (layer(rows, None) - first).abs().max().item())


def main():
    if sys.argv[1] == "check":
        return check()
    name, what = sys.argv[1:3]
    threads, dim, heads, length, batch, *layers = map(int, sys.argv[3:])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    once = work(*make(name, dim, heads, layers), what, length, batch)
    once()
    print("ready", flush=True)
    for line in sys.stdin:
        print("%.5f %.5f %.5f %d" % measure(once, float(line)), flush=True)


if __name__ == "__main__":
    main()
