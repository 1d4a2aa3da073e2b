"""An lrnn of one layer that was trained, over sets of its states.

A step is linear, so that where it takes a set is known but for rounding.  What is read goes through a layer
norm and a ReLU, which tree.py and balls.py bound.
"""

import numpy as np
from mpmath import iv

from balls import WIDER, Ball, Refused, chords, from_interval
from sets import Ellipsoid, Set
from steps import FUNCTION, REALS, Number, Steps
from tree import Tree


class Linear(Steps):
    known_options = {"lrnn": {"dim": None, "layers": "1", "block": None, "norm": None, "p": None}}

    def __init__(self, m):
        super().__init__(m)
        self.a, self.d = REALS, self.dim
        a, v = self.moves(0, Number(m["embedding"]))
        norm = m.options.get("norm", "code")
        if norm not in ("code", "paper"):
            raise Refused(f"nothing is known here of norm={norm}")
        a = self.centred(a) if norm == "code" else self.bounded(a)
        self.matrix, self.added = [self.whole(x) for x in a], Ball(v.at.reshape(-1, self.d), v.off.reshape(-1, self.d))
        self.start = Ellipsoid(m["layer0.start"])
        self.mean = Ball(np.eye(self.d)) - Ball(np.ones((self.d, self.d))) * from_interval(1 / iv.mpf(self.d))

    def whole(self, blocks):
        """Blocks as one matrix, which states are multiplied by from the right."""
        n, to = self.part, [np.zeros((self.d, self.d)) for _ in range(2)]
        for k in range(self.parts):
            here = slice(k * n, (k + 1) * n)
            to[0][here, here], to[1][here, here] = blocks.at[k].T, blocks.off[k].T
        return Ball(*to)

    def centred(self, a):
        """Columns lose their mean, and blocks are divided by the norm of their greatest column."""
        off = a.off + a.off.mean(axis=2, keepdims=True) + (self.part + 4) * REALS.unit * (a.most() + a.most().mean(axis=2, keepdims=True))
        a = Number(a.at - a.at.mean(axis=2, keepdims=True), off)
        p, f = self.power, FUNCTION * REALS.unit
        low, high = ((np.maximum(0, abs(a.at) + s * a.off) ** p).sum(axis=2).max(axis=2) ** (1 / p) * (1 + s * f)
                     for s in (-1, 1))
        low, high = (x[:, :, None, None] for x in (low, high))
        if not (low > 1e-25).all():
            raise Refused("a block may be next to nothing")
        by = (low + high) / 2
        return Number(a.at / by, (a.off + abs(a.at / by) * (high - low) / 2) / low + f * a.most() / low)

    def step(self, x, symbol):
        """The set of the states that a symbol leads to from an ellipsoid."""
        a = self.matrix[symbol]
        return Set(x.centre @ a + self.added[symbol], [x.rows @ a], Ball(np.zeros((self.d, self.d))),
                   Ball(np.zeros((0, self.d))))

    def lead(self, e, right, other):
        """By how much one logit is ahead of another's at least."""
        none = Ball(np.zeros((self.d, self.d))), Ball(np.zeros((0, self.d)))
        s = Set(e.centre, [e.rows], *none).turned(self.mean)
        s = Tree.normalise(self, s, self.m["final_norm.gain"], self.m["final_norm.offset"]).turned(self.m["head"])
        s.centre = s.centre + self.m["head_bias"]
        by = (s.widths(np.eye(self.d)) + s.centre.rad) * WIDER
        slope, most = chords(s.centre.mid - by - 1e-300, s.centre.mid + by + 1e-300)
        s = s.turned(np.diag(slope))
        s.centre = s.centre + Ball(most / 2, most / 2)
        way = Ball(self.m["answer"][:, right]) - self.m["answer"][:, other]
        bias = Ball(self.m["answer_bias"][right]) - self.m["answer_bias"][other]
        return float((s.centre @ way + bias).below()) - float(s.widths(way.mid[:, None])[0]) * WIDER - \
            float(way.rad @ s.widths(np.eye(self.d))) * WIDER
