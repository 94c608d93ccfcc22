// Each collective lists its users, and the alternatives where placements
// competed: at a user, else at the op that made the operand.
//
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" --shardir-report=file=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: grep -v -e loc -e not_sharded -e " at " %t.json > %t.one
// RUN: shard-opt %t.mlir --shardir-report=file=- -o /dev/null | grep -v -e loc -e not_sharded -e " at " | diff %t.one -
// RUN: shard-opt %t.mlir --shardir-to-local | FileCheck %s --check-prefix=LOCAL
// RUN: shard-run %s --options=cost=bytes --report=- --function=asked | FileCheck %s --check-prefix=EXEC

// LOCAL-NOT: shardir.alternatives
// LOCAL-NOT: shardir.decided_by

shardir.mesh @m <["a"=4]>

// The result is as it is annotated: nothing competed there, but at the product.
// CHECK:      "alternatives": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "bytes": 49152,
// CHECK-NEXT:     "chosen": true,
// CHECK-NEXT:     "placement": "#shardir.placement<@m, [{}, {\"a\"}]>"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "bytes": 417792,
// CHECK-NEXT:     "chosen": false,
// CHECK:          "placement": "#shardir.placement<@m, [{\"a\"}, {}]>"
// CHECK:      "alternatives_of": {
// CHECK-NEXT:   "loc": "{{.*}}alternatives.mlir:[[#H:]]:8",
// CHECK-NEXT:   "op": "linalg.matmul"
// CHECK:      "choice": "'linalg.matmul' has {{.*}} receives 49152 bytes; the best alternative, {{.*}}, costs 417792 bytes (368640 bytes more); to have it, {{.*}}",
// CHECK:      "kind": "all_gather"
// CHECK:      "users": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "loc": "{{.*}}alternatives.mlir:[[#H]]:8",
// CHECK-NEXT:     "op": "linalg.matmul"
// CHECK-NEXT:   }
// EXEC:       "alternatives_of"
// EXEC:       "choice"
// EXEC:       "kind": "all_gather"
// EXEC:       "users"
// IR-LABEL: func.func @asked
// IR:         linalg.matmul {shardir.alternatives = [{bytes = 49152 : i64, placements = [#shardir.placement<@m, [{}, {"a"}]>]}, {bytes = 417792 : i64,
func.func @asked(%x: tensor<64x256xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %w: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<64x512xf32> {
  %z = arith.constant dense<0.0> : tensor<64x512xf32>
  %h = linalg.matmul ins(%x, %w : tensor<64x256xf32>, tensor<256x512xf32>) outs(%z : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %h : tensor<64x512xf32>
}

// Where nothing competes there is nothing to list. A constraint that is gone is
// still named, and one redistribution for two ops names both.
// CHECK-NOT:  "alternatives"
// CHECK:      "users": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "loc": "{{.*}}{{.*}}:8",
// CHECK-NEXT:     "op": "shardir.constrain"
// CHECK-NEXT:   }
// CHECK-NEXT: ]
// IR-LABEL: func.func @constrained
// IR-NOT:     shardir.alternatives
func.func @constrained(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<8xf32> {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK:      "function": "shared"
// CHECK:      "users": [
// CHECK:          "op": "tensor.extract"
// CHECK:          "op": "result 1 of @shared"
func.func @shared(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %i: index)
    -> (f32, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = tensor.extract %t[%i] : tensor<8xf32>
  return %0, %t : f32, tensor<8xf32>
}

// Every sharded value names an annotation, arguments and results too.
// CHECK:      "values": [
// CHECK:          "decided_by": "argument 0 of @asked",
// CHECK:          "name": "arg0"
// CHECK:          "decided_by": "argument 1 of @asked",
// CHECK:          "name": "result0"
