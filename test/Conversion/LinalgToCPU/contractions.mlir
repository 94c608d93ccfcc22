// RUN: shard-opt %s -shardir-contractions-to-cpu-loops=target=avx512 -split-input-file | FileCheck %s
// RUN: shard-opt %s -shardir-contractions-to-cpu-loops=target=avx2 -split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: shard-opt %s -shardir-contractions-to-cpu-loops=target=avx512-bf16 -split-input-file | FileCheck %s --check-prefix=BF16
// RUN: shard-opt %s -shardir-contractions-to-cpu-loops=target=avx512-amx -split-input-file | FileCheck %s --check-prefix=AMX
// RUN: shard-opt %s -shardir-contractions-to-cpu-loops="target=avx512 plan=tile_m=8,tile_n=48,tile_k=300,rows=100" -split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: shard-opt %s -shardir-contractions-to-cpu-loops=target=avx512-vnni -split-input-file | FileCheck %s --check-prefix=VNNI

// Threads pack rows of A, and for each block of columns panels of B before they
// compute chunks of rows, tiles of a row one after the other; 6x4 vectors of 16
// are carried through k, while memory is asked for the lines of the result that
// they are added to. The fill is taken in: no linalg op is left.
// CHECK-LABEL: func.func @square
// CHECK-NOT:     linalg.fill
// CHECK:         %[[ROWS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1026x512xf32>
// CHECK:         %[[PANELS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x512x64xf32>
// CHECK:         scf.for
// CHECK:           scf.forall (%{{.+}}) in (22) {
// CHECK:             vector.store %{{.+}}, %[[ROWS]]
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %c1024{{.*}} step %c512
// CHECK:             scf.forall (%{{.+}}) in (8) {
// CHECK:               vector.store %{{.+}}, %[[PANELS]]
// CHECK:             scf.forall (%{{.+}}) in (29) {
// CHECK:               scf.for %[[T:[a-z0-9]+]] = %{{.+}} to %{{.+}} step %c1
// CHECK:                 scf.for %[[P:[a-z0-9]+]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:                   scf.for %{{.+}} = %c0{{.*}} to %c6{{.*}} step %c1
// CHECK-COUNT-4:             memref.prefetch %{{.+}}, read, locality<2>, data : memref<1024x1024xf32
// CHECK:                   %[[SUMS:.+]]:24 = scf.for %[[K:[a-z0-9]+]] =
// CHECK:               %[[AHEAD:.+]] = arith.addi %[[K]], %c8
// CHECK-COUNT-4:       memref.prefetch %[[PANELS]][%[[P]], %[[AHEAD]], %{{.+}}], read, locality<3>, data
// CHECK:               vector.load %[[PANELS]]
// CHECK:               memref.load %[[ROWS]]
// CHECK-COUNT-24:      vector.fma {{.*}} : vector<16xf32>
// CHECK:               scf.yield
// CHECK:         memref.dealloc %[[ROWS]]
// CHECK:         memref.dealloc %[[PANELS]]
// CHECK-NOT:     linalg

// Tiles by the option plan: 8x3 vectors, four blocks of 256 of k, which are at
// most 300, and chunks of 96 rows. Ones that registers cannot hold are not taken.
// PLAN-LABEL: func.func @square
// PLAN:         memref.alloc() {alignment = 64 : i64} : memref<1024x256xf32>
// PLAN:         memref.alloc() {alignment = 64 : i64} : memref<11x256x48xf32>
// PLAN:         :24 = scf.for

// Sixteen registers hold 6x2 vectors of 8.
// AVX2-LABEL: func.func @square
// AVX2:         :12 = scf.for
// AVX2-COUNT-12:  vector.fma {{.*}} : vector<8xf32>
// AVX2:           scf.yield
func.func @square(%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<1024x1024xf32>)
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}

// -----

// Few rows read B where it lies. Without a fill the result is added to.
// CHECK-LABEL: func.func @flat
// CHECK-SAME:    %[[A:.+]]: memref<4x256xf32>, %[[B:.+]]: memref<256x512xf32>, %[[C:.+]]: memref<4x512xf32>
// CHECK-NOT:     memref.alloc(){{.*}}memref<256x
// CHECK:         %[[CV:.+]] = memref.reinterpret_cast
// CHECK:         vector.fma
// CHECK:         vector.load %[[CV]]
// CHECK:         arith.addf
// CHECK:         vector.store %{{.+}}, %[[CV]]
func.func @flat(%a: memref<4x256xf32>, %b: memref<256x512xf32>, %c: memref<4x512xf32>) {
  linalg.matmul ins(%a, %b : memref<4x256xf32>, memref<256x512xf32>) outs(%c : memref<4x512xf32>)
  return
}

// -----

#a = affine_map<(b, s, h, e, d) -> (b, s, d)>
#w = affine_map<(b, s, h, e, d) -> (d, h, e)>
#o = affine_map<(b, s, h, e, d) -> (b, s, h, e)>

// Loops that are one in memory are merged: one product of 256 rows and 512
// columns, with no loop around it.
// CHECK-LABEL: func.func @merged
// CHECK:         memref.reinterpret_cast {{.*}} sizes: [256, 512], strides: [512, 1]
func.func @merged(%a: memref<2x128x64xf32>, %w: memref<64x8x64xf32>, %o: memref<2x128x8x64xf32>) {
  linalg.generic {indexing_maps = [#a, #w, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %w : memref<2x128x64xf32>, memref<64x8x64xf32>) outs(%o : memref<2x128x8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Unknown extents: edges are stored through masks, rows are clamped, and an
// empty sum still leaves zeros.
// CHECK-LABEL: func.func @dynamic
// CHECK:         arith.minsi
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
// CHECK:         scf.if
// CHECK:           linalg.fill
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

#ab = affine_map<(i, j, k) -> (i, k)>
#bb = affine_map<(i, j, k) -> (k, j)>
#cb = affine_map<(i, j, k) -> (i, j)>

// bf16 is widened while it is packed, or kept in pairs for dot products; the last
// of an odd number of rows is paired with zeros.
// CHECK-LABEL: func.func @bf16
// CHECK:         arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK:         vector.fma {{.*}} : vector<16xf32>
// BF16-LABEL: func.func @bf16
// BF16:         vector.interleave {{.*}} : vector<16xbf16>
// BF16:         %[[LAST:.+]] = arith.constant dense<0.000000e+00> : vector<16xbf16>
// BF16:         vector.interleave %{{.+}}, %[[LAST]]
// BF16:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// BF16-NOT:     vector.fma
// AMX's registers hold four sums of 16 x 16 over a block of k, whose last step is
// filled with zeros: 129 is 5 steps of 32.
// AMX-LABEL: func.func @bf16
// AMX:         %[[SQUARE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<32x32xf32>
// AMX:         memref.prefetch %{{.+}}, read, locality<2>, data
// AMX:         %[[ZERO:.+]] = llvm.call_intrinsic "llvm.x86.tilezero.internal"
// AMX:         %[[SUMS:.+]]:4 = scf.for %{{.+}} = %c0{{.*}} to %c5{{.*}} iter_args
// AMX-COUNT-3:   llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// AMX-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// AMX:           llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// AMX-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// AMX-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
// AMX:         vector.load %[[SQUARE]]
func.func @bf16(%a: memref<128x129xbf16>, %b: memref<129x256xbf16>, %c: memref<128x256xf32>) {
  linalg.generic {indexing_maps = [#ab, #bb, #cb], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x129xbf16>, memref<129x256xbf16>) outs(%c : memref<128x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#an = affine_map<(i, j, k) -> (i, k)>
#bn = affine_map<(i, j, k) -> (j, k)>
#cn = affine_map<(i, j, k) -> (i, j)>

// Few rows against a matrix stored by columns: lanes run along k, and memory is asked for the matrix ahead.
// CHECK-LABEL: func.func @dot_products
// BF16-LABEL: func.func @dot_products
// CHECK-NOT:     memref.alloc
// CHECK:         %[[SUMS:.+]]:24 = scf.for
// CHECK-COUNT-3:   memref.prefetch
// CHECK-COUNT-24:  vector.fma {{.*}} : vector<16xf32>
// CHECK:         vector.reduction <add>, %[[SUMS]]#0 fastmath<reassoc>
func.func @dot_products(%a: memref<8x256xf32>, %b: memref<512x256xf32>, %c: memref<8x512xf32>) {
  linalg.generic {indexing_maps = [#an, #bn, #cn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x256xf32>, memref<512x256xf32>) outs(%c : memref<8x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#ap = affine_map<(i, j, k) -> (i, k)>
#bp = affine_map<(i, j, k) -> (j, k)>
#cp = affine_map<(i, j, k) -> (i, j)>

// Pairs of bf16 are multiplied as they are, the last ones under a mask. AMX
// reads the matrix as its left operand, where edges do not keep it from it.
// BF16-LABEL: func.func @dot_products_of_pairs
// BF16:          scf.for
// BF16-NOT:        arith.extf
// BF16-COUNT-24:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// BF16:          vector.maskedload {{.*}} : {{.*}} into vector<32xbf16>
// AMX-LABEL: func.func @dot_products_of_pairs
// AMX-NOT:     tdpbf16ps
func.func @dot_products_of_pairs(%a: memref<8x250xbf16>, %b: memref<512x250xbf16>, %c: memref<8x512xf32>) {
  linalg.generic {indexing_maps = [#ap, #bp, #cp], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x250xbf16>, memref<512x250xbf16>) outs(%c : memref<8x512xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#am = affine_map<(i, j, k) -> (i, k)>
#bm = affine_map<(i, j, k) -> (j, k)>
#cm = affine_map<(i, j, k) -> (i, j)>

// AMX-LABEL: func.func @weights_in_place
// AMX:         memref.alloc() {{.*}} : memref<1x128x32xbf16>
// AMX-NOT:     memref.alloc()
// AMX:         scf.for
// AMX-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// AMX:         vector.store {{.*}} : memref<8x512xf32
func.func @weights_in_place(%a: memref<8x256xbf16>, %b: memref<512x256xbf16>, %c: memref<8x512xf32>) {
  linalg.generic {indexing_maps = [#am, #bm, #cm], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x256xbf16>, memref<512x256xbf16>) outs(%c : memref<8x512xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#at = affine_map<(i, j, k) -> (i, k)>
#bt = affine_map<(i, j, k) -> (j, k)>
#ct = affine_map<(i, j, k) -> (i, j)>

// Many rows: B is transposed in registers while it is packed.
// CHECK-LABEL: func.func @transposed
// CHECK:         vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK:         vector.fma
func.func @transposed(%a: memref<256x256xf32>, %b: memref<512x256xf32>, %c: memref<256x512xf32>) {
  linalg.generic {indexing_maps = [#at, #bt, #ct], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<256x256xf32>, memref<512x256xf32>) outs(%c : memref<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Tiny and integer contractions are left to other passes.
// CHECK-LABEL: func.func @left
// CHECK:         linalg.matmul
// CHECK:         linalg.matmul
func.func @left(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %i: memref<64x64xi32>, %j: memref<64x64xi32>, %k: memref<64x64xi32>) {
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.matmul ins(%i, %j : memref<64x64xi32>, memref<64x64xi32>) outs(%k : memref<64x64xi32>)
  return
}

// -----

// Bytes are packed four to a word. One of VNNI's operands is unsigned: 128 is added
// to B's bytes, and sums start at -128 times those of A's rows. Without VNNI
// bytes are widened to 16 bits and packed in pairs.
// VNNI-LABEL: func.func @bytes
// VNNI:         %[[ROWS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<132x192xi8>
// VNNI:         %[[STARTS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<132xi32>
// VNNI:         %[[PANELS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<4x48x256xi8>
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// VNNI:         %[[SUM:.+]] = vector.reduction <add>
// VNNI:         %[[LESS:.+]] = arith.subi %{{.+}}, %[[SUM]]
// VNNI:         memref.store %[[LESS]], %[[STARTS]]
// VNNI:         arith.xori
// VNNI:         vector.interleave {{.*}} : vector<32xi8>
// VNNI:         %[[AT:.+]] = memref.load %[[STARTS]]
// VNNI:         %[[START:.+]] = vector.broadcast %[[AT]] : i32 to vector<16xi32>
// VNNI:         scf.for {{.*}} iter_args(%{{.+}} = %[[START]],
// VNNI-COUNT-24:  llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// VNNI:         scf.yield
// CHECK-LABEL: func.func @bytes
// CHECK:         arith.extsi {{.*}} : vector<32xi8> to vector<32xi16>
// CHECK:         %[[PRODUCT:.+]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// CHECK-NEXT:    arith.addi %{{.+}}, %[[PRODUCT]] : vector<16xi32>
// AVX2-LABEL: func.func @bytes
// AVX2:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// AMX-LABEL: func.func @bytes
// AMX-NOT:     arith.xori
// AMX:         scf.for %{{.+}} = %c0{{.*}} to %c3{{.*}} iter_args
// AMX:           llvm.call_intrinsic "llvm.x86.tdpbssd.internal"
func.func @bytes(%a: memref<128x130xi8>, %b: memref<130x256xi8>, %c: memref<128x256xi32>) {
  %z = arith.constant 0 : i32
  linalg.fill ins(%z : i32) outs(%c : memref<128x256xi32>)
  linalg.matmul ins(%a, %b : memref<128x130xi8>, memref<130x256xi8>) outs(%c : memref<128x256xi32>)
  return
}

// -----

// Unsigned bytes of B become signed ones for VNNI. AMX has products of unsigned ones.
// VNNI-LABEL: func.func @unsigned_bytes
// VNNI:         arith.xori
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-LABEL: func.func @unsigned_bytes
// CHECK:        arith.extui {{.*}} : vector<32xi8> to vector<32xi16>
// CHECK:        llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AMX-LABEL: func.func @unsigned_bytes
// AMX:         llvm.call_intrinsic "llvm.x86.tdpbuud.internal"
func.func @unsigned_bytes(%a: memref<128x130xi8>, %b: memref<130x256xi8>, %c: memref<128x256xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<128x130xi8>, memref<130x256xi8>) outs(%c : memref<128x256xi32>)
  return
}

// -----

// Operands of different signs are VNNI's as they are, the unsigned one first. Each
// chunk of a product of few rows packs what it reads, on its stack.
// VNNI-LABEL: func.func @mixed_bytes
// VNNI:         scf.forall (%{{.+}}) in (16) {
// VNNI-DAG:       %[[ROWS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8x256xi8>
// VNNI-DAG:       %[[PANELS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8x64x128xi8>
// VNNI-NOT:     arith.xori
// VNNI-COUNT-4:   memref.prefetch
// VNNI:           %[[WORDS:.+]] = vector.load %[[PANELS]]
// VNNI:           llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.+}}, %[[WORDS]], %{{.+}})
// VNNI-NOT:     memref.alloc(
// VNNI:         return
// AMX-LABEL: func.func @mixed_bytes
// AMX:         llvm.call_intrinsic "llvm.x86.tdpbsud.internal"
// AVX2-LABEL: func.func @mixed_bytes
// AVX2-DAG:    arith.extsi {{.*}} : vector<16xi8> to vector<16xi16>
// AVX2-DAG:    arith.extui {{.*}} : vector<8xi8> to vector<8xi16>
func.func @mixed_bytes(%a: memref<8x4096xi8>, %b: memref<4096x4096xi8>, %c: memref<8x4096xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x4096xi8>, memref<4096x4096xi8>) outs(%c : memref<8x4096xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// The elementwise op behind a product of bytes is computed on tiles whose sums are complete, here in one block of k.
// VNNI-LABEL: func.func @scaled_bytes
// VNNI-NOT:     memref<128x256xi32>
// VNNI:         %[[TILE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<6x64xi32>
// VNNI-COUNT-24: vector.store %{{.+}}, %[[TILE]]
// VNNI:         scf.for
// VNNI:           %[[SUM:.+]] = vector.load %[[TILE]]
// VNNI:           arith.sitofp %[[SUM]] : vector<16xi32> to vector<16xf32>
// VNNI-NOT:     linalg.generic
// VNNI:         return
func.func @scaled_bytes(%a: memref<128x128xi8>, %b: memref<128x256xi8>, %s: memref<256xf32>, %r: memref<128x256xf32>) {
  %zero = arith.constant 0 : i32
  %c = memref.alloc() : memref<128x256xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<128x256xi32>)
  linalg.matmul ins(%a, %b : memref<128x128xi8>, memref<128x256xi8>) outs(%c : memref<128x256xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %s : memref<128x256xi32>, memref<256xf32>) outs(%r : memref<128x256xf32>) {
  ^bb0(%sum: i32, %scale: f32, %o: f32):
    %f = arith.sitofp %sum : i32 to f32
    %g = arith.mulf %f, %scale : f32
    linalg.yield %g : f32
  }
  memref.dealloc %c : memref<128x256xi32>
  return
}

// -----

// AMX adds up 2048 terms before the sums are stored. Each of the right operand's
// rows, which is asked for ahead, is packed into two panels of 32 columns.
// AMX-LABEL: func.func @long_sums
// AMX:         memref.alloc() {{.*}} : memref<512x2080xbf16>
// AMX:         scf.forall (%[[GROUP:.+]]) in (4) {
// AMX:           %[[FIRST:.+]] = arith.muli %[[GROUP]], %c2
// AMX:           %[[END:.+]] = arith.addi %[[FIRST]], %c2
// AMX:           scf.for %{{.+}} = %c0{{.*}} to %c1024{{.*}} step %c1
// AMX:             scf.for %{{.+}} = %[[FIRST]] to %[[END]] step %c1
// AMX-COUNT-2:       memref.prefetch %{{.+}}, read, locality<3>, data : memref<2048x512xbf16
// AMX:               vector.interleave
func.func @long_sums(%a: memref<512x2048xbf16>, %b: memref<2048x512xbf16>, %c: memref<512x512xf32>) {
  linalg.matmul ins(%a, %b : memref<512x2048xbf16>, memref<2048x512xbf16>) outs(%c : memref<512x512xf32>)
  return
}
