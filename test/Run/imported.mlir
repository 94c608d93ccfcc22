// Shardy's and GSPMD's annotations run as they stand, on 8 ranks, uneven dims
// among them, and agree with the unsharded program.
// RUN: split-file %s %t
// RUN: shard-run %t/shardy.mlir --verify | FileCheck %s --check-prefix=SHARDY
// RUN: shard-run %t/gspmd.mlir --verify | FileCheck %s --check-prefix=GSPMD
// RUN: shard-run %t/shardy.mlir --compile-only -o %t/shardy.so && shard-run %t/shardy.so --output=@%t/y.npy && shard-run %t/shardy.mlir --expected_output=@%t/y.npy
// SHARDY:  result 0: 7x9xf32 equal to the unsharded program
// GSPMD:   result 0: 8x16xf32 equal to the unsharded program

// An unreadable annotation is a bad program, and what is no mesh's axis wrong usage.
// RUN: not shard-run %t/bad.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: bad.mlir:1:1: error: the sharding of argument 0 cannot be read: lists 1 devices for 2 tiles
// RUN: not shard-run %t/shardy.mlir --mesh=x=2 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: mesh option 'x=2' names axis "x"

//--- shardy.mlir
sdy.mesh @mesh = <["dp"=2, "tp"=4], device_ids=[7, 1, 2, 3, 4, 5, 6, 0]>
func.func @main(%x: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {}]>},
                %w: tensor<5x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"tp", ?}]>})
    -> (tensor<7x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {"tp"}]>}) {
  %e = arith.constant dense<0.0> : tensor<7x9xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<7x5xf32>, tensor<5x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"tp":(2)2}, {"dp"}]> : tensor<7x9xf32>
  %2 = math.tanh %1 : tensor<7x9xf32>
  return %2 : tensor<7x9xf32>
}

//--- gspmd.mlir
func.func @main(%x: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
                %w: tensor<6x16xf32> {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
                %b: tensor<8x16xf32> {mhlo.sharding = "{devices=[8,1]7,5,3,1,6,4,2,0}"})
    -> (tensor<8x16xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"}) {
  %e = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x6xf32>, tensor<6x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = arith.addf %0, %b : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

//--- bad.mlir
func.func @main(%x: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1]0}"}) {
  return
}
