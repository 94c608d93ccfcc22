"""count-calls.py LOG: how often each call of NCCL is in the emulated GPU's log, by name."""
import collections
import sys

with open(sys.argv[1], encoding="utf-8") as log:
    names = [line.split()[0] for line in log if line.startswith("nccl")]
for name, count in sorted(collections.Counter(names).items()):
    print(name, count)
