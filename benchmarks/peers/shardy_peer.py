# Shardy as a live peer, through jaxlib: one JSON request a line, one answer a line.
#
# Requires: jaxlib with its MLIR bindings (pip install jax). No device is used.
# Guarantees: a request {"text": StableHLO, "reps": n} is answered by {"ms": [...],
# "peak_kb": n} from `sdy-propagation-pipeline`; times are of the pass pipeline alone,
# each on a newly parsed module. With "placements": true the answer also has
# "placements": {location: dims}, "arguments": [...], "results": [...], as propagation
# leaves them: exporting would undo splits that do not divide. {"error": message}
# where something fails.
import json
import re
import resource
import sys
import time

try:
    from jaxlib.mlir import ir, passmanager
    import jax._src.interpreters.mlir as jax_mlir
except ImportError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(0)

DIM = re.compile(r"\{([^}]*)\}")
AXIS = re.compile(r'"(?:\w+)"(?::\(\d+\)\d+)?')


def dims(text):
    """`#sdy.sharding<@mesh, [{"x"}, {}], ...>`: the axes of each dim."""
    inner = text[text.index("[", text.index("@")) + 1:]
    inner = inner[:inner.index("]")]
    return [[axis.replace('"', "", 2) if ":" not in axis else axis for axis in AXIS.findall(dim)] for dim in DIM.findall(inner)]


def location(op):
    found = re.match(r'loc\("([^"]+)"', str(op.location))
    return found.group(1) if found else None


def placements(module):
    found, arguments, results = {}, [], []

    def attribute(op):
        if op.name in ("sdy.reshard", "sdy.sharding_constraint"):
            return str(op.attributes["sharding"])
        if "sdy.sharding" not in op.attributes:
            return None
        text = str(op.attributes["sdy.sharding"])
        return text[text.index("[") + 1:] if text.startswith("#sdy.sharding_per_value") else text

    def walk(op):
        if op.name == "func.func":
            for key, into in (("arg_attrs", arguments), ("res_attrs", results)):
                if key in op.attributes:
                    for entry in op.attributes[key]:
                        into.append(dims(str(entry["sdy.sharding"])) if "sdy.sharding" in entry else None)
        name, text = location(op), attribute(op)
        if name and text and len(op.results) == 1 and op.name != "func.func":
            found[name] = dims(text)
        for region in op.regions:
            for block in region.blocks:
                for inner in block.operations:
                    walk(inner.operation)

    walk(module.operation)
    return found, arguments, results


PIPELINE = "sdy-propagation-pipeline"
PROPAGATION = "sdy-import-pipeline,sdy-apply-sharding-constraints,sdy-user-priority-propagate"


def answer(request):
    name = PROPAGATION if request.get("placements") else PIPELINE
    times = []
    for _ in range(request.get("reps", 1)):
        module = ir.Module.parse(request["text"])
        pipeline = passmanager.PassManager.parse(f"builtin.module({name})")
        start = time.perf_counter()
        pipeline.run(module.operation)
        times.append(1e3 * (time.perf_counter() - start))
    reply = {"ms": times, "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
    if request.get("placements"):
        reply["placements"], reply["arguments"], reply["results"] = placements(module)
    return reply


def main():
    with jax_mlir.make_ir_context():
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            try:
                reply = answer(json.loads(line))
            except Exception as error:  # the peer's failures are results, too
                reply = {"error": str(error)[:500]}
            print(json.dumps(reply), flush=True)


main()
