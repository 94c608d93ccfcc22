sdy.mesh @mesh = <["dp"=2, "tp"=4]>
func.func @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {}]>},
                %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"tp", ?}]>})
    -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {?}]>}) {
  %e = arith.constant dense<0.0> : tensor<16x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"dp"}, {"tp":(1)2}]> : tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}
