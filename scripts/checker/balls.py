"""Numbers known to within a radius, and lines beside curves.

Products of matrices are BLAS's, with the error bound that holds for any order of summation (Rump,
Fast and parallel interval arithmetic, BIT 39, 1999); what is neither sum nor product is done by the
interval functions of mpmath.
"""

import numpy as np
from mpmath import iv, mp

UNIT = 2.0 ** -53
WIDER = 1 + 1e-11  # a bound of non-negative terms, each sum of fewer than 10,000 of them
TINY = 1e-290  # underflow
EPSILON = 1e-5  # what layer norms add to the variance


class Refused(Exception):
    """Why a certificate does not hold."""


class Ball:
    """An array of numbers: each lies within `rad` of `mid`."""

    __array_priority__ = 1000

    def __init__(self, mid, rad=None):
        self.mid = np.asarray(mid, dtype=float)
        self.rad = np.zeros_like(self.mid) if rad is None else np.asarray(rad, dtype=float)

    def __add__(self, other):
        other = ball(other)
        mid = self.mid + other.mid
        return Ball(mid, (self.rad + other.rad + UNIT * abs(mid)) * WIDER + TINY)

    __radd__ = __add__

    def __neg__(self):
        return Ball(-self.mid, self.rad)

    def __sub__(self, other):
        return self + -ball(other)

    def __rsub__(self, other):
        return ball(other) - self

    def __mul__(self, other):
        other = ball(other)
        mid = self.mid * other.mid
        rad = abs(self.mid) * other.rad + self.rad * (abs(other.mid) + other.rad)
        return Ball(mid, (rad + UNIT * abs(mid)) * WIDER + TINY)

    __rmul__ = __mul__

    def __matmul__(self, other):
        other = ball(other)
        n = self.mid.shape[-1]
        gamma = (n + 2) * UNIT / (1 - (n + 2) * UNIT)
        size = abs(self.mid)
        rad = size @ (other.rad + gamma * abs(other.mid)) + self.rad @ (abs(other.mid) + other.rad)
        return Ball(self.mid @ other.mid, rad * WIDER + TINY * (n + 1))

    def __rmatmul__(self, other):
        return ball(other) @ self

    def __getitem__(self, at):
        return Ball(self.mid[at], self.rad[at])

    @property
    def T(self):
        return Ball(self.mid.T, self.rad.T)

    def most(self):
        """Upper bounds of the magnitudes."""
        return (abs(self.mid) + self.rad) * WIDER

    def above(self):
        return self.mid + self.rad + UNIT * 2 * (abs(self.mid) + self.rad) + TINY

    def below(self):
        return -(-self).above()

    def interval(self):
        return iv.mpf([float(self.below()), float(self.above())])


def ball(x):
    return x if isinstance(x, Ball) else Ball(x)


def from_interval(x):
    low, high = float(mp.mpf(x.a)), float(mp.mpf(x.b))
    middle = (low + high) / 2
    return Ball(middle, (max(high - middle, middle - low) + 4 * UNIT * (abs(low) + abs(high))) * WIDER)


def stack(balls):
    return Ball(np.array([b.mid for b in balls]), np.array([b.rad for b in balls]))


def between(low, high):
    """Numbers of which bounds are known."""
    middle = low + (high - low) / 2
    return Ball(middle, np.maximum(high - middle, middle - low) * WIDER + 4 * UNIT * (abs(low) + abs(high)))


def logistic(x):
    """1 / (1 + exp(-x)), of arrays: by the powers of exp(-|x| / 1024), and by the slope, which is 1/4 at most."""
    at = np.clip(x.mid, -64, 64)  # beyond these it is within 1e-27 of 0 or 1
    small, e, term = Ball(-abs(at) / 1024), Ball(np.ones_like(at)), Ball(np.ones_like(at))
    for n in range(1, 13):
        term = term * small * from_interval(1 / iv.mpf(n))
        e = e + term
    e.rad = e.rad + 1e-25  # (1/16)^13 / 13!
    for _ in range(10):
        e = e * e
    far = between(1 / (1 + e.above()) / WIDER, 1 / (1 + e.below()) * WIDER)
    value = far * np.where(at < 0, -1.0, 1.0) + np.where(at < 0, 1.0, 0.0)
    return Ball(value.mid, (value.rad + x.rad / 4 + 1e-27) * WIDER)


def squares(x):
    """An upper bound of the sum of squares of each column."""
    return (x.most() ** 2).sum(axis=0) * WIDER + TINY


def root(x):
    """An upper bound of the root of a bound."""
    return np.sqrt(np.maximum(x, 0)) * WIDER


def directions(k):
    """Nearly the eigenvectors of a symmetric matrix.  They are a hint: LAPACK at times finds none from one
    triangle of a harmless matrix, and from the other it does."""
    for triangle in "LU":
        try:
            return np.linalg.eigh(k, triangle)[1]
        except np.linalg.LinAlgError:
            pass
    return np.eye(len(k))


def greatest_eigenvalue(k):
    """An upper bound of the greatest eigenvalue of a symmetric ball matrix, not below 0.  For any
    invertible V it is the greatest of y' (V'KV) y / y' (V'V) y, and rows of sums bound both."""
    middle = (k.mid + k.mid.T) / 2
    if not np.isfinite(middle).all() or not np.isfinite(k.rad).all():
        return np.inf
    v = Ball(directions(middle))
    turned, gram = v.T @ k @ v, v.T @ v - np.eye(len(middle))
    diagonal = np.diag(turned.mid) + np.diag(turned.rad)
    beside = turned.most()
    np.fill_diagonal(beside, 0)
    off = gram.most().sum(axis=1).max() * WIDER
    if not (np.isfinite(turned.mid).all() and np.isfinite(turned.rad).all() and off < 0.5):
        return np.inf
    top = (diagonal + beside.sum(axis=1) * WIDER + abs(diagonal) * 1e-14).max()
    return max(0.0, top) / (1 - off) * WIDER


def norm(rows):
    """An upper bound of |z rows| over |z| <= 1."""
    gram = rows @ rows.T if len(rows.mid) <= rows.mid.shape[1] else rows.T @ rows
    return root(greatest_eigenvalue(gram))


CURVES = {
    "logistic": lambda x: 1 / (1 + iv.exp(-x)),
    "tanh": lambda x: 2 / (1 + iv.exp(-2 * x)) - 1,
}


def line(curve, at, low, high, loose=0.0):
    """value, slope, error, reach: for x in [low, high], itself `at` + a linear part to within
    `loose`, the curve is value + slope times the linear part to within error, and within reach of
    value.  The slope is any number; here it is about that of the tangent."""
    f = CURVES[curve]
    p = float(mp.mpf(f(iv.mpf(at)).mid))
    slope = (p * (1 - p) if curve == "logistic" else 1 - p * p) * (1 - 1e-15)
    scale = 1 if curve == "logistic" else 2  # tanh(x) = 2 logistic(2x) - 1, its slope 4 q (1 - q)
    points = [iv.mpf(low), iv.mpf(high)]
    # The curve has the line's slope where q (1 - q) is this: two places, which may lie outside.
    d = iv.sqrt(1 - 4 * iv.mpf(slope) / scale ** 2)
    for q in ((1 + d) / 2, (1 - d) / 2) if slope > 0 else ():
        first = iv.log(iv.mpf(q.a) / (1 - iv.mpf(q.a))).a / scale if q.a > 0 else low
        last = iv.log(iv.mpf(q.b) / (1 - iv.mpf(q.b))).b / scale if q.b < 1 else high
        first, last = max(low, float(mp.mpf(first)) - 1e-12), min(high, float(mp.mpf(last)) + 1e-12)
        if first <= last:
            points.append(iv.mpf([first, last]))
    off = [f(x) - p - iv.mpf(slope) * (x - at) for x in points]
    least = min(0.0, *(float(mp.mpf(o.a)) for o in off)) - slope * loose
    most = max(0.0, *(float(mp.mpf(o.b)) for o in off)) + slope * loose
    value = p + (least + most) / 2
    error = (most - least) / 2 + 1e-14
    ends = [f(iv.mpf(x)) - value for x in (low, high)]
    reach = max(float(mp.mpf(abs(e).b)) for e in ends)
    return value, slope, error * WIDER + 1e-14, reach * WIDER


def inverse_root(at, low, high, second):
    """The same of 1 / sqrt(x), for x = at + a linear part + something between 0 and second."""
    value, slope = at ** -0.5, -0.5 * at ** -1.5
    ends = [1 / iv.sqrt(iv.mpf(x)) - value - iv.mpf(slope) * (iv.mpf(x) - at) for x in (low, high)]
    most = max(0.0, *(float(mp.mpf(e.b)) for e in ends))  # it is convex: greatest at the ends
    least = min(0.0, float(mp.mpf((1 / iv.sqrt(iv.mpf(at)) - value).a)))
    least += slope * (second + 8 * UNIT * max(at - low, high - at))
    middle = value + (least + most) / 2
    ends = [1 / iv.sqrt(iv.mpf(x)) - middle for x in (low, high)]
    reach = max(float(mp.mpf(abs(e).b)) for e in ends)
    return middle, slope, (most - least) / 2 * WIDER + 1e-14 * value, reach * WIDER


def chords(low, high):
    """slope, most: of units whose inputs lie in [low, high]; max(0, x) - slope x lies between 0 and
    most, which is met at an end.  Where a unit does not bend it is linear, and nothing is missed."""
    bent = high / np.where(high > low, high - low, 1)
    slope = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, bent))
    most = np.maximum(0, np.maximum(-slope * low, (1 - slope) * high)) * WIDER
    return slope, np.where((slope > 0) & (slope < 1), most, 0.0)
