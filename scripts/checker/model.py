"""The weights and options of a model, as they stand in a .safetensors file."""

import json
import struct

import numpy as np


from balls import Refused

# What options are called today, and were called in older files.
OLDER = {"chunk": "arity", "thickness": "layers_per_level", "hidden": "mlp_ratio", "fan": "fan_in",
         "centres": "codebook", "edge_centres": "edge_codebook"}
# Options that have other values where a file does not say them.
UNSAID = {("lrnn", None): {"norm": "code"}, ("deltaproduct", None): {"convolution": "yes"},
          ("regulargpt", "text"): {"norm": "pre", "missing": "mask", "head": "tied", "arity": "128", "layers_per_level": "6"}}


def read_json(text):
    """Which of two values for one key counts is another program's choice: there must be one."""
    def once(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            raise Refused("a key stands twice")
        return dict(pairs)
    return json.loads(text, object_pairs_hook=once)


class Model:

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        (size,) = struct.unpack("<Q", data[:8])
        header = read_json(data[8:8 + size])
        about = header.pop("__metadata__")
        self.kind = about["kind"]
        self.options = {
            OLDER.get(name, name): value for name, value in read_json(about["options"]).items()}
        self.signature = read_json(about["signature"])
        self.weight = {}
        for name, t in header.items():
            if t["dtype"] == "F32":
                start, end = (8 + size + at for at in t["data_offsets"])
                values = np.frombuffer(data[start:end], dtype="<f4").astype(float)
                if not np.isfinite(values).all():
                    raise Refused(f"{name} has numbers that are not finite")
                self.weight[name] = values.reshape(t["shape"])

    def __getitem__(self, name):
        return self.weight[name]

    def matrix(self, name):
        """Files have one of a single row as a list of numbers."""
        return np.atleast_2d(self[name])

    def take(self, known):
        """Its options, of which `known` has the values that they may have, None: any.  What is not
        known may change what the model computes."""
        unsaid = UNSAID.get((self.kind, self.options.get("size")), {})
        for name, value in {**unsaid, **self.options}.items():
            if name not in known or known[name] not in (None, value):
                raise Refused(f"nothing is known here of {self.kind} with {name}={value}")
        return {**unsaid, **self.options}
