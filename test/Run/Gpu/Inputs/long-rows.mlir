// Rows that the library has no kernel for.
func.func @long_rows(%q: tensor<5x264xbf16>, %k: tensor<6x264xbf16>, %v: tensor<6x16xbf16>) -> tensor<5x16xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<5x16xbf16>
  %ea = tensor.empty() : tensor<5x16xf32>
  %er = tensor.empty() : tensor<5xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<5x16xf32>) -> tensor<5x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>,
                                             affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v : tensor<5x264xbf16>, tensor<6x264xbf16>, tensor<6x16xbf16>)
      outs(%acc, %max, %sum : tensor<5x16xf32>, tensor<5xf32>, tensor<5xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<5x16xf32>, tensor<5xf32>, tensor<5xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, v) -> (m, v)>, affine_map<(m, v) -> (m)>, affine_map<(m, v) -> (m, v)>], iterator_types = ["parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<5x16xf32>, tensor<5xf32>) outs(%e : tensor<5x16xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<5x16xbf16>
  return %o : tensor<5x16xbf16>
}
