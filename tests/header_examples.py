#!/usr/bin/python3
"""header_examples.py - the examples in the first comments of lib's headers compile; TAP.

A block of lines that are set in by four blanks is an example if it has statements.  What it uses
and does not define stands in header_examples.txt: HEADER: declarations."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(HERE, "..", "lib")
COMMON = ("ThError err = {0}; ThStop *stop = NULL; const char *text = NULL; size_t size = 0; "
          "const int *word = NULL; int length = 0; ")


def headers():
    return sorted(os.path.relpath(os.path.join(folder, name), LIB)
                  for folder, _, names in os.walk(LIB) for name in names if name.endswith(".h"))


def example_of(path):
    """The lines of the first comment's blocks that have statements."""
    with open(os.path.join(LIB, path), encoding="utf8") as f:
        comment = f.read().split("*/")[0]
    blocks, block = [], []
    for line in comment.split("\n") + [" *"]:
        if line.startswith(" *     ") or (block and line == " *" and block[-1].endswith(";")):
            block.append(line[7:])
        elif block:
            blocks.append("\n".join(block))
            block = []
    code = [b for b in blocks if re.search(r"\bth_\w+\(", b) and ";" in b]
    return "\n".join(code)


def declared():
    with open(os.path.join(HERE, "header_examples.txt"), encoding="utf8") as f:
        return dict(line.rstrip("\n").split(": ", 1) for line in f if ": " in line)


def compiled(path, code, declarations):
    """What the compiler says, or ""."""
    code = code.replace("…", ";")
    body = code if re.search(r"^\w.*\)\n\{", code, re.M) else (
        f"static int example(void)\n{{\n{COMMON}\n{{\n{declarations}\n{code}\n}}\nreturn 0;\n}}\n")
    text = "#include <assert.h>\n#include <math.h>\n#include <stdio.h>\n" \
           f'#include "tapehead.h"\n#include "{path}"\n{body}'
    run = subprocess.run(["cc", "-std=c17", "-D_XOPEN_SOURCE=700", "-I" + LIB, "-Wall", "-Werror",
                          "-Wno-unused", "-fsyntax-only", "-x", "c", "-"],
                         input=text, text=True, capture_output=True, check=False)
    return "" if run.returncode == 0 else run.stderr


def main():
    known, n, bad = declared(), 0, 0
    for path in headers():
        code = example_of(path)
        if not code:
            continue
        n += 1
        why = compiled(path, code, known.pop(path, ""))
        bad += why != ""
        print(f"{'not ok' if why else 'ok'} {n} - {path}")
        for line in why.splitlines():
            print("# " + line)
    for path in known:
        n, bad = n + 1, bad + 1
        print(f"not ok {n} - header_examples.txt: {path} has no example")
    print(f"1..{n}")
    return bad > 0


sys.exit(main())
