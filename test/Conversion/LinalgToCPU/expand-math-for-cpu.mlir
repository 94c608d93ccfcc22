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

// In f64; the library is called where an angle is beyond 2^30 or no number.
// CHECK-LABEL: func.func @sin
// CHECK-SAME:    %[[X:.+]]: vector<16xf32>
// CHECK:         math.roundeven %{{.+}} : vector<16xf64>
// CHECK:         %[[VALUE:.+]] = arith.truncf %{{.+}} : vector<16xf64> to vector<16xf32>
// CHECK:         %[[ALL:.+]] = vector.reduction <and>, %[[KNOWN:.+]] : vector<16xi1> into i1
// CHECK:         scf.if %[[ALL]]
// CHECK-NEXT:      scf.yield %[[VALUE]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[EXACT:.+]] = math.sin %[[X]] {library} : vector<16xf32>
// CHECK-NEXT:      %[[CHOSEN:.+]] = arith.select %[[KNOWN]], %[[VALUE]], %[[EXACT]]
// CHECK-NEXT:      scf.yield %[[CHOSEN]]
func.func @sin(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Scalars call the library.
// CHECK-LABEL: func.func @scalar_sin
// CHECK-NEXT:    math.sin %{{.+}} : f32
func.func @scalar_sin(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @atan2
// CHECK-NOT:     math.atan2
// CHECK:         return
func.func @atan2(%y: vector<8xf32>, %x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.atan2 %y, %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Exact where the quotient has at most 29 bits.
// CHECK-LABEL: func.func @remainder
// CHECK:         math.trunc %{{.+}} : vector<8xf64>
// CHECK:         scf.if
// CHECK:           arith.remf %{{.+}}, %{{.+}} {library} : vector<8xf32>
func.func @remainder(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.remf %x, %y : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @expm1_f64
// CHECK:         call @expm1
func.func @expm1_f64(%x: f64) -> f64 {
  %0 = math.expm1 %x : f64
  return %0 : f64
}
