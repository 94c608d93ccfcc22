"""Runs the compiler: a child process, so that a compilation can be interrupted, holds no lock of
the interpreter, and cannot end the process."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NoReturn

from ._errors import CompileError, Error, UsageError, errors_with_notes, read_diagnostics


#: A compilation is this process' own: the device whose ranks are threads makes the same program.
_LOCAL = {"mpi": "threads", "nccl": "cuda-local"}


def tool(name: str) -> str:
    """The path of one of the project's tools: the package's own, else a build's, else the one
    on PATH."""
    for folder in (pathlib.Path(__file__).parent / "bin", pathlib.Path(__file__).absolute().parents[2] / "bin"):
        if (folder / name).is_file():
            return str(folder / name)
    found = shutil.which(name)
    if not found:
        raise Error(f"the package has no '{name}': install it again, or put the tool on PATH")
    return found


def _become(name: str) -> NoReturn:
    os.execv(tool(name), [name, *sys.argv[1:]])


def shard_compile() -> NoReturn:
    """The command `shard-compile` of the installed package."""
    _become("shard-compile")


def shard_opt() -> NoReturn:
    """The command `shard-opt` of the installed package."""
    _become("shard-opt")


def shard_run() -> NoReturn:
    """The command `shard-run` of the installed package."""
    _become("shard-run")


class Progress:
    """One line on a terminal that says how long something has taken, from the third second on, and how much is done."""

    def __init__(self, what: str):
        self.what, self.begun, self.shown = what, time.monotonic(), False

    def show(self, done: float | None = None) -> None:
        elapsed = time.monotonic() - self.begun
        if elapsed < 2 or not sys.stderr.isatty():
            return
        self.shown = True
        part = "" if done is None else f"{done:.0%}, "
        sys.stderr.write(f"\r\x1b[2K{self.what} {part}{elapsed:.0f} s ")
        sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def run_tool(command: list[str], text: str | bytes | None = None, what: str = "") -> tuple[int, str, str]:
    """The exit status, output and messages of a tool. An interrupt ends the tool and goes on as
    KeyboardInterrupt."""
    with tempfile.TemporaryFile() as file:  # a pipe's rest would be lost where communicate() runs out of time
        if text is not None:
            file.write(text.encode() if isinstance(text, str) else text)
            file.seek(0)
        child = subprocess.Popen(command, stdin=file if text is not None else subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    progress = Progress(what)
    try:
        while True:
            try:
                out, err = child.communicate(timeout=0.25)
                break
            except subprocess.TimeoutExpired:
                progress.show()
    except BaseException:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        raise
    finally:
        progress.end()
    return child.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def compile_to(output: str, program: str | bytes | os.PathLike, *, mesh: str = "", options: str = "",
               device: str = "threads", function: str | None = None, verify: bool = False,
               name: str = "program") -> None:
    """Compiles a file, or text, to a shared object. Raises CompileError with the compiler's
    diagnostics, UsageError for wrong options."""
    is_file = isinstance(program, os.PathLike)
    command = [tool("shard-run"), os.fspath(program) if is_file else "-", "--compile-only", "-o", output,
               f"--device={_LOCAL.get(device, device)}"]
    if mesh:
        command.append(f"--mesh={mesh}")
    if options:
        command.append(f"--options={options}")
    if function:
        command.append(f"--function={function}")
    if verify:
        command.append("--verify")
    status, _, messages = run_tool(command, None if is_file else program, f"compiling {name}:")
    if status == 0:
        for diagnostic in read_diagnostics(messages):
            if diagnostic.severity == "warning":
                import warnings
                warnings.warn(str(diagnostic), stacklevel=3)
        return
    diagnostics = read_diagnostics(messages)
    first = diagnostics[0] if diagnostics else None
    message = errors_with_notes(diagnostics) or f"the compiler failed with exit status {status}"
    if status == 2:
        raise UsageError(first.message if first and not first.file else message)
    raise CompileError(message, diagnostics)


def temporary_folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="shardir-")
