# Compares two printed modules; the places in source files that reports and
# metadata carry may differ.
import difflib
import re
import sys

texts = []
for path in sys.argv[1:]:
    with open(path) as file:
        text = re.sub(r"[\w./+-]+\.mlir:\d+:\d+", "LOC", file.read())
        # A string's length is part of an array's type.
        texts.append(re.sub(r"array<\d+ x i8>", "array<N x i8>", text).splitlines(keepends=True))
difference = list(difflib.unified_diff(*texts))
sys.stdout.writelines(difference)
sys.exit(bool(difference))
