// RUN: shard-opt %s --canonicalize | FileCheck %s

// Two canonicalizations that upstream gets wrong.
shardir.mesh @m <["x"=2]>

// Sizes stay in their order where a slice has a lower rank.
// CHECK-LABEL: func.func @lower_rank
// CHECK:         tensor.extract_slice %arg0[0, 0, %arg1] [1, 2, 1] [1, 1, 1] : tensor<1x2x6xf32> to tensor<1x2xf32>
func.func @lower_rank(%x: tensor<1x2x6xf32>, %i: index) -> tensor<1x2xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %x[%c0, %c0, %i] [1, 2, 1] [1, 1, 1] : tensor<1x2x6xf32> to tensor<1x2xf32>
  return %s : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @size
// CHECK:         %[[S:.+]] = tensor.extract_slice %arg0[0, 0, %arg1] [1, 2, 1] [1, 1, 1] : tensor<1x2x6xf32> to tensor<1x2xf32>
// CHECK:         tensor.cast %[[S]] : tensor<1x2xf32> to tensor<1x?xf32>
func.func @size(%x: tensor<1x2x6xf32>, %i: index) -> tensor<1x?xf32> {
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %x[0, 0, %i] [1, %c2, 1] [1, 1, 1] : tensor<1x2x6xf32> to tensor<1x?xf32>
  return %s : tensor<1x?xf32>
}

// Padding is inserted with strides, too.
// CHECK-LABEL: func.func @strided_insert
// CHECK:         %[[PADDED:.+]] = tensor.insert_slice %arg0 into %{{.+}}[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
// CHECK:         tensor.insert_slice %[[PADDED]] into %{{.+}}[0] [6] [2] : tensor<6xf32> into tensor<11xf32>
func.func @strided_insert(%a: tensor<4xf32>) -> tensor<11xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<6xf32>
  %e = tensor.empty() : tensor<11xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<11xf32>) -> tensor<11xf32>
  %r = tensor.insert_slice %p into %f[0] [6] [2] : tensor<6xf32> into tensor<11xf32>
  return %r : tensor<11xf32>
}
