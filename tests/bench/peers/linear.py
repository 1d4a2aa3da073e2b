"""Linear recurrences in PyTorch, in the forms that are fastest there: a loop over the positions, or
a convolution by Fourier transforms where the transition does not depend on the input."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def two(dim, wide, out, between=nn.ReLU):
    return nn.Sequential(nn.Linear(dim, wide), between(), nn.Linear(wide, out))


class Blocks(nn.Module):
    """The LRNN of Fan et al. 2024 with the norm of its code: blocks of 8 rows.  u holds a row for
    each position, or with `index` one for each symbol."""

    def __init__(self, dim, size=8, p=1.2):
        super().__init__()
        self.shape, self.p = (dim // size, size, size), p
        self.blocks, self.value = two(dim, dim * size, dim * size), two(dim, dim, dim)
        self.start = nn.Parameter(torch.randn(dim))

    def forward(self, u, index):
        a = self.blocks(u).unflatten(-1, self.shape)
        a = a - a.mean(-2, keepdim=True)
        sums = (a.abs() + 1e-30).pow(self.p).sum(-2)
        a = a / sums.amax(-1)[..., None, None].pow(1 / self.p)
        v = self.value(u).unflatten(-1, self.shape[:2])
        if index is not None:
            a, v = a[index], v[index]
        x, states = self.start.view(self.shape[:2]), []
        for at, vt in zip(a.unbind(1), v.unbind(1)):
            x = (at * x.unsqueeze(-2)).sum(-1) + vt  # three times as fast as products of matrices
            states.append(x)
        return torch.stack(states, 1).flatten(2)


def convolve(u, kernel):
    """u (strings, length, channels) with kernel (length, channels)."""
    n = 2 * u.shape[1]
    product = torch.fft.rfft(u, n, 1) * torch.fft.rfft(kernel, n, 0)
    return torch.fft.irfft(product, n, 1)[:, :u.shape[1]]


def complex_normal(*shape):
    return nn.Parameter(torch.randn(*shape, 2) * math.sqrt(0.5))


class Space(nn.Module):
    """S4D-Lin and S4 (HiPPO-LegS): one convolution a channel, then GELU and a gate."""

    def __init__(self, dim, states=64, rank_one=False):
        super().__init__()
        n = states // 2
        self.rank_one = rank_one
        self.decay = nn.Parameter(torch.full((dim, n), math.log(0.5)))
        self.frequency = nn.Parameter(math.pi * torch.arange(n).float().repeat(dim, 1))
        self.step = nn.Parameter(torch.rand(dim, 1) * math.log(100) + math.log(1e-3))
        self.read, self.skip = complex_normal(dim, n), nn.Parameter(torch.randn(dim))
        self.write, self.p = complex_normal(dim, n), complex_normal(dim, n)
        self.gate = nn.Linear(dim, 2 * dim)

    def diagonal_kernel(self, length):
        step, a = self.step.exp(), torch.complex(-self.decay.exp(), self.frequency)
        read = torch.view_as_complex(self.read) * ((a * step).exp() - 1) / a
        powers = ((a * step)[..., None] * torch.arange(length)).exp()
        return 2 * torch.einsum("cn,cnl->lc", read, powers).real

    def cauchy_kernel(self, length):
        """By the generating function near the roots of unity of twice the length: what comes later
        is folded in, small, so that no power of the matrix is needed."""
        a = torch.complex(-self.decay.exp(), self.frequency)
        read, write, p = (torch.view_as_complex(x) for x in (self.read, self.write, self.p))
        root = torch.exp(-1j * math.pi * torch.arange(length + 1) / length) * (1 - 1e-3 / length)
        z = 2 / self.step.exp() * ((1 - root) / (1 + root))
        node = torch.stack([read * write, read * p, p.conj() * write, p.conj() * p])
        plus, minus = 1 / (z[:, None] - a[..., None]), 1 / (z[:, None] - a.conj()[..., None])
        k = torch.einsum("kcn,cnl->kcl", node, plus) + torch.einsum("kcn,cnl->kcl", node.conj(), minus)
        whole = 2 / (1 + root) * (k[0] - k[1] * k[2] / (1 + k[3]))
        return torch.fft.irfft(whole, 2 * length)[:, :length].t()

    def forward(self, u, index):
        u = u if index is None else u[index]
        kernel = (self.cauchy_kernel if self.rank_one else self.diagonal_kernel)(u.shape[1])
        return F.glu(self.gate(F.gelu(convolve(u, kernel) + u * self.skip)))


class Unit(nn.Module):
    """The LRU of Orvieto et al. 2023; a loop, or one convolution a state."""

    def __init__(self, dim, states=64, loop=True):
        super().__init__()
        self.loop = loop
        self.size = nn.Parameter(torch.log(-0.5 * torch.log(torch.rand(states) * 0.98 + 0.01)))
        self.phase = nn.Parameter(torch.log(2 * math.pi * torch.rand(states)))
        self.input = nn.Linear(dim, 2 * states, bias=False)
        self.output = nn.Linear(2 * states, dim, bias=False)
        self.skip = nn.Parameter(torch.randn(dim))

    def forward(self, u, index):
        power = torch.complex(-self.size.exp(), self.phase.exp())
        gain = (1 - (2 * power.real).exp()).sqrt()
        b = (self.input(u).unflatten(-1, (2, -1)) * gain).flatten(-2)
        if index is not None:
            u, b = u[index], b[index]
        b = torch.complex(*b.chunk(2, -1))
        if self.loop:
            x, states, turn = torch.zeros_like(b[:, 0]), [], power.exp()
            for bt in b.unbind(1):
                x = turn * x + bt
                states.append(x)
            x = torch.stack(states, 1)
        else:
            n = 2 * b.shape[1]
            kernel = (power * torch.arange(b.shape[1])[:, None]).exp()
            product = torch.fft.fft(b, n, 1) * torch.fft.fft(kernel, n, 0)
            x = torch.fft.ifft(product, n, 1)[:, :b.shape[1]]
        return self.output(torch.cat([x.real, x.imag], -1)) + u * self.skip


class Delta(nn.Module):
    """DeltaNet with eigenvalues from -1 to 1, by chunks: within one, what the keys have corrected
    of each other is a triangular system (Yang et al. 2024); or a loop."""

    def __init__(self, dim, heads=4, chunk=40):
        super().__init__()
        self.heads, self.chunk = heads, chunk
        self.all, self.rate = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, heads, bias=False)
        self.short = nn.Conv1d(3 * dim, 3 * dim, 4, groups=3 * dim, padding=3, bias=False)
        self.gain = nn.Parameter(torch.ones(dim // heads))
        self.out = nn.Linear(dim, dim, bias=False)

    def by_loop(self, q, k, v, rate):
        state, y = 0 * (v[:, :, 0, :, None] * k[:, :, 0, None]), []
        for qt, kt, vt, bt in zip(*(x.unbind(2) for x in (q, k, v, rate))):
            wrong = bt * (vt - (state * kt[..., None, :]).sum(-1))
            state = state + wrong[..., None] * kt[..., None, :]
            y.append((state * qt[..., None, :]).sum(-1))
        return torch.stack(y, 2)

    def by_chunk(self, q, k, v, rate, state):
        n = q.shape[2]
        before = (rate * k) @ k.transpose(-1, -2)
        system = torch.tril(before, -1) + torch.eye(n)
        right = torch.cat([rate * v, rate * k], -1)
        solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
        value, key = solved.chunk(2, -1)
        if state is not None:
            value = value - key @ state
        y = torch.tril(q @ k.transpose(-1, -2)) @ value
        more = k.transpose(-1, -2) @ value
        return (y, more) if state is None else (y + q @ state, state + more)

    def forward(self, u, index):
        rate, x = 2 * self.rate(u).sigmoid(), self.all(u)
        if index is not None:
            rate, x = rate[index], x[index]
        length = x.shape[1]
        x = F.silu(self.short(x.transpose(1, 2))[..., :length].transpose(1, 2))
        q, k, v = x.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k, rate = F.normalize(q, dim=-1), F.normalize(k, dim=-1), rate.transpose(1, 2)[..., None]
        if not self.chunk:
            y = self.by_loop(q, k, v, rate)
        else:
            parts, state = [], None
            for some in zip(*(z.split(self.chunk, 2) for z in (q, k, v, rate))):
                part, state = self.by_chunk(*some, state)
                parts.append(part)
            y = torch.cat(parts, 2)
        y = y * (y.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * self.gain
        return self.out(y.transpose(1, 2).flatten(2))


class OneHot(nn.Module):
    """PD-SSM: the greatest number in each column of a mixed matrix counts, and learns by softmax."""

    def __init__(self, dim, states=64, dictionary=8):
        super().__init__()
        self.select = nn.Linear(dim, dictionary, bias=False)
        self.dictionary = nn.Parameter(torch.randn(dictionary, states, states) / states**0.5)
        self.size, self.phase = (two(dim, 2 * states, states, nn.GELU) for _ in range(2))
        self.input, self.skip = nn.Linear(dim, states, bias=False), nn.Parameter(torch.randn(dim))
        self.output = nn.Linear(2 * states, dim, bias=False)

    def forward(self, u, index):
        mixed = torch.einsum("...k,kij->...ij", self.select(u).softmax(-1), self.dictionary)
        soft = mixed.softmax(-2)
        hard = torch.zeros_like(soft).scatter_(-2, soft.argmax(-2, keepdim=True), 1)
        map_ = hard + soft - soft.detach()
        turn = torch.polar(self.size(u).sigmoid(), 2 * math.pi * self.phase(u).sigmoid())
        b = self.input(u)
        if index is not None:
            u, map_, turn, b = u[index], map_[index], turn[index], b[index]
        x, states = torch.zeros(len(b), b.shape[-1], 2), []
        x[:, 0, 0] = 1
        for pt, dt, bt in zip(map_.unbind(1), turn.unbind(1), b.unbind(1)):
            x = torch.view_as_real(dt * torch.view_as_complex(pt @ x) + bt)
            states.append(x)
        x = torch.stack(states, 1).transpose(-1, -2).flatten(2)
        return self.output(x) + u * self.skip


LAYERS = {
    "blocks": Blocks,
    "s4d": Space,
    "s4": lambda dim: Space(dim, rank_one=True),
    "lru-loop": Unit,
    "lru-fft": lambda dim: Unit(dim, loop=False),
    "delta-loop": lambda dim: Delta(dim, chunk=0),
    "delta-chunk": Delta,
    "pd_ssm": OneHot,
}


class Network(nn.Module):
    """Embedding, layers with a norm before and a residual around all but the last, norm, and two
    layers that answer at every position.  The first layer reads a row a symbol."""

    def __init__(self, kind, symbols, classes, dim, layers=1):
        super().__init__()
        self.embedding = nn.Embedding(symbols, dim)
        self.layers = nn.ModuleList(LAYERS[kind](dim) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(layers + 1))
        self.head = two(dim, dim, classes)

    def forward(self, tokens):
        x, last = self.embedding.weight, len(self.layers) - 1
        for i, (layer, norm) in enumerate(zip(self.layers, self.norms)):
            y = layer(norm(x), tokens if i == 0 else None)
            x = y if i == last else (x[tokens] if i == 0 else x) + y
        return self.head(self.norms[-1](x))
