// An annotation on a result in an argument's place is the argument's as well
// (R11): annotating either gives the same program.
//
// RUN: shard-opt %s -shardir-propagate | FileCheck %s

shardir.mesh @m <["a"=2]>

// CHECK-LABEL: func.func @result_annotated
// CHECK-SAME:    %{{[^:]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}
// CHECK-SAME:    -> (tensor<8x8xf32> {shardir.alias = 0 : i64, shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
// CHECK:         math.exp {{.*}}[{}, {"a"}]>]
func.func @result_annotated(%w: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {shardir.alias = 0 : i64, shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %0 = math.exp %w : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
