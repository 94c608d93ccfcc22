// RUN: shard-opt %s --shardir-to-collective=memory-limit=4400 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=memory-limit=4400 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: shard-opt %s --shardir-to-collective -shardir-recompute-to-fit=memory-limit=4400 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=memory-limit=8K | FileCheck %s --check-prefix=FITS
// RUN: shard-opt %s --shardir-to-collective=memory-limit=4400 --shardir-report=file=%t.json -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.json

// The peak is between the first op and its last user, which reads a second
// computation of it. Within the limit nothing is repeated.
// CHECK: module attributes {shardir.recomputed =
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<64x8xf32>
// CHECK:         %[[H:.+]] = math.tanh %[[X]]
// CHECK:         %[[A:.+]] = math.exp %[[H]]
// CHECK:         %[[C:.+]] = arith.addf
// CHECK-NEXT:    %[[B:.+]] = shardir.optimization_barrier %[[X]]
// CHECK-NEXT:    %[[AGAIN:.+]] = math.tanh %[[B]]
// CHECK-NEXT:    arith.mulf %[[C]], %[[AGAIN]]
// SAYS: remark: @main computes 1 value a second time: a device needs 4128 bytes at its peak, and 5184 without that, for 256 more operations; memory-limit is 4400
// SAYS: note: the result of 'math.tanh', 'tensor<64x8xf32>': 1024 bytes saved for 256 operations
// FITS-NOT: shardir.recomputed
// FITS-NOT: shardir.optimization_barrier
// REPORT: "recomputed": {
// REPORT:   "operations": 256,
// REPORT:   "peak_bytes_per_device_without": 5184,
// REPORT:   "values": [
// REPORT:     "function": "main",
// REPORT:     "op": "math.tanh",
// REPORT:     "saved_bytes": 1024
// A program without a mesh has no placements to copy.
// RUN: sed '/^shardir.mesh/d; s/ {shardir.placement[^}]*}, {}]>}//' %s | shard-opt --shardir-to-collective=memory-limit=8800 2>/dev/null | FileCheck %s --check-prefix=BARE
// BARE: shardir.optimization_barrier %{{.+}} : tensor<64x8xf32>
shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %h = math.tanh %x : tensor<64x8xf32>
  %a = math.exp %h : tensor<64x8xf32>
  %b = arith.mulf %a, %a : tensor<64x8xf32>
  %c = arith.addf %b, %a : tensor<64x8xf32>
  %d = arith.mulf %c, %h : tensor<64x8xf32>
  %s = linalg.reduce { arith.addf } ins(%d : tensor<64x8xf32>) outs(%zero : tensor<8xf32>) dimensions = [0]
  return %s : tensor<8xf32>
}
