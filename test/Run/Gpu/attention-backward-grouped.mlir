// Attention's gradients where four query heads share a key head, with a causal mask: a block's steps are positions, each with all of their
// heads, so that the mask empties steps, and TMA copies boxes of positions and heads. Three heads do not divide a box, and threads copy.
// DEFINE: %{file} = %s
// DEFINE: %{kernels} = 1
// Sums of bf16 are rounded at each step in the unsharded program.
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %{file} --device=cuda-local --options="arch=sm_90a schedule=wgmma_attention_backward plan=kernels=%{kernels}" --verify --tolerance=0.05
// RUN: %{run} --counters=%t.json | FileCheck %s --check-prefix=TMA
// TMA: attention_backward_ws_all
// REDEFINE: %{kernels} = 2
// RUN: %{run}
// RUN: sed 's/2x4x/2x3x/g' %s > %t.three.mlir
// REDEFINE: %{file} = %t.three.mlir
// RUN: %{run} --counters=%t.json | FileCheck %s --check-prefix=THREADS
// THREADS: attention_backward_wgmma_keys

#s = affine_map<(h, g, m, n) -> (h, g, m, n)>
#r = affine_map<(h, g, m, n) -> (h, g, m)>
// Loops of products: their result's, then what is summed.
#sq = affine_map<(h, g, m, n, d) -> (m, h, g, d)>
#sk = affine_map<(h, g, m, n, d) -> (n, h, d)>
#ss = affine_map<(h, g, m, n, d) -> (h, g, m, n)>
#op = affine_map<(m, h, g, d, n) -> (h, g, m, n)>
#ov = affine_map<(m, h, g, d, n) -> (n, h, d)>
#oo = affine_map<(m, h, g, d, n) -> (m, h, g, d)>
#kp = affine_map<(n, h, d, g, m) -> (h, g, m, n)>
#kq = affine_map<(n, h, d, g, m) -> (m, h, g, d)>
#kk = affine_map<(n, h, d, g, m) -> (n, h, d)>

func.func @main(%q: tensor<80x2x4x64xbf16>, %k: tensor<80x2x64xbf16>, %v: tensor<80x2x64xbf16>, %g: tensor<80x2x4x64xbf16>)
    -> (tensor<80x2x4x64xbf16>, tensor<80x2x4x64xbf16>, tensor<80x2x64xbf16>, tensor<80x2x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %masked = arith.constant -1.0e+30 : f32
  %zt = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<2x4x80x80xf32>
  %er = tensor.empty() : tensor<2x4x80xf32>
  %ep = tensor.empty() : tensor<2x4x80x80xbf16>
  %is = tensor.empty() : tensor<2x4x80x80xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%is : tensor<2x4x80x80xf32>) -> tensor<2x4x80x80xf32>
  %s = linalg.generic {indexing_maps = [#sq, #sk, #ss], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<80x2x4x64xbf16>, tensor<80x2x64xbf16>) outs(%zs : tensor<2x4x80x80xf32>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: f32):
    %w0 = arith.extf %a0 : bf16 to f32
    %w1 = arith.extf %a1 : bf16 to f32
    %m0 = arith.mulf %w0, %w1 : f32
    %r0 = arith.addf %b, %m0 : f32
    linalg.yield %r0 : f32
  } -> tensor<2x4x80x80xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x4x80x80xf32>) outs(%es : tensor<2x4x80x80xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 2 : index
    %n = linalg.index 3 : index
    %c = arith.cmpi sge, %m, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80x80xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x4x80xf32>) -> tensor<2x4x80xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x4x80xf32>) -> tensor<2x4x80xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<2x4x80x80xf32>) outs(%lows : tensor<2x4x80xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %y = arith.maximumf %a0, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x4x80x80xf32>, tensor<2x4x80xf32>) outs(%es : tensor<2x4x80x80xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80x80xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%e : tensor<2x4x80x80xf32>) outs(%zr : tensor<2x4x80xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %y = arith.addf %a0, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x4x80x80xf32>, tensor<2x4x80xf32>) outs(%ep : tensor<2x4x80x80xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: bf16):
    %y = arith.divf %a0, %a1 : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x80x80xbf16>
  %io = tensor.empty() : tensor<80x2x4x64xbf16>
  %zo = linalg.fill ins(%zt : bf16) outs(%io : tensor<80x2x4x64xbf16>) -> tensor<80x2x4x64xbf16>
  %o = linalg.generic {indexing_maps = [#op, #ov, #oo], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x4x80x80xbf16>, tensor<80x2x64xbf16>) outs(%zo : tensor<80x2x4x64xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: bf16):
    %m0 = arith.mulf %a0, %a1 : bf16
    %r0 = arith.addf %b, %m0 : bf16
    linalg.yield %r0 : bf16
  } -> tensor<80x2x4x64xbf16>
  %idp = tensor.empty() : tensor<2x4x80x80xf32>
  %zdp = linalg.fill ins(%zero : f32) outs(%idp : tensor<2x4x80x80xf32>) -> tensor<2x4x80x80xf32>
  %dp = linalg.generic {indexing_maps = [#sq, #sk, #ss], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%g, %v : tensor<80x2x4x64xbf16>, tensor<80x2x64xbf16>) outs(%zdp : tensor<2x4x80x80xf32>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: f32):
    %w0 = arith.extf %a0 : bf16 to f32
    %w1 = arith.extf %a1 : bf16 to f32
    %m0 = arith.mulf %w0, %w1 : f32
    %r0 = arith.addf %b, %m0 : f32
    linalg.yield %r0 : f32
  } -> tensor<2x4x80x80xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x4x80x80xf32>, tensor<2x4x80xf32>, tensor<2x4x80x80xf32>) outs(%es : tensor<2x4x80x80xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %y = arith.mulf %i, %a2 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80x80xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w : tensor<2x4x80x80xf32>) outs(%zr : tensor<2x4x80xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %y = arith.addf %a0, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x4x80xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x4x80x80xf32>, tensor<2x4x80xf32>, tensor<2x4x80xf32>, tensor<2x4x80x80xf32>) outs(%ep : tensor<2x4x80x80xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: bf16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 2 : index
    %n = linalg.index 3 : index
    %c = arith.cmpi sge, %m, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %y = arith.mulf %k0, %scale : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x80x80xbf16>
  %idq = tensor.empty() : tensor<80x2x4x64xbf16>
  %zdq = linalg.fill ins(%zt : bf16) outs(%idq : tensor<80x2x4x64xbf16>) -> tensor<80x2x4x64xbf16>
  %dq = linalg.generic {indexing_maps = [#op, #ov, #oo], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%ds, %k : tensor<2x4x80x80xbf16>, tensor<80x2x64xbf16>) outs(%zdq : tensor<80x2x4x64xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: bf16):
    %m0 = arith.mulf %a0, %a1 : bf16
    %r0 = arith.addf %b, %m0 : bf16
    linalg.yield %r0 : bf16
  } -> tensor<80x2x4x64xbf16>
  %idk = tensor.empty() : tensor<80x2x64xbf16>
  %zdk = linalg.fill ins(%zt : bf16) outs(%idk : tensor<80x2x64xbf16>) -> tensor<80x2x64xbf16>
  %dk = linalg.generic {indexing_maps = [#kp, #kq, #kk], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%ds, %q : tensor<2x4x80x80xbf16>, tensor<80x2x4x64xbf16>) outs(%zdk : tensor<80x2x64xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: bf16):
    %m0 = arith.mulf %a0, %a1 : bf16
    %r0 = arith.addf %b, %m0 : bf16
    linalg.yield %r0 : bf16
  } -> tensor<80x2x64xbf16>
  %idv = tensor.empty() : tensor<80x2x64xbf16>
  %zdv = linalg.fill ins(%zt : bf16) outs(%idv : tensor<80x2x64xbf16>) -> tensor<80x2x64xbf16>
  %dv = linalg.generic {indexing_maps = [#kp, #kq, #kk], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %g : tensor<2x4x80x80xbf16>, tensor<80x2x4x64xbf16>) outs(%zdv : tensor<80x2x64xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %b: bf16):
    %m0 = arith.mulf %a0, %a1 : bf16
    %r0 = arith.addf %b, %m0 : bf16
    linalg.yield %r0 : bf16
  } -> tensor<80x2x64xbf16>
  return %o, %dq, %dk, %dv : tensor<80x2x4x64xbf16>, tensor<80x2x4x64xbf16>, tensor<80x2x64xbf16>, tensor<80x2x64xbf16>
}
