// Arrays of several types, split along both axes of a mesh, along one and not at all; and one that is updated in place.
shardir.mesh @m <["x"=?, "y"=?]>
func.func @main(%w: tensor<9x14xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %b: tensor<7xi1> {shardir.name = "b", shardir.placement = #shardir.placement<@m, [{"y"}]>},
                %r: tensor<3x5xbf16> {shardir.name = "r", shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<9x14xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
        tensor<7xi1> {shardir.name = "b", shardir.placement = #shardir.placement<@m, [{"y"}]>},
        tensor<3x5xbf16> {shardir.name = "r", shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %n = arith.negf %w : tensor<9x14xf32>
  %t = arith.constant dense<true> : tensor<7xi1>
  %c = arith.xori %b, %t : tensor<7xi1>
  %s = arith.addf %r, %r : tensor<3x5xbf16>
  return %n, %c, %s : tensor<9x14xf32>, tensor<7xi1>, tensor<3x5xbf16>
}
func.func @step(%w: tensor<9x14xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<9x14xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>, shardir.alias = 0 : i64, shardir.in_place}) {
  %n = arith.addf %w, %w : tensor<9x14xf32>
  return %n : tensor<9x14xf32>
}
