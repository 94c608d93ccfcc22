// Attention's gradients for 4 x 16 heads of 4096 positions, from rows of max, sum and delta.

func.func @backward64(%q: tensor<4x16x4096x64xbf16>, %k: tensor<4x16x4096x64xbf16>, %v: tensor<4x16x4096x64xbf16>, %g: tensor<4x16x4096x64xbf16>, %max: tensor<4x16x4096xf32>, %sum: tensor<4x16x4096xf32>, %delta: tensor<4x16x4096xf32>) -> (tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>) {
  %scale = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16x4096x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16x4096x64xf32>) -> tensor<4x16x4096x64xf32>
  %dq, %dk, %dv = kernel.attention_backward {indexing_maps = [
      affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>, affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, m)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      outs(%none, %none, %none : tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>) {
    ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
      %x = arith.mulf %s, %scale : f32
      %y = arith.subf %x, %mx : f32
      %e = math.exp %y : f32
      %p = arith.divf %e, %l : f32
      %f = arith.subf %dp, %d : f32
      %w = arith.mulf %p, %f : f32
      %ds = arith.mulf %w, %scale : f32
      %pt = arith.truncf %p : f32 to bf16
      %dt = arith.truncf %ds : f32 to bf16
      kernel.yield %pt, %dt : bf16, bf16
    } -> tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>
  return %dq, %dk, %dv : tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>, tensor<4x16x4096x64xf32>
}

func.func @backward128(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x16x4096x128xbf16>, %v: tensor<4x16x4096x128xbf16>, %g: tensor<4x16x4096x128xbf16>, %max: tensor<4x16x4096xf32>, %sum: tensor<4x16x4096xf32>, %delta: tensor<4x16x4096xf32>) -> (tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>) {
  %scale = arith.constant 0.08838834764 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16x4096x128xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16x4096x128xf32>) -> tensor<4x16x4096x128xf32>
  %dq, %dk, %dv = kernel.attention_backward {indexing_maps = [
      affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>, affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, m)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>,
      affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      outs(%none, %none, %none : tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>) {
    ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
      %x = arith.mulf %s, %scale : f32
      %y = arith.subf %x, %mx : f32
      %e = math.exp %y : f32
      %p = arith.divf %e, %l : f32
      %f = arith.subf %dp, %d : f32
      %w = arith.mulf %p, %f : f32
      %ds = arith.mulf %w, %scale : f32
      %pt = arith.truncf %p : f32 to bf16
      %dt = arith.truncf %ds : f32 to bf16
      kernel.yield %pt, %dt : bf16, bf16
    } -> tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>
  return %dq, %dk, %dv : tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>, tensor<4x16x4096x128xf32>
}
