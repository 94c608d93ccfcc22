// RUN: shard-opt %s -split-input-file -shardir-pack-convolutions-for-cpu=target=avx2 | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-pack-convolutions-for-cpu=target=avx512 | FileCheck %s --check-prefix=WIDE
// RUN: shard-opt %s -split-input-file -shardir-pack-convolutions-for-cpu=target=avx2 -shardir-fuse-for-cpu | FileCheck %s --check-prefix=FUSED

// Channels last: the filter alone is copied, into panels of two vectors, and of
// four where there are registers for them.

// CHECK-DAG: #[[FROM:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0 * 16 + d4)>
// CHECK-LABEL: func.func @channels_last
// CHECK-SAME:    %[[X:.+]]: tensor<2x30x30x64xf32>, %[[W:.+]]: tensor<3x3x64x128xf32>
// CHECK:       %[[PACKED:.+]] = linalg.generic {indexing_maps = [#[[FROM]], {{.+}}ins(%[[W]] : {{.+}}) outs(%{{.+}} : tensor<8x3x3x64x16xf32>)
// CHECK:       %[[FILL:.+]] = linalg.fill {{.+}} -> tensor<2x28x28x8x16xf32>
// CHECK:       %[[Y:.+]] = linalg.generic {{.+}} ins(%[[X]], %[[PACKED]] : {{.+}}) outs(%[[FILL]] : {{.+}})
// CHECK:         arith.mulf
// CHECK:       %[[R:.+]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2], [3, 4]]
// CHECK-NEXT:  return %[[R]]
// WIDE-LABEL:  func.func @channels_last
// WIDE:          tensor<2x3x3x64x64xf32>
func.func @channels_last(%x: tensor<2x30x30x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<2x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x28x28x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x28x28x128xf32>) -> tensor<2x28x28x128xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x30x30x64xf32>, tensor<3x3x64x128xf32>)
         outs(%f : tensor<2x28x28x128xf32>) -> tensor<2x28x28x128xf32>
  return %c : tensor<2x28x28x128xf32>
}

// -----

// Channels first: input and result are transposed, the filter in two steps. Fusion
// leaves the copies to the convolution that reads them many times.

// FUSED-LABEL: func.func @channels_first
// FUSED:         linalg.generic {{.+}} ins(%{{.+}}, %{{.+}} : tensor<2x30x30x64xf32>, tensor<8x3x3x64x16xf32>) outs(%{{.+}} : tensor<2x14x14x8x16xf32>)
// CHECK-LABEL: func.func @channels_first
// CHECK:       linalg.generic {{.+}} outs(%{{.+}} : tensor<8x64x3x3x16xf32>)
// CHECK:       linalg.generic {{.+}} outs(%{{.+}} : tensor<8x3x3x64x16xf32>)
// CHECK:       linalg.generic {{.+}} outs(%{{.+}} : tensor<2x30x30x64xf32>)
// CHECK:       linalg.generic {{.+}} outs(%{{.+}} : tensor<2x14x14x8x16xf32>)
// CHECK:       tensor.collapse_shape
// CHECK:       %[[R:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<2x128x14x14xf32>)
// CHECK:       return %[[R]]
func.func @channels_first(%x: tensor<2x64x30x30xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<2x128x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x128x14x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x128x14x14xf32>) -> tensor<2x128x14x14xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
         ins(%x, %w : tensor<2x64x30x30xf32>, tensor<128x64x3x3xf32>)
         outs(%f : tensor<2x128x14x14xf32>) -> tensor<2x128x14x14xf32>
  return %c : tensor<2x128x14x14xf32>
}

// -----

// Windows of one pixel are a product of matrices, with a stride a convolution.

// CHECK-LABEL: func.func @one_pixel
// CHECK-NOT:   tensor.collapse_shape
// CHECK:       linalg.generic {{.+}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK:       return
func.func @one_pixel(%x: tensor<2x28x28x64xf32>, %w: tensor<1x1x64x128xf32>) -> tensor<2x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x28x28x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x28x28x128xf32>) -> tensor<2x28x28x128xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x28x28x64xf32>, tensor<1x1x64x128xf32>)
         outs(%f : tensor<2x28x28x128xf32>) -> tensor<2x28x28x128xf32>
  return %c : tensor<2x28x28x128xf32>
}

// -----

// Few terms, features that make no vectors, depthwise, sums that start with
// another value: as they are.

// CHECK-LABEL: func.func @left
// CHECK:       linalg.conv_2d_nhwc_hwcf
// CHECK:       linalg.conv_2d_nhwc_hwcf
// CHECK:       linalg.depthwise_conv_2d_nhwc_hwc
// CHECK:       linalg.conv_2d_nhwc_hwcf
func.func @left(%a: tensor<1x6x6x8xf32>, %b: tensor<3x3x8x16xf32>, %x: tensor<2x30x30x64xf32>, %w: tensor<3x3x64x100xf32>,
                %d: tensor<3x3x64xf32>, %v: tensor<3x3x64x64xf32>, %i: tensor<2x28x28x64xf32>)
    -> (tensor<1x4x4x16xf32>, tensor<2x28x28x100xf32>, tensor<2x28x28x64xf32>, tensor<2x28x28x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x4x4x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x6x6x8xf32>, tensor<3x3x8x16xf32>) outs(%f0 : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %e1 = tensor.empty() : tensor<2x28x28x100xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x28x28x100xf32>) -> tensor<2x28x28x100xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x30x30x64xf32>, tensor<3x3x64x100xf32>) outs(%f1 : tensor<2x28x28x100xf32>) -> tensor<2x28x28x100xf32>
  %e2 = tensor.empty() : tensor<2x28x28x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x28x28x64xf32>) -> tensor<2x28x28x64xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %d : tensor<2x30x30x64xf32>, tensor<3x3x64xf32>) outs(%f2 : tensor<2x28x28x64xf32>) -> tensor<2x28x28x64xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%x, %v : tensor<2x30x30x64xf32>, tensor<3x3x64x64xf32>) outs(%i : tensor<2x28x28x64xf32>) -> tensor<2x28x28x64xf32>
  return %0, %1, %2, %3 : tensor<1x4x4x16xf32>, tensor<2x28x28x100xf32>, tensor<2x28x28x64xf32>, tensor<2x28x28x64xf32>
}
