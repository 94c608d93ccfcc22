// Collectives are those that run, in dims of the order that suits them, and ops
// are linalg's.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-scheduled -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// Re-entered, a stage is what it was, and leads to the same next one.
// RUN: shard-opt %t.mlir --shardir-to-scheduled | diff %t.mlir -
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-bufferized -o %t.direct.mlir
// RUN: shard-opt %t.mlir --shardir-to-bufferized -o %t.entered.mlir
// RUN: %python %S/Inputs/diff-but-locations.py %t.direct.mlir %t.entered.mlir

// RUN: shard-run %t.mlir %{data}

// Passes that choose collectives leave it alone.
// RUN: shard-opt %t.mlir -shardir-choose-layouts="mode=contiguous" -shardir-schedule-collectives="rings=always" | diff %t.mlir -

// CHECK:     shardir.stage = "scheduled"
// CHECK-NOT: arith.maximumf %{{.*}} : tensor
// CHECK:     linalg.generic
// CHECK:       arith.maximumf %{{.*}} : f32
// CHECK:     collective.all_reduce

// With another order of dims: the report says so from this stage on, and the
// results are the same bits from every stage.
// RUN: shard-opt %S/Inputs/sequence.mlir --shardir-to-scheduled -o %t.order.mlir
// RUN: FileCheck %s --check-prefix=ORDER < %t.order.mlir
// RUN: shard-opt %t.order.mlir --shardir-to-scheduled | diff %t.order.mlir -
// RUN: shard-run %S/Inputs/sequence.mlir --output=@%t.direct.npy --report=- | FileCheck %s --check-prefix=REPORT
// RUN: shard-run %t.order.mlir --output=@%t.entered.npy --report=- | FileCheck %s --check-prefix=REPORT
// RUN: shard-run %S/Inputs/sequence.mlir --options=layout=row-major --output=@%t.row.npy --report=- | FileCheck %s --check-prefix=ROW
// RUN: cmp %t.direct.npy %t.entered.npy
// RUN: cmp %t.direct.npy %t.row.npy

// ORDER: shardir.layout_saved_bytes = 32768
// ORDER: of tensor<128x4x64xbf16>
// REPORT: "contiguous": true
// REPORT: "packed_bytes": 0
// REPORT: "layout_saved_bytes": 32768
// ROW: "contiguous": false
// ROW: "packed_bytes": 32768
// ROW: "layout_saved_bytes": 0
