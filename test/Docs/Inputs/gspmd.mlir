func.func @main(%x: tensor<16x32xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
                %w: tensor<32x64xf32> {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"})
    -> (tensor<16x64xf32> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"}) {
  %e = arith.constant dense<0.0> : tensor<16x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
