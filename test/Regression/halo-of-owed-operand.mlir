// An op whose operand was reduced and got a halo for it was made anew for another
// use, from the overlapping shards.
// RUN: shard-run %s --verify
shardir.mesh @m <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}], partial = sum ["z"]>},
                %b: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y", "x"}]>},
        tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %c = tensor.concat dim(0) %a, %b, %b : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  return %c, %c : tensor<12x8xf32>, tensor<12x8xf32>
}
