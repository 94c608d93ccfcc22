"""redistribute-pairs.py MESH ROWSxCOLUMNS: a program with one function for each
placement of a list; it takes a matrix there, moves it to every placement of the
list, and returns each result in two placements that every device has a part in, so
that a wrong copy on any device shows.

Partial placements start from terms that differ between devices: a sum or
a maximum along a dim that is sharded.
"""
import sys

mesh, shape = sys.argv[1].split(","), tuple(map(int, sys.argv[2].split("x")))
(x, nx), (y, ny) = [axis.split("=") for axis in mesh]
x, y = f'"{x}"', f'"{y}"'

plain = [("", ""), (x, ""), (y, ""), ("", x), ("", y), (x, y), (y, x), (f"{x}, {y}", ""), (f"{y}, {x}", ""), ("", f"{x}, {y}")]
# Integers divide exactly.
plain += [pair for pair in [(f"{shape[0]}, {x}", ""), ("", f"{shape[1]}, {y}")]]
if shape[0] % 4 == 0:
    plain += [(f"2, {x}", ""), (f"2, {y}, {x}", ""), (f"{x}, 2", y), ("", f"{x}, 2")]
for name, size in ((x, nx), (y, ny)):
    if size == "4":
        half = [f"{name}:(1)2", f"{name}:(2)2"]
        plain += [(half[0], half[1]), (half[1], half[0]), (f"{half[1]}, {half[0]}", ""), ("", half[1])]
partials = [("sum", ("", ""), [x]), ("sum", ("", ""), [x, y]), ("sum", (y, ""), [x]), ("sum", ("", x), [y]), ("max", ("", ""), [y]),
        ("max", (x, ""), [y]), ("max", ("", ""), [y, x])]


def write(dims, kind=None, axes=()):
    tail = f", partial = {kind} [{', '.join(axes)}]" if kind else ""
    return f"#shardir.placement<@m, [{{{dims[0]}}}, {{{dims[1]}}}]{tail}>"


targets = [write(dims) for dims in plain] + [write(dims, kind, axes) for kind, dims, axes in partials]
last = [write((f"{x}, {y}", "")), write(("", f"{y}, {x}"))]
matrix = f"tensor<{shape[0]}x{shape[1]}xi32>"
print(f"shardir.mesh @m <[{x}={nx}, {y}={ny}]>")


def function(name, argument, body):
    # A mixture of kinds has no direct way: a partial of one kind never becomes one of another.
    results, lines = [], list(body)
    own = [t for t in targets if not ("partial" in t and name.startswith("partials") and t != body[-1].split(" to ")[-1].split(" :")[0])]
    for i, target in enumerate(own):
        lines.append(f"%t{i} = shardir.constrain %s to {target} : {matrix}")
        for j, end in enumerate(last):
            results.append((f"%r{i}_{j}", end))
            lines.append(f"%r{i}_{j} = shardir.constrain %t{i} to {end} : {matrix}")
    types = ", ".join(matrix for _ in results)
    attributed = ", ".join(f"{matrix} {{shardir.placement = {end}}}" for _, end in results)
    print(f"func.func @{name}({argument})\n    -> ({attributed}) {{")
    print("\n".join("  " + line for line in lines))
    print(f"  return {', '.join(value for value, _ in results)} : {types}\n}}")


for number, dims in enumerate(plain):
    function(f"plain{number}", f"%x: {matrix} {{shardir.placement = {write(dims)}}}",
             [f"%s = shardir.constrain %x to {write(dims)} : {matrix}"])
for number, (kind, dims, axes) in enumerate(partials):
    terms = f"tensor<6x{shape[0]}x{shape[1]}xi32>"
    placement = f"#shardir.placement<@m, [{{{', '.join(axes)}}}, {{{dims[0]}}}, {{{dims[1]}}}]>"
    op, zero = ("arith.addi", 0) if kind == "sum" else ("arith.maxsi", -2147483648)
    function(f"partials{number}", f"%x: {terms} {{shardir.placement = {placement}}}", [
        f"%c = arith.constant {zero} : i32", f"%e = tensor.empty() : {matrix}",
        f"%z = linalg.fill ins(%c : i32) outs(%e : {matrix}) -> {matrix}",
        f"%p = linalg.reduce {{ {op} }} ins(%x : {terms}) outs(%z : {matrix}) dimensions = [0]",
        f"%s = shardir.constrain %p to {write(dims, kind, axes)} : {matrix}"])
