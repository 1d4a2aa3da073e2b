#!/usr/bin/env python3
"""Labels and members of the suites' tasks, by definitions that share nothing with the program.

    suites.py FILE...      KIND,... is a CSV of `sample`; exits 1 and prints the rows that are wrong
"""
import csv
import math
import os
import sys


def number(bits):
    return sum(int(b) << i for i, b in enumerate(bits))


def bits(x):
    return [str(x >> i & 1) for i in range(x.bit_length())]


def stack(symbols):
    pile = []
    for s in symbols:
        if s == "pop":
            pile = pile[:-1]
        else:
            pile.append(s[-1])
    return pile[::-1] + ["end"]


def arithmetic(op):
    def answer(w):
        if op not in w:
            return bits(number(w)) + ["end"]
        at = w.index(op)
        x, y = number(w[:at]), number(w[at + 1:])
        z = bits(x + y if op == "+" else x * y)
        return z + ["end"]
    return answer


def root(w):
    x = bits(math.isqrt(number(w)))
    return x + ["0"] * ((len(w) + 1) // 2 - len(x))


def value(w):
    return [str(eval("".join(w)) % 5)]


def equation(w):
    if len(w) < 3:
        return ["0"]
    left, right = "".join(w).split("=")
    found = [x for x in range(5) if eval(left.replace("x", str(x))) % 5 == int(right)]
    assert len(found) == 1
    return [str(found[0])]


def missing(w):
    w = [x for x in w if x != "."]
    if not w:
        return ["0"]
    m, at = len(w) // 2, w.index("?")
    return [w[(at + m) % len(w)]]


# What is asked for, and how many blanks stand behind n symbols.
TASKS = {
    "stack_manipulation": (stack, lambda n: n + 1),
    "reverse_string": (lambda w: w[::-1], lambda n: n),
    "brackets": (value, None),
    "solve_equation": (equation, None),
    "duplicate_string": (lambda w: w + w, lambda n: 2 * n),
    "missing_duplicate": (missing, None),
    "odds_first": (lambda w: w[::2] + w[1::2], lambda n: n),
    "odds_first first=evens": (lambda w: w[1::2] + w[::2], lambda n: n),
    "binary_addition": (arithmetic("+"), lambda n: n + 1),
    "binary_multiplication": (arithmetic("*"), lambda n: n),
    "compute_sqrt": (root, lambda n: (n + 1) // 2),
    "compute_sqrt order=big": (lambda w: root(w[::-1])[::-1], lambda n: (n + 1) // 2),
    "bucket_sort": (sorted, lambda n: n),
}


def cut(w, mark):
    return w.index(mark) if mark in w else None


def marked(f):
    def member(w):
        at = cut(w, "#")
        return at is not None and w[at + 1:] == f(w[:at])
    return member


def numbers(f, *signs):
    def member(w):
        parts, rest = [], w
        for sign in signs:
            at = cut(rest, sign)
            if at is None:
                return False
            parts.append(rest[:at])
            rest = rest[at + 1:]
        parts.append(rest)
        ok = all(p and set(p) <= {"0", "1"} for p in parts)
        x = [number(p) for p in parts] if ok else []
        return ok and f(*x[:-1]) == x[-1]
    return member


def stacked(w):
    i, pile = 0, []
    while i < len(w) and w[i] in "01":
        pile.append(w[i])
        i += 1
    while i < len(w) and w[i] != "#":
        if w[i] == "push" and i + 1 < len(w) and w[i + 1] in ("0", "1"):
            pile.append(w[i + 1])
            i += 2
        elif w[i] == "pop" and pile:
            pile.pop()
            i += 1
        else:
            return False
    return i < len(w) and w[i + 1:] == pile[::-1]


def filled(w):
    if w.count("_") != 1:
        return False
    w = ["1" if x == "_" else x for x in w]
    m = len(w) // 2
    return w[:m] == w[m:]


def shuffled(w):
    kinds = ["()", "[]", "{}", "<>", "aA", "bB", "cC", "dD"]
    return all(balanced([x for x in w if x in k], [k]) for k in kinds)


def balanced(w, kinds=("()", "[]", "{}", "<>")):
    text, before = "".join(w), None
    while text != before:
        before = text
        for k in kinds:
            text = text.replace(k, "")
    return text == ""


def prefix(w):
    arity = {"0": 0, "1": 0, "~": 1, "+": 2, ">": 3, "op4": 4, "op5": 5}
    need = 1
    for i, x in enumerate(w):
        need += arity[x] - 1
        if need == 0:
            return i + 1 == len(w)
    return False


def runs(letters):
    def member(w):
        n = len(w) // len(letters)
        return list("".join(x * n for x in letters)) == w
    return member


def moved(w):
    place = sum({"<": -1, ">": 1, "=": 0}.get(x, 99) for x in w[:-1])
    return bool(w) and not set(w[:-1]) - set("<>=") and w[-1] == str(place % 5)


def calculated(w):
    if len(w) < 3 or len(w) % 2 == 0 or w[-2] != "=":
        return False
    digits, signs = w[:-2:2], w[1:-2:2]
    if set(digits + [w[-1]]) - set("01234") or set(signs) - set("+-*"):
        return False
    x = int(digits[0])
    for sign, d in zip(signs, digits[1:]):
        x = eval(f"({x}){sign}{d}")
    return x % 5 == int(w[-1])


MEMBERS = {
    "cycle_answer": moved, "arithmetic_answer": calculated,
    "anbn": runs("ab"), "anbncn": runs("abc"), "anbncndn": runs("abcd"),
    "majority": lambda w: w.count("1") > w.count("0"),
    "marked_copy": marked(lambda w: w), "marked_reversal": marked(lambda w: w[::-1]),
    "odds_first": marked(lambda w: w[::2] + w[1::2]), "bucket_sort": marked(sorted),
    "unmarked_reversal": lambda w: len(w) % 2 == 0 and w == w[::-1],
    "missing_duplicate": filled, "stack_manipulation": stacked,
    "binary_addition": numbers(lambda x, y: x + y, "+", "="),
    "binary_multiplication": numbers(lambda x, y: x * y, "*", "="),
    "compute_sqrt": numbers(math.isqrt, "="),
    "shuffle_2": shuffled, "shuffle_4": shuffled, "shuffle_6": shuffled,
    "dyck_1": balanced, "dyck_2": balanced, "dyck_3": balanced,
    "boolean_3": prefix, "boolean_5": prefix,
}


def symbols(text):
    return text.split() if " " in text or len(text) > 1 and text[:2] in ("pu", "po", "op") else list(text)


def wrong(kind, row):
    said = row["answer"].split()
    if kind in MEMBERS and said[0] in ("accept", "reject"):
        return said != ["accept" if MEMBERS[kind](symbols(row["input"])) else "reject"]
    answer, blanks = TASKS[kind]
    w = symbols(row["input"])
    n = len([x for x in w if x != "_"]) if blanks else len(w)
    want = answer(w[:n])
    if not blanks:
        return said != want
    if len(w) - n != blanks(n):
        return True
    want = (["-"] * n + want[:blanks(n)] + ["-"] * len(w))[:len(w)]
    return said != want


def main():
    files = sys.argv[1:]
    right = 0
    for file in files:
        kind = os.path.basename(file).split(",")[0]
        with open(file) as f:
            rows = list(csv.DictReader(f))
        bad = [r for r in rows if wrong(kind, r)]
        for r in bad[:5]:
            print(kind, r)
        right += bool(rows) and not bad
    print(right, "files right")
    sys.exit(right < len(files))


if __name__ == "__main__":
    main()
