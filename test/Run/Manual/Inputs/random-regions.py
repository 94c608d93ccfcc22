#!/usr/bin/env python3
# Random manual regions over rows, against the same program on one device and against the
# regions of all devices, one after the other.
#
# Requires: shard-run in the folder named first, a folder to write to, a seed and a
# number of programs.
# Guarantees: integers, so that results are equal to the bit; status 1 and the
# programs kept where one differs or fails.
"""Draw programs whose rows are manual along "dp" and whose other axes are not."""

import os
import random
import subprocess
import sys

KINDS = ["matmul", "matmul", "add", "mul", "neg", "bias", "constrain", "rowsum"]


class Program:
    """One chain of ops on [rows, width] tensors and square weights."""

    def __init__(self, rng):
        self.rng = rng
        self.dp = rng.choice([2, 2, 4])
        others = rng.choice([[("tp", 2)], [("tp", 3)], [("tp", 2), ("pp", 2)]])
        self.others = [axis for axis, _ in others]
        self.mesh = [("dp", self.dp)] + others
        rng.shuffle(self.mesh)
        self.rows = self.dp * rng.choice([1, 2, 3])
        self.width = rng.choice([3, 4, 6, 7])
        self.weights = [f"w{i}" for i in range(rng.choice([1, 2, 3]))]
        values, self.ops = ["x"], []
        for i in range(rng.randint(2, 7)):
            kind = rng.choice(KINDS)
            second = rng.choice(self.weights if kind in ("matmul", "bias") else values)
            self.ops.append((kind, f"v{i}", rng.choice(values), second, self.placement(2)))
            values.append(f"v{i}")
        self.last = values[-1]
        self.partial = rng.random() < 0.5

    def placement(self, rank, manual=False, axes=None, partial=""):
        """Any placement of the axes that are not manual, or of those given."""
        left = list(axes or self.others)
        dims = []
        for dim in range(rank):
            entries = ['"dp"'] if manual and dim == 0 else []
            if left and self.rng.random() < 0.35:
                entries.append(f'"{left.pop(self.rng.randrange(len(left)))}"')
            if self.rng.random() < 0.6:
                entries.append("?")
            dims.append("{" + ", ".join(entries) + "}")
        return f"#shardir.placement<@m, [{', '.join(dims)}]{partial}>"

    def annotation(self, rank):
        if self.rng.random() < 0.5:
            return ""
        return " {shardir.placement = " + self.placement(rank, axes=self.others + ["dp"]) + "}"

    def body(self, rows, inside):
        n = self.width
        kind, row, vector = f"tensor<{rows}x{n}xi32>", f"tensor<{rows}xi32>", f"tensor<{n}xi32>"
        weight = f"tensor<{n}x{n}xi32>"
        lines = [f"%z = arith.constant dense<0> : {kind}", f"%zr = arith.constant dense<0> : {row}",
                 f"%zc = arith.constant dense<0> : {vector}"]
        for op, out, a, b, placement in self.ops:
            if op == "matmul":
                lines.append(f"%{out} = linalg.matmul ins(%{a}, %{b} : {kind}, {weight}) outs(%z : {kind}) -> {kind}")
            elif op in ("add", "mul"):
                lines.append(f"%{out} = arith.{op}i %{a}, %{b} : {kind}")
            elif op == "neg":
                lines.append(f"%{out} = arith.subi %z, %{a} : {kind}")
            elif op == "constrain" and inside:
                lines.append(f"%{out} = shardir.constrain %{a} to {placement} : {kind}")
            elif op == "constrain":
                lines.append(f"%{out} = arith.addi %{a}, %z : {kind}")
            else:
                if op == "bias":
                    lines.append(f"%{out}s = tensor.extract_slice %{b}[0, 0] [1, {n}] [1, 1] : {weight} to {vector}")
                else:
                    lines.append(f"%{out}s = linalg.reduce {{ arith.addi }} ins(%{a} : {kind}) outs(%zr : {row}) "
                                 "dimensions = [1]")
                what, dim = (vector, 0) if op == "bias" else (row, 1)
                lines.append(f"%{out}b = linalg.broadcast ins(%{out}s : {what}) outs(%z : {kind}) dimensions = [{dim}]")
                lines.append(f"%{out} = arith.addi %{a}, %{out}b : {kind}")
        lines.append(f"%own = linalg.reduce {{ arith.addi }} ins(%{self.last} : {kind}) outs(%zc : {vector}) "
                     "dimensions = [0]")
        return lines

    def plain(self):
        n = self.width
        kinds = f"tensor<{self.rows}x{n}xi32>, tensor<{n}xi32>"
        arguments = [f"%x: tensor<{self.rows}x{n}xi32>"] + [f"%{w}: tensor<{n}x{n}xi32>" for w in self.weights]
        lines = self.body(self.rows, inside=False) + [f"return %{self.last}, %own : {kinds}"]
        return f"func.func @main({', '.join(arguments)}) -> ({kinds}) {{\n" + "\n".join(lines) + "\n}\n"

    def manual(self):
        n, local = self.width, self.rows // self.dp
        whole, part, weight = f"tensor<{self.rows}x{n}xi32>", f"tensor<{local}x{n}xi32>", f"tensor<{n}x{n}xi32>"
        vector = f"tensor<{n}xi32>"
        operands = ["x"] + self.weights
        arguments = [f"%{o}: {whole if o == 'x' else weight}{self.annotation(2)}" for o in operands]
        ins = [self.placement(2, manual=o == "x") for o in operands]
        total = f"#shardir.placement<@m, [{{{self.rng.choice(['', '?'])}}}]"
        outs = [self.placement(2, manual=True), total + (', partial = sum ["dp"]>' if self.partial else ">")]
        lines = self.body(local, inside=True)
        if not self.partial:
            lines.append('%all = collective.all_reduce %own from #shardir.placement<@m, [{}], partial = sum ["dp"]> '
                         f"to #shardir.placement<@m, [{{}}]> of {vector} : {vector} -> {vector}")
        lines.append(f"shardir.yield %{self.last}, %{'own' if self.partial else 'all'} : {part}, {vector}")
        blocks = [f"%{o}: {part if o == 'x' else weight}" for o in operands]
        # Inside, names are those of the block's arguments.
        arguments = [a.replace("%", "%out_", 1) for a in arguments]
        mesh = ", ".join(f'"{axis}"={size}' for axis, size in self.mesh)
        types = ", ".join(whole if o == "x" else weight for o in operands)
        return (f"shardir.mesh @m <[{mesh}]>\n"
                f"func.func @main({', '.join(arguments)}) -> ({whole}{self.annotation(2)}, {vector}{self.annotation(1)}) {{\n"
                f"%y, %t = shardir.manual ({', '.join('%out_' + o for o in operands)}) in [{', '.join(ins)}] "
                f"out [{', '.join(outs)}] manual = [\"dp\"] {{\n^bb0({', '.join(blocks)}):\n" + "\n".join(lines) +
                f"\n}} : ({types}) -> ({whole}, {vector})\nreturn %y, %t : {whole}, {vector}\n}}\n")


def main():
    shard_run, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(seed)
    for number in range(count):
        program = Program(rng)
        stem = os.path.join(folder, f"{seed}.{number}")
        outputs = [f"@{stem}.{i}.npy" for i in range(2)]
        for name, text in (("plain", program.plain()), ("manual", program.manual())):
            with open(f"{stem}.{name}.mlir", "w") as file:
                file.write(text)
        cost = rng.choice(["time", "bytes"])
        for command in ([f"{stem}.plain.mlir"] + [f"--output={o}" for o in outputs],
                        [f"{stem}.manual.mlir", "--verify", "--tolerance=0", f"--options=cost={cost}"] +
                        [f"--expected_output={o}" for o in outputs]):
            process = subprocess.run([shard_run] + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if process.returncode:
                print(" ".join([shard_run] + command), process.stdout, sep="\n")
                return 1
    print(f"{count} programs equal to one device's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
