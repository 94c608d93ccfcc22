// A feed-forward block with a residual connection, on 4 devices. The batch of %x
// and the hidden dim of both weights are over one axis, so it can reach two factors of
// the first product: docs/Propagation.md follows it.
shardir.mesh @m <["a"=4]>

func.func @main(%x: tensor<64x256xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w1: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %w2: tensor<512x256xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x256xf32>, tensor<256x512xf32>)
                     outs(%z1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %r = arith.maximumf %h, %z1 : tensor<64x512xf32>
  %e2 = tensor.empty() : tensor<64x256xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<64x512xf32>, tensor<512x256xf32>)
                     outs(%z2 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %s = arith.addf %x, %y : tensor<64x256xf32>
  return %s : tensor<64x256xf32>
}
