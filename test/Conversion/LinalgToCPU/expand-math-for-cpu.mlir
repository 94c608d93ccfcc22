// RUN: shard-opt %s -shardir-expand-math-for-cpu | FileCheck %s
// RUN: shard-opt %s -shardir-expand-math-for-cpu=avx512 | FileCheck %s --check-prefix=AVX512

// CHECK-DAG: func.func private @expm1(f64) -> f64

// CHECK-LABEL: func.func @exp
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK:         return

// AVX-512 scales by the power of two, but where the result were no normal
// number.
// AVX512-LABEL: func.func @exp
// AVX512:         %[[NORMAL:.+]] = arith.cmpf uge
// AVX512:         %[[POWER:.+]] = math.floor
// AVX512-NOT:     arith.cmpf
// AVX512-NOT:     arith.shli
// AVX512:         %[[LANES:.+]] = llvm.bitcast %[[NORMAL]] : vector<16xi1> to i16
// AVX512:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.+}}, %[[POWER]], %{{.+}}, %[[LANES]],
// AVX512-NEXT:    return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Denormals are scaled: the polynomial takes them for the smallest normal.
// CHECK-LABEL: func.func @log
// CHECK-SAME:    %[[X:.+]]: vector<16xf32>
// CHECK:         %[[SMALL:.+]] = arith.cmpf olt, %[[X]]
// CHECK:         %[[UP:.+]] = arith.mulf %[[X]]
// CHECK:         arith.select %[[SMALL]], %[[UP]], %[[X]]
// CHECK-NOT:     math.log
// CHECK:         return
func.func @log(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.log %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Upstream's polynomial of sin is wrong far from zero.
// CHECK-LABEL: func.func @sin
// CHECK:         math.sin
func.func @sin(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @expm1_f64
// CHECK:         call @expm1
func.func @expm1_f64(%x: f64) -> f64 {
  %0 = math.expm1 %x : f64
  return %0 : f64
}
