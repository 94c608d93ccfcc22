// The program of the example: the sum of the rows of x, once scaled by the
// consumer's own op and once as they are. Both sums are partial over "tp", whose
// size the consumer gives.
shardir.mesh @m <["tp"=?]>

func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %s: tensor<8xf32>) -> (tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = "consumer.row_scale"(%x, %s) : (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<8x16xf32>) outs(%zero : tensor<16xf32>) dimensions = [0] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["tp"]>]}
  %other = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%zero : tensor<16xf32>) dimensions = [0] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["tp"]>]}
  %both = arith.addf %sum, %other {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<16xf32>
  return %both : tensor<16xf32>
}
