"""halos.py DIRECTORY: overlapping shards on real ranks, from one file per rank to one
file per rank.

Each case is a function that exchanges halos and does nothing else. It is localized by
shard-opt, so that extents come from the compiler's arithmetic on the rank; then the
overlapping shard, which no op of a whole-tensor program may use, is written into the
corner of a result that is large enough for every rank. What each rank must hold there
is worked out here, from the rule that a block [s, e) becomes [max(0, s - low),
min(N, e + high)).
"""
import itertools
import os
import re
import struct
import subprocess
import sys

MESHES = {"four": (["x"], [4], None), "square": (["x", "y"], [2, 2], None), "slim": (["x", "one"], [3, 1], None),
          "turned": (["x"], [4], [3, 2, 1, 0]), "pair": (["x"], [2], [2, 0])}
# Mesh, shape, source, target, halo; a sixth entry is the target's mesh.
CASES = [("four", [8], ["x"], ["x"], [[1, 1]]), ("four", [5], ["x"], ["x"], [[1, 1]]), ("four", [3], ["x"], ["x"], [[2, 1]]),
         ("four", [1], ["x"], ["x"], [[1, 1]]), ("four", [6], ["x"], ["x"], [[9, 0]]), ("four", [7], ["x"], ["x"], [[0, 3]]),
         ("four", [8], [""], ["x"], [[1, 2]]), ("four", [5, 3], ["x", ""], ["", "x"], [[1, 1], [1, 0]]),
         ("four", [4, 6], ["", "x"], ["x", ""], [[1, 1], [4, 4]]),
         ("square", [5, 7], ["x", "y"], ["x", "y"], [[1, 1], [1, 1]]), ("square", [5, 7], ["x", "y"], ["y", "x"], [[2, 0], [0, 2]]),
         ("square", [3, 1], ["x", "y"], ["x", "y"], [[1, 1], [1, 1]]), ("square", [6, 4], ["xy", ""], ["x", "y"], [[1, 0], [0, 0]]),
         ("square", [7], ["xy"], ["yx"], [[1, 1]]), ("slim", [7, 2], ["x", "one"], ["x", "one"], [[1, 1], [1, 1]]),
         ("slim", [2, 4], ["one", "x"], ["one", "x"], [[1, 1], [1, 1]]), ("turned", [5], ["x"], ["x"], [[1, 1]]),
         ("four", [5], ["x"], ["x"], [[1, 1]], "turned"), ("square", [5, 3], ["x", "y"], ["x", ""], [[1, 2], [0, 0]], "pair")]


def position(mesh, rank):
    devices = MESHES[mesh][2] or list(range(count(mesh)))
    return devices.index(rank) if rank in devices else None


def count(mesh):
    total = 1
    for size in MESHES[mesh][1]:
        total *= size
    return total


def block(size, axes, mesh, where):
    """The block of a dim that the device at `where` has: each axis cuts what is there."""
    names, sizes, _ = MESHES[mesh]
    coords, rest = {}, where
    for name, n in reversed(list(zip(names, sizes))):
        coords[name], rest = rest % n, rest // n
    begin, length = 0, size
    for axis in ([axes] if axes in names else list(axes)):
        n = sizes[names.index(axis)]
        step = -(-length // n)
        offset = min(length, step * coords[axis])
        begin, length = begin + offset, min(step, length - offset)
    return begin, begin + length


def spell(mesh, dims):
    def splits(axes):
        return ", ".join(f'"{axis}"' for axis in ([axes] if axes in MESHES[mesh][0] else axes))
    return f"#shardir.placement<@{mesh}, [{', '.join('{' + splits(axes) + '}' for axes in dims)}]>"


def element(index, shape):
    flat = 0
    for i, n in zip(index, shape):
        flat = flat * n + i
    return flat * flat % 1009 + 1


def write_npy(path, shape, values):
    text = "(" + "".join(f"{n}," for n in shape) + ")"
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {text}, }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}i", *values))


def read_npy(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - start) // 4}i", data[start:]))


def indices(ranges):
    return list(itertools.product(*(range(s, e) for s, e in ranges)))


def compiled(case, path):
    mesh, shape, source, target, halo = case[:5]
    to = case[5] if len(case) > 5 else mesh
    x, ones = "x".join(map(str, shape)), ", ".join("0" for _ in shape)
    text = []
    for name in sorted({mesh, to}):
        axes = ", ".join(f'"{a}"={n}' for a, n in zip(*MESHES[name][:2]))
        devices = MESHES[name][2]
        text.append(f"shardir.mesh @{name} <[{axes}]{f', devices = {devices}' if devices else ''}>")
    text.append(f"""func.func @main(%x: tensor<{x}xi32> {{shardir.placement = {spell(mesh, source)}}})
    -> (tensor<{x}xi32> {{shardir.placement = {spell(mesh, [''] * len(shape))}}}) {{
  %out = arith.constant {{shardir.placements = [{spell(mesh, [''] * len(shape))}]}} dense<-1> : tensor<{x}xi32>
  %0 = collective.halo_exchange %x from {spell(mesh, source)} to {spell(to, target)} halo {halo} : tensor<{x}xi32>
  return %out : tensor<{x}xi32>
}}""")
    local = subprocess.run(["shard-opt", "-", "--shardir-localize"], input="\n".join(text), capture_output=True, text=True)
    if local.returncode:
        sys.exit(local.stderr)
    # The last value before the return is the overlapping shard.
    before, returned = re.fullmatch(r"(.*\n)( *return [^\n]*\n.*)", local.stdout, re.DOTALL).groups()
    name, kind = re.findall(r"(%\w+) = [^\n]*(tensor<[^<>]*xi32>)$", before.rstrip())[-1]
    sizes = []
    for d in range(len(shape)):
        before += f"    %d{d} = arith.constant {d} : index\n    %n{d} = tensor.dim {name}, %d{d} : {kind}\n"
        sizes.append(f"%n{d}")
    before += f"    %any = tensor.cast {name} : {kind} to tensor<{'?x' * len(shape)}i32>\n"
    before += f"    %all = tensor.insert_slice %any into %cst[{ones}] [{', '.join(sizes)}] [{ones.replace('0', '1')}] " \
              f": tensor<{'?x' * len(shape)}i32> into tensor<{x}xi32>\n"
    with open(path, "w") as file:
        file.write(before + returned.replace("return %cst", "return %all"))


failed, directory = 0, sys.argv[1]
os.makedirs(directory, exist_ok=True)
for case in CASES:
    mesh, shape, source, target, halo = case[:5]
    to = case[5] if len(case) > 5 else mesh
    ranks = max(count(name) if not MESHES[name][2] else max(MESHES[name][2]) + 1 for name in (mesh, to))
    compiled(case, f"{directory}/p.mlir")
    for rank in range(ranks):
        where = position(mesh, rank)
        own = [block(n, axes, mesh, where or 0) for n, axes in zip(shape, source)]
        write_npy(f"{directory}/x.{rank}.npy", [e - s for s, e in own],
                  [element(i, shape) if where is not None else 0 for i in indices(own)])
    run = subprocess.run(["shard-run", f"{directory}/p.mlir", f"--input=local:@{directory}/x.{{rank}}.npy",
                          f"--output=local:@{directory}/y.{{rank}}.npy"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{case}: {run.stderr}")
    for rank in range(ranks):
        where = position(to, rank)
        if where is None:
            continue
        wanted = []
        for n, axes, (low, high) in zip(shape, target, halo):
            s, e = block(n, axes, to, where)
            wanted.append((max(0, s - low), min(n, e + high)) if s < e else (s, s))
        expected = [-1] * len(indices([(0, n) for n in shape]))
        for i in indices(wanted):
            flat = 0
            for at, n, (s, _) in zip(i, shape, wanted):
                flat = flat * n + at - s
            expected[flat] = element(i, shape)
        found = read_npy(f"{directory}/y.{rank}.npy")
        if found != expected:
            failed += 1
            print(f"{case}: rank {rank} holds {found}, not {expected}")
print(f"{len(CASES)} cases, {failed} ranks wrong")
sys.exit(failed != 0)
