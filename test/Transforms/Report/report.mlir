// RUN: shard-opt %s --shardir-to-collective --shardir-report=file=%t.json -o %t.collective.mlir
// RUN: FileCheck %s < %t.json
// RUN: shard-opt %s --shardir-to-redistributed --shardir-report=file=- -o %t.redistributed.mlir | FileCheck %s
// RUN: not shard-opt %s -shardir-report 2>&1 | FileCheck %s --check-prefix=ANNOTATED
// RUN: not shard-opt %s --shardir-to-collective --shardir-report=file=%t.d/none/r.json 2>&1 | FileCheck %s --check-prefix=FILE

// A sum of 8x3 f32 over 4 devices: 2 * 3 * ceil(24 / 4) elements of 4 bytes for
// each, told before and after the redistribution is a collective. The hidden dim
// of 10 is 3 + 3 + 3 + 1; the largest shard of the weight is 3x3.
// CHECK:      "bytes_per_device": 144
// CHECK:      "axes": [
// CHECK-NEXT:   "tp"
// CHECK:      "bytes_per_device": 144
// CHECK:      "element_type": "f32"
// CHECK:      "executions": 1
// CHECK:      "group_size": 4
// CHECK:      "kind": "all_reduce"
// CHECK:      "operand_bytes": 96
// CHECK:      "reason": "result 0 of @main is placed so: reduces the sum over \"tp\""
// CHECK:      "result_bytes": 96
// CHECK:      "local_bytes": 36
// CHECK:      "name": "arg1"
// CHECK:      "placement": "#shardir.placement<@m, [{\"tp\"}, {}]>"
// ANNOTATED:  error: 'func.func' op the propagated stage needs 'shardir.placement' on argument 0
// FILE:       error: cannot write the report:
shardir.mesh @m <["tp"=4]>

func.func @main(%x: tensor<8x10xf32>,
                %w: tensor<10x3xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> tensor<8x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x10xf32>, tensor<10x3xf32>) outs(%z : tensor<8x3xf32>) -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
