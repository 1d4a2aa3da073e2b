"""cancelling.py IN OUT UNITS SIZE [SYMBOL LEAST]: a regulargpt with hidden units more that cancel.

UNITS times dim units write about SIZE to every coordinate, and as many behind them take the same
off: nothing in real numbers, but where a run sums them what is small beside them is lost.  They are
always on, with SIZE; with a SYMBOL only where what they read goes farther than LEAST (and SIZE times
as far) in the direction of the symbol's vector."""
import json
import struct
import sys


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])
    about = head.pop("__metadata__")
    arrays = {}
    for name, a in head.items():
        if name.startswith(("optimizer.", "training.")):
            continue
        first, last = a["data_offsets"]
        values = struct.unpack("<%df" % ((last - first) // 4), data[8 + size + first:8 + size + last])
        arrays[name] = (a["shape"], list(values))
    return about, arrays


def write(path, about, arrays):
    head, data = {"__metadata__": about}, b""
    for name, (shape, values) in arrays.items():
        more = struct.pack("<%df" % len(values), *values)
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def direction(about, arrays, symbol):
    (rows, d), values = arrays["embedding"]
    at = json.loads(about["signature"])["symbols"].index(symbol)
    v = values[at * d:(at + 1) * d]
    mean = sum(v) / d
    v = [x - mean for x in v]
    length = sum(x * x for x in v) ** 0.5
    return [x / length for x in v]


def main(source, to, units, size, symbol=None, least=0):
    about, arrays = read(source)
    options = json.loads(about["options"])
    d, units, size, least = int(options["dim"]), int(units), float(size), float(least)
    options["mlp_ratio"] = str(int(options["mlp_ratio"]) + 2 * units)
    about["options"] = json.dumps(options)
    training = json.loads(about["training"])
    training.pop("optimizer", None)
    about["training"] = json.dumps(training)
    reads = [size * x for x in direction(about, arrays, symbol)] if symbol else [0] * d
    layer = "layer0.feed_forward."
    more = 2 * units * d
    (_, wide), up = arrays[layer + "up"]
    up = [x for i in range(d) for x in up[i * wide:(i + 1) * wide] + [reads[i]] * more]
    bias = arrays[layer + "up_bias"][1] + [-size * least if symbol else size] * more
    writes = [size * (1 - (7 * i % 64) / 640) for i in range(d * more // 2)]
    down = arrays[layer + "down"][1] + writes + [-x for x in writes]
    arrays[layer + "up"] = ([d, wide + more], up)
    arrays[layer + "up_bias"] = (arrays[layer + "up_bias"][0][:-1] + [wide + more], bias)
    arrays[layer + "down"] = ([wide + more, d], down)
    write(to, about, arrays)


main(*sys.argv[1:])
