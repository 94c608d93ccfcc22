// RUN: shard-opt %s -shardir-outline-cpu-kernels | FileCheck %s

// What alone reads a product of bytes joins it, with the buffer between them; operands are freed behind.
// CHECK-LABEL: func.func @scaled
// CHECK:         %[[A:.+]] = memref.alloc() : memref<64x32xi8>
// CHECK-NEXT:    call @[[COPY:.+]](%{{.+}}, %[[A]])
// CHECK-NEXT:    call @[[KERNEL:.+]](%[[A]], %{{.+}}, %{{.+}}, %{{.+}})
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return
// So does what reads a rounded product. The buffer of a result is no operand's memory.
// CHECK-LABEL: func.func @rounded
// CHECK:         call
// CHECK-NEXT:    return
// A result that is written to an operand does not.
// CHECK-LABEL: func.func @same_memory
// CHECK:         memref.alloc() : memref<64x64xi32>
// CHECK-NEXT:    call
// CHECK-NEXT:    call
// CHECK:       func.func private @[[KERNEL]]
// CHECK:         memref.alloc() : memref<64x48xi32>
// CHECK-NEXT:    linalg.fill
// CHECK-NEXT:    linalg.matmul
// CHECK-NEXT:    linalg.generic
// CHECK:         memref.dealloc
func.func @scaled(%x: memref<64x32xi8>, %b: memref<32x48xi8>, %s: memref<48xf32>, %r: memref<64x48xf32>) {
  %zero = arith.constant 0 : i32
  %a = memref.alloc() : memref<64x32xi8>
  linalg.copy ins(%x : memref<64x32xi8>) outs(%a : memref<64x32xi8>)
  %c = memref.alloc() : memref<64x48xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<64x48xi32>)
  linalg.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi32>)
  memref.dealloc %a : memref<64x32xi8>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %s : memref<64x48xi32>, memref<48xf32>) outs(%r : memref<64x48xf32>) {
  ^bb0(%sum: i32, %scale: f32, %o: f32):
    %f = arith.sitofp %sum : i32 to f32
    %g = arith.mulf %f, %scale : f32
    linalg.yield %g : f32
  }
  memref.dealloc %c : memref<64x48xi32>
  return
}

func.func @rounded(%a: memref<64x32xbf16>, %b: memref<32x48xbf16>, %r: memref<64x48xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %c = memref.alloc() : memref<64x48xbf16>
  linalg.fill ins(%zero : bf16) outs(%c : memref<64x48xbf16>)
  linalg.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x48xbf16>) outs(%c : memref<64x48xbf16>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<64x48xbf16>) outs(%r : memref<64x48xbf16>) {
  ^bb0(%sum: bf16, %o: bf16):
    %m = arith.maximumf %sum, %zero : bf16
    linalg.yield %m : bf16
  }
  memref.dealloc %c : memref<64x48xbf16>
  return
}

func.func @same_memory(%a: memref<64x64xi8>, %b: memref<64x64xi8>) {
  %zero = arith.constant 0 : i32
  %c = memref.alloc() : memref<64x64xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<64x64xi32>)
  linalg.matmul ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<64x64xi32>) outs(%a : memref<64x64xi8>) {
  ^bb0(%sum: i32, %o: i8):
    %t = arith.trunci %sum : i32 to i8
    linalg.yield %t : i8
  }
  memref.dealloc %c : memref<64x64xi32>
  return
}
