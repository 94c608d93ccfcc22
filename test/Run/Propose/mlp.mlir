// RUN: %python %S/../Inputs/verify-all.py %s --options=propose
// RUN: shard-opt %s --shardir-to-collective="propose mesh=tp=2" 2> /dev/null | FileCheck %s
// MESHES: tp=2 tp=4 tp=3

// Programs without any placement, given placements and run. Each is split, as
// the comments say, and not left replicated.
shardir.mesh @m <["tp"=?]>

// Columns, then rows: one sum.
// CHECK-LABEL: func.func @few_rows(
// CHECK-SAME:    [{}, {"tp"}]{{.*}}[{"tp"}, {}]
// CHECK-NOT:     collective.
// CHECK:         collective.all_reduce
// CHECK-NOT:     collective.
func.func @few_rows(%x: tensor<8x256xf32>, %w1: tensor<256x1024xf32>, %w2: tensor<1024x256xf32>) -> tensor<8x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x1024xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x1024xf32>) -> tensor<8x1024xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x256xf32>, tensor<256x1024xf32>)
      outs(%z1 : tensor<8x1024xf32>) -> tensor<8x1024xf32>
  %a = linalg.tanh ins(%h : tensor<8x1024xf32>) outs(%e1 : tensor<8x1024xf32>) -> tensor<8x1024xf32>
  %e2 = tensor.empty() : tensor<8x256xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x1024xf32>, tensor<1024x256xf32>)
      outs(%z2 : tensor<8x256xf32>) -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}

// The batch: nothing moves.
// CHECK-LABEL: func.func @many_rows(
// CHECK-SAME:    [{"tp"}, {}]
// CHECK-NOT:     collective.
func.func @many_rows(%x: tensor<768x64xf32>, %w1: tensor<64x96xf32>, %w2: tensor<96x64xf32>) -> tensor<768x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<768x96xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<768x96xf32>) -> tensor<768x96xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<768x64xf32>, tensor<64x96xf32>)
      outs(%z1 : tensor<768x96xf32>) -> tensor<768x96xf32>
  %a = linalg.tanh ins(%h : tensor<768x96xf32>) outs(%e1 : tensor<768x96xf32>) -> tensor<768x96xf32>
  %e2 = tensor.empty() : tensor<768x64xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<768x64xf32>) -> tensor<768x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<768x96xf32>, tensor<96x64xf32>)
      outs(%z2 : tensor<768x64xf32>) -> tensor<768x64xf32>
  return %y : tensor<768x64xf32>
}

// Sizes that nothing divides.
// CHECK-LABEL: func.func @uneven(
// CHECK-SAME:    [{}, {"tp"}]{{.*}}[{"tp"}, {}]
func.func @uneven(%x: tensor<7x255xf32>, %w1: tensor<255x1021xf32>, %w2: tensor<1021x255xf32>) -> tensor<7x255xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<7x1021xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<7x1021xf32>) -> tensor<7x1021xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<7x255xf32>, tensor<255x1021xf32>)
      outs(%z1 : tensor<7x1021xf32>) -> tensor<7x1021xf32>
  %a = linalg.tanh ins(%h : tensor<7x1021xf32>) outs(%e1 : tensor<7x1021xf32>) -> tensor<7x1021xf32>
  %e2 = tensor.empty() : tensor<7x255xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<7x255xf32>) -> tensor<7x255xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<7x1021xf32>, tensor<1021x255xf32>)
      outs(%z2 : tensor<7x255xf32>) -> tensor<7x255xf32>
  return %y : tensor<7x255xf32>
}

// Constrained inside, so that the batch stays replicated there.
// CHECK-LABEL: func.func @constrained(
// CHECK-SAME:    [{}, {"tp"}]{{.*}}[{"tp"}, {}]
// CHECK:         linalg.matmul {{.*}}[{}, {"tp"}]
// CHECK:         math.tanh {{.*}}[{}, {"tp"}]
func.func @constrained(%x: tensor<768x64xf32>, %w1: tensor<64x383xf32>, %w2: tensor<383x64xf32>) -> tensor<768x64xf32> {
  %z1 = arith.constant dense<0.0> : tensor<768x383xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<768x64xf32>, tensor<64x383xf32>) outs(%z1 : tensor<768x383xf32>) -> tensor<768x383xf32>
  %c = shardir.constrain %h to #shardir.placement<@m, [{}, {"tp"}]> : tensor<768x383xf32>
  %a = math.tanh %c : tensor<768x383xf32>
  %z2 = arith.constant dense<0.0> : tensor<768x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<768x383xf32>, tensor<383x64xf32>) outs(%z2 : tensor<768x64xf32>) -> tensor<768x64xf32>
  return %y : tensor<768x64xf32>
}
