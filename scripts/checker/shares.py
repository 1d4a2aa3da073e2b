"""Decoders without positions, all heads of which see all that is there.

Positions that hold one symbol have one vector, and a head mixes the vectors of the symbols by how often
each is there: the answer depends on the last symbol and the shares of all.  With a causal mask that is
so in the first layer; of later ones it is known that earlier positions have vectors as some shares give
them, so of each symbol's vectors a hull is kept.

Ends of strings that come behind arbitrarily long ones are to ask for one answer by the last symbol, and it is
shown for all shares there are, in boxes that are halved until it is sure.  All others are of finitely many
lengths, and all their counts of symbols are looked at.
"""

import numpy as np

import balls
from balls import WIDER, Ball, Refused
from decoder import UNDERFLOW, Decoder, read_off

MOST_BOXES, MOST_CASES, HULL, AT_ONCE = 400000, 2000000, 1024, 2048


class Shares(Decoder):
    positions = ("none",)

    def sees_enough(self, options, causal):
        self.apart = causal and self.layers > 1  # positions anywhere differ from the last one
        self.n = len(self.m.signature["symbols"])
        self.hull, self.positions = [], self.n
        return causal or self.m.signature.get("target") == "final"

    def weights_of(self, s):
        """Of each symbol's positions together, in real numbers that add up to 1, from logits s (boxes,
        heads, rows, symbols): greatest where it is most often there, and others least."""
        low, high = (x[:, None, None, :] for x in (self.low, self.high))
        n, to = s.mid.shape[-1], []
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for j in range(n):
                others = [k for k in range(n) if k != j]
                gap = s.mid - s.mid[..., j:j + 1]
                by = (s.rad + s.rad[..., j:j + 1]) * WIDER + 1e-12
                least = low[..., j] + sum(high[..., k] * np.exp(gap + by)[..., k] for k in others)
                most = high[..., j] + sum(low[..., k] * np.exp(gap - by)[..., k] for k in others)
                ends = (np.where(low[..., j] > 0, low[..., j] / least, 0) * (1 - 1e-12),
                        np.where(high[..., j] > 0, np.minimum(1, high[..., j] / most * (1 + 1e-12)), 0))
                to.append(ends)
        return np.array(to)  # (symbols, 2, boxes, heads, rows)

    def attend(self, query, both, rows):
        d, h = self.d, self.heads
        width, n = d // h, self.low.shape[1]

        def by_head(x, at):
            parts = [np.moveaxis(y[:, at:at + d].reshape(-1, n, h, width), 2, 1) for y in (x.mid, x.rad)]
            return Ball(*parts)  # (boxes, heads, rows or symbols, width)

        q, k, v = by_head(query, 0), by_head(both, 0), by_head(both, d)
        s = q @ Ball(np.swapaxes(k.mid, 2, 3), np.swapaxes(k.rad, 2, 3)) * self.by_width()
        w = self.weights_of(s)
        middle = np.moveaxis(w.mean(axis=1), 0, -1)
        off = np.moveaxis(w[:, 1] - w[:, 0], 0, -1) / 2 * WIDER + 1e-15
        total = middle.sum(axis=-1, keepdims=True)
        at = (middle / np.where(total > 0, total, 1)) @ v.mid
        # In real numbers it is at + a sum of weights times what values are away from it, and among them.
        away = abs(v.mid[:, :, None] - at[:, :, :, None])  # (boxes, heads, rows, symbols, width)
        there = (self.high > 0)[:, None, None, :, None]
        moved = (middle[..., None] * (v.mid[:, :, None] - at[:, :, :, None])).sum(axis=3)
        far = np.minimum(abs(moved) + (off[..., None] * away).sum(axis=3), (away * there).max(axis=3))
        loose = (v.rad[:, :, None] * there).max(axis=3)
        largest = s.most().max() if s.mid.size else 0
        steps = (2 * self.positions + 2 * n + 40 + 8 * largest) * balls.UNIT
        rounded = steps / (1 - steps) if steps < 0.5 else np.inf
        size = v.most().max(axis=2, keepdims=True)
        rad = (far + loose + rounded * size * 2) * WIDER + UNDERFLOW * (1 + self.positions) * (1 + size)
        return Ball(*(np.moveaxis(np.broadcast_to(x, q.mid.shape), 1, 2).reshape(query.mid.shape) for x in (at, rad)))

    def embedded(self, n_boxes, slack):
        x = Ball(np.tile(self.m["embedding"][:self.n], (n_boxes, 1))) * self.scale
        return Ball(x.mid, x.rad + slack)

    def find_hull(self, slack):
        """Of positions anywhere that hold a symbol, before each layer; known at its own unit and length."""
        n = self.low.shape[1]
        cover = [(np.zeros(n), np.ones(n))]
        for _ in range(int(np.log2(HULL))):
            cover = [half for box in cover for half in halves(*box)]
        self.low, self.high = (np.array(x) for x in zip(*cover))
        x = self.layer(self.embedded(len(cover), slack), 0, n, slack)
        ends = [(x.mid + sign * x.rad).reshape(-1, n, self.d) for sign in (-1, 1)]
        low, high = ends[0].min(axis=0), ends[1].max(axis=0)
        self.hull = [None, Ball((low + high) / 2, (high - low) / 2 * WIDER + 1e-14 * (abs(low) + abs(high)))]
        self.low, self.high = np.zeros((1, n)), np.ones((1, n))
        for i in range(1, self.layers - 1):
            self.hull.append(self.layer(self.hull[i], i, n, slack))

    def answers(self, low, high, slack):
        """Logits (boxes, symbols, classes) behind each symbol where shares are in each of the boxes."""
        n = low.shape[1]
        if self.apart and not self.hull:
            self.low = low
            self.find_hull(slack)
        self.low, self.high = low, high
        x = self.embedded(len(low), slack)
        for i in range(self.layers):
            seen = self.hull[i] if self.apart and i else None
            x = self.layer(x, i, n, slack, seen)
        z = self.logits(x, slack)
        return Ball(z.mid.reshape(len(low), n, -1), z.rad.reshape(len(low), n, -1))

    def rounds(self, unit, positions):
        """From now on numbers are those of such runs."""
        balls.UNIT, self.positions, self.hull = unit, positions, []


def halves(low, high):
    """A box across its longest side, without what is no shares."""
    a = int(np.argmax(high - low))
    for side in range(2):
        l, h = low.copy(), high.copy()
        (h if side else l)[a] = (low[a] + high[a]) / 2
        l, h = np.maximum(l, 1 - (h.sum() - h)), np.minimum(h, 1 - (l.sum() - l))
        if (l <= h).all():
            yield l, h


def sure(network, low, high, want, slack):
    """Of each box: are the answers that are wanted of symbols (-1: none) sure, 1, or is one wrong, -1?"""
    found = np.ones(len(low), dtype=int)
    for i in range(0, len(low), AT_ONCE):
        part = slice(i, i + AT_ONCE)
        z = network.answers(low[part], high[part], slack)
        for a, right in enumerate(want):
            if right >= 0:
                least = np.where(read_off(-z[:, a], right) > 0, -1, 0)
                this = np.where((read_off(z[:, a], right) > 1e-9) | (high[part, a] <= 0), 1, least)
                found[part] = np.minimum(found[part], this)
    return found


def check_endless(c, network, want):
    """How many boxes of shares show that the answer is the last symbol's wherever shares are."""
    k, boxes = len(want), 0
    todo = [(np.zeros(k), np.ones(k))]
    while todo:
        boxes += len(todo)
        low, high = (np.array(x) for x in zip(*todo))
        found = sure(network, low, high, want, c.slack)
        unsure = np.flatnonzero(found < 1)
        if len(unsure) and (found.min() < 0 or boxes > MOST_BOXES or (high - low)[unsure].max() < 1e-12):
            raise Refused(f"an answer is not sure where shares are {low[unsure[0]]} to {high[unsure[0]]}")
        todo = [half for i in unsure for half in halves(*todo[i])]
    return boxes


def unsure_count(network, counts, a, right, slack):
    """Counts (a row) behind which it is not sure that symbol a is answered so, or None."""
    k, todo = counts.shape[1], [counts]
    want = [right if i == a else -1 for i in range(k)]
    while todo:
        shares = [part / part.sum(axis=1, keepdims=True) for part in todo]
        low = np.array([s.min(axis=0) * (1 - 2.0 ** -50) for s in shares])
        high = np.array([s.max(axis=0) * (1 + 2.0 ** -50) for s in shares])
        more = []
        for i in np.flatnonzero(sure(network, low, high, want, slack) < 1):
            wide = int(np.argmax(high[i] - low[i]))
            left = shares[i][:, wide] < (low[i, wide] + high[i, wide]) / 2
            if left.all() or not left.any():
                return todo[i][0]
            more += [todo[i][left], todo[i][~left]]
        todo = more
    return None


def points_of(c):
    """The start; where strings of any length can end (state, place, last symbol); all ends of those of
    each length there are besides."""
    def follow(points):
        return {(c.next[q][a], c.next[p][a] if c.inside else None, a) for q, p, _ in points
                for a in range(len(c.symbols))}

    start = {(c.start, c.first, None)}
    reached = now = follow(start)
    while now - reached or now is reached:
        reached, now = reached | now, follow(reached | now)
    endless = reached
    while (fewer := follow(endless)) != endless:
        endless = fewer & endless
    lengths, now = [], follow(start)
    while now - endless:
        lengths.append(now - endless)
        now = follow(now)
    return endless, lengths


def asked(c, point):
    right = c.answer[point[0]]
    return right if right >= 0 and (not c.inside or c.inside[point[1]]) else -1


def needs(c, endless, reach):
    """Counts by last symbol and answer, of all strings of up to `reach` symbols with other ends."""
    k = len(c.symbols)
    found, cases, now = {}, 0, {((0,) * k, c.start, c.first)}
    for _ in range(reach):
        after = set()
        for counts, q, p in now:
            for a in range(k):
                more = (*counts[:a], counts[a] + 1, *counts[a + 1:])
                to = c.next[q][a], c.next[p][a] if c.inside else None
                after.add((more, *to))
                right = asked(c, (*to, a))
                if right >= 0 and (*to, a) not in endless:
                    found.setdefault((a, right), set()).add(more)
        now = after
        cases += len(now)
        if cases > MOST_CASES:
            raise Refused("there are too many counts of symbols")
    return {key: np.array(sorted(counts), dtype=float) for key, counts in found.items()}


def check_counts(c, network):
    """How many counts and boxes were looked at; and do runs in single precision say the same?"""
    endless, lengths = points_of(c)
    reach = max([t for t, points in enumerate(lengths, 1) if any(asked(c, p) >= 0 for p in points)], default=0)
    want, boxes, real = [-1] * len(c.symbols), 0, balls.UNIT
    for point in endless:
        right, a = asked(c, point), point[2]
        if right >= 0 and want[a] >= 0 and want[a] != right:
            raise Refused(f"strings of any length that end in {c.symbols[a]} ask for two answers")
        want[a] = max(want[a], right)
    if max(want) >= 0:
        boxes = check_endless(c, network, want)
    need = needs(c, endless, reach)
    for (a, right), counts in need.items():
        at = unsure_count(network, counts, a, right, c.slack)
        if at is not None:
            raise Refused(f"an answer is not sure behind {c.symbols[a]} and counts {at.astype(int).tolist()}")
    try:
        network.rounds(2.0 ** -24 * (1 + 1e-6), reach)
        same = max(want) < 0 and all(unsure_count(network, counts, a, right, c.slack) is None
                                     for (a, right), counts in need.items())
    finally:
        network.rounds(real, len(c.symbols))
    return sum(len(counts) for counts in need.values()), boxes, same
