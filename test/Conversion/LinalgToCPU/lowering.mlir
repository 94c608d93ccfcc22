// RUN: shard-opt %s -shardir-linalg-to-cpu="target=avx2 parallel=false" | FileCheck %s

// Everything becomes LLVM dialect; buffers come from the runtime, 64 bytes
// aligned; bf16 is computed in f32 and rounded without library calls.

// CHECK-DAG: llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @_mlir_memref_to_llvm_free(!llvm.ptr)
// CHECK-DAG: llvm.func @cbrtf(f32) -> f32

// CHECK-LABEL: llvm.func @main
// CHECK:         %[[N:.+]] = llvm.mlir.constant(64 : index) : i64
// CHECK:         llvm.call @_mlir_memref_to_llvm_aligned_alloc(%[[N]],
// CHECK:         llvm.call @main_kernel_0
// CHECK:         llvm.call @_mlir_memref_to_llvm_free

// CHECK-LABEL: llvm.func @main_kernel_0
// CHECK-NOT:     llvm.fadd {{.*}} : bf16
// CHECK-NOT:     llvm.fptrunc {{.*}} to bf16
// CHECK:         llvm.fadd {{.*}} : vector<8xf32>
#v = affine_map<(i) -> (i)>
func.func @main(%a: memref<?xbf16>, %b: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xbf16>
  %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?xbf16>
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%a : memref<?xbf16>) outs(%t : memref<?xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %e = math.cbrt %x : bf16
    %s = arith.addf %e, %x : bf16
    linalg.yield %s : bf16
  }
  memref.copy %t, %b : memref<?xbf16> to memref<?xbf16>
  memref.dealloc %t : memref<?xbf16>
  return
}
