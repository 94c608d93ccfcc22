// The program of docs/Pipeline.md as the user writes it.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-run %S/Inputs/mlp.mlir %{data} --verify 2>&1 | FileCheck %s --check-prefix=RUN-BOTH
// RUN-BOTH-COUNT-2: result 0: 2x2xf32 equal to {{.*}} (largest error 0,

// Other data than the expected one is seen.
// RUN: not shard-run %S/Inputs/mlp.mlir %{x} %{w1} %{w2} --expected_output=2x2xf32=15,-4,7,-19 --tolerance=0 \
// RUN:   | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: result 0: 2x2xf32 differs from {{.*}} at [1, 1]: expected -19, found -20

// A compiled program carries its report; what is measured is what was predicted.
// RUN: shard-run %S/Inputs/mlp.mlir %{data} --report=%t.json
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// REPORT-DAG: "bytes_per_device": 24,
// REPORT-DAG: "kind": "all_reduce"
// REPORT-DAG: "reason": "result 0 of @main is placed so
// REPORT:     "measured": {
// REPORT-NEXT: "bytes_per_device": 24,
