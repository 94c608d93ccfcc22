"""column-major.py ROWS COLUMNS FROM TO: an .npy file of f32, as numpy writes it, with its columns one after the other."""
import sys

rows, columns = int(sys.argv[1]), int(sys.argv[2])
with open(sys.argv[3], "rb") as file:
    data = file.read()
size = rows * columns * 4
header, elements = data[:-size].replace(b"False", b"True "), data[-size:]
places = [i * columns + j for j in range(columns) for i in range(rows)]
with open(sys.argv[4], "wb") as file:
    file.write(header + b"".join(elements[4 * p:4 * p + 4] for p in places))
