#!/usr/bin/python3
"""run.py [TAPEHEAD] - every kind of model with every option against forward.py; TAP.

Causal models, besides, answer the first symbols of a string the same whatever follows: to the last
digit in double precision, and in single where as much follows; but for rows that halt and nodes
that are alike, it is then the same that is computed.  Where more or less follows the order of sums
in single precision can be another.

Small models of three classes over three symbols, whose parameters are drawn anew, answer strings of
1 to 60 symbols, in double precision (to 1e-7, for some tables are of single precision) and in
single (to 1e-5).  Kinds, positional encodings and options are asked of the program: one that
forward.py does not have is a failure.  REFERENCE=all takes every combination and every length, a
sample is taken else.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forward  # noqa: E402

TAPEHEAD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "./tapehead")
ALL = os.environ.get("REFERENCE") == "all"
PRELUDE = """
set threads 1
automaton s { start p; output p x; output q y; output r z; p a -> q; p b -> r; p c -> p
q a -> p; q b -> q; q c -> r; r a -> r; r b -> p; r c -> q }
task each = output s
task last = output s labels=final
"""

# What only training, or what a model starts from, depends on.
ELSEWHERE = {"places", "longest_place", "place_lines", "place_parts", "place_draw", "gate_dropout", "dropout", "attention_dropout", "init", "size", "ponder", "tbptt", "memory_start"}
NEEDS_CAUSAL = {"hard_alibi", "recency", "fire"}
TABLES = {"t5", "kerple", "kerple_power", "fire"}

# One option a position: what each encoding reads.
POSITION_OPTIONS = {
    "learned": ["longest=70"],
    "t5": ["buckets=6 farthest=9", "tied=no"],
    "kerple": ["tied=no"], "kerple_power": ["tied=no"], "fire": ["tied=no"],
    "hard_alibi": ["window_heads=1", "window_heads=3 window_layers=1 log_length=5"],
    "recency": ["window_heads=0 recency=0.7", "window_heads=1 window_layers=1 recency=3 log_length=2"],
    "rope": ["rotary_fraction=0.5", "rotary_pairs=neighbours base=50"],
    "xpos": ["rotary_fraction=0.5", "rotary_pairs=halves base=50 decay=20"],
    "random": ["longest=8 base_position=rope", "longest=8 base_position=alibi", "longest=8 base_position=t5",
               "longest=8 base_position=learned", "longest=8 base_position=sinusoidal", "longest=8 base_position=kerple"],
}

HEADS = ["head=linear head_hidden=7", "layers=2 head_hidden=4 head_activation=tanh",
         "head=linear head_hidden=3 head_activation=gelu"]

# kind: what all have, then what each variation adds; "*" stands for positions, causal= and tied=.
KINDS = {
    "transformer": ("dim=12 heads=3 layers=2 mlp_ratio=2", ["", "*"]),
    "gpt": ("dim=12 heads=3 layers=2 mlp_ratio=2",
            ["", "block=neox", "activation=gelu_tanh head_bias=yes", "norm=after final_norm=no activation=relu",
             "norm=after scale=yes causal=no position=sinusoidal", "causal=no block=neox activation=relu",
             "block=llama", "block=llama mlp_width=7 norm_epsilon=0.25 causal=no", "block=llama final_norm=no *",
             "*", "block=neox *"]),
    "bare": ("dim=12 heads=3 layers=2 hidden=7",
             ["", "attention=rightmost causal=yes position=none",
              "attention=average causal=yes position=none", "*"]),
    "encoder": ("dim=12 heads=3 layers=2", ["", "pool=end", "final_norm=yes mlp_ratio=3", "ends=no", "*"]),
    "ndr": ("dim=12 heads=3 steps=3",
            ["", "pool=end", "pool=mean ends=no mlp_ratio=3", "causal=yes pool=end", "geometric=no *"]),
    "universal": ("dim=12 heads=3 steps=3",
                  ["", "halt=none", "halt=global", "transition=yes", "gate=yes pool=end mlp_ratio=3",
                   "threshold=0.6", "threshold=1.5 halt_from=1", "ends=no final_norm=yes",
                   "halt=global transition=yes halt_from=1 threshold=0.7",
                   "halt=global transition=yes causal=yes threshold=0.7",
                   "halt=token transition=yes causal=yes threshold=0.6", "*", "halt=none *"]),
    "gated_universal": ("dim=12 heads=3 steps=3",
                        ["", "halt=token", "transition=no", "gate=no pool=mean", "halt=none",
                         "threshold=0.6 mlp_ratio=3", "halt_from=1 ends=no final_norm=yes",
                         "causal=yes threshold=0.5 steps=5", "*"]),
    "tlb": ("dim=12 heads=3 layers=2 chunk=4 slots=2",
            ["", "cut=equal", "updates=2 memory_mlp_ratio=3", "pool=last ends=yes mlp_ratio=3",
             "final_norm=yes", "*"]),
    "gutlb": ("dim=12 heads=3 steps=3 chunk=5 slots=2",
              ["", "cut=equal", "updates=2 memory_mlp_ratio=3", "transition=no threshold=0.6",
               "halt_from=1 ends=yes pool=last mlp_ratio=3", "final_norm=yes", "*"]),
    "regulargpt": ("dim=12 heads=3 mlp_ratio=2",
                   ["arity=2", "arity=3 layers_per_level=2", "arity=5 layers_per_level=3", "arity=2 form=dilated",
                    "arity=3 missing=mask", "arity=3 layers_per_level=2 missing=mask",
                    "arity=4 layers_per_level=4 missing=mask", "arity=7 layers_per_level=2 missing=mask",
                    "arity=3 layers_per_level=2 missing=mask form=dilated", "arity=3 norm=pre",
                    "arity=2 layers_per_level=2 norm=pre missing=mask activation=relu", "levels=4",
                    "activation=gelu", "fan_in=3", "fan_in=2 activation=gelu layers_per_level=2",
                    "codebook=5", "codebook=6 edge_codebook=2", "form=dilated layers_per_level=2 arity=3"]),
    "rnn": ("dim=5", ["", "activation=tanh", "layers=3 head=linear", *HEADS]),
    "lstm": ("dim=5", ["", "forget=-0.7", "layers=2 forget=0 head=tanh", *HEADS]),
    "gru": ("dim=5", ["", "layers=4 head=linear", *HEADS]),
    "lrnn": ("dim=6 block=3", ["", "norm=paper", "p=1 layers=3", "norm=paper p=2.5 layers=2"]),
    "s4": ("dim=5 state=6", ["", "layers=3"]),
    "s4d": ("dim=5 state=6", ["", "layers=3"]),
    "liquid_s4": ("dim=5 state=6", ["", "layers=2"]),
    "lru": ("dim=5 state=6", ["", "layers=3"]),
    "mamba": ("dim=5 state=3", ["", "eigenvalues=signed expand=3", "dim=18 layers=2",
                                    "decoder=yes layers=2", "decoder=yes rank=3 mlp_width=7 norm_epsilon=0.25"]),
    "deltanet": ("dim=12 heads=3", ["", "convolution=no", "gate=yes forget=yes layers=2",
                                    "eigenvalues=positive steps=3",
                                    "decoder=yes mlp_width=9 norm_epsilon=0.125 layers=2"]),
    "deltaproduct": ("dim=12 heads=3", ["", "convolution=no gate=yes", "forget=yes layers=2",
                                        "steps=3 eigenvalues=positive",
                                        "decoder=yes mlp_width=5 norm_epsilon=0.5"]),
    "pd_ssm": ("dim=5 state=4", ["", "one_hot=row", "dictionary=3 layers=2"]),
}


# Kinds that look ahead unless told otherwise.
CAUSAL_NO = dict.fromkeys(["transformer", "bare", "encoder", "ndr", "universal", "gated_universal", "tlb",
                           "gutlb"], "causal")


# How much is computed at once depends on what the symbols are.
BY_CONTENT = {"universal", "gated_universal", "gutlb", "regulargpt"}


class Report:
    def __init__(self):
        self.n = self.bad = 0

    def say(self, good, what, why=""):
        self.n += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {what}")
        if not good and why:
            print("# " + why.replace("\n", "\n# "))


def tapehead(script, folder):
    r = subprocess.run([TAPEHEAD, "-q", "-"], input=script, cwd=folder, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return r.stdout, r.stderr, r.returncode


def help_of(topic):
    return tapehead(f"help {topic}\n", ".")[0]


def listed(topic):
    """Names in a list of kinds: two blanks in front, a column behind."""
    text = help_of(topic).split("kinds of")[-1]
    return re.findall(r"^  ([a-z]\w*) ", text, re.M)


def expand(kind, variation, positions):
    """The variations that a "*" stands for."""
    if "*" not in variation:
        return [variation]
    out = []
    causal = [""] if kind == "gpt" else ["causal=yes", "causal=no"]
    for p, c in itertools.product(positions, causal):
        if p in NEEDS_CAUSAL and c == "causal=no":
            continue
        for more in [""] + POSITION_OPTIONS.get(p, []):
            if p == "random" and (not more or kind in ("universal", "gated_universal", "ndr", "tlb",
                                                       "gutlb")):
                continue
            out.append(" ".join(variation.replace("*", f"position={p} {c} {more}").split()))
    return out


def last_wins(options):
    """A later option takes the place of an earlier one of its name."""
    return " ".join(f"{k}={v}" for k, v in dict(w.split("=") for w in options.split()).items())


def allowed(options, task):
    o = dict(w.split("=") for w in options.split())
    if task == "each" and o.get("form") == "collapse":
        return False
    return not (o.get("cut") == "equal" and o.get("causal") == "yes")


def specs(positions):
    out = []
    for kind, (common, variations) in KINDS.items():
        for v in variations:
            for more in expand(kind, v, positions):
                for task in ("last", "each"):
                    options = last_wins(f"{common} {more}")
                    if allowed(options, task):
                        out.append((kind, options, task))
    if not ALL:  # all of what stands alone, and of positions a third
        r = np.random.default_rng(7)
        out = [s for s in out if "position=" not in s[1] or r.random() < 1 / 3]
    return out


def stir(path, seed):
    """Draws the parameters anew around what they start from, so that none is 0 or 1."""
    with open(path, "rb") as f:
        blob = bytearray(f.read())
    n = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8:8 + n])
    r = np.random.default_rng(seed)
    for name, t in header.items():
        if name == "__metadata__" or name.startswith("optimizer.") or \
                name.endswith(("feed_forward.from", "feed_forward.to")):
            continue
        lo, hi = (8 + n + x for x in t["data_offsets"])
        x = np.frombuffer(bytes(blob[lo:hi]), "<f4").copy()
        x += r.normal(0, 0.25 * (x.std() + 0.4), x.shape).astype("<f4")
        if name.startswith("halting."):
            x *= 4  # so that some rows stop before others
        if name.endswith("position.threshold"):
            x /= 100  # of FIRE: so that strings reach it
        blob[lo:hi] = x.tobytes()
    with open(path, "wb") as f:
        f.write(blob)


def words_of(seed, options):
    if "position=random" in options:
        return ["a", "ab", "bca", "cabb"]
    r = np.random.default_rng(seed)
    lengths = range(1, 61) if ALL else [1, 2, 3, 5, int(r.integers(6, 12)), int(r.integers(12, 30))]
    if not ALL and "position=" not in options:
        lengths = lengths + [60]
    return ["".join("abc"[i] for i in r.integers(0, 3, n)) for n in lengths]


ALIKE = 8  # symbols that strings have in common which differ behind them


def futures_of(seed, kind, options):
    """A string, one that differs behind the first symbols, and these alone, with more and less
    behind; position=random and the levels of RegularGPT may depend on the length."""
    if "position=random" in options:
        return words_of(seed, options)
    r = np.random.default_rng(seed + 1000)
    w = "".join("abc"[i] for i in r.integers(0, 3, ALIKE + 5))
    other = w[:ALIKE] + "".join("bca"["abc".index(c)] for c in w[ALIKE:])
    return [w, other, w[:ALIKE], w + other, w[:ALIKE + 1]] if kind != "regulargpt" else [w, other]


def looks_back(kind, options, task):
    """Answers of each position that must not depend on what follows."""
    causal = "causal=yes" in options or not ("causal=no" in options or kind in CAUSAL_NO)
    return task == "each" and causal and "position=random" not in options


def train_all(folder, todo):
    script = PRELUDE
    for i, (kind, options, task) in enumerate(todo):
        script += (f'model m = {kind} {options}\ntrain m on {task} steps=1 batch=2 length=1..4 '
                   f'seed={i} > "t.txt"\nsave m "{i}.safetensors"\ndrop m\n')
    return tapehead(script, folder)


def answers_of(folder, todo):
    script = PRELUDE + "set format json\n"
    for precision in ("double", "float"):
        script += f"set precision {precision}\n"
        for i, (kind, options, _) in enumerate(todo):
            script += f'load "{i}.safetensors" as m\n'
            script += "run m " + " ".join(words_of(i, options)) + "\n"
            script += "run m " + " ".join(futures_of(i, kind, options)) + "\ndrop m\n"
    out, err, status = tapehead(script, folder)
    if status:
        raise SystemExit("Bail out! " + err[:2000])
    lines = [json.loads(line) for line in out.splitlines() if '"predictions"' in line]
    double, single = lines[:2 * len(todo)], lines[2 * len(todo):]
    return double[::2], single[::2], double[1::2], single[1::2]


def past_differs(answer, words):
    """By how much the answers at the first symbols differ between words, at most."""
    rows, out, at = answer["predictions"], [], 0
    for w in words:
        out.append([[rows[at + i]["p"][c] for c in "xyz"] for i in range(ALIKE)])
        at += len(w)
    return max(abs(np.array(x) - np.array(out[0])).max() for x in out)


def rows_of(answer, word):
    return np.array([[p["p"][c] for c in "xyz"] for p in answer["predictions"]
                     if p["input"] == word])


def worst(model, answer, words, places=None):
    most, where = 0.0, ""
    for w in words:
        model.places = places
        wanted = model.probabilities(["abc".index(c) for c in w])
        got = rows_of(answer, w)[:len(wanted)]
        off = abs(wanted - got).max() if wanted.shape == got.shape else np.inf
        if not off <= most:
            most, where = off, w
    return most, where


def worst_drawn(model, answer, words):
    """position=random: for all strings of a length some places explain the answers, not 0, 1, …
    alone."""
    most, where, drawn = 0.0, "", False
    for w in words:
        n = len(w) + model.more()
        off = {places: worst(model, answer, [w], places)[0]
               for places in itertools.combinations(range(model.number("longest")), n)}
        drawn |= off[tuple(range(n))] > 1e-7
        if min(off.values()) > most:
            most, where = min(off.values()), w
    return (most, where) if drawn else (np.inf, "all: no places are drawn")


def check_tables(report):
    """Nothing that the program lists is without a formula."""
    kinds, positions = listed("models"), listed("positions")
    for k in kinds:
        report.say(k in KINDS and k in forward.FAMILY, f"the kind {k} has a formula")
    for k in set(kinds) & set(KINDS):
        names = set(re.findall(r"^    (\w+)=  ", help_of(k), re.M))
        used = {w.split("=")[0] for o in [KINDS[k][0]] + KINDS[k][1] for w in o.split()}
        if any("*" in v for v in KINDS[k][1]):
            used |= {"position", "causal", "base_position"} | {w.split("=")[0] for v in
                                                      POSITION_OPTIONS.values() for o in v
                                                      for w in o.split()}
        missing = names - used - ELSEWHERE - {"head"}
        report.say(not missing, f"all options of {k} are tried", f"not tried: {sorted(missing)}")
    report.say(len(positions) >= 13, "positional encodings are listed")
    return positions


def main():
    report = Report()
    # What is newer than the others comes last, so that they keep their seeds, with
    # which no model stands where a rounding decides.
    todo = sorted(specs(check_tables(report)), key=lambda spec: "position=recency" in spec[1])
    with tempfile.TemporaryDirectory() as folder:
        out, err, status = train_all(folder, todo)
        if status:
            print("Bail out! " + (err or out)[:2000])
            return 1
        for i in range(len(todo)):
            stir(f"{folder}/{i}.safetensors", i)
        double, single, future, future_single = answers_of(folder, todo)
        for i, (kind, options, task) in enumerate(todo):
            model, words = forward.Model(f"{folder}/{i}.safetensors"), words_of(i, options)
            find = worst_drawn if "position=random" in options else worst
            d, at = find(model, double[i], words)
            f, at_f = find(model, single[i], words)
            report.say(d < 1e-7 and f < 1e-5, f"{kind} {options} on {task}",
                       f"off by {d:.2g} in double at {at}, {f:.2g} in single at {at_f}")
            if looks_back(kind, options, task):
                futures = futures_of(i, kind, options)
                d, f, same = (past_differs(future[i], futures),
                              past_differs(future_single[i], futures),
                              past_differs(future_single[i], futures[:2]))
                report.say(d == 0 and f < 1e-5 and (same == 0 or kind in BY_CONTENT),
                           f"{kind} {options} does not look ahead",
                           f"what follows moves answers by {d:.2g} in double, {f:.2g} in single, "
                           f"{same:.2g} where it is as long")
    print(f"1..{report.n}")
    return report.bad > 0


if __name__ == "__main__":
    sys.exit(main())
