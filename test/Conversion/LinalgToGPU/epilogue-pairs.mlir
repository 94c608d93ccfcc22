// Operands that a product's kernel adds at its end are loaded two elements at a time, as they are stored.
// DEFINE: %{schedule} =
// DEFINE: %{emit} = shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a schedule=%{schedule}}),canonicalize,cse)' | FileCheck %s
// REDEFINE: %{schedule} = ws_gemm
// RUN: %{emit}
// REDEFINE: %{schedule} = wgmma_matmul
// RUN: %{emit}
// REDEFINE: %{schedule} = mma_matmul
// RUN: %{emit}
// CHECK-LABEL: func.func @residual
// CHECK:         gpu.launch
// CHECK-NOT:       memref.load
// CHECK:           vector.load %{{.*}} : {{.*}}, vector<2xbf16>
// CHECK-NOT:       memref.load
// CHECK:           vector.load %{{.*}} : {{.*}}, vector<2xbf16>
// CHECK-NOT:       memref.load
// A factor of the row is one load for both.
// CHECK:           memref.load %{{.*}} : {{.*}}bf16
// CHECK:         gpu.terminator
func.func @residual(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %r: memref<256x256xbf16>, %bias: memref<256xbf16>, %s: memref<256xbf16>, %o: memref<256x256xbf16>) {
  %z = arith.constant 0.0 : bf16
  %c = memref.alloc() : memref<256x256xbf16>
  linalg.fill ins(%z : bf16) outs(%c : memref<256x256xbf16>)
  linalg.matmul ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%c : memref<256x256xbf16>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %r, %bias, %s : memref<256x256xbf16>, memref<256x256xbf16>, memref<256xbf16>, memref<256xbf16>) outs(%o : memref<256x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %w: bf16, %v: bf16, %q: bf16):
    %0 = arith.addf %x, %y : bf16
    %1 = arith.addf %0, %w : bf16
    %2 = arith.mulf %1, %v : bf16
    linalg.yield %2 : bf16
  }
  memref.dealloc %c : memref<256x256xbf16>
  return
}
