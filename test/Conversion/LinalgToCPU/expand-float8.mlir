// RUN: shard-opt %s -shardir-expand-float8 | FileCheck %s

// CHECK-LABEL: func.func @wider
// CHECK-NEXT:    %[[B:.+]] = arith.bitcast %arg0 : f8E5M2 to i8
// CHECK-NEXT:    %[[W:.+]] = arith.extui %[[B]] : i8 to i16
// CHECK-NEXT:    %[[C:.+]] = arith.constant 8 : i16
// CHECK-NEXT:    %[[S:.+]] = arith.shli %[[W]], %[[C]] : i16
// CHECK-NEXT:    %[[H:.+]] = arith.bitcast %[[S]] : i16 to f16
// CHECK-NEXT:    %[[R:.+]] = arith.extf %[[H]] : f16 to f32
// CHECK-NEXT:    return %[[R]]
func.func @wider(%x: f8E5M2) -> f32 {
  %0 = arith.extf %x : f8E5M2 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @vectors
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK:         arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xf32>
// CHECK:         arith.extf %{{.+}} : vector<4xf32> to vector<4xf64>
// CHECK-NOT:     f8E4M3FN to
func.func @vectors(%x: vector<4xf8E4M3FN>) -> vector<4xf64> {
  %0 = arith.extf %x : vector<4xf8E4M3FN> to vector<4xf64>
  return %0 : vector<4xf64>
}

// CHECK-LABEL: func.func @narrower
// CHECK:         arith.minui
// CHECK:         arith.bitcast %{{.+}} : i8 to f8E4M3FN
// CHECK-NOT:     arith.truncf
func.func @narrower(%x: f32) -> f8E4M3FN {
  %0 = arith.truncf %x : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}
