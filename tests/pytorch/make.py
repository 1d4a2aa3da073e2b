#!/usr/bin/python3
"""make.py - writes fixtures/ with PyTorch: networks, strings and what they answer there."""
import json
import os
import sys

import numpy as np
import torch

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
import cases  # noqa: E402
import nets  # noqa: E402

os.makedirs(f"{HERE}/fixtures", exist_ok=True)
expected = {}
with torch.no_grad():
    for seed, name in enumerate(cases.CASES):
        net = nets.stir(cases.network(nets, name), seed)
        ending = "npz" if name.endswith("plain") else "safetensors"
        words = nets.words(cases.symbols_of(name), 12, 16, seed)
        if ending == "npz":
            np.savez(f"{HERE}/fixtures/{name}.npz", **nets.state(net))
        else:
            nets.save(nets.state(net), f"{HERE}/fixtures/{name}.safetensors")
        rows = []
        for w in words:
            z = net(w) if cases.each(name) else net(w)[-1:]
            z = torch.cat([torch.zeros_like(z), z], 1) if z.shape[1] == 1 else z
            rows += [[round(x, 8) for x in r] for r in torch.softmax(z.double(), 1).tolist()]
        expected[f"{name}.{ending}"] = (["".join(cases.LETTERS[i] for i in w) for w in words], rows)
with open(f"{HERE}/fixtures/expected.json", "w", encoding="utf-8") as f:
    json.dump(expected, f)
