// Plans that the option `plan` forces, where a schedule has them.
// DEFINE: %{plan} =
// DEFINE: %{schedule} = shard-opt %s -o /dev/null -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a explain plan=%{plan}}))' 2>&1
// REDEFINE: %{plan} = tile_n=64,stages=5
// RUN: %{schedule} | FileCheck %s --check-prefix=NARROW
// NARROW: linalg.matmul is scheduled by {{.*}}tile {{[0-9]+}}x64x{{[0-9]+}}, 5 stages
// NARROW: linalg.generic is scheduled by elementwise
// REDEFINE: %{plan} = splits=4
// RUN: %{schedule} | FileCheck %s --check-prefix=SPLIT
// SPLIT: linalg.matmul is scheduled by {{.*}} k shared by 4 blocks
// A plan that no schedule has changes nothing.
// REDEFINE: %{plan} = tile_m=77
// RUN: %{schedule} | FileCheck %s --check-prefix=NONE
// NONE: linalg.matmul is scheduled by ws_gemm (TMA and wgmma, tile 64x128x64, 6 stages, columns copied for two blocks
// Lanes of 16 bytes: 32 blocks, of which 16 share the rows.
// NONE: linalg.reduce is scheduled by column_reduction (a lane per output, 128 warps
// Few rows: as many bytes on their way as two blocks of a multiprocessor hold.
// NONE: linalg.matmul is scheduled by mma_matmul (mma.sync, tile 32x32x128, 6 stages)
// REDEFINE: %{plan} = rows=7
// RUN: not %{schedule} | FileCheck %s --check-prefix=NAME
// NAME: error: a name in option plan must be tile_m, tile_n, tile_k, tile_v, warps, stages, splits, copies, kernels, threads_per_row or fused_operand, found 'rows'
// Reductions share rows and columns as forced.
// REDEFINE: %{plan} = splits=3,threads_per_row=64
// RUN: %{schedule} | FileCheck %s --check-prefix=ROWS
// ROWS: linalg.reduce is scheduled by row_reduction (64 threads per row
// ROWS: linalg.reduce is scheduled by column_reduction (a lane per output, 24 warps
// REDEFINE: %{plan} = stages=many
// RUN: not %{schedule} | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: option plan needs a number for stages, as in stages=64, found 'many'

func.func @product(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xbf16>, memref<1024x1024xbf16>) outs(%c : memref<1024x1024xf32>)
  return
}

func.func @map(%a: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.negf %x : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @rows(%a: memref<512x4096xf32>, %c: memref<512xf32>) {
  linalg.reduce ins(%a : memref<512x4096xf32>) outs(%c : memref<512xf32>) dimensions = [1]
    (%x: f32, %o: f32) {
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    }
  return
}

func.func @columns(%a: memref<512x4096xf32>, %c: memref<4096xf32>) {
  linalg.reduce ins(%a : memref<512x4096xf32>) outs(%c : memref<4096xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    }
  return
}

func.func @few_rows(%a: memref<16x4096xbf16>, %b: memref<4096x4096xbf16>, %c: memref<16x4096xbf16>) {
  linalg.matmul ins(%a, %b : memref<16x4096xbf16>, memref<4096x4096xbf16>) outs(%c : memref<16x4096xbf16>)
  return
}
