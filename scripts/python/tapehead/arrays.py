"""NumPy's files, with numpy or without."""
import ast
import struct


def read(data):
    try:
        import io
        import numpy
        return numpy.load(io.BytesIO(data), allow_pickle=False)
    except ImportError:
        pass
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode("latin1"))
    rows, cols = header["shape"]
    kind = {"<f8": "d", "<f4": "f", "<i4": "i", "|u1": "B"}[header["descr"]]
    numbers = struct.unpack(f"<{rows * cols}{kind}", data[10 + size:])
    return [list(numbers[i * cols:(i + 1) * cols]) for i in range(rows)]
