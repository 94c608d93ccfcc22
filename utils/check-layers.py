#!/usr/bin/env python3
# Checks that a file includes headers of those libraries alone that its own
# library links, directly or through others.
#
# Requires: each library has one CMakeLists.txt under lib/, and its headers lie
# in the folder of the same name under include/ShardIR/.
# Guarantees: status 1 and one line for each include that breaks the order.
"""usage: check-layers.py [SOURCE_DIR]"""

import glob
import os
import re
import sys

ADDED = re.compile(r"^\s*(?:shardir_add_compiler_library|add_library)\((\w+)([^)]*)\)", re.MULTILINE)
LINKED = re.compile(r"^\s*target_link_libraries\((\w+)([^)]*)\)", re.MULTILINE)
INCLUDED = re.compile(r'^#include "ShardIR/([^"]+)"', re.MULTILINE)
# ShardableRegion.cpp and VerifyRule.cpp are parts of ShardIRDialect, whose attributes verify with them.
# The others say what compiled programs and the runtime agree on.
SHARED = {"Interfaces/ShardableRegion.h", "Interfaces/VerifyRule.h", "Runtime/Abi.h", "Runtime/ElementTypes.h", "Runtime/EmulatedGpu.h"}


def read(path):
    with open(path) as file:
        return file.read()


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    lib = os.path.join(source, "lib")
    folders, links = {}, {}
    for path in sorted(glob.glob(os.path.join(lib, "**", "CMakeLists.txt"), recursive=True)):
        text = read(path)
        folder = os.path.relpath(os.path.dirname(path), lib)
        for name, rest in ADDED.findall(text):
            # The objects of a library count as the library.
            name = name.removesuffix("Objects")
            folders.setdefault(folder, name)
            links.setdefault(name, set()).update(re.findall(r"\bShardIR\w+", rest.partition("LINK")[2]))
        for name, rest in LINKED.findall(text):
            links.setdefault(name, set()).update(re.findall(r"\bShardIR\w+", rest))

    def reachable(name):
        found, todo = set(), [name]
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                todo += links.get(each, ())
        return found

    def library_of(folder):
        while folder and folder not in folders:
            folder = os.path.dirname(folder)
        return folders.get(folder)

    problems = checked = 0
    allowed = {}
    for root in (lib, os.path.join(source, "include", "ShardIR")):
        for path in sorted(glob.glob(os.path.join(root, "**", "*.*"), recursive=True)):
            name = os.path.relpath(path, root)
            own = library_of(os.path.dirname(name))
            if not own or not name.endswith((".cpp", ".h")):
                continue
            text = read(path)
            for header in INCLUDED.findall(text):
                other = None if header in SHARED else library_of(os.path.dirname(header))
                if not other:
                    continue
                checked += 1
                if other not in allowed.setdefault(own, reachable(own)):
                    line = text.count("\n", 0, text.index(f'"ShardIR/{header}"')) + 1
                    print(f"{os.path.relpath(path, source)}:{line}: error: {own} includes ShardIR/{header}, "
                          f"of {other}, which it does not link")
                    problems += 1
    print(f"{checked} includes checked, {problems} against the order of libraries")
    return 1 if problems or not checked else 0


sys.exit(main())
