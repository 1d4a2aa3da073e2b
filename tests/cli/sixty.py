#!/usr/bin/env python3
"""The sixty tasks of three papers, as `suite` types them: answers by definitions that share nothing with
the program (suites.py has most), and words of a length equally often.

    sixty.py TAPEHEAD
"""
import collections
import csv
import io
import itertools
import math
import os
import random
import re
import subprocess
import sys

from suites import MEMBERS, TASKS, balanced, symbols, wrong

PAPERS = {"deletang": 15, "flare": 18, "bhattamishra": 27}


def fits(regex):
    return lambda w: re.fullmatch(regex, "".join(w)) is not None


def deep(n):
    return lambda w: balanced(w, ["()"]) and all(
        w[:i].count("(") - w[:i].count(")") <= n for i in range(len(w)))


def nested(w):
    depth = [sum(x in "([" for x in w[:i]) - sum(x in ")]" for x in w[:i]) for i in range(len(w))]
    return balanced(w, ["()", "[]"]) and max(depth + [0]) <= 3


def no_odd_after_odd(w):  # Tomita 3
    return not any(len(m[1]) % 2 and len(m[2]) % 2 for m in re.finditer("(1+)(0+)", "".join(w)))


# What recognize asks, beside those by name in suites.py: member, and the alphabet of the next symbols.
MORE = {
    "pairs": lambda w: not w or w[0] == w[-1], "repeat_01": fits("(01)*"),
    "ones": lambda w: w.count("1") % 2 == 1, "nested": nested, "first": fits("1.*"),
    "tomita(1)": fits("1*"), "tomita(2)": fits("(10)*"), "tomita(3)": no_odd_after_odd,
    "tomita(4)": lambda w: "000" not in "".join(w),
    "tomita(5)": lambda w: w.count("0") % 2 == 0 == w.count("1") % 2,
    "tomita(6)": lambda w: (w.count("1") - w.count("0")) % 3 == 0, "tomita(7)": fits("0*1*0*1*"),
    "parity": lambda w: w.count("b") % 2 == 0, "aa": fits("(aa)*"), "aaaa": fits("(aaaa)*"),
    "abab": fits("(abab)*"), "abcde": fits("a+b+c+d+e+"), "abdbc": fits("[ab]*d[bc]*"),
    "zero_two": fits("[012]*02*"), "dyck(1, 2)": deep(2), "dyck(1, 3)": deep(3),
    "dyck(1, 4)": deep(4), "dyck(1, 12)": deep(12),
}
UNIFORM = {"even_pairs": "ab", "parity": "ab", "cycle_navigation": "012", "reverse_string": "01",
           "duplicate_string": "01", "odds_first": "01", "bucket_sort": "01234"}
ALPHABETS = {"boolean_3": "0 1 ~ + >", "boolean_5": "0 1 ~ + > op4 op5"}
CLOSER = dict(["()", "[]", "{}", "<>", "aA", "bB", "cC", "dD"])


def completions(name, w, letters):
    """Words one of which completes w, if any word does."""
    if name.startswith(("dyck", "shuffle")):
        opened = collections.Counter(w)
        return [[c for o in CLOSER for c in [CLOSER[o]] * (opened[o] - opened[CLOSER[o]])]]
    if name.startswith("boolean"):
        return [["0"] * n for n in range(4 * len(w) + 6)]
    if name.startswith("anbn") or name == "abcde":
        n = max(1, w.count("a"))
        least = [max(n if name != "abcde" else 1, 1) - w.count(x) for x in letters]
        return [[x for x, m in zip(letters, least) for _ in range(max(m, 0))], []]
    return [list(s) for n in range(4) for s in itertools.product(letters, repeat=n)]


def next_sets(name, member, w, letters):
    alive = lambda u: any(member(u + s) for s in completions(name, u, letters))
    return [{x for x in letters if alive(w[:i] + [x])} | ({"end"} if member(w[:i]) else set())
            for i in range(1, len(w) + 1)]


def said_sets(text):
    return [set(s[1:-1].split(",")) for s in text.split()]


def deletang(name, row):
    w = symbols(row["input"])
    if name == "even_pairs":
        want = "even" if w[0] == w[-1] else "odd"
    elif name == "parity":
        want = "even" if w.count("b") % 2 == 0 else "odd"
    elif name == "cycle_navigation":
        want = str(sum({"0": 0, "1": 1, "2": -1}[x] for x in w) % 5)
    elif name == "modular_arithmetic":
        want = str(eval("".join(w)) % 5)
    else:
        return wrong(name, row)
    return row["answer"] != want


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *commands):
        words = [x for c in commands for x in ("-e", c)]
        return subprocess.run([self.path, "-f", "csv", *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def rows(self, before, task, options):
        return list(csv.DictReader(io.StringIO(self.run(*before, f"sample {task} {options}"))))


def is_likely(counts, expected):
    """Chi square at some 10^-5, by the cube root of Wilson and Hilferty."""
    k = len(expected) - 1
    if set(counts) - set(expected) or k < 1:
        return k == 0 and not set(counts) - set(expected)
    x = sum((counts[w] - e) ** 2 / e for w, e in expected.items())
    return ((x / k) ** (1 / 3) - (1 - 2 / (9 * k))) / (2 / (9 * k)) ** 0.5 < 4.3


def uniform(words, n):
    return {w: n / len(words) for w in words}


def numbers_of(name, n, random):
    """A word of numbers as Butoi et al. draw them: lengths by Dirichlet, then what can be written."""
    shares = {"binary_addition": (1, 1, 1), "binary_multiplication": (1, 1, 2), "compute_sqrt": (2, 1)}[name]
    part = [random.gammavariate(a, 1) for a in shares]
    k = len(part)
    bits = [1 + int((n - 2 * k + 1) * p / sum(part)) for p in part[:-1]]
    bits.append(n - (k - 1) - sum(bits))
    most = 2 ** bits[-1] - 1
    if name == "compute_sqrt":
        x = [random.randint(0, min(2 ** bits[0] - 1, 4 ** bits[1] - 1))]
        x.append(math.isqrt(x[0]))
        signs = "="
    else:
        bits[:2] = sorted(bits[:2])
        plus = name == "binary_addition"
        a = random.randint(0, min(2 ** bits[0] - 1, most) if plus else 2 ** bits[0] - 1)
        left = most - a if plus else most // a if a else 2 ** bits[1] - 1
        b = random.randint(0, min(2 ** bits[1] - 1, left))
        order = random.choice([[0, 1, 2], [1, 0, 2]])
        x, bits = [[a, b][order[0]], [a, b][order[1]], a + b if plus else a * b], [bits[i] for i in order]
        signs = ("+" if plus else "*") + "="
    text = ["".join(str(v >> i & 1) for i in range(m)) for v, m in zip(x, bits)]
    return "".join(t + s for t, s in zip(text, signs + " ")).strip()


def has_distribution(program, before, task, name, member, letters):
    """Whether the words of the greatest length that can be enumerated come as often as they should."""
    best = None
    for n in range(1, 13):
        if len(letters) ** n > 20000 and best:
            break
        words = ["".join(w) for w in itertools.product(letters, repeat=n) if member(list(w))]
        if words and (not best or 2 <= len(words) <= 150):
            best = n, words
    n, words = best
    rows = program.rows(before, task, f"length={n} count=2000")
    drawn = ["".join(symbols(r["input"])) for r in rows if r["answer"] != "reject"]
    expected = uniform(words, len(drawn))
    if name in ("binary_addition", "binary_multiplication", "compute_sqrt"):
        ours = random.Random(1)
        often = collections.Counter(numbers_of(name, n, ours) for _ in range(40000))
        expected = {w: often[w] * len(drawn) / 40000 for w in often}
    return is_likely(collections.Counter(drawn), expected)


def check(program, paper, before, task):
    """Which of the two is wrong, labels or distribution, of a task."""
    bad = []
    rows = program.rows(before, task, "length=1..24 count=20")
    if paper == "deletang":
        bad += ["labels"] * any(deletang(task, r) for r in rows)
        if task in UNIFORM:
            letters = UNIFORM[task]
            rows = [dict(r, input=r["input"].replace("_", "")) for r in program.rows(before, task, "length=3 count=3000")]
            words = ["".join(w) for w in itertools.product(letters, repeat=3)]
            bad += ["distribution"] * (not is_likely(collections.Counter(r["input"] for r in rows), uniform(words, len(rows))))
        return bad, len(rows)
    kind, name = re.fullmatch(r"(\w+)\((\w+(?:\(.*?\))?).*\)", task).groups()
    member = MORE.get(name) or MEMBERS[name]
    letters = ALPHABETS[name].split() if name in ALPHABETS else sorted({x for r in rows for x in symbols(r["input"])})
    if kind == "recognize":
        for r in rows:
            if r["answer"].split() != ["accept" if member(symbols(r["input"])) else "reject"]:
                bad = ["labels"]
    else:
        for r in rows:
            w = symbols(r["input"])
            if not member(w) or said_sets(r["answer"]) != next_sets(name, member, w, letters):
                bad = ["labels"]
    if not has_distribution(program, before, task, name, member, letters):
        bad += ["distribution"]
    return bad, len(rows)


def main():
    program, failed = Program(sys.argv[1]), False
    for paper, n in PAPERS.items():
        program.run(f'suite {paper} dry=yes models=rnn steps=1 dim=2 samples=1 apart=100 into="{paper}"')
        with open(os.path.join(paper, "suite.th")) as file:
            script = file.read()
        before = [line for line in script.splitlines() if line.startswith("automaton ")]
        tasks = re.findall('"(.*?)"', re.search(r"for task in \[(.*?)\], kind", script)[1])
        failed |= not len(tasks) == len(set(tasks)) == n
        for task in tasks:
            bad, drawn = check(program, paper, before, task)
            failed |= bool(bad) or drawn == 0
            if bad or drawn == 0 or len(sys.argv) > 2:
                print(paper, task, drawn, *bad)
    sys.exit(failed)


if __name__ == "__main__":
    main()
