"""checker FILE.cert MODEL.safetensors [--automaton FILE.json]

Verifies a certificate of tapehead's `certify` from the weights alone.  It is a third text
that does so, in another language and another arithmetic, for whoever believes neither the prover nor the
checker that are built in: read it, then believe it.

What is shown.  An automaton stands in the certificate, and is printed.  The model answers every
string as it does, of whatever length (of the certificate's domain, where it has one), in real
numbers, and also where every vector and logit of a run is off by at most the slack.  --automaton says
which automaton it has to be: {"symbols": [...], "classes": [...], "start": 0, "next": [[...], ...],
"answer": [...]}, an answer of -1 asking for nothing, or of classes
a row of 0 and 1 where it is a set of them.

How.  For every label (what the symbols of a subtree do to the automaton's states, and whether pads
may stand among them; of recurrent networks the state that a word leads to) the certificate has a set
of vectors, centre + radius z A with |z| <= 1.  What the network makes of two sets that can meet must
lie in the set of what the two stand for together, and all vectors of a set must be read as the
automaton's answer.  Then, by induction over the tree or along the string, every answer is right.
Nothing else in the file is believed; its digests are not looked at.

A decoder with windows answers a string as it answers its last symbols, so all strings of so many symbols
are computed, and in single precision, too.  One without positions answers by its last symbol and by the
shares of all, and is computed over boxes of shares.

A RegularGPT whose vectors snap to a codebook is a finite algebra: of every two that strings can make it is
computed which one they become.

A compiled RegularGPT multiplies elements of a monoid, and balls around their vectors go into balls.  A compiled
recurrence is in finitely many states, and stays near them for ever, or for as many symbols as are said.

A compiled counter computes a formula: what its coordinates hold, and what the formula says, are the same functions of
letters and of signs of sums.

balls.py is the arithmetic, sets.py sets of vectors, tree.py, algebra.py, table.py, cell.py, linear.py,
steps.py, bare.py, program.py (with functions.py), decoder.py, shares.py and strings.py the networks, certificate.py the induction.  Needs numpy and mpmath.  Status 0: it holds; 1: it does not; 2: what cannot be read.
"""

import argparse
import json
import math
import sys

import numpy as np

from algebra import Algebra, check_algebra
from balls import Refused
from bare import Bare, check_bare
from cell import GATES, Cell
from certificate import Certificate, check_answers, check_pairs, difference, pairs_of_cell, pairs_of_tree
from decoder import Decoder, check_windows
from linear import Linear
from model import Model
from program import check_program
from shares import Shares, check_counts
from strings import Strings, check_strings
from steps import Steps, check_steps
from table import Table, check_table
from tree import Tree


def verify(certificate, model, automaton):
    c, m = Certificate(certificate), Model(model)
    if m.signature["symbols"] != c.symbols or m.signature["classes"] != c.classes:
        raise Refused("its symbols or classes are not the model's")
    if c.kind != "algebra" and m.signature.get("target") not in ("final", "every"):
        raise Refused("the model answers with sets of classes")
    if c.kind == "program":
        if automaton:
            raise Refused(f"it is about no automaton, but about {c.formula}")
        return c, check_program(c, m)
    if automaton:
        with open(automaton) as f:
            wanted = json.load(f)
        if wanted["symbols"] != c.symbols or wanted["classes"] != c.classes:
            raise Refused("its symbols or classes, or their order, are not the automaton's")
        word = difference(c, wanted)
        if word is not None:
            word = " ".join(c.symbols[a] for a in word) or "the empty word"
            raise Refused(f"it is about another automaton: they differ on {word}")
    if c.kind == "windows":
        return c, check_windows(c, Decoder(m))
    if c.kind == "counts":
        return c, check_counts(c, Shares(m))
    if c.kind == "strings":
        return c, check_strings(c, Strings(m))
    if c.kind == "algebra":
        return c, check_algebra(c, Algebra(m))
    if c.kind == "steps":
        return c, check_steps(c, Steps(m))
    if c.kind == "table":
        return c, check_bare(c, Bare(m)) if m.kind == "bare" else check_table(c, Table(m))
    if m.kind == "regulargpt":
        network, pairs = Tree(m), pairs_of_tree
    elif m.kind == "lrnn":
        network, pairs = Linear(m), pairs_of_cell
    elif m.kind in GATES:
        network, pairs = Cell(m), pairs_of_cell
    else:
        raise Refused(f"nothing is known here of {m.kind}")
    tightest, checks = check_pairs(c, pairs(c, network))
    check_answers(c, network)
    return c, (tightest, checks)


def describe(c, found):
    if c.kind == "program":
        print(f"holds: {c.classes[1]} are words that the formula is true of, all others but the empty one {c.classes[0]}")
        print(f"  in real numbers alone; {found} signs of sums\n  formula: {c.formula}")
        return
    n = len(c.answer)
    if c.kind == "table" and isinstance(found[1], list):
        upto = f"strings of up to {math.floor(c.length)} symbols" if c.length < np.inf else "strings of every length"
        print(f"holds: {found[0]} steps of all that it can remember, on {upto}")
        print(f"  in {', and in '.join(found[1])}")
    elif c.kind == "table":
        print(f"holds: {found[0]} entries of its table, the nearest of its codebook by {found[1]:.4g} at least")
        print("  in real numbers alone")
    elif c.kind == "algebra":
        print(f"holds: {found[0]} products, the farthest at {found[1]:.4f} of its radius")
        print(f"  in real numbers, and where vectors and logits are off by {c.slack!r}")
    elif c.kind == "steps":
        upto = f"strings of up to {math.floor(c.length)} symbols" if c.length < np.inf else "strings of every length"
        print(f"holds: {found[1]} steps from {found[0]} states, on {upto}")
        print(f"  in {', and in '.join(found[2])}")
    elif c.kind == "strings":
        print(f"holds: {found[0]} strings of up to {found[1]} symbols, in boxes or one by one")
        print(f"  in real numbers{', and of runs in single precision' if found[2] else ' alone'}")
    elif c.kind != "sets":
        print(f"holds: {found[0]} strings, whose answers were compared {found[1]} times" if c.kind == "windows" else
              f"holds: {found[0]} counts of symbols, and {found[1]} boxes of shares for strings of any length")
        print(f"  in real numbers{', and of runs in single precision' if found[2] else ' alone'}")
    else:
        print(f"holds: {found[1]} pairs of sets, the tightest at {found[0]:.4f} of its room")
        print(f"  in real numbers, and where vectors and logits are off by {c.slack!r}")
    print(f"  automaton: {n} states, start {c.start}")
    for q in range(n):
        said = c.said(q)
        if c.bits is not None:
            answer = "all of " + (", ".join(name for name, bit in zip(c.classes, said) if bit) or "nothing")
        else:
            answer = c.classes[said] if said >= 0 else "nothing"
        moves = ", ".join(f"{s} -> {to}" for s, to in zip(c.symbols, c.next[q]))
        print(f"    {q} answers {answer}: {moves}")
    if c.inside:
        inside = sorted(q - n for q, yes in c.inside.items() if yes)
        print(f"  strings: those that lead from {c.first - n} to one of {inside}")
        for q in c.inside:
            moves = ", ".join(f"{s} -> {to - n}" for s, to in zip(c.symbols, c.next[q]))
            print(f"    {q - n}: {moves}")


def main(words=None):
    read = argparse.ArgumentParser(prog="checker", description=__doc__,
                                   formatter_class=argparse.RawTextHelpFormatter)
    read.add_argument("certificate")
    read.add_argument("model")
    read.add_argument("--automaton")
    asked = read.parse_args(words)
    try:
        describe(*verify(asked.certificate, asked.model, asked.automaton))
    except Refused as why:
        print("refused:", why)
        return 1
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as problem:
        print(f"checker: cannot be read: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
