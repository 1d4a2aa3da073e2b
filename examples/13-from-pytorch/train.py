#!/usr/bin/python3
"""train.py - three networks in PyTorch, as one trains them, and their state dicts.

A tanh RNN learns whether a string over a, b, c ends with ab; an LSTM whether one over ( and ) is
balanced, and nowhere deeper than four; another how many a there are, modulo 3.  All see strings of up to twelve symbols, and are right on a
thousand of forty.
"""
import json
import random
import struct

import numpy as np
import torch
from torch import nn


class Ending(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(3, 6)  # one-hot inputs
        self.out = nn.Linear(6, 2)

    def forward(self, word):
        return self.out(self.rnn(nn.functional.one_hot(word, 3).float())[0][-1])


class Thirds(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 12)  # one-hot inputs
        self.fc = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, word):
        return self.fc(self.lstm(nn.functional.one_hot(word, 2).float())[0][-1])


class Brackets(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(2, 4)
        self.lstm = nn.LSTM(4, 10, num_layers=2)
        self.fc = nn.Sequential(nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 2))

    def forward(self, word):
        return self.fc(self.lstm(self.embedding(word))[0][-1])


def ends(word):
    return int(word[-2:] == [0, 1])


def balanced(word):
    depth = 0
    for s in word:
        depth += 1 if s == 0 else -1
        if depth < 0 or depth > 4:
            return 0
    return int(depth == 0)


def thirds(word):
    return word.count(0) % 3


def train(net, label, symbols, batches, decay):
    """Batches of 32 strings of one length."""
    def draw(n):
        return [random.randrange(symbols) for _ in range(n)]

    def logits(words):
        return net(torch.tensor(words).T)
    rule = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=decay)
    shrink = torch.optim.lr_scheduler.CosineAnnealingLR(rule, batches)
    for _ in range(batches):
        n = random.randint(1, 12)
        words = [draw(n) for _ in range(32)]
        rule.zero_grad()
        nn.functional.cross_entropy(logits(words), torch.tensor([label(w) for w in words])).backward()
        rule.step()
        shrink.step()
    with torch.no_grad():
        words = [draw(40) for _ in range(1000)]
        right = logits(words).argmax(1) == torch.tensor([label(w) for w in words])
    print(f"{type(net).__name__}: {right.float().mean():.3f} right on strings of 40 symbols")
    return {name: x.detach().numpy() for name, x in net.state_dict().items()}


def save(path, tensors):
    """What safetensors.torch.save_file(net.state_dict(), path) does."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in tensors.items():
        more = x.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(x.shape),
                        "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


random.seed(1)
torch.manual_seed(1)
np.savez("ending.npz", **train(Ending(), ends, 3, 800, 0.3))
save("brackets.safetensors", train(Brackets(), balanced, 2, 1500, 0.0))
save("thirds.safetensors", train(Thirds(), thirds, 2, 1500, 0.0))
