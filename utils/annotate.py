#!/usr/bin/env python3
# Writes a program of the corpus with a mesh and the placements that its manifest
# suggests, so that shard-opt and shard-run can run it.
#
# Requires: a folder with manifest.json and NAME.mlir, whose entry is @main.
# Guarantees: only the mesh line and `shardir.placement` on arguments are added;
# arguments keep their other attributes; one that no axis of the mesh shards stays
# open, unless --close is given. In a program with Shardy's annotations only the
# sizes of its mesh change.
"""Annotate a program of the corpus with its manifest's placements, or resize its own mesh."""

import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT_PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "shared", "programs")


class AnnotateError(Exception):
    """The program cannot be annotated; the message says why."""


def load_manifest(folder):
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path) as file:
            return {program["name"]: program for program in json.load(file)}
    except (OSError, ValueError) as error:
        raise AnnotateError(f"no manifest: {error}") from error


def parse_mesh(text):
    """`dp=2,tp=4` as an ordered list of (axis, size)."""
    axes = []
    for part in text.split(","):
        match = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_-]*)=([1-9][0-9]*)", part.strip())
        if not match:
            raise AnnotateError(f"mesh axis '{part}' is not of the form name=size")
        if match[1] in (axis for axis, _ in axes):
            raise AnnotateError(f"mesh axis '{match[1]}' is named twice")
        axes.append((match[1], int(match[2])))
    return axes


def scan(text, start, stops):
    """The first position from `start` of a character of `stops` that is in no
    string, bracket or comment opened after `start`."""
    depth = 0
    i = start
    while i < len(text):
        c = text[i]
        if depth == 0 and c in stops:
            return i
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        i += 1
    raise AnnotateError("unbalanced brackets in the signature of @main")


def split_arguments(text, start):
    """The (begin, end) of each argument from behind the opening parenthesis."""
    parts = []
    while True:
        end = scan(text, start, ",)")
        if text[start:end].strip():
            parts.append((start, end))
        if text[end] == ")":
            return parts
        start = end + 1


def shard_dim(text):
    match = re.fullmatch(r"Shard\((\d+)\)", text or "Replicate")
    return int(match[1]) if match else None


def dims_of(argument, mesh):
    """Per tensor dim the mesh axes that split it, or None where no axis does."""
    suggested = dict(argument.get("placement") or {})
    names = [axis for axis, _ in mesh]
    # Experts are sharded over the tensor-parallel axis where the mesh has none for them.
    if "ep" in suggested and "ep" not in names and shard_dim(suggested.get("tp")) is None:
        suggested["tp"] = suggested["ep"]
    dims = [[] for _ in argument["shape"]]
    for axis in names:
        dim = shard_dim(suggested.get(axis))
        if dim is None:
            continue
        if dim >= len(dims):
            raise AnnotateError(f"argument '{argument['name']}' has no dim {dim} to shard over {axis}")
        dims[dim].append(axis)
    return dims if any(dims) else None


def annotate(text, program, mesh, close=False):
    """The text of the program with the mesh and the placements added."""
    signature = re.search(r"func\.func\s+(?:public\s+)?@main\s*\(", text)
    if not signature:
        raise AnnotateError("there is no function @main")
    spans = split_arguments(text, signature.end())
    if len(spans) != len(program["args"]):
        raise AnnotateError(f"@main has {len(spans)} arguments, the manifest {len(program['args'])}")

    name = next(n for n in ("m", "mesh", "devices", "shardir_mesh") if f"@{n}(" not in text)
    pieces = []
    done = 0
    for (start, end), argument in zip(spans, program["args"]):
        dims = dims_of(argument, mesh)
        if dims is None and not close:
            continue
        spelled = ["{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in dims or [[]] * len(argument["shape"])]
        attribute = f"shardir.placement = #shardir.placement<@{name}, [{', '.join(spelled)}]>"
        try:
            brace = scan(text[:end] + "{", start, "{")
        except AnnotateError:
            brace = end
        if brace < end:
            pieces += [text[done:brace + 1], attribute, "" if text[brace + 1] == "}" else ", "]
            done = brace + 1
        else:
            pieces += [text[done:end], " {", attribute, "}"]
            done = end
    text = "".join(pieces) + text[done:]

    axes = ", ".join(f'"{axis}"={size}' for axis, size in mesh)
    line = f"shardir.mesh @{name} <[{axes}]>\n"
    module = re.search(r"^(?:builtin\.)?module\b[^\n]*\{[ \t]*\n", text, re.MULTILINE)
    at = module.end() if module else re.search(r"^[ \t]*func\.func", text, re.MULTILINE).start()
    return text[:at] + ("  " if module else "") + line + text[at:]


SHARDY_MESH = re.compile(r"^( *sdy\.mesh @\w+ = <)\[(.*?)\](>)", re.MULTILINE)


def resize(text, mesh):
    """The text of a program with Shardy's annotations, with other sizes in its mesh;
    axes that `mesh` lacks become 1."""
    declared = SHARDY_MESH.search(text)
    if not declared:
        raise AnnotateError("it declares no sdy.mesh")
    names = re.findall(r'"(\w+)"=\d+', declared[2])
    sizes = dict(mesh)
    if not sizes.keys() & set(names):
        raise AnnotateError(f"its mesh has {', '.join(sorted(names))} alone")
    axes = [(name, sizes.pop(name, 1)) for name in names] + list(sizes.items())
    spelled = ", ".join(f'"{axis}"={size}' for axis, size in axes)
    return text[:declared.start()] + declared[1] + f"[{spelled}]" + declared[3] + text[declared.end():]


def read_program(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError as error:
        raise AnnotateError(f"'{path}' is not there: {error.strerror}") from error


def annotate_program(folder, program, mesh, close=False):
    path = os.path.join(folder, program["name"] + ".mlir")
    if "mesh" in program:
        return resize(read_program(path), mesh)
    if "args" not in program or any("placement" not in arg for arg in program["args"]):
        raise AnnotateError("the manifest suggests no placements for it")
    return annotate(read_program(path), program, mesh, close)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="a name of the manifest, or the path of its .mlir")
    parser.add_argument("--mesh", required=True, help="for example dp=2,tp=2")
    parser.add_argument("--close", action="store_true", help="also close arguments that no axis shards")
    parser.add_argument("--programs", default=DEFAULT_PROGRAMS, help="the folder of the corpus")
    parser.add_argument("-o", dest="output", default="-", help="the file to write (- for standard output)")
    options = parser.parse_args()

    folder, name = options.programs, options.program
    if name.endswith(".mlir"):
        folder, name = os.path.split(name[: -len(".mlir")])
    try:
        manifest = load_manifest(folder or ".")
        if name not in manifest:
            raise AnnotateError(f"the manifest of '{folder}' has no such program")
        text = annotate_program(folder or ".", manifest[name], parse_mesh(options.mesh), options.close)
    except AnnotateError as error:
        print(f"error: {name}: {error}", file=sys.stderr)
        return 2
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
