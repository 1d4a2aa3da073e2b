"""Functions of the letter at a position and of signs: is a sum over all positions so far a number at least?

They are decision diagrams, the same ones where they are the same functions.  A sign is known by the function that is
summed and the least whole number that will do, so that what says the same in another way is the same.
"""

import math
from fractions import Fraction

from balls import Refused

MOST_NODES = 400000


class Functions:
    """Numbers by letter (a tuple) and by signs: diagrams, each node a number here, made once."""

    def __init__(self, letters):
        self.node, self.known, self.sums, self.signs, self.letters = [], {}, {}, {}, letters

    def make(self, sign, high, low=None):
        if high == low:
            return high
        key = sign, high, low
        if key not in self.known:
            if len(self.node) == MOST_NODES:
                raise Refused("too many signs meet in one number")
            self.known[key] = len(self.node)
            self.node.append(key)
        return self.known[key]

    def leaf(self, x):
        return self.make(math.inf, Fraction(x))

    def plus(self, x, by, y):
        """x + by y."""
        if by == 0:
            return x
        key = x, by, y
        if key not in self.sums:
            (s, a, b), (t, c, d) = self.node[x], self.node[y]
            if s == t == math.inf:
                self.sums[key] = self.leaf(a + by * c)
            else:
                first = min(s, t)
                a, b, c, d = a if s == first else x, b if s == first else x, c if t == first else y, d if t == first else y
                self.sums[key] = self.make(first, self.plus(a, by, c), self.plus(b, by, d))
        return self.sums[key]

    def change(self, x, f, done):
        """f of every number that x can be."""
        if x not in done:
            sign, high, low = self.node[x]
            done[x] = self.leaf(f(high)) if sign == math.inf else \
                self.make(sign, self.change(high, f, done), self.change(low, f, done))
        return done[x]

    # -- the same for all letters

    def constant(self, x):
        return (self.leaf(x),) * self.letters

    def each(self, f, x):
        return tuple(self.change(one, f, {}) for one in x)

    def total(self, parts, plus=0):
        """A sum of numbers times functions."""
        to = self.constant(plus)
        for by, x in parts:
            to = tuple(self.plus(a, by, b) for a, b in zip(to, x)) if by else to
        return to

    def numbers(self, x):
        met, queue = set(x), list(x)
        for i in queue:
            sign, high, low = self.node[i]
            for j in (high, low) if sign != math.inf else ():
                if j not in met:
                    met.add(j)
                    queue.append(j)
        return [self.node[i][1] for i in queue if self.node[i][0] == math.inf]

    def at_least(self, x, least, apart=False):
        """1 or 0: is the sum of x over all positions so far, the beginning left out, that much?  apart: it is to
        be no such sum."""
        numbers = self.numbers(x)
        by = math.lcm(*(n.denominator for n in numbers))
        unit = Fraction(math.gcd(*(int(n * by) for n in numbers)), by)
        if apart and not (least / unit % 1 if unit else least):
            raise Refused("a sum can be zero where its sign is taken")
        if least <= min(numbers) >= 0 or least > max(numbers) <= 0:  # there is a position
            return self.constant(least <= min(numbers))
        x, least = self.each(lambda n: n / unit, x), math.ceil(Fraction(least) / unit)
        turned = self.each(lambda n: -n, x)
        if turned < x:  # the one of the two that was made first stands for both
            return self.total([(-1, self.sign(turned, 1 - least))], 1)
        return self.sign(x, least)

    def sign(self, x, least):
        number = self.signs.setdefault((x, least), len(self.signs))
        return (self.make(number, self.leaf(1), self.leaf(0)),) * self.letters
