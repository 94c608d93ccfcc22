# Compares two printed modules but for what tells which text they were made from:
# places in source files, and the report, which is made from the collective stage
# where that is passed.
import difflib
import re
import sys

texts = []
for path in sys.argv[1:]:
    with open(path) as file:
        text = re.sub(r"[\w./+-]+\.mlir:\d+:\d+", "LOC", file.read())
        text = re.sub(r"\\22report\\22:.*?(?=\\00)", "REPORT", text)
        # A string's length is part of an array's type.
        texts.append(re.sub(r"array<\d+ x i8>", "array<N x i8>", text).splitlines(keepends=True))
difference = list(difflib.unified_diff(*texts))
sys.stdout.writelines(difference)
sys.exit(bool(difference))
