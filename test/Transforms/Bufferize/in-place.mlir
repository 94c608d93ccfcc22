// RUN: shard-opt %s -shardir-bufferize | FileCheck %s

// A sum is computed where its argument is; the result's own buffer is not used.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<6x4xf32>
// CHECK-SAME:    %[[G:[a-z0-9]+]]: memref<6x4xf32>
// CHECK-SAME:    shardir.in_place = 0 : i64
// CHECK-NOT:   alloc
// CHECK:       linalg.add ins(%[[W]], %[[G]] {{.*}}) outs(%[[W]]
// CHECK-NOT:   memref.copy
// CHECK:       return
module attributes {shardir.stage = "local"} {
  func.func @update(%w: tensor<6x4xf32>, %g: tensor<6x4xf32>) -> (tensor<6x4xf32> {shardir.alias = 0 : i64, shardir.in_place}) {
    %e = tensor.empty() : tensor<6x4xf32>
    %0 = linalg.add ins(%w, %g : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}
