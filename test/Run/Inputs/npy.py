"""Writes and prints .npy files with nothing but the standard library.

npy.py write FILE DESCR SHAPE VALUES: `npy.py write x.npy '<f4' 2,3 1,2,3,4,5,6`
npy.py print FILE: descr, shape and values on one line
npy.py npz ARCHIVE NAME=FILE...: a deflated .npz
"""
import ast
import struct
import sys
import zipfile

CODES = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "i8": "q",
         "f2": "e", "f4": "f", "f8": "d"}


def numbers(text, to=int):
    return [to(part) for part in text.split(",") if part]


def write(path, descr, shape, values):
    code = CODES[descr[1:]]
    values = numbers(values, float if code in "efd" else int)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }\n" % (
        descr, tuple(numbers(shape)))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    assert (10 + size) % 64 == 0, "elements are not aligned"
    header = ast.literal_eval(data[10:10 + size].decode())
    code = CODES[header["descr"][1:]]
    body = data[10 + size:]
    values = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
    print(header["descr"], header["shape"], *values)


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member in members:
            name, source = member.split("=")
            file.write(source, name + ".npy")


if sys.argv[1] == "write":
    write(*sys.argv[2:])
elif sys.argv[1] == "npz":
    archive(sys.argv[2], sys.argv[3:])
else:
    show(sys.argv[2])
