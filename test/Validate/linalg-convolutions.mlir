// Convolutions of linalg: batches, channels and features pass, windows need
// neighbours.

func.func @conv_1d(%a0: tensor<7xf32>, %a1: tensor<3xf32>, %c0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.conv_1d ins(%a0, %a1 : tensor<7xf32>, tensor<3xf32>) outs(%c0 : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @conv_2d(%a0: tensor<6x5xf32>, %a1: tensor<3x2xf32>, %c0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.conv_2d ins(%a0, %a1 : tensor<6x5xf32>, tensor<3x2xf32>) outs(%c0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @conv_3d(%a0: tensor<4x4x3xf32>, %a1: tensor<2x2x2xf32>, %c0: tensor<3x3x2xf32>) -> tensor<3x3x2xf32> {
  %0 = linalg.conv_3d ins(%a0, %a1 : tensor<4x4x3xf32>, tensor<2x2x2xf32>) outs(%c0 : tensor<3x3x2xf32>) -> tensor<3x3x2xf32>
  return %0 : tensor<3x3x2xf32>
}

func.func @conv_1d_nwc_wcf(%a0: tensor<2x7x2xf32>, %a1: tensor<3x2x3xf32>, %c0: tensor<2x5x3xf32>) -> tensor<2x5x3xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%a0, %a1 : tensor<2x7x2xf32>, tensor<3x2x3xf32>) outs(%c0 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

func.func @conv_1d_ncw_fcw(%a0: tensor<2x2x7xf32>, %a1: tensor<3x2x3xf32>, %c0: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.conv_1d_ncw_fcw ins(%a0, %a1 : tensor<2x2x7xf32>, tensor<3x2x3xf32>) outs(%c0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @conv_2d_nhwc_hwcf(%a0: tensor<2x5x4x2xf32>, %a1: tensor<2x2x2x3xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a0, %a1 : tensor<2x5x4x2xf32>, tensor<2x2x2x3xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @conv_2d_nhwc_hwcf_strided(%a0: tensor<2x7x5x2xf32>, %a1: tensor<2x2x2x2xf32>, %c0: tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>} ins(%a0, %a1 : tensor<2x7x5x2xf32>, tensor<2x2x2x2xf32>) outs(%c0 : tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

func.func @conv_2d_nhwc_hwcf_dilated(%a0: tensor<2x6x5x2xf32>, %a1: tensor<2x2x2x2xf32>, %c0: tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[2, 2]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>} ins(%a0, %a1 : tensor<2x6x5x2xf32>, tensor<2x2x2x2xf32>) outs(%c0 : tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32>
  return %0 : tensor<2x4x3x2xf32>
}

func.func @conv_2d_nhwc_hwcf_pointwise(%a0: tensor<2x4x3x2xf32>, %a1: tensor<1x1x2x3xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a0, %a1 : tensor<2x4x3x2xf32>, tensor<1x1x2x3xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @conv_2d_nhwc_fhwc(%a0: tensor<2x4x4x2xf32>, %a1: tensor<3x2x2x2xf32>, %c0: tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc ins(%a0, %a1 : tensor<2x4x4x2xf32>, tensor<3x2x2x2xf32>) outs(%c0 : tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  return %0 : tensor<2x3x3x3xf32>
}

func.func @conv_2d_nchw_fchw(%a0: tensor<2x2x4x4xf32>, %a1: tensor<3x2x2x2xf32>, %c0: tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%a0, %a1 : tensor<2x2x4x4xf32>, tensor<3x2x2x2xf32>) outs(%c0 : tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  return %0 : tensor<2x3x3x3xf32>
}

func.func @conv_2d_nhwc_hwcf_q(%a0: tensor<2x4x3x2xi8>, %a1: tensor<2x2x2x3xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32> {
  %0 = linalg.conv_2d_nhwc_hwcf_q ins(%a0, %a1, %a2, %a3 : tensor<2x4x3x2xi8>, tensor<2x2x2x3xi8>, i32, i32) outs(%c0 : tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32>
  return %0 : tensor<2x3x2x3xi32>
}

func.func @conv_2d_nhwc_fhwc_q(%a0: tensor<2x4x3x2xi8>, %a1: tensor<3x2x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32> {
  %0 = linalg.conv_2d_nhwc_fhwc_q ins(%a0, %a1, %a2, %a3 : tensor<2x4x3x2xi8>, tensor<3x2x2x2xi8>, i32, i32) outs(%c0 : tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32>
  return %0 : tensor<2x3x2x3xi32>
}

func.func @conv_2d_nchw_fchw_q(%a0: tensor<2x2x4x3xi8>, %a1: tensor<3x2x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x3x2xi32>) -> tensor<2x3x3x2xi32> {
  %0 = linalg.conv_2d_nchw_fchw_q ins(%a0, %a1, %a2, %a3 : tensor<2x2x4x3xi8>, tensor<3x2x2x2xi8>, i32, i32) outs(%c0 : tensor<2x3x3x2xi32>) -> tensor<2x3x3x2xi32>
  return %0 : tensor<2x3x3x2xi32>
}

func.func @conv_2d_ngchw_fgchw(%a0: tensor<2x2x2x3x3xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%a0, %a1 : tensor<2x2x2x3x3xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @conv_2d_ngchw_gfchw(%a0: tensor<2x2x2x3x3xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%a0, %a1 : tensor<2x2x2x3x3xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @conv_2d_ngchw_gfchw_q(%a0: tensor<2x2x2x3x3xi8>, %a1: tensor<2x2x2x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32> {
  %0 = linalg.conv_2d_ngchw_gfchw_q ins(%a0, %a1, %a2, %a3 : tensor<2x2x2x3x3xi8>, tensor<2x2x2x2x2xi8>, i32, i32) outs(%c0 : tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
  return %0 : tensor<2x2x2x2x2xi32>
}

func.func @conv_2d_nhwgc_gfhwc(%a0: tensor<2x3x3x2x2xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.conv_2d_nhwgc_gfhwc ins(%a0, %a1 : tensor<2x3x3x2x2xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @conv_2d_nhwgc_gfhwc_q(%a0: tensor<2x3x3x2x2xi8>, %a1: tensor<2x2x2x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32> {
  %0 = linalg.conv_2d_nhwgc_gfhwc_q ins(%a0, %a1, %a2, %a3 : tensor<2x3x3x2x2xi8>, tensor<2x2x2x2x2xi8>, i32, i32) outs(%c0 : tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
  return %0 : tensor<2x2x2x2x2xi32>
}

func.func @conv_3d_ndhwc_dhwcf(%a0: tensor<2x3x3x3x2xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf ins(%a0, %a1 : tensor<2x3x3x3x2xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @conv_3d_ndhwc_dhwcf_q(%a0: tensor<2x3x3x2x2xi8>, %a1: tensor<2x2x1x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf_q ins(%a0, %a1, %a2, %a3 : tensor<2x3x3x2x2xi8>, tensor<2x2x1x2x2xi8>, i32, i32) outs(%c0 : tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
  return %0 : tensor<2x2x2x2x2xi32>
}

func.func @conv_3d_ncdhw_fcdhw(%a0: tensor<2x2x3x3x3xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.conv_3d_ncdhw_fcdhw ins(%a0, %a1 : tensor<2x2x3x3x3xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @depthwise_conv_1d_nwc_wc(%a0: tensor<2x7x3xf32>, %a1: tensor<3x3xf32>, %c0: tensor<2x5x3xf32>) -> tensor<2x5x3xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wc ins(%a0, %a1 : tensor<2x7x3xf32>, tensor<3x3xf32>) outs(%c0 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

func.func @depthwise_conv_1d_ncw_cw(%a0: tensor<2x3x7xf32>, %a1: tensor<3x3xf32>, %c0: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.depthwise_conv_1d_ncw_cw ins(%a0, %a1 : tensor<2x3x7xf32>, tensor<3x3xf32>) outs(%c0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @depthwise_conv_1d_nwc_wcm(%a0: tensor<2x6x3xf32>, %a1: tensor<2x3x2xf32>, %c0: tensor<2x5x3x2xf32>) -> tensor<2x5x3x2xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wcm ins(%a0, %a1 : tensor<2x6x3xf32>, tensor<2x3x2xf32>) outs(%c0 : tensor<2x5x3x2xf32>) -> tensor<2x5x3x2xf32>
  return %0 : tensor<2x5x3x2xf32>
}

func.func @depthwise_conv_2d_nhwc_hwc(%a0: tensor<2x5x4x3xf32>, %a1: tensor<2x2x3xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%a0, %a1 : tensor<2x5x4x3xf32>, tensor<2x2x3xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @depthwise_conv_2d_nchw_chw(%a0: tensor<2x3x5x4xf32>, %a1: tensor<3x2x2xf32>, %c0: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw ins(%a0, %a1 : tensor<2x3x5x4xf32>, tensor<3x2x2xf32>) outs(%c0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}

func.func @depthwise_conv_2d_nhwc_hwcm(%a0: tensor<2x4x4x3xf32>, %a1: tensor<2x2x3x2xf32>, %c0: tensor<2x3x3x3x2xf32>) -> tensor<2x3x3x3x2xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%a0, %a1 : tensor<2x4x4x3xf32>, tensor<2x2x3x2xf32>) outs(%c0 : tensor<2x3x3x3x2xf32>) -> tensor<2x3x3x3x2xf32>
  return %0 : tensor<2x3x3x3x2xf32>
}

func.func @depthwise_conv_2d_nhwc_hwc_q(%a0: tensor<2x4x4x3xi8>, %a1: tensor<2x2x3xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x3x3xi32>) -> tensor<2x3x3x3xi32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc_q ins(%a0, %a1, %a2, %a3 : tensor<2x4x4x3xi8>, tensor<2x2x3xi8>, i32, i32) outs(%c0 : tensor<2x3x3x3xi32>) -> tensor<2x3x3x3xi32>
  return %0 : tensor<2x3x3x3xi32>
}

func.func @depthwise_conv_2d_nhwc_hwcm_q(%a0: tensor<2x4x4x2xi8>, %a1: tensor<2x2x2x2xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x3x2x2xi32>) -> tensor<2x3x3x2x2xi32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q ins(%a0, %a1, %a2, %a3 : tensor<2x4x4x2xi8>, tensor<2x2x2x2xi8>, i32, i32) outs(%c0 : tensor<2x3x3x2x2xi32>) -> tensor<2x3x3x2x2xi32>
  return %0 : tensor<2x3x3x2x2xi32>
}

func.func @depthwise_conv_3d_ndhwc_dhwc(%a0: tensor<2x3x3x3x2xf32>, %a1: tensor<2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwc ins(%a0, %a1 : tensor<2x3x3x3x2xf32>, tensor<2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @depthwise_conv_3d_ncdhw_cdhw(%a0: tensor<2x2x3x3x3xf32>, %a1: tensor<2x2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.depthwise_conv_3d_ncdhw_cdhw ins(%a0, %a1 : tensor<2x2x3x3x3xf32>, tensor<2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @depthwise_conv_3d_ndhwc_dhwcm(%a0: tensor<2x3x3x2x2xf32>, %a1: tensor<2x2x2x2x2xf32>, %c0: tensor<2x2x2x1x2x2xf32>) -> tensor<2x2x2x1x2x2xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm ins(%a0, %a1 : tensor<2x3x3x2x2xf32>, tensor<2x2x2x2x2xf32>) outs(%c0 : tensor<2x2x2x1x2x2xf32>) -> tensor<2x2x2x1x2x2xf32>
  return %0 : tensor<2x2x2x1x2x2xf32>
}
