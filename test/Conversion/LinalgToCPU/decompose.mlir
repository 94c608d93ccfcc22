// RUN: shard-opt %s -shardir-decompose-for-cpu -split-input-file | FileCheck %s

// A concat writes each operand into one fresh tensor.
// CHECK-LABEL: func.func @concat
// CHECK-SAME:    %[[A:.+]]: tensor<2xf32>, %[[B:.+]]: tensor<3xf32>
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<5xf32>
// CHECK:         %[[I:.+]] = tensor.insert_slice %[[A]] into %[[E]][0] [2] [1]
// CHECK:         tensor.insert_slice %[[B]] into %[[I]][2] [3] [1]
func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Elementwise ops on tensors become generics, whole extents included.
// CHECK-LABEL: func.func @elementwise
// CHECK:         linalg.generic
// CHECK:           arith.addf {{.*}} : f32
// CHECK-NOT:     arith.addf {{.*}} : tensor
func.func @elementwise(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         math.exp
func.func @softmax(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The gathered dim starts at the index; the other one runs along.
// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[S:.+]]: tensor<10x4xf32>, %[[I:.+]]: tensor<6x1xindex>
// CHECK:         linalg.generic
// CHECK:           %[[COL:.+]] = linalg.index 2
// CHECK:           %[[AT:.+]] = tensor.extract %[[I]]
// CHECK:           tensor.extract %[[S]][%[[AT]], %[[COL]]]
func.func @gather(%s: tensor<10x4xf32>, %i: tensor<6x1xindex>) -> tensor<6x1x4xf32> {
  %0 = tensor.gather %s[%i] gather_dims([0]) : (tensor<10x4xf32>, tensor<6x1xindex>) -> tensor<6x1x4xf32>
  return %0 : tensor<6x1x4xf32>
}

// -----

// CHECK-LABEL: func.func @bitcast
// CHECK:         linalg.generic
// CHECK:           arith.bitcast {{.*}} : f32 to i32
func.func @bitcast(%a: tensor<?x3xf32>) -> tensor<?x3xi32> {
  %0 = tensor.bitcast %a : tensor<?x3xf32> to tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// -----

// An op that has a lowering stays as it is.
// CHECK-LABEL: func.func @pad
// CHECK:         tensor.pad
func.func @pad(%a: tensor<3xf32>, %c: f32) -> tensor<5xf32> {
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<3xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A maximum and its place, for which nobody asks.
// CHECK-LABEL: func.func @unused_place
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<4xf32>) {
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @unused_place(%x: tensor<4x8xf32>, %low: tensor<4xf32>, %first: tensor<4xi64>) -> tensor<4xf32> {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%low, %first : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %max: f32, %place: i64):
    %j = linalg.index 1 : index
    %own = arith.index_cast %j : index to i64
    %m = arith.maximumf %a, %max : f32
    %above = arith.cmpf ogt, %a, %max : f32
    %p = arith.select %above, %own, %place : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0 : tensor<4xf32>
}

// -----

// Small powers are products; those of narrow floats would be rounded in between.
// CHECK-LABEL: func.func @powers
// CHECK-SAME:    %[[X:.+]]: f32, %[[Y:.+]]: bf16, %[[N:.+]]: i64
// CHECK-DAG:     %[[X2:.+]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-DAG:     %[[X3:.+]] = arith.mulf %[[X2]], %[[X]] : f32
// CHECK-DAG:     %[[Y2:.+]] = arith.mulf %[[Y]], %[[Y]] : bf16
// CHECK-DAG:     %[[Y3:.+]] = math.fpowi %[[Y]], %{{.+}} : bf16, i64
// CHECK-DAG:     %[[XN:.+]] = math.fpowi %[[X]], %[[N]] : f32, i64
// CHECK:         return %[[X3]], %[[Y2]], %[[Y3]], %[[XN]]
func.func @powers(%x: f32, %y: bf16, %n: i64) -> (f32, bf16, bf16, f32) {
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %0 = math.fpowi %x, %three : f32, i64
  %1 = math.fpowi %y, %two : bf16, i64
  %2 = math.fpowi %y, %three : bf16, i64
  %3 = math.fpowi %x, %n : f32, i64
  return %0, %1, %2, %3 : f32, bf16, bf16, f32
}
