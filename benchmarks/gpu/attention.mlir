// Attention forward at the sizes of a transformer: 4 sequences of 4096, 16 heads, bf16. Timed by gpu-check's
// run.sh --benchmark, beside PyTorch's scaled_dot_product_attention (peers/gpu_torch.py).
// 4 b h s^2 d operations: 275 GFLOP at d = 64 and 550 at 128, half of that with a causal mask.

#q = affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>
#k = affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>
#v = affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>
#a = affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>
#r = affine_map<(b, h, m, n, k, v) -> (b, h, m)>
#id = affine_map<(b, h, m, v) -> (b, h, m, v)>
#row = affine_map<(b, h, m, v) -> (b, h, m)>

func.func @full64(%q: tensor<4x16x4096x64xbf16>, %k: tensor<4x16x4096x64xbf16>, %v: tensor<4x16x4096x64xbf16>) -> tensor<4x16x4096x64xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<4x16x4096x64xf32>
  %er = tensor.empty() : tensor<4x16x4096xf32>
  %eo = tensor.empty() : tensor<4x16x4096x64xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<4x16x4096x64xf32>) -> tensor<4x16x4096x64xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>)
      outs(%acc, %max, %sum : tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>) outs(%eo : tensor<4x16x4096x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4x16x4096x64xbf16>
  return %o : tensor<4x16x4096x64xbf16>
}

func.func @causal64(%q: tensor<4x16x4096x64xbf16>, %k: tensor<4x16x4096x64xbf16>, %v: tensor<4x16x4096x64xbf16>) -> tensor<4x16x4096x64xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<4x16x4096x64xf32>
  %er = tensor.empty() : tensor<4x16x4096xf32>
  %eo = tensor.empty() : tensor<4x16x4096x64xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<4x16x4096x64xf32>) -> tensor<4x16x4096x64xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>)
      outs(%acc, %max, %sum : tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 2
        %n = kernel.loop_index 3
        %c = arith.cmpi sge, %m, %n : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<4x16x4096x64xf32>, tensor<4x16x4096xf32>) outs(%eo : tensor<4x16x4096x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4x16x4096x64xbf16>
  return %o : tensor<4x16x4096x64xbf16>
}

func.func @full128(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x16x4096x128xbf16>, %v: tensor<4x16x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.088388346 : f32
  %ea = tensor.empty() : tensor<4x16x4096x128xf32>
  %er = tensor.empty() : tensor<4x16x4096xf32>
  %eo = tensor.empty() : tensor<4x16x4096x128xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<4x16x4096x128xf32>) -> tensor<4x16x4096x128xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>)
      outs(%acc, %max, %sum : tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>) outs(%eo : tensor<4x16x4096x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4x16x4096x128xbf16>
  return %o : tensor<4x16x4096x128xbf16>
}

func.func @causal128(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x16x4096x128xbf16>, %v: tensor<4x16x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.088388346 : f32
  %ea = tensor.empty() : tensor<4x16x4096x128xf32>
  %er = tensor.empty() : tensor<4x16x4096xf32>
  %eo = tensor.empty() : tensor<4x16x4096x128xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<4x16x4096x128xf32>) -> tensor<4x16x4096x128xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<4x16x4096xf32>) -> tensor<4x16x4096xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>, tensor<4x16x4096x128xbf16>)
      outs(%acc, %max, %sum : tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 2
        %n = kernel.loop_index 3
        %c = arith.cmpi sge, %m, %n : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>, tensor<4x16x4096xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<4x16x4096x128xf32>, tensor<4x16x4096xf32>) outs(%eo : tensor<4x16x4096x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4x16x4096x128xbf16>
  return %o : tensor<4x16x4096x128xbf16>
}
