// Pooling of linalg: the window's operand gives its extents alone.

func.func @pooling_nhwc_sum(%a0: tensor<2x5x4x3xf32>, %a1: tensor<2x2xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.pooling_nhwc_sum ins(%a0, %a1 : tensor<2x5x4x3xf32>, tensor<2x2xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @pooling_nwc_sum(%a0: tensor<2x6x3xf32>, %a1: tensor<2xf32>, %c0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = linalg.pooling_nwc_sum {strides = dense<[2]> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x6x3xf32>, tensor<2xf32>) outs(%c0 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

func.func @pooling_nhwc_max(%a0: tensor<2x5x4x3xf32>, %a1: tensor<2x2xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.pooling_nhwc_max ins(%a0, %a1 : tensor<2x5x4x3xf32>, tensor<2x2xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @pooling_nwc_max(%a0: tensor<2x6x3xf32>, %a1: tensor<2xf32>, %c0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = linalg.pooling_nwc_max {strides = dense<[2]> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x6x3xf32>, tensor<2xf32>) outs(%c0 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

func.func @pooling_nhwc_min(%a0: tensor<2x5x4x3xf32>, %a1: tensor<2x2xf32>, %c0: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = linalg.pooling_nhwc_min ins(%a0, %a1 : tensor<2x5x4x3xf32>, tensor<2x2xf32>) outs(%c0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %0 : tensor<2x4x3x3xf32>
}

func.func @pooling_nwc_min(%a0: tensor<2x6x3xf32>, %a1: tensor<2xf32>, %c0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = linalg.pooling_nwc_min {strides = dense<[2]> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x6x3xf32>, tensor<2xf32>) outs(%c0 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

func.func @pooling_nhwc_max_unsigned(%a0: tensor<2x5x4x3xi32>, %a1: tensor<2x2xi32>, %c0: tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32> {
  %0 = linalg.pooling_nhwc_max_unsigned ins(%a0, %a1 : tensor<2x5x4x3xi32>, tensor<2x2xi32>) outs(%c0 : tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32>
  return %0 : tensor<2x4x3x3xi32>
}

func.func @pooling_nwc_max_unsigned(%a0: tensor<2x6x3xi32>, %a1: tensor<2xi32>, %c0: tensor<2x3x3xi32>) -> tensor<2x3x3xi32> {
  %0 = linalg.pooling_nwc_max_unsigned {strides = dense<[2]> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x6x3xi32>, tensor<2xi32>) outs(%c0 : tensor<2x3x3xi32>) -> tensor<2x3x3xi32>
  return %0 : tensor<2x3x3xi32>
}

func.func @pooling_nhwc_min_unsigned(%a0: tensor<2x5x4x3xi32>, %a1: tensor<2x2xi32>, %c0: tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32> {
  %0 = linalg.pooling_nhwc_min_unsigned ins(%a0, %a1 : tensor<2x5x4x3xi32>, tensor<2x2xi32>) outs(%c0 : tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32>
  return %0 : tensor<2x4x3x3xi32>
}

func.func @pooling_nwc_min_unsigned(%a0: tensor<2x6x3xi32>, %a1: tensor<2xi32>, %c0: tensor<2x3x3xi32>) -> tensor<2x3x3xi32> {
  %0 = linalg.pooling_nwc_min_unsigned {strides = dense<[2]> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x6x3xi32>, tensor<2xi32>) outs(%c0 : tensor<2x3x3xi32>) -> tensor<2x3x3xi32>
  return %0 : tensor<2x3x3xi32>
}

func.func @pooling_nchw_sum(%a0: tensor<2x3x5x4xf32>, %a1: tensor<2x2xf32>, %c0: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
  %0 = linalg.pooling_nchw_sum ins(%a0, %a1 : tensor<2x3x5x4xf32>, tensor<2x2xf32>) outs(%c0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}

func.func @pooling_ncw_sum(%a0: tensor<2x3x6xf32>, %a1: tensor<3xf32>, %c0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = linalg.pooling_ncw_sum ins(%a0, %a1 : tensor<2x3x6xf32>, tensor<3xf32>) outs(%c0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @pooling_nchw_max(%a0: tensor<2x3x5x4xf32>, %a1: tensor<2x2xf32>, %c0: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
  %0 = linalg.pooling_nchw_max ins(%a0, %a1 : tensor<2x3x5x4xf32>, tensor<2x2xf32>) outs(%c0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}

func.func @pooling_ncw_max(%a0: tensor<2x3x6xf32>, %a1: tensor<3xf32>, %c0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = linalg.pooling_ncw_max ins(%a0, %a1 : tensor<2x3x6xf32>, tensor<3xf32>) outs(%c0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @pooling_ndhwc_sum(%a0: tensor<2x3x3x3x2xf32>, %a1: tensor<2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.pooling_ndhwc_sum ins(%a0, %a1 : tensor<2x3x3x3x2xf32>, tensor<2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @pooling_ndhwc_max(%a0: tensor<2x3x3x3x2xf32>, %a1: tensor<2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.pooling_ndhwc_max ins(%a0, %a1 : tensor<2x3x3x3x2xf32>, tensor<2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @pooling_ndhwc_min(%a0: tensor<2x3x3x3x2xf32>, %a1: tensor<2x2x2xf32>, %c0: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %0 = linalg.pooling_ndhwc_min ins(%a0, %a1 : tensor<2x3x3x3x2xf32>, tensor<2x2x2xf32>) outs(%c0 : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2xf32>
}

func.func @pooling_nhwc_max_i32(%a0: tensor<2x5x4x3xi32>, %a1: tensor<2x2xi32>, %c0: tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32> {
  %0 = linalg.pooling_nhwc_max ins(%a0, %a1 : tensor<2x5x4x3xi32>, tensor<2x2xi32>) outs(%c0 : tensor<2x4x3x3xi32>) -> tensor<2x4x3x3xi32>
  return %0 : tensor<2x4x3x3xi32>
}
