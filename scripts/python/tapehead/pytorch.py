"""Models that tapehead saved with as=pytorch, as modules of PyTorch.

    net = load("m.safetensors")
    net(["abba", "b"])     logits: a row for each string, or for each symbol of the string
"""
import json
import struct
from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh, "gelu": F.gelu, "linear": lambda x: x,
               "gelu_tanh": partial(F.gelu, approximate="tanh")}


def read(path):
    """Tensors by name, and what else the file says."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    more = header.pop("__metadata__", {})
    return {name: torch.from_numpy(np.frombuffer(data[slice(*t["data_offsets"])], "<f4")
                                   .reshape(t["shape"]).copy()) for name, t in header.items()}, more


class Network(nn.Module):
    """Strings in, logits out; answer() has the numbers of one string's symbols."""

    def __init__(self, options, signature):
        super().__init__()
        self.options, self.classes = options, len(signature["classes"])
        self.number = {s: i for i, s in enumerate(signature["symbols"])}
        self.final = signature["target"] == "final"

    def forward(self, words):
        out = [self.answer(torch.tensor([self.number[s] for s in w])) for w in words]
        return torch.cat([y[-1:] for y in out] if self.final else out)


class Recurrent(Network):
    """An nn.RNN, nn.LSTM or nn.GRU of one-hot symbols, and a head."""

    def __init__(self, kind, options, signature):
        super().__init__(options, signature)
        o, dim, hidden = options, int(options["dim"]), int(options["head_hidden"])
        more = {"nonlinearity": o["activation"]} if kind == "rnn" else {}
        self.net = getattr(nn, kind.upper())(len(self.number), dim, int(o["layers"]), batch_first=True, **more)
        self.hidden = nn.Linear(dim, hidden) if hidden else None
        self.head = nn.Linear(hidden or dim, self.classes)

    def answer(self, word):
        h = ACTIVATIONS[self.options["head"]](self.net(torch.eye(len(self.number))[word][None])[0][0])
        if self.hidden:
            h = ACTIVATIONS[self.options["head_activation"]](self.hidden(h))
        return self.head(h)


class Encoder(Network):
    """An nn.TransformerEncoder between embeddings and a head."""

    def __init__(self, tensors, options, signature):
        super().__init__(options, signature)
        o, wide = options, tensors["net.layers.0.linear1.bias"].numel()
        dim, table = int(o["dim"]), tensors.get("positions.weight")
        layer = nn.TransformerEncoderLayer(dim, int(o["heads"]), wide, 0.0, o.get("activation", "gelu"),
                                           batch_first=True, norm_first=o["norm"] == "before")
        self.net = nn.TransformerEncoder(layer, int(o["layers"]),
                                         nn.LayerNorm(dim) if o["final_norm"] == "yes" else None)
        self.embedding = nn.Embedding(len(self.number), dim)
        self.positions = None if table is None else nn.Embedding(len(table), dim)
        self.head = nn.Linear(dim, self.classes, o["head_bias"] == "yes")
        if o["head"] == "tied":
            self.head.weight = self.embedding.weight
            tensors["head.weight"] = tensors["embedding.weight"]

    def answer(self, word):
        n, o = len(word), self.options
        x = self.embedding(word) * (int(o["dim"]) ** 0.5 if o["scale"] == "yes" else 1)
        if self.positions:
            x = x + self.positions(torch.arange(n))
        mask = torch.full((n, n), -torch.inf).triu(1) if o["causal"] == "yes" else None
        return self.head(self.net(x[None], mask))[0]


class Decoder(Network):
    """GPT-2, GPT-NeoX or LLaMA by the names and formulas of Hugging Face's modules."""

    def __init__(self, tensors, options, signature):
        super().__init__(options, signature)
        for name, tensor in tensors.items():
            at, *parts = name.split(".")
            module = self
            for part in parts:
                if not hasattr(module, at):
                    module.add_module(at, nn.Module())
                module, at = getattr(module, at), part
            module.register_parameter(at, nn.Parameter(torch.zeros_like(tensor)))
        self.heads, self.act = int(options.get("heads", 1)), ACTIVATIONS[options.get("activation", "gelu")]

    def linear(self, module, x):
        """GPT-2's matrices lie (in, out)."""
        bias = getattr(module, "bias", None)
        return F.linear(x, module.weight.T if hasattr(self.net, "h") else module.weight, bias)

    def norm(self, module, x):
        if hasattr(module, "bias"):
            return F.layer_norm(x, x.shape[-1:], module.weight, module.bias)
        return module.weight * x * torch.rsqrt((x * x).mean(-1, True) + float(self.options.get("norm_epsilon", 1e-5)))

    def turn(self, x):
        if self.options["position"] != "rope":
            return x
        half = int(float(self.options.get("rotary_fraction", 1)) * x.shape[2]) // 2
        angle = torch.arange(x.shape[1])[:, None] * float(self.options.get("base", 10000)) ** (-torch.arange(half) / half)
        a, b, rest, cos, sin = x[..., :half], x[..., half:2 * half], x[..., 2 * half:], angle.cos(), angle.sin()
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], 2)

    def attend(self, q, k, v):
        q, k, v = (y.reshape(len(y), self.heads, -1).transpose(0, 1) for y in (q, k, v))
        mask = torch.full((q.shape[1],) * 2, -torch.inf).triu(1)
        p = torch.softmax(self.turn(q) @ self.turn(k).transpose(1, 2) / q.shape[2] ** 0.5 + mask, 2)
        return (p @ v).transpose(0, 1).reshape(q.shape[1], -1)

    def gpt2(self, b, x):
        x = x + self.linear(b.attn.c_proj, self.attend(*self.linear(b.attn.c_attn, self.norm(b.ln_1, x)).chunk(3, 1)))
        return x + self.linear(b.mlp.c_proj, self.act(self.linear(b.mlp.c_fc, self.norm(b.ln_2, x))))

    def neox(self, b, x):
        a, m = b.attention, b.mlp
        qkv = self.linear(a.query_key_value, self.norm(b.input_layernorm, x)).reshape(len(x), self.heads, 3, -1)
        attended = self.linear(a.dense, self.attend(*qkv.unbind(2)))
        read = self.norm(b.post_attention_layernorm, x if self.options["block"] == "neox" else x + attended)
        return x + attended + self.linear(m.dense_4h_to_h, self.act(self.linear(m.dense_h_to_4h, read)))

    def llama(self, b, x):
        a, m, read = b.self_attn, b.mlp, self.norm(b.input_layernorm, x)
        x = x + self.linear(a.o_proj, self.attend(*(self.linear(y, read) for y in (a.q_proj, a.k_proj, a.v_proj))))
        read = self.norm(b.post_attention_layernorm, x)
        return x + self.linear(m.down_proj, F.silu(self.linear(m.gate_proj, read)) * self.linear(m.up_proj, read))

    def answer(self, word):
        net = self.net
        kind = "gpt2" if hasattr(net, "h") else "neox" if hasattr(net, "embed_in") else "llama"
        table = getattr(net, {"gpt2": "wte", "neox": "embed_in", "llama": "embed_tokens"}[kind]).weight
        last = getattr(net, {"gpt2": "ln_f", "neox": "final_layer_norm", "llama": "norm"}[kind], None)
        x = table[word] + (net.wpe.weight[:len(word)] if kind == "gpt2" else 0)
        for block in (net.h if kind == "gpt2" else net.layers).children():
            x = getattr(self, kind)(block, x)
        head = getattr(self, "head", nn.Module())
        return F.linear(self.norm(last, x) if last else x, getattr(head, "weight", table), getattr(head, "bias", None))


class Recurrence(Decoder):
    """Mamba, or DeltaNet of flash-linear-attention, by their names and formulas."""

    def short(self, module, x):
        """A convolution of each channel with the last symbols."""
        y = F.conv1d(x.T[None], module.weight, getattr(module, "bias", None), padding=3, groups=x.shape[1])
        return F.silu(y[0, :, :len(x)].T)

    def mamba(self, m, u):
        x, z = self.linear(m.in_proj, u).chunk(2, 1)
        x, states = self.short(m.conv1d, x), m.A_log.shape[1]
        low, b, c = self.linear(m.x_proj, x).split([m.dt_proj.weight.shape[1], states, states], 1)
        time, a, h, y = F.softplus(self.linear(m.dt_proj, low)), -torch.exp(m.A_log), 0, []
        for t in range(len(u)):
            h = torch.exp(time[t][:, None] * a) * h + (time[t] * x[t])[:, None] * b[t]
            y.append(h @ c[t] + m.D * x[t])
        return self.linear(m.out_proj, torch.stack(y) * F.silu(z))

    def delta(self, m, u):
        n, steps, heads = len(u), int(self.options["steps"]), self.heads
        q, k, v = (self.linear(getattr(m, p + "_proj"), u) for p in "qkv")
        if self.options["convolution"] == "yes":
            q, k, v = self.short(m.q_conv1d, q), self.short(m.k_conv1d, k), self.short(m.v_conv1d, v)
        else:
            q, k, v = F.silu(q), F.silu(k), F.silu(v)
        q, k, v = q.reshape(n, heads, -1), k.reshape(n, steps, heads, -1), v.reshape(n, steps, heads, -1)
        q, k = (x * torch.rsqrt((x * x).sum(-1, True) + 1e-6) for x in (q, k))
        rate = torch.sigmoid(self.linear(m.b_proj, u)) * (2 if self.options["eigenvalues"] == "signed" else 1)
        keep = torch.ones(n, heads)
        if self.options["forget"] == "yes":
            keep = torch.exp(-torch.exp(m.A_log) * F.softplus(self.linear(m.a_proj, u) + m.dt_bias))
        s, y = 0, []
        for t in range(n):
            s = keep[t][:, None, None] * s
            for i in range(steps):
                key, by = k[t, i][:, :, None], rate[t].reshape(steps, heads)[i][:, None, None]
                s = s + by * key @ (v[t, i][:, None] - (key * s).sum(1, True))
            y.append((q[t][:, None] @ s)[:, 0] * q.shape[2] ** -0.5)
        y = self.norm(m.o_norm, torch.stack(y)).reshape(n, -1)
        return self.linear(m.o_proj, y * F.silu(self.linear(m.g_proj, u)) if hasattr(m, "g_proj") else y)

    def answer(self, word):
        x = self.embedding.weight[word]
        for b in self.net.layers.children():
            x = x + (self.mamba(b.mixer, self.norm(b.norm, x)) if hasattr(b, "mixer")
                     else self.delta(b.attn, self.norm(b.attn_norm, x)))
            if hasattr(b, "mlp"):
                read = self.norm(b.mlp_norm, x)
                x = x + self.linear(b.mlp.down_proj, F.silu(self.linear(b.mlp.gate_proj, read))
                                    * self.linear(b.mlp.up_proj, read))
        last = self.net.norm_f if hasattr(self.net, "norm_f") else self.net.norm
        return self.linear(self.head, self.norm(last, x))


def load(path):
    tensors, more = read(path)
    given = json.loads(more["options"]), json.loads(more["signature"])
    if more["kind"] in ("rnn", "lstm", "gru"):
        net = Recurrent(more["kind"], *given)
    elif more["kind"] in ("mamba", "deltanet"):
        net = Recurrence(tensors, *given)
    else:
        net = (Encoder if "net.layers.0.linear1.weight" in tensors else Decoder)(tensors, *given)
    net.load_state_dict(tensors, strict=True)
    return net.eval()
