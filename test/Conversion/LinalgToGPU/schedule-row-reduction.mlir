// Row reductions: a chain of maps and reductions over the same rows is one kernel.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a}),canonicalize,cse)' -split-input-file | FileCheck %s
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a explain}))' -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE-ROW
// Each of 16 rows widens all 8-bit weights again, which takes longer than their bytes.
// RUN: shard-opt %shardir_src/benchmarks/gpu/kernels.mlir --shardir-to-gpu="arch=sm_90a explain schedule=row_reduction" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDENED
// WIDENED: kernels.mlir:71:{{.*}} is scheduled by row_reduction ({{.*}}), 171.3 us predicted

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// A softmax: 64 threads hold a row of 250 vectors, a block two rows; %x is read once, nothing but
// %o is written, no fill is left.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     gpu.launch
// CHECK:         gpu.launch {{.*}} = %c256, {{.*}} = %c128,
// CHECK-COUNT-4:   vector.load %{{.*}} : {{.*}}, vector<4xf32>
// CHECK-NOT:       vector.load
// CHECK:           gpu.shuffle xor
// CHECK:           gpu.barrier
// CHECK:           math.exp %{{.*}} : vector<4xf32>
// CHECK:           gpu.barrier
// CHECK:           arith.divf
// CHECK-COUNT-4:   vector.store %{{.*}} : {{.*}}, vector<4xf32>
// CHECK-NOT:       memref.store
// CHECK:           gpu.terminator
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @softmax(%x: memref<512x1000xf32>, %o: memref<512x1000xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<512xf32>
  linalg.fill ins(%ninf : f32) outs(%m : memref<512xf32>)
  linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : memref<512x1000xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  %e = memref.alloc() : memref<512x1000xf32>
  linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<512x1000xf32>, memref<512xf32>) outs(%e : memref<512x1000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %m : memref<512xf32>
  %s = memref.alloc() : memref<512xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<512xf32>)
  linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%e : memref<512x1000xf32>) outs(%s : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : memref<512x1000xf32>, memref<512xf32>) outs(%o : memref<512x1000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %e : memref<512x1000xf32>
  memref.dealloc %s : memref<512xf32>
  return
}

// -----

// A sum that another op reads is stored; rows of unknown length are read in
// parts, vectors first.
// CHECK-LABEL: func.func @sum
// CHECK:         gpu.launch
// CHECK:           scf.for {{.*}} -> (vector<4xf32>)
// CHECK:           vector.reduction <add>
// CHECK:           scf.for {{.*}} -> (f32)
// CHECK:           memref.store %{{.*}} : memref<?xf32
func.func @sum(%x: memref<?x?xf32>, %o: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// One row: the operand that all rows of weights read stays in the first cache, and the fill goes.
// ONE-ROW: linalg.generic is scheduled by row_reduction ({{.*}} us predicted with 1 op beside it; next best is mma_matmul
func.func @one_row(%x: memref<1x4096xbf16>, %w: memref<4096x4096xbf16>, %o: memref<1x4096xbf16>) {
  %z = arith.constant 0.0 : bf16
  linalg.fill ins(%z : bf16) outs(%o : memref<1x4096xbf16>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x4096xbf16>, memref<4096x4096xbf16>) outs(%o : memref<1x4096xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %old: bf16):
    %0 = arith.mulf %a, %b : bf16
    %1 = arith.addf %old, %0 : bf16
    linalg.yield %1 : bf16
  }
  return
}
