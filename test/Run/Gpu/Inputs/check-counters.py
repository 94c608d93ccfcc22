# Checks the counters of all kernels of a run: `check-counters.py FILE FLAGS`.
#
#   --bytes=N           distinct bytes of global memory, and those that move to and from DRAM, within 5 %
#   --kernels=N         as many kernels
#   --coalesced         each request touches the fewest sectors that hold its bytes
#   --no-conflicts      no request to shared memory has a bank conflict
#   --tensor-flops=N    multiplications and additions of matrix units, exactly
#   --FIELD=N           any other field, summed over kernels, exactly: --l2_hits=0
#
# Guarantees exit status 1, and the kernel's line of PTX, where one does not hold.
import argparse
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--bytes", type=int)
parser.add_argument("--kernels", type=int)
parser.add_argument("--coalesced", action="store_true")
parser.add_argument("--no-conflicts", action="store_true")
parser.add_argument("--tensor-flops", type=int)
options, others = parser.parse_known_args()
exact = dict(other.removeprefix("--").split("=") for other in others)
with open(options.file) as file:
    kernels = json.load(file)["kernels"]
wrong = []
if options.kernels not in (None, len(kernels)):
    wrong.append(f"there are {len(kernels)} kernels in place of {options.kernels}")
for kernel in kernels:
    if kernel["requests"] == 0:
        wrong.append(f"{kernel['name']} accesses no global memory")
    for line in kernel["lines"]:
        place = f"{kernel['name']}, line {line['line']}: {line['text'].strip()}"
        if options.coalesced and line["sectors"] != line["least_sectors"]:
            wrong.append(f"{place} touches {line['sectors']} sectors in place of {line['least_sectors']}")
        if options.no_conflicts and line["bank_conflicts"]:
            wrong.append(f"{place} has {line['bank_conflicts']} bank conflicts")
for names, want, within in [(["distinct_bytes"], options.bytes, 0.05),
                            (["dram_read_bytes", "dram_written_bytes"], options.bytes, 0.05),
                            (["tensor_flops"], options.tensor_flops, 0),
                            *(([name], int(want), 0) for name, want in exact.items())]:
    name = " and ".join(names)
    count = sum(kernel[each] for kernel in kernels for each in names)
    if want is not None and not want <= count <= want * (1 + within):
        wrong.append(f"{name} are {count} in place of {want}")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
