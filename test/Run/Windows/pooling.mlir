// RUN: shard-run %s --verify --function=sum --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=sum --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=sum --mesh=x=5,y=1
// RUN: shard-run %s --verify --function=max --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=max --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=max --mesh=x=5,y=1
// RUN: shard-run %s --verify --function=min --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=min --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=min --mesh=x=5,y=1

// Poolings with spatial dims split, overlapping and not.

shardir.mesh @m <["x"=?, "y"=?]>

// The sum of each window.
func.func @sum(%a0: tensor<2x9x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
              %a1: tensor<1x7x8x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>},
              %a2: tensor<1x2x6x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}, {"x"}]>})
    -> (tensor<2x4x2xi32>, tensor<1x3x4x2xi32>, tensor<1x2x5x4xi32>) {
  %0 = arith.constant 0 : i32
  %1 = tensor.empty() : tensor<2x4x2xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %3 = tensor.empty() : tensor<3xi32>
  %4 = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
        ins(%a0, %3 : tensor<2x9x2xi32>, tensor<3xi32>) outs(%2 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %5 = arith.constant 0 : i32
  %6 = tensor.empty() : tensor<1x3x4x2xi32>
  %7 = linalg.fill ins(%5 : i32) outs(%6 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  %8 = tensor.empty() : tensor<3x2xi32>
  %9 = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
        ins(%a1, %8 : tensor<1x7x8x2xi32>, tensor<3x2xi32>) outs(%7 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  %10 = arith.constant 0 : i32
  %11 = tensor.empty() : tensor<1x2x5x4xi32>
  %12 = linalg.fill ins(%10 : i32) outs(%11 : tensor<1x2x5x4xi32>) -> tensor<1x2x5x4xi32>
  %13 = tensor.empty() : tensor<2x2xi32>
  %14 = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
        ins(%a2, %13 : tensor<1x2x6x5xi32>, tensor<2x2xi32>) outs(%12 : tensor<1x2x5x4xi32>) -> tensor<1x2x5x4xi32>
  return %4, %9, %14 : tensor<2x4x2xi32>, tensor<1x3x4x2xi32>, tensor<1x2x5x4xi32>
}

// The max of each window.
func.func @max(%a0: tensor<2x9x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
              %a1: tensor<1x7x8x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>},
              %a2: tensor<1x2x6x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}, {"x"}]>})
    -> (tensor<2x4x2xi32>, tensor<1x3x4x2xi32>, tensor<1x2x5x4xi32>) {
  %0 = arith.constant -2147483648 : i32
  %1 = tensor.empty() : tensor<2x4x2xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %3 = tensor.empty() : tensor<3xi32>
  %4 = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
        ins(%a0, %3 : tensor<2x9x2xi32>, tensor<3xi32>) outs(%2 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %5 = arith.constant -2147483648 : i32
  %6 = tensor.empty() : tensor<1x3x4x2xi32>
  %7 = linalg.fill ins(%5 : i32) outs(%6 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  %8 = tensor.empty() : tensor<3x2xi32>
  %9 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
        ins(%a1, %8 : tensor<1x7x8x2xi32>, tensor<3x2xi32>) outs(%7 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  %10 = arith.constant -2147483648 : i32
  %11 = tensor.empty() : tensor<1x2x5x4xi32>
  %12 = linalg.fill ins(%10 : i32) outs(%11 : tensor<1x2x5x4xi32>) -> tensor<1x2x5x4xi32>
  %13 = tensor.empty() : tensor<2x2xi32>
  %14 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
        ins(%a2, %13 : tensor<1x2x6x5xi32>, tensor<2x2xi32>) outs(%12 : tensor<1x2x5x4xi32>) -> tensor<1x2x5x4xi32>
  return %4, %9, %14 : tensor<2x4x2xi32>, tensor<1x3x4x2xi32>, tensor<1x2x5x4xi32>
}

// The min of each window.
func.func @min(%a0: tensor<2x9x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
              %a1: tensor<1x7x8x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>})
    -> (tensor<2x4x2xi32>, tensor<1x3x4x2xi32>) {
  %0 = arith.constant 2147483647 : i32
  %1 = tensor.empty() : tensor<2x4x2xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %3 = tensor.empty() : tensor<3xi32>
  %4 = linalg.pooling_nwc_min {dilations = dense<1> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
        ins(%a0, %3 : tensor<2x9x2xi32>, tensor<3xi32>) outs(%2 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %5 = arith.constant 2147483647 : i32
  %6 = tensor.empty() : tensor<1x3x4x2xi32>
  %7 = linalg.fill ins(%5 : i32) outs(%6 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  %8 = tensor.empty() : tensor<3x2xi32>
  %9 = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
        ins(%a1, %8 : tensor<1x7x8x2xi32>, tensor<3x2xi32>) outs(%7 : tensor<1x3x4x2xi32>) -> tensor<1x3x4x2xi32>
  return %4, %9 : tensor<2x4x2xi32>, tensor<1x3x4x2xi32>
}
