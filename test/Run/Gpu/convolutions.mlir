// Convolutions by tiles of matrix products and pooling, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// DEFINE: %{tiles} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=mma_matmul" --verify --function=%{function}
// DEFINE: %{wgmma} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=wgmma_matmul" --verify --function=%{function}
// REDEFINE: %{function} = images
// RUN: %{run}
// RUN: %{tiles}
// REDEFINE: %{function} = with_bias
// RUN: %{tiles}
// REDEFINE: %{function} = strided_bf16
// RUN: %{tiles}
// RUN: %{wgmma}
// REDEFINE: %{function} = channels_first
// RUN: %{tiles}
// REDEFINE: %{function} = sequence
// RUN: %{tiles}
// REDEFINE: %{function} = many_images
// RUN: %{tiles}
// REDEFINE: %{function} = unknown
// RUN: %{tiles} --input=2x9x8x3xf32 --input=3x2x3x5xf32 --input=2x7x7x5xf32
// RUN: %{tiles} --input=0x9x8x3xf32 --input=3x2x3x5xf32 --input=0x7x7x5xf32
// REDEFINE: %{function} = depthwise
// RUN: %{run}
// REDEFINE: %{function} = largest
// RUN: %{run}

func.func @images(%x: tensor<2x14x14x16xf32>, %w: tensor<3x3x16x24xf32>, %o: tensor<2x12x12x24xf32>) -> tensor<2x12x12x24xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x14x14x16xf32>, tensor<3x3x16x24xf32>) outs(%o : tensor<2x12x12x24xf32>) -> tensor<2x12x12x24xf32>
  return %r : tensor<2x12x12x24xf32>
}

// Ops before and behind the product run in its kernel.
func.func @with_bias(%x: tensor<1x10x70x8xf32>, %w: tensor<3x3x8x20xf32>, %b: tensor<20xf32>) -> tensor<1x8x68x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x68x20xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x68x20xf32>) -> tensor<1x8x68x20xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x10x70x8xf32>, tensor<3x3x8x20xf32>) outs(%z : tensor<1x8x68x20xf32>) -> tensor<1x8x68x20xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<1x8x68x20xf32>, tensor<20xf32>) outs(%e : tensor<1x8x68x20xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.addf %a, %c : f32
    %q = arith.maximumf %p, %zero : f32
    linalg.yield %q : f32
  } -> tensor<1x8x68x20xf32>
  return %s : tensor<1x8x68x20xf32>
}

func.func @strided_bf16(%x: tensor<3x15x17x5xbf16>, %w: tensor<3x3x5x19xbf16>, %o: tensor<3x6x7x19xf32>) -> tensor<3x6x7x19xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<3x15x17x5xbf16>, tensor<3x3x5x19xbf16>) outs(%o : tensor<3x6x7x19xf32>) -> tensor<3x6x7x19xf32>
  return %r : tensor<3x6x7x19xf32>
}

// C is contiguous along an image's row: the filters are the rows of the product.
func.func @channels_first(%x: tensor<2x6x9x40xf32>, %w: tensor<7x6x2x3xf32>, %o: tensor<2x7x8x38xf32>) -> tensor<2x7x8x38xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x6x9x40xf32>, tensor<7x6x2x3xf32>) outs(%o : tensor<2x7x8x38xf32>) -> tensor<2x7x8x38xf32>
  return %r : tensor<2x7x8x38xf32>
}

func.func @sequence(%x: tensor<2x81x12xf32>, %w: tensor<3x12x33xf32>, %o: tensor<2x40x33xf32>) -> tensor<2x40x33xf32> {
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x81x12xf32>, tensor<3x12x33xf32>) outs(%o : tensor<2x40x33xf32>) -> tensor<2x40x33xf32>
  return %r : tensor<2x40x33xf32>
}

// More images than pixels: images are the rows of a tile.
func.func @many_images(%x: tensor<70x3x3x4xf32>, %w: tensor<2x2x4x6xf32>, %o: tensor<70x2x2x6xf32>) -> tensor<70x2x2x6xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<70x3x3x4xf32>, tensor<2x2x4x6xf32>) outs(%o : tensor<70x2x2x6xf32>) -> tensor<70x2x2x6xf32>
  return %r : tensor<70x2x2x6xf32>
}

func.func @unknown(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @depthwise(%x: tensor<2x9x11x10xf32>, %w: tensor<3x3x10xf32>, %o: tensor<2x7x9x10xf32>) -> tensor<2x7x9x10xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x9x11x10xf32>, tensor<3x3x10xf32>) outs(%o : tensor<2x7x9x10xf32>) -> tensor<2x7x9x10xf32>
  return %r : tensor<2x7x9x10xf32>
}

func.func @largest(%x: tensor<2x9x11x10xf32>) -> tensor<2x4x5x10xf32> {
  %least = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x4x5x10xf32>
  %z = linalg.fill ins(%least : f32) outs(%e : tensor<2x4x5x10xf32>) -> tensor<2x4x5x10xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x9x11x10xf32>, tensor<2x3xf32>) outs(%z : tensor<2x4x5x10xf32>) -> tensor<2x4x5x10xf32>
  return %r : tensor<2x4x5x10xf32>
}
