// The batch is split over "dp" by hand, with the gradient's all-reduce in the program; "tp" is left to propagation.
shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>})
    -> tensor<32xf32> {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"dp"}, {}]>, #shardir.placement<@m, [{}, {?}]>]
      out [#shardir.placement<@m, [{?}]>] manual = ["dp"] {
  ^bb0(%rows: tensor<4x16xf32>, %weight: tensor<16x32xf32>):
    %zero = arith.constant dense<0.0> : tensor<4x32xf32>
    %none = arith.constant dense<0.0> : tensor<32xf32>
    %y = linalg.matmul ins(%rows, %weight : tensor<4x16xf32>, tensor<16x32xf32>)
                       outs(%zero : tensor<4x32xf32>) -> tensor<4x32xf32>
    %own = linalg.reduce { arith.addf } ins(%y : tensor<4x32xf32>) outs(%none : tensor<32xf32>) dimensions = [0]
    %all = collective.all_reduce %own from #shardir.placement<@m, [{}], partial = sum ["dp"]>
        to #shardir.placement<@m, [{}]> of tensor<32xf32> : tensor<32xf32> -> tensor<32xf32>
    shardir.yield %all : tensor<32xf32>
  } : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
