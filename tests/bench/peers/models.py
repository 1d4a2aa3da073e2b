"""The models that tapehead is measured against, as one would write them in PyTorch."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class RegularGPT(nn.Module):
    """Chi et al. 2023: one block, shared by the ceil(log_C T) levels; level l of position i sees
    i, i - C^l, ..., i - (C-1) C^l.

    form "masked": T x T scores and an additive mask at every level, as the paper writes it.
    form "routing": only the positions that the last one depends on, T/C^l at level l.
    Both give the same answer where no child is missing.  In the routing form a child before the
    start of the text is a learned vector, without which the model cannot learn (a softmax over one
    child equals one over two equal children); the masked form hides such children.
    """

    def __init__(self, symbols, classes, dim, heads, chunk=2, form="routing"):
        super().__init__()
        self.dim, self.heads, self.chunk, self.form = dim, heads, chunk, form
        self.embedding = nn.Parameter(torch.randn(symbols + 1, dim))  # the last row is the pad
        self.query = nn.Linear(dim, dim)
        self.key_value = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)
        self.norm_attention, self.norm_feed = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.head = nn.Linear(dim, classes)
        self.bias = nn.Parameter(torch.zeros(heads, chunk))
        for layer in (self.query, self.key_value, self.out, self.up, self.down, self.head):
            nn.init.normal_(layer.weight, 0, layer.in_features**-0.5)
            nn.init.zeros_(layer.bias)
        with torch.no_grad():  # as GPT-2 does, for the six levels of forty symbols
            self.out.weight.div_(math.sqrt(12))
            self.down.weight.div_(math.sqrt(12))
        self.masks = {}

    def levels(self, length):
        level, reach = 0, 1
        while reach < length:
            reach *= self.chunk
            level += 1
        return max(1, level)

    def feed_forward(self, state, attended):
        state = self.norm_attention(state + self.out(attended))
        return self.norm_feed(state + self.down(F.gelu(self.up(state))))

    def mask(self, length, level):
        """Which child of i is j, and whether it is one."""
        if (length, level) not in self.masks:
            i = torch.arange(length)
            back = i[:, None] - i[None, :]
            step = self.chunk**level
            seen = (back >= 0) & (back % step == 0) & (back < step * self.chunk)
            self.masks[length, level] = seen, (back // step).clamp(0, self.chunk - 1)
        return self.masks[length, level]

    def masked_level(self, state, level):
        strings, length, dim = state.shape
        split = (strings, length, self.heads, dim // self.heads)
        query = self.query(state).view(split).transpose(1, 2)
        key, value = (x.reshape(split).transpose(1, 2) for x in self.key_value(state).chunk(2, -1))
        seen, child = self.mask(length, level)
        mask = self.bias[:, child].masked_fill(~seen, -math.inf)
        weight = (query @ key.transpose(-1, -2) * split[-1] ** -0.5 + mask).softmax(-1)
        return self.feed_forward(state, (weight @ value).transpose(1, 2).reshape(state.shape))

    def routing_level(self, state):
        pad = -state.shape[1] % self.chunk
        if pad:
            state = torch.cat([self.embedding[-1].expand(len(state), pad, -1), state], 1)
        groups = state.view(len(state), -1, self.chunk, self.dim)
        split = (*groups.shape[:3], self.heads, self.dim // self.heads)
        newest = groups[:, :, -1]
        query = self.query(newest).view(*split[:2], 1, *split[3:])
        key, value = (x.reshape(split) for x in self.key_value(groups).chunk(2, -1))
        weight = ((query * key).sum(-1) * split[-1] ** -0.5 + self.bias.t().flip(0)).softmax(2)
        return self.feed_forward(newest, (weight[..., None] * value).sum(2).reshape(newest.shape))

    def forward(self, tokens):
        state = F.embedding(tokens, self.embedding)
        for level in range(self.levels(tokens.shape[1])):
            if self.form == "masked":
                state = self.masked_level(state, level)
            else:
                state = self.routing_level(state)
        return self.head(state[:, -1])


class Transformer(nn.Module):
    """The decoder that anybody would take: five causal layers, norms first, sinusoidal positions."""

    def __init__(self, symbols, classes, dim, heads, layers=5):
        super().__init__()
        self.dim = dim
        self.embedding = nn.Embedding(symbols, dim)
        layer = nn.TransformerEncoderLayer(
            dim, heads, 4 * dim, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        length = tokens.shape[1]
        rate = torch.exp(torch.arange(0, self.dim, 2) * (-math.log(1e4) / self.dim))
        angle = torch.arange(length)[:, None] * rate
        position = torch.stack([angle.sin(), angle.cos()], -1).view(length, self.dim)
        mask = torch.full((length, length), -math.inf).triu(1)
        return self.head(self.encoder(self.embedding(tokens) + position, mask=mask)[:, -1])


class Recurrent(nn.Module):
    """One layer of torch's own LSTM, GRU or ReLU network; no heads."""

    def __init__(self, kind, symbols, classes, dim):
        super().__init__()
        self.embedding = nn.Embedding(symbols, dim)
        if kind == "rnn":
            self.recurrent = nn.RNN(dim, dim, nonlinearity="relu", batch_first=True)
        else:
            self.recurrent = {"lstm": nn.LSTM, "gru": nn.GRU}[kind](dim, dim, batch_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        return self.head(self.recurrent(self.embedding(tokens))[0][:, -1])


def make(name, symbols, classes, dim, heads):
    if name in ("masked", "routing"):
        return RegularGPT(symbols, classes, dim, heads, form=name)
    if name == "transformer":
        return Transformer(symbols, classes, dim, heads)
    return Recurrent(name, symbols, classes, dim)
