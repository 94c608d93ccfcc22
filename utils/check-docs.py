#!/usr/bin/env python3
# Reruns the commands of the pages and compares what they print with what the
# pages show, so that a page cannot go on showing what is no longer true.
#
# A shown command is a block of `sh`, the comment <!-- output -->, and the block
# with its output. The comment may say more, separated by semicolons:
#   fails            the command must end with another status than 0
#   needs PROGRAM    where this program is not installed, the block is not checked
#   only /A/, /B/    of the output the lines that match one of these
#   from /A/ to /B/  of the output the part between two lines, both included
#
# Requires: a build with the tools that the commands name. A command may begin with
# NAME=value, as in a shell.
# Guarantees: status 1 and a difference where a page and its command disagree, or
# a page that was named shows no output; --update rewrites the blocks instead.
"""Check the pages' examples against what the tools print."""

import argparse
import difflib
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOREIGN = ("cat", "grep", "mpirun", "mlir-opt-22")
BLOCK = re.compile(r"^```sh\n(?P<command>(?:(?!```).*\n)+?)```\n\n?<!-- output(?:: (?P<how>.*?))? -->\n"
                   r"```(?P<language>\w*)\n(?P<shown>(?:(?!```).*\n)*)```$", re.MULTILINE)
WIDTH = 116
LONGEST_STRING = 160


class Problem(Exception):
    pass


def pages():
    """All pages that show output."""
    found = ["README.md", "CONTRIBUTING.md"] + sorted(
        os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))
    return [page for page in found if "<!-- output" in read(page)]


def read(page):
    with open(os.path.join(SOURCE, page)) as file:
        return file.read()


def breaks(line, start):
    """(badness, position) of each space of the line at which it may be broken: never
    in a string, rather outside of brackets and behind a comma than elsewhere."""
    depth, quoted, previous = 0, False, ""
    for i, c in enumerate(line):
        if quoted:
            quoted = c != '"' or previous == "\\"
        elif c == '"':
            quoted = True
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and previous != "-"):
            depth -= 1
        elif c == " " and i > start and not line[:i].endswith(("->", "=", ":", "from", "to", "of")):
            yield (depth, previous != ",", -i), i
        previous = c


def fit(line):
    """Long lines are broken at spaces outside of strings; long strings are left out."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: m[0] if len(m[0]) <= LONGEST_STRING else '"…"', line)
    indent = len(re.match(r" *", line)[0]) + 4
    parts = []
    while len(line) > WIDTH:
        found = [each for each in breaks(line, WIDTH // 3) if each[1] <= WIDTH]
        if not found:
            break
        at = min(found)[1]
        parts.append(line[:at])
        line = " " * indent + line[at + 1:]
    return parts + [line.rstrip()]


def choose(lines, how):
    for part in filter(None, (part.strip() for part in (how or "").split(";"))):
        if part == "fails" or part.startswith("needs "):
            continue
        patterns = re.findall(r"/(.*?)/", part)
        if part.startswith("only "):
            unused = [pattern for pattern in patterns if not any(re.search(pattern, line) for line in lines)]
            if unused or not patterns:
                raise Problem(f"no line matches /{'/, /'.join(unused)}/")
            lines = [line for line in lines if any(re.search(pattern, line) for pattern in patterns)]
        elif part.startswith("from ") and len(patterns) == 2:
            first = next((i for i, line in enumerate(lines) if re.search(patterns[0], line)), None)
            last = next((i for i, line in enumerate(lines) if first is not None and i >= first
                         and re.search(patterns[1], line)), None)
            if last is None:
                raise Problem(f"no line matches {part}")
            lines = lines[first:last + 1]
        else:
            raise Problem(f"'{part}' is not fails, needs …, only /…/ or from /…/ to /…/")
    return lines


def comparable(line, how):
    """The line without what differs from run to run and from machine to machine: times, the last
    digits of errors, which rank fails first, and the numbers of values in lines picked from a long text."""
    if "only " in (how or ""):
        line = re.sub(r"%\d+", "%N", line)
    line = re.sub(r"\b\d+(\.\d+)?(e[+-]?\d+)? ms\b", "N ms", line)
    line = re.sub(r"rank \d+ failed", "rank N failed", line)
    return re.sub(r"largest error .*", "largest error N", line)


class Checker:
    def __init__(self, tools, scratch):
        self.tools = tools
        self.environment = dict(
            os.environ, SHARDIR_CACHE_DIR=os.path.join(scratch, "cache"), PATH=f"{tools}:{os.environ['PATH']}",
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def spawn(self, words, text, errors):
        environment = dict(self.environment)
        words = [word.replace("build/lib/", os.path.join(os.path.dirname(self.tools), "lib", "")) for word in words]
        while re.match(r"[A-Z_]+=", words[0]):
            name, value = words[0].split("=", 1)
            environment[name] = value
            words = words[1:]
        if os.path.dirname(words[0]) in ("utils", "benchmarks"):
            words = [sys.executable, "-B"] + words
        elif words[0].startswith("shard-"):
            words = [os.path.join(self.tools, words[0])] + words[1:]
        elif words[0] not in FOREIGN:
            raise Problem(f"'{words[0]}' is not a tool of the project")
        return subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=errors, text=True,
                              cwd=SOURCE, env=environment, timeout=300)

    def output(self, command, how, language):
        text = ""
        stages = command.replace("\\\n", " ").strip().split(" | ")
        for i, stage in enumerate(stages):
            # Only what the last one says would be seen.
            errors = subprocess.STDOUT if i + 1 == len(stages) else subprocess.DEVNULL
            result = self.spawn(shlex.split(stage), text, errors)
            text = result.stdout
        fails = "fails" in [part.strip() for part in (how or "").split(";")]
        if (result.returncode != 0) != fails:
            raise Problem(f"ended with status {result.returncode}:\n{text}")
        lines = choose(text.rstrip("\n").splitlines(), how)
        # Tables and messages are wide as they are.
        return [part for line in lines for part in fit(line)] if language == "mlir" else lines

    def check(self, page, update):
        """The number of outputs on the page and of those that differ."""
        text = read(page)
        found = list(BLOCK.finditer(text))
        if not found or len(found) != text.count("<!-- output"):
            raise Problem(f"{page}: {text.count('<!-- output')} outputs are announced, {len(found)} are found")
        wrong = 0
        for match in reversed(found):
            line = text.count("\n", 0, match.start()) + 2
            needed = re.findall(r"needs (\S+?)(?:;|$)", match["how"] or "")
            if not all(map(shutil.which, needed)):
                continue
            try:
                printed = self.output(match["command"], match["how"], match["language"])
            except Problem as problem:
                raise Problem(f"{page}:{line}: {match['command'].strip()}: {problem}") from problem
            shown = match["shown"].splitlines()
            if [comparable(each, match["how"]) for each in printed] == [comparable(each, match["how"]) for each in shown]:
                continue
            wrong += 1
            if update:
                text = text[:match.start("shown")] + "".join(each + "\n" for each in printed) + text[match.end("shown"):]
            else:
                sys.stdout.writelines(difflib.unified_diff(
                    [each + "\n" for each in shown], [each + "\n" for each in printed],
                    f"{page}:{line}", match["command"].strip()))
        if update and wrong:
            with open(os.path.join(SOURCE, page), "w") as file:
                file.write(text)
        return len(found), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="relative to the repository; all that show output unless given")
    parser.add_argument("--tools", default=os.path.join(SOURCE, "build", "bin"))
    parser.add_argument("--update", action="store_true", help="rewrite the blocks that differ")
    options = parser.parse_args()
    total = differ = 0
    with tempfile.TemporaryDirectory() as scratch:
        checker = Checker(os.path.abspath(options.tools), scratch)
        try:
            for page in options.pages or pages():
                count, wrong = checker.check(page, options.update)
                total += count
                differ += wrong
        except (Problem, OSError, subprocess.TimeoutExpired) as problem:
            print(f"error: {problem}", file=sys.stderr)
            return 1
    print(f"{total} outputs checked, {differ} {'rewritten' if options.update else 'differ'}")
    if differ and not options.update:
        print("utils/check-docs.py --update rewrites them; read what changed")
    return 1 if differ and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
