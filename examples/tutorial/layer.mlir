// A transformer layer without its norms: attention and a perceptron, each added to
// its input. The batch is split over "dp", heads and hidden units over "tp".
#in = affine_map<(b, h, s, e, d) -> (b, s, d)>
#w_in = affine_map<(b, h, s, e, d) -> (d, h, e)>
#heads = affine_map<(b, h, s, e, d) -> (b, h, s, e)>
#q = affine_map<(b, h, s, t, e) -> (b, h, s, e)>
#k = affine_map<(b, h, s, t, e) -> (b, h, t, e)>
#st = affine_map<(b, h, s, t, e) -> (b, h, s, t)>
#pv = affine_map<(b, h, s, e, t) -> (b, h, s, t)>
#v = affine_map<(b, h, s, e, t) -> (b, h, t, e)>
#w_out = affine_map<(b, s, d, h, e) -> (h, e, d)>
#o = affine_map<(b, s, d, h, e) -> (b, h, s, e)>
#sum = affine_map<(b, s, d, h, e) -> (b, s, d)>
#a = affine_map<(b, s, n, k) -> (b, s, k)>
#b = affine_map<(b, s, n, k) -> (k, n)>
#c = affine_map<(b, s, n, k) -> (b, s, n)>

shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%x: tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}, {}]>},
                %wq: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
                %wk: tensor<16x4x4xf32>, %wv: tensor<16x4x4xf32>, %wo: tensor<4x4x16xf32>,
                %w1: tensor<16x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<64x16xf32>)
    -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e_heads = tensor.empty() : tensor<4x4x8x4xf32>
  %z_heads = linalg.fill ins(%zero : f32) outs(%e_heads : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %e_scores = tensor.empty() : tensor<4x4x8x8xf32>
  %z_scores = linalg.fill ins(%zero : f32) outs(%e_scores : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %e_x = tensor.empty() : tensor<4x8x16xf32>
  %z_x = linalg.fill ins(%zero : f32) outs(%e_x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %e_hidden = tensor.empty() : tensor<4x8x64xf32>
  %z_hidden = linalg.fill ins(%zero : f32) outs(%e_hidden : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>

  // Attention.
  %q = linalg.contract indexing_maps = [#in, #w_in, #heads]
      ins(%x, %wq : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%z_heads : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %k = linalg.contract indexing_maps = [#in, #w_in, #heads]
      ins(%x, %wk : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%z_heads : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %v = linalg.contract indexing_maps = [#in, #w_in, #heads]
      ins(%x, %wv : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%z_heads : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %scores = linalg.contract indexing_maps = [#q, #k, #st]
      ins(%q, %k : tensor<4x4x8x4xf32>, tensor<4x4x8x4xf32>) outs(%z_scores : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %p = linalg.softmax dimension(3) ins(%scores : tensor<4x4x8x8xf32>) outs(%e_scores : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %o = linalg.contract indexing_maps = [#pv, #v, #heads]
      ins(%p, %v : tensor<4x4x8x8xf32>, tensor<4x4x8x4xf32>) outs(%z_heads : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %attention = linalg.contract indexing_maps = [#o, #w_out, #sum]
      ins(%o, %wo : tensor<4x4x8x4xf32>, tensor<4x4x16xf32>) outs(%z_x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %r = linalg.add ins(%x, %attention : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%e_x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>

  // The perceptron.
  %h = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%r, %w1 : tensor<4x8x16xf32>, tensor<16x64xf32>) outs(%z_hidden : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
  %g = linalg.max ins(%h, %z_hidden : tensor<4x8x64xf32>, tensor<4x8x64xf32>) outs(%e_hidden : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
  %m = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%g, %w2 : tensor<4x8x64xf32>, tensor<64x16xf32>) outs(%z_x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %y = linalg.add ins(%r, %m : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%e_x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %y : tensor<4x8x16xf32>
}
