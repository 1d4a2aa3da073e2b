#!/usr/bin/env python3
"""What a gru of tapehead answers to a string, computed from its file: gru.py FILE STRING.

`help weights` in tapehead says what the names and shapes of the parameters leave open.
"""
import json
import struct
import sys

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def read(path):
    """The metadata and the parameters of a safetensors file."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    about = header.pop("__metadata__")
    return about, {
        name: np.frombuffer(data[slice(*t["data_offsets"])], "<f4").astype(float).reshape(t["shape"])
        for name, t in header.items() if t["dtype"] == "F32"
    }


def gru(p, word):
    """The logits of the classes: gates z and r and the candidate n stand side by side."""
    h = np.zeros(len(p["recurrent"]))
    for symbol in word:
        a, b = np.split(p["input"][symbol] + p["input_bias"], 3), np.split(h @ p["recurrent"], 3)
        z, r = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        n = np.tanh(a[2] + r * (b[2] + p["candidate_bias"]))
        h = (1 - z) * h + z * n
    return np.maximum(h, 0) @ p["head"] + p["head_bias"]


about, p = read(sys.argv[1])
signature = json.loads(about["signature"])
logits = gru(p, [signature["symbols"].index(symbol) for symbol in sys.argv[2]])
e = np.exp(logits - logits.max())
for name, probability in zip(signature["classes"], e / e.sum()):
    print(f"{name}  {probability:.6f}")
