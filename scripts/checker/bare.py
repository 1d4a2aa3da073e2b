"""Bare transformers that were compiled: hard attention, means, and soft attention that is steep.

What such a model remembers of a string is finite: of a head that looks at the latest position with the greatest
score, that score and the value; of a head that takes means a sum, which beyond a bound is only known to be large,
and comes back from there in any way.  All of it is gone through beside the automaton, and nothing may be such
that a sum of floats rounds: then runs are what is computed here, but for means, of which real numbers are shown.

Soft attention sees one position but for the weight of all others.  That is bounded by scores, positions and
values that occur, and pairs of units make 0 or 1 of what is less than 1/4 away from that.
"""

import itertools
import math

import numpy as np

from balls import Refused

NAMES = ("query", "query_bias", "key_value", "key_value_bias", "output", "output_bias")
# What hidden is called once it was read.
OPTIONS = dict.fromkeys(("dim", "heads", "layers", "mlp_ratio", "attention", "position", "longest"), None)
LARGE = 2.0 ** 18
BOUNDS = (2, 4, 8, 16, 32)
MOST_POINTS, LONGEST = 200000, 8193


def exact(x, w, bias):
    """x times a matrix, of which no sum rounds in single precision, in any order."""
    all = np.abs(x[:, None] * w)
    used = (all != 0).any(axis=1)
    grid = [w[used] * 4, x[used] * 4, np.asarray(bias) * 4]
    to = x @ w + bias
    if any((g != np.floor(g)).any() for g in [*grid, to * 4]) or (all.sum(axis=0) + np.abs(bias) > LARGE).any():
        raise Refused("a number is no multiple of 1/4, or large: sums may round")
    return to + 0.0


class Bare:

    def __init__(self, m):
        o = m.take({**OPTIONS, "causal": "yes"})
        self.kind = o["attention"]
        wanted = {"rightmost": "none", "average": "none", "soft": "learned"}
        if o.get("causal") != "yes" or wanted.get(self.kind) != o["position"]:
            raise Refused("nothing is known here of such a bare model")
        self.dim, self.heads, layers = (int(o[n]) for n in ("dim", "heads", "layers"))
        self.width, self.symbols = self.dim // self.heads, len(m.signature["symbols"])
        self.embedding, self.head, self.head_bias = m["embedding"], m["head"], m["head_bias"].ravel()
        self.layers = []
        for i in range(layers):
            w = {n: m[f"layer{i}.attention.{n}"] for n in NAMES}
            w.update({n: m[f"layer{i}.feed_forward.{n}"] for n in ("up", "up_bias", "down", "down_bias")})
            self.layers.append({n: v.ravel() if n.endswith("bias") else np.atleast_2d(v) for n, v in w.items()})
        self.mean, self.placed, self.seen = (np.zeros(self.dim, dtype=bool) for _ in range(3))
        self.pairs = {}  # soft: scores and values of a layer's column, at the beginning and elsewhere
        if self.kind == "soft":
            self.position = m["position"]
            self.sort_soft()
        else:
            self.sort()

    def columns(self, h):
        return slice(h * self.width, (h + 1) * self.width)

    def sort(self):
        for w in self.layers:
            w["task"] = []
            for h in range(self.heads):
                at = self.columns(h)
                fixed = not w["query"][:, at].any()
                none = fixed and not w["query_bias"][at].any()
                task = "latest" if self.kind == "rightmost" else "mean" if none else "sign"
                if task == "latest" and not fixed or task == "sign" and w["query_bias"][at].any():
                    raise Refused("what a head looks at depends on its query")
                if task == "mean":
                    self.mean |= w["output"][at].any(axis=0)
                w["task"].append(task)
        for w in self.layers:  # means are written by such heads, and read by signs alone
            mean = self.mean
            bad = (w["key_value"][mean].any() or w["up"][mean].any() or w["down"][:, mean].any() or
                   w["down_bias"][mean].any() or w["output_bias"][mean].any())
            for h, task in enumerate(w["task"]):
                at = self.columns(h)
                bad |= task == "sign" and bool(w["query"][~mean][:, at].any() or w["output"][at][:, mean].any())
                bad |= task == "mean" and bool(w["output"][at][:, ~mean].any())
                for part in (w["query"][mean][:, at], w["output"][at][:, mean]):
                    bad |= bool((part * 4 != np.floor(part * 4)).any() or (np.abs(part) >= 256).any())
            if bad:
                raise Refused("means are mixed with other numbers")
        if self.embedding[:, self.mean].any() or self.head[self.mean].any():
            raise Refused("means are mixed with other numbers")
        begins = ~self.embedding[:-1].any(axis=0) & ~self.mean
        for w in self.layers:
            for n in ("output", "down"):
                begins &= ~w[n].any(axis=0) & (w[n + "_bias"] == 0)
        for w in self.layers:  # sums of the same values, or negatives, are one
            w["same"] = []
            for a in range(self.dim):
                value = np.append(w["key_value"][~begins, self.dim + a], w["key_value_bias"][self.dim + a])
                w["same"].append((a, 1))
                for b in range(a):
                    if w["task"][b // self.width] == "mean":
                        other = np.append(w["key_value"][~begins, self.dim + b], w["key_value_bias"][self.dim + b])
                        if (value == other).all() or (value == -other).all():
                            w["same"][-1] = (b, 1 if (value == other).all() else -1)
                            break

    # -- one position

    def run(self, before, symbol, bound=0, choose=None):
        """What is remembered behind a symbol, -1: the beginning; and the logits."""
        first, d = before is None, self.dim
        x, after, sums = self.embedding[symbol].copy(), [], np.zeros((2, d))
        for i, w in enumerate(self.layers):
            kv = exact(x, w["key_value"], w["key_value_bias"])
            z = np.array([[sum(s * q for s, q in zip(row, w["query"][:, c]) if s and q) for c in range(d)]
                          for row in sums]) if self.mean.any() else None
            gives, kept = np.zeros(d), []
            for h, task in enumerate(w["task"]):
                at = self.columns(h)
                key, value, was = kv[:d][at], kv[d:][at], None if first else before[i][h]
                if task in ("latest", "before"):
                    score = float(exact(key, w["query_bias"][at][:, None], np.zeros(1))[0])
                    self.note(i, at, score, value, first)
                    later = first or task == "before" or score >= was[0]
                    own = first or self.kind == "soft" and task == "latest" and later
                    gives[at] = value if own else was[1]
                    kept.append((score, tuple(value)) if later else was)
                elif task == "sign":
                    gives[at], kept_now = self.sign(w, at, key, value, z, first)
                    kept.append(kept_now)
                else:
                    kept.append(self.sum(w, at, value, was, first, bound, choose))
            after.append(tuple(kept))
            for c in np.flatnonzero(self.mean):
                for j in range(d):
                    if w["output"][j, c] and w["task"][j // self.width] == "mean":
                        of, sign = w["same"][j]
                        s = kept[of // self.width][of % self.width]
                        near = math.copysign(bound + 1, s) if math.isinf(s) else s
                        for row, is_ in enumerate((s, near)):
                            sums[row, c] += w["output"][j, c] * (w["first"][j] + sign * is_)
            here = ~self.mean
            x[here] += exact(gives, w["output"][:, here], w["output_bias"][here])
            if self.seen.any() and any(x[c] not in (0, 1) for c in np.flatnonzero(self.seen & (w["sees"]))):
                raise Refused("what a head sees is neither 0 nor 1")
            x += exact(np.maximum(0, exact(x, w["up"], w["up_bias"])), w["down"], w["down_bias"])
            if (np.abs(x) > LARGE).any():
                raise Refused("a number is large: sums may round")
        return tuple(after), exact(x, self.head, self.head_bias)

    def sum(self, w, at, value, was, first, bound, choose):
        if first:
            w.setdefault("first", np.zeros(self.dim))[at] = value
            return (0.0,) * self.width
        if (value != np.floor(value)).any():
            raise Refused("what a mean is taken of is no whole number")
        kept = []
        for c, v in enumerate(value):
            s = was[c]
            if w["same"][at.start + c][0] != at.start + c:
                s = 0.0
            elif math.isinf(s) and v and (s > 0) != (v > 0):
                way = choose(1 + int(abs(v)))
                s = s if way == 0 else math.copysign(bound - (way - 1), s)
            else:
                s = s + v if abs(s + v) <= bound else math.copysign(math.inf, s + v)
            kept.append(s + 0.0)
        return tuple(kept)

    def sign(self, w, at, key, value, z, first):
        if first:
            w.setdefault("key", np.zeros(self.dim))[at] = key
            w.setdefault("value", np.zeros(self.dim))[at] = value
            return value, ()
        if key.any() or value.any():
            raise Refused("a head that takes a sign sees more than the beginning")
        by = w["key"][at]
        lead, near = (sum(k * s for k, s in zip(by, row[at]) if k) for row in z)
        if lead == 0 or math.isnan(lead) or (near <= 0 if lead > 0 else near >= 0):
            raise Refused("a sum is zero where its sign is taken, or what is added to a large one may be more")
        return (w["value"][at] if lead > 0 else np.zeros(self.width)), ()

    # -- soft attention

    def sort_soft(self):
        root = math.sqrt(self.width)
        if root != 2 ** round(math.log2(root)) or len(self.position) > LONGEST or (np.abs(self.position) > 2**20).any():
            raise Refused("scores are divided by a root, and round; or positions are too many")
        self.placed = placed = self.position.any(axis=0)
        mixed = placed.sum() > 4 or self.embedding[:, placed].any() or self.head[placed].any()
        by = np.full(self.dim, -1)
        for i, w in enumerate(self.layers):
            d = self.dim
            mixed |= bool(w["key_value"][placed, d:].any() or w["output"][:, placed].any() or w["up"][placed].any() or
                          w["down"][:, placed].any() or w["output_bias"][placed].any() or w["down_bias"][placed].any())
            w["task"], w["sees"] = [], w["output"].any(axis=0)
            for h in range(self.heads):
                at = self.columns(h)
                fixed = not w["query"][:, at].any()
                w["task"].append("latest" if fixed else "before")
                mixed |= not fixed and bool(w["query"][~placed][:, at].any() or w["key_value_bias"][:d][at].any() or
                                            w["key_value"][~placed, :d][:, at].any())
            for j, c in zip(*np.nonzero(w["output"])):
                mixed |= by[c] >= 0 or w["output"][j, c] != 1
                by[c] = i * d + j
        self.seen_by, self.seen = by, by >= 0
        seen = self.seen
        mixed |= bool(self.embedding[:, seen].any() or self.head[seen].any())
        for w in self.layers:
            mixed |= bool(w["key_value"][seen].any() or w["query"][seen].any() or w["down"][:, seen].any() or
                          w["output_bias"][seen].any() or w["down_bias"][seen].any())
            for c, u in zip(*np.nonzero(w["up"] * seen[:, None])):
                mixed |= not (self.is_pair(w, c, u) or u > 0 and self.is_pair(w, c, u - 1))
        if mixed:
            raise Refused("positions, or what heads see, are mixed with other numbers")

    def is_pair(self, w, c, u):
        """Do two units read this alone, as 2 x - 1/2 and 2 x - 3/2, and is only their difference read?"""
        due = np.zeros(self.dim)
        due[c] = 2
        if not (u + 1 < w["up"].shape[1] and (w["up"][:, u] == due).all() and (w["up"][:, u + 1] == due).all() and
                w["up_bias"][u] == -0.5 and w["up_bias"][u + 1] == -1.5):
            return False
        to = np.flatnonzero(np.abs(w["down"][u]) + np.abs(w["down"][u + 1]))
        others = np.delete(w["down"], (u, u + 1), axis=0)
        return (w["down"][u] == -w["down"][u + 1]).all() and bool(
            (np.abs(w["down"][u][to]) == 1).all() and not others[:, to].any() and not w["down_bias"][to].any())

    def note(self, layer, at, score, value, first):
        for c, v in enumerate(value):
            pairs = self.pairs.setdefault(layer * self.dim + at.start + c, [set(), set()])
            pairs[not first].add((score, v))
            if len(pairs[1]) > 16:
                raise Refused("a head has more than 16 keys and values")

    def scores(self, by):
        """Of what a column is seen as: by position, keys' scores of LATEST; or all scores of BEFORE."""
        w, at = self.layers[by // self.dim], self.columns(by % self.dim // self.width)
        key = self.position[:, self.placed] @ w["key_value"][self.placed, :self.dim][:, at]
        query = self.position[:, self.placed] @ w["query"][self.placed][:, at] + w["query_bias"][at]
        if np.abs(key * 4 % 1).any() or np.abs(query * 4 % 1).any() or \
                (np.abs(query).max(axis=0) * np.abs(key).max(axis=0)).sum() > 2 ** 19:
            raise Refused("a score is no multiple of 1/4, or large: it may round")
        before = w["task"][by % self.dim // self.width] == "before"
        return before, (query @ key.T if before else (query * key).sum(axis=1)) / math.sqrt(self.width)

    def pulls(self, by):
        """For each length, the most that other positions pull at the value of the one that is seen; and
        the greatest difference, and number, of values."""
        first, pairs = (sorted(p) for p in self.pairs[by])
        values = [v for _, v in first + pairs]
        spread, size = max(values) - min(values), max(map(abs, values))
        before, s = self.scores(by)
        n = len(self.position) - 1
        if spread == 0:
            return np.zeros(n + 1), 0.0, size
        if before:
            away = np.exp(np.clip(s[1:] - s[np.arange(1, n + 1), np.arange(n)][:, None], -80.0, 700.0))
            away[np.arange(n), np.arange(n)] = 0
            all = np.tril(away, 1).sum(axis=1)
            return np.append(0, np.maximum.accumulate(all)) * spread, spread, size
        root, (s0, v0) = math.sqrt(self.width), first[0]
        log = lambda x: math.log(x) if x > 0 else -math.inf  # noqa: E731
        most = np.full(n + 1, -np.inf)
        for score, value in [*pairs, (s0, v0)]:
            of = [((t - score) / root, abs(v - value)) for t, v in pairs]
            at_most = max([log(by) + less for less, by in of if less <= 0], default=-math.inf)
            behind = max([log(by) + less for less, by in of if less < 0], default=-math.inf)
            begun = log(abs(v0 - value)) + (s0 - score) / root if s0 <= score else -math.inf
            for places in (range(1, n + 1),) if (score, value) in pairs else ():
                earlier = np.append(-np.inf, np.logaddexp.accumulate(s[1:])[:-1]) - s[1:]
                for k in places:  # up to length k: positions i from 1 to k
                    later = np.append(np.logaddexp.accumulate(s[k:1:-1])[::-1], -np.inf) if k > 1 else \
                        np.array([-np.inf])
                    i = slice(1, k + 1)
                    all = np.logaddexp(earlier[:k] + at_most, later - s[i] + behind)
                    most[k] = max(most[k], np.logaddexp(all, begun + s[0] - s[i]).max())
            if (score, value) == (s0, v0):
                most[1:] = np.maximum(most[1:], np.logaddexp.accumulate(s[1:]) - s[0] + behind)
        return np.exp(most), spread, size

    def length(self, unit):
        """The longest strings of which no head sees a quarter of what it should not."""
        n, least = np.arange(len(self.position)), len(self.position) - 1
        gamma = lambda k: k * unit / (1 - k * unit)  # noqa: E731
        for by in self.seen_by[self.seen]:
            pull, spread, size = self.pulls(by)
            pull = pull * (1 + 1e-8 + 2 * gamma(24 + 640)) + spread * n * math.exp(-80)
            with np.errstate(divide="ignore", invalid="ignore"):
                off = np.where(pull > 0, spread / (spread / pull + 1), 0) + 2 * size * gamma(2 * n + 688)
            bad = np.flatnonzero(~(off < 0.25 * (1 - 1e-6)))
            least = min(least, int(bad[0]) - 1 if len(bad) else least)
        return least


def explore(c, b, bound):
    """All that can be remembered beside the automaton, and the domain; how many steps there were."""
    start = (b.run(None, -1)[0], c.start, c.first)
    queue, met, steps = [start], {start}, 0
    for state, q, place in queue:
        for a in range(b.symbols):
            to = c.next[q][a]
            into = c.next[place][a] if c.inside else place
            digits = []
            while True:  # all ways in which large sums come back
                used = itertools.count()
                radix = []

                def choose(n):
                    k = next(used)
                    if k == len(digits):
                        digits.append(0)
                    radix.append(n)
                    return digits[k]
                after, logits = b.run(state, a, bound, choose)
                steps += 1
                right = c.answer[to]
                if right >= 0 and (not c.inside or c.inside[into]) and not all(
                        logits[right] > z for k, z in enumerate(logits) if k != right):
                    raise Refused(f"{c.classes[right]} is not answered")
                point = (after, to, into)
                if point not in met:
                    met.add(point)
                    queue.append(point)
                    if len(met) > MOST_POINTS:
                        raise Refused("too much can be remembered")
                while digits and digits[-1] + 1 >= radix[len(digits) - 1]:
                    digits.pop()
                if not digits:
                    break
                digits[-1] += 1
    return steps


def check_bare(c, b):
    """How many steps there were; and in what it holds."""
    if b.kind != "soft" and c.length < np.inf:
        raise Refused("it is about a length, and hard attention has none")
    for bound in BOUNDS if b.kind == "average" else (0,):
        try:
            steps = explore(c, b, bound)
            break
        except Refused:
            if b.kind != "average" or bound == BOUNDS[-1]:
                raise
    if b.kind != "soft":
        return steps, ["real numbers"] + (["runs"] if b.kind == "rightmost" else [])
    if not b.length(0.0) >= c.length:
        raise Refused(f"soft attention sees what hard attention does up to length {b.length(0.0)}")
    runs = [name for name, unit in (("runs in double precision", 2.0 ** -53), ("runs in single precision", 2.0 ** -24))
            if b.length(unit) >= c.length]
    return steps, ["real numbers", *runs]
