// Two stages of a pipeline on two ranks each, forward and backward: every weight,
// gradient and constant is where it is used, activations and their gradients move
// between the stages, and a loop runs micro-batches through both, summing gradients
// on each. Weights have no annotation; the data's and one constraint say it all.
// RUN: split-file %s %t
// RUN: shard-run %t/step.mlir --verify --report=%t/step.json | FileCheck %s --check-prefix=STEP
// RUN: shard-run %t/micro.mlir --verify | FileCheck %s --check-prefix=MICRO
// RUN: shard-opt %t/step.mlir --shardir-to-collective -o - 2>&1 | FileCheck %s --check-prefix=PLAN

// STEP: result 0: 6x8xi32 equal to the unsharded program
// STEP: result 1: 8x3xi32 equal to the unsharded program
// MICRO: result 0: 6x8xi32 equal to the unsharded program
// MICRO: result 1: 8x3xi32 equal to the unsharded program

// PLAN-LABEL: func.func @main
// PLAN-SAME:    tensor<4x6xi32> {shardir.placement = #shardir.placement<@first, [{"a"}, {}]>}
// PLAN-SAME:    tensor<6x8xi32> {shardir.placement = #shardir.placement<@first, [{}, {}]>}
// PLAN-SAME:    tensor<8x3xi32> {shardir.placement = #shardir.placement<@second, [{}, {}]>}
// PLAN-COUNT-2: collective.exchange
// PLAN-COUNT-2: collective.all_reduce
// PLAN-NOT:     collective

//--- step.mlir
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%x: tensor<4x6xi32> {shardir.placement = #shardir.placement<@first, [{"a"}, {}]>},
                %w1: tensor<6x8xi32>, %w2: tensor<8x3xi32>)
    -> (tensor<6x8xi32> {shardir.placement = #shardir.placement<@first, [{}, {}]>},
        tensor<8x3xi32> {shardir.placement = #shardir.placement<@second, [{}, {}]>}) {
  %zh = arith.constant dense<0> : tensor<4x8xi32>
  %zy = arith.constant dense<0> : tensor<4x3xi32>
  %zw1 = arith.constant dense<0> : tensor<6x8xi32>
  %zw2 = arith.constant dense<0> : tensor<8x3xi32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4x6xi32>, tensor<6x8xi32>) outs(%zh : tensor<4x8xi32>) -> tensor<4x8xi32>
  %s = shardir.constrain %h to #shardir.placement<@second, [{"b"}, {}]> : tensor<4x8xi32>
  %y = linalg.matmul ins(%s, %w2 : tensor<4x8xi32>, tensor<8x3xi32>) outs(%zy : tensor<4x3xi32>) -> tensor<4x3xi32>
  %g2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%s, %y : tensor<4x8xi32>, tensor<4x3xi32>) outs(%zw2 : tensor<8x3xi32>) -> tensor<8x3xi32>
  %gh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%y, %w2 : tensor<4x3xi32>, tensor<8x3xi32>) outs(%zh : tensor<4x8xi32>) -> tensor<4x8xi32>
  %gs = shardir.constrain %gh to #shardir.placement<@first, [{"a"}, {}]> : tensor<4x8xi32>
  %g1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %gs : tensor<4x6xi32>, tensor<4x8xi32>) outs(%zw1 : tensor<6x8xi32>) -> tensor<6x8xi32>
  return %g1, %g2 : tensor<6x8xi32>, tensor<8x3xi32>
}

//--- micro.mlir
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%xs: tensor<3x4x6xi32> {shardir.placement = #shardir.placement<@first, [{}, {"a"}, {}]>},
                %w1: tensor<6x8xi32>, %w2: tensor<8x3xi32>)
    -> (tensor<6x8xi32> {shardir.placement = #shardir.placement<@first, [{}, {}]>},
        tensor<8x3xi32> {shardir.placement = #shardir.placement<@second, [{}, {}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zh = arith.constant dense<0> : tensor<4x8xi32>
  %zy = arith.constant dense<0> : tensor<4x3xi32>
  %zw1 = arith.constant dense<0> : tensor<6x8xi32>
  %zw2 = arith.constant dense<0> : tensor<8x3xi32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a1 = %zw1, %a2 = %zw2) -> (tensor<6x8xi32>, tensor<8x3xi32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 4, 6] [1, 1, 1] : tensor<3x4x6xi32> to tensor<4x6xi32>
    %h = linalg.matmul ins(%x, %w1 : tensor<4x6xi32>, tensor<6x8xi32>) outs(%zh : tensor<4x8xi32>) -> tensor<4x8xi32>
    %s = shardir.constrain %h to #shardir.placement<@second, [{"b"}, {}]> : tensor<4x8xi32>
    %y = linalg.matmul ins(%s, %w2 : tensor<4x8xi32>, tensor<8x3xi32>) outs(%zy : tensor<4x3xi32>) -> tensor<4x3xi32>
    %g2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%s, %y : tensor<4x8xi32>, tensor<4x3xi32>) outs(%a2 : tensor<8x3xi32>) -> tensor<8x3xi32>
    %gh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%y, %w2 : tensor<4x3xi32>, tensor<8x3xi32>) outs(%zh : tensor<4x8xi32>) -> tensor<4x8xi32>
    %gs = shardir.constrain %gh to #shardir.placement<@first, [{"a"}, {}]> : tensor<4x8xi32>
    %g1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%x, %gs : tensor<4x6xi32>, tensor<4x8xi32>) outs(%a1 : tensor<6x8xi32>) -> tensor<6x8xi32>
    scf.yield %g1, %g2 : tensor<6x8xi32>, tensor<8x3xi32>
  }
  return %r#0, %r#1 : tensor<6x8xi32>, tensor<8x3xi32>
}
