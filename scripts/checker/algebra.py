"""A compiled RegularGPT, by the algebra of its language.

What a part of a string does to the automaton's states is an element of a finite monoid.  Each element has
a ball: around the pad for the identity, around an embedded symbol for its own, else around what the model
makes of a shortest word's last symbol and what is before it; all have the certificate's radius.  Children
from the balls of any elements must be combined to a vector in the ball of their product, and everywhere in a
ball the answer must be right.  Then, by induction over the tree, strings of every length are answered right.

Queries are 0, so that attention weighs children by numbers.  A row of vectors is known to within a distance
(`off`): a layer norm spreads it by one over its root at most, the feed-forward layer by the norm of the
matrix that it is where no unit bends; a unit that may bend counts with all that it may change.
"""

import itertools
import math

import numpy as np
from mpmath import iv

import balls
from balls import EPSILON, WIDER, Ball, Refused, from_interval, norm, root, squares

OPTIONS = {"size": None, "dim": None, "heads": None, "mlp_ratio": None, "levels": None, "form": None, "init": None,
           "arity": None, "fan_in": None, "activation": None, "missing": "pad", "layers_per_level": "1", "norm": "post",
           "head": "own", "codebook": "0", "edge_codebook": "0"}
NAMES = {"query", "key_value", "output", "relative", "gain", "offset", "up", "up_bias", "down", "down_bias", "from", "to"}
MOST_ELEMENTS = 10000
GELU_BEND, GELU_LEFT, STEEPEST = 8, 5e-15, 1.13  # beyond 8 GELU is ReLU but for 4.98e-15


def lengths(x):
    return np.sqrt((x * x).sum(axis=1)) * WIDER


class Algebra:
    def __init__(self, m):
        o, self.m = m.take(OPTIONS), m
        layer = {k[len("layer0."):]: v for k, v in m.weight.items() if k.startswith("layer0.")}
        if m.kind != "regulargpt" or any(name.split(".")[-1] not in NAMES for name in layer):
            raise Refused(f"nothing is known here of such a {m.kind} with an algebra")
        if layer["attention.query"].any():
            raise Refused("the model attends by content: its queries are not zero")
        if max(abs(w).max() for w in m.weight.values()) > 1e9:
            raise Refused("a weight is larger than a billion")
        self.d, self.arity, heads = m["embedding"].shape[1], int(o.get("arity", "2")), int(o["heads"])
        self.gelu = o.get("activation", "auto") == "gelu"
        self.bend = GELU_BEND if self.gelu else 0.0
        self.centred = Ball(np.eye(self.d)) - Ball(np.ones((self.d, self.d))) * from_interval(1 / iv.mpf(self.d))
        self.leaf = Ball(m["embedding"]) * from_interval(iv.sqrt(iv.mpf(self.d)))
        self.layer, self.child = layer, self.children(layer, heads)
        self.spread = [norm(a) for a in self.child]
        self.units(layer, int(o.get("fan_in", "0")))

    def children(self, layer, heads):
        """What a child is multiplied by: the latest first, with the residual."""
        width, values = self.d // heads, layer["attention.key_value"][:, self.d:]
        relative = layer["attention.relative"].reshape(heads, self.arity)
        found = []
        for k in range(self.arity):
            a = Ball(np.eye(self.d) * (k == 0))
            for h in range(heads):
                c = slice(h * width, (h + 1) * width)
                weight = from_interval(1 / sum(iv.exp(iv.mpf(float(r)) - iv.mpf(float(relative[h, k]))) for r in relative[h]))
                a = a + Ball(values[:, c]) @ layer["attention.output"][c] * weight
            found.append(a)
        return found

    def units(self, layer, fan):
        """The feed-forward layer as two matrices, also where units say what they read and write."""
        self.up, self.down = layer["feed_forward.up"], layer["feed_forward.down"]
        self.up_bias, self.down_bias = layer["feed_forward.up_bias"], layer["feed_forward.down_bias"]
        if fan > 0:
            hidden = len(self.up_bias)
            at = [np.clip(np.floor(layer["feed_forward." + n] + 0.5), 0, self.d - 1).astype(int).reshape(hidden, -1)
                  for n in ("from", "to")]
            up, down = np.zeros((self.d, hidden)), np.zeros((hidden, self.d))
            for h, reads in enumerate(self.up.reshape(hidden, fan)):
                if len(set(at[0][h][reads != 0])) < np.count_nonzero(reads):
                    raise Refused("a unit reads a coordinate twice")
                up[at[0][h][reads != 0], h] = reads[reads != 0]
                down[h, at[1][h, 0]] = self.down.reshape(-1)[h]
            self.up, self.down = up, down
        self.slope, self.writes = root(squares(Ball(self.up))), root(squares(Ball(self.down.T)))

    def normalise(self, x, off, name):
        """Layer norm of rows that are known to within `off`."""
        gain, offset = (self.layer[f"{name}.{n}"] for n in ("gain", "offset"))
        c = Ball(x) @ self.centred
        off, c, d = (off + lengths(c.rad)) * WIDER, c.mid, self.d
        square = (c * c).sum(axis=1) / d
        least = np.sqrt(np.maximum(0, np.sqrt(square) - off / math.sqrt(d) * WIDER) ** 2 + EPSILON) / WIDER
        z = c / np.sqrt(square + EPSILON)[:, None]
        rounded = (d + 16) * 4 * balls.UNIT * (lengths(abs(gain) * z) + lengths(offset[None]))
        return gain * z + offset, (off * abs(gain).max() / least + rounded) * WIDER

    def feed(self, x, off):
        into = Ball(x) @ self.up + self.up_bias
        reach = (self.slope * off[:, None] + into.rad) * WIDER
        active, rests = into.mid - reach > self.bend, into.mid + reach < -self.bend
        bent = ~active & ~rests & ((reach > 0) | (into.mid != 0))
        value = np.maximum(0, into.mid)
        if self.gelu:
            value[bent] = into.mid[bent] * 0.5 * np.vectorize(math.erfc, otypes=[float])(-into.mid[bent] / math.sqrt(2))
        value[rests] = 0
        loose = np.where(bent, STEEPEST * reach + 1e-13 * abs(into.mid), 0) + (GELU_LEFT if self.gelu else 0)
        y = Ball(x) + Ball(value, np.where(active, into.rad, 0)) @ self.down + self.down_bias
        far = off * self.turned(active) + loose @ self.writes * WIDER + lengths(y.rad)
        return y.mid, far * WIDER

    def turned(self, active):
        """The norms of the matrices that the layer is, with the residual: where these units are at work."""
        patterns, which = np.unique(active, axis=0, return_inverse=True)
        found = np.empty(len(patterns))
        for i, p in enumerate(patterns):
            a = Ball(np.eye(self.d)) + Ball(self.up[:, p]) @ self.down[p]
            found[i] = np.sqrt((a.most() ** 2).sum()) * WIDER
        return found[which.reshape(-1)]

    def combine(self, rows, radius):
        """What becomes of children, the latest first, each an array of rows, known to within a radius."""
        u = Ball(rows[0]) @ self.child[0]
        for x, a in zip(rows[1:], self.child[1:]):
            u = u + Ball(x) @ a
        off = sum(s * radius for s in self.spread) * WIDER + lengths(u.rad)
        x, off = self.normalise(u.mid, off, "norm1")
        return self.normalise(*self.feed(x, off), "norm2")


class Monoid:
    """What words do to the automaton's states, by shortest words: from what is before the last symbol."""

    def __init__(self, c):
        n = len(c.answer)
        self.moves = [tuple(c.next[q][a] for q in range(n)) for a in range(len(c.symbols))]
        self.element, self.made = [tuple(range(n))], [None]
        self.number = {self.element[0]: 0}
        for x in self.element:  # grows as it is gone through
            for a, move in enumerate(self.moves):
                to = tuple(move[q] for q in x)
                if to not in self.number:
                    self.number[to] = len(self.element)
                    self.element.append(to)
                    self.made.append((self.number[x], a))
                    if len(self.element) > MOST_ELEMENTS:
                        raise Refused("the monoid has too many elements")

    def product(self, x, y):
        return self.number[tuple(self.element[y][q] for q in self.element[x])]


def centres_of(monoid, a):
    """The middles of all balls."""
    x = np.zeros((len(monoid.element), a.d))
    x[0] = a.m["pad"]
    for i, made in enumerate(monoid.made[1:], 1):
        before, symbol = made
        if before == 0:
            x[i] = a.leaf.mid[symbol]
        else:
            children = [monoid.number[monoid.moves[symbol]], before] + [0] * (a.arity - 2)
            x[i] = a.combine([x[k:k + 1] for k in children], 0.0)[0][0]
    return x


def check_algebra(c, a):
    """How many products were looked at, and what share of its radius the farthest takes."""
    if not 0 < c.ball < np.inf:
        raise Refused("its radius is not positive")
    monoid = Monoid(c)
    centre, n = centres_of(monoid, a), len(monoid.element)
    far = [Ball(a.leaf[s].mid - centre[monoid.number[move]], a.leaf[s].rad + 4 * balls.UNIT * abs(a.leaf[s].mid))
           for s, move in enumerate(monoid.moves)]
    worst = float(np.max([root(squares(f[:, None])[0]) for f in far]))
    for first in itertools.product(range(n), repeat=a.arity - 1):  # the earlier ones; the latest is any
        both = 0
        for x in first:
            both = monoid.product(both, x)
        rows = [centre] + [np.repeat(centre[x][None], n, axis=0) for x in reversed(first)]
        at, off = a.combine(rows, c.ball)
        due = centre[[monoid.product(both, y) for y in range(n)]]
        away = Ball(at) - due
        worst = float(np.max([worst, (lengths(away.most()) + off).max() * WIDER]))  # no number if there is none
        if not worst + c.slack <= c.ball:
            raise Refused(f"vectors get {worst:.3g} away from a centre, with a radius of {c.ball:g} and a slack of {c.slack:g}")
    check_answers(c, a, monoid, centre)
    return n ** a.arity, (worst + c.slack) / c.ball


def check_answers(c, a, monoid, centre):
    head, bias = a.m["head"], a.m["head_bias"]
    k, bits = len(c.classes), c.bits
    if (a.m.signature.get("target") == "bits") != (bits is not None):
        raise Refused("answers are sets of classes in one of model and certificate alone")

    def lead(x, way, offset):
        """Of a logit, or of one over another, everywhere in a ball."""
        at = Ball(x) @ way + offset
        return float(at.below()) - float(root(squares(way[:, None])[0])) * c.ball * WIDER

    for x, element in zip(centre, monoid.element):
        q = element[c.start]
        if bits is not None:
            least = min(lead(x, Ball(head[:, i]) * s, Ball(bias[i]) * s)
                        for i in range(k) for s in [1.0 if bits[q * k + i] else -1.0])
        else:
            right = c.answer[q]
            least = min((lead(x, Ball(head[:, right]) - head[:, i], Ball(bias[right]) - bias[i])
                         for i in range(k) if right >= 0 and i != right), default=np.inf)
        if not least > 2 * c.slack * WIDER:
            raise Refused("in a ball an answer is not what it should be")
