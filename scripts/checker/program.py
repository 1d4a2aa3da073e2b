"""Bare transformers that take means, and the formula of counts that they are said to compute.

Nothing of how such a model was made is asked.  What a coordinate holds at a position is worked out from the
weights in exact fractions, as a function (functions.py) of the letter there and of the signs of sums over positions; so
is the formula, from its text.  They have to be the same.  What is shown is of real numbers.

A mean is the sum over all positions by how many they are, and only looked at by heads that see the beginning
where it is above 0, and nothing where it is below.
"""

import re
from collections import namedtuple
from fractions import Fraction

import numpy as np

from balls import Refused
from bare import OPTIONS
from functions import Functions


# ---- the model -----------------------------------------------------------------------------------


class Counter:
    """What coordinates hold: at the beginning a number; else what is there, and what a mean there is of."""

    def __init__(self, m):
        o = m.take({**OPTIONS, "causal": "yes", "attention": "average", "position": "none"})
        if m.kind != "bare" or (o.get("causal"), o.get("attention"), o.get("position")) != ("yes", "average", "none"):
            raise Refused("the model does not take means")
        self.dim, self.heads, self.layers = (int(o[n]) for n in ("dim", "heads", "layers"))
        self.m, self.f = m, Functions(len(m.signature["symbols"]))

    def columns(self, name):
        """Of a matrix, column by column: the bias, and rows with numbers that are not 0."""
        w = np.atleast_2d(self.m[name])
        return [(Fraction(b), [(i, Fraction(column[i])) for i in np.flatnonzero(column)])
                for b, column in zip(self.m[name + "_bias"].ravel(), w.T)]

    def times(self, begins, here, name):
        """What a matrix makes of numbers at the beginning, and elsewhere."""
        columns = self.columns(name)
        return ([b + sum(w * begins[i] for i, w in rows) for b, rows in columns],
                [self.f.total([(w, here[i]) for i, w in rows], b) for b, rows in columns])

    def run(self):
        """By how much the second class leads, at all positions but the beginning."""
        f, embedding, none = self.f, self.m["embedding"], self.f.constant(0)
        self.begins = [Fraction(x) for x in embedding[-1]]
        self.here = [tuple(f.leaf(x) for x in column) for column in embedding[:-1].T]
        self.mean = [(Fraction(0), none)] * self.dim
        for i in range(self.layers):
            self.layer(f"layer{i}.")
        _, (first, second) = self.times(*self.read("head"), "head")
        return f.total([(1, second), (-1, first)])

    def read(self, name):
        """What a matrix reads; means it must not."""
        zero = Fraction(0), self.f.constant(0)
        for i, w in enumerate(np.atleast_2d(self.m[name])):
            if w.any() and self.mean[i] != zero:
                raise Refused("means are mixed with other numbers")
        return self.begins, self.here

    def layer(self, layer):
        f, d = self.f, self.dim
        query = self.columns(layer + "attention.query")
        begins, here = self.times(*self.read(layer + "attention.key_value"), layer + "attention.key_value")
        output, width = self.m[layer + "attention.output"], d // self.heads
        gives, means = [(Fraction(0), f.constant(0))] * d, []
        for h in range(self.heads):
            at = range(h * width, (h + 1) * width)
            if not any(b or rows for b, rows in query[at.start:at.stop]):  # all keys are as good: the mean
                means += at
                continue
            seen = self.sees(at, query, begins, here)
            for c in at:
                gives[c] = begins[d + c], f.total([(begins[d + c], seen)])
        mean = list(self.mean)
        for c in range(d):
            rows = [(i, Fraction(output[i, c])) for i in np.flatnonzero(output[:, c])]
            of = [(w, i) for i, w in rows if i in means]
            mean[c] = (mean[c][0] + sum(w * begins[d + i] for w, i in of),
                       f.total([(1, mean[c][1]), *((w, here[d + i]) for w, i in of)]))
            bias = Fraction(self.m[layer + "attention.output_bias"].ravel()[c])
            self.begins[c] += bias + sum(w * gives[i][0] for i, w in rows)
            self.here[c] = f.total([(1, self.here[c]), *((w, gives[i][1]) for i, w in rows)], bias)
        self.mean = mean
        begins, here = self.times(*self.read(layer + "feed_forward.up"), layer + "feed_forward.up")
        begins, here = self.times([max(Fraction(0), x) for x in begins], [f.each(lambda n: max(Fraction(0), n), x) for x in here],
                                  layer + "feed_forward.down")
        self.begins = [a + b for a, b in zip(self.begins, begins)]
        self.here = [f.total([(1, a), (1, b)]) for a, b in zip(self.here, here)]

    def sees(self, at, query, begins, here):
        """1 or 0: does a head see the beginning alone, whose key is the only one that is not 0, or all others,
        whose values are 0?"""
        f, none, d = self.f, self.f.constant(0), self.dim
        if any(here[c] != none or here[d + c] != none for c in at):
            raise Refused("a head that takes a sign sees more than the beginning")
        start, parts = Fraction(0), []
        for c in at:
            bias, rows = query[c]
            if begins[c] and (bias or any(self.begins[i] or self.here[i] != none for i, _ in rows)):
                raise Refused("a head takes the sign of more than means")
            start += begins[c] * sum(w * self.mean[i][0] for i, w in rows)
            parts += [(begins[c] * w, self.mean[i][1]) for i, w in rows]
        return f.at_least(f.total(parts), -start, True)


# ---- the formula ---------------------------------------------------------------------------------

TOKEN = re.compile(r"\s*(\Z|<->|->|<=|>=|!=|'[^']+'|\d+|[a-z][a-z0-9]+|.)", re.S)
SAME = {"↔": "<->", "→": "->", "∨": "|", "∧": "&", "¬": "!", "≤": "<=", "≥": ">=", "≠": "!="}
COMPARE, SUM, TIMES, COUNT, DEEPEST = 6, 7, 8, 9, 100
BINDS = {"<->": 1, "->": 2, "|": 3, "&": 4, **dict.fromkeys("URST", 5), "+": SUM, "-": SUM, "*": TIMES,
         **dict.fromkeys(("<", "<=", ">", ">=", "=", "!="), COMPARE)}

# Functions at a word's last position: what is true at the position itself, at the last one, at the first; None: that is
# no count.  only: True: it is at the last position alone; None: at all others.
Said = namedtuple("Said", "here end begin only", defaults=(False,))
Sum = namedtuple("Sum", "number of")


class Formula:
    """Reads a formula, and makes of it what it says, operator by operator."""

    def __init__(self, f, text, symbols):
        self.f, self.text, self.at, self.symbols, self.names, self.deep = f, text, 0, symbols, {}, 0
        self.yes, self.no, self.second = f.constant(1), f.constant(0), f.at_least(f.constant(1), 2)

    def fail(self, what):
        raise Refused(f"the formula, column {self.at + 1}: {what}")

    def next(self, move=True):
        found = TOKEN.match(self.text, self.at)
        self.at = found.end() if move else self.at
        return SAME.get(found[1], found[1])

    def whole(self):
        while (name := re.compile(r"\s*([a-z][a-z0-9]+)\s*=").match(self.text, self.at)):
            if name[1] in self.names:
                self.fail(f"{name[1]} is defined already")
            self.at = name.end()
            self.names[name[1]] = self.read(1, Said)
            if self.next() != ";":
                self.fail("an operator or ; was expected")
        x = self.read(1, Said)
        return x.begin if not self.next(False) else self.fail("an operator or the end was expected")

    def read(self, least, kind):
        """What stands here, as far as operators bind so much."""
        self.deep += 1
        x = self.operand(least) if self.deep < DEEPEST else self.fail("brackets and operators are too deep")
        while (binds := BINDS.get(self.next(False), 0)) >= least:
            sign = self.next()
            if not isinstance(x, Said if binds < COMPARE else Sum):
                self.fail(f"{sign} stands behind what it is not for")
            y = self.read(binds + (sign not in ("->", *"URST")), type(x))
            x = self.compare(sign, x, y) if binds == COMPARE else self.add(sign, x, y) if binds > COMPARE else self.join(sign, x, y)
        self.deep -= 1
        return x if isinstance(x, kind) else self.fail(f"{'a sum' if kind is Sum else 'a formula'} was expected")

    def operand(self, least):
        sign = self.next()
        if sign == "(":
            x = self.read(1, Said)
            return x if self.next() == ")" else self.fail(") was expected")
        if sign == "#":
            x = self.read(COUNT, Said).here
            return Sum(0, x) if x else self.fail("what is counted is told by later positions, or is no count")
        if sign == "-":
            x = self.read(TIMES, Sum)
            return Sum(-x.number, self.f.total([(-1, x.of)]))
        if sign and sign in "!XNYZFGPH":
            return self.prefix(sign, self.read(max(least, COMPARE), Said))
        if sign.isdigit() and not (sign in self.symbols and (least == COUNT or BINDS.get(self.next(False), 0) < COMPARE)):
            return Sum(int(sign), self.no)
        if sign in ("true", "false", "empty"):
            return self.past(self.yes if sign == "true" else self.no)
        if sign in self.names:
            return self.names[sign]
        if sign in ("first", "last"):
            return self.past(self.opposite(self.second)) if sign == "first" else self.prefix("N", self.past(self.no))
        if sign.strip("'") not in self.symbols or sign in BINDS:
            self.fail("a letter, an operator or ( was expected")
        return self.past(tuple(self.f.leaf(name == sign.strip("'")) for name in self.symbols))

    def opposite(self, x):
        return self.f.total([(-1, x)], 1) if x else None

    def both(self, x, y):
        return self.f.each(lambda n: max(Fraction(0), n), self.f.total([(1, x), (1, y)], -1)) if x and y else None

    def past(self, x):
        """What is told by a position and those before: at the first one, if it once was, there."""
        if not x or x in (self.yes, self.no):
            return Said(x, x, x)
        return Said(x, x, self.f.at_least(self.both(x, self.opposite(self.second)), 1))

    def turn(self, x):
        return Said(*map(self.opposite, x[:3]), {None: True, True: None}.get(x.only, False))

    def prefix(self, sign, x):
        if sign in "NZGH":
            return self.turn(self.prefix(dict(N="X", Z="Y", G="F", H="P")[sign], self.turn(x)))
        if sign == "!":
            return self.turn(x)
        if sign == "X":
            return Said(None, self.no, None, None if x.here == self.yes else False)
        if sign == "Y":
            return self.past(self.second if x.here == self.yes else None)
        return self.join("U" if sign == "F" else "S", self.past(self.yes), x)

    def join(self, sign, x, y):
        if sign in ("|", "R", "T"):
            return self.turn(self.join({"|": "&", "R": "U", "T": "S"}[sign], self.turn(x), self.turn(y)))
        if sign == "->":
            return self.join("|", self.turn(x), y)
        if sign == "<->":
            return self.join("&", self.join("->", x, y), self.join("->", y, x))
        if sign == "&":
            return Said(*map(self.both, x[:3], y[:3]), True in (x.only, y.only))
        ever = self.f.at_least(y.here, 1) if y.here and x.here == self.yes else None
        return self.past(ever) if sign == "S" else Said(None, y.end, y.end if y.only and x.here == self.yes else ever)

    def add(self, sign, x, y):
        if sign == "*":
            return Sum(x.number * y.number, self.f.total([(x.number, y.of)])) if x.of == self.no else self.fail("a number is for *")
        by = 1 if sign == "+" else -1
        return Sum(x.number + by * y.number, self.f.total([(1, x.of), (by, y.of)]))

    def compare(self, sign, x, y):
        number, of = self.add("-", x, y)
        less, more = self.opposite(self.f.at_least(of, -number)), self.f.at_least(of, 1 - number)
        x = {"<": less, ">": more}.get(sign[:1]) if sign in "<>" else self.opposite({"<=": more, ">=": less}.get(sign))
        x = x or self.both(self.opposite(less), self.opposite(more))
        return self.past(self.opposite(x) if sign == "!=" else x)


def check_program(c, m):
    """How many signs of sums the model takes."""
    k = Counter(m)
    if len(c.classes) != 2:
        raise Refused("a formula has two answers")
    lead = k.run()
    signs = len(k.f.signs)
    if 0 in k.f.numbers(lead):
        raise Refused("both answers can be as likely")
    due = Formula(k.f, c.formula, c.symbols).whole()
    if not due:
        raise Refused("what later positions tell, or was true just before or since, is no count")
    if k.f.each(lambda n: Fraction(n > 0), lead) != due:
        raise Refused("what the weights compute is not what the formula says")
    return signs
