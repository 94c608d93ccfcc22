#!/usr/bin/env python3
"""usage: check-headers.py [ROOT]

Checks that names of files are right where people read them: include guards follow the path, the first line of a file has
its name, and files that comments name exist. Prints each fault; ends with 1 where there is one."""

import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
FOLDERS = ("include", "lib", "testing", "tools", "test/unit")
#: Of other projects, which comments cite: these folders, and system headers.
OTHERS = re.compile(r"(mlir|llvm|shardy|stablehlo|torch-mlir-dialects|asm)/")
NAMED = re.compile(r"(?<![\w/.<])((?:[\w-]+/)*[A-Za-z][\w-]*\.(?:h|cpp|td))\b(?!\.)")


def guard_of(path):
    for prefix, short in (("include/ShardIR/", ""), ("include/ShardIR-c/", "C/")):
        path = path.replace(prefix, short) if path.startswith(prefix) else path
    return "SHARDIR_" + re.sub(r"\W", "_", path.upper())


def files():
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = [f for f in folders if not f.startswith(".")]
            for name in names:
                if name.endswith((".h", ".cpp", ".td")):
                    yield os.path.relpath(os.path.join(where, name), ROOT)


def main():
    known = sorted(files())
    faults = []
    for path in known:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        guard = next((line.split()[1] for line in lines if line.startswith("#ifndef") and line.endswith("_H")), "")
        if path.endswith(".h") and guard and guard != guard_of(path):
            faults.append(f"{path}: the guard is {guard}, not {guard_of(path)}")
        first = re.match(r"//===- (\S+) ", lines[0])
        if first and first[1] != os.path.basename(path):
            faults.append(f"{path}:1: the first line names {first[1]}")
        for number, line in enumerate(lines[1:], 2):
            comment = re.search(r"//.*|^ ?\*.*|^/\*.*", line)
            for name in NAMED.findall(comment[0]) if comment else ():
                if not OTHERS.match(name) and not any(p == name or p.endswith("/" + name) for p in known):
                    faults.append(f"{path}:{number}: there is no file {name}")
    print("\n".join(faults) or f"{len(known)} files checked")
    return 1 if faults else 0


sys.exit(main())
