"""Plans of one kernel that are worth timing, for utils/gpu_check.py --tune.

Requires a function `compile_report(arguments)` that gives the compiler's report of a program, or None. Guarantees at most
PLANS different plans of each schedule that takes the problem, the model's own choice first, and none of programs whose
kernels are of more than one op: their time would not be one plan's.
"""
import itertools
import json

PLANS = 3
# Values of a number of a plan that are tried where a schedule has it.
TRIED = {"tile_n": (256, 128, 64, 32), "tile_m": (128, 64, 32), "kernels": (1, 2), "threads_per_row": (64, 256),
         "splits": (1, 4)}


def plan_of(report):
    """(problem, schedule, plan, predicted_ns) of the one op that the kernels are of; None where there are several, or the
    schedule has no plan."""
    kernels = (report or {}).get("kernels", [])
    found = {json.dumps([k.get(key) for key in ("problem", "schedule", "plan", "predicted_ns")]) for k in kernels}
    if len(found) != 1 or not kernels[0].get("plan"):
        return None
    return json.loads(found.pop())


def schedules_for(op, names):
    """Those of the same op: schedules that cannot take it would be compiled for nothing."""
    if op == "kernel.attention_backward":
        return [name for name in names if name.endswith("_attention_backward")]
    if op == "kernel.attention":
        return [name for name in names if name.endswith("_attention")]
    return [name for name in names if name.endswith(("_matmul", "_gemm", "_reduction"))]


def plans_of(compile_report, names):
    """Yields (options, problem, schedule, plan, predicted_ns)."""
    chosen = compile_report("")
    if not plan_of(chosen):
        return
    seen = []
    for schedule in schedules_for(chosen["kernels"][0]["op"], names):
        force, count = f"schedule={schedule}", 0
        numbers = [""]
        for number in numbers:
            options = force + (f" plan={number}" if number else "")
            found = plan_of(compile_report(options))
            if not found or found[1] != schedule:
                continue
            if number == "":
                # One value of each number first: plans should differ in all of them.
                names = [name for name in TRIED if name in found[2]]
                numbers += [f"{name}={value}" for values in itertools.zip_longest(*(TRIED[name] for name in names))
                            for name, value in zip(names, values) if value]
            if found[:3] in seen:
                continue
            seen.append(found[:3])
            yield (options, *found)
            count += 1
            if count == PLANS:
                break
