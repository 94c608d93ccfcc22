# A program in parts that can be taken away one by one, and its text.
#
# Requires: nothing but Python; values whose names differ.
# Guarantees: `text` is one entry @main over the arguments, `flags` its inputs in
# the order of the arguments.
"""The programs that fuzz_generator.py makes and fuzz-programs.py cuts down."""


class Value:
    def __init__(self, name, shape, dtype, bound):
        self.name, self.shape, self.dtype, self.bound = name, tuple(shape), dtype, bound

    @property
    def type(self):
        return tensor(self.shape, self.dtype)


class Program:
    """arguments: [value, placement]; ops: (values, lines, operands); results likewise."""

    def __init__(self):
        self.header, self.arguments, self.ops, self.results, self.inputs = [], [], [], [], {}

    def text(self):
        def attribute(placement):
            return f" {{shardir.placement = {placement}}}" if placement else ""
        arguments = ",\n                ".join(f"%{v.name}: {v.type}{attribute(p)}" for v, p in self.arguments)
        types = ",\n        ".join(f"{v.type}{attribute(p)}" for v, p in self.results)
        lines = list(self.header)
        lines.append(f"func.func @main({arguments})\n    -> ({types}) {{")
        for _, body, _ in self.ops:
            lines += ["  " + line for line in body]
        lines.append(f"  return {', '.join('%' + v.name for v, _ in self.results)} : "
                     f"{', '.join(v.type for v, _ in self.results)}\n}}")
        return "\n".join(lines) + "\n"

    def flags(self):
        return [f"--input={'x'.join(map(str, v.shape + (v.dtype,)))}={','.join(map(str, self.inputs[v.name]))}"
                for v, _ in self.arguments]

    def copy(self):
        other = Program()
        other.header, other.inputs = list(self.header), self.inputs
        other.arguments, other.ops, other.results = map(list, (self.arguments, self.ops, self.results))
        return other


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def count(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total
