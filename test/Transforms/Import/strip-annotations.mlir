// RUN: shard-opt %s --shardir-strip-annotations | FileCheck %s

// CHECK-NOT:   shardir
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32> {other.kept = 1 : i64}, %{{.+}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %[[Y:.+]] = math.exp %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"} ]>, other.kept = 1 : i64},
                %y: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{} ]>})
    -> (tensor<4xf32> {shardir.alias = 0 : i64}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{} ]> : tensor<4xf32>
  %1 = math.exp %0 {shardir.placements = [#shardir.placement<@m, [{} ]>]} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
