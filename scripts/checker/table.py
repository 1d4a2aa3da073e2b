"""A RegularGPT whose vectors snap: after every level each becomes the nearest of its codebook, so that the
model is a finite algebra, and a table says all that it does.

Which vector of the codebook stands for what is not believed: it is found from the symbols upwards, in
the order in which strings make them.
"""

import numpy as np

from balls import WIDER, Ball, Refused
from certificate import check_answers, moves, occurs
from sets import Ellipsoid
from tree import Tree


class Table:
    """The map of a tree between the vectors of its codebook."""

    def __init__(self, m):
        options = dict(m.options)
        if m.kind != "regulargpt":
            raise Refused(f"nothing is known here of {m.kind} with a codebook")
        # the tree's map is that of a model without a codebook
        m.options = {**options, "codebook": "0", "edge_codebook": "0"}
        n, edge = (int(options.get(name, "0")) for name in ("codebook", "edge_codebook"))
        if not 0 <= edge < n or len(m.weight.get("centres", ())) != n:
            raise Refused("the model has no codebook of such a size")
        self.tree, self.centres = Tree(m), m["centres"]
        # subtrees without padding snap to the first of them, those at the left edge to the last
        self.rows = {True: range(n - edge), False: range(n - edge, n) if edge else range(n)}
        self.same = (self.centres[:, None] == self.centres[None]).all(axis=2)
        self.tightest = np.inf

    def snap(self, s, complete):
        """The row of the codebook that is nearest to each vector, whatever is rounded here, where
        `complete` is one kind for all; the least lead of any becomes self.tightest."""
        rows = self.rows[complete]
        here = slice(rows.start, rows.stop)
        own = Ball(self.centres[here])
        ones = np.ones(own.mid.shape[1])
        at = Ball(s.mid)
        square = (at * at) @ ones[:, None] + (own * own) @ ones - 2 * (at @ own.T)
        nearest = np.argmin(square.mid, axis=1)
        each = np.arange(len(nearest))
        loose = np.sqrt((s.rad ** 2).sum(axis=1)) * WIDER
        same = self.same[here, here][nearest]
        far = np.sqrt(np.where(same, np.inf, np.maximum(0, square.below())).min(axis=1)) / WIDER
        lead = far - np.sqrt(np.maximum(0, square.above()[each, nearest])) * WIDER
        bad = np.flatnonzero(~(lead > 2 * loose * WIDER))
        if len(bad):
            lead, loose = lead[bad[0]], loose[bad[0]]
            raise Refused(f"a vector is nearer to one of the codebook by {lead:.3g}, and known to {loose:.3g}")
        self.tightest = min(self.tightest, *lead)
        return [rows[i] for i in nearest]

    def products(self, pairs):
        """The row of each pair of what has a vector, or nothing, and what has one."""
        found = [None] * len(pairs)
        for complete in (True, False):
            of = [i for i, (x, _) in enumerate(pairs) if x[0] == complete]
            if of:
                s = self.tree.points([pairs[i][0][2] for i in of], [pairs[i][1][2] for i in of])
                for i, row in zip(of, self.snap(s, complete)):
                    found[i] = row
        return found


def check_table(c, table):
    """From symbols upwards: each pair of what strings can become snaps to one row, which then
    stands for what the pair does to the automaton's states, always the same; and it is answered as
    these say.  A row that stands for what differs in the domain's states alone meets all others as
    each of these.  The certificate's sets become these rows.  How many pairs there were, and the
    smallest lead."""
    found, own = [], {}  # what (complete, row) stands for, and its part that is the automaton's
    known = set()
    states = len(c.answer)
    symbols = [(True, move, table.tree.leaf[a]) for a, move in enumerate(moves(c))]
    nothing = (False, tuple(range(c.states)), None)

    def enter(pairs):
        both = [tuple(y[1][q] for q in x[1]) for x, y in pairs]
        some = [i for i, (x, _) in enumerate(pairs) if occurs(c, x, both[i])]
        for i, row in zip(some, table.products([pairs[i] for i in some])):
            is_complete, does = pairs[i][0][0], both[i]
            if own.setdefault((is_complete, row), does[:states]) != does[:states]:
                raise Refused("a vector of the codebook stands for two things")
            if (is_complete, row, does) not in known:
                known.add((is_complete, row, does))
                found.append((is_complete, does, Ball(table.centres[row])))
        return len(some)

    entries = enter([(x, y) for y in symbols for x in [nothing, *symbols]])
    done = 0
    while done < len(found):  # what came last meets all that came before, and itself
        new = found[done]
        done += 1
        pairs = [(nothing, new)]
        for old in found[:done]:
            pairs += [(old, new)] if new[0] else []
            pairs += [(new, old)] if old[0] and old is not new else []
        entries += enter(pairs)
    c.sets += [(is_complete, does, Ellipsoid(at.mid)) for is_complete, does, at in found]
    check_answers(c, table.tree)
    return entries, table.tightest
