// RUN: shard-opt %s --shardir-import-annotations | FileCheck %s
// RUN: shard-opt %s --shardir-to-local | FileCheck %s --check-prefix=LOCAL

// Shardy's annotations as strings, the mesh in a comment, and constraints as calls
// of functions without a body: what an exporter writes to dialects that have no
// place for them.
// sdy.mesh @mesh = <["tp"=4, "x"=2]> {stablehlo.mesh = {axes = [{name = "tp", size = 4 : i64}]}}

// CHECK:       shardir.mesh @mesh <["tp"=4, "x"=2]>
// CHECK-LABEL: func.func public @main(
// CHECK-SAME:    %[[X:.+]]: tensor<8x4xf32> {shardir.placement = #shardir.placement<@mesh, [{"x", "tp"}, {?}]>}, %{{.+}}: tensor<8x4xf32>)
// CHECK-SAME:    -> (tensor<8x4xf32> {corpus.result = "r", shardir.placement = #shardir.placement<@mesh, [{"tp":(1)2, ?}, {}]>})
// CHECK:         %[[Y:.+]] = shardir.constrain %[[X]] to #shardir.placement<@mesh, [{"x"}, {"tp"}]> : tensor<8x4xf32>
// CHECK:         return %[[Y]]
// CHECK-NOT:   func.func
// LOCAL-LABEL: func.func public @main(%{{.+}}: tensor<1x4xf32>
func.func public @main(%x: tensor<8x4xf32> {corpus.sharding = "<@mesh, [{'x', 'tp'}, {?}]>"}, %y: tensor<8x4xf32>)
    -> (tensor<8x4xf32> {corpus.result = "r", corpus.sharding = "<@mesh, [{'tp':(1)2, ?}, {}]>"}) {
  %0 = call @constraint(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @constraint(tensor<8x4xf32>) -> tensor<8x4xf32> attributes {corpus.sharding = "<@mesh, [{'x'}, {'tp'}]>"}
