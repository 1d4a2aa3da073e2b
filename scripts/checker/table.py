"""A RegularGPT whose vectors snap: after every level each becomes the nearest of its codebook, so that the
model is a finite algebra, and a table says all that it does.

Which vector of the codebook stands for what is not believed: it is found from the symbols upwards, in
the order in which strings make them.
"""

import numpy as np

from balls import WIDER, Ball, Refused, root
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
        self.tightest = np.inf

    def snap(self, x, y, complete):
        """The row of the codebook that is nearest to what two vectors become, whatever is rounded
        here; the least lead of any becomes self.tightest."""
        s = self.tree.pair(x, y)
        rows = self.rows[complete]
        own = self.centres[rows.start:rows.stop]
        away = Ball(own) - s.centre.mid
        square = Ball(np.ones(away.mid.shape[1])) @ (away * away).T
        nearest = int(np.argmin(square.mid))
        others = [i for i in range(len(rows)) if (own[i] != own[nearest]).any()]
        loose = (s.reach() + float(np.sqrt((s.centre.rad ** 2).sum()))) * WIDER
        if others:
            far = min(float(np.sqrt(max(0.0, square[i].below()))) for i in others) / WIDER
            lead = far - float(root(square[nearest].above())) * WIDER
            if not lead > 2 * loose * WIDER:
                raise Refused(f"a vector is nearer to one of the codebook by {lead:.3g}, and known to {loose:.3g}")
            self.tightest = min(self.tightest, lead)
        return rows[nearest]


def check_table(c, table):
    """From symbols upwards: each pair of what strings can become snaps to one row, which then
    stands for what the pair does to the automaton's states, always the same; and it is answered as
    these say.  A row that stands for what differs in the domain's states alone meets all others as
    each of these.  The certificate's sets become these rows.  How many pairs there were, and the
    smallest lead."""
    found, own = set(), {}  # what (complete, row) stands for, and its part that is the automaton's
    states = len(c.answer)
    symbols = [(True, move, Ellipsoid(table.tree.leaf[a])) for a, move in enumerate(moves(c))]
    nothing = (False, tuple(range(c.states)), None)

    def enter(x, y):
        both = tuple(y[1][q] for q in x[1])
        if not occurs(c, x, both):
            return 0
        row = table.snap(x[2], y[2], x[0])
        if own.setdefault((x[0], row), both[:states]) != both[:states]:
            raise Refused("a vector of the codebook stands for two things")
        if (x[0], row, both) not in found:
            found.add((x[0], row, both))
            c.sets.append((x[0], both, Ellipsoid(table.centres[row])))
        return 1

    entries = sum(enter(x, y) for y in symbols for x in [nothing, *symbols])
    done = 0
    while done < len(c.sets):  # what came last meets all that came before, and itself
        new = c.sets[done]
        done += 1
        pairs = [(nothing, new)]
        for old in c.sets[:done]:
            pairs += [(old, new)] if new[0] else []
            pairs += [(new, old)] if old[0] and old is not new else []
        entries += sum(enter(x, y) for x, y in pairs)
    check_answers(c, table.tree)
    return entries, table.tightest
