"""Decoder language models with several positional encodings, as one would write them in PyTorch."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def windows(heads, masked, length):
    """Hard-ALiBi: head h of the first `masked` sees its h + 1 newest symbols, the others all."""
    back = torch.arange(length)[:, None] - torch.arange(length)
    mask = torch.zeros(heads, length, length).masked_fill(back < 0, -math.inf)
    for head in range(masked):
        mask[head].masked_fill_(back > head, -math.inf)
    return mask


def bucket(back):
    """T5's buckets for a causal model: 16 of single distances, 16 that grow up to 128."""
    wide = 16 + (torch.log(back.clamp(min=1) / 16) / math.log(8) * 16).long().clamp(max=15)
    return torch.where(back < 16, back.clamp(min=0), wide)


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])
        self.all, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x, bias, turn, kept=None):
        strings, length, dim = x.shape
        split = self.all(self.norms[0](x)).view(strings, length, 3, self.heads, -1)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        if turn is not None:
            query, key = (y * turn[0] + torch.roll(y, y.shape[-1] // 2, -1) * turn[1]
                          for y in (query, key))
        if kept is not None:  # (2, strings, heads, room, width) and how many are in it
            room, n = kept
            room[0, :, :, n:n + length], room[1, :, :, n:n + length] = key, value
            key, value = room[:, :, :, :n + length]
        score = query @ key.transpose(-1, -2) * key.shape[-1] ** -0.5
        weight = (score + bias).softmax(-1)
        x = x + self.out((weight @ value).transpose(1, 2).reshape(strings, length, dim))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


class Decoder(nn.Module):
    def __init__(self, position, symbols, classes, dim, heads, layers=4, masked=6):
        super().__init__()
        self.position, self.heads, self.masked = position, heads, masked
        self.embedding = nn.Embedding(symbols, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)
        self.table = nn.Parameter(torch.zeros(32, heads))  # T5
        self.hidden, self.slopes = nn.Linear(1, 32), nn.Linear(32, heads)  # FIRE
        self.c, self.mu = nn.Parameter(torch.tensor(0.1)), nn.Parameter(torch.tensor(1.0))
        self.known = {}

    def constants(self, length):
        """What depends on the length alone."""
        if length not in self.known:
            masked = self.masked if self.position == "hard_alibi" else 0
            back = torch.arange(length)[:, None] - torch.arange(length)
            width = self.embedding.embedding_dim // self.heads
            angle = torch.arange(length)[:, None] * 1e4 ** (-torch.arange(0, width, 2) / width)
            cosine, sine = angle.cos(), angle.sin()
            self.known[length] = (windows(self.heads, masked, length), back, bucket(back),
                                  (torch.cat([cosine] * 2, -1), torch.cat([-sine, sine], -1)))
        return self.known[length]

    def bias(self, length):
        mask, back, buckets, turn = self.constants(length)
        if self.position == "t5":
            mask = mask + self.table[buckets].permute(2, 0, 1)
        if self.position == "fire":
            rate = self.c.abs()
            far = torch.arange(length).clamp(min=0)[:, None].maximum((512 * self.mu).abs())
            share = torch.log1p(rate * back.clamp(min=0)) / (torch.log1p(rate * far) + 1e-6)
            mask = mask + self.slopes(F.relu(self.hidden(share[..., None]))).permute(2, 0, 1)
        return mask, turn if self.position == "rope" else None

    def forward(self, tokens):
        bias, turn = self.bias(tokens.shape[1])
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, bias, turn)
        return self.head(self.norm(x))

    def generate(self, length):
        """Greedily writes on behind one symbol, keeping keys and values."""
        mask = self.constants(length)[0]
        width = self.embedding.embedding_dim // self.heads
        rooms = [torch.empty(2, 1, self.heads, length, width) for _ in self.layers]
        token = torch.zeros(1, 1, dtype=torch.long)
        for n in range(length):
            x = self.embedding(token)
            for layer, room in zip(self.layers, rooms):
                x = layer(x, mask[:, n:n + 1, :n + 1], None, (room, n))
            token = self.head(self.norm(x)).argmax(-1)
