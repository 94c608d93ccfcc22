// Data parallelism by hand over "dp": each device takes its rows and the sum is
// reduced by the program. "tp" is left to propagation.
shardir.mesh @m <["dp"=2, "tp"=4]>
func.func @main(%x: tensor<16x32xf32>, %w: tensor<32x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>})
    -> tensor<64xf32> {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{?}, {?}]>]
      out [#shardir.placement<@m, [{?}]>] manual = ["dp"] {
  ^bb0(%rows: tensor<8x32xf32>, %weight: tensor<32x64xf32>):
    %zero = arith.constant dense<0.0> : tensor<8x64xf32>
    %none = arith.constant dense<0.0> : tensor<64xf32>
    %y = linalg.matmul ins(%rows, %weight : tensor<8x32xf32>, tensor<32x64xf32>) outs(%zero : tensor<8x64xf32>) -> tensor<8x64xf32>
    %own = linalg.reduce { arith.addf } ins(%y : tensor<8x64xf32>) outs(%none : tensor<64xf32>) dimensions = [0]
    %all = collective.all_reduce %own from #shardir.placement<@m, [{}], partial = sum ["dp"]>
        to #shardir.placement<@m, [{}]> of tensor<64xf32> : tensor<64xf32> -> tensor<64xf32>
    shardir.yield %all : tensor<64xf32>
  } : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
