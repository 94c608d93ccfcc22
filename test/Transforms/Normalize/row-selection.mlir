// RUN: shard-opt %s --shardir-normalize | FileCheck %s

// The gradient of a cross-entropy: an element of each row.
// CHECK:      #[[ROW:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK:      #[[PLACE:.+]] = affine_map<(d0, d1) -> (d0, 0, 0)>
// CHECK-LABEL: func @one_element(
// CHECK-SAME:      %[[U:.+]]: tensor<4x1xf32>, %[[I:.+]]: tensor<4x1x1xi32>)
// CHECK-NEXT:   %[[ZERO:.+]] = arith.constant
// CHECK:        linalg.generic {indexing_maps = [#[[ROW]], #[[PLACE]], #{{.+}}], iterator_types = ["parallel", "parallel"]} ins(%[[U]], %[[I]] :
// CHECK-NEXT:   ^bb0(%[[NEW:.+]]: f32, %[[AT:.+]]: i32, %{{.+}}: f32):
// CHECK-NEXT:     %[[OLD:.+]] = arith.constant 0.0
// CHECK-NEXT:     %[[INDEX:.+]] = linalg.index 1
// CHECK-NEXT:     %[[CAST:.+]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK-NEXT:     %[[EQUAL:.+]] = arith.cmpi eq, %[[AT]], %[[CAST]] : i32
// CHECK-NEXT:     %[[SUM:.+]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK-NEXT:     arith.select %[[EQUAL]], %[[SUM]], %[[OLD]]
func.func @one_element(%u: tensor<4x1xf32>, %i: tensor<4x1x1xi32>) -> tensor<4x6xf32> {
  %z = arith.constant dense<0.0> : tensor<4x6xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<4x1xf32>, tensor<4x1x1xi32>) outs(%z : tensor<4x6xf32>) index_dims = [1] batch_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<4x6xf32>
}

// Bytes do not hold all indices of 200 elements.
// CHECK-LABEL: func @bytes(
// CHECK:         %[[INDEX:.+]] = linalg.index 0
// CHECK-NEXT:    %[[AT:.+]] = arith.index_cast %{{.+}} : i8 to index
// CHECK-NEXT:    arith.cmpi eq, %[[AT]], %[[INDEX]] : index
func.func @bytes(%u: tensor<1xf32>, %i: tensor<1x1xi8>) -> tensor<200xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<200xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c0 : tensor<f32>) outs(%e : tensor<200xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<200xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<1xf32>, tensor<1x1xi8>) outs(%z : tensor<200xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<200xf32>
}

// A row of a cache, or several rows: what the others hold is not written again.
// CHECK-LABEL: func @stays(
// CHECK-COUNT-2: shardir.scatter
func.func @stays(%cache: tensor<4x6xf32>, %u: tensor<4x1xf32>, %i: tensor<4x1x1xi32>, %us: tensor<3x6xf32>, %is: tensor<3x1xi32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = shardir.scatter ins(%u, %i : tensor<4x1xf32>, tensor<4x1x1xi32>) outs(%cache : tensor<4x6xf32>) index_dims = [1] batch_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  %z = arith.constant dense<0.0> : tensor<4x6xf32>
  %1 = shardir.scatter ins(%us, %is : tensor<3x6xf32>, tensor<3x1xi32>) outs(%z : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}
