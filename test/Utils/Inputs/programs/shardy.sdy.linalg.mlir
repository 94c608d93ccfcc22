// sdy.mesh @mesh = <["tp"=4, "x"=2]>
module @shardy {
  func.func public @main(%arg0: tensor<8x4xf32> {corpus.sharding = "<@mesh, [{'x', 'tp'}, {?}]>"}, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32> {corpus.result = "r", corpus.sharding = "<@mesh, [{'tp':(1)2, ?}, {}]>"}) {
    %0 = call @sdy_constraint_0(%arg0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
  func.func private @sdy_constraint_0(tensor<8x4xf32>) -> tensor<8x4xf32> attributes {corpus.sharding = "<@mesh, [{'x'}, {'tp'}]>"}
}
