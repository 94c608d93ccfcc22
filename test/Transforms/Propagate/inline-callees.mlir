// RUN: shard-opt %s -split-input-file -shardir-inline-callees | FileCheck %s

// CHECK-LABEL: module
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.+]] = math.tanh
// CHECK: return %[[Y]]
module {
  func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = math.tanh %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// A private function that nothing calls is erased as well.
// CHECK-LABEL: module
// CHECK-NOT: @unused
// CHECK: func.func @kept
module {
  func.func private @unused(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
