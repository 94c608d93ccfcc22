# Runs the RUN lines of a file that run it with arch=host for another
# architecture, as PTX: `as-ptx.py RUNNER LIBRARY ARCH FILE [FUNCTION...]`, all
# functions unless some are named.
#
# Requires a file whose lines run shard-run through DEFINE and REDEFINE.
# Guarantees that at least one line is run for each function that is named, and
# exit status 1 where one fails or a function has none.
import os
import re
import shlex
import subprocess
import sys


# Replacements for schedules that an architecture lacks.
INSTEAD = {"sm_100a": {"ws_gemm": "tcgen05_gemm", "wgmma_attention": "tcgen05_attention"}}


def options_for(flag, arch):
    """A flag of a line for arch=host, for `arch`."""
    for name, other in INSTEAD.get(arch, {}).items():
        flag = re.sub(rf"schedule={name}(?!\w)", f"schedule={other}", flag)
    return flag.replace("arch=host", f"arch={arch} ptxas=none")


def commands_of(path):
    definitions = {}
    for line in open(path):
        define = re.match(r"// (?:RE)?DEFINE: (%\{[\w-]+\}) =(.*)$", line)
        if define:
            definitions[define[1]] = define[2].strip()
        run = re.match(r"// RUN: (.*)$", line)
        if not run:
            continue
        text = run[1]
        while any(name in text for name in definitions):
            for name, value in definitions.items():
                text = text.replace(name, value)
        # Other tests compare the compiler's own output.
        text = re.split(r" 2>| \|", text)[0]
        if re.match(r"env SHARDIR_CUDA_LIBRARY=%emulated_cuda .*shard-run ", text) and "arch=host" in text and "%t" not in text.split("shard-run")[1]:
            yield text


def main():
    runner, library, arch, path, *functions = sys.argv[1:]
    environment = dict(os.environ, SHARDIR_CUDA_LIBRARY=library)
    left, failed, count = set(functions), 0, 0
    for text in commands_of(path):
        flags = shlex.split(text.split(" shard-run ", 1)[1])
        function = next((flag.split("=", 1)[1] for flag in flags if flag.startswith("--function=")), "")
        if functions and function not in functions:
            continue
        left.discard(function)
        flags = [path if flag == "%s" else options_for(flag, arch) for flag in flags]
        done = subprocess.run([*shlex.split(runner), *flags], env=environment, capture_output=True, text=True, errors="replace")
        count += 1
        if done.returncode != 0:
            failed += 1
            print(f"{arch}: exit status {done.returncode} of {shlex.join(flags)}\n{done.stdout}{done.stderr}")
    if left:
        print(f"{path} runs no function {', '.join(sorted(left))} with arch=host")
    sys.exit(1 if failed or left or not count else 0)


if __name__ == "__main__":
    main()
