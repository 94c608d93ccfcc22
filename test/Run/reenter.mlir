// A program printed at any stage compiles and runs from there: y = relu(x w1) w2.
// Sums of 16 halves are 8, and of 32 times 8 quarters 64.
// RUN: shard-opt %s --shardir-to-propagated -o %t.propagated.mlir
// RUN: shard-run %t.propagated.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-redistributed -o %t.redistributed.mlir
// RUN: shard-run %t.redistributed.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-collective -o %t.collective.mlir
// RUN: shard-run %t.collective.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-local -o %t.local.mlir
// RUN: shard-run %t.local.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-scheduled -o %t.scheduled.mlir
// RUN: shard-run %t.scheduled.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-bufferized -o %t.bufferized.mlir
// RUN: shard-run %t.bufferized.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
// RUN: shard-opt %s --shardir-to-cpu -o %t.cpu.mlir
// RUN: shard-run %t.cpu.mlir --input=8x16xf32=1 --input=16x32xf32=0.5 --input=32x16xf32=0.25 --expected_output=8x16xf32=64
shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%z1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %a = linalg.max ins(%h, %z1 : tensor<8x32xf32>, tensor<8x32xf32>)
                  outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x32xf32>, tensor<32x16xf32>)
                     outs(%z2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
