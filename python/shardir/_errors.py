"""The exceptions of the package, all under `Error`."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable

__all__ = ["Error", "UsageError", "CompileError", "RankError", "VerifyError", "Diagnostic"]


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler, with its place in the source it was given.

    `file` is the model's own Python file for programs of `shardir.torch` and
    `shardir.jax`; `line` is 0 where the place is not known.
    """

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.severity}: {self.message}"


class Error(Exception):
    """What every exception of the package derives from."""


class UsageError(Error, ValueError):
    """A wrong argument: a plan, a placement, a shape, a type, an option, a file."""


class CompileError(Error):
    """The program does not parse, verify, compile or load.

    `diagnostics` has the compiler's messages with their places, the first error first.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message)
        self.diagnostics = diagnostics


class RankError(Error):
    """A rank failed while the program ran, or a deadline passed."""


class VerifyError(Error):
    """The sharded program and the unsharded one differ.

    `result` is the number of the result, `difference` the largest difference relative to the
    largest expected value.
    """

    def __init__(self, message: str, result: int = 0, difference: float = float("nan")):
        super().__init__(message)
        self.result = result
        self.difference = difference


_PLACED = re.compile(r"^(?:<unknown>:0: |(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): |loc\([^\n]*?\): |[\w-]+: )?"
                     r"(?P<severity>error|warning|remark|note): (?P<message>.*)$")


def read_diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The messages in what the compiler wrote, errors first, each with its notes behind it. The lines of
    source that it shows below them are left out; what is not of the usual form is kept as one error."""
    found: list[list[Diagnostic]] = []
    for line in text.splitlines():
        match = _PLACED.match(line)
        if match:
            diagnostic = Diagnostic(match["severity"], match["message"], match["file"] or "",
                                    int(match["line"] or 0), int(match["column"] or 0))
            if diagnostic.severity == "note" and found:
                found[-1].append(diagnostic)
            else:
                found.append([diagnostic])
    if not found and text.strip():
        found = [[Diagnostic("error", text.strip())]]
    return tuple(d for group in sorted(found, key=lambda g: g[0].severity != "error") for d in group)


def errors_with_notes(diagnostics: Iterable[Diagnostic]) -> str:
    """The errors of read_diagnostics() as lines, without remarks and warnings and what these have notes of."""
    wanted = itertools.takewhile(lambda d: d.severity in ("error", "note"), diagnostics)
    return "\n".join(map(str, wanted))
