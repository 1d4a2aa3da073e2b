"""RegularGPT's map of two vectors, over pairs of sets.

Attention weighs an earlier child x against a later one y: its score is linear in both but for the
product of query and keys, and its logistic function is replaced by a line with what is missing of
it.  A layer norm's factor is a line in the square of the length; a unit of the feed-forward layer is
the chord of its bend.  What lines miss goes to an ellipsoid, or to a generator of its own.
"""

import numpy as np
from mpmath import iv

from balls import (EPSILON, TINY, WIDER, Ball, Refused, between, chords, from_interval, greatest_eigenvalue,
                   inverse_root, line, logistic, norm, root, squares, stack)
from sets import Ellipsoid, Set, around


OPTIONS = {"size": None, "dim": None, "heads": None, "mlp_ratio": None, "levels": None, "form": None,
           "missing": None, "init": None, "arity": "2", "layers_per_level": "1", "fan_in": "0",
           "norm": "post", "head": "own", "activation": "auto", "codebook": "0", "edge_codebook": "0"}


class Tree:
    """RegularGPT's map of two vectors; the leaves are embedded symbols."""

    def __init__(self, m):
        options = m.take(OPTIONS)
        layer = {k[len("layer0."):]: v for k, v in m.weight.items() if k.startswith("layer0.")}
        self.d = d = m["embedding"].shape[1]
        self.heads = int(options["heads"])
        self.width = d // self.heads
        both, relative = layer["attention.key_value"], m.matrix("layer0.attention.relative")
        self.query, self.key, self.value = layer["attention.query"], both[:, :d], both[:, d:]
        self.output, self.relative = layer["attention.output"], Ball(relative[:, 1]) - relative[:, 0]
        self.centred = Ball(np.eye(d)) - Ball(np.ones((d, d))) * from_interval(1 / iv.mpf(d))
        self.norms = [(layer[f"norm{i}.gain"], layer[f"norm{i}.offset"]) for i in (1, 2)]
        self.up, self.up_bias, self.down, self.down_bias = (
            layer["feed_forward." + name] for name in ("up", "up_bias", "down", "down_bias"))
        self.leaf = Ball(m["embedding"]) * from_interval(iv.sqrt(iv.mpf(d)))
        self.missing = None if options.get("missing", "pad") == "mask" else Ellipsoid(m["pad"])
        self.head, self.head_bias = m["head"], m["head_bias"]
        self.scale = from_interval(1 / iv.sqrt(iv.mpf(self.width)))
        self.through = [Ball(self.value[:, c]) @ self.output[c] @ self.centred for c in self.columns()]
        self.seen = {}

    def columns(self):
        return [slice(h * self.width, (h + 1) * self.width) for h in range(self.heads)]

    def quadratic(self, x, y, h, c):
        """What |zy Qy Kx' zx'| and zy Qy Ky' zy' are at most, and lie between, over sqrt(width), of
        shapes of radius 1: sets share them."""
        key = (id(x.shape), id(y.shape), h)
        if key not in self.seen:
            query = Ball(y.shape) @ self.query[:, c] * self.scale
            far, near = Ball(x.shape) @ self.key[:, c], Ball(y.shape) @ self.key[:, c]
            square = query @ near.T
            half = (square + square.T) * 0.5
            self.seen[key] = norm(query @ far.T), greatest_eigenvalue(-half), greatest_eigenvalue(half)
        return self.seen[key]

    def weigh(self, x, y, h, c):
        """The earlier child's weight in a head: value, slope, error, reach, and how x and y move
        the score."""
        query, qy = y.centre @ self.query[:, c], y.rows @ self.query[:, c]
        far, near = x.centre @ self.key[:, c], y.centre @ self.key[:, c]
        along_x = (x.rows @ self.key[:, c]) @ query * self.scale
        along_y = (qy @ (far - near) - (y.rows @ self.key[:, c]) @ query) * self.scale
        score = (query @ (far - near)) * self.scale + self.relative[h]
        across, least, most = self.quadratic(x, y, h, c)
        across, least, most = across * x.radius * y.radius, least * y.radius ** 2, most * y.radius ** 2
        # zy Qy Ky' zy' is taken off: it lies between -least and most
        loose = (across + max(least, most)) * WIDER + float(score.rad) * WIDER + TINY
        by = float(root(squares(along_x)) + root(squares(along_y))) * WIDER + loose
        at = float(score.mid)
        return (*line("logistic", at, at - by * WIDER, at + by * WIDER, loose), along_x, along_y)

    def attend(self, x, y):
        d = self.d
        centre, joint_y = y.centre @ self.centred, y.rows @ self.centred
        joint_x, alone, gathered = Ball(np.zeros((d, d))), [], [Ball(np.zeros((d, d)))]
        for h, c in enumerate(self.columns()):
            later = y.centre @ self.through[h]
            centre, ways_y = centre + later, y.rows @ self.through[h]
            if x is None:
                joint_y = joint_y + ways_y
                continue
            gap, ways_x = x.centre @ self.through[h] - later, x.rows @ self.through[h]
            value, slope, error, reach, along_x, along_y = self.weigh(x, y, h, c)
            centre = centre + gap * value
            joint_x = joint_x + ways_x * value + along_x[:, None] * gap[None] * slope
            joint_y = joint_y + ways_y * (Ball(1.0) - value) + along_y[:, None] * gap[None] * slope
            alone.append(gap * error)
            gathered += [(ways_x.T @ ways_x) * (reach * reach * WIDER),
                         (ways_y.T @ ways_y) * (reach * reach * WIDER)]
        rows = stack(alone) if alone else Ball(np.zeros((0, d)))
        return Set(centre, [joint_x, joint_y], around(gathered), rows)

    def normalise(self, s, gain, offset):
        """Layer norm of a centred set."""
        d, c = self.d, s.centre
        square = c @ c
        mean = square * from_interval(1 / iv.mpf(d)) + EPSILON
        at, loose, far = float(mean.mid), float(mean.rad) * 2 + TINY, s.reach()
        along = float(s.widths(c[:, None])[0]) * 2 / d * WIDER + loose
        second = far * far / d * WIDER
        least = max(0.0, np.sqrt(max(0.0, float(square.below()))) / WIDER - far)
        low = max(at - along * WIDER, (least ** 2 / d + EPSILON) / WIDER)
        most = float(root(square.above())) + far
        high = min(at + (along + second) * WIDER, (most ** 2 / d + EPSILON) * WIDER)
        value, slope, error, reach = inverse_root(at, min(low, at), max(high, at), second + loose)
        # the square may be below `at` by what it is rounded by
        error += abs(slope) * loose * WIDER
        rest = [j.T @ j for j in s.joint] + [s.ellipsoid]
        lengths = root(squares(s.alone.T)) if len(s.alone.mid) else np.zeros(0)
        keep = np.flatnonzero(lengths > 0)
        if len(keep):
            rows = s.alone[keep]
            rest.append((rows * Ball(1 / lengths[keep])[:, None]).T @ rows *
                        (float(lengths[keep].sum()) * WIDER))
        turn = Ball(np.eye(d)) * value + c[:, None] * c[None] * (
            Ball(slope * 2) * from_interval(1 / iv.mpf(d)))
        moved = s.turned(turn)
        moved.ellipsoid = around([moved.ellipsoid] + [k * (reach * reach * WIDER) for k in rest])
        row = (c * error)[None]
        moved.alone = Ball(np.vstack([moved.alone.mid, row.mid]), np.vstack([moved.alone.rad, row.rad]))
        moved.centre = c * value
        moved = moved.turned(np.diag(gain))
        moved.centre = moved.centre + offset
        return moved

    def feed(self, s):
        inner = s.centre @ self.up + self.up_bias
        by = (s.widths(self.up) + inner.rad) * WIDER
        low, high = (inner.mid - by) - 1e-300, (inner.mid + by) + 1e-300
        slope, most = chords(low, high)
        both = self.centred + Ball(self.up * slope) @ self.down @ self.centred
        kept = Set(s.centre, s.joint, s.ellipsoid, s.alone).turned(both)
        rest = Ball(most / 2) @ Ball(self.down) + Ball(slope * self.up_bias) @ self.down + self.down_bias
        kept.centre = kept.centre + rest @ self.centred
        unsure = np.flatnonzero(most > 0)
        rows = (Ball(self.down[unsure]) * Ball(most[unsure] / 2 * WIDER)[:, None]) @ self.centred
        kept.alone = Ball(np.vstack([kept.alone.mid, rows.mid]), np.vstack([kept.alone.rad, rows.rad]))
        return kept

    def pair(self, x, y):
        """The set of what becomes of two ellipsoids; x None: nothing is there."""
        x = self.missing if x is None else x
        s = self.normalise(self.attend(x, y), *self.norms[0])
        return self.normalise(self.feed(s), *self.norms[1])

    def points(self, xs, ys):
        """What becomes of vectors, a row of each pair; x None: nothing is there."""
        alone = np.array([x is None for x in xs])
        pad = None if self.missing is None else self.missing.centre
        x = stack([y if x is None and pad is None else pad if x is None else x for x, y in zip(xs, ys)])
        y = stack(ys)
        of_head = np.kron(np.eye(self.heads), np.ones((self.width, 1)))
        score = ((y @ self.query) * (x @ self.key - y @ self.key)) @ of_head * self.scale + self.relative
        weight = logistic(score) * np.where(alone & (pad is None), 0.0, 1.0)[:, None]
        later = y @ self.value
        s = y + (later + (x @ self.value - later) * (weight @ of_head.T)) @ self.output
        s = self.normalise_points(s, *self.norms[0])
        inner = s @ self.up + self.up_bias
        units = between(np.maximum(0, inner.below()), np.maximum(0, inner.above()))
        return self.normalise_points(s + units @ self.down + self.down_bias, *self.norms[1])

    def normalise_points(self, s, gain, offset):
        c = s @ self.centred
        square = (c * c) @ np.ones((self.d, 1)) * from_interval(1 / iv.mpf(self.d)) + EPSILON
        low, high = square.below(), square.above()
        if not (low > 0).all():
            raise Refused("a layer norm divides by what may be nothing")
        return c * between(1 / np.sqrt(high) / WIDER, 1 / np.sqrt(low) * WIDER) * gain + offset

    def lead(self, e, right, other):
        """By how much one logit is ahead of another's at least."""
        way = Ball(self.head[:, right]) - self.head[:, other]
        at = e.centre @ way + (Ball(self.head_bias[right]) - self.head_bias[other])
        return float(at.below()) - float(root(squares((e.rows @ way)[:, None])[0])) * WIDER
