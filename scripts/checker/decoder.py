"""Decoders all heads of which see the last few symbols.

L layers with windows of at most W symbols, and nothing else that tells positions apart, read the last
R = L (W - 1) + 1: a string is answered as its last R symbols are, or as it is where it has fewer.  All
strings of up to R symbols are computed, as numbers with radii, and compared with the automaton, those
of R symbols in every state that it can be in before them.  With a coarser unit the same arithmetic
bounds runs in single precision, whatever the order of their sums: of points, what a run rounds is what
is rounded here.  (numpy's exponentials and math's erfc are taken to be right to 1e-13.)
"""

import itertools
import math

import numpy as np
from mpmath import iv

import balls
from balls import EPSILON, WIDER, Ball, Refused, from_interval

OPTIONS = {"size": None, "dim": None, "heads": None, "layers": None, "mlp_ratio": None, "mlp_width": None,
           "init": None, "block": None, "norm": None, "final_norm": None, "scale": None, "head_bias": None, "dropout": None,
           "attention_dropout": None, "activation": None, "window_heads": None, "window_layers": None,
           "head": "own", "causal": None, "position": None, "longest": None}
MOST = 1e6  # strings
LARGEST = 1000  # of weights
UNDERFLOW = 1e-30


class Decoder:
    positions = ("hard_alibi",)

    def __init__(self, m):
        options, self.m = m.take(OPTIONS), m
        if any(abs(w).max(initial=0) > LARGEST for name, w in m.weight.items() if not name.startswith("optimizer.")):
            raise Refused(f"a weight is larger than {LARGEST}: runs can overflow")
        gpt = m.kind == "gpt"
        self.d, self.heads, self.layers = m["embedding"].shape[1], int(options["heads"]), int(options["layers"])
        self.causal = causal = options.get("causal", "yes" if gpt else "no") == "yes"
        self.where = options.get("position", "rope" if gpt else "xl")
        if (self.where not in self.positions or m.signature.get("target") not in ("final", "every") or
                not self.sees_enough(options, causal)):
            raise Refused("positions are told apart, or not every head of every layer has a window")
        self.before = gpt and options.get("norm", "before") == "before"
        self.beside = gpt and options.get("block", "gpt2") == "neox"
        self.bend = options.get("activation", "gelu") if gpt else "relu"
        if options.get("block", "gpt2") not in ("gpt2", "neox"):
            raise Refused(f"nothing is known here of block={options['block']}")
        if self.bend not in ("relu", "gelu"):
            raise Refused(f"nothing is known here of activation={self.bend}")
        scaled = not gpt or options.get("scale", "no") == "yes"
        self.scale = from_interval(iv.sqrt(iv.mpf(self.d))) if scaled else Ball(1.0)
        self.reach = self.layers * (self.heads - 1) + 1

    def sees_enough(self, options, causal):
        return (causal and int(options.get("window_heads", (self.heads + 1) // 2)) == self.heads and
                int(options.get("window_layers", self.layers)) >= self.layers)

    def by_width(self):
        return from_interval(1 / iv.sqrt(iv.mpf(self.d // self.heads)))

    def linear(self, x, name, bias):
        y = x @ self.m[name]
        return y + self.m.weight[bias] if bias in self.m.weight else y

    def norm(self, x, name):
        d = self.d
        c = x - (x @ np.ones((d, 1))) * from_interval(1 / iv.mpf(d))
        by = np.sqrt((c.rad ** 2).mean(axis=1, keepdims=True)) * WIDER
        root = np.sqrt((c.mid ** 2).mean(axis=1, keepdims=True) + EPSILON)
        least = np.maximum(math.sqrt(EPSILON), root - by) / WIDER
        z = c.mid / root
        far = (c.rad + abs(z) * by) / least
        far = far + (d + 16) * balls.UNIT * (abs(z) + far)
        return Ball(z, far * WIDER) * self.m[name + ".gain"] + self.m[name + ".offset"]

    def weights(self, logits):
        """One over the sum of all exponentials beside its own; greatest and least where the others are."""
        largest = max(s.most().max() for s in logits)
        units = (len(logits) + 24 + 8 * largest) * balls.UNIT
        rounded = units / (1 - units) if units < 0.5 else np.inf
        to = []
        with np.errstate(over="ignore"):
            for j, own in enumerate(logits):
                others = [s for k, s in enumerate(logits) if k != j]
                least = 1 + sum(np.exp(s.mid - own.mid + s.rad + own.rad) for s in others)
                most = 1 + sum(np.exp(s.mid - own.mid - s.rad - own.rad) for s in others)
                low, high = 1 / least * (1 - 1e-12), 1 / most * (1 + 1e-12)
                to.append(Ball((low + high) / 2, ((high - low) / 2 + rounded * high) * WIDER + UNDERFLOW))
        return to

    def attend(self, query, both, t):
        """What heads mix, for strings of t symbols, one below the other: head h sees the last h + 1."""
        d, width = self.d, self.d // self.heads
        scale = self.by_width()
        mid, rad = np.zeros(query.mid.shape), np.zeros(query.mid.shape)
        ones = np.ones((width, 1))
        for h in range(self.heads):
            c = slice(h * width, (h + 1) * width)
            for i in range(t):
                rows = slice(i, None, t)
                keys = [both[slice(j, None, t)] for j in range(max(0, i - h), i + 1)]
                logits = [(query[rows, c] * k[:, c]) @ ones * scale for k in keys]
                mixed = sum((w * k[:, d + h * width:d + (h + 1) * width]
                             for w, k in zip(self.weights(logits), keys)), Ball(0.0))
                mid[rows, c], rad[rows, c] = mixed.mid, mixed.rad
        return Ball(mid, rad)

    def feed(self, x, name):
        u = self.linear(x, name + ".up", name + ".up_bias")
        if self.bend == "relu":
            u = Ball(np.maximum(0, u.mid), u.rad)
        else:  # the slope of GELU is at most 1.13
            value = u.mid * 0.5 * np.vectorize(math.erfc)(-u.mid / math.sqrt(2))
            u = Ball(value, (1.13 * u.rad + (32 * balls.UNIT + 1e-13) * u.most()) * WIDER)
        return self.linear(u, name + ".down", name + ".down_bias")

    def layer(self, x, i, t, slack, seen=None):
        """What becomes of rows that see t of their own, or others."""
        name = self.name = f"layer{i}."
        read = self.norm(x, name + "norm1") if self.before else x
        seen = read if seen is None else self.norm(seen, name + "norm1") if self.before else seen
        both = self.linear(seen, name + "attention.key_value", name + "attention.key_value_bias")
        query = self.linear(read, name + "attention.query", name + "attention.query_bias")
        u = x + self.linear(self.attend(query, both, t), name + "attention.output", name + "attention.output_bias")
        if self.before:
            read = self.norm(x if self.beside else u, name + "norm2")
        else:
            read = u = self.norm(u, name + "norm1")
        u = u + self.feed(read, name + "feed_forward")
        u = u if self.before else self.norm(u, name + "norm2")
        return Ball(u.mid, (u.rad + slack) * WIDER)

    def answers(self, words, slack):
        """Logits behind strings of one length, each off by slack, as all vectors are."""
        t = words.shape[1]
        x = self.place(Ball(self.m["embedding"][words.reshape(-1)]) * self.scale, t)
        x = Ball(x.mid, x.rad + slack)
        for i in range(self.layers):
            x = self.layer(x, i, t, slack)
        return self.logits(x[t - 1::t], slack)

    def place(self, x, t):
        return x

    def logits(self, x, slack):
        if "final_norm.gain" in self.m.weight:
            x = self.norm(x, "final_norm")
        z = self.linear(x, "head", "head_bias")
        return Ball(z.mid, (z.rad + slack) * WIDER)


def check_windows(c, decoder):
    """How many strings were answered, and compared; and do runs in single precision say the same?"""
    k, n = len(c.symbols), decoder.reach
    if k ** n > MOST:
        raise Refused(f"there are too many strings of {n} symbols")
    points, queue = {(c.start, c.first)}, [(c.start, c.first)]
    for q, place in queue:
        for a in range(k):
            to = c.next[q][a], c.next[place][a] if c.inside else None
            if to not in points:
                points.add(to)
                queue.append(to)
    strings = compared = 0
    same = True
    for length in range(1, n + 1):
        words = np.array(list(itertools.product(range(k), repeat=length)))
        z = decoder.answers(words, c.slack)
        unit, balls.UNIT = balls.UNIT, 2.0 ** -24 * (1 + 1e-6)
        try:
            run = decoder.answers(words, c.slack)
        finally:
            balls.UNIT = unit
        for i, word in enumerate(words.tolist()):
            strings += 1
            for q, place in queue if length == n else queue[:1]:
                for a in word:
                    q, place = c.next[q][a], c.next[place][a] if c.inside else None
                right = c.answer[q]
                if right < 0 or (c.inside and not c.inside[place]):
                    continue
                compared += 1
                if not read_off(z[i], right) > 1e-9:
                    raise Refused("the answer behind " + " ".join(c.symbols[a] for a in word) + " is not sure")
                same = same and read_off(run[i], right) > 1e-9
    return strings, compared, same


def read_off(z, right):
    """By how much the right one of the logits is ahead of all others at least."""
    others = np.delete(z.mid + z.rad, right, axis=-1).max(axis=-1)
    return np.nan_to_num(z.mid[..., right] - z.rad[..., right] - others, nan=-np.inf)
