"""Networks as people write them in PyTorch, and files of them; needs torch."""
import json
import struct

import numpy as np
import torch
from torch import nn


class Recurrent(nn.Module):
    """kind: RNN, LSTM, GRU; embed: width of the embedding, 0: one-hot."""

    def __init__(self, kind, symbols, classes, dim, layers=1, embed=0, hidden=0, head_bias=True,
                 act="ReLU", **more):
        super().__init__()
        self.symbols = symbols
        self.embed = nn.Embedding(symbols, embed) if embed else None
        self.net = getattr(nn, kind)(embed or symbols, dim, layers, batch_first=True, **more)
        self.fc = nn.Sequential(nn.Linear(dim, hidden), getattr(nn, act)(), nn.Linear(hidden, classes)) \
            if hidden else nn.Linear(dim, classes, bias=head_bias)

    def forward(self, word):
        w = torch.tensor([word])
        x = self.embed(w) if self.embed else nn.functional.one_hot(w, self.symbols).float()
        return self.fc(self.net(x)[0])[0]


def stir(net, seed, size=0.9):
    """Weights that are neither small nor alike."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.randn_like(p) * (size if p.dim() > 1 else 0.5))
    return net.eval()


def words(symbols, n, longest, seed):
    r = np.random.default_rng(seed)
    return [r.integers(0, symbols, r.integers(1, longest + 1)).tolist() for _ in range(n)]


def save(tensors, path, indent=None, kinds=None):
    """A .safetensors file as some other program may write it: keys in any order, blanks, escapes."""
    names, at, header, data = list(tensors), 0, {}, b""
    for name in sorted(names, reverse=True):
        x = np.asarray(tensors[name])
        kind = (kinds or {}).get(name) or {"float32": "F32", "float64": "F64", "float16": "F16",
                                           "int64": "I64"}[str(x.dtype)]
        raw = x.tobytes()
        header[name] = {"shape": list(x.shape), "data_offsets": [at, at + len(raw)], "dtype": kind}
        at, data = at + len(raw), data + raw
    header["__metadata__"] = {"writer": "a test"}
    text = json.dumps(header, indent=indent).replace("weight", "\\u0077eight", 1).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def state(net):
    return {k: v.detach().numpy() for k, v in net.state_dict().items()}


class Encoder(nn.Module):
    """nn.TransformerEncoder with learned or sinusoidal positions, or none; read at the last symbol."""

    def __init__(self, symbols, classes, dim, heads, layers, causal=False, before=False, act="relu",
                 positions="buffer", final=False, scale=False, wide=3):
        super().__init__()
        self.causal, self.scale, self.positions = causal, scale, positions
        self.embed = nn.Embedding(symbols, dim)
        if positions == "learned":
            self.pos_emb = nn.Embedding(64, dim)
        if positions == "buffer":
            at, up = torch.arange(64)[:, None], 10000 ** (-torch.arange(0, dim, 2) / dim)
            pe = torch.stack([torch.sin(at * up), torch.cos(at * up)], 2).reshape(64, 1, dim)
            self.register_buffer("pe", pe)
        layer = nn.TransformerEncoderLayer(dim, heads, wide * dim, activation=act, norm_first=before)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(dim) if final else None)
        self.out = nn.Linear(dim, classes)

    def forward(self, word):
        n = len(word)
        x = self.embed(torch.tensor(word))[:, None] * (self.embed.embedding_dim ** 0.5 if self.scale else 1)
        if self.positions == "learned":
            x = x + self.pos_emb(torch.arange(n))[:, None]
        if self.positions == "buffer":
            x = x + self.pe[:n]
        mask = torch.full((n, n), -torch.inf).triu(1) if self.causal else None
        return self.out(self.encoder(x, mask))[:, 0]


def gelu_new(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)))


class Conv1D(nn.Module):
    def __init__(self, out, into):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(into, out)), nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return x @ self.weight + self.bias


def attention(q, k, v):
    """Causal; (heads, n, width) each."""
    n = q.shape[1]
    logits = q @ k.transpose(1, 2) / q.shape[2] ** 0.5 + torch.full((n, n), -torch.inf).triu(1)
    return (torch.softmax(logits, 2) @ v).transpose(0, 1).reshape(n, -1)


def module(**parts):
    m = nn.Module()
    for name, part in parts.items():
        m.add_module(name, part)
    return m


class GPT2(nn.Module):
    """The formulas of Hugging Face's modeling_gpt2.py, and its names."""

    def __init__(self, symbols, classes, dim, heads, layers, tied=False):
        super().__init__()
        self.heads, self.act = heads, gelu_new
        blocks = [module(ln_1=nn.LayerNorm(dim), ln_2=nn.LayerNorm(dim),
                         attn=module(c_attn=Conv1D(3 * dim, dim), c_proj=Conv1D(dim, dim)),
                         mlp=module(c_fc=Conv1D(4 * dim, dim), c_proj=Conv1D(dim, 4 * dim)))
                  for _ in range(layers)]
        self.transformer = module(wte=nn.Embedding(symbols, dim), wpe=nn.Embedding(64, dim),
                                  h=nn.ModuleList(blocks), ln_f=nn.LayerNorm(dim))
        self.score = None if tied else nn.Linear(dim, classes, bias=False)

    def forward(self, word):
        t, n = self.transformer, len(word)
        x = t.wte(torch.tensor(word)) + t.wpe(torch.arange(n))
        for b in t.h:
            q, k, v = (y.reshape(n, self.heads, -1).transpose(0, 1)
                       for y in b.attn.c_attn(b.ln_1(x)).chunk(3, 1))
            x = x + b.attn.c_proj(attention(q, k, v))
            x = x + b.mlp.c_proj(self.act(b.mlp.c_fc(b.ln_2(x))))
        x = t.ln_f(x)
        return self.score(x) if self.score else x @ t.wte.weight.T


class Scale(nn.Module):
    """RMS norm."""

    def __init__(self, dim, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(dim)), epsilon

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon))


def linear(into, out):
    return nn.Linear(into, out, bias=False)


class Llama(nn.Module):
    """The formulas of modeling_llama.py: RMS norm, rotary positions, a gate, and heads that share keys."""

    def __init__(self, symbols, classes, dim, heads, layers, shared=2, wide=11, tied=False, epsilon=1e-6,
                 base=10000.0):
        super().__init__()
        self.heads, self.shared, self.base = heads, shared, base
        less = dim // shared
        blocks = [module(input_layernorm=Scale(dim, epsilon), post_attention_layernorm=Scale(dim, epsilon),
                         self_attn=module(q_proj=linear(dim, dim), k_proj=linear(dim, less),
                                          v_proj=linear(dim, less), o_proj=linear(dim, dim)),
                         mlp=module(gate_proj=linear(dim, wide), up_proj=linear(dim, wide),
                                    down_proj=linear(wide, dim)))
                  for _ in range(layers)]
        self.model = module(embed_tokens=nn.Embedding(symbols, dim), layers=nn.ModuleList(blocks),
                            norm=Scale(dim, epsilon))
        self.lm_head = None if tied else linear(dim, classes)

    def turn(self, x):
        half = x.shape[2] // 2
        angle = torch.arange(x.shape[1])[:, None] * self.base ** (-torch.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * torch.cos(angle) - b * torch.sin(angle),
                          b * torch.cos(angle) + a * torch.sin(angle)], 2)

    def forward(self, word):
        m, n = self.model, len(word)
        x = m.embed_tokens(torch.tensor(word))
        for b in m.layers:
            read, a = b.input_layernorm(x), b.self_attn
            q = a.q_proj(read).reshape(n, self.heads, -1).transpose(0, 1)
            k, v = (p(read).reshape(n, self.heads // self.shared, -1).transpose(0, 1)
                    .repeat_interleave(self.shared, 0) for p in (a.k_proj, a.v_proj))
            x = x + a.o_proj(attention(self.turn(q), self.turn(k), v))
            read = b.post_attention_layernorm(x)
            x = x + b.mlp.down_proj(nn.functional.silu(b.mlp.gate_proj(read)) * b.mlp.up_proj(read))
        x = m.norm(x)
        return self.lm_head(x) if self.lm_head else x @ m.embed_tokens.weight.T


class NeoX(nn.Module):
    """The formulas of modeling_gpt_neox.py: rotary positions, heads interleaved, parts side by side."""

    def __init__(self, symbols, classes, dim, heads, layers, share=0.25, parallel=True):
        super().__init__()
        self.heads, self.turned, self.parallel = heads, int(share * dim / heads), parallel
        blocks = [module(input_layernorm=nn.LayerNorm(dim), post_attention_layernorm=nn.LayerNorm(dim),
                         attention=module(query_key_value=nn.Linear(dim, 3 * dim), dense=nn.Linear(dim, dim)),
                         mlp=module(dense_h_to_4h=nn.Linear(dim, 4 * dim), dense_4h_to_h=nn.Linear(4 * dim, dim)))
                  for _ in range(layers)]
        self.gpt_neox = module(embed_in=nn.Embedding(symbols, dim), layers=nn.ModuleList(blocks),
                               final_layer_norm=nn.LayerNorm(dim))
        self.embed_out = nn.Linear(dim, classes, bias=False)

    def turn(self, x):
        half = self.turned // 2
        angle = torch.arange(x.shape[1])[:, None] * 10000 ** (-torch.arange(half) / half)
        a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
        cos, sin = torch.cos(angle), torch.sin(angle)
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], 2)

    def forward(self, word):
        g, n = self.gpt_neox, len(word)
        x = g.embed_in(torch.tensor(word))
        for b in g.layers:
            qkv = b.attention.query_key_value(b.input_layernorm(x)).reshape(n, self.heads, -1).transpose(0, 1)
            q, k, v = qkv.chunk(3, 2)
            attended = b.attention.dense(attention(self.turn(q), self.turn(k), v))
            read = x if self.parallel else x + attended
            more = b.mlp.dense_4h_to_h(nn.functional.gelu(b.mlp.dense_h_to_4h(
                b.post_attention_layernorm(read))))
            x = x + attended + more
        return self.embed_out(g.final_layer_norm(x))


def after(x, kernel, bias=None):
    """A causal convolution of every channel, as nn.Conv1d with groups does it; x (n, channels)."""
    y = nn.functional.conv1d(x.T[None], kernel, bias, padding=kernel.shape[2] - 1, groups=len(kernel))
    return nn.functional.silu(y[0, :, :len(x)].T)


class Mamba(nn.Module):
    """The formulas of state-spaces/mamba, mamba_simple.py; names: how Hugging Face calls the embedding."""

    def __init__(self, symbols, classes, dim, layers, states=3, expand=2, rank=None, rows=None,
                 names="embeddings", tied=False):
        super().__init__()
        e, rank = expand * dim, rank or -(-dim // 16)
        self.states, self.rank, self.names = states, rank, names
        mixers = [module(in_proj=linear(dim, 2 * e), conv1d=nn.Conv1d(e, e, 4, groups=e, padding=3),
                         x_proj=linear(e, rank + 2 * states), dt_proj=nn.Linear(rank, e), out_proj=linear(e, dim))
                  for _ in range(layers)]
        for m in mixers:
            m.A_log, m.D = nn.Parameter(torch.zeros(e, states)), nn.Parameter(torch.zeros(e))
        self.backbone = module(layers=nn.ModuleList([module(norm=Scale(dim, 1e-5), mixer=m) for m in mixers]),
                               norm_f=Scale(dim, 1e-5), **{names: nn.Embedding(rows or symbols, dim)})
        self.lm_head = None if tied else linear(dim, rows or classes)
        self.classes = classes

    def mix(self, m, u):
        x, z = m.in_proj(u).chunk(2, 1)
        x = after(x, m.conv1d.weight, m.conv1d.bias)
        low, B, C = m.x_proj(x).split([self.rank, self.states, self.states], 1)
        dt, A, h, y = nn.functional.softplus(m.dt_proj(low)), -torch.exp(m.A_log), 0, []
        for t in range(len(x)):
            h = torch.exp(dt[t][:, None] * A) * h + (dt[t] * x[t])[:, None] * B[t]
            y.append(h @ C[t] + m.D * x[t])
        return m.out_proj(torch.stack(y) * nn.functional.silu(z))

    def forward(self, word):
        b = self.backbone
        table = getattr(b, self.names)
        x = table(torch.tensor(word))
        for layer in b.layers:
            x = x + self.mix(layer.mixer, layer.norm(x))
        x = b.norm_f(x)
        return (self.lm_head(x) if self.lm_head else x @ table.weight.T)[:, :self.classes]


class DeltaNet(nn.Module):
    """The formulas of flash-linear-attention, delta_net.py and gated_deltaproduct.py."""

    def __init__(self, symbols, classes, dim, heads, layers, steps=1, wide=7, gate=False, forget=False,
                 short=True, signed=False, epsilon=1e-6):
        super().__init__()
        self.heads, self.steps, self.signed = heads, steps, signed
        blocks = []
        for _ in range(layers):
            a = module(q_proj=linear(dim, dim), k_proj=linear(dim, steps * dim), v_proj=linear(dim, steps * dim),
                       b_proj=linear(dim, steps * heads), o_norm=Scale(dim // heads, epsilon), o_proj=linear(dim, dim))
            if short:
                for c, n in (("q_conv1d", 1), ("k_conv1d", steps), ("v_conv1d", steps)):
                    a.add_module(c, nn.Conv1d(n * dim, n * dim, 4, groups=n * dim, padding=3, bias=False))
            if gate:
                a.g_proj = linear(dim, dim)
            if forget:
                a.a_proj = linear(dim, heads)
                a.A_log, a.dt_bias = nn.Parameter(torch.zeros(heads)), nn.Parameter(torch.zeros(heads))
            mlp = module(gate_proj=linear(dim, wide), up_proj=linear(dim, wide), down_proj=linear(wide, dim))
            blocks.append(module(attn_norm=Scale(dim, epsilon), mlp_norm=Scale(dim, epsilon), attn=a, mlp=mlp))
        self.model = module(embeddings=nn.Embedding(symbols, dim), layers=nn.ModuleList(blocks),
                            norm=Scale(dim, epsilon))
        self.lm_head = linear(dim, classes)

    def mix(self, a, u):
        n, s, h = len(u), self.steps, self.heads
        short = hasattr(a, "q_conv1d")
        q, k, v = (after(p(u), getattr(a, c).weight) if short else nn.functional.silu(p(u))
                   for p, c in ((a.q_proj, "q_conv1d"), (a.k_proj, "k_conv1d"), (a.v_proj, "v_conv1d")))
        q, k, v = q.reshape(n, h, -1), k.reshape(n, s, h, -1), v.reshape(n, s, h, -1)
        q, k = (x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6) for x in (q, k))
        q = q * q.shape[-1] ** -0.5
        rate = (torch.sigmoid(a.b_proj(u)) * (2 if self.signed else 1)).reshape(n, s, h)
        keep = torch.exp(-torch.exp(a.A_log) * nn.functional.softplus(a.a_proj(u) + a.dt_bias)) \
            if hasattr(a, "A_log") else torch.ones(n, h)
        S, out = torch.zeros(h, q.shape[-1], q.shape[-1]), []
        for t in range(n):
            S = S * keep[t][:, None, None]
            for i in range(s):
                wrong = torch.einsum("hvk,hk->hv", S, k[t, i]) - v[t, i]
                S = S - rate[t, i][:, None, None] * torch.einsum("hv,hk->hvk", wrong, k[t, i])
            out.append(torch.einsum("hvk,hk->hv", S, q[t]))
        y = a.o_norm(torch.stack(out)).reshape(n, -1)
        if hasattr(a, "g_proj"):
            y = y * nn.functional.silu(a.g_proj(u))
        return a.o_proj(y)

    def forward(self, word):
        m = self.model
        x = m.embeddings(torch.tensor(word))
        for b in m.layers:
            x = x + self.mix(b.attn, b.attn_norm(x))
            read = b.mlp_norm(x)
            x = x + b.mlp.down_proj(nn.functional.silu(b.mlp.gate_proj(read)) * b.mlp.up_proj(read))
        return self.lm_head(m.norm(x))


class LRNN(nn.Module):
    """The formulas and names of tinghanf/RegluarLRNN; symbol by symbol."""

    def __init__(self, symbols, classes, dim, block, layers):
        super().__init__()
        two = lambda into, wide: nn.Sequential(nn.Linear(into, wide), nn.ReLU(), nn.Linear(wide, wide))  # noqa: E731
        self.block, self.embedding = block, nn.Embedding(symbols, dim)
        self.layers = nn.ModuleList([module(gen_block=two(dim, dim * block), gen_value=two(dim, dim))
                                     for _ in range(layers)])
        for layer in self.layers:
            layer.a0 = nn.Parameter(torch.zeros(1, dim // block, block))
        self.ln, self.ln_final = nn.ModuleList([nn.LayerNorm(dim) for _ in range(layers)]), nn.LayerNorm(dim)
        self.Wo1, self.Wo2 = nn.Linear(dim, dim), nn.Linear(dim, classes)

    def forward(self, word):
        x = self.embedding(torch.tensor(word))
        for i, (layer, norm) in enumerate(zip(self.layers, self.ln)):
            u, state, out = norm(x), layer.a0[0], []
            for a, v in zip(layer.gen_block(u), layer.gen_value(u)):
                a = a.reshape(len(state), self.block, self.block)
                a = a - a.mean(1, keepdim=True)
                a = a / a.norm(p=1.2, dim=1, keepdim=True).amax(2, keepdim=True)
                state = (a @ state[..., None])[..., 0] + v.reshape(state.shape)
                out.append(state.reshape(-1))
            x = torch.stack(out) + (x if i < len(self.layers) - 1 else 0)
        return self.Wo2(torch.relu(self.Wo1(self.ln_final(x))))
