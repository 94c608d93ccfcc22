// RUN: shard-opt %s -shardir-decompose-for-cpu -canonicalize -split-input-file | FileCheck %s

#in = affine_map<(n, x, c, f, k) -> (n, x + k, f)>
#filter = affine_map<(n, x, c, f, k) -> (k, f, c)>
#out = affine_map<(n, x, c, f, k) -> (n, x, c)>

// The gradient of a convolution with a stride of two: even results read one element of the source by the filter's second
// element, odd ones two by the others. The zeros around the source are one more at its end.
// CHECK-LABEL: func.func @stride
// CHECK-SAME:    %[[X:.+]]: tensor<2x5x16xf32>, %[[W:.+]]: tensor<3x16x8xf32>
// CHECK:         %[[P:.+]] = tensor.insert_slice %[[X]] into %{{.+}}[0, 0, 0] [2, 5, 16] [1, 1, 1] : {{.*}} into tensor<2x6x16xf32>
// CHECK:         %[[W0:.+]] = tensor.extract_slice %[[W]][1, 0, 0] [1, 16, 8] [1, 1, 1]
// CHECK:         %[[R0:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[W0]]
// CHECK:         %[[S0:.+]] = tensor.insert_slice %[[R0]] into %{{.+}}[0, 0, 0] [2, 5, 8] [1, 2, 1]
// CHECK:         %[[W1:.+]] = tensor.extract_slice %[[W]][0, 0, 0] [2, 16, 8] [2, 1, 1]
// CHECK:         %[[R1:.+]] = linalg.generic {{.*}} ins(%[[P]], %[[W1]]
// CHECK:         tensor.insert_slice %[[R1]] into %[[S0]][0, 1, 0] [2, 5, 8] [1, 2, 1]
func.func @stride(%x: tensor<2x5x16xf32>, %w: tensor<3x16x8xf32>) -> tensor<2x10x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x12x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  %d = tensor.insert_slice %x into %z[0, 1, 0] [2, 5, 16] [1, 2, 1] : tensor<2x5x16xf32> into tensor<2x12x16xf32>
  %f = tensor.empty() : tensor<2x10x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<2x10x8xf32>) -> tensor<2x10x8xf32>
  %r = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%d, %w : tensor<2x12x16xf32>, tensor<3x16x8xf32>) outs(%i : tensor<2x10x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x10x8xf32>
  return %r : tensor<2x10x8xf32>
}

// -----

// With a window of one element, odd results keep what they start from.
// CHECK-LABEL: func.func @single
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x4x4xf32>, %[[W:.+]]: tensor<8x8x1x1xf32>, %[[I:.+]]: tensor<1x8x8x8xf32>
// CHECK:         %[[I0:.+]] = tensor.extract_slice %[[I]][0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 2, 2]
// CHECK:         %[[R:.+]] = linalg.conv_2d_nchw_fchw {{.*}}ins(%[[X]], %[[W]] : {{.*}} outs(%[[I0]]
// CHECK:         %[[S:.+]] = tensor.insert_slice %[[R]] into %[[I]][0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 2, 2]
// CHECK:         return %[[S]]
func.func @single(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %i: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %d = tensor.insert_slice %x into %z[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 2, 2] : tensor<1x8x4x4xf32> into tensor<1x8x8x8xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%d, %w : tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) outs(%i : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %r : tensor<1x8x8x8xf32>
}

// -----

// A convolution of numbers other than zero between the elements stays.
// CHECK-LABEL: func.func @ones
// CHECK:         linalg.conv_1d_nwc_wcf {{.*}} : tensor<1x9x4xf32>
func.func @ones(%x: tensor<1x5x4xf32>, %w: tensor<2x4x8xf32>, %i: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x9x4xf32>
  %z = linalg.fill ins(%one : f32) outs(%e : tensor<1x9x4xf32>) -> tensor<1x9x4xf32>
  %d = tensor.insert_slice %x into %z[0, 0, 0] [1, 5, 4] [1, 2, 1] : tensor<1x5x4xf32> into tensor<1x9x4xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%d, %w : tensor<1x9x4xf32>, tensor<2x4x8xf32>) outs(%i : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  return %r : tensor<1x8x8xf32>
}

// -----

// A depthwise one stays.
// CHECK-LABEL: func.func @depthwise
// CHECK:         linalg.depthwise_conv_1d_nwc_wc {{.*}} : tensor<1x9x4xf32>
func.func @depthwise(%x: tensor<1x5x4xf32>, %w: tensor<2x4xf32>, %i: tensor<1x8x4xf32>) -> tensor<1x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x4xf32>) -> tensor<1x9x4xf32>
  %d = tensor.insert_slice %x into %z[0, 0, 0] [1, 5, 4] [1, 2, 1] : tensor<1x5x4xf32> into tensor<1x9x4xf32>
  %r = linalg.depthwise_conv_1d_nwc_wc ins(%d, %w : tensor<1x9x4xf32>, tensor<2x4xf32>) outs(%i : tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return %r : tensor<1x8x4xf32>
}
