#!/usr/bin/env python3
# Runs the scripts of examples/gallery, each in a process of its own, and writes
# docs/Gallery.md: every script, the report that it printed, and a drawing of each
# tensor that it shows, in docs/pictures/gallery.
#
# Requires: the package `shardir` with PyTorch and JAX.
# Guarantees: status 1 where a script fails, which it does where the sharded result
# differs from the framework's own, or where --check finds the page out of date.
# Times are left out, and paths are relative, so that equal programs give equal pages.
"""Make the gallery of parallel programs."""

import argparse
import contextlib
import io
import json
import math
import os
import pathlib
import re
import runpy
import subprocess
import sys
import warnings

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SCRIPTS = SOURCE / "examples" / "gallery"
PAGE = SOURCE / "docs" / "Gallery.md"
PICTURES = SOURCE / "docs" / "pictures" / "gallery"
ORDER = ("tensor", "data", "fsdp", "sequence", "context", "expert", "pipeline")

OPENING = """# Gallery: one short program for each kind of parallelism

Each script below runs as it is on any machine, on ranks that are threads, and ends with an error if the sharded result differs
from the framework's own. The table under it is the report that it prints: each collective, the bytes that one device receives
in it, its place in the script, and its reason. In the pictures, numbers are ranks. [Python](Python.md) explains the API,
[Glossary](Glossary.md) the words.

This page is made by `utils/make-gallery.py` from `examples/gallery/`.
"""


def drawing(view, title):
    """The picture of a tensor. Where leading dims are split, which View does not draw, they are drawn as rows."""
    from shardir._mesh import Block
    from shardir._show import View
    blocks, shape = view.blocks, view.shape
    if len(shape) > 2 and any(block.shape[:-2] != shape[:-2] for block in blocks):
        blocks = [Block(block.rank, (rows_of(block, shape), block.ranges[-1])) for block in blocks]
        shape = (math.prod(shape[:-1]), shape[-1])
        title += ", as rows and columns"
    # Pages are read on white and on black: gray can be seen on both.
    return View(title, view.mesh, blocks, shape, view.placement).svg().replace("currentColor", "#777")


def rows_of(block, shape):
    """The range of rows where all dims but the last are merged; it is one range where only dim 0 is split."""
    if block.shape[1:-1] != shape[1:-1]:
        raise SystemExit("a split of several dims of a tensor of more than two cannot be drawn")
    rest = math.prod(shape[1:-1])
    return block.ranges[0][0] * rest, block.ranges[0][1] * rest


def run_one(name):
    """In a process of its own: what the script printed up to its pictures, and the pictures."""
    warnings.filterwarnings("ignore")
    import shardir._program as program
    views, reports = [], io.StringIO()

    def record(tensor, mesh, blocks, shape):
        from shardir._show import View
        views.append(View(str(tensor), mesh, blocks, shape, tensor.placement))

    program.show_tensor = record
    os.chdir(SOURCE)
    path = f"examples/gallery/{name}.py"
    with contextlib.redirect_stdout(reports):
        runpy.run_path(path, run_name="__main__")
    text = (SOURCE / path).read_text()
    labels = [m[1] for m in re.finditer(r"\.show\(.*?\) *# *(.*)", text)]
    pictures = []
    for i, view in enumerate(views):
        label = labels[i] if i < len(labels) else view.title
        dims = " x ".join(map(str, view.shape))
        pictures.append((f"{label}: {dims}", view.placement, drawing(view, f"{label.split(':')[0]}: {dims}")))
    # Shorter places, and no times.
    lines = [re.sub(r"\s*\((?:/[^\s()]*)?(examples/gallery/[^()]*)\)", r" (\1)", line) for line in reports.getvalue().splitlines()
             if not line.startswith("measured:")]
    json.dump({"report": "\n".join(realigned(lines)), "pictures": pictures}, sys.stdout)


def realigned(lines):
    """The table's columns, with the paths relative to the repository."""
    at = next((i for i, line in enumerate(lines) if line.startswith("  kind")), None)
    if at is None:
        return lines
    starts = [m.start() for m in re.finditer(r"(?<=  )\S", lines[at])]
    rows, rest = [], len(lines)
    for i in range(at, len(lines)):
        if not lines[i].startswith("  "):
            rest = i
            break
        line = lines[i].replace(str(SOURCE) + "/", "")
        head = [line[a:b].strip() for a, b in zip(starts[:4], starts[1:5])]
        place, _, reason = line[starts[4]:].partition("  ")
        rows.append(head + [place.strip(), reason.strip()])
    widths = [max(len(row[c]) for row in rows) for c in range(5)]
    table = ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)) + "  " + row[5] for row in rows]
    return lines[:at] + table + lines[rest:]


def section(name, result):
    text = (SCRIPTS / f"{name}.py").read_text()
    about, code = re.match(r'"""(.*?)"""\n(.*)', text, re.DOTALL).groups()
    title, _, what = about.partition("\n")
    kind, _, first = title.partition(": ")
    first = first[0].upper() + first[1:]
    yield f"\n## {kind}\n\n{first}\n\n{what.strip()}\n\n[`{name}.py`](../examples/gallery/{name}.py):\n\n```python\n{code}```\n\n"
    yield f"It prints:\n\n```\n{result['report']}\n```\n"
    for i, (label, placement, _) in enumerate(result["pictures"]):
        inner = re.match(r"#shardir\.placement<@\w+, (.*)>$", placement)
        label = label[0].upper() + label[1:]
        yield f"\n{label}{f', placed `{inner[1]}`' if inner else ''}:\n\n"
        yield f"![{label}: which ranks hold which part](pictures/gallery/{name}-{i}.svg)\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scripts to run and not write, as in `tensor data`")
    parser.add_argument("--check", action="store_true", help="write nothing; say what would differ")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_one(options.one)
        return 0
    names = options.names or [n for n in ORDER] + sorted(p.stem for p in SCRIPTS.glob("*.py") if p.stem not in ORDER)
    files = {}
    page = OPENING
    for name in names:
        found = subprocess.run([sys.executable, __file__, "--one", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if found.returncode:
            print(f"error: examples/gallery/{name}.py fails:\n{found.stderr}", file=sys.stderr)
            return 1
        result = json.loads(found.stdout)
        print(f"{name}: {result['report'].splitlines()[-2]}", file=sys.stderr)
        page += "".join(section(name, result))
        for i, (_, _, svg) in enumerate(result["pictures"]):
            files[PICTURES / f"{name}-{i}.svg"] = svg + "\n"
    if options.names:
        return 0
    files[PAGE] = page.rstrip("\n") + "\n"
    stale = [p for p, text in files.items() if not p.is_file() or p.read_text() != text]
    stale += [p for p in PICTURES.glob("*.svg") if p not in files]
    if options.check:
        for path in stale:
            print(f"{path.relative_to(SOURCE)} is out of date: utils/make-gallery.py writes it")
        return 1 if stale else 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in stale:
        path.write_text(files[path]) if path in files else path.unlink()
    print(f"{len(names)} scripts, {len(stale)} files written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
