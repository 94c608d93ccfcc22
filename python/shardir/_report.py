"""A report as objects: the collectives and their reasons, and the placement of each value."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import UsageError

__all__ = ["Report", "Collective", "Value", "compare"]


def short_place(loc: str) -> str:
    """File and line, and those that it was called from, without the folder that the script runs in or that of packages."""
    def short(frame: str) -> str:
        frame = re.sub(r"(\.py:\d+):\d+$", r"\1", frame)
        return frame.removeprefix(os.getcwd() + os.sep).rpartition("/site-packages/")[2]
    separator = ", called from "
    return separator.join(map(short, loc.split(separator)))


@dataclasses.dataclass(frozen=True)
class Collective:
    """One collective of the program.

    bytes_per_device: what one device receives from others in one execution, the largest over devices.
    executions: how often it runs, None where that is not known before the program runs.
    loc: its place in the source; reason: why it is there; module: the model's module, if it is known.
    """

    kind: str
    mesh: str
    axes: tuple[str, ...]
    group_size: int
    element_type: str
    bytes_per_device: int | str
    executions: int | None
    loc: str
    reason: str
    module: str = ""
    raw: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def place(self) -> str:
        """`layers.3.attn.o_proj (model.py:41)`: the module and the place in the source, as far as known."""
        loc = short_place(self.loc)
        if self.module and loc.startswith("torch/"):
            return self.module  # a line of PyTorch's own says nothing of the model
        return f"{self.module} ({loc})" if self.module and loc else self.module or loc

    def __str__(self) -> str:
        return f"{self.kind} over {','.join(self.axes)}: {self.bytes_per_device} bytes at {self.place}: {self.reason}"


@dataclasses.dataclass(frozen=True)
class Value:
    """One tensor of the program: its name, op, type, placement, the bytes of its largest shard, and
    the annotation and ops that decided the placement."""

    name: str
    function: str
    loc: str
    op: str
    type: str
    placement: str
    local_bytes: int | str
    decided_by: str
    raw: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)


class Report:
    """The report of a program: `.collectives`, `.values`, `.bytes_per_device` (received by collectives),
    `.peak_bytes_per_device`, `.meshes`, `.predicted` of a call on a described machine (`seconds`,
    `compute_seconds`, `communication_seconds`, `exposed_seconds`), None without one, and `.measured` of
    the last run (`bytes_per_device`, `peak_bytes_per_device`, `ms`), None before the first. `print(report)`
    gives a table; `.html(path)` writes one page; `.as_dict()` is the JSON of `shard-run --report`.
    """

    def __init__(self, raw: dict, measured: dict | None = None, title: str = "program",
                 names: Mapping[str, str] | None = None):
        self._raw = dict(raw)
        #: Of "argument 0 of @main", "result 0 of @main" and so on.
        self._names = dict(names or {})
        if measured:
            self._raw["measured"] = measured
        self.title = title

    @property
    def collectives(self) -> list[Collective]:
        names = ("kind", "mesh", "group_size", "element_type", "bytes_per_device", "executions", "loc", "reason")
        found = [Collective(axes=tuple(c.get("axes", ())), module=c.get("name", ""), raw=c,
                            **{n: c.get(n, "" if n in ("mesh", "loc", "reason") else None) for n in names})
                 for c in self._raw.get("collectives", [])]
        return [dataclasses.replace(c, reason=self._with_names(c.reason)) for c in found]

    def _with_names(self, text: str) -> str:
        """`result 11 of @main` and the like, with their names."""
        def named(match: re.Match) -> str:
            name = self._names.get(match[0])
            return f'{match[0]} ("{name}")' if name else match[0]
        return re.sub(r"(?:argument|result) \d+ of @\w+(?! \()", named, text)

    def explain(self, row: int | Collective | None = None) -> str:
        """Why each collective is there, or one of them, or that of a row of the table, from 0: which ops need the value,
        between which placements the compiler chose, what the best alternative would cost, and how to have it."""
        found = self.collectives
        if isinstance(row, Collective):
            found = [row]
        elif row is not None:
            if not -len(found) <= row < len(found):
                raise UsageError(f"there is no row {row}: the report has {len(found)} collectives")
            found = [found[row]]
        return "\n".join(map(self._explain, found))

    def _explain(self, c: Collective) -> str:
        def at(op: dict) -> str:
            place = short_place(op.get("loc", ""))
            return self._with_names(op["op"]) + (f" at {place}" if place else "")

        lines = [f"{c.kind} over {', '.join(c.axes)} at {c.place}: a device receives {c.bytes_per_device} bytes",
                 f"  because {c.reason}"]
        if users := c.raw.get("users"):
            lines.append("  used by " + "; ".join(map(at, users)))
        if alternatives := c.raw.get("alternatives"):
            lines.append(f"  placements of {at(c.raw['alternatives_of'])}, with what a device is predicted to receive around it:")
            lines += [f"    {a['bytes']} bytes" + (f", {a['seconds'] * 1e6:.3f} us" if "seconds" in a else "")
                      + f"  {a['placement']}{' (chosen)' if a['chosen'] else ''}" for a in alternatives]
            if choice := c.raw.get("choice"):
                lines.append("  " + self._with_names(choice))
        return "\n".join(lines)

    @property
    def values(self) -> list[Value]:
        names = ("name", "function", "loc", "op", "type", "placement", "local_bytes", "decided_by")
        return [Value(raw=v, **{n: v.get(n, "") for n in names}) for v in self._raw.get("values", [])]

    @property
    def meshes(self) -> dict[str, dict[str, int]]:
        """Axes and their sizes, major axis first."""
        return {name: {axis: mesh["axes"][axis] for axis in mesh.get("order", mesh["axes"])}
                for name, mesh in self._raw.get("meshes", {}).items()}

    @property
    def bytes_per_device(self) -> int | str:
        return self._raw.get("bytes_per_device", 0)

    @property
    def peak_bytes_per_device(self) -> int | str:
        return self._raw.get("peak_bytes_per_device", 0)

    @property
    def predicted(self) -> dict | None:
        return self._raw.get("predicted")

    @property
    def measured(self) -> dict | None:
        return self._raw.get("measured")

    def as_dict(self) -> dict:
        return self._raw

    def __str__(self) -> str:
        lines = [f"mesh @{name}: " + ", ".join(f"{a}={n}" for a, n in axes.items())
                 for name, axes in self.meshes.items()]
        found = self.collectives
        placements = [v.placement for v in self.values]
        lines += [f'axis "{axis}" splits nothing' for axes in self.meshes.values() for axis, n in axes.items()
                  if n > 1 and placements and not any(f'"{axis}"' in p for p in placements)]
        transfers = len({c.raw.get("bucket", -i - 1) for i, c in enumerate(found)})
        lines.append(f"{len(found)} collective{'' if len(found) == 1 else 's'}"
                     + (f" in {transfers} transfer{'' if transfers == 1 else 's'}" if transfers < len(found) else ""))
        rows = [("kind", "axes", "bytes/device", "times", "at", "because")]
        for c in found:
            times = "?" if c.executions is None else str(c.executions)
            rows.append((c.kind, ",".join(c.axes), str(c.bytes_per_device), times, c.place, c.reason))
        if found:
            widths = [max(len(row[i]) for row in rows) for i in range(5)]
            lines += ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)) + "  " + row[5] for row in rows]
        lines.append(f"bytes received per device: {self.bytes_per_device}")
        lines.append(f"peak bytes per device: {self.peak_bytes_per_device}")
        if fitted := self._raw.get("fitted_states"):
            without = fitted.get("peak_bytes_per_device_without")
            lines.append(f"optimizer states are split over {', '.join(fitted['axes'])} to fit memory-limit"
                         + (f": {without} bytes at the peak without that" if without is not None else ""))
        if again := self._raw.get("recomputed"):
            count = len(again["values"])
            lines.append(f"{count} value{' is' if count == 1 else 's are'} computed a second time to fit memory-limit, in "
                         f"{again['operations']} operations: {again['peak_bytes_per_device_without']} bytes at the peak "
                         "without that")
        if offloaded := self._raw.get("offloaded"):
            count = len(offloaded["values"])
            lines.append(f"{count} value{' is' if count == 1 else 's are'} on the host meanwhile to fit memory-limit, by "
                         f"{offloaded['copied_bytes']} bytes copied there and back, "
                         f"{offloaded['exposed_seconds'] * 1e3:.4g} ms of it beside no work: "
                         f"{offloaded['peak_bytes_per_device_without']} bytes at the peak without that")
        if on_host := self._raw.get("host_bytes_per_device"):
            lines.append(f"bytes on the host per device: {on_host}")
        if beside := self._raw.get("transfers_beside_work"):
            lines.append(f"{beside} of {transfers} transfers begin ahead and go on beside work")
        if self.predicted:
            lines.append(_predicted_line(self.predicted))
        if self.measured:
            m = self.measured
            lines.append(f"measured: {m['bytes_per_device']} bytes received, {m['peak_bytes_per_device']} bytes at "
                         f"the peak, {m['ms']:.3g} ms")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (f"<shardir.Report: {len(self._raw.get('collectives', []))} collectives, {self.bytes_per_device} bytes "
                f"per device>")

    def html(self, path: str | os.PathLike, trace: Any = None) -> None:
        """Writes one page that needs nothing else: collectives with bytes, places and reasons, memory,
        who sends to whom, the graph of the program coloured by placement. `trace` is what `shard-run
        --trace` wrote, a path or its JSON; with it the page has the run's timeline."""
        from ._html import report_page
        with open(path, "w", encoding="utf-8") as file:
            file.write(report_page([self], [trace]))

    def _repr_html_(self) -> str:
        from ._html import report_table
        return report_table(self)


def _predicted_line(p: Mapping[str, float]) -> str:
    return (f"predicted: {p['seconds'] * 1e3:.4g} ms a call, {p['compute_seconds'] * 1e3:.4g} ms of kernels and "
            f"{p['exposed_seconds'] * 1e3:.4g} ms of collectives that no kernel hides")


class Comparison:
    """Two reports side by side; `print` it, or write `.html(path)`."""

    def __init__(self, a: Report, b: Report):
        self.reports = (a, b)

    def __str__(self) -> str:
        def count(report: Report) -> dict[str, tuple[int, Any]]:
            kinds: dict[str, tuple[int, Any]] = {}
            for c in report.collectives:
                n, total = kinds.get(c.kind, (0, 0))
                size = c.bytes_per_device if isinstance(c.bytes_per_device, int) else 0
                kinds[c.kind] = (n + 1, total + size * (c.executions or 1))
            return kinds

        counts = [count(r) for r in self.reports]
        rows = [("", *(r.title for r in self.reports)),
                ("bytes received per device", *(str(r.bytes_per_device) for r in self.reports)),
                ("peak bytes per device", *(str(r.peak_bytes_per_device) for r in self.reports))]
        if any(r.predicted for r in self.reports):
            rows.append(("predicted", *(f"{r.predicted['seconds'] * 1e3:.4g} ms" if r.predicted else "-"
                                        for r in self.reports)))
        for kind in sorted(set(counts[0]) | set(counts[1])):
            rows.append((kind, *("{} x, {} bytes".format(*c.get(kind, (0, 0))) for c in counts)))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)

    def html(self, path: str | os.PathLike, traces: Sequence[Any] = ()) -> None:
        """Writes both on one page, with the timelines of two runs if `traces` has them."""
        from ._html import report_page
        with open(path, "w", encoding="utf-8") as file:
            file.write(report_page(self.reports, traces))

    def _repr_html_(self) -> str:
        from ._html import report_table
        return "".join(f"<h3>{r.title}</h3>" + report_table(r) for r in self.reports)


def compare(a: Any, b: Any) -> Comparison:
    """Two variants of a program side by side: programs, reports, or what `shardir.torch.compile` and
    `shardir.jax.jit(...).lower(...)` return."""
    def report(x: Any, name: str) -> Report:
        x = getattr(x, "program", x)
        x = x if isinstance(x, Report) else getattr(x, "report", None)
        if not isinstance(x, Report):
            raise UsageError("compare takes programs or reports")
        named = Report(x.as_dict(), title=x.title if x.title != "program" else name, names=x._names)
        return named

    return Comparison(report(a, "a"), report(b, "b"))


def read(path: str | os.PathLike) -> Report:
    """The report that `shard-run --report` wrote."""
    with open(path, encoding="utf-8") as file:
        return Report(json.load(file), title=os.fspath(path))
