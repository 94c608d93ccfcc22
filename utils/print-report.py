#!/usr/bin/env python3
# Prints the JSON report of --shardir-report or of shard-run --report as a table.
#
# Requires: a report of version 1, as docs describe it.
# Guarantees: exit status 2 and one message where the file is no such report;
# figures are printed as they stand, also where they are strings like "4096/dp".
"""usage: print-report.py REPORT.json"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import text_table  # noqa: E402


def table(rows, header):
    print(text_table.aligned([header, *rows], indent="  "))


def shorten(placement):
    """`#shardir.placement<@m, [{"dp"}, {}]>` without what all of them share."""
    prefix = "#shardir.placement<"
    if placement.startswith(prefix) and placement.endswith(">"):
        return placement[len(prefix):-1]
    return placement


def figure(entry, key):
    """A number; or a formula over sizes that are not known, and what it is where
    they are as decisions assume."""
    value = entry[key]
    assumed = entry.get("assumed")
    if not isinstance(assumed, dict) or key not in assumed:
        return value
    return f"{value} ({assumed[key]} as assumed)" if isinstance(value, str) else f"{value} as assumed"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with (sys.stdin if sys.argv[1] == "-" else open(sys.argv[1])) as file:
            report = json.load(file)
        # A program compiled without a report still has what was measured.
        if report.get("version", 1) != 1:
            raise ValueError(f"version {report['version']} is not known (expected 1)")
    except (OSError, ValueError, AttributeError) as error:
        print(f"error: no report in '{sys.argv[1]}': {error}", file=sys.stderr)
        return 2

    for name, mesh in report.get("meshes", {}).items():
        axes = ", ".join(f"{axis}={size}" for axis, size in mesh["axes"].items())
        print(f"mesh @{name}: {axes}")

    values = report.get("values", [])
    if values:
        print(f"\n{len(values)} placed value{'' if len(values) == 1 else 's'}")
        table([[value["name"] or "-", value["op"], value["type"], shorten(value["placement"]),
                figure(value, "local_bytes"), value["decided_by"]] for value in values],
              ["value", "op", "type", "placement", "local bytes", "decided by"])

    collectives = report.get("collectives")
    if collectives is not None:
        print_collectives(collectives)
        bound = ", at least" if report.get("lower_bound") else ""
        print(f"\nbytes received per device{bound}: {figure(report, 'bytes_per_device')}")
        peak = None if report["peak_bytes_per_device"] is None else figure(report, "peak_bytes_per_device")
        print(f"peak bytes per device: {'unknown' if peak is None else peak}")
        if fitted := report.get("fitted_states"):
            without = fitted.get("peak_bytes_per_device_without")
            print(f"optimizer states are split over {', '.join(fitted['axes'])} to fit memory-limit"
                  + (f": {without} bytes at the peak without that" if without is not None else ""))
        if again := report.get("recomputed"):
            count = len(again["values"])
            print(f"{count} value{' is' if count == 1 else 's are'} computed a second time to fit memory-limit, in {again['operations']} operations: "
                  f"{again['peak_bytes_per_device_without']} bytes at the peak without that")
        if offloaded := report.get("offloaded"):
            count = len(offloaded["values"])
            print(f"{count} value{' is' if count == 1 else 's are'} on the host meanwhile to fit memory-limit, by {offloaded['copied_bytes']} bytes "
                  f"copied there and back, {offloaded['exposed_seconds'] * 1e3:.4g} ms of it beside no work: "
                  f"{offloaded['peak_bytes_per_device_without']} bytes at the peak without that")
        if on_host := report.get("host_bytes_per_device"):
            print(f"bytes on the host per device: {on_host}")
        if report.get("layout_saved_bytes"):
            print(f"bytes copied less than row-major: {report['layout_saved_bytes']}")
    kernels = report.get("kernels", [])
    if kernels:
        print(f"\n{len(kernels)} kernel{'' if len(kernels) == 1 else 's'}")
        print_kernels(kernels)
    if beside := report.get("transfers_beside_work"):
        print(f"{beside} of {count_transfers(collectives)} transfers begin ahead and go on beside work")
    if predicted := report.get("predicted"):
        print(f"predicted: {predicted['seconds'] * 1e3:.4g} ms a call, {predicted['compute_seconds'] * 1e3:.4g} ms of kernels and "
              f"{predicted['exposed_seconds'] * 1e3:.4g} ms of collectives {'and host copies ' if 'host_copy_seconds' in predicted else ''}"
              "that no kernel hides")
    measured = report.get("measured")
    if measured:
        print(f"measured: {measured['bytes_per_device']} bytes received, "
              f"{measured['peak_bytes_per_device']} bytes at the peak, {measured['ms']:.3g} ms")
    return 0


def print_kernels(kernels):
    """Figures that none of the kernels has, as those of a GPU for a CPU, have no column."""
    figures = [("us", "predicted_ns", lambda ns: f"{ns / 1000:.1f}"), ("registers", "registers", str), ("spilled", "spill_bytes", str),
               ("shared", "dynamic_shared_bytes", str)]
    figures = [each for each in figures if any(each[1] in kernel for kernel in kernels)]
    table([[each["name"], each.get("op", ""), each.get("schedule", ""),
            *(show(each[key]) if key in each else "" for _, key, show in figures), each["loc"], each.get("reason", "")]
           for each in kernels], ["kernel", "op", "schedule", *(name for name, _, _ in figures), "at", "because"])


def count_transfers(collectives):
    """A bucket is one."""
    return len({each.get("bucket", -i - 1) for i, each in enumerate(collectives)})


def print_collectives(collectives):
    transfers = count_transfers(collectives)
    print(f"\n{len(collectives)} collective{'' if len(collectives) == 1 else 's'}"
          + (f" in {transfers} transfer{'' if transfers == 1 else 's'}" if transfers < len(collectives) else ""))
    if collectives:
        table([[each["kind"], ",".join(each["axes"]), figure(each, "bytes_per_device"),
                figure(each, "packed_bytes") if "packed_bytes" in each else "",
                "?" if each["executions"] is None else each["executions"], each["loc"], each["reason"]]
               for each in collectives],
              ["kind", "axes", "bytes/device", "packed", "times", "at", "because"])


sys.exit(main())
