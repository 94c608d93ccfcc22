// RUN: shard-run %s --verify --function=conv_1d --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=conv_1d --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=conv_1d --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=conv_1d --mesh=x=3,y=3
// RUN: shard-run %s --verify --function=same_2d --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=same_2d --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=same_2d --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=same_2d --mesh=x=3,y=3
// RUN: shard-run %s --verify --function=others --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=others --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=others --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=others --mesh=x=3,y=3
// RUN: shard-run %s --verify --function=input_gradient --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=input_gradient --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=input_gradient --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=input_gradient --mesh=x=3,y=3
// RUN: shard-run %s --verify --function=kernel_gradient --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=kernel_gradient --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=kernel_gradient --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=kernel_gradient --mesh=x=3,y=3

// Convolutions and their gradients with spatial dims split: uneven, empty (5 and 3
// x 3 devices on short dims), blocks shorter than the halo, one image.

shardir.mesh @m <["x"=?, "y"=?]>

// Uneven outputs, a stride, taps farther apart than blocks are long.
func.func @conv_1d(%a0: tensor<1x9x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                  %a1: tensor<3x3x2xi32>,
                  %a2: tensor<2x16x1xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                  %a3: tensor<5x1x2xi32>,
                  %a4: tensor<1x12x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                  %a5: tensor<3x2x2xi32>)
    -> (tensor<1x7x2xi32>, tensor<2x4x2xi32>, tensor<1x4x2xi32>) {
  %0 = arith.constant 0 : i32
  %1 = tensor.empty() : tensor<1x7x2xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<1x7x2xi32>) -> tensor<1x7x2xi32>
  %3 = linalg.conv_1d_nwc_wcf {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[1]> : tensor<1xi64>}
        ins(%a0, %a1 : tensor<1x9x3xi32>, tensor<3x3x2xi32>) outs(%2 : tensor<1x7x2xi32>) -> tensor<1x7x2xi32>
  %4 = arith.constant 7 : i32
  %5 = tensor.empty() : tensor<2x4x2xi32>
  %6 = linalg.fill ins(%4 : i32) outs(%5 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %7 = linalg.conv_1d_nwc_wcf {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[3]> : tensor<1xi64>}
        ins(%a2, %a3 : tensor<2x16x1xi32>, tensor<5x1x2xi32>) outs(%6 : tensor<2x4x2xi32>) -> tensor<2x4x2xi32>
  %8 = arith.constant 0 : i32
  %9 = tensor.empty() : tensor<1x4x2xi32>
  %10 = linalg.fill ins(%8 : i32) outs(%9 : tensor<1x4x2xi32>) -> tensor<1x4x2xi32>
  %11 = linalg.conv_1d_nwc_wcf {dilations = dense<[4]> : tensor<1xi64>, strides = dense<[1]> : tensor<1xi64>}
        ins(%a4, %a5 : tensor<1x12x2xi32>, tensor<3x2x2xi32>) outs(%10 : tensor<1x4x2xi32>) -> tensor<1x4x2xi32>
  return %3, %7, %11 : tensor<1x7x2xi32>, tensor<2x4x2xi32>, tensor<1x4x2xi32>
}

// Padded as exporters write it, both dims over axes: edges and corners come from
// neighbours, zeros from nobody. Strided, over both axes on one dim.
func.func @same_2d(%a0: tensor<1x8x8x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>},
                  %a1: tensor<3x3x2x3xi32>,
                  %a2: tensor<2x7x9x1xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}, {}, {}]>},
                  %a3: tensor<2x3x1x2xi32>)
    -> (tensor<1x8x8x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}, tensor<2x4x5x2xi32>) {
  %0 = arith.constant 0 : i32
  %1 = tensor.pad %a0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %0 : i32
  } : tensor<1x8x8x2xi32> to tensor<1x10x10x2xi32>
  %2 = arith.constant 0 : i32
  %3 = tensor.empty() : tensor<1x8x8x3xi32>
  %4 = linalg.fill ins(%2 : i32) outs(%3 : tensor<1x8x8x3xi32>) -> tensor<1x8x8x3xi32>
  %5 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
        ins(%1, %a1 : tensor<1x10x10x2xi32>, tensor<3x3x2x3xi32>) outs(%4 : tensor<1x8x8x3xi32>) -> tensor<1x8x8x3xi32>
  %6 = arith.constant 0 : i32
  %7 = tensor.pad %a2 low[0, 0, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %6 : i32
  } : tensor<2x7x9x1xi32> to tensor<2x8x11x1xi32>
  %8 = arith.constant 0 : i32
  %9 = tensor.empty() : tensor<2x4x5x2xi32>
  %10 = linalg.fill ins(%8 : i32) outs(%9 : tensor<2x4x5x2xi32>) -> tensor<2x4x5x2xi32>
  %11 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
        ins(%7, %a3 : tensor<2x8x11x1xi32>, tensor<2x3x1x2xi32>) outs(%10 : tensor<2x4x5x2xi32>) -> tensor<2x4x5x2xi32>
  return %5, %11 : tensor<1x8x8x3xi32>, tensor<2x4x5x2xi32>
}

// Other layouts, three dims, depthwise; channels and batch take no halo.
func.func @others(%a0: tensor<1x2x6x7xi32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}, {"x"}]>},
                 %a1: tensor<3x2x2x3xi32>,
                 %a2: tensor<1x5x4x5x1xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {"y"}, {}]>},
                 %a3: tensor<2x2x3x1x2xi32>,
                 %a4: tensor<1x6x5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>},
                 %a5: tensor<3x2x3xi32>)
    -> (tensor<1x3x5x5xi32>, tensor<1x4x3x3x2xi32>, tensor<1x4x4x3xi32>) {
  %0 = arith.constant 0 : i32
  %1 = tensor.empty() : tensor<1x3x5x5xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<1x3x5x5xi32>) -> tensor<1x3x5x5xi32>
  %3 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
        ins(%a0, %a1 : tensor<1x2x6x7xi32>, tensor<3x2x2x3xi32>) outs(%2 : tensor<1x3x5x5xi32>) -> tensor<1x3x5x5xi32>
  %4 = arith.constant 0 : i32
  %5 = tensor.empty() : tensor<1x4x3x3x2xi32>
  %6 = linalg.fill ins(%4 : i32) outs(%5 : tensor<1x4x3x3x2xi32>) -> tensor<1x4x3x3x2xi32>
  %7 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<[1, 1, 1]> : tensor<3xi64>, strides = dense<[1, 1, 1]> : tensor<3xi64>}
        ins(%a2, %a3 : tensor<1x5x4x5x1xi32>, tensor<2x2x3x1x2xi32>) outs(%6 : tensor<1x4x3x3x2xi32>) -> tensor<1x4x3x3x2xi32>
  %8 = arith.constant 0 : i32
  %9 = tensor.empty() : tensor<1x4x4x3xi32>
  %10 = linalg.fill ins(%8 : i32) outs(%9 : tensor<1x4x4x3xi32>) -> tensor<1x4x4x3xi32>
  %11 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
        ins(%a4, %a5 : tensor<1x6x5x3xi32>, tensor<3x2x3xi32>) outs(%10 : tensor<1x4x4x3xi32>) -> tensor<1x4x4x3xi32>
  return %3, %7, %11 : tensor<1x3x5x5xi32>, tensor<1x4x3x3x2xi32>, tensor<1x4x4x3xi32>
}

// A window that is read backwards, and the gradient of a strided convolution's
// input: the output's gradient spread out by the stride first.
func.func @input_gradient(%a0: tensor<1x8x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                         %a1: tensor<3x3x2xi32>,
                         %a2: tensor<1x4x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                         %a3: tensor<3x2x3xi32>)
    -> (tensor<1x6x2xi32>, tensor<1x9x3xi32>) {
  %0 = arith.constant 0 : i32
  %1 = tensor.empty() : tensor<1x6x2xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<1x6x2xi32>) -> tensor<1x6x2xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(n, o, f, k, c) -> (n, o + 2 - k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>, affine_map<(n, o, f, k, c) -> (n, o, f)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a0, %a1 : tensor<1x8x3xi32>, tensor<3x3x2xi32>) outs(%2 : tensor<1x6x2xi32>) {
  ^bb0(%x: i32, %w: i32, %o: i32):
    %m = arith.muli %x, %w : i32
    %s = arith.addi %m, %o : i32
    linalg.yield %s : i32
  } -> tensor<1x6x2xi32>
  %4 = arith.constant 0 : i32
  %5 = tensor.empty() : tensor<1x11x2xi32>
  %6 = linalg.fill ins(%4 : i32) outs(%5 : tensor<1x11x2xi32>) -> tensor<1x11x2xi32>
  %7 = tensor.insert_slice %a2 into %6[0, 2, 0] [1, 4, 2] [1, 2, 1] : tensor<1x4x2xi32> into tensor<1x11x2xi32>
  %8 = arith.constant 0 : i32
  %9 = tensor.empty() : tensor<1x9x3xi32>
  %10 = linalg.fill ins(%8 : i32) outs(%9 : tensor<1x9x3xi32>) -> tensor<1x9x3xi32>
  %11 = linalg.generic {indexing_maps = [affine_map<(n, o, f, k, c) -> (n, o + 2 - k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>, affine_map<(n, o, f, k, c) -> (n, o, f)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%7, %a3 : tensor<1x11x2xi32>, tensor<3x2x3xi32>) outs(%10 : tensor<1x9x3xi32>) {
  ^bb0(%x: i32, %w: i32, %o: i32):
    %m = arith.muli %x, %w : i32
    %s = arith.addi %m, %o : i32
    linalg.yield %s : i32
  } -> tensor<1x9x3xi32>
  return %3, %11 : tensor<1x6x2xi32>, tensor<1x9x3xi32>
}

// The window runs over the dim that is summed: the result is partial.
func.func @kernel_gradient(%a0: tensor<2x9x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                          %a1: tensor<2x7x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
    -> (tensor<3x2x3xi32>) {
  %0 = arith.constant 5 : i32
  %1 = tensor.empty() : tensor<3x2x3xi32>
  %2 = linalg.fill ins(%0 : i32) outs(%1 : tensor<3x2x3xi32>) -> tensor<3x2x3xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(k, c, f, n, o) -> (n, o + k, c)>, affine_map<(k, c, f, n, o) -> (n, o, f)>, affine_map<(k, c, f, n, o) -> (k, c, f)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a0, %a1 : tensor<2x9x2xi32>, tensor<2x7x3xi32>) outs(%2 : tensor<3x2x3xi32>) {
  ^bb0(%x: i32, %g: i32, %o: i32):
    %m = arith.muli %x, %g : i32
    %s = arith.addi %m, %o : i32
    linalg.yield %s : i32
  } -> tensor<3x2x3xi32>
  return %3 : tensor<3x2x3xi32>
}
