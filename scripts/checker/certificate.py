"""A certificate, and the induction that it makes possible."""

import json

import numpy as np

from balls import WIDER, Refused
from sets import Ellipsoid


KINDS = ("sets", "algebra", "table", "windows", "counts", "steps", "program", "strings")
# What those by program have a formula in place of.
OTHERS = {"start", "next", "answer", "domain", "length", "bits", "radius", "labels"}


class Certificate:
    """What a file claims: an automaton with answers, perhaps a domain, and sets by labels."""

    def __init__(self, path):
        with open(path) as f:
            c = json.load(f)
        self.kind = c.get("kind")
        if c.get("format") != "tapehead certificate 2" or self.kind not in KINDS:
            raise Refused(f"this program reads certificates of version 2 that go by one of {', '.join(KINDS)}")
        self.symbols, self.classes, self.slack = c["symbols"], c["classes"], float(c["slack"])
        if self.kind == "program":
            self.formula = c["formula"]
            if OTHERS & set(c) or self.slack:
                raise Refused("it has what is of automata, or a slack, beside its formula")
            return
        self.start, self.answer, k = c["start"], c["answer"], len(c["symbols"])
        states = len(self.answer)
        flat, domain = c["next"], c.get("domain")
        self.first, self.inside = None, None
        if domain:  # its states are numbered on from the automaton's
            flat, self.first = flat + domain["next"], domain["start"]
            self.inside = dict(enumerate(domain["inside"], states))
        self.next = [flat[i:i + k] for i in range(0, len(flat), k)]
        self.states = len(self.next)
        numbers = [self.start, self.first or 0, *flat, *(a for a in self.answer if a >= 0)]
        if (len(flat) != k * self.states or min(numbers) < 0 or max(self.answer) >= len(self.classes) or
                any((q >= states) != (i >= states) or not 0 <= q < self.states
                    for i, row in enumerate(self.next) for q in row)):
            raise Refused("its automaton's numbers do not agree")
        if not (self.slack >= 0 and 0 <= self.start < states):
            raise Refused("its slack or its start is no such number")
        if domain and not (states <= self.first < self.states and len(self.inside) == self.states - states):
            raise Refused("its domain does not start in one of its states, or does not say which are inside")
        self.length = float(c.get("length", 0)) or np.inf  # by steps: of the longest strings
        self.ball = float(c.get("radius", 0))  # by algebra: of all balls
        self.bits = self.read_bits(c.get("bits"))
        if not self.length > 0:
            raise Refused("its length is no such number")
        self.sets = []
        for label in c["labels"] if self.kind == "sets" else ():
            shape = np.array(label["shape"]).reshape(c["dim"], -1) if "shape" in label else None
            radius, map = float(label["radius"]), label["map"] + label.get("places", [])
            centre = np.array(label["centre"], dtype=float)
            if not 0 < radius < np.inf or len(map) != self.states:
                raise Refused("a set has no radius, or no map")
            if not np.isfinite(centre).all() or shape is not None and not np.isfinite(shape).all():
                raise Refused("a set is not of finite numbers")
            e = Ellipsoid(centre, radius, shape)
            self.sets.append((label["kind"] == "complete", tuple(map), e))
        self.ends = self.find_ends()

    def read_bits(self, bits):
        """A row of classes for each state, where answers are sets of them."""
        if bits is None:
            return None
        if self.kind != "algebra" or len(bits) != len(self.answer) * len(self.classes) or not set(bits) <= {0, 1}:
            raise Refused("its answers are no sets of classes")
        return bits

    def said(self, q):
        """What is answered in a state: a class, -1, or a row of 0 and 1."""
        k = len(self.classes)
        return max(self.answer[q], -1) if self.bits is None else self.bits[q * k:(q + 1) * k]

    def find_ends(self):
        """From which states of the domain an even, and an odd, number of symbols leads inside."""
        if not self.inside:
            return None
        ends = [{q for q, yes in self.inside.items() if yes}, set()]
        while True:
            before = [len(e) for e in ends]
            for odd in (0, 1):
                ends[odd] |= {q for q in self.inside if ends[1 - odd] & set(self.next[q])}
            if before == [len(e) for e in ends]:
                return ends


# Things that a string is made of are triples: whether no pads stand in it, what it does to the
# states of automaton and domain, and the ellipsoid of its vectors.


def pairs_of_tree(c, tree):
    """Symbols meet symbols at the leaves, sets meet sets above; at the left edge nothing comes
    first, of which there may be pads already, and what is on the right of something has none."""
    symbols = [(True, move, Ellipsoid(tree.leaf[a])) for a, move in enumerate(moves(c))]
    nothing = (False, tuple(range(c.states)), None)
    for level in (symbols, c.sets):
        for y in level:
            for x in [nothing, *level] if y[0] else [nothing]:
                both = tuple(y[1][q] for q in x[1])
                if occurs(c, x, both):
                    yield x[0], both, tree.pair(x[2], y[2])


def occurs(c, x, both):
    """Is there a string of the domain with them in a vector?  What follows is of even length."""
    return not c.inside or any((x[0] or q == c.first) and both[q] in c.ends[0] for q in c.inside)


def pairs_of_cell(c, cell):
    """From the start and from every set a symbol leads on."""
    if c.inside:
        raise Refused("a certificate of this kind of model is about all strings")
    for x in [(False, (c.start,) * c.states, cell.start), *c.sets]:
        for a, move in enumerate(moves(c)):
            yield x[0], tuple(move[q] for q in x[1]), cell.step(x[2], a)


def moves(c):
    return [tuple(row[a] for row in c.next) for a in range(len(c.symbols))]


def check_pairs(c, pairs):
    """The set of every pair lies in one of those of what the pair stands for; how tightly."""
    tightest, checks = 0.0, 0
    for complete, both, s in pairs:
        into = [e for kind, map, e in c.sets if kind == complete and map == both]
        if not into:
            raise Refused("there is no set for what two others make")
        near = min(into, key=lambda e: float(((s.centre.mid - e.centre.mid) ** 2).sum()))
        far = near.holds(s, c.slack)
        if not far <= 1:
            raise Refused(f"vectors get {far:.6g} times as far from a centre as they may")
        tightest, checks = max(tightest, far), checks + 1
    return tightest, checks


def check_answers(c, network):
    for _, map, e in c.sets:
        right = c.answer[map[c.start]]
        if right < 0 or (c.inside and not c.inside[map[c.first]]):
            continue
        for other in range(len(c.classes)):
            if other != right and not network.lead(e, right, other) > 2 * c.slack * WIDER:
                raise Refused(f"{c.classes[right]} can become {c.classes[other]}")


def difference(c, other):
    """A shortest word that the certificate's automaton and another one answer differently, as
    numbers of symbols; None: there is none."""
    begin = (c.start, other["start"])
    words, queue = {begin: []}, [begin]
    for p, q in queue:
        wanted = other["answer"][q]
        if c.said(p) != (max(wanted, -1) if c.bits is None else wanted):
            return words[p, q]
        for a in range(len(c.symbols)):
            to = c.next[p][a], other["next"][q][a]
            if to not in words:
                words[to] = [*words[p, q], a]
                queue.append(to)
    return None
