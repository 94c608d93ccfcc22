// Barriers of StableHLO are their operands: in a callee, which is inlined, in both forms, with
// and without GSPMD's annotation.
// RUN: shard-run %s --verify --input=8x4xf32=1 --expected_output=8x4xf32=2 --expected_output=f32=32
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s --implicit-check-not=optimization_barrier
shardir.mesh @m <["x"=2]>

// The constraint behind the barrier stays.
// CHECK-LABEL: func.func @main
// CHECK: -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}
func.func @main(%a: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<f32>) {
  %0:2 = call @again(%a) : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>)
  %1 = "stablehlo.optimization_barrier"(%0#0) {mhlo.sharding = "{devices=[1,2]<=[2]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %0#1 : tensor<8x4xf32>, tensor<f32>
}

func.func private @again(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %0 = math.sqrt %a : tensor<8x4xf32>
  %1:2 = stablehlo.optimization_barrier %0, %a : tensor<8x4xf32>, tensor<8x4xf32>
  stablehlo.optimization_barrier ()
  %2 = arith.addf %1#0, %1#1 : tensor<8x4xf32>
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%1#0 : tensor<8x4xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %2, %s : tensor<8x4xf32>, tensor<f32>
}
