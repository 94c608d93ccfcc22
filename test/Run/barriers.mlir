// Barriers of StableHLO keep ops on their results apart from equal ops on their operands, up to the buffers: in a
// callee, which is inlined, in both forms, with and without GSPMD's annotation. Shards are uneven.
//
// RUN: shard-run %s --verify --input=7x4xf32=1 --expected_output=7x4xf32=2 --expected_output=f32=28
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s --implicit-check-not=stablehlo
// RUN: shard-opt %s --shardir-to-bufferized | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=optimization_barrier
shardir.mesh @m <["x"=2]>

// The constraint behind the barrier stays, and both square roots do.
// CHECK-LABEL: func.func @main
// CHECK: -> (tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}
// CHECK-COUNT-2: = math.sqrt
// CHECK-NOT: = math.sqrt
// BUFFERS-COUNT-2: math.sqrt
func.func @main(%a: tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<7x4xf32>, tensor<f32>) {
  %0:2 = call @again(%a) : (tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<f32>)
  %1 = "stablehlo.optimization_barrier"(%0#0) {mhlo.sharding = "{devices=[1,2]<=[2]}"} : (tensor<7x4xf32>) -> tensor<7x4xf32>
  return %1, %0#1 : tensor<7x4xf32>, tensor<f32>
}

func.func private @again(%a: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %0 = math.sqrt %a : tensor<7x4xf32>
  %1:2 = stablehlo.optimization_barrier %0, %a : tensor<7x4xf32>, tensor<7x4xf32>
  stablehlo.optimization_barrier ()
  %again = math.sqrt %1#1 : tensor<7x4xf32>
  %2 = arith.addf %0, %again : tensor<7x4xf32>
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%1#0 : tensor<7x4xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %2, %s : tensor<7x4xf32>, tensor<f32>
}
