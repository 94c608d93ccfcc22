// Elementwise: 16 bytes per thread along the contiguous dim, tiles for transposes.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a}),canonicalize,cse)' -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Eight bf16 at a time; the two loops are not one, as %b runs along one alone.
// CHECK-LABEL: func.func @bias
// CHECK:         gpu.launch blocks({{.*}}) in (%{{.*}} = %c8192,
// CHECK-NOT:       scf.if
// CHECK:           vector.load %{{.*}} : {{.*}}, vector<8xbf16>
// CHECK:           vector.load %{{.*}} : {{.*}}, vector<8xbf16>
// CHECK:           arith.addf %{{.*}} : vector<8xbf16>
// CHECK:           vector.store %{{.*}} : {{.*}}, vector<8xbf16>
// CHECK-NEXT:      gpu.terminator
func.func @bias(%a: memref<4096x4096xbf16>, %b: memref<4096xbf16>, %o: memref<4096x4096xbf16>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<4096x4096xbf16>, memref<4096xbf16>) outs(%o : memref<4096x4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %0 = arith.addf %x, %y : bf16
    linalg.yield %0 : bf16
  }
  return
}

// -----

// A ragged end: whole vectors while there are, then single elements.
// CHECK-LABEL: func.func @ragged
// CHECK:         gpu.launch
// CHECK:           %[[WHOLE:.*]] = arith.cmpi sle, %{{.*}}, %c1003
// CHECK:           scf.if %[[WHOLE]]
// CHECK:             vector.store %{{.*}} : {{.*}}, vector<4xf32>
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               memref.store
func.func @ragged(%o: memref<1003xf32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%o : memref<1003xf32>)
  return
}

// -----

// Rows of unknown length: the host tests strides and pointers once.
// CHECK-LABEL: func.func @unknown
// CHECK-DAG:     memref.extract_aligned_pointer_as_index
// CHECK-DAG:     arith.remui
// CHECK:         gpu.launch
// CHECK:           %[[END:.*]] = arith.cmpi sle
// CHECK:           %[[WHOLE:.*]] = arith.andi %{{.*}}, %[[END]] : i1
// CHECK:           scf.if %[[WHOLE]]
func.func @unknown(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %o: memref<?x?xf32>) {
  linalg.copy ins(%a : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%o : memref<?x?xf32>)
  return
}

// -----

// Rows that are known to start anywhere take single elements.
// CHECK-LABEL: func.func @odd
// CHECK:         gpu.launch
// CHECK-NOT:       vector.
// CHECK:           memref.store
func.func @odd(%a: memref<64x33xf32>, %o: memref<64x32xf32, strided<[33, 1]>>) {
  %s = memref.subview %a[0, 1][64, 32][1, 1] : memref<64x33xf32> to memref<64x32xf32, strided<[33, 1], offset: 1>>
  linalg.copy ins(%s : memref<64x32xf32, strided<[33, 1], offset: 1>>) outs(%o : memref<64x32xf32, strided<[33, 1]>>)
  return
}

// -----

// A transpose goes through a tile of 32 rows of 32 words, which change places by the row.
// CHECK-LABEL: func.func @transpose
// CHECK:         %[[BYTES:.*]] = arith.constant 4096 : i32
// CHECK:         gpu.launch {{.*}} dynamic_shared_memory_size %[[BYTES]]
// CHECK:           memref.view %{{.*}} to memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK:           arith.xori
// CHECK:           gpu.barrier
func.func @transpose(%a: memref<100x200xf32>, %o: memref<200x100xf32>) {
  linalg.transpose ins(%a : memref<100x200xf32>) outs(%o : memref<200x100xf32>) permutation = [1, 0]
  return
}
