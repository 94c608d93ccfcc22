// Convolutions that are large enough for the copies that the CPU's schedule makes, against the unsharded program, and
// in another order of dims against each other: strides, dilations, channels first and last, 1 to 3 dims, windows of one
// pixel, gradients. Sums of small integers are exact, in bf16 too.
//
// MESHES: x=1 x=2 x=3
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/../Inputs/verify-all.py %s
shardir.mesh @m <["x"=?]>

func.func @last(%x: tensor<3x12x13x24xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<3x3x24x64xf32>) -> tensor<3x10x11x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x10x11x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x10x11x64xf32>) -> tensor<3x10x11x64xf32>
  %c = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<3x12x13x24xf32>, tensor<3x3x24x64xf32>) outs(%f : tensor<3x10x11x64xf32>) -> tensor<3x10x11x64xf32>
  return %c : tensor<3x10x11x64xf32>
}

func.func @last_rows(%x: tensor<2x20x13x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>}, %w: tensor<3x3x24x64xf32>) -> tensor<2x18x11x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x18x11x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x18x11x64xf32>) -> tensor<2x18x11x64xf32>
  %c = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<2x20x13x24xf32>, tensor<3x3x24x64xf32>) outs(%f : tensor<2x18x11x64xf32>) -> tensor<2x18x11x64xf32>
  return %c : tensor<2x18x11x64xf32>
}

func.func @first(%x: tensor<3x24x12x13xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<64x24x3x3xf32>) -> tensor<3x64x10x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64x10x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64x10x11xf32>) -> tensor<3x64x10x11xf32>
  %c = linalg.conv_2d_nchw_fchw  ins(%x, %w : tensor<3x24x12x13xf32>, tensor<64x24x3x3xf32>) outs(%f : tensor<3x64x10x11xf32>) -> tensor<3x64x10x11xf32>
  return %c : tensor<3x64x10x11xf32>
}

func.func @stride(%x: tensor<3x24x21x23xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<64x24x3x3xf32>) -> tensor<3x64x10x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64x10x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64x10x11xf32>) -> tensor<3x64x10x11xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<3x24x21x23xf32>, tensor<64x24x3x3xf32>) outs(%f : tensor<3x64x10x11xf32>) -> tensor<3x64x10x11xf32>
  return %c : tensor<3x64x10x11xf32>
}

func.func @dilated(%x: tensor<3x15x15x24xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<3x3x24x48xf32>) -> tensor<3x11x11x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x11x11x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x11x11x48xf32>) -> tensor<3x11x11x48xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<3x15x15x24xf32>, tensor<3x3x24x48xf32>) outs(%f : tensor<3x11x11x48xf32>) -> tensor<3x11x11x48xf32>
  return %c : tensor<3x11x11x48xf32>
}

func.func @one_pixel(%x: tensor<3x32x14x14xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<64x32x1x1xf32>) -> tensor<3x64x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64x14x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64x14x14xf32>) -> tensor<3x64x14x14xf32>
  %c = linalg.conv_2d_nchw_fchw  ins(%x, %w : tensor<3x32x14x14xf32>, tensor<64x32x1x1xf32>) outs(%f : tensor<3x64x14x14xf32>) -> tensor<3x64x14x14xf32>
  return %c : tensor<3x64x14x14xf32>
}

func.func @one_pixel_stride(%x: tensor<3x64x15x15xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<128x64x1x1xf32>) -> tensor<3x128x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x128x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x128x8x8xf32>) -> tensor<3x128x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<3x64x15x15xf32>, tensor<128x64x1x1xf32>) outs(%f : tensor<3x128x8x8xf32>) -> tensor<3x128x8x8xf32>
  return %c : tensor<3x128x8x8xf32>
}

func.func @line(%x: tensor<4x70x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %w: tensor<5x32x64xf32>) -> tensor<4x66x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x66x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x66x64xf32>) -> tensor<4x66x64xf32>
  %c = linalg.conv_1d_nwc_wcf  ins(%x, %w : tensor<4x70x32xf32>, tensor<5x32x64xf32>) outs(%f : tensor<4x66x64xf32>) -> tensor<4x66x64xf32>
  return %c : tensor<4x66x64xf32>
}

func.func @space(%x: tensor<2x7x8x9x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}, {}]>}, %w: tensor<3x3x3x16x32xf32>) -> tensor<2x5x6x7x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x6x7x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x6x7x32xf32>) -> tensor<2x5x6x7x32xf32>
  %c = linalg.conv_3d_ndhwc_dhwcf  ins(%x, %w : tensor<2x7x8x9x16xf32>, tensor<3x3x3x16x32xf32>) outs(%f : tensor<2x5x6x7x32xf32>) -> tensor<2x5x6x7x32xf32>
  return %c : tensor<2x5x6x7x32xf32>
}

func.func @pairs(%x: tensor<3x12x13x24xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<3x3x24x64xbf16>) -> tensor<3x10x11x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3x10x11x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x10x11x64xbf16>) -> tensor<3x10x11x64xbf16>
  %c = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<3x12x13x24xbf16>, tensor<3x3x24x64xbf16>) outs(%f : tensor<3x10x11x64xbf16>) -> tensor<3x10x11x64xbf16>
  return %c : tensor<3x10x11x64xbf16>
}

func.func @doubles(%x: tensor<3x12x13x24xf64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}, %w: tensor<3x3x24x64xf64>) -> tensor<3x10x11x64xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x10x11x64xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<3x10x11x64xf64>) -> tensor<3x10x11x64xf64>
  %c = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<3x12x13x24xf64>, tensor<3x3x24x64xf64>) outs(%f : tensor<3x10x11x64xf64>) -> tensor<3x10x11x64xf64>
  return %c : tensor<3x10x11x64xf64>
}

// The gradient of a filter: sums run over images and pixels, windows over its pixels.
func.func @filter_gradient(%x: tensor<4x10x10x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>},
                           %g: tensor<4x8x8x64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>}) -> tensor<3x3x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3x16x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3x16x64xf32>) -> tensor<3x3x16x64xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(kh, kw, c, f, n, h, w) -> (n, h + kh, w + kw, c)>,
                       affine_map<(kh, kw, c, f, n, h, w) -> (n, h, w, f)>,
                       affine_map<(kh, kw, c, f, n, h, w) -> (kh, kw, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<4x10x10x16xf32>, tensor<4x8x8x64xf32>) outs(%f : tensor<3x3x16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x3x16x64xf32>
  return %c : tensor<3x3x16x64xf32>
}
