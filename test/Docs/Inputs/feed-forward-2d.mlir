// The feed-forward layer of section 5.1 of the GSPMD paper: weights and
// activations both over two axes. What is gathered where is one decision for
// both products.
shardir.mesh @m <["x"=2, "y"=2]>

#lhs = affine_map<(b, s, n, k) -> (b, s, k)>
#rhs = affine_map<(b, s, n, k) -> (k, n)>
#out = affine_map<(b, s, n, k) -> (b, s, n)>

func.func @main(%x: tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>},
                %w1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %w2: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>})
    -> (tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %z1 = arith.constant dense<0.0> : tensor<4x8x16xf32>
  %h = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w1 : tensor<4x8x8xf32>, tensor<8x16xf32>) outs(%z1 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32>
  %r = arith.maximumf %h, %z1 : tensor<4x8x16xf32>
  %z2 = arith.constant dense<0.0> : tensor<4x8x8xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%r, %w2 : tensor<4x8x16xf32>, tensor<16x8xf32>) outs(%z2 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}
