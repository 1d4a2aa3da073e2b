"""What a model answers, computed from its file by the formulas of the papers, in double precision.

    model = Model("m.safetensors")
    model.probabilities([0, 2, 1])        one row of classes, or one for each position

Nothing here looks at how tapehead computes: no batches, no shared rows, no scans, one string after
the other, loops where the formulas have sums.  Shapes and names of parameters are those of the
file.  Row vectors multiply matrices from the left.
"""
import json
import math
import struct

import numpy as np

erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    """Hendrycks and Gimpel 2016, section 2."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    return np.maximum(x, 0)


def softplus(x):
    return np.log1p(np.exp(-abs(x))) + relu(x)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, offset):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + offset


def read_safetensors(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    meta = header.pop("__metadata__")
    tensors = {}
    for name, t in header.items():
        lo, hi = t["data_offsets"]
        kind = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4", "U8": "u1"}[t["dtype"]]
        tensors[name] = np.frombuffer(data[lo:hi], kind).astype(float).reshape(t["shape"])
    return meta, tensors


# ---- positions -----------------------------------------------------------------------------------


def alibi_slopes(heads):
    """Press et al. 2022: for a power of two 2^(-8h/n); else every second of the next one follows."""
    n = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * (h + 1) / n) for h in range(n)]
    return slopes + [2 ** (-8 * (h + 1) / (2 * n)) for h in range(0, 2 * n, 2)][: heads - n]


def t5_bucket(distance, causal, buckets, farthest):
    """Raffel et al. 2020; distance is that from the key forward to the query."""
    first = 0
    if not causal:
        buckets //= 2
        first = buckets if distance < 0 else 0
        distance = abs(distance)
    near = buckets // 2
    if distance < near:
        return first + distance
    share = math.log(distance / near) / math.log(farthest / near) * (buckets - near)
    return first + min(near + int(share + 1e-9), buckets - 1)


def rotate(x, places, turned, neighbours, base, growth):
    """Su et al. 2021 on the first `turned` columns of a head; Sun et al. 2022 let them grow."""
    x = x.copy()
    half = turned // 2
    for t in range(half):
        a, b = (2 * t, 2 * t + 1) if neighbours else (t, t + half)
        angle = places * base ** (-2 * t / turned)
        zeta = ((2 * t / turned + 0.4) / 1.4) ** (places * growth)
        u, v = x[:, a].copy(), x[:, b].copy()
        x[:, a] = zeta * (u * np.cos(angle) - v * np.sin(angle))
        x[:, b] = zeta * (u * np.sin(angle) + v * np.cos(angle))
    return x


class Positions:
    """One of the encodings, for strings that stand at 0, 1, … or at given places."""

    def __init__(self, model, causal):
        o = model.options
        self.m, self.causal, self.o = model, causal, o
        self.kind = o.get("position", "none")
        self.drawn = self.kind == "random"
        if self.drawn:
            self.kind = o.get("base_position", "none")
        self.heads = int(o.get("heads", 1))
        self.dim = int(o["dim"])
        self.places = None

    def at(self, n):
        return np.arange(n) if self.places is None else np.array(self.places[:n])

    def parameter(self, layer, name):
        own = f"layer{layer}.position.{name}"
        return self.m.p[own if own in self.m.p else f"position.{name}"]

    def at_input(self, x):
        if self.kind == "learned":
            return x + self.m.p["position"][self.at(len(x))]
        if self.kind != "sinusoidal":
            return x
        added = np.zeros_like(x)
        for t in range(0, self.dim, 2):
            angle = self.at(len(x)) / 10000 ** (t / self.dim)
            added[:, t], added[:, t + 1] = np.sin(angle), np.cos(angle)
        return x + added.astype(np.float32)  # a table of the program is of single precision

    def turn(self, q, k, rows):
        """Queries of the rows and all keys of one head."""
        if "log_length" in self.o:
            seen = np.array(rows) + 2
            grown = np.log(seen) / math.log(1 + int(self.o["log_length"]))
            q = q * grown.astype(np.float32)[:, None]
        if self.kind not in ("rope", "xpos"):
            return q, k
        width = self.dim // self.heads
        turned = 2 * int(float(self.o.get("rotary_fraction", 1)) * width / 2 + 1e-9)
        pairs = self.o.get("rotary_pairs", "neighbours" if self.kind == "xpos" else "halves")
        base = float(self.o.get("base", 10000))
        growth = 1 / float(self.o.get("decay", 512)) if self.kind == "xpos" else 0
        at = self.at(len(k))
        return (rotate(q, at[rows], turned, pairs == "neighbours", base, growth),
                rotate(k, at, turned, pairs == "neighbours", base, -growth))

    def bias(self, layer, head, i, j):
        """What is added to the logit of query i and key j."""
        at = self.at(max(i, j) + 1)
        distance = int(at[i] - at[j])
        far = abs(distance)
        if self.kind == "alibi":
            return -alibi_slopes(self.heads)[head] * far
        if self.kind == "t5":
            bucket = t5_bucket(distance, self.causal, int(self.o.get("buckets", 32)),
                               int(self.o.get("farthest", 128)))
            return self.parameter(layer, "bucket")[head, bucket]
        if self.kind in ("kerple", "kerple_power"):
            # The released code keeps both numbers at 0.01 or more.
            scale = max(abs(self.parameter(layer, "scale")[head, 0]), 0.01)
            if self.kind == "kerple":
                rate = max(abs(self.parameter(layer, "rate")[head, 0]), 0.01)
                return -scale * math.log(1 + rate * far)
            power = min(max(abs(self.parameter(layer, "power")[head, 0]), 0.01), 2)
            return -scale * far**power if far else 0
        if self.kind == "fire":
            rate = abs(self.parameter(layer, "rate")[0, 0])
            least = 512 * abs(self.parameter(layer, "threshold")[0, 0])
            below = math.log(1 + rate * max(at[i], least)) + 1e-6
            x = math.log(1 + rate * distance) / below
            up = relu(x * self.parameter(layer, "up")[0] + self.parameter(layer, "up_bias"))
            down = self.parameter(layer, "down"), self.parameter(layer, "down_bias")
            return up.ravel() @ down[0][:, head] + down[1].ravel()[head]
        if self.kind in ("hard_alibi", "recency"):
            masked = int(self.o.get("window_heads", (self.heads + 1) // 2))
            windowed = layer < int(self.o.get("window_layers", 64))
            if windowed and head < masked and distance > head:
                return -math.inf
        if self.kind == "recency":
            free = range(masked, self.heads)
            rates = [float(self.o.get("recency", 8)) / 2**k for k in range(len(free))][::-1]
            if len(rates) > 1:
                rates[0] = 0
            return -dict(zip(free, rates)).get(head, 0) * math.log(1 + distance)
        return 0

    def by_content(self, layer, head, q, k, rows):
        """Dai et al. 2019: (q_i + u)·k_j + (q_i + v)·R(i-j) W_R; else q_i·k_j."""
        if self.kind != "xl":
            return q @ k.T
        name = self.m.own(layer, "attention.")
        width, d = q.shape[1], self.dim
        own = slice(head * width, (head + 1) * width)
        u = self.m.p[name + "content_bias"].ravel()[own]
        v = self.m.p[name + "position_bias"].ravel()[own]
        w = self.m.p[name + "relative"]
        logits = (q + u) @ k.T
        for a, i in enumerate(rows):
            for j in range(len(k)):
                angle = (i - j) / 10000 ** (2 * np.arange(d // 2) / d)
                r = np.concatenate([np.sin(angle), np.cos(angle)]) @ w
                logits[a, j] += (q[a] + v) @ r[own]
        return logits


# ---- attention -----------------------------------------------------------------------------------


def cut(x, heads):
    return np.split(x, heads, axis=1)


class Model:
    def __init__(self, path):
        meta, tensors = read_safetensors(path)
        self.kind = meta["kind"]
        self.options = json.loads(meta["options"])
        self.signature = json.loads(meta["signature"])
        self.every = self.signature["target"] != "final"
        self.p = {n: np.atleast_2d(t) for n, t in tensors.items() if not n.startswith("optimizer.")}
        self.places = None  # of position=random

    def more(self):
        """Rows besides those of the symbols."""
        return 2 if "ends" in self.p else self.kind == "bare"

    def option(self, name, default=None):
        return self.options.get(name, default)

    def number(self, name, default=None):
        return int(self.options.get(name, default))

    def flag(self, name, default="no"):
        return self.options.get(name, default) == "yes"

    def own(self, layer, name):
        """What parameters of a layer begin with; those of a block that is shared have no number."""
        numbered = f"layer{layer}.{name}"
        return numbered if any(n.startswith(numbered) for n in self.p) else name

    def linear(self, x, name, bias="_bias"):
        y = x @ self.p[name]
        return y + self.p[name + bias] if name + bias in self.p else y

    def norm(self, x, name):
        return layer_norm(x, self.p[name + ".gain"], self.p[name + ".offset"])

    def rms_norm(self, x, name):
        """Zhang and Sennrich 2019, equation 4, with what keeps the root from nothing."""
        mean = (x**2).mean(axis=-1, keepdims=True)
        return x / np.sqrt(mean + float(self.option("norm_epsilon", 1e-5))) * self.p[name + ".gain"]

    def network(self, x, name, f):
        return self.linear(f(self.linear(x, name + ".up")), name + ".down")

    def attend(self, positions, layer, x, source):
        """Self-attention of all rows of x to those of source."""
        name, heads, d = self.own(layer, "attention."), positions.heads, x.shape[1]
        q, kv = self.linear(x, name + "query"), self.linear(source, name + "key_value")
        out = []
        rows = range(len(x))
        for h, (qh, kh, vh) in enumerate(zip(cut(q, heads), cut(kv[:, :d], heads),
                                             cut(kv[:, d:], heads))):
            qh, kh = positions.turn(qh, kh, list(rows))
            logits = positions.by_content(layer, h, qh, kh, rows) / math.sqrt(d // heads)
            for i in rows:
                for j in range(len(source)):
                    hidden = positions.causal and j > i
                    logits[i, j] += -math.inf if hidden else positions.bias(layer, h, i, j)
            out.append(self.looks(logits) @ vh)
        return self.linear(np.concatenate(out, axis=1), name + "output")

    def looks(self, logits):
        """Attention weights: a softmax, or those of the greatest logits alone."""
        how = self.option("attention") if self.kind == "bare" else "soft"
        if how not in ("rightmost", "average"):
            return softmax(logits)
        weights = np.zeros_like(logits)
        for i, row in enumerate(logits):
            seen = row[:max(i, 1)] if how == "rightmost" else row[:i + 1]
            best = np.flatnonzero(seen == seen.max())
            weights[i, best[-1:] if how == "rightmost" else best] = 1
        return weights / weights.sum(axis=1, keepdims=True)

    def probabilities(self, word):
        logits = getattr(self, "run_" + FAMILY[self.kind])(np.array(word))
        return softmax(logits)

    # ---- layers with weights of their own --------------------------------------------------------

    def run_transformer(self, word):
        d = self.number("dim")
        positions = Positions(self, self.flag("causal"))
        positions.places = self.places
        x = positions.at_input(self.p["embedding"][word] * math.sqrt(d))
        for i in range(self.number("layers")):
            name = f"layer{i}."
            u = self.norm(x + self.attend(positions, i, x, x), name + "norm1")
            x = self.norm(u + self.network(u, name + "feed_forward", relu), name + "norm2")
        return self.linear(x if self.every else x[-1:], "head")

    def run_gpt(self, word):
        positions = Positions(self, self.flag("causal", "yes"))
        positions.places = self.places
        scale = math.sqrt(self.number("dim")) if self.flag("scale") else 1
        x = positions.at_input(self.p["embedding"][word] * scale)
        f = {"gelu": gelu, "gelu_tanh": gelu_tanh, "relu": relu}[self.option("activation", "gelu")]
        llama = self.option("block") == "llama"
        norm = self.rms_norm if llama else self.norm
        for i in range(self.number("layers")):
            name = f"layer{i}."
            if llama:  # Touvron et al. 2023, section 2.2
                read = norm(x, name + "norm1")
                x = x + self.attend(positions, i, read, read)
                read, name = norm(x, name + "norm2"), name + "feed_forward."
                x = x + (silu(read @ self.p[name + "gate"]) * (read @ self.p[name + "up"])) @ self.p[name + "down"]
                continue
            if self.option("norm") == "after":
                u = self.norm(x + self.attend(positions, i, x, x), name + "norm1")
                x = self.norm(u + self.network(u, name + "feed_forward", f), name + "norm2")
                continue
            read = self.norm(x, name + "norm1")
            u = x + self.attend(positions, i, read, read)
            beside = x if self.option("block") == "neox" else u
            x = u + self.network(self.norm(beside, name + "norm2"), name + "feed_forward", f)
        x = x if self.every else x[-1:]
        x = norm(x, "final_norm") if self.flag("final_norm", "yes") else x
        y = x @ (self.p["head"] if "head" in self.p else self.p["embedding"].T)
        return y + self.p["head_bias"] if "head_bias" in self.p else y

    def run_bare(self, word):
        positions = Positions(self, self.flag("causal"))
        positions.places = self.places
        begun = np.concatenate([[len(self.p["embedding"]) - 1], word])
        x = positions.at_input(self.p["embedding"][begun])
        for i in range(self.number("layers")):
            x = x + self.attend(positions, i, x, x)
            x = x + self.network(x, f"layer{i}.feed_forward", relu)
        return self.linear(x[1:] if self.every else x[-1:], "head")

    # ---- RegularGPT ------------------------------------------------------------------------------

    def chunk_layer(self, sub, x, keys, queries):
        """Row r asks queries[r] and reads keys[r], its places before (None: nothing stands there)."""
        name, heads = f"layer{sub}.", self.number("heads")
        d, pre = x.shape[1], self.option("norm") == "pre"
        read = self.norm(x, name + "norm1") if pre else x
        q = self.linear(read, name + "attention.query")
        kv = self.linear(read, name + "attention.key_value")
        relative = self.p[name + "attention.relative"]
        width, attended = d // heads, []
        for r, row in enumerate(keys):
            parts = []
            for h in range(heads):
                own = slice(h * width, (h + 1) * width)
                seen = [(k, j) for k, j in enumerate(row) if j is not None]
                logits = np.array([q[queries[r], own] @ kv[j, own] / math.sqrt(width)
                                   + relative[h, k] for k, j in seen])
                values = np.array([kv[j, d:][own] for _, j in seen])
                parts.append(softmax(logits) @ values)
            attended.append(np.concatenate(parts))
        u = x[queries] + self.linear(np.array(attended), name + "attention.output")
        if pre:
            return u + self.tree_network(self.norm(u, name + "norm2"), name + "feed_forward")
        u = self.norm(u, name + "norm1")
        return self.norm(u + self.tree_network(u, name + "feed_forward"), name + "norm2")

    def tree_network(self, x, name):
        pre, kind = self.option("norm") == "pre", self.option("activation", "auto")
        f = gelu if kind == "gelu" or (kind == "auto" and pre) else relu
        if self.number("fan_in", 0) == 0:
            return self.network(x, name, f)
        p = self.p
        source, to = p[name + ".from"].astype(int), p[name + ".to"].astype(int).ravel()
        up = f((x[:, source] * p[name + ".up"]).sum(axis=2) + p[name + ".up_bias"])
        y = np.repeat(p[name + ".down_bias"], len(x), axis=0)
        for u, t in enumerate(to):
            y[:, t] += up[:, u] * p[name + ".down"][0, u]
        return y

    def snap(self, x, edge):
        """The nearest centre of the vector's kind: complete, or lacking symbols."""
        centres, n_edge = self.p["centres"], self.number("edge_codebook", 0)
        whole = len(centres) - n_edge
        out = []
        for row, lacks in zip(x, edge):
            first, last = (whole, len(centres)) if n_edge and lacks else (0, whole)
            near = ((centres[first:last] - row) ** 2).sum(axis=1).argmin()
            out.append(centres[first + near])
        return np.array(out)

    def run_regulargpt(self, word):
        C, K, d = self.number("arity"), self.number("layers_per_level"), self.number("dim")
        mask, form = self.option("missing") == "mask", self.option("form", "auto")
        dilated = form == "dilated" or (form == "auto" and self.every)
        x, depth = self.p["embedding"][word] * math.sqrt(d), 1
        while C**depth < len(word):
            depth += 1
        edge = np.zeros(len(word), bool)
        for level in range(max(depth, self.number("levels", 1))):
            level_of = self.dilated_level if dilated else self.collapsed_level
            x, edge = level_of(x, edge, C, K, C**level, mask)
            if "centres" in self.p:
                x = self.snap(x, edge)
        x = x if self.every else x[-1:]
        x = self.norm(x, "final_norm") if "final_norm.gain" in self.p else x
        return self.linear(x, "head") if "head" in self.p else x @ self.p["embedding"].T

    def dilated_level(self, x, edge, C, K, stride, mask):
        """Chi et al. 2023, Eq. 1: position m reads m, m - stride, …; in front stands the pad."""
        n = len(x)
        for sub in range(K):
            rows = x if mask else np.concatenate([x, self.p["pad"]])
            keys = [[m - k * stride if m >= k * stride else None if mask else n
                     for k in range(C)] for m in range(n)]
            x = self.chunk_layer(sub, rows, keys, list(range(n)))
            edge = np.array([any(j is None or j == n or edge[j] for j in row) for row in keys])
        return x, edge

    def collapsed_level(self, x, edge, C, K, _, mask):
        """Of each chunk its right end goes on; what is missing of the first one are pads."""
        pads = -len(x) % C
        if not mask:
            x = np.concatenate([np.repeat(self.p["pad"], pads, axis=0), x])
        shift = pads if mask else 0
        edge = np.concatenate([np.ones(pads, bool), edge])
        for sub in range(K):
            ends = sub == K - 1
            rows = range(C - 1, pads + len(x) - (0 if mask else pads), C) if ends else \
                range(shift, shift + len(x))
            keys = [[at - k - shift if at - k >= shift else None for k in range(C)] for at in rows]
            edge = np.array([any(at - k < 0 or edge[at - k] for k in range(C)) for at in rows]) \
                if ends else np.array([any(at - k < 0 or edge[at - k] for k in range(C))
                                       if at >= shift else True
                                       for at in range(len(edge))])
            x = self.chunk_layer(sub, x, keys, [at - shift for at in rows])
        return x, edge

    # ---- blocks that are applied again -----------------------------------------------------------

    def block(self, positions, number, h, source=None, memory=None):
        """Ray Chowdhury and Caragea 2024, section 2: layer norm before each part; and a gate."""
        name = f"layer{number}." if f"layer{number}.norm1.gain" in self.p else ""
        read = self.norm(h, name + "norm1")
        x = h + self.attend(positions, number, read,
                            read if source is None else self.norm(source, name + "norm1"))
        if memory is not None:
            x = self.cross(name + "memory", x, memory)
        read = self.norm(x, name + "norm2")
        made = x + self.network(read, name + "feed_forward", gelu)
        if name + "gate.up" not in self.p:
            return made
        gate = sigmoid(self.network(read, name + "gate", gelu))
        return gate * made + (1 - gate) * h

    def cross(self, name, x, memory):
        heads, d = self.number("heads"), x.shape[1]
        q = self.linear(self.norm(x, name + ".norm_query"), name + ".query")
        kv = self.linear(self.norm(memory, name + ".norm_key"), name + ".key_value")
        out = [softmax(a @ b.T / math.sqrt(d // heads)) @ c
               for a, b, c in zip(cut(q, heads), cut(kv[:, :d], heads), cut(kv[:, d:], heads))]
        return x + self.linear(np.concatenate(out, axis=1), name + ".output")

    def think(self, positions, x, halt, memory=None):
        """Adaptive computation time (Graves 2016; Dehghani et al. 2019), one unit a row or one for
        the string: a unit gives p of the mass that is left to its state, and stops where as much as
        the threshold would have been given; what is left goes to the state that it stops with."""
        causal, n = positions.causal, len(x)
        steps = self.number("steps")
        if halt == "none":
            for _ in range(steps):
                x = self.block(positions, 0, x, memory=memory)
            return x
        whole = halt == "global" and not causal
        first, threshold = self.number("halt_from", 0), float(self.option("threshold", 0.999))
        looks = self.flag("transition")
        units = [list(range(n))] if whole else [[i] for i in range(n)]
        most = [min(steps, n + 1)] if whole or not causal else [min(steps, i + 2) for i in range(n)]
        if not whole and not causal:
            most = most * n
        active, left = [m > 0 for m in most], np.ones(len(units))
        done, given, h = [0] * len(units), np.zeros_like(x), x.copy()

        def known(state):
            if halt == "token":
                return state
            if whole:
                return state.mean(axis=0, keepdims=True)
            return np.cumsum(state, axis=0) / np.arange(1, n + 1)[:, None]

        def mean(state):
            out = given.copy()
            for u, rows in enumerate(units):
                out[rows] += left[u] * state[rows]
            return out

        soft, step = x, 0
        while any(active):
            going = [u for u in range(len(units)) if active[u]]
            applied = self.block(positions, 0, h, soft if halt == "token" else None, memory)
            after = h.copy()
            for u in going:
                after[units[u]] = applied[units[u]]
            if step >= first:
                seen = np.concatenate([known(h), known(after)], axis=1) if looks else known(h)
                p = sigmoid(self.network(seen, "halting", gelu)).ravel()
            for u in going:
                stop = p[u] if step >= first else 0
                if step >= first and 1 - left[u] * (1 - stop) >= threshold:
                    active[u] = False
                    continue
                given[units[u]] += left[u] * stop * h[units[u]]
                left[u] *= 1 - stop
                done[u] += 1
                active[u] = done[u] < most[u]
            moved = [u for u in going if done[u] == step + 1]
            kept = h
            h = h.copy()
            for u in moved:
                h[units[u]] = after[units[u]]
            del kept
            soft, step = mean(h), step + 1
        return mean(h)

    def decide(self, x):
        return self.network(x, "head", relu)

    def finish(self, x):
        return self.norm(x, "final_norm") if "final_norm.gain" in self.p else x

    def pool(self, x):
        return x[-1:] if self.option("pool") in ("end", "last") else x.mean(axis=0, keepdims=True)

    def with_ends(self, x):
        if "ends" not in self.p:
            return x
        return np.concatenate([self.p["ends"][:1], x, self.p["ends"][1:]])

    def run_encoder(self, word):
        positions = Positions(self, self.flag("causal"))
        ends = self.more() // 2
        if self.places is not None:
            positions.places = self.places[ends:]
        x = self.with_ends(positions.at_input(self.p["embedding"][word]))
        positions.places = self.places
        if self.kind == "encoder":
            for i in range(self.number("layers")):
                x = self.block(positions, i, x)
        else:
            x = self.think(positions, x, self.option("halt"))
        x = self.finish(x)
        return self.decide(x if self.every else self.pool(x))

    def run_chunks(self, word):
        positions = Positions(self, self.flag("causal"))
        x, size = self.with_ends(self.p["embedding"][word]), self.number("chunk")
        if self.option("cut") == "equal":
            count = -(-len(x) // size)
            size = -(-len(x) // count)
        memory, made = self.p["slots"], []
        for at in range(0, len(x), size):
            chunk = positions.at_input(x[at:at + size])
            if self.kind == "tlb":
                for i in range(self.number("layers")):
                    chunk = self.block(positions, i, chunk, memory=memory)
            else:
                chunk = self.think(positions, chunk, "global", memory)
            made.append(chunk)
            for i in range(self.number("updates")):
                name = f"layer{i}.update"
                memory = self.cross(name, memory, chunk)
                memory = memory + self.network(self.norm(memory, name + ".norm"),
                                               name + ".feed_forward", gelu)
        if self.every:
            return self.decide(self.finish(np.concatenate(made)))
        return self.decide(self.pool(self.norm(memory, "slots_norm")))

    # ---- a router: Csordás, Irie and Schmidhuber 2022, equations 3 to 12 --------------------------

    def outward(self, x):
        """Of pairs of positions as far apart the one ahead is looked at first."""
        heads, d = self.number("heads"), x.shape[1]
        q = (x @ self.p["attention.query"] + self.p["attention.query_bias"]) * self.p["attention.by_product"]
        kv = x @ self.p["attention.key_value"]
        sides = self.linear(x, "attention.side") * self.p["attention.by_side"] + self.p["attention.base"]
        out = []
        for h, (qh, kh, vh) in enumerate(zip(cut(q, heads), cut(kv[:, :d], heads), cut(kv[:, d:], heads))):
            logits, y = qh @ kh.T, np.zeros_like(vh)
            for i in range(len(x)):
                left = 1.0
                order = sorted((j for j in range(len(x)) if j != i), key=lambda j: (abs(j - i), j < i))
                for j in order:
                    if j > i and self.flag("causal"):
                        continue
                    p = 1 / (1 + np.exp(-logits[i, j] - sides[i, h if j < i else heads + h]))
                    y[i] += left * p * vh[j]
                    left *= 1 - p
            out.append(y)
        return self.linear(np.concatenate(out, axis=1), "attention.output")

    def run_ndr(self, word):
        positions = Positions(self, self.flag("causal"))
        x = self.with_ends(positions.at_input(self.p["embedding"][word]))
        for _ in range(self.number("steps")):
            looked = self.outward(x) if self.flag("geometric", "yes") else self.attend(positions, 0, x, x)
            u = self.norm(x + looked, "norm1")
            made = self.norm(self.network(u, "feed_forward", relu), "norm2")
            g = 1 / (1 + np.exp(-self.network(u, "gate", relu)))
            x = g * made + (1 - g) * x
        at = {"start": x[:1], "end": x[-1:], "mean": x.mean(axis=0, keepdims=True)}
        return self.linear(x if self.every else at[self.option("pool", "start")], "head")

    # ---- recurrent networks ----------------------------------------------------------------------

    def run_recurrent(self, word):
        x, d = self.p["input"][word], self.number("dim")
        for layer in range(self.number("layers", 1)):
            name = f"layer{layer}." if layer else ""
            if layer:
                x = x @ self.p[name + "input"]
            x = self.states(x, d, {n: self.p.get(name + n) for n in (
                "recurrent", "bias", "input_bias", "recurrent_bias", "candidate_bias")})
        f = {"relu": relu, "tanh": np.tanh, "gelu": gelu, "linear": lambda x: x}
        x = f[self.option("head", "relu")](x if self.every else x[-1:])
        if self.number("head_hidden", 0):
            x = f[self.option("head_activation", "relu")](self.linear(x, "head_hidden"))
        return self.linear(x, "head")

    def states(self, inputs, d, p):
        h, c, out = np.zeros((1, d)), np.zeros((1, d)), []
        for x in inputs[:, None]:
            if self.kind == "rnn":
                f = {"relu": relu, "tanh": np.tanh}[self.option("activation", "relu")]
                h = f(x + p["input_bias"] + h @ p["recurrent"] + p["recurrent_bias"])
            elif self.kind == "lstm":
                i, g, f, o = np.split(x + h @ p["recurrent"] + p["bias"], 4, axis=1)
                c = sigmoid(f + float(self.option("forget", 1))) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
            else:
                a, b = x + p["input_bias"], h @ p["recurrent"]
                z, r = sigmoid(a[:, :d] + b[:, :d]), sigmoid(a[:, d:2 * d] + b[:, d:2 * d])
                n = np.tanh(a[:, 2 * d:] + r * (b[:, 2 * d:] + p["candidate_bias"]))
                h = (1 - z) * h + z * n
            out.append(h)
        return np.concatenate(out)

    # ---- linear recurrences ----------------------------------------------------------------------

    def run_linear(self, word):
        x, layers = self.p["embedding"][word], self.number("layers")
        layer = getattr(self, "layer_" + {"deltaproduct": "deltanet", "liquid_s4": "s4"}.get(
            self.kind, self.kind))
        for i in range(layers):
            name = f"layer{i}."
            if self.kind == "pd_ssm":
                x = self.norm(layer(name, x), name + "norm")
                continue
            if self.option("decoder") == "yes":
                x = x + layer(name, self.rms_norm(x, name + "norm"))
                if self.option("mlp_width"):
                    own, wide = self.rms_norm(x, name + "norm2"), name + "feed_forward."
                    x = x + silu(own @ self.p[wide + "gate"]) * (own @ self.p[wide + "up"]) @ self.p[wide + "down"]
                continue
            y = layer(name, self.norm(x, name + "norm"))
            x = x + y if i < layers - 1 else y
        if self.option("decoder") == "yes":
            return self.linear(self.rms_norm(x if self.every else x[-1:], "final_norm"), "answer")
        x = x if self.every else x[-1:]
        if self.kind != "pd_ssm":
            x = relu(self.linear(self.norm(x, "final_norm"), "head"))
        return self.linear(x, "answer")

    def layer_lrnn(self, name, u):
        """Fan et al. 2024, section 3: blocks from a network of two layers, and the value of one."""
        b, power = self.number("block"), float(self.option("p", 1.2))
        two = lambda first, second: self.linear(relu(self.linear(u, name + first)), name + second)
        blocks, values = two("transition.up", "transition.blocks"), two("value.up", "value.down")
        x, out = self.p[name + "start"][0], []
        for row, v in zip(blocks, values):
            y = v.copy()
            for k, a in enumerate(row.reshape(-1, b, b)):
                if self.option("norm") == "code":
                    a = a - a.mean(axis=0)
                    a = a / (abs(a) ** power).sum(axis=0).max() ** (1 / power)
                else:
                    a = a / np.maximum(1, (abs(a) ** power).sum(axis=0) ** (1 / power))
                y[k * b:(k + 1) * b] += a @ x[k * b:(k + 1) * b]
            x = y
            out.append(x)
        return np.array(out)

    def mixed(self, name, y):
        a, b = np.split(self.linear(gelu(y), name + "gate"), 2, axis=1)
        return a * sigmoid(b)

    def layer_lru(self, name, u):
        p = self.p
        radius = np.exp(-np.exp(p[name + "size"][0]))
        eigenvalues = radius * np.exp(1j * np.exp(p[name + "phase"][0]))
        n = len(radius)
        B = p[name + "input"][:, :n] + 1j * p[name + "input"][:, n:]
        x, out = np.zeros(n, complex), []
        for row in u:
            x = eigenvalues * x + np.sqrt(1 - radius**2 + 1e-12) * (row @ B)
            read = np.concatenate([x.real, x.imag]) @ p[name + "output"]
            out.append(read + p[name + "skip"][0] * row)
        return self.mixed(name, np.array(out))

    def complex(self, name):
        return self.p[name + ".real"] + 1j * self.p[name + ".imaginary"]

    def layer_s4d(self, name, u):
        a = -np.exp(self.p[name + "decay"]) + 1j * self.p[name + "frequency"]
        step, c = np.exp(self.p[name + "step"]), self.complex(name + "output")
        hold = np.exp(step * a)
        x, out = np.zeros_like(a), []
        for row in u:
            x = hold * x + (hold - 1) / a * row[:, None]
            out.append(2 * (c * x).real.sum(axis=1) + self.p[name + "skip"][0] * row)
        return self.mixed(name, np.array(out))

    def layer_s4(self, name, u):
        """Gu, Goel and Ré 2022: diagonal and rank one, with the conjugates, by the bilinear rule."""
        decay, frequency = self.p[name + "decay"], self.p[name + "frequency"]
        step, c = np.exp(self.p[name + "step"]), self.complex(name + "output")
        b, rank = self.complex(name + "input"), self.complex(name + "rank_one")
        d, n = decay.shape
        out = np.zeros((len(u), d))
        both = lambda v: np.concatenate([v, v.conj()])
        for k in range(d):
            P = both(rank[k])
            A = np.diag(both(-np.exp(decay[k]) + 1j * frequency[k])) - np.outer(P, P.conj())
            one, half = np.eye(2 * n), step[k, 0] / 2
            inverse = np.linalg.inv(one - half * A)
            a_bar, b_bar = inverse @ (one + half * A), inverse @ both(b[k]) * 2 * half
            x = np.zeros(2 * n, complex)
            for i, row in enumerate(u):
                more = b_bar * row[k] * x if self.kind == "liquid_s4" else 0
                x = a_bar @ x + more + b_bar * row[k]
                out[i, k] = 2 * (c[k] * x[:n]).sum().real + self.p[name + "skip"][0, k] * row[k]
        return self.mixed(name, out)

    def convolved(self, x, kernel):
        """Row 0 of the kernel is for the symbol itself, row 1 for the one before, …"""
        y = np.zeros_like(x)
        for k, row in enumerate(kernel):
            y[k:] += row * x[:len(x) - k]
        return y

    def layer_mamba(self, name, u):
        p = self.p
        states, rank = self.number("state"), int(self.option("rank") or (self.number("dim") + 15) // 16)
        x = self.convolved(u @ p[name + "input"], p[name + "convolution"])
        x = silu(x + p[name + "convolution_bias"])
        select = x @ p[name + "select"]
        time = softplus(select[:, :rank] @ p[name + "time"] + p[name + "time_bias"])
        B, C = select[:, rank:rank + states], select[:, rank + states:]
        A = -np.exp(p[name + "decay"])
        S, out = np.zeros_like(A), []
        for i in range(len(u)):
            keep = np.exp(time[i] * A)
            keep = 2 * keep - 1 if self.option("eigenvalues") == "signed" else keep
            S = keep * S + np.outer(B[i], time[i] * x[i])
            out.append(C[i] @ S + p[name + "skip"][0] * x[i])
        return np.array(out) * silu(u @ p[name + "gate"]) @ p[name + "output"]

    def layer_deltanet(self, name, u):
        p, d, heads = self.p, self.number("dim"), self.number("heads")
        steps, size = self.number("steps"), d // heads
        x = np.concatenate([u @ p[name + part] for part in ("query", "key", "value")], axis=1)
        if name + "convolution" in p:
            x = self.convolved(x, p[name + "convolution"])
        x = silu(x)
        one = lambda v: v / math.sqrt((v**2).sum() + 1e-6)
        rate = sigmoid(u @ p[name + "rate"]) * (2 if self.option("eigenvalues") == "signed" else 1)
        out = np.zeros((len(u), d))
        for h in range(heads):
            S, own = np.zeros((size, size)), slice(h * size, (h + 1) * size)
            for i in range(len(u)):
                if name + "decay" in p:
                    time = u[i] @ p[name + "time"][:, h] + p[name + "time_bias"][0, h]
                    S = S * math.exp(-math.exp(p[name + "decay"][0, h]) * softplus(time))
                for s in range(steps):
                    k = one(x[i, (1 + s) * d:(2 + s) * d][own])
                    v = x[i, (1 + steps + s) * d:(2 + steps + s) * d][own]
                    S = S + rate[i, s * heads + h] * np.outer(k, v - k @ S)
                y = one(x[i, :d][own]) / math.sqrt(size) @ S
                out[i, own] = y / math.sqrt((y**2).mean() + float(self.option("norm_epsilon") or 1e-5)) * p[name + "read.gain"][0]
        if name + "gate" in p:
            out = out * silu(u @ p[name + "gate"])
        return out @ p[name + "output"]

    def layer_pd_ssm(self, name, u):
        p, n = self.p, self.number("state")
        choice = softmax(u @ p[name + "select"])
        share = lambda part: sigmoid(self.network(u, name + part, gelu))
        diagonal = share("size") * np.exp(2j * math.pi * share("phase"))
        added = u @ p[name + "input"]
        x, out = np.eye(n)[0] + 0j, []
        for i in range(len(u)):
            M = (choice[i] @ p[name + "dictionary"]).reshape(n, n)
            P = np.zeros((n, n))
            for j in range(n):
                if self.option("one_hot", "column") == "column":
                    P[M[:, j].argmax(), j] = 1
                else:
                    P[j, M[j].argmax()] = 1
            x = diagonal[i] * (P @ x) + added[i, :n] + 1j * added[i, n:]
            read = self.linear(np.concatenate([x.real, x.imag])[None], name + "output")[0]
            out.append(read + p[name + "skip"][0] * u[i])
        return np.array(out)


FAMILY = {"transformer": "transformer", "gpt": "gpt", "bare": "bare", "regulargpt": "regulargpt",
          "encoder": "encoder", "ndr": "ndr", "universal": "encoder", "gated_universal": "encoder",
          "tlb": "chunks", "gutlb": "chunks", "rnn": "recurrent", "lstm": "recurrent",
          "gru": "recurrent", "lrnn": "linear", "s4": "linear", "s4d": "linear",
          "liquid_s4": "linear", "lru": "linear", "mamba": "linear", "deltanet": "linear",
          "deltaproduct": "linear", "pd_ssm": "linear"}
