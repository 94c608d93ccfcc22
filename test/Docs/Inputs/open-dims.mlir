// A product of which the contracted dim lies over an axis of unknown size, of as many
// rows as there are.
shardir.mesh @m <["tp"=?4]>
func.func @main(%x: tensor<?x12xf32>, %w: tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %y: tensor<?x8xf32>)
    -> (tensor<?x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %0 = linalg.matmul ins(%x, %w : tensor<?x12xf32>, tensor<12x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
