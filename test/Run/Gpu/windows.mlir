// Reductions over windows: neighbouring places in one thread, also where they do
// not divide a row, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=window" --verify --function=%{function}
// REDEFINE: %{function} = depthwise
// RUN: %{run}
// REDEFINE: %{function} = vectors
// RUN: %{run}
// REDEFINE: %{function} = long_windows
// RUN: %{run}
// REDEFINE: %{function} = channels_first
// RUN: %{run}
// REDEFINE: %{function} = dilated_bf16
// RUN: %{run}
// REDEFINE: %{function} = sequence
// RUN: %{run}
// REDEFINE: %{function} = last_dim
// RUN: %{run}
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=2x9x11x5xf32 --input=3x3x5xf32 --input=2x7x9x5xf32
// RUN: %{run} --input=0x9x11x5xf32 --input=3x3x5xf32 --input=0x7x9x5xf32
// REDEFINE: %{function} = sharded
// RUN: %{run}

shardir.mesh @m <["x"=2]>

// Four places a thread, the last ones of a row with some before them.
func.func @depthwise(%x: tensor<4x32x373x5xf32>, %w: tensor<3x3x5xf32>, %o: tensor<4x30x371x5xf32>) -> tensor<4x30x371x5xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<4x32x373x5xf32>, tensor<3x3x5xf32>) outs(%o : tensor<4x30x371x5xf32>) -> tensor<4x30x371x5xf32>
  return %r : tensor<4x30x371x5xf32>
}

// Two places of four lanes each.
func.func @vectors(%x: tensor<2x22x703x8xf32>, %w: tensor<3x3x8xf32>, %o: tensor<2x20x701x8xf32>) -> tensor<2x20x701x8xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x22x703x8xf32>, tensor<3x3x8xf32>) outs(%o : tensor<2x20x701x8xf32>) -> tensor<2x20x701x8xf32>
  return %r : tensor<2x20x701x8xf32>
}

// A loop around a window's rows.
func.func @long_windows(%x: tensor<2x27x133x15xf32>, %w: tensor<7x7x15xf32>, %o: tensor<2x21x127x15xf32>) -> tensor<2x21x127x15xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x27x133x15xf32>, tensor<7x7x15xf32>) outs(%o : tensor<2x21x127x15xf32>) -> tensor<2x21x127x15xf32>
  return %r : tensor<2x21x127x15xf32>
}

// Windows slide along rows and columns; threads lie along columns.
func.func @channels_first(%x: tensor<3x16x71x133xf32>) -> tensor<3x16x35x66xf32> {
  %least = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x16x35x66xf32>
  %z = linalg.fill ins(%least : f32) outs(%e : tensor<3x16x35x66xf32>) -> tensor<3x16x35x66xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<3x16x71x133xf32>, tensor<3x3xf32>) outs(%z : tensor<3x16x35x66xf32>) -> tensor<3x16x35x66xf32>
  return %r : tensor<3x16x35x66xf32>
}

func.func @dilated_bf16(%x: tensor<2x18x74x96xbf16>, %w: tensor<2x3x96xbf16>, %o: tensor<2x8x35x96xf32>) -> tensor<2x8x35x96xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<[3, 2]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x18x74x96xbf16>, tensor<2x3x96xbf16>) outs(%o : tensor<2x8x35x96xf32>) -> tensor<2x8x35x96xf32>
  return %r : tensor<2x8x35x96xf32>
}

func.func @sequence(%x: tensor<2x900x33xf32>, %w: tensor<4x33xf32>, %o: tensor<2x897x33xf32>) -> tensor<2x897x33xf32> {
  %r = linalg.depthwise_conv_1d_nwc_wc ins(%x, %w : tensor<2x900x33xf32>, tensor<4x33xf32>) outs(%o : tensor<2x897x33xf32>) -> tensor<2x897x33xf32>
  return %r : tensor<2x897x33xf32>
}

func.func @unknown(%x: tensor<?x?x?x?xf32>, %w: tensor<3x3x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<?x?x?x?xf32>, tensor<3x3x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// Rows over devices.
func.func @sharded(%x: tensor<2x12x40x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>}, %w: tensor<3x3x16xf32>, %o: tensor<2x10x38x16xf32>) -> tensor<2x10x38x16xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x12x40x16xf32>, tensor<3x3x16xf32>) outs(%o : tensor<2x10x38x16xf32>) -> tensor<2x10x38x16xf32>
  return %r : tensor<2x10x38x16xf32>
}

// Windows along the last dim, whose places are those of a block's threads: a running product of each row.
func.func @last_dim(%x: tensor<7x15xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %w: tensor<8xf32>) -> tensor<7x8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<7x8xf32>
  %i = linalg.fill ins(%one : f32) outs(%e : tensor<7x8xf32>) -> tensor<7x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<7x15xf32>, tensor<8xf32>) outs(%i : tensor<7x8xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %product = arith.mulf %out, %in : f32
    linalg.yield %product : f32
  } -> tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}
