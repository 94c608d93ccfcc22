// RUN: shard-opt %s --shardir-to-collective=memory-limit=14500 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=memory-limit=14500 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: shard-opt %s --shardir-to-collective -shardir-recompute-to-fit=memory-limit=14500 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=memory-limit=32K | FileCheck %s --check-prefix=FITS
// RUN: shard-opt %s --shardir-to-collective=memory-limit=14500 --shardir-report=file=%t.json -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.json

// The peak is between the first op and its last user, which reads a second
// computation of it. Within the limit nothing is repeated.
// CHECK: module attributes {shardir.recomputed =
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<64x8xf32>
// CHECK:         %[[H:.+]] = math.tanh %[[X]]
// CHECK:         linalg.matmul {{.*}}ins(%[[H]],
// CHECK:         %[[C:.+]] = linalg.matmul
// CHECK-NEXT:    %[[B:.+]] = shardir.optimization_barrier %[[X]]
// CHECK-NEXT:    %[[AGAIN:.+]] = math.tanh %[[B]]
// CHECK-NEXT:    arith.mulf %[[C]], %[[AGAIN]]
// SAYS: remark: @main computes 1 value a second time: a device needs 14368 bytes at its peak, and 15392 without that, for 256 more operations; memory-limit is 14500
// SAYS: note: the result of 'math.tanh', 'tensor<64x8xf32>': 1024 bytes saved for 256 operations
// FITS-NOT: shardir.recomputed
// FITS-NOT: shardir.optimization_barrier
// REPORT: "recomputed": {
// REPORT:   "operations": 256,
// REPORT:   "peak_bytes_per_device_without": 15392,
// REPORT:   "values": [
// REPORT:     "function": "main",
// REPORT:     "op": "math.tanh",
// REPORT:     "saved_bytes": 1024
// A program without a mesh has no placements to copy.
// RUN: sed '/^shardir.mesh/d; s/ {shardir.placement[^}]*}, {}]>}//' %s | shard-opt --shardir-to-collective=memory-limit=25000 2>/dev/null | FileCheck %s --check-prefix=BARE
// BARE: shardir.optimization_barrier %{{.+}} : tensor<64x8xf32>
shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %u: tensor<8x64xf32>, %v: tensor<64x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %zero64 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero8 = arith.constant dense<0.0> : tensor<64x8xf32>
  %h = math.tanh %x : tensor<64x8xf32>
  %a = linalg.matmul ins(%h, %u : tensor<64x8xf32>, tensor<8x64xf32>) outs(%zero64 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %v : tensor<64x64xf32>, tensor<64x8xf32>) outs(%zero8 : tensor<64x8xf32>) -> tensor<64x8xf32>
  %d = arith.mulf %c, %h : tensor<64x8xf32>
  %s = linalg.reduce { arith.addf } ins(%d : tensor<64x8xf32>) outs(%zero : tensor<8xf32>) dimensions = [0]
  return %s : tensor<8xf32>
}
