// RUN: shard-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK: kernel.library_matmul ins({{.*}}) outs({{.*}}) numbers({{.*}}) {b_along_k}
func.func @product(%a: memref<64x32xbf16>, %b: memref<128x32xbf16>, %c: memref<64x128xbf16>, %i: index) {
  kernel.library_matmul ins(%a, %b : memref<64x32xbf16>, memref<128x32xbf16>) outs(%c : memref<64x128xbf16>)
      numbers(%i, %i, %i, %i, %i, %i, %i, %i, %i, %i) {b_along_k}
  return
}

// CHECK-LABEL: func.func @attention
// CHECK: kernel.library_attention ins({{.*}}) outs({{.*}}) scale 2.500000e-01 numbers({{.*}})
func.func @attention(%q: memref<64x32xf16>, %k: memref<96x32xf16>, %v: memref<96x16xf16>, %o: memref<64x16xf16>, %i: index) {
  kernel.library_attention ins(%q, %k, %v : memref<64x32xf16>, memref<96x32xf16>, memref<96x16xf16>) outs(%o : memref<64x16xf16>)
      scale 2.5e-01 numbers(%i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i)
  return
}
