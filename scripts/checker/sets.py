"""Sets of vectors: sums of ellipsoids and boxes around a centre."""

import numpy as np

from balls import WIDER, Ball, Refused, ball, greatest_eigenvalue, norm, root, squares


class Set:
    """centre + z1 joint[0] + z2 joint[1] + ... + e + b alone: |z| <= 1 each, e of an ellipsoid with
    |<a, e>| <= sqrt(a' Q a) in every direction a, and -1 <= b <= 1."""

    def __init__(self, centre, joint, ellipsoid, alone):
        self.centre, self.joint, self.ellipsoid, self.alone = centre, joint, ellipsoid, alone

    def turned(self, m):
        m = ball(m)
        alone = self.alone @ m if len(self.alone.mid) else Ball(np.zeros((0, m.mid.shape[1])))
        return Set(self.centre @ m, [j @ m for j in self.joint], m.T @ self.ellipsoid @ m, alone)

    def widths(self, m):
        """How far it reaches from its centre along each column of m."""
        m = ball(m)
        to = root((np.ones(len(m.mid)) @ (m * (self.ellipsoid @ m))).above())
        for j in self.joint:
            to = to + root(squares(j @ m))
        if len(self.alone.mid):
            to = to + (self.alone @ m).most().sum(axis=0)
        return to * WIDER

    def parts(self):
        """Gram matrices of its parts, and upper bounds of their norms."""
        found = [(j.T @ j, norm(j)) for j in self.joint]
        found.append((self.ellipsoid, root(greatest_eigenvalue(self.ellipsoid))))
        lengths = root(squares(self.alone.T)) if len(self.alone.mid) else np.zeros(0)
        keep = np.flatnonzero(~(lengths <= 0))  # what is no number counts, too
        rows = self.alone[keep]
        total = float(lengths[keep].sum()) * WIDER
        if len(keep):
            found.append(((rows * Ball(1 / lengths[keep])[:, None]).T @ rows * total, total))
        return [(k, w) for k, w in found if not w <= 0]

    def reach(self):
        """An upper bound of the distance of its vectors from the centre: of the ellipsoid
        (sum w) sum K / w around all parts, of their sum, of the box."""
        parts = self.parts()
        if not parts:
            return 0.0
        total = sum(w for _, w in parts) * WIDER
        joint = sum((k * (1 / w) for k, w in parts), Ball(np.zeros_like(self.ellipsoid.mid)))
        around = root(total * greatest_eigenvalue(joint))
        box = root((self.widths(np.eye(len(self.ellipsoid.mid))) ** 2).sum())
        return float(np.min([around, total, box])) * WIDER  # no number if one of them is none


def around(parts):
    """The matrix of an ellipsoid around a sum of parts, by their Gram matrices."""
    sizes = [(k, float(root(np.diag(k.mid + k.rad).sum() * WIDER))) for k in parts]
    sizes = [(k, s) for k, s in sizes if not s <= 0]
    total = sum(s for _, s in sizes)
    zero = Ball(np.zeros_like(parts[0].mid))
    # 1/s times total is rounded: a factor a little above 1 covers it
    return sum((k * (total / s * (1 + 1e-12)) for k, s in sizes), zero)


ROUND = {}  # the matrix of all balls of a dimension


class Ellipsoid:
    """centre + radius z A, |z| <= 1."""

    def __init__(self, centre, radius=0.0, shape=None):
        self.centre = ball(centre)
        d = len(self.centre.mid)
        self.radius, self.shape = radius, ROUND.setdefault(d, np.eye(d)) if shape is None else shape
        self.inverse, self.loose = self.shape, 1.0
        if shape is not None:
            self.inverse = np.linalg.inv(shape)
            off = float(root(((Ball(np.eye(d)) - Ball(shape) @ self.inverse).most() ** 2).sum()))
            if not off < 1e-6:
                raise Refused("the matrix of a set has no inverse")
            self.loose = 1 / (1 - off) * WIDER
        self.stretch = norm(Ball(self.inverse)) * self.loose * WIDER if shape is not None else 1.0
        self.rows = Ball(self.shape) * radius

    def holds(self, s, slack):
        """How far the vectors of a set, each off by slack, get from the centre, in radii."""
        d = len(self.inverse)
        moved = Set(s.centre - self.centre, s.joint, s.ellipsoid, s.alone).turned(self.inverse)
        parts = Set(Ball(np.zeros(d)), moved.joint, moved.ellipsoid,
                    Ball(np.vstack([moved.alone.mid, moved.centre.mid[None]]),
                         np.vstack([moved.alone.rad, moved.centre.rad[None]])))
        return (parts.reach() * self.loose + slack * self.stretch) * WIDER / self.radius
