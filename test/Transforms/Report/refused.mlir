// A whole value says which axis came to it, from which annotation, where that was
// refused and why; whole values around it name the same place. What no axis comes
// near says nothing.
// RUN: shard-opt %s -allow-unregistered-dialect --shardir-to-collective --shardir-report=file=- -o %t.mlir 2> /dev/null | FileCheck %s
// RUN: shard-opt %s -allow-unregistered-dialect --shardir-to-propagated --shardir-explain 2>&1 | FileCheck %s --check-prefix=TOLD

// CHECK-LABEL: "values": [
// CHECK:       "function": "far"
// CHECK-NOT:   "refused"
// CHECK:       "function": "kept"
// CHECK:       "op": "ml.sort"
// CHECK:       "refused": "\"a\" of argument 0 of @kept, refused at ml.sort at {{.*}}refused.mlir:[[#SORT:]]:8: no sharding rule for 'ml.sort'; it runs whole on each device"
// CHECK:       "op": "math.exp"
// CHECK:       "refused": "\"a\" of argument 0 of @kept, refused at ml.sort at {{.*}}refused.mlir:[[#SORT]]:8:
// CHECK:       "op": "math.tanh"
// CHECK:       "refused": "\"a\" of argument 0 of @kept, refused at ml.sort at
// The function's result.
// CHECK:       "refused": "\"a\" of argument 0 of @kept, refused at ml.sort at
// CHECK:       "function": "constrained"
// CHECK:       "refused": "\"a\" of argument 0 of @constrained, refused at shardir.constrain at {{.*}}: it is constrained to be whole"
// CHECK:       "function": "argument"
// CHECK:       "refused": "\"a\" of argument 1 of @argument, refused at argument 0 of @argument at {{.*}}: it is annotated whole"
// TOLD:        remark: argument 0 is whole on every device, {{.*}}, as annotated{{$}}
// TOLD:        remark: result of 'math.exp' is whole on every device, {{.*}}; axis "a" of argument 0 of @kept, refused at ml.sort at {{.*}}: no sharding rule for 'ml.sort'; it runs whole on each device{{$}}
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
