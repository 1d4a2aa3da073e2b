#!/usr/bin/python3
"""measure.py MODEL step|infer DIM HEADS LENGTH BATCH THREADS - times a peer, a round at a time.

For every line SECONDS on standard input one round is measured and a line printed:
"median mean least count", in milliseconds, of that round.  With the word `check` in place of MODEL
it says whether both forms of RegularGPT agree where they must.
"""

import statistics
import sys
import time

import numpy as np
import torch
from torch.nn import functional as F

import models
from tasks import TASKS


def work(model, what, length, batch):
    sample, _, _ = TASKS["parity"]
    tokens, target = map(torch.from_numpy, sample(np.random.default_rng(0), batch, length))
    if what == "infer":
        def once():
            with torch.no_grad():
                model(tokens)
        return once
    optimizer = torch.optim.Adam(model.parameters(), 1e-4)

    def step():
        loss = F.cross_entropy(model(tokens), target)
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


def main():
    if sys.argv[1] == "check":
        return check()
    name, what = sys.argv[1:3]
    dim, heads, length, batch, threads = map(int, sys.argv[3:8])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    once = work(models.make(name, 2, 2, dim, heads), what, length, batch)
    once()
    print("ready", flush=True)
    for line in sys.stdin:
        print("%.5f %.5f %.5f %d" % measure(once, float(line)), flush=True)


if __name__ == "__main__":
    main()
