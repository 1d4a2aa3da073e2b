"""Decoders whose heads see whole strings, on each of finitely many by itself.

Positions are told apart by what is added to embeddings, by queries and keys that turn, or by what a
distance adds to a logit.  Tables of sines and slopes are what single precision makes of them, as weights
are; queries and keys turn in double precision.
"""

import itertools
import math

import numpy as np

import balls
from balls import Ball, Refused
from decoder import MOST, Decoder, read_off

LONGEST, AT_ONCE = 64, 2048


def single(rows):
    return np.float32(rows).astype(float)


def frequency(k, n):
    return math.pow(10000, -k / n)


def slopes(heads):
    """2^(-8h/heads), h = 1 ...; where heads is no power of two, those of the next lower one and then every
    second one of twice that."""
    power = 2 ** int(math.log2(heads))
    more = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power, 2)]
    return ([2 ** (-8 * h / power) for h in range(1, power + 1)] + more)[:heads]


class Strings(Decoder):
    positions = ("alibi", "hard_alibi", "sinusoidal", "learned", "rope", "xl")

    def sees_enough(self, options, causal):
        self.windows = int(options.get("window_heads", (self.heads + 1) // 2)), int(options.get("window_layers", self.layers))
        return causal or (self.m.signature.get("target") == "final" and self.where != "hard_alibi")

    def place(self, x, t):
        if self.where == "learned":
            table = self.m["position"]
            if len(table) < t:
                raise Refused(f"the model has {len(table)} positions")
        elif self.where == "sinusoidal":
            table = single([[(math.cos if c % 2 else math.sin)(i * frequency(c - c % 2, self.d)) for c in range(self.d)]
                            for i in range(t)])
        else:
            return x
        return x + Ball(np.tile(table[:t], (len(x.mid) // t, 1)))

    def turn(self, x, t):
        """Columns c and c + half of every head by an angle that grows with the position."""
        mid, rad, width = x.mid.copy(), x.rad.copy(), self.d // self.heads
        half = width // 2
        for i in range(t):
            rows = slice(i, None, t)
            angles = [i * frequency(c, half) for c in range(half)]
            cosine, sine = (Ball(np.array([f(a) for a in angles]), np.full(half, 1e-13)) for f in (math.cos, math.sin))
            for h in range(self.heads):
                low, high = (slice(h * width + at, h * width + at + half) for at in (0, half))
                a, b = x[rows, low], x[rows, high]
                for columns, y in ((low, a * cosine + b * sine * -1.0), (high, b * cosine + a * sine)):
                    mid[rows, columns], rad[rows, columns] = y.mid, y.rad
        return Ball(mid, rad)

    def seen(self, h, i, t):
        windowed = self.where == "hard_alibi" and h < self.windows[0] and int(self.name[5:-1]) < self.windows[1]
        return range(max(0, i - h) if windowed else 0, i + 1 if self.causal else t)

    def distance(self, n):
        """What a layer of xl makes of sines and cosines of a distance."""
        half = self.d // 2
        table = [f(n * frequency(2.0 * k, self.d)) for f in (math.sin, math.cos) for k in range(half)]
        return Ball(single(table)[None, :]) @ self.m[self.name + "attention.relative"]

    def attend(self, query, both, t):
        d, width, scale = self.d, self.d // self.heads, self.by_width()
        ones = np.ones((width, 1))
        keys, values = both[:, :d], both[:, d:]
        if self.where == "rope":
            query, keys = self.turn(query, t), self.turn(keys, t)
        if self.where == "xl":
            u, v = (self.m[self.name + f"attention.{name}_bias"].reshape(1, -1) for name in ("content", "position"))
            far = {n: self.distance(n) for n in range(1 - t, t)}
        mid, rad = np.zeros(query.mid.shape), np.zeros(query.mid.shape)
        for h, i in itertools.product(range(self.heads), range(t)):
            c, rows = slice(h * width, (h + 1) * width), slice(i, None, t)
            q, logits, seen = query[rows, c], [], self.seen(h, i, t)
            for j in seen:
                k = keys[slice(j, None, t), c]
                if self.where == "xl":
                    z = (((q + u[:, c]) * k) @ ones + ((q + v[:, c]) * far[i - j][:, c]) @ ones) * scale
                else:
                    z = (q * k) @ ones * scale
                if self.where == "alibi":
                    z = z + Ball(single([[-slopes(self.heads)[h] * abs(i - j)]]))
                logits.append(z)
            mixed = sum((w * values[slice(j, None, t), c] for w, j in zip(self.weights(logits), seen)), Ball(0.0))
            mid[rows, c], rad[rows, c] = mixed.mid, mixed.rad
        return Ball(mid, rad)


def asked(c, points, word):
    q, place = points
    for a in word:
        q, place = c.next[q][a], c.next[place][a] if c.inside else None
    return c.answer[q] if c.answer[q] >= 0 and (not c.inside or c.inside[place]) else -1


def longest(c):
    """The most symbols of a string about which something is asked."""
    now, most = {(c.start, c.first)}, 0
    for n in range(1, LONGEST + len(c.answer) * max(1, len(c.inside or ())) + 1):
        now = {(c.next[q][a], c.next[p][a] if c.inside else None) for q, p in now for a in range(len(c.symbols))}
        if any(asked(c, point, ()) >= 0 for point in now):
            most = n
    if not 0 < most <= LONGEST or len(c.symbols) ** most > MOST:
        raise Refused("the strings that are meant are none, too many, or of any length")
    return most


def check_strings(c, network):
    """How many strings were answered, of how many symbols; and do runs in single precision say the same?"""
    most, real, strings, same = longest(c), balls.UNIT, 0, True
    for n in range(1, most + 1):
        words = ((w, asked(c, (c.start, c.first), w)) for w in itertools.product(range(len(c.symbols)), repeat=n))
        words = (pair for pair in words if pair[1] >= 0)
        while some := list(itertools.islice(words, AT_ONCE)):
            rows, right = np.array([w for w, _ in some]), np.array([r for _, r in some])
            z = network.answers(rows, c.slack)
            balls.UNIT = 2.0 ** -24 * (1 + 1e-6)
            try:
                run = network.answers(rows, c.slack)
            finally:
                balls.UNIT = real
            for i, (word, r) in enumerate(some):
                if not read_off(z[i], r) > 1e-9:
                    raise Refused("the answer to " + " ".join(c.symbols[a] for a in word) + " is not sure")
                same = same and bool(read_off(run[i], r) > 1e-9)
            strings += len(some)
    return strings, most, same
