"""One step of a recurrent network, over a set of states.

What goes into a unit is kept as a value, a row of coefficients of the set's coordinates, and half a
box; a sigmoid is replaced by a line with what is missing of it; a product loses what is of second
order to the box.
"""

import numpy as np

from balls import WIDER, Ball, Refused, chords, line, root, squares, stack
from sets import Ellipsoid, Set

GATES = {"rnn": 1, "lstm": 4, "gru": 3}
OPTIONS = {"dim": None, "forget": None, "layers": None, "activation": None, "head": None, "head_hidden": None,
           "head_activation": None}


class Form:
    """at + z rows + b box: |z| <= 1, -1 <= b <= 1, a number for every unit."""

    def __init__(self, at, rows, box):
        self.at, self.rows, self.box = Ball(at.mid), rows, (box + at.rad) * WIDER

    def reach(self):
        return (root(squares(self.rows)) + self.box) * WIDER

    def __add__(self, other):
        return Form(self.at + other.at, self.rows + other.rows, self.box + other.box)

    def __sub__(self, other):
        return Form(self.at - other.at, self.rows - other.rows, self.box + other.box)

    def __mul__(self, other):
        second = self.reach() * other.reach()
        box = abs(self.at.mid) * other.box + abs(other.at.mid) * self.box + second
        return Form(self.at * other.at, self.rows * other.at + other.rows * self.at, box * WIDER)

    def bend(self, curve):
        by, n = self.reach(), len(self.box)
        lines = [line(curve, at, (at - b) - 1e-15 * abs(at), (at + b) + 1e-15 * abs(at), float(loose))
                 for at, b, loose in zip(self.at.mid.tolist(), by.tolist(), self.box)]
        value, slope, error, _ = (np.array([x[i] for x in lines]).reshape(n) for i in range(4))
        return Form(Ball(value), self.rows * slope, error)

    def times(self, weight):
        """Of all numbers through a matrix: what is alone in a box goes there by magnitude."""
        return Form(self.at @ weight, self.rows @ weight, self.box @ abs(weight) * WIDER)

    def relu(self):
        by = self.reach()
        low, high = self.at.mid - by - 1e-300, self.at.mid + by + 1e-300
        slope, most = chords(low, high)
        return Form(self.at * slope + most / 2, self.rows * slope, (slope * self.box + most / 2) * WIDER)


class Cell:
    def __init__(self, m):
        options = m.take(OPTIONS)
        self.linear, self.tanh = options.get("head") == "linear", options.get("activation") == "tanh"
        if options.get("head", "relu") not in ("relu", "linear"):
            raise Refused(f"nothing is known here of head={options['head']}")
        self.kind, self.width = m.kind, int(options["dim"])
        n, self.gates = self.width, GATES[m.kind]
        self.own = 2 * n if m.kind == "lstm" else n
        self.layers = [self.layer(m, i) for i in range(int(options.get("layers", "1")))]
        self.d = self.own * len(self.layers)
        units = int(options.get("head_hidden", "0"))
        self.units = self.hidden(m, options, units) if units else None
        self.head, self.head_bias = m.matrix("head"), m["head_bias"]
        if self.head.shape[0] != (units or n):
            raise Refused("the head does not read one layer")
        self.start = Ellipsoid(np.zeros(self.d))

    def hidden(self, m, options, units):
        """Weights and bias of a hidden layer of rectified units in the head."""
        if not self.linear or options.get("head_activation") != "relu":
            raise Refused("nothing is known here of a hidden layer but head=linear's of rectified units")
        weight, bias = m.matrix("head_hidden"), m["head_hidden_bias"]
        if weight.shape != (self.width, units) or bias.size != units:
            raise Refused("the hidden layer does not read one layer")
        return weight, bias

    def layer(self, m, number):
        """Weights of h, of what is below (None: symbols), a row for each symbol or one, the bias that a
        gru resets."""
        name = f"layer{number}." if number else ""
        n, wide = self.width, self.gates * self.width
        recurrent, table = m.matrix(name + "recurrent"), m[name + "input"]
        if recurrent.shape != (n, wide) or table.shape[1] != wide or number and table.shape[0] != n:
            raise Refused(f"the shapes of the weights are not those of layer {number + 1}")
        put = Ball(np.zeros((1, wide)) if number else table)
        put = put + m[name + ("bias" if m.kind == "lstm" else "input_bias")]
        if m.kind == "rnn":
            put = put + m[name + "recurrent_bias"]
        if m.kind == "lstm":
            put = put + np.repeat([0, 0, float(m.options["forget"]), 0], n)
        return recurrent, table if number else None, put, m[name + "candidate_bias"] if m.kind == "gru" else None

    def step(self, x, symbol):
        """The set of the states that a symbol leads to from an ellipsoid."""
        n, none, new = self.width, np.zeros(self.width), []
        for number, (recurrent, table, put, candidate) in enumerate(self.layers):
            at = number * self.own
            old = [Form(x.centre[i:i + n], x.rows[:, i:i + n], none) for i in range(at, at + self.own, n)]
            below = new[-1][0] if new else None
            row = put[0 if new else symbol]
            parts = [slice(i * n, (i + 1) * n) for i in range(self.gates)]
            fixed = [Form(row[g], Ball(np.zeros((self.d, n))), none) for g in parts]
            if new:
                fixed = [f + below.times(table[:, g]) for f, g in zip(fixed, parts)]
            gates = [old[0].times(recurrent[:, g]) for g in parts]
            self.candidate = candidate
            new.append(getattr(self, self.kind)(gates, fixed, *old))
        new = [f for layer in new for f in layer]
        joint = Ball(np.hstack([f.rows.mid for f in new]), np.hstack([f.rows.rad for f in new]))
        box = np.diag(np.concatenate([f.box for f in new]))
        centre = np.concatenate([f.at.mid for f in new])
        return Set(Ball(centre), [joint], Ball(np.zeros((self.d, self.d))), Ball(box))

    def rnn(self, gates, fixed, old):
        into = gates[0] + fixed[0]
        return [into.bend("tanh") if self.tanh else into.relu()]

    def gru(self, gates, fixed, old):
        update, reset = ((gates[i] + fixed[i]).bend("logistic") for i in (0, 1))
        beside = Form(Ball(self.candidate), Ball(np.zeros((self.d, self.width))), np.zeros(self.width))
        new = ((gates[2] + beside) * reset + fixed[2]).bend("tanh")
        return [old + (new - old) * update]

    def lstm(self, gates, fixed, old, cell):
        into, new, keep, out = ((g + f).bend("tanh" if i == 1 else "logistic")
                                for i, (g, f) in enumerate(zip(gates, fixed)))
        cell = cell * keep + into * new
        return [cell.bend("tanh") * out, cell]

    def lead(self, e, right, other):
        """By how much one logit is ahead of another's at least; it is read off the states, their
        ReLU, or the units of a hidden layer."""
        n = self.width
        top = slice(self.d - self.own, self.d - self.own + n)  # h of the last layer
        centre, rows = e.centre[top], e.rows[:, top]
        if self.units:
            centre, rows = centre @ self.units[0] + np.ravel(self.units[1]), rows @ self.units[0]
        by = root(squares(rows)) + centre.rad
        weight = Ball(self.head[:, right]) - self.head[:, other]
        low, high = (centre.mid + s * by * WIDER for s in (-1, 1))
        if self.units or not self.linear:
            low, high = np.maximum(0, low), np.maximum(0, high)
        ends = stack([(weight * low), (weight * high)])
        least = np.minimum(ends.below()[0], ends.below()[1])
        bias = (Ball(self.head_bias[right]) - self.head_bias[other]).below()
        sum_ = Ball(np.ones(len(least))) @ Ball(least) + bias
        return float(sum_.below())
