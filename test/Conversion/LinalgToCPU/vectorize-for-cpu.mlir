// RUN: shard-opt %s -shardir-vectorize-for-cpu=target=avx512 -canonicalize -cse -split-input-file | FileCheck %s
// RUN: shard-opt %s -shardir-vectorize-for-cpu=target=avx2 -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=AVX2

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// Two dims that are one in memory are one loop of whole vectors and a masked end
// of 8 of 16 lanes.
// CHECK-LABEL: func.func @elementwise
// CHECK:         %[[END:.+]] = arith.constant 112 : index
// CHECK:         scf.for %{{.+}} to %[[END]]
// CHECK:           arith.addf {{.*}} : vector<16xf32>
// CHECK:           vector.store
// CHECK:         %[[MASK:.+]] = vector.constant_mask [8] : vector<16xi1>
// CHECK:         vector.maskedload {{.*}}, %[[MASK]],
// CHECK:         arith.addf {{.*}} : vector<16xf32>
// CHECK:         vector.maskedstore {{.*}}, %[[MASK]],
// CHECK-NOT:     linalg.generic

// AVX2-LABEL: func.func @elementwise
// AVX2:         arith.addf {{.*}} : vector<8xf32>
// AVX2-NOT:     masked
// AVX2:         return
func.func @elementwise(%a: memref<12x10xf32>, %b: memref<12x10xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<12x10xf32>) outs(%b : memref<12x10xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Lanes along a reduction: four vectors start from the identity, their parts
// meet at the end, halves of lanes are compared, and the value that was there is
// added last.
// CHECK-LABEL: func.func @row_max
// CHECK-DAG:     %[[INF:.+]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK:         scf.for
// CHECK:           %[[P:.+]]:4 = scf.for {{.*}} iter_args(%{{.+}} = %[[INF]], %{{.+}} = %[[INF]], %{{.+}} = %[[INF]], %{{.+}} = %[[INF]])
// CHECK-COUNT-4:     arith.maximumf {{.*}} : vector<16xf32>
// CHECK-COUNT-3:   arith.maximumf {{.*}} : vector<16xf32>
// CHECK:           arith.maximumf {{.*}} : vector<8xf32>
// CHECK:           arith.maximumf {{.*}} : vector<4xf32>
// CHECK:           arith.maximumf {{.*}} : vector<2xf32>
// CHECK:           arith.maximumf {{.*}} : vector<1xf32>
// CHECK:           memref.load
// CHECK:           arith.maximumf {{.*}} : f32
// CHECK:           memref.store
func.func @row_max(%a: memref<4x128xf32>, %b: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x128xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %o : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>

// Column sums keep their lanes along the columns.
// CHECK-LABEL: func.func @column_sum
// CHECK:         scf.for
// CHECK:           %[[P:.+]]:4 = scf.for
// CHECK-COUNT-4:     arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT:     vector.reduction
func.func @column_sum(%a: memref<8x128xf32>, %b: memref<128xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x128xf32>) outs(%b : memref<128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#i = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>

// Rows of a table are read as vectors: the row is uniform, the column runs.
// CHECK-LABEL: func.func @embedding
// CHECK-SAME:    %{{.+}}: memref<4xi32>, %[[T:.+]]: memref<100x32xf32>
// CHECK:         vector.load %[[T]][%{{.+}}, %{{.+}}] : memref<100x32xf32>, vector<16xf32>
// CHECK:         vector.store
func.func @embedding(%ids: memref<4xi32>, %table: memref<100x32xf32>, %o: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [#i, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : memref<4xi32>) outs(%o : memref<4x32xf32>) {
  ^bb0(%x: i32, %y: f32):
    %row = arith.index_cast %x : i32 to index
    %column = linalg.index 1 : index
    %v = memref.load %table[%row, %column] : memref<100x32xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

#v = affine_map<(i) -> (i)>

// A branch becomes a select; i1 is bytes in memory and bits in vectors.
// CHECK-LABEL: func.func @select
// CHECK:         %[[BYTES:.+]] = llvm.load {{.*}} : !llvm.ptr -> vector<16xi8>
// CHECK:         %[[BITS:.+]] = arith.cmpi ne, %[[BYTES]]
// CHECK:         arith.select %[[BITS]], {{.*}} : vector<16xi1>, vector<16xf32>
func.func @select(%c: memref<32xi1>, %a: memref<32xf32>, %o: memref<32xf32>) {
  linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%c, %a : memref<32xi1>, memref<32xf32>) outs(%o : memref<32xf32>) {
  ^bb0(%b: i1, %x: f32, %y: f32):
    %r = scf.if %b -> (f32) {
      %n = arith.negf %x : f32
      scf.yield %n : f32
    } else {
      scf.yield %x : f32
    }
    linalg.yield %r : f32
  }
  return
}

// -----

#v = affine_map<(i) -> (i)>

// Masked lanes of an integer division would trap: left to scalar loops.
// CHECK-LABEL: func.func @division
// CHECK:         linalg.generic
func.func @division(%a: memref<35xi32>, %o: memref<35xi32>) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%a : memref<35xi32>) outs(%o : memref<35xi32>) {
  ^bb0(%x: i32, %y: i32):
    %r = arith.divsi %x, %y : i32
    linalg.yield %r : i32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Unknown extents: threads share the rows.
// CHECK-LABEL: func.func @dynamic
// CHECK:         scf.forall
// CHECK:           math.exp {{.*}} : vector<16xf32>
// CHECK:           scf.if
// CHECK:             vector.maskedload
func.func @dynamic(%a: memref<?x?xf32>, %o: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x?xf32>) outs(%o : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = math.exp %x : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A result that caches would not hold until it is read, 32 MiB or more, is
// stored past them where it is aligned. One that is updated in place is in the
// caches already, and a smaller one stays there.
// CHECK-LABEL: func.func @past_caches
// CHECK:         %[[BYTE:.+]] = arith.remui %{{.+}}, %c64
// CHECK:         %[[ALIGNED:.+]] = arith.cmpi eq, %[[BYTE]], %c0
// CHECK:         scf.if %[[ALIGNED]]
// CHECK:           vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:         } else {
// CHECK-NOT:       nontemporal
// CHECK:           vector.store
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     nontemporal
// CHECK:         return
// CHECK-LABEL: func.func @in_caches
// CHECK-NOT:     nontemporal
// CHECK:         return
func.func @past_caches(%a: memref<2048x4096xf32>, %b: memref<2048x4096xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<2048x4096xf32>) outs(%b : memref<2048x4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}
func.func @in_place(%a: memref<2048x4096xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<2048x4096xf32>) outs(%a : memref<2048x4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}
func.func @in_caches(%a: memref<2047x4096xf32>, %b: memref<2047x4096xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<2047x4096xf32>) outs(%b : memref<2047x4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// An input that lies across the result is transposed square by square into a
// block on the stack. Rows of the block are read in long runs like the other
// operands.
// CHECK-LABEL: func.func @across
// CHECK-SAME:    %[[A:.+]]: memref<256x1024xf32>, %[[B:.+]]: memref<1024x256xf32>, %[[C:.+]]: memref<256x1024xf32>
// CHECK:         scf.forall {{.*}} in (4) {
// CHECK:           %[[BLOCK:.+]] = memref.alloca() {alignment = 64 : i64} : memref<67584xf32>
// CHECK:           scf.for %{{.+}} = %c0 to %c512 step %c16
// CHECK:             scf.for %{{.+}} = %c0 to %c128 step %c16
// CHECK-COUNT-16:      vector.load %{{.+}} : memref<262144xf32, strided<[1]>>, vector<16xf32>
// CHECK-COUNT-64:      vector.shuffle
// CHECK-COUNT-16:      vector.store %{{.+}}, %[[BLOCK]]
// CHECK:           scf.for %{{.+}} = %c0 to %c128 step %c1
// CHECK:             scf.for %{{.+}} = %c0 to %c512 step %c16
// CHECK-DAG:           vector.load %[[BLOCK]]
// CHECK-DAG:           vector.load %{{.+}} : memref<262144xf32, strided<[1]>>, vector<16xf32>
// CHECK:               arith.addf
// CHECK-NEXT:          vector.store %{{.+}} : memref<262144xf32, strided<[1]>>, vector<16xf32>
func.func @across(%a: memref<256x1024xf32>, %b: memref<1024x256xf32>, %c: memref<256x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<256x1024xf32>, memref<1024x256xf32>) outs(%c : memref<256x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = math.exp %x : f32
    %r = arith.addf %s, %y : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Every other element, as the real parts of complex numbers, by whole vectors, of which the second one ends with the
// last element; also where a copy says so.
// CHECK-LABEL: func.func @every_other
// CHECK-DAG:     %[[EVEN:.+]] = arith.constant dense<[true, false, true, false
// CHECK:         scf.for
// CHECK:           %[[LOW:.+]] = vector.load
// CHECK:           %[[HIGH:.+]] = vector.load
// CHECK:           vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = vector.load
// CHECK:           %[[FIRST:.+]] = vector.shuffle %[[X]], {{.*}} [0, 0, 1, 1, 2, 2
// CHECK:           vector.maskedstore {{.*}}, %[[EVEN]], %[[FIRST]]
// CHECK:           %[[SECOND:.+]] = vector.shuffle %[[X]], {{.*}} [8, 8, 9, 9
// CHECK:           vector.maskedstore {{.*}}, %[[EVEN]], %[[SECOND]]
// CHECK-NOT:     memref.copy
func.func @every_other(%a: memref<64xf32, strided<[2], offset: 1>>, %b: memref<64xf32>, %c: memref<64x1xf32, strided<[2, 1]>>,
                       %d: memref<64x1xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32, strided<[2], offset: 1>>) outs(%b : memref<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  }
  memref.copy %d, %c : memref<64x1xf32> to memref<64x1xf32, strided<[2, 1]>>
  return
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The second of two ops that read rows of a large tensor asks memory for the rows of the next turn, 2 x 1024 elements on;
// in a small tensor none does.
// CHECK-LABEL: func.func @next_rows(
// CHECK-DAG:     %[[NEXT:.+]] = arith.constant 2048 : index
// CHECK:         scf.forall
// CHECK-NOT:       memref.prefetch
// CHECK:           vector.reduction
// CHECK:           vector.load %[[X:[a-z_0-9]+]][
// CHECK:           %[[LATER:.+]] = arith.addi %{{.+}}, %[[NEXT]]
// CHECK:           memref.prefetch %[[X]][%[[LATER]]], read
// CHECK-NOT:       memref.prefetch
// CHECK-LABEL: func.func @next_rows_of_little
// CHECK-NOT:     memref.prefetch
func.func @next_rows(%x: memref<1024x1024xf32>, %y: memref<1024x1024xf32>) {
  scf.forall (%i) = (0) to (1024) step (2) {
    %rows = memref.subview %x[%i, 0] [2, 1024] [1, 1] : memref<1024x1024xf32> to memref<2x1024xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [2, 1024] [1, 1] : memref<1024x1024xf32> to memref<2x1024xf32, strided<[1024, 1], offset: ?>>
    %sums = memref.alloca() : memref<2xf32>
    linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%rows : memref<2x1024xf32, strided<[1024, 1], offset: ?>>) outs(%sums : memref<2xf32>) {
    ^bb0(%a: f32, %s: f32):
      %r = arith.addf %s, %a : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %sums : memref<2x1024xf32, strided<[1024, 1], offset: ?>>, memref<2xf32>)
        outs(%out : memref<2x1024xf32, strided<[1024, 1], offset: ?>>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %r = arith.subf %a, %s : f32
      linalg.yield %r : f32
    }
  }
  return
}

func.func @next_rows_of_little(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) {
  scf.forall (%i) = (0) to (64) step (2) {
    %rows = memref.subview %x[%i, 0] [2, 1024] [1, 1] : memref<64x1024xf32> to memref<2x1024xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [2, 1024] [1, 1] : memref<64x1024xf32> to memref<2x1024xf32, strided<[1024, 1], offset: ?>>
    %sums = memref.alloca() : memref<2xf32>
    linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%rows : memref<2x1024xf32, strided<[1024, 1], offset: ?>>) outs(%sums : memref<2xf32>) {
    ^bb0(%a: f32, %s: f32):
      %r = arith.addf %s, %a : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %sums : memref<2x1024xf32, strided<[1024, 1], offset: ?>>, memref<2xf32>)
        outs(%out : memref<2x1024xf32, strided<[1024, 1], offset: ?>>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %r = arith.subf %a, %s : f32
      linalg.yield %r : f32
    }
  }
  return
}
