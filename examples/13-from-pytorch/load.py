"""A network that tapehead saved with as=pytorch: an rnn, lstm or gru of any number of layers, with either
head.  Network("m.safetensors")("abba") are its logits.  tapehead.pytorch.load knows all kinds."""
import json
import struct

import numpy as np
import torch
from torch import nn

FUNCTIONS = {"linear": nn.Identity(), "relu": nn.ReLU(), "tanh": nn.Tanh(), "gelu": nn.GELU()}


class Network(nn.Module):
    """A string in, its logits out: a row, or one for every symbol."""

    def __init__(self, path):
        super().__init__()
        with open(path, "rb") as f:
            header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
            data = np.frombuffer(f.read(), "<f4").copy()
        about = header.pop("__metadata__")
        self.options, self.signature = json.loads(about["options"]), json.loads(about["signature"])
        tensors = {name: torch.tensor(data[slice(*(x // 4 for x in t["data_offsets"]))]).reshape(t["shape"])
                   for name, t in header.items()}
        more = {"nonlinearity": self.options["activation"]} if about["kind"] == "rnn" else {}
        self.net = getattr(nn, about["kind"].upper())(
            len(self.signature["symbols"]), int(self.options["dim"]), int(self.options["layers"]), **more)
        for name in ("hidden", "head"):
            if name + ".weight" in tensors:
                setattr(self, name, nn.Linear(*tensors[name + ".weight"].shape[::-1]))
        self.load_state_dict(tensors)

    def forward(self, word):
        symbols = self.signature["symbols"]
        x = FUNCTIONS[self.options["head"]](self.net(torch.eye(len(symbols))[[symbols.index(s) for s in word]])[0])
        if hasattr(self, "hidden"):
            x = FUNCTIONS[self.options["head_activation"]](self.hidden(x))
        return self.head(x)[-1:] if self.signature["target"] == "final" else self.head(x)
