#!/usr/bin/env python3
# Draws the pictures of the pages from what shard-run and shard-opt print.
#
# Requires: a build with these tools.
# Guarantees: an SVG that names no time and no path, so equal programs have equal
# pictures; --check fails where a picture is not what would be drawn.
"""Draw docs/pictures/*.svg."""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURES = os.path.join(SOURCE, "docs", "pictures")
WIDTH = 190
HUES = (210, 30, 140, 330, 50, 260, 0, 180)


class Problem(Exception):
    pass


class Tools:
    """The reports of programs in examples/."""

    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch

    def run(self, *words):
        result = subprocess.run([os.path.join(self.folder, words[0]), *words[1:]], cwd=SOURCE, capture_output=True,
                                text=True, env=dict(os.environ, SHARDIR_CACHE_DIR=os.path.join(self.scratch, "cache")))
        if result.returncode:
            raise Problem(f"{' '.join(words)}: {result.stderr.strip()}")
        return result.stdout

    def stage(self, program, stage, options=""):
        if stage == "annotated":
            with open(os.path.join(SOURCE, program)) as file:
                return file.read()
        return self.run("shard-opt", program, f"--shardir-to-{stage}={options}")

    def report(self, program, options=""):
        return json.loads(self.run("shard-opt", program, f"--shardir-to-collective={options}",
                                   "--shardir-report=file=-", "-o", os.devnull))

    def trace(self, program):
        path = os.path.join(self.scratch, "trace.json")
        self.run("shard-run", program, f"--trace={path}")
        with open(path) as file:
            return json.load(file)


# SVG

def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def label(x, y, text, *, anchor="start", style=""):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{" " + style if style else ""}>{escape(text)}</text>'


def box(x, y, width, height, fill, *, stroke="#444", style=""):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"'
            f'{" " + style if style else ""}/>')


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="#666" marker-end="url(#arrow)"/>'


ARROW = ('<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
         '<path d="M0 0 L8 4 L0 8 z" fill="#666"/></marker></defs>')
MONO = 'font-family="monospace" font-size="12"'
GREY = 'fill="#555"'


def svg(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
                      'font-family="sans-serif" font-size="13">', ARROW,
                      f'<rect width="{width:g}" height="{height:g}" fill="white"/>', *parts, "</svg>", ""])


# Placements

def blocks(extent, splits, sizes):
    """The range of each part of a dim that is cut by axes, major to minor: blocks of
    ceil(length / parts), the last ones short (P3), keyed by the positions on the axes."""
    ranges = {(): (0, extent)}
    for axis in splits:
        inner = {}
        for at, (low, high) in ranges.items():
            size = -(-(high - low) // sizes[axis])
            for i in range(sizes[axis]):
                inner[at + (i,)] = (min(low + i * size, high), min(low + (i + 1) * size, high))
        ranges = inner
    return ranges


def shorten(placement):
    return re.sub(r"#shardir\.placement<@\w+, (.*?)>$", r"\1", placement)


def shards(value, mesh):
    """(rows, columns) and [((rows, columns), ranks)] of a matrix that whole axes split."""
    if not re.match(r"tensor<[1-9]\d*x[1-9]\d*x[a-z]", value["type"]) or re.search(r"[{ ]\d|:\(", value["placement"]):
        raise Problem(f"no matrix that whole axes split: {value['type']}, {value['placement']}")
    shape = [int(n) for n in re.match(r"tensor<((?:\d+x)+)", value["type"])[1].rstrip("x").split("x")]
    dims = re.match(r"\[(.*?)\]", shorten(value["placement"]))[1]
    splits = [re.findall(r'"(\w+)"', dim) for dim in re.findall(r"\{(.*?)\}", dims)]
    cut = [blocks(n, dim, mesh) for n, dim in zip(shape, splits)]
    held = {}
    for rank, at in enumerate(itertools.product(*map(range, mesh.values()))):
        place = dict(zip(mesh, at))
        key = tuple(ranges[tuple(place[axis] for axis in dim)] for ranges, dim in zip(cut, splits))
        held.setdefault(key, []).append(rank)
    return shape, sorted(held.items())


def height_of(shape):
    return min(max(WIDTH * shape[0] // shape[1], 50), 190)


def matrix(x, y, title, value, mesh):
    """A matrix with the ranks that hold each part; a partial one has dashed borders."""
    shape, held = shards(value, mesh)
    partial = "partial" in value["placement"]
    height = height_of(shape)
    yield label(x, y, f'{title}: {shape[0]} x {shape[1]}{", partial" if partial else ""}')
    for (rows, columns), ranks in held:
        if rows[0] == rows[1] or columns[0] == columns[1]:
            continue
        left, top = WIDTH * columns[0] / shape[1], height * rows[0] / shape[0]
        wide, high = WIDTH * (columns[1] - columns[0]) / shape[1], height * (rows[1] - rows[0]) / shape[0]
        fill = f"hsl({HUES[ranks[0] % len(HUES)]}, 65%, 82%)" if len(held) > 1 else "hsl(0, 0%, 88%)"
        yield box(round(x + left, 1), round(y + 8 + top, 1), round(wide, 1), round(high, 1), fill,
                  style='stroke-dasharray="5 3"' if partial else "")
        yield label(round(x + left + wide / 2, 1), round(y + 12 + top + high / 2, 1), " ".join(map(str, ranks)),
                    anchor="middle")


def find(report, names):
    """The values called so, or of these ops, in the order of the report."""
    values = iter(report["values"])
    for name in names:
        value = next((each for each in values if name in (each["name"], each["op"])), None)
        if value is None:
            raise Problem(f"no value or op '{name}' follows in the report")
        yield value


def placements(program, **titles):
    """Matrices side by side: titles by value (arg0) or op (linalg_matmul)."""
    def draw(tools):
        report = tools.report(program)
        (mesh,) = (each["axes"] for each in report["meshes"].values())
        parts, x, height = [], 10, 0
        names = {name.replace("_", ".", 1): title for name, title in titles.items()}
        for title, value in zip(names.values(), find(report, names)):
            parts += matrix(x, 16, title, value, mesh)
            height = max(height, height_of(shards(value, mesh)[0]) + 34)
            x += WIDTH + 30
        return svg(x - 20, height, parts)
    return draw


def mesh_grid(program, **titles):
    """The mesh as a grid of ranks, and matrices beside it."""
    def draw(tools):
        report = tools.report(program)
        (mesh,) = (each["axes"] for each in report["meshes"].values())
        (row_axis, rows), (column_axis, columns) = mesh.items()
        parts = [label(10, 16, f"mesh {row_axis}={rows}, {column_axis}={columns}")]
        for rank, (i, j) in enumerate(itertools.product(range(rows), range(columns))):
            x, y = 90 + 46 * j, 62 + 46 * i
            parts += [f'<circle cx="{x}" cy="{y}" r="17" fill="hsl({HUES[rank % len(HUES)]}, 65%, 82%)" stroke="#444"/>',
                      label(x, y + 4, str(rank), anchor="middle")]
        parts += [label(62, 66 + 46 * i, f"{row_axis} {i}", anchor="end", style=GREY) for i in range(rows)]
        parts += [label(90 + 46 * j, 38, f"{column_axis} {j}", anchor="middle", style=GREY) for j in range(columns)]
        x, height = 120 + 46 * columns, 80 + 46 * rows
        for (name, title), value in zip(titles.items(), find(report, titles)):
            parts += matrix(x, 16, title, value, mesh)
            parts.append(label(x, 40 + height_of(shards(value, mesh)[0]), shorten(value["placement"]), style=MONO))
            height = max(height, height_of(shards(value, mesh)[0]) + 56)
            x += WIDTH + 30
        return svg(x - 20, height, parts)
    return draw


# Programs

SKIPPED = ("tensor.empty", "linalg.fill", "arith.constant")


def travel(program, **titles):
    """Values as boxes, operands as arrows, each with its placement: where an annotation leads."""
    def draw(tools):
        values = tools.report(program)["values"]
        shown = [i for i, value in enumerate(values) if value["op"] not in SKIPPED]
        operands = {i: [j for j in values[i].get("operands", []) if j in shown] for i in shown}
        depth = {}
        for i in shown:
            depth[i] = 1 + max((depth[j] for j in operands[i]), default=-1)
        for i in reversed(shown):  # an argument stands above its first user
            if not operands[i]:
                depth[i] = min((depth[j] for j in shown if i in operands[j]), default=1) - 1
        rows = [[i for i in shown if depth[i] == d] for d in range(max(depth.values()) + 1)]
        wide, high, parts, place = 260, 44, [], {}
        across = max(len(row) for row in rows)
        for d, row in enumerate(rows):
            for at, i in enumerate(row):
                place[i] = 10 + (at + (across - len(row)) / 2) * (wide + 24), 10 + d * (high + 30)
        for i in shown:
            for j in operands[i]:
                (x1, y1), (x2, y2) = place[j], place[i]
                parts.append(line(x1 + wide / 2, y1 + high, x2 + wide / 2, y2))
        for i in shown:
            value, (x, y) = values[i], place[i]
            annotated = not value["op"] and re.fullmatch(rf"(argument|result) {value['name'][-1]} of @\w+", value["decided_by"])
            fill = ("hsl(50, 90%, 82%)" if annotated else "hsl(0, 65%, 88%)" if value["op"].startswith("collective.")
                    else "hsl(210, 60%, 92%)")
            name = titles.get(value["name"] or value["op"].replace(".", "_"), value["op"] or value["name"])
            parts += [box(x, y, wide, high, fill, style='rx="4"'),
                      label(x + wide / 2, y + 18, name, anchor="middle"),
                      label(x + wide / 2, y + 35, shorten(value["placement"]), anchor="middle", style=MONO)]
        bottom = 10 + len(rows) * (high + 30)
        for at, (fill, text) in enumerate([("hsl(50, 90%, 82%)", "annotated"), ("hsl(210, 60%, 92%)", "decided"),
                                           ("hsl(0, 65%, 88%)", "collective")]):
            parts += [box(10 + 110 * at, bottom, 14, 14, fill), label(30 + 110 * at, bottom + 12, text, style=GREY)]
        return svg(10 + across * (wide + 24) - 14, bottom + 24, parts)
    return draw


def bars(rows, unit, left):
    """[(label, number, whether it is marked)] as horizontal bars."""
    most = max(number for _, number, _ in rows)
    parts = []
    for at, (text, number, marked) in enumerate(rows):
        y = 10 + 26 * at
        wide = 320 * number / most
        parts += [label(left, y + 14, text, anchor="end", style=MONO),
                  box(left + 10, y, round(max(wide, 1), 1), 18, "hsl(140, 50%, 72%)" if marked else "hsl(0, 0%, 86%)"),
                  label(round(left + 16 + wide, 1), y + 14, f"{number} {unit}", style=GREY)]
    return svg(left + 450, 14 + 26 * len(rows), parts)


def alternatives(program, op, options):
    """What was compared in the conflict at an op; the chosen candidate is marked."""
    def draw(tools):
        report = tools.report(program, options)
        entry = next((each for each in report["collectives"] if each.get("alternatives_of", {}).get("op") == op), None)
        if entry is None:
            raise Problem(f"no collective has alternatives of '{op}'")
        return bars([(shorten(each["placement"]), each["bytes"], bool(each.get("chosen")))
                     for each in entry["alternatives"]], "bytes", 190)
    return draw


def memory(program):
    """Bytes alive on one device at each op; the peak is marked."""
    def draw(tools):
        report = tools.report(program)
        values = [value for value in report["values"] if value.get("alive_bytes") is not None]
        most = max(value["alive_bytes"] for value in values)
        return bars([(value["op"], value["alive_bytes"], value["alive_bytes"] == most) for value in values], "bytes", 190)
    return draw


def steps(program):
    """Each function's argument and result, and the collectives between them."""
    def draw(tools):
        report = tools.report(program)
        (mesh,) = (each["axes"] for each in report["meshes"].values())
        parts, y = [], 16
        functions = list(dict.fromkeys(value["function"] for value in report["values"]))
        for function in functions:
            own = {value["name"]: value for value in report["values"] if value["function"] == function}
            found = [each for each in report["collectives"] if each["function"] == function]
            parts += matrix(10, y, "before", own["arg0"], mesh)
            parts += matrix(390, y, "after", own["result0"], mesh)
            middle = y + 8 + height_of(shards(own["arg0"], mesh)[0]) / 2
            text = ", ".join(each["kind"] for each in found) or "local slice"
            received = sum(each["bytes_per_device"] for each in found)
            parts += [line(215, middle, 375, middle), label(295, middle - 8, text, anchor="middle"),
                      label(295, middle + 18, f"{received} bytes received", anchor="middle", style=GREY)]
            y += height_of(shards(own["arg0"], mesh)[0]) + 40
        return svg(590, y - 16, parts)
    return draw


def ir(text, pattern):
    """The first op that matches, on one line: its placement behind it, without other attributes."""
    found = next((each.strip() for each in text.splitlines() if re.search(pattern, each)), None)
    if found is None:
        raise Problem(f"no line matches /{pattern}/")
    found = re.sub(r'#shardir\.placement<@\w+, (\[.*?\](?:, partial = \w+ \[.*?\])?)>', r"\1", found)
    placed = re.search(r"shardir\.placements = \[(.*?)\]\}", found)
    attributes = re.search(r" \{(shardir|reason)\b", found)
    if attributes:
        at, depth = attributes.start() + 1, 0
        for end in range(at, len(found)):
            depth += {"{": 1, "}": -1}.get(found[end], 0)
            if not depth:
                break
        found = found[:at - 1] + found[end + 1:]
    found = re.sub(r" outs\(.*?\)(?= ->|$)|^%\w+ = |(?<=\]) (of|:) .*", "", found)
    found = re.sub(r" -> \S+$", "", found)
    return f"{found} placed {placed[1]}" if placed else found


def stages(program, **patterns):
    """One line of the program at each stage."""
    def draw(tools):
        parts, y = [], 10
        for stage, wanted in patterns.items():
            text = tools.stage(program, stage)
            lines = [ir(text, pattern) for pattern in wanted]
            high = 14 + 18 * len(lines)
            parts += [box(10, y, 110, high, "hsl(50, 90%, 86%)", style='rx="4"'),
                      label(65, y + high / 2 + 4, stage, anchor="middle"),
                      box(130, y, 800, high, "hsl(210, 60%, 96%)", stroke="#bbb", style='rx="4"')]
            parts += [label(140, y + 19 + 18 * i, each, style=MONO) for i, each in enumerate(lines)]
            y += high + 16
            parts.append(line(65, y - 16, 65, y))
        return svg(940, y - 6, parts[:-1])
    return draw


def timeline(program):
    """What each rank does, in order; ranks of a group meet in a collective. Lengths mean nothing."""
    def draw(tools):
        trace, report = tools.trace(program), tools.report(program)
        (mesh,) = (each["axes"] for each in report["meshes"].values())
        size = 1
        for n in mesh.values():
            size *= n
        groups = list(mesh.values())[-1]  # collectives over the last axis: neighbours are a group
        events = [each for each in trace["traceEvents"] if each["ph"] == "X"]
        kinds = {each["kind"] for each in report["collectives"]}
        parts = []
        for rank in range(size):
            y = 10 + 40 * rank
            own = sorted((each["ts"], each["name"].split(" of ")[0]) for each in events if each["tid"] == rank
                         and each["name"].split(" of ")[0] in kinds)
            parts.append(label(62, y + 20, f"rank {rank}", anchor="end"))
            group = [other for other in range(size) if other // groups == rank // groups]
            x = 74
            for at, (_, name) in enumerate(own):
                parts += [box(x, y, 150, 30, "hsl(210, 60%, 92%)"), label(x + 75, y + 20, "local work", anchor="middle")]
                parts += [box(x + 150, y, 150, 30, "hsl(0, 65%, 88%)"), label(x + 225, y + 20, f"{name}, ranks {' '.join(map(str, group))}", anchor="middle")]
                x += 300
            parts += [box(x, y, 110, 30, "hsl(140, 45%, 88%)"), label(x + 55, y + 20, "result", anchor="middle")]
        return svg(x + 120, 10 + 40 * size, parts)
    return draw


TUTORIAL = "examples/tutorial"
DRAWN = {
    "mlp": placements("examples/mlp.mlir", arg0="x", arg1="w1", arg2="w2", linalg_max="hidden", result0="result"),
    "columns": placements(f"{TUTORIAL}/matmul.mlir", arg0="x", arg1="w", result0="result"),
    "rows": placements(f"{TUTORIAL}/matmul_rows.mlir", arg0="x", arg1="w", linalg_matmul="product", result0="result"),
    "uneven": placements(f"{TUTORIAL}/uneven.mlir", arg0="x", result0="result"),
    "mesh": mesh_grid("examples/concepts/uneven.mlir", arg0="x", arg1="y"),
    "manual": placements("examples/concepts/manual.mlir", arg0="x", arg1="w"),
    "propagation": travel("examples/mlp.mlir", arg0="x", arg1="w1", arg2="w2", linalg_max="relu", result0="result"),
    "conflict": alternatives("test/Docs/Inputs/propagation.mlir", "linalg.matmul", "cost=bytes"),
    "redistributions": steps("examples/concepts/redistributions.mlir"),
    "memory": memory("examples/mlp.mlir"),
    "runtime": timeline("examples/mlp.mlir"),
    "stages": stages(f"{TUTORIAL}/matmul_rows.mlir", annotated=["linalg.matmul"], propagated=["= linalg.matmul"],
                     redistributed=["shardir.redistribute"], collective=["collective.all_reduce"],
                     local=["linalg.matmul", "collective.all_reduce"],
                     bufferized=["linalg.matmul", "collective.all_reduce"], cpu=["call @shardir_collective"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"all unless given: {', '.join(DRAWN)}")
    parser.add_argument("--tools", default=os.path.join(SOURCE, "build", "bin"))
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(os.path.abspath(options.tools), scratch)
        for name in options.names or DRAWN:
            path = os.path.join(PICTURES, f"{name}.svg")
            try:
                if name not in DRAWN:
                    raise Problem("no such picture")
                drawn = DRAWN[name](tools)
            except Problem as problem:
                print(f"error: {name}: {problem}", file=sys.stderr)
                return 2
            if not options.check:
                with open(path, "w") as file:
                    file.write(drawn)
            elif not os.path.exists(path) or open(path).read() != drawn:
                print(f"{os.path.relpath(path, SOURCE)} is not up to date: utils/draw-pictures.py {name} draws it")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
