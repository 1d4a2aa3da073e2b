"""Compiled recurrences (lrnn, pd_ssm, deltaproduct), step by step.

What is shown.  A recurrence that was worked out is in one of finitely many states, beside the
automaton's, and meets them again.  A part of a layer's state (a block, a number of pd_ssm, a row of a
matrix of DeltaProduct) that is within r of where it should be is, a symbol later, within rho r + C: rho
bounds what moves it, C is what weights, norms and rounding do, everywhere within the radii of all parts.
With radii from 0 on for as many symbols as the certificate says, or for ever, all answers are right.

All states and symbols are rows of one table, numbers are (at, off): a run has them within `off` of `at`.
A sum of one thing, a product with 1 or -1 and a logistic function that a float cannot tell from 0 or 1
do not round; nothing may get so large that a run could lose it.  In real numbers nothing does, but what is computed here; the same steps with a unit of
double and of single precision say what the model's own runs do.  (Exponentials, roots and the like are
taken to be right to 16 units.)
"""

import math
from collections import namedtuple

import numpy as np

from balls import EPSILON, WIDER, Refused

COMMON = {"dim": None, "layers": None}
OPTIONS = {
    "lrnn": {**COMMON, "block": None, "norm": "paper", "p": None},
    "pd_ssm": {**COMMON, "state": None, "dictionary": None, "one_hot": None},
    "deltaproduct": {**COMMON, "heads": None, "steps": None, "eigenvalues": None, "convolution": "no", "gate": "no",
                     "forget": "no", "decoder": "no"},
}
Arithmetic = namedtuple("Arithmetic", "name unit runs nothing most")
# `nothing`: below it a run's logistic function is 0.  `most`: what is less can be squared and added up in a run.
# Half of a unit is what is rounded here.
REALS = Arithmetic("real numbers", 2.0 ** -51, False, -np.inf, np.inf)
KINDS = (REALS, Arithmetic("runs in double precision", 2.0 ** -51, True, -750.0, 1e140),
               Arithmetic("runs in single precision", 2.0 ** -24 * (1 + 2.0 ** -20), True, -40.0, 1e15))
FUNCTION = 16  # units of a function
WHOLE = 40.0  # beyond it a run's logistic function is 1
SAME = (1e-3, 1e-4, 1e-5)  # states that are nearer are one: what they differ by adds up
MOST_STATES = 4096
UNDERFLOW = 1e-30


class Number:
    """Arrays: each number lies within `off` of `at`."""

    def __init__(self, at, off=None):
        self.at = np.asarray(at, dtype=float)
        self.off = np.zeros_like(self.at) if off is None else np.where(off > 0, off * WIDER, off)

    def __getitem__(self, where):
        return Number(self.at[where], self.off[where])

    def most(self):
        return abs(self.at) + self.off

    def is_zero(self):
        return (self.at == 0) & (self.off == 0)

    def is_sign(self):
        return (abs(self.at) == 1) & (self.off == 0)

    def shaped(self, *shape):
        return Number(self.at.reshape(shape), self.off.reshape(shape))


def gamma(unit, n):
    """What n roundings one behind another are worth, at most."""
    share = n * unit
    return np.where(share < 0.5, share / (1 - np.minimum(share, 0.5)), np.inf)


def lengths(x):
    """Of rows."""
    return np.sqrt((x * x).sum(axis=-1))


class Steps:
    known_options = OPTIONS

    def __init__(self, m):
        if m.kind not in self.known_options or m.signature.get("target") not in ("final", "every"):
            raise Refused(f"nothing is known here of steps of {m.kind}")
        o, self.m, self.kind = m.take(self.known_options[m.kind]), m, m.kind
        self.dim, self.layers = int(o["dim"]), int(o["layers"])
        if self.kind == "lrnn":
            self.part = int(o["block"])
            self.parts, self.power = self.dim // self.part, float(o["p"])
        elif self.kind == "pd_ssm":  # a number and its imaginary part
            self.columns, n = o.get("one_hot", "column") == "column", int(o["state"])
            self.parts, self.part = (1, 2 * n) if self.columns else (n, 2)
        else:
            self.heads, self.times = int(o["heads"]), int(o["steps"])
            self.rate = {"signed": 2.0, "positive": 1.0}[o["eigenvalues"]]
            self.parts, self.part = self.dim, self.dim // self.heads
        self.size, self.fits = self.parts * self.part, True

    def start(self):
        x = np.zeros((self.layers, self.size))
        for i in range(self.layers if self.kind == "lrnn" else 0):
            x[i] = self.m[f"layer{i}.start"]
        x[:, 0] = 1 if self.kind == "pd_ssm" else x[:, 0]
        return x

    # ---- numbers -----------------------------------------------------------------------------------

    def held(self, size):
        """Magnitudes, which a run has to be able to hold."""
        self.fits = self.fits and bool((size <= self.a.most).all())
        return size

    def linear(self, x, weight, bias=None):
        w, b = self.m[weight], self.m[bias] if bias else np.zeros(self.m[weight].shape[1])
        terms = (~x.is_zero()).astype(float) @ (w != 0) + (b != 0)
        products = (~x.is_zero() & ~x.is_sign()).astype(float) @ ((w != 0) & (abs(w) != 1)) > 0
        size = self.held(x.most() @ abs(w) + abs(b))
        return Number(x.at @ w + b, x.off @ abs(w) + self.rounding(terms, products, size))

    def rounding(self, terms, products, size):
        """What sums of so many things of a size round, some of which are products that do."""
        n = np.where(terms > 1, terms, 0) + products
        return np.where(n > 0, gamma(self.a.unit, n) * size + UNDERFLOW, 0.0)

    def add(self, x, y):
        rounded = np.where(x.is_zero() | y.is_zero(), 0.0, self.a.unit * self.held(x.most() + y.most()))
        return Number(x.at + y.at, x.off + y.off + rounded)

    def divided(self, x, share, epsilon):
        """Rows over the root of their squares, times share, plus epsilon: a root that moves by no more than
        what the rows are off by."""
        self.held(x.most())
        by = (lengths(x.off) * math.sqrt(share))[..., None]
        root = np.sqrt((x.at * x.at).sum(axis=-1, keepdims=True) * share + epsilon)
        z = x.at / root
        far = (x.off + abs(z) * by) / np.maximum(math.sqrt(epsilon), root - by)
        far = far + gamma(self.a.unit, x.at.shape[-1] + 16) * (abs(z) + far) + UNDERFLOW
        return Number(z, np.where(x.is_zero(), 0.0, far * WIDER))

    def norm(self, x, name):
        d, g, b = self.dim, self.m[name + ".gain"], self.m[name + ".offset"]
        mean, size = x.at.mean(axis=1, keepdims=True), x.most().mean(axis=1, keepdims=True)
        off = x.off + x.off.mean(axis=1, keepdims=True) + gamma(self.a.unit, d + 4) * (size + x.most())
        z = self.divided(Number(x.at - mean, off + UNDERFLOW), 1 / d, EPSILON)
        self.held(abs(g))
        rounded = gamma(self.a.unit, 4) * self.held(abs(g) * z.most() + abs(b))
        return Number(g * z.at + b, abs(g) * z.off + rounded + UNDERFLOW)

    def relu(self, x):
        rests = x.at + x.off <= 0
        return Number(np.where(rests, 0, np.maximum(0, x.at)), np.where(rests, 0, x.off))

    def gelu(self, x):
        """Its slope is at most 1.13; far from its bend it is ReLU but for next to nothing."""
        value = x.at * 0.5 * np.vectorize(math.erfc, otypes=[float])(-x.at / math.sqrt(2))
        off = 1.13 * x.off + FUNCTION * self.a.unit * x.most() + UNDERFLOW
        low, high = x.at + x.off < -12, x.at - x.off > 12
        return Number(np.where(low, 0, np.where(high, x.at, value)),
                      np.where(low, 1e-28, np.where(high, x.off + 1e-28, off)))

    def sigmoid(self, x):
        low, high = x.at - x.off, x.at + x.off
        ends = [np.where(e < 0, np.exp(-abs(e)), 1) / (1 + np.exp(-abs(e))) for e in (low, high)]
        at, off = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 + FUNCTION * self.a.unit / 2
        one, none = low > WHOLE, high < -WHOLE  # what is lacking to 1 is what the exponential is
        left = np.maximum(2 * np.exp(-np.where(one, low, np.where(none, -high, 0))), 1e-300)
        at, off = np.where(one, 1, np.where(none, 0, at)), np.where(one | none, left, off)
        same = x.is_zero() | (self.a.runs & (one | (high < self.a.nothing)))
        return Number(np.where(x.is_zero(), 0.5, at), np.where(same, 0, off))

    def silu(self, x):
        """Its slope is at most 1.1."""
        at = x.at * (np.where(x.at < 0, np.exp(-abs(x.at)), 1) / (1 + np.exp(-abs(x.at))))
        off = 1.1 * x.off + FUNCTION * self.a.unit * x.most() + UNDERFLOW
        whole = self.a.runs & (x.at - x.off > WHOLE)  # the factor of a run is 1, and rounds nothing
        return Number(np.where(whole, x.at, at), np.where(x.is_zero(), 0, np.where(whole, x.off, off)))

    def network(self, x, name, down, bend):
        up = bend(self.linear(x, f"{name}.up", f"{name}.up_bias"))
        return self.linear(up, f"{name}.{down}", f"{name}.{down}_bias")

    # ---- layers: `after`, rho of each part, and what is handed on -------------------------------------

    def known(self, after, rho, radius):
        """A state, with what is handed on of its radii."""
        return Number(after.at, after.off + np.repeat(rho * radius, self.part, axis=1))

    def moves(self, layer, x):
        """What an input multiplies and adds, block by block."""
        name, n, rows = f"layer{layer}", self.part, len(x.at)
        u = self.norm(x, name + ".norm")
        return (self.network(u, name + ".transition", "blocks", self.relu).shaped(rows, self.parts, n, n),
                self.network(u, name + ".value", "down", self.relu).shaped(rows, self.parts, n))

    def lrnn(self, layer, x, before, radius):
        n, rows = self.part, len(before)
        a, v = self.moves(layer, x)
        a = self.bounded(a)
        x = before.reshape(rows, self.parts, 1, n)
        far = abs(x) + radius[:, None, None]
        meets = ~a.is_zero() & (far > 0)
        plain = a.is_sign() | ((abs(x) == 1) & (radius[:, None, None] == 0))
        terms, products = meets.sum(axis=3) + ~v.is_zero(), (meets & ~plain).any(axis=3)
        size = self.held((a.most() * far).sum(axis=3) + v.most())
        after = Number((a.at * x).sum(axis=3) + v.at, (a.off * far).sum(axis=3) + v.off + self.rounding(terms, products, size))
        sums = abs(a.at).sum(axis=2)
        rho = np.where((a.at != 0).sum(axis=2) > 1, sums * WIDER, sums).max(axis=2)
        after = after.shaped(rows, self.size)
        return after, rho, self.known(after, rho, radius)

    def bounded(self, a):
        """Columns that are longer than 1 are divided by their length; one with a single number becomes 1 or -1."""
        alone = (~a.is_zero()).sum(axis=2, keepdims=True) == 1
        p, n, most = self.power, self.part, float(a.most().max())
        # Logarithms of what is large are themselves rounded; a run may take for 1 what is next to it.
        f = (FUNCTION + n + 4 * math.log(max(1, min(most, 1e300)))) * self.a.unit
        self.fits = self.fits and (not self.a.runs or p * math.log(max(1, most)) + math.log(n) < math.log(self.a.most) * 2)
        settled = alone & (abs(a.at) - a.off > (1 + f if self.a.runs else 1))
        a = Number(np.where(settled, np.sign(a.at), a.at), np.where(settled, 0, a.off))
        low = (np.maximum(0, abs(a.at) - a.off) ** p).sum(axis=2, keepdims=True) ** (1 / p) * (1 - f)
        high = (a.most() ** p).sum(axis=2, keepdims=True) ** (1 / p) * (1 + f)
        stays = np.where(alone, a.most().max(axis=2, keepdims=True) <= 1, high <= 1)
        low = np.maximum(1, low)
        by, apart = (low + high) / 2, (high - low) / 2
        z = a.at / by
        off = (a.off + abs(z) * apart) / low + f * a.most() / low
        return Number(np.where(stays, a.at, z), np.where(stays | a.is_zero(), a.off, off))

    def pd_ssm(self, layer, x, before, radius):
        name, n, rows = f"layer{layer}", self.size // 2, len(before)
        moved = self.maps(name, x, n)  # (rows, to, from)
        size = self.sigmoid(self.network(x, name + ".size", "down", self.gelu))
        phase = self.sigmoid(self.network(x, name + ".phase", "down", self.gelu))
        added = self.linear(x, name + ".input")
        re, im = added[:, :n], added[:, n:]
        z = before.reshape(rows, n, 2)
        spread = np.full(n, radius[0]) if self.columns else radius
        came = np.einsum("rij,rjc->ric", moved, z)
        own = np.ones((rows, n), bool) if self.columns else moved.diagonal(axis1=1, axis2=2) > 0
        loose = (moved * spread).max(axis=2)
        some = (abs(z).sum(axis=2) > 0) | ((spread > 0) & self.a.runs)
        terms = (moved * some[:, None, :]).sum(axis=2)
        still = (size.at == 1) & (phase.at == 0) & ~(self.a.runs & (size.off + phase.off > 0))
        far, angle = np.hypot(came[..., 0], came[..., 1]) + loose, 2 * math.pi * phase.at
        c, s = size.at * np.cos(angle), np.where(still, 0, size.at * np.sin(angle))
        more = re.most() + im.most()
        off = np.hypot(re.off, im.off)
        off = off + far * (size.off + 2 * math.pi * phase.off + np.where(still, 0, 2 * FUNCTION * self.a.unit))
        rounds = (far + more > 0) & (~still | (more > 0) | (terms > 1))
        off = off + np.where(rounds, gamma(self.a.unit, n + 8) * self.held(far + more) + UNDERFLOW, 0) + np.where(own, 0, loose)
        at = np.stack([c * came[..., 0] - s * came[..., 1] + re.at, c * came[..., 1] + s * came[..., 0] + im.at], axis=2)
        after = Number(at, np.stack([off, off], axis=2)).shaped(rows, self.size)
        rho = np.ones((rows, 1)) if self.columns else np.where(own, np.minimum(1, size.at + size.off), 0)
        seen = self.known(after, rho, radius)
        seen = Number(np.hstack([seen.at[:, ::2], seen.at[:, 1::2]]), np.hstack([seen.off[:, ::2], seen.off[:, 1::2]]))
        y, skip = self.linear(seen, name + ".output", name + ".output_bias"), self.m[name + ".skip"]
        rounded = np.where(np.isin(abs(skip), (0, 1)), 0, self.a.unit * self.held(abs(skip) * x.most()) + UNDERFLOW)
        kept = Number(x.at * skip, x.off * abs(skip) + rounded)
        return after, rho, self.norm(self.add(y, kept), name + ".norm")

    def maps(self, name, x, n):
        """Where a map sends what: the greatest number of each column, or row, if it is so for sure."""
        logit = self.linear(x, name + ".select")
        gap = logit.at[:, None, :] - logit.at[:, :, None]
        by = logit.off[:, None, :] + logit.off[:, :, None]
        off_diagonal = ~np.eye(logit.at.shape[1], dtype=bool)
        low, high = (1 / (1 + (np.exp(np.minimum(gap + s * by, 700)) * off_diagonal).sum(axis=2)) for s in (1, -1))
        rounded = gamma(self.a.unit, logit.at.shape[1] + 24 + 8 * logit.most().max()) * high + UNDERFLOW
        share = Number((low + high) / 2, (high - low) / 2 + rounded)
        dictionary = self.m[name + ".dictionary"]
        entry = share.at @ dictionary, share.off @ abs(dictionary)
        off = entry[1] + gamma(self.a.unit, len(dictionary) + 1) * (share.most() @ abs(dictionary))
        at, off = (e.reshape(-1, n, n) for e in (entry[0], off * WIDER))
        if not self.columns:
            at, off = at.transpose(0, 2, 1), off.transpose(0, 2, 1)
        best = at.argmax(axis=1)[:, None, :]
        least = np.take_along_axis(at - off, best, 1)
        others = np.where(np.arange(n)[:, None] == best, -np.inf, at + off)
        self.sure &= (least > others).all(axis=(1, 2))
        chosen = (np.arange(n)[:, None] == best).astype(float)
        return chosen if self.columns else chosen.transpose(0, 2, 1)

    def deltaproduct(self, layer, x, before, radius):
        name, n, rows, d = f"layer{layer}", self.part, len(before), self.dim
        u = self.norm(x, name + ".norm")
        query = self.divided(self.silu(self.linear(u, name + ".query")).shaped(rows, self.heads, n), 1, 1e-6)
        keys = self.divided(self.silu(self.linear(u, name + ".key")).shaped(rows, self.times, self.heads, n), 1, 1e-6)
        values = self.silu(self.linear(u, name + ".value")).shaped(rows, self.times, d)
        share = self.sigmoid(self.linear(u, name + ".rate"))
        rates = Number(share.at * self.rate, share.off * self.rate).shaped(rows, self.times, self.heads)
        at, off, rho = before.reshape(rows, d, n), np.zeros((rows, d)), np.ones((rows, d))
        for t in range(self.times):
            at, off, rho = self.correct(keys[:, t], values[:, t], rates[:, t], at, off, rho, radius)
        after = Number(at, np.repeat(off / math.sqrt(n), n, axis=1).reshape(rows, d, n))
        read = self.read(name, query, after, off + rho * radius)
        return after.shaped(rows, self.size), rho, self.linear(read, name + ".output")

    def correct(self, key, value, rate, at, off, rho, radius):
        """x <- x - rate (key x - value) key, of every row x of a matrix: `at`, of which a run's is off by
        `off` and what is handed on of the radius."""
        n, each = self.part, self.dim // self.heads
        k, by = (np.repeat(a, each, axis=1) for a in (key.at, lengths(key.off)))
        length = lengths(k)
        b, loose = (np.repeat(a, each, axis=1) for a in (rate.at, rate.off))
        far, whole = lengths(at) * WIDER + rho * radius + off, length + by
        idle = (whole == 0) | ((far == 0) & value.is_zero())
        move = b * (2 * by * length + by * by) + loose * whole * whole
        write = loose * value.most() * whole + b * (value.off * whole + abs(value.at) * by)
        size = far + (b + loose) * whole * (whole * far + value.most())
        more = move * far + write + gamma(self.a.unit, n + 8) * self.held(size) + UNDERFLOW
        norm = np.maximum(1, abs(1 - b * length * length) * (1 + 1e-15))
        sum_ = (k * at).sum(axis=2) - value.at
        moved = at - (b * sum_)[..., None] * k
        return (np.where(idle[..., None], at, moved), np.where(idle, off, (norm * off + more) * WIDER),
                np.where(idle, rho, np.where(norm > 1, rho * norm * WIDER, rho)))

    def read(self, name, query, x, far):
        """What heads read of their matrices, as an RMS norm leaves it.  Queries are divided by a root."""
        n, each, rows = self.part, self.dim // self.heads, len(far)
        q = Number(query.at / math.sqrt(n), query.off / math.sqrt(n) + 4 * self.a.unit * abs(query.at))
        q = Number(np.repeat(q.at, each, axis=1), np.repeat(q.off, each, axis=1))
        most = lengths(q.most())
        size = (q.most() * abs(x.at)).sum(axis=2) + most * far
        off = (q.off * abs(x.at)).sum(axis=2) + most * far + gamma(self.a.unit, n + 4) * self.held(size) + UNDERFLOW
        y = Number((q.at * x.at).sum(axis=2), off).shaped(rows, self.heads, each)
        y = self.divided(y, 1 / n, EPSILON).shaped(rows, self.dim)
        gain = np.tile(self.m[name + ".read.gain"], self.heads)
        self.held(abs(gain))
        return Number(y.at * gain, y.off * abs(gain) + self.a.unit * self.held(abs(gain) * y.most()) + UNDERFLOW)

    # ---- a step ------------------------------------------------------------------------------------------

    def step(self, before, symbol, radius, arithmetic):
        """Of rows of states, (rows, layers, size), and symbols: states after, (rows, layers, size); rho (rows,
        layers, parts); logits; is no choice unsure?"""
        self.a, self.sure, self.fits = arithmetic, np.ones(len(symbol), bool), True
        x, states, rhos = Number(self.m["embedding"][symbol]), [], []
        for i in range(self.layers):
            after, rho, y = getattr(self, self.kind)(i, x, before[:, i], radius[i])
            states.append(after)
            rhos.append(rho)
            x = self.add(x, y) if self.kind != "pd_ssm" and i < self.layers - 1 else y
        u = None if self.kind == "pd_ssm" else self.norm(x, "final_norm")
        x = x if u is None else self.relu(self.linear(u, "head", "head_bias"))
        after = Number(np.stack([s.at for s in states], axis=1), np.stack([s.off for s in states], axis=1))
        self.held(after.most())
        return after, np.stack(rhos, axis=1), self.answers(u, x), self.sure & self.fits

    def answers(self, u, x):
        """Logits of units x.  Where all read one number of u, they are a line between the places where units
        bend, whose range is that of these and of the ends; what each unit rounds counts apart."""
        z = self.linear(x, "answer", "answer_bias")
        if u is None:
            return z
        head, bias = self.m["head"], self.m["head_bias"].ravel()
        one = np.flatnonzero(head.any(axis=1) & ~u.is_zero().all(axis=0))
        if len(one) != 1:
            return z
        t, a, w = u[:, one], head[one[0]], self.m["answer"]
        with np.errstate(divide="ignore", invalid="ignore"):
            bends = np.where(a != 0, -bias / a, np.inf)
        low, high = t.at - t.off, t.at + t.off
        places = np.concatenate([low, high, np.clip(np.broadcast_to(bends, (len(t.at), len(a))), low, high)], axis=1)
        values = np.maximum(0, places[:, :, None] * a + bias) @ w + self.m["answer_bias"].ravel()
        lost = self.rounding((a != 0) + (bias != 0), a != 0, abs(a) * t.most() + abs(bias))
        most = np.maximum(0, np.maximum(a * low, a * high) + bias)
        lost = np.where(most + lost > 0, lost, 0)
        size = (most + lost) @ abs(w) + abs(self.m["answer_bias"].ravel())
        off = (values.max(axis=1) - values.min(axis=1)) / 2 + lost @ abs(w) + size * 1e-12
        off = off + gamma(self.a.unit, len(a) + 2) * size + UNDERFLOW
        near = off < z.off
        return Number(np.where(near, (values.max(axis=1) + values.min(axis=1)) / 2, z.at), np.where(near, off, z.off))

    def sizes(self, x):
        """The length in which radii are, of each part of rows."""
        x = x.reshape(len(x), self.layers, self.parts, self.part)
        if self.kind == "pd_ssm":  # of complex numbers, which turn
            x = lengths(x.reshape(*x.shape[:3], -1, 2))
        return (lengths(x) if self.kind == "deltaproduct" else abs(x).sum(axis=3)) * WIDER


class Walk:
    """The states that are met, beside those of automaton and domain; rows are states with symbols."""

    def __init__(self, c, network, same=SAME[0]):
        self.c, self.network, self.k, self.same = c, network, len(c.symbols), same
        self.states, self.beside, self.next = [network.start()], [(c.start, c.first)], []
        self.found = {}  # beside what: numbers, and as many rows of states, with room for more
        self.keep(self.states[0], self.beside[0])
        done = 0
        while done < len(self.states):
            done = self.follow(done)
        self.before = np.repeat(np.array(self.states), self.k, axis=0)
        self.symbol = np.tile(np.arange(self.k), len(self.states))
        self.due = np.array(self.states)[self.next]
        self.right = np.array([self.asked(*self.beside[to]) for to in self.next])

    def asked(self, q, p):
        return self.c.answer[q] if not self.c.inside or self.c.inside[p] else -1

    def follow(self, done):
        """What all symbols make of the states from `done` on."""
        here = len(self.states)
        before = np.repeat(np.array(self.states[done:]), self.k, axis=0)
        symbol = np.tile(np.arange(self.k), here - done)
        radius = np.zeros((self.network.layers, self.network.parts))
        after = self.network.step(before, symbol, radius, REALS)[0].at
        for row, state in enumerate(after):
            q, p = self.beside[done + row // self.k]
            a = row % self.k
            self.next.append(self.number(state, (self.c.next[q][a], self.c.next[p][a] if self.c.inside else None)))
        return here

    def keep(self, state, beside):
        numbers, rows = self.found.get(beside, ([], np.empty((8, *state.shape))))
        if len(numbers) == len(rows):
            rows = np.concatenate([rows, np.empty_like(rows)])
        rows[len(numbers)] = state
        self.found[beside] = numbers, rows
        numbers.append(len(self.states) - 1)

    def number(self, state, beside):
        if beside in self.found:
            numbers, rows = self.found[beside]
            near = abs(rows[:len(numbers)] - state) <= self.same * np.maximum(1, abs(state))
            near = near.all(axis=tuple(range(1, near.ndim)))
            if near.any():
                return numbers[near.argmax()]
        if len(self.states) >= MOST_STATES or not np.isfinite(state).all():
            raise Refused("the model is in too many states beside the automaton")
        self.states.append(state)
        self.beside.append(beside)
        self.keep(state, beside)
        return len(self.states) - 1

    def right_for_sure(self, logit):
        """Is each answer that is asked for the greatest, whatever a logit is off by?"""
        off = logit.off + self.c.slack + 1e-9
        row, asks = np.arange(len(self.right)), self.right >= 0
        least = logit.at[row, self.right] - off[row, self.right]
        others = logit.at + off
        others[row, self.right] = -np.inf
        return bool((least > others.max(axis=1))[asks].all())

    def made(self, radius, arithmetic):
        """rho and C of all parts, the greatest of any step from within the radii; None: it may go wrong."""
        after, rho, logit, sure = self.network.step(self.before, self.symbol, radius, arithmetic)
        if not (sure.all() and self.right_for_sure(logit)):
            return None
        grows = self.network.sizes(after.at - self.due) + self.network.sizes(after.off) + self.c.slack
        return rho.max(axis=0), grows.max(axis=0)

    def stays(self, symbols, arithmetic):
        """Are there radii within which all parts stay for so many symbols?"""
        radius = np.zeros((self.network.layers, self.network.parts))
        for _ in range(8 + 4 * self.network.layers):
            found = self.made(radius, arithmetic)
            if found is None:
                return False
            rho, grows = found
            if not (np.isfinite(rho).all() and np.isfinite(grows).all()):
                return False
            more = grows + (rho - 1) * radius
            with np.errstate(divide="ignore", invalid="ignore"):
                need = np.where(rho < 1, grows / (1 - rho), np.where(more > 0, symbols * more, 0)) * (1 + 1e-9)
            if not np.isfinite(need).all():
                return False
            if (need <= radius).all():
                return True
            radius = np.where(need > radius, need * (1 + 1e-2), radius)
        return False


def check_steps(c, network):
    """States, steps, and of which arithmetic it holds up to the certificate's length."""
    if not is_written(network.m):
        raise Refused("symbols are no one-hots, as those of a model that was compiled are")
    for same in SAME:
        walk = Walk(c, network, same)
        said = [a.name for a in KINDS if walk.stays(c.length, a)]
        if REALS.name in said or len(said) == 2:
            break
    else:
        raise Refused(f"errors add up before {c.length:g} symbols, or an answer is wrong")
    return len(walk.states), len(walk.next), said


def is_written(m):
    rows = m["embedding"]
    return bool((np.isin(rows, (0, 1)) & (rows.sum(axis=1, keepdims=True) == 1)).all())
