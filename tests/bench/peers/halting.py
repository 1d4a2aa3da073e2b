"""Models that apply a block again and again, or read chunks, as Ray Chowdhury and Caragea 2024 describe
them, in PyTorch.  Positions are turned (xPos) by factors that depend on the length alone and are made
once."""

import torch
from torch import nn
from torch.nn import functional as F


def network(dim, wide, out):
    return nn.Sequential(nn.Linear(dim, wide), nn.GELU(), nn.Linear(wide, out))


def factors(length, width):
    """What queries and keys are multiplied by: cosines and sines, times or by a decay."""
    pair = torch.arange(0, width, 2)
    angle = torch.arange(length)[:, None] * 1e4 ** (-pair / width)
    size = ((pair / width + 0.4) / 1.4) ** (torch.arange(length)[:, None] / 512)
    turn = torch.cat([angle.cos()] * 2, -1), torch.cat([-angle.sin(), angle.sin()], -1)
    both = torch.cat([size, size], -1)
    return [t * both for t in turn] + [t / both for t in turn]


class Attention(nn.Module):
    def __init__(self, dim, heads, turns):
        super().__init__()
        self.heads, self.turns, self.known = heads, turns, {}
        self.asks, self.asked = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.query, self.key_value, self.out = (
            nn.Linear(dim, wide, bias=False) for wide in (dim, 2 * dim, dim))

    def forward(self, x, other):
        strings, _, dim = x.shape
        q = self.query(self.asks(x)).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        kv = self.key_value(self.asked(other)).unflatten(-1, (2, self.heads, -1))
        k, v = kv.permute(2, 0, 3, 1, 4)
        if self.turns:
            length, width = q.shape[-2:]
            if length not in self.known:
                self.known[length] = factors(length, width)
            cq, sq, ck, sk = self.known[length]
            q = q * cq + torch.roll(q, width // 2, -1) * sq
            k = k * ck + torch.roll(k, width // 2, -1) * sk
        weight = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(-1)
        return x + self.out((weight @ v).transpose(1, 2).flatten(2))


class Reader(nn.Module):
    """Embedded symbols, and an answer for a string."""

    def __init__(self, symbols, classes, dim):
        super().__init__()
        self.embedding = nn.Embedding(symbols, dim)
        self.answer = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, classes))


class Gated(Reader):
    """The Gated Universal Transformer: nothing stops before the last step in training, where a
    probability of one half never gives all of the mass away."""

    def __init__(self, symbols, classes, dim, heads, steps=6):
        super().__init__(symbols, classes, dim)
        self.steps = steps
        self.ends = nn.Parameter(torch.randn(2, dim))
        self.attend, self.norm = Attention(dim, heads, True), nn.LayerNorm(dim)
        self.feed, self.gate = network(dim, 2 * dim, dim), network(dim, 2 * dim, dim)
        self.halt = network(2 * dim, dim, 1)

    def forward(self, tokens):
        start, end = (e.expand(len(tokens), 1, -1) for e in self.ends)
        h = torch.cat([start, self.embedding(tokens), end], 1)
        rest, result, mean = torch.ones(len(h), 1, 1), 0, h.mean(1)
        for _ in range(self.steps):
            x = self.attend(h, h)
            read = self.norm(x)
            gate = self.gate(read).sigmoid()
            made = gate * (x + self.feed(read)) + (1 - gate) * h
            then = made.mean(1)
            p = self.halt(torch.cat([mean, then], -1)).sigmoid()[:, None]
            result, rest, h, mean = result + rest * p * h, rest * (1 - p), made, then
        return self.answer((result + rest * h)[:, -1])


class Bottleneck(Reader):
    """The Temporal Latent Bottleneck."""

    def __init__(self, symbols, classes, dim, heads, layers=2, chunk=10, slots=10):
        super().__init__(symbols, classes, dim)
        self.chunk, self.slots = chunk, nn.Parameter(0.5 * torch.randn(slots, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(layers + 2))
        self.own = nn.ModuleList(Attention(dim, heads, True) for _ in range(layers))
        self.recall = nn.ModuleList(Attention(dim, heads, False) for _ in range(layers))
        self.feed = nn.ModuleList(network(dim, 2 * dim, dim) for _ in range(layers))
        self.update, self.digest = Attention(dim, heads, False), network(dim, dim, dim)

    def forward(self, tokens):
        memory = self.slots.expand(len(tokens), -1, -1)
        for x in self.embedding(tokens).split(self.chunk, 1):
            for norm, own, recall, feed in zip(self.norms, self.own, self.recall, self.feed):
                x = recall(own(x, x), memory)
                x = x + feed(norm(x))
            memory = self.update(memory, x)
            memory = memory + self.digest(self.norms[-2](memory))
        return self.answer(self.norms[-1](memory).mean(1))


MODELS = {
    "gut": Gated,
    "tlb": Bottleneck,
    "tlb-20": lambda *size: Bottleneck(*size, chunk=20),
}
