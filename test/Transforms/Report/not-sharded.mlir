// A replicated value names the axis that it could have had, its annotation, the
// op that does not take it, and why; replicated values around it name the same
// op. A value that no axis comes near names none.
// RUN: shard-opt %s -allow-unregistered-dialect --shardir-to-collective --shardir-report=file=- -o %t.mlir 2> /dev/null | FileCheck %s
// RUN: shard-opt %s -allow-unregistered-dialect --shardir-to-propagated --shardir-explain 2>&1 | FileCheck %s --check-prefix=TOLD

// CHECK-LABEL: "values": [
// CHECK:       "function": "far"
// CHECK-NOT:   "not_sharded"
// CHECK:       "function": "kept"
// CHECK:       "not_sharded": "\"a\" of argument 0 of @kept, not taken at ml.sort at {{.*}}not-sharded.mlir:[[#SORT:]]:8: no sharding rule for 'ml.sort'; it runs replicated on each device"
// CHECK:       "not_sharded": "\"a\" of argument 0 of @kept, not taken at ml.sort at {{.*}}not-sharded.mlir:[[#SORT]]:8:
// CHECK:       "not_sharded": "\"a\" of argument 0 of @kept, not taken at ml.sort at
// The function's result.
// CHECK:       "not_sharded": "\"a\" of argument 0 of @kept, not taken at ml.sort at
// CHECK:       "function": "constrained"
// CHECK:       "not_sharded": "\"a\" of argument 0 of @constrained, not taken at shardir.constrain at {{.*}}: it is constrained to be replicated"
// CHECK:       "function": "argument"
// CHECK:       "not_sharded": "\"a\" of argument 1 of @argument, not taken at argument 0 of @argument at {{.*}}: it is annotated as replicated"
// TOLD:        remark: argument 0 is replicated, {{.*}}, as annotated{{$}}
// TOLD:        remark: result of 'math.exp' is replicated, {{.*}}; axis "a" of argument 0 of @kept, not taken at ml.sort at {{.*}}: no sharding rule for 'ml.sort'; it runs replicated on each device{{$}}
shardir.mesh @m <["a"=2]>
func.func @far(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> tensor<6xf32> {
  %0 = math.exp %x : tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @kept(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x4xf32> {
  %0 = "ml.sort"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = math.exp %0 : tensor<8x4xf32>
  %2 = math.tanh %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
func.func @constrained(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x4xf32> {
  %0 = math.exp %x : tensor<8x4xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
func.func @argument(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, %y: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x4xf32> {
  %0 = arith.addf %x, %y : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
