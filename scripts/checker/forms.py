"""What a decoder answers to many strings at once: numbers that depend on the symbols of a string.

The strings are of one length, and each position holds any of some symbols.  A number is what it has of
itself, plus what the symbol at each position adds, plus generators times numbers in [-1, 1], within a
radius.  There is a row for each symbol that a position can hold, and what a row makes of its own symbol
is exact.  A head's mixture is a quotient of two sums over positions of what stands there; of products,
exponentials, roots, quotients and bends, which are taken for lines, the rest are generators: of the row
until its layer ends, then one a coordinate, whatever the row's symbol.
"""

import math

import numpy as np

import balls
from balls import EPSILON, Refused

UNDERFLOW = 1e-30


def gamma(n):
    """Of a run's n roundings, and as many here."""
    u = (balls.UNIT + 3 * 2.0 ** -53) * n
    return u / (1 - u) if u < 0.5 else np.inf


class Form:
    """mid (r, c), sym (r, n, k, c), gen (r, g, c), own (r, l, c), off (r, c); may (n, k)."""

    def __init__(self, mid, sym, gen, own, off, may):
        self.mid, self.sym, self.gen, self.own, self.off, self.may = mid, sym, gen, own, off, may

    def linear(self, w, bias=None):
        off = (self.off + gamma(len(w) + 2) * self.most()) @ abs(w) + UNDERFLOW
        mid = self.mid @ w
        if bias is not None:
            mid, off = mid + bias, off + gamma(len(w) + 2) * abs(bias)
        return Form(mid, self.sym @ w, self.gen @ w, self.own @ w, off, self.may)

    def times(self, a):
        """Each number by one of its own."""
        return Form(self.mid * a, self.sym * a[:, None, None], self.gen * a[:, None], self.own * a[:, None],
                    self.off * abs(a), self.may)

    def plus(self, other):
        more = max(self.own.shape[1], other.own.shape[1])
        mine, theirs = (np.pad(x.own, ((0, 0), (0, more - x.own.shape[1]), (0, 0))) for x in (self, other))
        y = Form(self.mid + other.mid, self.sym + other.sym, self.gen + other.gen, mine + theirs,
                 self.off + other.off, self.may)
        y.off = y.off + gamma(1) * y.most()
        return y

    def missing(self, error):
        """With a generator for each number."""
        r, c = error.shape
        new = np.zeros((r, c, c))
        new[:, np.arange(c), np.arange(c)] = error
        return Form(self.mid, self.sym, self.gen, np.concatenate([self.own, new], axis=1), self.off, self.may)

    def after(self, other):
        """With no part in the generators of another, beside which it gets its own."""
        none = np.zeros(self.own.shape[:1] + other.own.shape[1:2] + self.own.shape[2:])
        return Form(self.mid, self.sym, self.gen, np.concatenate([none, self.own], axis=1), self.off, self.may)

    def take(self, rows=slice(None), columns=slice(None)):
        return Form(self.mid[rows][..., columns], self.sym[rows][..., columns], self.gen[rows][..., columns],
                    self.own[rows][..., columns], self.off[rows][..., columns], self.may)

    def centred(self):
        low, high = self.symbols()
        middle = (low + high) / 2
        sym = np.where(self.may[None, :, :, None], self.sym - middle[:, :, None], 0)
        return Form(self.mid + middle.sum(axis=1), sym, self.gen, self.own, self.off, self.may)

    def symbols(self):
        may = self.may[None, :, :, None]
        return np.where(may, self.sym, np.inf).min(axis=2), np.where(may, self.sym, -np.inf).max(axis=2)

    def range(self):
        low, high = self.symbols()
        rest = abs(self.gen).sum(axis=1) + abs(self.own).sum(axis=1) + self.off
        return self.mid + low.sum(axis=1) - rest, self.mid + high.sum(axis=1) + rest

    def reach(self):
        low, high = self.range()
        return np.maximum(high - self.mid, self.mid - low)

    def most(self):
        """The sum of all magnitudes: large numbers that come to little together round as large ones do."""
        symbols = np.where(self.may[None, :, :, None], abs(self.sym), 0).max(axis=2).sum(axis=1)
        return abs(self.mid) + symbols + abs(self.gen).sum(axis=1) + abs(self.own).sum(axis=1) + self.off


def line(low, high, at_low, at_high, slope, at, value):
    """offset and error of a line of some slope beside a curve that bends one way: it is farthest off at the
    ends of its range, and where it has that slope itself."""
    offs = np.array([at_low - slope * low, at_high - slope * high, value - slope * at])
    size = abs(at_low) + abs(at_high) + abs(slope) * (abs(low) + abs(high))
    return (offs.max(axis=0) + offs.min(axis=0)) / 2, (offs.max(axis=0) - offs.min(axis=0)) / 2 + 2.0 ** -44 * size


def chord(low, high, at_low, at_high, slope_low):
    wide = high - low
    return np.where(wide > 1e-9 * abs(high), (at_high - at_low) / np.where(wide > 0, wide, 1), slope_low)


def within(y, low, high):
    """No more is known of a form than that it lies in a range, where that is less."""
    a, b = y.range()
    worse = ~(b - a < high - low)
    keep = ~worse
    y = Form(np.where(worse, (low + high) / 2, y.mid), np.where(keep[:, None, None], y.sym, 0),
             np.where(keep[:, None], y.gen, 0), np.where(keep[:, None], y.own, 0), np.where(keep, y.off, 0), y.may)
    return y.missing(np.where(worse, (high - low) / 2, 0))


def norm(x, gain, offset):
    d = x.mid.shape[1]
    mean = x.off.mean(axis=1, keepdims=True) + gamma(d + 4) * (x.most().mean(axis=1, keepdims=True) + x.most())
    y = x.linear(np.eye(d) - 1 / d).centred()
    y.off = x.off + mean
    w, by = y.reach(), 2 * y.mid / d
    total = lambda a, b: (a * b).sum(axis=-1, keepdims=True)
    v = Form(((y.mid ** 2 + w ** 2 / 2) / d).sum(axis=1, keepdims=True), total(y.sym, by[:, None, None]),
             total(y.gen, by[:, None]), total(y.own, by[:, None]),
             ((w ** 2 / 2) / d + abs(by) * y.off).sum(axis=1, keepdims=True), x.may)
    low, high = v.range()
    size = lambda a: (a ** 2).mean(axis=1, keepdims=True)
    least = np.maximum(size(np.maximum(0, abs(y.mid) - w)), np.maximum(0, np.sqrt(size(y.mid)) - np.sqrt(size(w))) ** 2)
    low = np.maximum(low, least) + EPSILON
    high = np.maximum(low, np.minimum(high, size(abs(y.mid) + w)) + EPSILON)
    slope = chord(low, high, low ** -0.5, high ** -0.5, -0.5 * low ** -1.5)
    at = (-2 * slope) ** (-2 / 3)
    offset_of, error = line(low, high, low ** -0.5, high ** -0.5, slope, at, at ** -0.5)
    r = v.times(slope)
    r.mid = r.mid + offset_of + slope * EPSILON
    error, r.off = error + r.off, error + r.off
    a, b = r.range()
    reach = np.maximum(np.minimum(b, low ** -0.5) - r.mid, r.mid - np.maximum(a, high ** -0.5))
    at = y.mid
    z = Form(at * r.mid, y.sym * r.mid[:, None, None] + at[:, None, None] * r.sym,
             y.gen * r.mid[:, None] + at[:, None] * r.gen,
             np.concatenate([y.own * r.mid[:, None] + at[:, None] * r.own, (at * error)[:, None]], axis=1),
             y.off * r.mid, x.may).missing(w * reach)
    z.off = z.off + gamma(d + 16) * z.most()
    far = math.sqrt(d) * (1 + 1e-9)  # not of d - 1: a run rounds the mean, and what is left need not add up to 0
    z = within(z, np.full(at.shape, -far), np.full(at.shape, far)).times(np.tile(gain.reshape(1, -1), (len(at), 1)))
    z.mid = z.mid + offset.reshape(1, -1)
    z.off = z.off + gamma(d + 16) * (far * abs(gain.reshape(1, -1)) + abs(offset.reshape(1, -1))) + UNDERFLOW
    return z


def bend(u, gelu):
    low, high = u.range()
    between = (low < 0) & (high > 0)
    slope = np.where(between, high / np.where(between, high - low, 1), low >= 0)
    offset = np.where(between, -slope * low / 2, 0)
    error, rounded = offset, gamma(1) * u.most()
    if gelu:  # less than a ReLU by 0.17 at most; or beside its tangent, bent by -0.1081 to 0.7979
        offset, error, half = offset - 0.085, error + 0.085, u.reach() ** 2 / 2
        below = 0.5 * np.vectorize(math.erfc)(-u.mid / math.sqrt(2))
        tangent = below + u.mid * np.exp(-u.mid ** 2 / 2) / math.sqrt(2 * math.pi)
        better = (0.7979 + 0.1081) / 2 * half < error
        slope = np.where(better, tangent, slope)
        offset = np.where(better, u.mid * below - tangent * u.mid + (0.7979 - 0.1081) / 2 * half, offset)
        error, rounded = np.where(better, (0.7979 + 0.1081) / 2 * half, error), rounded * 32
    y = u.times(slope)
    y.mid, y.off = y.mid + offset, y.off + rounded
    return y.missing(error)


def settled(x, place, symbol):
    """Where the symbol at a place is known."""
    sym = x.sym.copy()
    sym[:, place] = 0
    may = x.may.copy()
    may[place] = False
    may[place, symbol] = True
    return Form(x.mid + x.sym[:, place, symbol], sym, x.gen, x.own, x.off, may)


class Reader:
    """Reads boxes of strings of n symbols, as a network of strings.py reads strings."""

    def __init__(self, network, may, slack):
        self.f, self.may, self.slack, (self.n, self.k) = network, may, slack, may.shape
        self.rows = [(i, a) for i in range(self.n) for a in range(self.k) if may[i, a]]
        self.place, self.symbol = (np.array(c) for c in zip(*self.rows))

    def read(self):
        """What is read off the last place's rows."""
        f, n, last = self.f, self.n, np.nonzero(self.place == self.n - 1)[0]
        x = f.m["embedding"][np.tile(np.arange(self.k), n)] * f.scale.mid
        x = balls.Ball(x, 3 * balls.UNIT * abs(x))
        every = [f.place(balls.Ball(x.mid[a::self.k], x.rad[a::self.k]), n) for a in range(self.k)]
        mid = np.array([every[a].mid[i] for i, a in self.rows])
        off = np.array([every[a].rad[i] for i, a in self.rows]) + gamma(1) * abs(mid) + self.slack
        r, d = mid.shape
        x = Form(mid, np.zeros((r, n, self.k, d)), np.zeros((r, 0, d)), np.zeros((r, 0, d)), off, self.may)
        for layer in range(f.layers):
            if layer == f.layers - 1:
                return self.layer(x, layer, last)
            x = self.condensed(self.layer(x, layer, np.arange(r)))

    def condensed(self, x):
        r, _, d = x.own.shape
        new = np.zeros((r, self.n * d, d))
        for row, i in enumerate(self.place):
            new[row, i * d + np.arange(d), np.arange(d)] = abs(x.own[row]).sum(axis=0)
        return Form(x.mid, x.sym, np.concatenate([x.gen, new], axis=1), np.zeros((r, 0, d)), x.off, x.may)

    def norm(self, x, name):
        return norm(x, self.f.m[name + ".gain"], self.f.m[name + ".offset"])

    def linear(self, x, name, bias):
        return x.linear(self.f.m[name], self.f.m.weight[bias].reshape(-1) if bias in self.f.m.weight else None)

    def layer(self, x, number, rows):
        f, name = self.f, f"layer{number}."
        f.name = name
        read = x
        if f.before:
            read = self.condensed(self.norm(x, name + "norm1"))
            pad = np.zeros((len(x.mid), read.gen.shape[1] - x.gen.shape[1], f.d))
            x = Form(x.mid, x.sym, np.concatenate([x.gen, pad], axis=1), x.own, x.off, x.may)
        both = self.linear(read, name + "attention.key_value", name + "attention.key_value_bias")
        keys = self.turned(both.take(columns=slice(0, f.d)), self.place)
        query = self.linear(read.take(rows), name + "attention.query", name + "attention.query_bias")
        query, x = self.turned(query, self.place[rows]), x.take(rows)
        mixed = self.attend(query, keys, both.take(columns=slice(f.d, None)), rows)
        u = x.plus(self.linear(mixed, name + "attention.output", name + "attention.output_bias"))
        if f.before:
            read = self.norm(x.after(mixed) if f.beside else u, name + "norm2")
        else:
            read = u = self.norm(u, name + "norm1")
        up = self.linear(read, name + "feed_forward.up", name + "feed_forward.up_bias")
        u = u.plus(self.linear(bend(up, f.bend == "gelu"), name + "feed_forward.down", name + "feed_forward.down_bias"))
        u = u if f.before else self.norm(u, name + "norm2")
        u.off = u.off + self.slack
        return u

    def turned(self, x, places):
        if self.f.where != "rope":
            return x
        d, width = self.f.d, self.f.d // self.f.heads
        half, turns = width // 2, np.zeros((len(places), d, d))
        for row, i in enumerate(places):
            for c in range(half):
                angle = i * math.pow(10000, -c / half)
                for a in range(c, d, width):
                    b = a + half
                    turns[row, a, a] = turns[row, b, b] = math.cos(angle)
                    turns[row, b, a], turns[row, a, b] = -math.sin(angle), math.sin(angle)
        part = abs(turns) > 0
        off = np.einsum("rc,rcd->rd", x.off, abs(turns)) + (1e-13 + gamma(6)) * np.einsum("rc,rcd->rd", x.most(), part)
        return Form(np.einsum("rc,rcd->rd", x.mid, turns), np.einsum("rnkc,rcd->rnkd", x.sym, turns),
                    x.gen @ turns, x.own @ turns, off + UNDERFLOW, x.may)

    def attend(self, query, keys, values, rows):
        f, width = self.f, self.f.d // self.f.heads
        out = []
        for number, row in enumerate(rows):
            i, b = self.rows[row]
            heads = [self.head(query.take([number]), keys, values, h, i, b, slice(h * width, (h + 1) * width))
                     for h in range(f.heads)]
            out.append([np.concatenate(part, axis=-1) for part in zip(*heads)])
        mid, sym, gen, error, off = (np.concatenate(part) for part in zip(*out))
        return Form(mid, sym, gen, np.zeros((len(rows), 0, f.d)), off, self.may).missing(error)

    def logits(self, q, k, h, i, places):
        """What a query says of some keys, times what it is scaled by."""
        f, width, c = self.f, self.f.d // self.f.heads, slice(h * (self.f.d // self.f.heads), (h + 1) * (self.f.d // self.f.heads))
        name, more = f.name + "attention.", 0
        if f.where == "xl":
            more = f.m[name + "content_bias"].reshape(-1)[c]
        at, qr, kr = q.mid[0] + more, q.reach()[0], k.reach()
        mid = k.mid @ at
        sym = k.sym @ at + np.einsum("nkc,rc->rnk", q.sym[0], k.mid)
        gen = k.gen @ at + np.einsum("gc,rc->rg", q.gen[0], k.mid)
        off = kr @ qr + k.off @ abs(at) + abs(k.mid) @ q.off[0]
        size = (abs(k.mid) + kr) @ (abs(at) + qr)
        if f.where == "xl":
            far = [f.distance(i - j) for j in places]
            y, rad = (np.array([getattr(b, part).reshape(-1)[c] for b in far]) for part in ("mid", "rad"))
            at = q.mid[0] + f.m[name + "position_bias"].reshape(-1)[c]
            mid, sym = mid + y @ at, sym + np.einsum("nkc,rc->rnk", q.sym[0], y)
            gen, off = gen + np.einsum("gc,rc->rg", q.gen[0], y), off + abs(y) @ q.off[0] + rad @ (abs(at) + qr)
            size = size + (abs(y) + rad) @ (abs(at) + qr)
        by = 1 / math.sqrt(width)
        mid, sym, gen, size = mid * by, sym * by, gen * by, size * by
        off = off * by + gamma(width + 8) * size + UNDERFLOW
        if f.where == "alibi":
            mid = mid - np.float32([f.slopes[h] * abs(i - j) for j in places]).astype(float)
            off = off + gamma(1) * (abs(mid) + size)
        return Form(mid[:, None], sym[..., None], gen[..., None], np.zeros((len(mid), 0, 1)), off[:, None], k.may)

    def head(self, q, keys, values, h, i, b, c):
        """What one head mixes for one row: mid, sym, gen, what that misses, off."""
        f = self.f
        seen = set(f.seen(h, i, self.n))
        use = [t for t, (j, a) in enumerate(self.rows) if j in seen and (j != i or a == b)]
        places, symbols = self.place[use], self.symbol[use]
        k, v, q = (settled(x, i, b).centred() for x in (keys.take(use, c), values.take(use, c), q.take(columns=c)))
        s = self.logits(q, k, h, i, places)
        largest = s.most().max()
        weight = np.exp(s.mid - s.mid.max())
        weight = weight / weight.sum()
        s.mid = s.mid - s.mid.max()
        s.sym = s.sym - (s.sym * weight[:, None, None]).sum(axis=0)
        s.gen = s.gen - (s.gen * weight[:, None]).sum(axis=0)
        for t, (j, a) in enumerate(zip(places, symbols)):
            s.mid[t] += s.sym[t, j, a]
            s.sym[t, j] = 0
        low, high = s.range()
        at_low, at_high = np.exp(low), np.exp(high)
        slope = chord(low, high, at_low, at_high, at_low)
        offset, error = line(low, high, at_low, at_high, slope, np.log(slope), slope)
        error = error + abs(slope) * s.off
        e = s.times(slope)
        e.mid, e.off = e.mid + offset, error
        a, z = e.range()
        a, z = np.maximum(a, at_low), np.minimum(z, at_high)
        around = np.maximum(z - e.mid, e.mid - a)
        beside = np.array([1 if j == i else self.may[j].sum() for j in places])
        share = np.exp(s.mid[:, 0]) / beside
        reference = share @ v.mid / share.sum()
        vr, at = v.reach(), v.mid - reference
        terms = Form(e.mid * at, e.mid[:, None, None] * v.sym + at[:, None, None] * e.sym,
                     e.mid[:, None] * v.gen + at[:, None] * e.gen, v.own[:, :0],
                     error * abs(at) + around * (vr - v.off), v.may)
        total, weights = self.summed(terms, places, symbols), self.summed(e, places, symbols)
        each = [(a[places == j].min(), z[places == j].max()) for j in sorted(set(places))]
        low, high = (m[0, 0] for m in weights.range())
        low = max(low, sum(m for m, _ in each))
        high = max(low, min(high, sum(m for _, m in each)))
        slope = -1 / (low * high)
        offset, error = line(low, high, 1 / low, 1 / high, slope, (-slope) ** -0.5, (-slope) ** 0.5)
        r = weights.times(np.array([[slope]]))
        r.mid, r.off = r.mid + offset, r.off + error
        a, z = (m[0, 0] for m in r.range())
        reach = max(min(z, 1 / low) - r.mid[0, 0], r.mid[0, 0] - max(a, 1 / high))
        at, by = total.mid, r.mid[0, 0]
        missed = total.off * by + abs(at) * r.off[0, 0] + total.reach() * reach
        y = Form(at * by + reference, total.sym * by + at[:, None, None] * r.sym,
                 total.gen * by + at[:, None] * r.gen, total.own, np.zeros(at.shape), v.may)
        low, high = (v.mid - vr).min(axis=0)[None], (v.mid + vr).max(axis=0)[None]
        a, z = y.range()
        worse = ~(z - a + 2 * missed < high - low)
        y.mid, missed = np.where(worse, (low + high) / 2, y.mid), np.where(worse, (high - low) / 2, missed)
        y.sym, y.gen = np.where(worse[:, None, None], 0, y.sym), np.where(worse[:, None], 0, y.gen)
        rounded = gamma(2 * self.n + 26 + 8 * largest) + 2.0 ** -44 * (len(use) + y.gen.shape[1])
        off = v.off.max(axis=0)[None] + rounded * np.maximum(abs(low), abs(high)) * self.k + UNDERFLOW
        if np.isnan(low).any() or np.isnan(high).any():
            raise Refused("a number is none")
        return y.mid, y.sym, y.gen, missed, off

    def summed(self, x, places, symbols):
        """A sum over positions, of what their symbols have in common and how far they are apart."""
        mid = np.zeros((1, x.mid.shape[1]))
        sym, gen, off = np.zeros((1,) + x.sym.shape[1:]), np.zeros((1,) + x.gen.shape[1:]), np.zeros(mid.shape)
        for j in sorted(set(places)):
            t = np.nonzero(places == j)[0]
            part, none = x.take(t), x.own[:0, :0]
            common = ((part.sym.max(axis=0) + part.sym.min(axis=0)) / 2, (part.gen.max(axis=0) + part.gen.min(axis=0)) / 2)
            apart = Form(np.zeros(part.mid.shape), part.sym - common[0], part.gen - common[1], part.own[:, :0], part.off, x.may)
            sym[0], gen[0] = sym[0] + common[0], gen[0] + common[1]
            off[0] = off[0] + apart.reach().max(axis=0)
            for row in t:
                sym[0, j, symbols[row]] += x.mid[row]
        return Form(mid, sym, gen, np.zeros((1, 0, mid.shape[1])), off, x.may).centred()

    def lead(self, right):
        """By how much a class leads all others at least; and how much each position moves that."""
        f, x = self.f, self.read()
        if "final_norm.gain" in f.m.weight:
            x = self.norm(x, "final_norm")
        w, bias = f.m["head"], f.m.weight.get("head_bias", np.zeros((1, f.m["head"].shape[1]))).reshape(-1)
        least, effect = np.inf, np.zeros(self.n)
        for c in range(w.shape[1]):
            if c == right:
                continue
            y = x.linear((w[:, right] - w[:, c])[:, None], np.array([bias[right] - bias[c]]))
            size = x.most() @ (abs(w[:, right]) + abs(w[:, c])) + abs(bias[right]) + abs(bias[c])
            low = y.range()[0][:, 0] - gamma(f.d + 2) * size - 2 * self.slack - 2e-9
            row = int(np.argmin(np.nan_to_num(low, nan=-np.inf)))
            if not low[row] >= least:
                least = low[row]
                lows, highs = y.symbols()
                effect = (highs - lows)[row, :, 0]
            if np.isnan(least):
                break
        return least, effect
