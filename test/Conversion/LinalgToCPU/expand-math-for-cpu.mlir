// RUN: shard-opt %s -shardir-expand-math-for-cpu | FileCheck %s

// CHECK-DAG: func.func private @expm1(f64) -> f64

// CHECK-LABEL: func.func @exp
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK:         return
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
