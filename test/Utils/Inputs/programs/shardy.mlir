module @shardy {
  sdy.mesh @mesh = <["tp"=4, "x"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "tp"}, {?}]>}, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32> {a.result = "r", sdy.sharding = #sdy.sharding<@mesh, [{"tp":(1)2, ?}, {}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {"tp"}]> : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
