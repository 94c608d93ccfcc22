// Where random inputs do not give finite results, --verify compares on others
// that do, also where ranks hold shards of their own, and says so.
// RUN: split-file %s %t
// RUN: shard-run %t/log.mlir --verify 2>&1 | FileCheck %s --check-prefix=LOG
// RUN: shard-run %t/log.mlir --verify --output=local:@%t/y.{rank}.npy 2>&1 | FileCheck %s --check-prefix=LOG
// LOG:      note: random inputs, seed 0: 0 (7x5xf32), 1 (i64)
// LOG-NEXT: note: the results are not finite; they are compared on positive random inputs divided by the square root of their longest extent
// LOG-NEXT: result 0: 7x5xf32 equal to the unsharded program (largest error {{.*}}, tolerance 1e-05)

// RUN: shard-run %t/overflow.mlir --verify 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW:      note: random inputs
// OVERFLOW-NEXT: note: the results are not finite; they are compared on random inputs divided by the square root of their longest extent
// OVERFLOW-NEXT: result 0: 3x4xf32 equal to the unsharded program

// Given inputs stay, and so do the results where no inputs help.
// RUN: shard-run %t/log.mlir --verify --input=7x5xf32=-1 --input=i64=0 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN-NOT: note
// GIVEN:     result 0: 7x5xf32 equal to the unsharded program (largest error 0,
// RUN: shard-run %t/never.mlir --verify 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER:      note: the results are not finite, nor are they on small positive inputs; give inputs with --input or --inputs to compare numbers
// NEVER-NEXT: result 0: 7xf32 equal to the unsharded program

// Finite results are those of the seed.
// RUN: shard-run %t/finite.mlir --verify 2>&1 | FileCheck %s --check-prefix=FINITE
// FINITE-NOT: finite
// FINITE:     result 0: 7xf32 equal to the unsharded program

//--- log.mlir
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %n: tensor<i64>)
    -> tensor<7x5xf32> {
  %0 = math.log %x : tensor<7x5xf32>
  %1 = arith.sitofp %n : tensor<i64> to tensor<f32>
  %e = tensor.empty() : tensor<7x5xf32>
  %b = linalg.broadcast ins(%1 : tensor<f32>) outs(%e : tensor<7x5xf32>) dimensions = [0, 1]
  %2 = arith.divf %0, %b : tensor<7x5xf32>
  return %2 : tensor<7x5xf32>
}

//--- overflow.mlir
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<3x399xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %w: tensor<399x4xf32>) -> tensor<3x4xf32> {
  %e = arith.constant dense<0.0> : tensor<3x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<3x399xf32>, tensor<399x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = arith.mulf %0, %0 : tensor<3x4xf32>
  %2 = math.exp %1 : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

//--- never.mlir
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<7xf32> {
  %0 = arith.subf %x, %x : tensor<7xf32>
  %1 = math.log %0 : tensor<7xf32>
  return %1 : tensor<7xf32>
}

//--- finite.mlir
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<7xf32> {
  %0 = math.exp %x : tensor<7xf32>
  return %0 : tensor<7xf32>
}
