// A sum and what adds to it become one kernel. The other buffer that is added
// was filled behind the sum and then written by an op that is no part of the
// kernel: its fill must stay where it is.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_80 explain}))' 2>&1 | FileCheck %s

// CHECK:       is scheduled by row_reduction ({{.*}}one kernel for 2 ops
// CHECK-LABEL: func.func @main
// The fill, the op that works on it, the sum with what adds to it.
// CHECK-COUNT-3: gpu.launch
// CHECK-NOT:     gpu.launch
#row = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
func.func @main(%x: memref<4x64xf32>, %y: memref<64xi32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x64xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%e: f32, %s: f32):
    %n = arith.addf %s, %e : f32
    linalg.yield %n : f32
  }
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%b : memref<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %e = memref.load %y[%i] : memref<64xi32>
    %f = arith.sitofp %e : i32 to f32
    %n = arith.addf %o, %f : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %n = arith.addf %p, %q : f32
    linalg.yield %n : f32
  }
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}
