// The reducer drops a function that the all-gather does not need.
// REQUIRES: compiler
// RUN: shard-reduce %s --opt-reduction-pass='opt-pass=symbol-dce test=%S/Inputs/has-gather.sh' | FileCheck %s

shardir.mesh @m <["x"=2]>

// CHECK-NOT:   @unused
// CHECK-LABEL: func.func @gathered
func.func private @unused(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @gathered(%a: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  return %a : tensor<8xf32>
}
