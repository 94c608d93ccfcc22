"""Reports as a page and as a table for notebooks. The page is `report.html`, with JSON put in."""

from __future__ import annotations

import html
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._report import Report

#: What the template has in place of the reports. shard-run replaces the same.
_PLACEHOLDER = "__SHARDIR_REPORTS__"


def _events(trace: Any) -> Any:
    """The trace events of a file that `shard-run --trace` wrote, or of what `json.load` read of one."""
    if isinstance(trace, (str, os.PathLike)):
        with open(trace, encoding="utf-8") as file:
            trace = json.load(file)
    return trace


def report_page(reports: Sequence[Report], traces: Sequence[Any] = ()) -> str:
    """One page that needs nothing else, for one report or two side by side. `traces` has one per
    report, a file or its JSON, or None."""
    entries = []
    for i, report in enumerate(reports):
        entry: dict[str, Any] = {**report.as_dict(), "title": report.title}
        trace = _events(traces[i]) if i < len(traces) else None
        if trace is not None:
            entry["trace"] = trace["traceEvents"] if isinstance(trace, Mapping) else trace
        entries.append(entry)
    # No "<" in the JSON: a name in it cannot end the script.
    text = json.dumps(entries, separators=(",", ":")).replace("<", "\\u003c")
    template = pathlib.Path(__file__).with_name("report.html").read_text(encoding="utf-8")
    before, after = template.split(_PLACEHOLDER)
    return before + text + after


def report_table(report: Report) -> str:
    """The collectives as an HTML table, for notebooks."""
    def row(tag: str, cells: Sequence[Any]) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(str(c))}</{tag}>' for c in cells) + "</tr>"

    limit, found = 50, report.collectives
    meshes = "; ".join(f"@{name}: " + ", ".join(f"{a}={n}" for a, n in axes.items())
                       for name, axes in report.meshes.items())
    parts = [f"<p>{html.escape(meshes)}<br>received per device: {html.escape(str(report.bytes_per_device))} bytes, "
             f"peak: {html.escape(str(report.peak_bytes_per_device))} bytes"]
    if report.measured:
        parts.append(f"<br>measured: {report.measured['bytes_per_device']} bytes received, "
                     f"{report.measured['peak_bytes_per_device']} bytes at the peak, {report.measured['ms']:.3g} ms")
    parts.append("</p>")
    if found:
        parts.append("<table>" + row("th", ["kind", "axes", "bytes/device", "times", "at", "because"]))
        for c in found[:limit]:
            place = f"{c.module} ({c.loc})" if c.module else c.loc
            parts.append(row("td", [c.kind, ", ".join(c.axes), c.bytes_per_device,
                                    "?" if c.executions is None else c.executions, place, c.reason]))
        parts.append("</table>")
        if len(found) > limit:
            parts.append(f"<p>and {len(found) - limit} more</p>")
    return "".join(parts)
