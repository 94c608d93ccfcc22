// Rooted and point-to-point collectives, on shards and on buffers.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s
// RUN: shard-opt %s -canonicalize | FileCheck %s --check-prefix=DEAD

shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @symbolic <["x"=?]>

// CHECK-LABEL: func.func @tensors
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x3xf32>, %[[R:.+]]: index
// CHECK:         %[[B:.+]] = collective.broadcast %[[X]] root %[[R]] on @m ["tp"] : tensor<8x3xf32> -> tensor<8x3xf32>
// CHECK:         %[[G:.+]] = collective.gather %[[B]] root %[[R]] on @m ["tp", "dp"] : tensor<8x3xf32> -> tensor<64x3xf32>
// CHECK:         collective.scatter %[[G]] root %[[R]] on @m ["tp:(1)2"] : tensor<64x3xf32> -> tensor<32x3xf32>
func.func @tensors(%x: tensor<8x3xf32>, %root: index) -> tensor<32x3xf32> {
  %0 = collective.broadcast %x root %root on @m ["tp"] : tensor<8x3xf32> -> tensor<8x3xf32>
  %1 = collective.gather %0 root %root on @m ["tp", "dp"] : tensor<8x3xf32> -> tensor<64x3xf32>
  %2 = collective.scatter %1 root %root on @m ["tp:(1)2"] : tensor<64x3xf32> -> tensor<32x3xf32>
  return %2 : tensor<32x3xf32>
}

// CHECK-LABEL: func.func @unknown
// CHECK:         collective.gather %{{.+}} on @m ["tp"] : tensor<?xf32> -> tensor<?xf32>
// CHECK:         collective.scatter %{{.+}} on @symbolic ["x"] : tensor<64xf32> -> tensor<5xf32>
func.func @unknown(%x: tensor<?xf32>, %y: tensor<64xf32>, %root: index) -> (tensor<?xf32>, tensor<5xf32>) {
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<?xf32> -> tensor<?xf32>
  %1 = collective.scatter %y root %root on @symbolic ["x"] : tensor<64xf32> -> tensor<5xf32>
  return %0, %1 : tensor<?xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK-SAME:    %[[X:[^:]+]]: memref<8xf32>, %[[Y:[^:]+]]: memref<32xf32>, %[[R:.+]]: index
// CHECK:         collective.broadcast %[[X]] into %[[X]] root %[[R]] on @m ["tp"] : memref<8xf32>, memref<8xf32>
// CHECK:         collective.gather %[[X]] into %[[Y]] root %[[R]] on @m ["tp"] : memref<8xf32>, memref<32xf32>
// CHECK:         collective.scatter %[[Y]] into %[[X]] root %[[R]] on @m ["tp"] : memref<32xf32>, memref<8xf32>
// CHECK:         collective.send %[[X]] to %[[R]] on @m ["dp"] : memref<8xf32>
// CHECK:         collective.recv into %[[X]] from %[[R]] on @m ["dp"] : memref<8xf32>
func.func @buffers(%x: memref<8xf32>, %y: memref<32xf32>, %root: index) {
  collective.broadcast %x into %x root %root on @m ["tp"] : memref<8xf32>, memref<8xf32>
  collective.gather %x into %y root %root on @m ["tp"] : memref<8xf32>, memref<32xf32>
  collective.scatter %y into %x root %root on @m ["tp"] : memref<32xf32>, memref<8xf32>
  collective.send %x to %root on @m ["dp"] : memref<8xf32>
  collective.recv into %x from %root on @m ["dp"] : memref<8xf32>
  return
}

// Sending and receiving happen and stay in order, used or not; a broadcast of
// tensors is a value.
// CHECK-LABEL: func.func @order
// CHECK:         collective.send %{{.+}} to %{{.+}} on @m ["tp"] : tensor<8xf32>
// CHECK:         collective.recv from %{{.+}} on @m ["tp"] -> tensor<8xf32>
// DEAD-LABEL:  func.func @order
// DEAD-NOT:      collective.broadcast
// DEAD:          collective.recv
// DEAD-NEXT:     collective.send
// DEAD-NEXT:     collective.recv
// DEAD-NEXT:     return
func.func @order(%x: tensor<8xf32>, %peer: index) {
  %0 = collective.broadcast %x root %peer on @m ["tp"] : tensor<8xf32> -> tensor<8xf32>
  %1 = collective.recv from %peer on @m ["tp"] -> tensor<8xf32>
  collective.send %x to %peer on @m ["tp"] : tensor<8xf32>
  %2 = collective.recv from %peer on @m ["tp"] -> tensor<8xf32>
  return
}
