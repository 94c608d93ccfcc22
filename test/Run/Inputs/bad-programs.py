"""bad-programs.py FOLDER: programs that shard-run must refuse, each with its exit
status and one error that holds the given words. What is no error is in here too,
with status 0, where it is close to one.
"""
import os
import subprocess
import sys

MESH = 'shardir.mesh @m <["x"=2, "y"=2]>\n'
BODY = "func.func @main(%x: TYPE {shardir.placement = PLACEMENT}) -> TYPE {\n  return %x : TYPE\n}\n"


def placed(text, mesh=MESH, type="tensor<8x4xf32>"):
    return mesh + BODY.replace("PLACEMENT", f"#shardir.placement<{text}>").replace("TYPE", type)


def meshed(text, placement='@m, [{"x"}, {}]'):
    return placed(placement, f"shardir.mesh @m <{text}>\n")


def body(lines, type="tensor<8xf32>", results="tensor<8xf32>"):
    return (MESH + f'func.func @main(%x: {type} {{shardir.placement = #shardir.placement<@m, [{{"x"}}]>}}) -> {results} {{\n'
            + "".join(f"  {line}\n" for line in lines) + "}\n")


CASES = [
    # Placements.
    (3, 'unknown axis "z" in dim 0', placed('@m, [{"z"}, {}]')),
    (3, 'axis "x" is used twice: in dim 0 and in dim 1', placed('@m, [{"x"}, {"x"}]')),
    (3, 'axis "x" is used twice: in dim 0 and in partial', placed('@m, [{"x"}, {}], partial = sum ["x"]')),
    (3, 'axis "x" is used twice: in dim 0 and in replicated', placed('@m, [{"x"}, {}], replicated = ["x"]')),
    (3, "placement has 1 dims but the tensor has rank 2", placed('@m, [{"x"}]')),
    (3, "names mesh @q, which does not exist", placed('@q, [{"x"}, {}]')),
    (3, "unknown partial kind 'median'", placed('@m, [{}, {}], partial = median ["x"]')),
    (3, "partial kind 'umax' is for integers and i1, not for element type f32", placed('@m, [{}, {}], partial = umax ["x"]')),
    (3, "at least one partial axis", placed("@m, [{}, {}], partial = sum []")),
    (3, "cannot split dim 0 of size 8 by factor 3 (must divide exactly)", placed('@m, [{3, "x"}, {}]')),
    (3, "an integer factor must be at least 1, found 0", placed('@m, [{0, "x"}, {}]')),
    (3, "an integer factor must be at least 1, found -2", placed('@m, [{-2, "x"}, {}]')),
    (3, "integer value too large", placed('@m, [{99999999999999999999, "x"}, {}]')),
    (3, 'sub-axis "x":(1)3 in dim 0 does not divide axis "x" of size 2', placed('@m, [{"x":(1)3}, {}]')),
    (3, "sub-axis sizes must be at least 1", placed('@m, [{"x":(0)2}, {}]')),
    (3, '"x":(1)4 in dim 0 and "x":(2)4 in dim 1 overlap', placed('@m, [{"x":(1)4}, {"x":(2)4}]', 'shardir.mesh @m <["x"=8]>\n')),
    (3, "placements has 1 entries but the mesh has 2 axes", placed("@m, placements = [shard(0)]")),
    (3, 'shard(2) of axis "x" is out of range for a tensor of rank 2', placed("@m, placements = [shard(2), replicate]")),
    (3, 'shard(-3) of axis "x" is out of range', placed("@m, placements = [shard(-3), replicate]")),
    (3, 'partial(max) of axis "y" differs from partial(sum) of axis "x"', placed("@m, placements = [partial(sum), partial(max)]")),
    (3, "expected shard(dim), replicate, or partial(kind), found 'shrad'", placed("@m, placements = [shrad(0), replicate]")),
    (3, "expected 'shardir.placement' with a #shardir.placement", MESH + BODY.replace("PLACEMENT", "3 : i64").replace("TYPE", "tensor<8xf32>")),
    (3, "its type 'f32' is not a ranked tensor", placed("@m, []", type="f32")),
    (3, "its type 'tensor<*xf32>' is not a ranked tensor", placed('@m, [{"x"}]', type="tensor<*xf32>")),
    # Meshes.
    (3, 'axis "x" appears twice', meshed('["x"=2, "x"=2]')),
    (3, 'the size of axis "x" must be at least 1, found 0', meshed('["x"=0]')),
    (3, 'the size of axis "x" must be at least 1, found -2', meshed('["x"=-2]')),
    (3, "more than 2^20 devices", meshed('["x"=2147483647, "y"=2147483647, "z"=2147483647]')),
    (3, "must have 1 to 8 axes, found 0", meshed("[]")),
    (3, "must have 1 to 8 axes, found 9", meshed("[" + ", ".join(f'"a{i}"=1' for i in range(9)) + "]")),
    (3, 'axis name "1x" must match', meshed('["1x"=2]')),
    (3, "lists 1 devices for 2 positions", meshed('["x"=2], devices = [0]')),
    (3, "device 1 is listed twice", meshed('["x"=2], devices = [1, 1]')),
    (3, "device -1 is not a rank", meshed('["x"=2], devices = [-1, 1]')),
    (3, "rank 1", meshed('["x"=2], devices = [0, 7]')),
    (3, 'links name axis "z", which the mesh lacks', meshed('["x"=2], links = {z = {bandwidth = 1.0}}')),
    (3, 'the size of axis "x" is not known', meshed('["x"=?]')),
    # Functions and types.
    (3, "the program has no public function to compile", MESH),
    (3, "the program has no public function to compile", ""),
    (2, "the program has @main, @other", placed('@m, [{"x"}, {}]') + placed('@m, [{"x"}, {}]', mesh="").replace("@main", "@other")),
    (3, "which has no body here", body(["%y = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>", "return %y : tensor<8xf32>"])
     + "func.func private @f(tensor<8xf32>) -> tensor<8xf32>\n"),
    (3, "is recursive", body(["%y = func.call @main(%x) : (tensor<8xf32>) -> tensor<8xf32>", "return %y : tensor<8xf32>"])),
    (3, "has type 'tensor<8xcomplex<f32>>'", placed('@m, [{"x"}]', type="tensor<8xcomplex<f32>>")),
    (3, "has type 'tensor<8xi3>'", placed('@m, [{"x"}]', type="tensor<8xi3>")),
    (3, "must be the number of an argument", placed('@m, [{"x"}]', type="tensor<8xf32>").replace(
        "-> tensor<8xf32>", "-> (tensor<8xf32> {shardir.alias = 7 : i64})")),
    (3, "placement has 2 dims but the tensor has rank 1", body(
        ['%y = shardir.constrain %x to #shardir.placement<@m, [{"x"}, {}]> : tensor<8xf32>', "return %y : tensor<8xf32>"])),
    (2, "cannot hold an array", placed('@m, [{"x"}, {}]', type="tensor<999999999x99999999xf32>")),
    # Text that is no program.
    (3, "expected non-function type", "func.func @main(\n"),
    (3, "unexpected character", "\x00\x01\x02"),
    (3, "Dialect `foo' not found", body(["%y = foo.bar %x : tensor<8xf32>", "return %y : tensor<8xf32>"])),
    # Programs that fail while they run.
    (4, "it must hold", body(["%f = arith.constant false", 'cf.assert %f, "it must hold"', "return %x : tensor<8xf32>"])),
    # Close to an error, and none.
    (0, None, placed('@m, [{"x"}, {"y"}]', type="tensor<0x4xf32>")),
    (0, None, placed('@m, [{2}, {}]')),
    (0, None, placed('@m, [{"x"}, {}]').replace("\n", "\r\n")),
    (0, None, meshed('["x"=2], devices = [1, 0]')),
]

folder, failed = sys.argv[1], 0
os.makedirs(folder, exist_ok=True)
for number, (status, words, program) in enumerate(CASES):
    path = os.path.join(folder, f"{number}.mlir")
    with open(path, "w", newline="") as file:
        file.write(program)
    run = subprocess.run(["shard-run", path, "--verify", "--timeout=20"], capture_output=True, text=True, timeout=60)
    said = run.stdout + run.stderr
    errors = [line for line in said.splitlines() if "error: " in line]
    good = run.returncode == status and (
        not errors and "equal to the unsharded program" in said if words is None else len(errors) == 1 and words in errors[0])
    if not good:
        failed += 1
        print(f"{path}: status {run.returncode}, expected {status} with one error that says {words!r}:\n{said}")
sys.exit(failed != 0)
