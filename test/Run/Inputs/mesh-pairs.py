"""mesh-pairs.py MESH MESH ROWSxCOLUMNS: a program with one function for each placement
of a matrix on the first mesh, partial ones included. It moves the matrix to every
placement of a list on the second mesh, works on it there, and returns it on both: back
in rows over all of the first mesh, and in columns over all of the second, so that a
wrong copy on any device shows.

A mesh is `x=2,y=2` or `p=4:3,2,1,0`, with its ranks after the colon. Its axes must be
two or one, and of other names than those of the other mesh.
"""
import sys

shape = tuple(map(int, sys.argv[3].split("x")))
matrix = f"tensor<{shape[0]}x{shape[1]}xi32>"


class Mesh:
    def __init__(self, name, text):
        sizes, _, devices = text.partition(":")
        self.name = name
        self.axes = [f'"{axis.split("=")[0]}"' for axis in sizes.split(",")]
        listed = ", ".join(f'"{axis.split("=")[0]}"={axis.split("=")[1]}' for axis in sizes.split(","))
        self.text = f"shardir.mesh @{name} <[{listed}]{f', devices = [{devices}]' if devices else ''}>"

    def place(self, rows, columns, partial=""):
        return f"#shardir.placement<@{self.name}, [{{{rows}}}, {{{columns}}}]{f', partial = {partial}' if partial else ''}>"

    def plain(self):
        every = ", ".join(self.axes)
        pairs = [("", ""), (every, ""), ("", every)]
        for axis in self.axes:
            pairs += [(axis, ""), ("", axis)]
        if len(self.axes) == 2:
            x, y = self.axes
            pairs += [(x, y), (y, x), (f"{y}, {x}", "")]
        return sorted(set(pairs))

    def partials(self):
        x = self.axes[-1]
        result = [("sum", ("", ""), [x]), ("max", ("", ""), [x])]
        if len(self.axes) == 2:
            y = self.axes[0]
            result += [("sum", ("", ""), [y, x]), ("sum", (y, ""), [x]), ("max", ("", y), [x])]
        return result


a, b = Mesh("a", sys.argv[1]), Mesh("b", sys.argv[2])
every_a, every_b = ", ".join(a.axes), ", ".join(b.axes)
print(a.text + "\n" + b.text)


def function(name, argument, body):
    lines, results = list(body), []
    targets = [b.place(*pair) for pair in b.plain()]
    targets += [b.place(*dims, f"{kind} [{', '.join(axes)}]") for kind, dims, axes in b.partials() if kind == "sum"]
    for i, target in enumerate(targets):
        lines += [f"%t{i} = shardir.constrain %s to {target} : {matrix}", f"%u{i} = arith.addi %t{i}, %t{i} : {matrix}"]
        results += [(f"%u{i}", a.place(every_a, "")), (f"%u{i}", b.place("", every_b))]
    attributed = ", ".join(f"{matrix} {{shardir.placement = {end}}}" for _, end in results)
    print(f"func.func @{name}({argument})\n    -> ({attributed}) {{")
    print("\n".join("  " + line for line in lines))
    print(f"  return {', '.join(value for value, _ in results)} : {', '.join(matrix for _ in results)}\n}}")


for number, dims in enumerate(a.plain()):
    function(f"plain{number}", f"%x: {matrix} {{shardir.placement = {a.place(*dims)}}}",
             [f"%s = shardir.constrain %x to {a.place(*dims)} : {matrix}"])
for number, (kind, dims, axes) in enumerate(a.partials()):
    terms = f"tensor<6x{shape[0]}x{shape[1]}xi32>"
    placement = f"#shardir.placement<@a, [{{{', '.join(axes)}}}, {{{dims[0]}}}, {{{dims[1]}}}]>"
    op, zero = ("arith.addi", 0) if kind == "sum" else ("arith.maxsi", -2147483648)
    function(f"partials{number}", f"%x: {terms} {{shardir.placement = {placement}}}", [
        f"%c = arith.constant {zero} : i32", f"%e = tensor.empty() : {matrix}",
        f"%z = linalg.fill ins(%c : i32) outs(%e : {matrix}) -> {matrix}",
        f"%p = linalg.reduce {{ {op} }} ins(%x : {terms}) outs(%z : {matrix}) dimensions = [0]",
        f"%s = shardir.constrain %p to {a.place(*dims, f'{kind} [' + ', '.join(axes) + ']')} : {matrix}"])
