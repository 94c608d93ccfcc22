"""find-traps.py FOLDER LIST: every number that starts a line of LIST must be named as
`Trap N` in a comment of a program below FOLDER. Prints how many are."""
import pathlib
import re
import sys

numbers = {int(n) for n in re.findall(r"^ ?(\d+)  \w", pathlib.Path(sys.argv[2]).read_text(), re.MULTILINE)}
found = set()
for path in pathlib.Path(sys.argv[1]).rglob("*.mlir"):
    for names in re.findall(r"//.*?\btraps? ((?:\d+(?:, | and )?)+)", path.read_text(), re.IGNORECASE):
        found |= {int(n) for n in re.findall(r"\d+", names)}
if numbers - found:
    sys.exit(f"no program for {sorted(numbers - found)}")
print(len(numbers), "of them have programs")
