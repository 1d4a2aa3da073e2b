"""Decoders whose heads see whole strings, on all of finitely many.

They are gone through in boxes (forms.py): a box has at each position any of some symbols, and is split
until the answer to all its strings is sure, or it has a few, each of which is computed by itself.

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
from forms import Reader

LONGEST, FEW = 64, 12


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
    if not 0 < most <= LONGEST:
        raise Refused("the strings that are meant are none, too long, or of any length")
    return most


def behind(c, may):
    """counts[i][point]: strings from position i on about which something is asked, by class."""
    counts, classes = [{} for _ in may] + [{}], len(c.classes)
    reached = [{(c.start, c.first)}]
    for row in may:
        reached.append({after(c, p, a) for p in reached[-1] for a in np.nonzero(row)[0]})
    for p in reached[-1]:
        r = asked(c, p, ())
        counts[-1][p] = [float(r == cl) for cl in range(classes)]
    for i in range(len(may) - 1, -1, -1):
        for p in reached[i]:
            parts = [counts[i + 1][after(c, p, a)] for a in np.nonzero(may[i])[0]]
            counts[i][p] = [sum(x) for x in zip(*parts)]
    return counts


def after(c, point, a):
    return c.next[point[0]][a], c.next[point[1]][a] if c.inside else None


def doubt(count):
    return sum(x * math.log(sum(count) / x) for x in count if x > 0)


def most_telling(c, may):
    """The position whose symbols leave the least doubt about the class."""
    least, best = math.inf, None
    for i, row in enumerate(may):
        if row.sum() < 2:
            continue
        left = 0
        for a in np.nonzero(row)[0]:
            part = may.copy()
            part[i] = False
            part[i, a] = True
            left += doubt(behind(c, part)[0][c.start, c.first])
        if left < least:
            least, best = left, i
    return best


def one_by_one(c, network, may):
    """Are all strings of a box answered as they should be?"""
    start = (c.start, c.first)
    words = itertools.product(*(np.nonzero(row)[0].tolist() for row in may))
    words = [w for w in words if asked(c, start, w) >= 0]
    z = network.answers(np.array(words), c.slack)
    for i, word in enumerate(words):
        right = asked(c, start, word)
        if read_off(z[i], right) > 1e-9:
            continue
        only = np.array([[a == b for b in range(len(c.symbols))] for a in word])
        with np.errstate(all="ignore"):
            sure = Reader(network, only, c.slack).lead(right)[0] > 0
        if not sure:
            raise Refused("the answer to " + " ".join(c.symbols[a] for a in word) + " is not sure")


def check_length(c, network, n):
    """Goes through the strings of n symbols in boxes.  Returns how many there are."""
    boxes = [np.ones((n, len(c.symbols)), dtype=bool)]
    strings = sum(behind(c, boxes[0])[0][c.start, c.first])
    while boxes:
        may = boxes.pop()
        count = behind(c, may)[0][c.start, c.first]
        if sum(count) == 0:
            continue
        if sum(count) <= FEW and np.prod(may.sum(axis=1), dtype=float) <= MOST:
            one_by_one(c, network, may)
            continue
        if sum(x > 0 for x in count) > 1:
            at = most_telling(c, may)
        else:
            with np.errstate(all="ignore"):
                least, effect = Reader(network, may, c.slack).lead(int(np.argmax(count)))
            if least > 0:
                continue
            at = int(np.argmax(np.where(may.sum(axis=1) > 1, np.nan_to_num(effect), -1)))
        for a in np.nonzero(may[at])[0]:
            part = may.copy()
            part[at] = False
            part[at, a] = True
            boxes.append(part)
    return strings


def check_strings(c, network):
    """How many strings were answered, of how many symbols; and do runs in single precision say the same?"""
    most, real = longest(c), balls.UNIT
    network.slopes = slopes(network.heads)
    strings = sum(check_length(c, network, n) for n in range(1, most + 1))
    balls.UNIT = 2.0 ** -24 * (1 + 1e-6)
    try:
        same = all(check_length(c, network, n) >= 0 for n in range(1, most + 1))
    except Refused:
        same = False
    finally:
        balls.UNIT = real
    return int(strings), most, same
