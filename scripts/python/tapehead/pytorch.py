"""Models that tapehead saved with as=pytorch, as modules of PyTorch.

    net = load("m.safetensors")
    net(["abba", "b"])     logits: a row for each string, or for each symbol of the string
"""
import json
import struct

import numpy as np
import torch
from torch import nn


def read(path):
    """Tensors by name, and what else the file says."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    more = header.pop("__metadata__", {})
    return {name: torch.from_numpy(np.frombuffer(data[slice(*t["data_offsets"])], "<f4")
                                   .reshape(t["shape"]).copy()) for name, t in header.items()}, more


class Network(nn.Module):
    """An nn.RNN, nn.LSTM or nn.GRU of one-hot symbols, and a head."""

    def __init__(self, kind, options, signature):
        super().__init__()
        o, self.options = options, options
        dim, hidden, inputs = int(o["dim"]), int(o["head_hidden"]), len(signature["symbols"])
        more = {"nonlinearity": o["activation"]} if kind == "rnn" else {}
        self.number = {s: i for i, s in enumerate(signature["symbols"])}
        self.final = signature["target"] == "final"
        self.net = getattr(nn, kind.upper())(inputs, dim, int(o["layers"]), batch_first=True, **more)
        self.hidden = nn.Linear(dim, hidden) if hidden else None
        self.head = nn.Linear(hidden or dim, len(signature["classes"]))

    def forward(self, words):
        f = {"relu": torch.relu, "tanh": torch.tanh, "gelu": nn.functional.gelu, "linear": lambda x: x}
        out = []
        for word in words:
            x = torch.eye(len(self.number))[[self.number[s] for s in word]]
            h = f[self.options["head"]](self.net(x[None])[0][0])
            if self.hidden:
                h = f[self.options["head_activation"]](self.hidden(h))
            out.append(self.head(h)[-1:] if self.final else self.head(h))
        return torch.cat(out)


def load(path):
    tensors, more = read(path)
    net = Network(more["kind"], json.loads(more["options"]), json.loads(more["signature"]))
    net.load_state_dict(tensors, strict=True)
    return net.eval()
