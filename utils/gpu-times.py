#!/usr/bin/env python3
# Times of kernels on a card: from the results of gpu-check's run.sh --benchmark to a table in docs/GPUMeasurements.md.
#
# Requires: lines as run.sh and benchmarks/peers/gpu_torch.py write them, and a page with
# <!-- times: begin --> and <!-- times: end -->.
# Guarantees: the table has what FILE.json has; results of another card than the file's are an error.
"""utils/gpu-times.py [RESULTS...]: adds measured times to a JSON file and writes the table of docs/GPUMeasurements.md.

Each RESULTS is a file that `run.sh --benchmark` wrote (bench.results.txt) or what
gpu_torch.py printed; a time that FILE.json has already is replaced. Without RESULTS the
table alone is written; with --check nothing is, and exit status 1 says that it differs.
"""
import argparse
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import text_table  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARKS = re.compile(r"(?<=<!-- times: begin -->\n).*?(?=<!-- times: end -->)", re.DOTALL)
# Data sheets, without sparsity: operations per second by the operands' type, and bytes per second.
RATES = {"NVIDIA H200": ({"bf16": 989e12, "f8E4M3FN": 1979e12, "f32": 67e12}, 4.8e12)}
BYTES = {"bf16": 2, "f32": 4, "f8E4M3FN": 1}
OURS = re.compile(r"pass benchmarks/gpu/(\S+?)(?::library=(\w+))? \(\d+ ranks\): .*?median (\S+) ms, (\d+) runs")
PEER = re.compile(r"(torch|torch\.compile) benchmarks/gpu/(\S+): min \S+ ms, median (\S+) ms")


def read_results(path, data):
    """Adds the times of a file to `data`."""
    commit = date = None
    for line in open(path):
        if re.match(r"\d{4}-\d\d-\d\dT", line):
            date = line[:10]
        elif match := re.match(r"commit (\w+), arch (\w+)", line):
            commit, data["arch"] = match.groups()
        elif match := re.match(r"torch (\S+), (.*)$", line):
            data["torch"] = match[1]
            same_card(path, data, match[2])
        elif match := re.match(r"(NVIDIA [^,]*), (\S+), (\d+) MiB, (\d+) MHz, (\S+) W", line):
            same_card(path, data, match[1])
            data.update(driver=match[2], clock_mhz=int(match[4]), power_w=float(match[5]))
        elif match := OURS.match(line):
            name, library, median, runs = match.groups()
            entry = data["functions"].setdefault(name, {})
            entry[library or "ours"] = float(median)
            if not library:
                entry.update(runs=int(runs), commit=commit, date=date)
        elif match := PEER.match(line):
            data["functions"].setdefault(match[2], {})[match[1]] = float(match[3])
        elif line.startswith("FAIL"):
            raise ValueError(f"'{path}' has a function that failed: {line.strip()[:200]}")
        elif line.startswith("torch"):
            print(f"note: no time of PyTorch: {line.strip()}", file=sys.stderr)


def same_card(path, data, card):
    if card not in RATES:
        raise ValueError(f"'{path}' has times of {card}, whose rates are not known: add them to RATES")
    if data.setdefault("card", card) != card:
        raise ValueError(f"'{path}' has times of {card}, the file those of {data['card']}: name another one with --json")


def least_seconds(name, rates):
    """(seconds, what bounds them): as the data sheet has it, each byte of arguments and results moved once."""
    operations, bandwidth = rates
    file, function = name.split(":")
    text = open(os.path.join(ROOT, "benchmarks", "gpu", file)).read()
    arguments, results, body = re.search(rf"^func\.func @{function}\((.*?)\) -> (.*?) {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL).groups()
    tensors = [([int(extent) for extent in shape.split("x")[:-1]], dtype)
               for shape, dtype in re.findall(r"tensor<((?:\d+x)+)(\w+)>", arguments + results)]
    moved = sum(math.prod(shape) * BYTES[dtype] for shape, dtype in tensors) / bandwidth
    (shape, dtype), result = tensors[0], tensors[-1][0]
    count = 0
    if "linalg.matmul" in body or "linalg.batch_matmul" in body:
        count = 2 * math.prod(result) * shape[-1]
    elif "kernel.attention" in body:
        # Two products forward, five backward; a causal mask leaves half of the scores.
        products = 5 if "kernel.attention_backward" in body else 2
        count = 2 * products * math.prod(shape) * shape[-2] / (2 if "arith.cmpi sge" in body else 1)
    computed = count / operations[dtype]
    return (moved, "memory") if moved > computed else (computed, "arithmetic")


def table(data):
    rows = [["function", "ours, ms", "PyTorch, ms", "library, ms", "PyTorch / ours", "bound", "share of it"]]
    for name, entry in data["functions"].items():
        best = min(((entry[way], way) for way in ("torch", "torch.compile") if way in entry), default=None)
        library = next((f"{entry[way]:#.3g} ({way})" for way in ("cublaslt", "cudnn") if way in entry), "")
        if "ours" not in entry:
            raise ValueError(f"'{name}' has no time of ours")
        seconds, bound = least_seconds(name, RATES[data["card"]])
        rows.append([name.split(":")[1], f"{entry['ours']:#.3g}",
                     f"{best[0]:#.3g}" + (" (compiled)" if best[1] == "torch.compile" else "") if best else "", library,
                     f"{best[0] / entry['ours']:.2f}" if best else "", bound, f"{100e3 * seconds / entry['ours']:.0f} %"])
    runs = sorted({entry["runs"] for entry in data["functions"].values()})
    commits = sorted({(entry["date"], entry["commit"]) for entry in data["functions"].values()})
    return (f"{data['card']}, driver {data['driver']}, {data['clock_mhz']} MHz, {data['power_w']:.0f} W; PyTorch {data['torch']}; "
            f"{data['arch']}, commit " + ", ".join(f"{commit} ({date})" for date, commit in commits)
            + f". Medians, ours of {' or '.join(map(str, runs))} runs.\n\n"
            + text_table.markdown(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*")
    parser.add_argument("--json", metavar="FILE.json", default=os.path.join(ROOT, "benchmarks", "results", "gpu_h200.json"))
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "GPUMeasurements.md"))
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    try:
        data = json.load(open(options.json)) if os.path.exists(options.json) else {"functions": {}}
        for path in options.results:
            read_results(path, data)
        new = table(data)
        page = open(options.page).read()
        if not MARKS.search(page):
            raise ValueError(f"'{options.page}' has no marks for the table")
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    updated = MARKS.sub(lambda _: new, page)
    if options.check:
        if updated != page:
            print(f"{os.path.relpath(options.page)} differs from {os.path.relpath(options.json)}: utils/gpu-times.py writes it")
        return int(updated != page)
    if options.results:
        with open(options.json, "w") as file:
            file.write(json.dumps(data, indent=1) + "\n")
    with open(options.page, "w") as file:
        file.write(updated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
