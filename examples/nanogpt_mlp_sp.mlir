// The MLP of nanoGPT as in nanogpt_mlp.mlir, sequence parallel: outside of the
// two linear layers activations are split along the sequence. The weights are
// decided first (p0), the sequence next (p1). One all-gather in front of the
// first layer and one reduce-scatter behind the second take the place of the
// all-reduce.
//
//   shard-run examples/nanogpt_mlp_sp.mlir --verify --report=-
//   shard-opt examples/nanogpt_mlp_sp.mlir --shardir-to-collective
#rows = affine_map<(b, s, n, k) -> (b, s, k)>
#cols = affine_map<(b, s, n, k) -> (k, n)>
#out4 = affine_map<(b, s, n, k) -> (b, s, n)>
#id3 = affine_map<(b, s, n) -> (b, s, n)>
#bias = affine_map<(b, s, n) -> (n)>

shardir.mesh @m <["tp"=4]>

func.func @main(%x: tensor<2x64x128xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}p1, {}]>},
                %w_fc: tensor<128x512xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}p0]>},
                %b_fc: tensor<512xbf16>,
                %w_proj: tensor<512x128xbf16> {shardir.placement = #shardir.placement<@m, [{"tp"}p0, {}]>},
                %b_proj: tensor<128xbf16>)
    -> (tensor<2x64x128xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}p1, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %sqrt_2_over_pi = arith.constant 0.797884583 : f32
  %cubic = arith.constant 4.471500e-02 : f32

  // h = gelu(x @ w_fc + b_fc)
  %e1 = tensor.empty() : tensor<2x64x512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x64x512xf32>) -> tensor<2x64x512xf32>
  %fc = linalg.generic {indexing_maps = [#rows, #cols, #out4],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w_fc : tensor<2x64x128xbf16>, tensor<128x512xbf16>) outs(%z1 : tensor<2x64x512xf32>) {
  ^bb0(%a: bf16, %w: bf16, %acc: f32):
    %af = arith.extf %a : bf16 to f32
    %wf = arith.extf %w : bf16 to f32
    %p = arith.mulf %af, %wf : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x64x512xf32>
  %e2 = tensor.empty() : tensor<2x64x512xbf16>
  %h = linalg.generic {indexing_maps = [#id3, #bias, #id3],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%fc, %b_fc : tensor<2x64x512xf32>, tensor<512xbf16>) outs(%e2 : tensor<2x64x512xbf16>) {
  ^bb0(%a: f32, %b: bf16, %o: bf16):
    %bf = arith.extf %b : bf16 to f32
    %v = arith.addf %a, %bf : f32
    %v2 = arith.mulf %v, %v : f32
    %v3 = arith.mulf %v2, %v : f32
    %c = arith.mulf %v3, %cubic : f32
    %i = arith.addf %v, %c : f32
    %si = arith.mulf %i, %sqrt_2_over_pi : f32
    %t = math.tanh %si : f32
    %t1 = arith.addf %t, %one : f32
    %hv = arith.mulf %v, %half : f32
    %g = arith.mulf %hv, %t1 : f32
    %r = arith.truncf %g : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x64x512xbf16>

  // y = h @ w_proj + b_proj
  %e3 = tensor.empty() : tensor<2x64x128xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  %proj = linalg.generic {indexing_maps = [#rows, #cols, #out4],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %w_proj : tensor<2x64x512xbf16>, tensor<512x128xbf16>) outs(%z3 : tensor<2x64x128xf32>) {
  ^bb0(%a: bf16, %w: bf16, %acc: f32):
    %af = arith.extf %a : bf16 to f32
    %wf = arith.extf %w : bf16 to f32
    %p = arith.mulf %af, %wf : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x64x128xf32>
  %y = linalg.generic {indexing_maps = [#id3, #bias, #id3],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%proj, %b_proj : tensor<2x64x128xf32>, tensor<128xbf16>) outs(%e3 : tensor<2x64x128xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %bf = arith.extf %b : bf16 to f32
    %v = arith.addf %a, %bf : f32
    linalg.yield %v : f32
  } -> tensor<2x64x128xf32>

  // dropout(y), p = 0.1: a hash of the element's place in the whole tensor
  // decides, so that the mask does not depend on the number of devices.
  %seed = arith.constant 1337 : i32
  %d1 = arith.constant 64 : i32
  %d2 = arith.constant 128 : i32
  %m1 = arith.constant 2146121005 : i32
  %m2 = arith.constant -2073254261 : i32
  %s15 = arith.constant 15 : i32
  %s16 = arith.constant 16 : i32
  %threshold = arith.constant 429496730 : i32
  %scale = arith.constant 1.11111116 : f32
  %e4 = tensor.empty() : tensor<2x64x128xbf16>
  %out = linalg.generic {indexing_maps = [#id3, #id3],
                         iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x64x128xf32>) outs(%e4 : tensor<2x64x128xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %c0 = arith.index_cast %i0 : index to i32
    %c1 = arith.index_cast %i1 : index to i32
    %c2 = arith.index_cast %i2 : index to i32
    %r0 = arith.muli %c0, %d1 : i32
    %r1 = arith.addi %r0, %c1 : i32
    %r2 = arith.muli %r1, %d2 : i32
    %r3 = arith.addi %r2, %c2 : i32
    %n = arith.xori %r3, %seed : i32
    %x0 = arith.shrui %n, %s16 : i32
    %x1 = arith.xori %n, %x0 : i32
    %x2 = arith.muli %x1, %m1 : i32
    %x3 = arith.shrui %x2, %s15 : i32
    %x4 = arith.xori %x2, %x3 : i32
    %x5 = arith.muli %x4, %m2 : i32
    %x6 = arith.shrui %x5, %s16 : i32
    %x7 = arith.xori %x5, %x6 : i32
    %keep = arith.cmpi uge, %x7, %threshold : i32
    %kept = arith.mulf %a, %scale : f32
    %v = arith.select %keep, %kept, %zero : f32
    %r = arith.truncf %v : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x64x128xbf16>
  return %out : tensor<2x64x128xbf16>
}
