// Attention whose keys and values the copy engine brings, over more steps than its rings have stages, as PTX on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{input} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_90a explain schedule=wgmma_attention plan=warps=12" --verify --tolerance=0.008 --function=%{function} %{input} 2>&1 | FileCheck %s --check-prefix=RAN
// REDEFINE: %{function} = causal
// REDEFINE: %{input} = --counters=%t.json
// RUN: %{run}
// No schedule has a bank conflict, and mma_attention touches no sector for a part of it.
// DEFINE: %{check} = %python %S/Inputs/check-counters.py %t.json --no-conflicts
// RUN: %{check}
// DEFINE: %{options} = arch=sm_90a schedule=wgmma_attention plan=warps=8
// DEFINE: %{count} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="%{options}" --function=causal --counters=%t.json
// RUN: %{count}
// RUN: %{check}
// REDEFINE: %{options} = arch=sm_80 schedule=mma_attention
// RUN: %{count}
// RUN: %{check} --coalesced
// REDEFINE: %{input} =
// REDEFINE: %{function} = continued
// RUN: %{run}
// REDEFINE: %{function} = wide
// RUN: %{run}
// REDEFINE: %{function} = by_columns
// RUN: %{run}
// Where the keys begin is known when the program runs: 8 elements are 16 bytes, 4 are not.
// REDEFINE: %{function} = from
// REDEFINE: %{input} = --input=i64=8
// RUN: %{run}
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_90a schedule=wgmma_attention plan=warps=12" --verify --tolerance=0.008 --function=from --input=i64=4

// RAN: keys, 2 stages that the copy engine fills
// RAN: equal to the unsharded program

#q2 = affine_map<(m, n, k, v) -> (m, k)>
#k2 = affine_map<(m, n, k, v) -> (n, k)>
#v2 = affine_map<(m, n, k, v) -> (n, v)>
#a2 = affine_map<(m, n, k, v) -> (m, v)>
#r2 = affine_map<(m, n, k, v) -> (m)>
#m2 = affine_map<(m, n, k, v) -> (m, n)>

// Query heads share key heads; blocks with and without masked steps, a last step that ends within a tile.
func.func @causal(%q: tensor<2x3x200x128xbf16>, %k: tensor<2x600x128xbf16>, %v: tensor<2x600x128xbf16>) -> tensor<2x3x200x128xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.088388346 : f32
  %before = arith.constant 395 : index
  %ea = tensor.empty() : tensor<2x3x200x128xf32>
  %er = tensor.empty() : tensor<2x3x200xf32>
  %eo = tensor.empty() : tensor<2x3x200x128xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x3x200x128xf32>) -> tensor<2x3x200x128xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x3x200xf32>) -> tensor<2x3x200xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x3x200xf32>) -> tensor<2x3x200xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(h, g, m, n, k, v) -> (h, g, m, k)>, affine_map<(h, g, m, n, k, v) -> (h, n, k)>,
                                             affine_map<(h, g, m, n, k, v) -> (h, n, v)>, affine_map<(h, g, m, n, k, v) -> (h, g, m, v)>,
                                             affine_map<(h, g, m, n, k, v) -> (h, g, m)>, affine_map<(h, g, m, n, k, v) -> (h, g, m)>]}
      ins(%q, %k, %v : tensor<2x3x200x128xbf16>, tensor<2x600x128xbf16>, tensor<2x600x128xbf16>)
      outs(%acc, %max, %sum : tensor<2x3x200x128xf32>, tensor<2x3x200xf32>, tensor<2x3x200xf32>)
      score {
      ^bb0(%s: f32):
        %m = kernel.loop_index 2
        %n = kernel.loop_index 3
        %last = arith.addi %m, %before : index
        %seen = arith.cmpi sle, %n, %last : index
        %0 = arith.mulf %s, %scale : f32
        %1 = arith.select %seen, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x3x200x128xf32>, tensor<2x3x200xf32>, tensor<2x3x200xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, g, m, v) -> (h, g, m, v)>, affine_map<(h, g, m, v) -> (h, g, m)>, affine_map<(h, g, m, v) -> (h, g, m, v)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x3x200x128xf32>, tensor<2x3x200xf32>) outs(%eo : tensor<2x3x200x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x3x200x128xbf16>
  return %o : tensor<2x3x200x128xbf16>
}

// The values in the inits are continued; values are dropped behind the sum.
func.func @continued(%q: tensor<140x80xf16>, %k: tensor<520x80xf16>, %v: tensor<520x96xf16>, %keep: tensor<140x520xf32>,
                     %acc: tensor<140x96xf32>, %max: tensor<140xf32>, %sum: tensor<140xf32>) -> (tensor<140x96xf32>, tensor<140xf32>, tensor<140xf32>) {
  %scale = arith.constant 0.125 : f32
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #m2, #a2, #r2, #r2]}
      ins(%q, %k, %v, %keep : tensor<140x80xf16>, tensor<520x80xf16>, tensor<520x96xf16>, tensor<140x520xf32>)
      outs(%acc, %max, %sum : tensor<140x96xf32>, tensor<140xf32>, tensor<140xf32>)
      score {
      ^bb0(%s: f32, %e: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32, %e: f32):
        %0 = arith.mulf %p, %e : f32
        %1 = arith.truncf %0 : f32 to f16
        kernel.yield %1 : f16
      } -> tensor<140x96xf32>, tensor<140xf32>, tensor<140xf32>
  return %r#0, %r#1, %r#2 : tensor<140x96xf32>, tensor<140xf32>, tensor<140xf32>
}

// 256 columns, of a step of 64 keys.
func.func @wide(%q: tensor<70x256xbf16>, %k: tensor<330x256xbf16>, %v: tensor<330x256xbf16>) -> (tensor<70x256xf32>, tensor<70xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.0625 : f32
  %ea = tensor.empty() : tensor<70x256xf32>
  %er = tensor.empty() : tensor<70xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<70x256xf32>) -> tensor<70x256xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<70x256xbf16>, tensor<330x256xbf16>, tensor<330x256xbf16>)
      outs(%acc, %max, %sum : tensor<70x256xf32>, tensor<70xf32>, tensor<70xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<70x256xf32>, tensor<70xf32>, tensor<70xf32>
  return %r#0, %r#2 : tensor<70x256xf32>, tensor<70xf32>
}

// Memory is contiguous along the keys; columns for two blocks.
func.func @by_columns(%q: tensor<96x70xbf16>, %k: tensor<96x424xbf16>, %v: tensor<200x424xbf16>) -> (tensor<70x200xf32>, tensor<70xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<70x200xf32>
  %er = tensor.empty() : tensor<70xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<70x200xf32>) -> tensor<70x200xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (k, m)>, affine_map<(m, n, k, v) -> (k, n)>,
                                             affine_map<(m, n, k, v) -> (v, n)>, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<96x70xbf16>, tensor<96x424xbf16>, tensor<200x424xbf16>)
      outs(%acc, %max, %sum : tensor<70x200xf32>, tensor<70xf32>, tensor<70xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<70x200xf32>, tensor<70xf32>, tensor<70xf32>
  return %r#0, %r#2 : tensor<70x200xf32>, tensor<70xf32>
}

func.func @from(%at: i64) -> (tensor<72x72xf32>, tensor<72xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %start = arith.index_cast %at : i64 to index
  %e = tensor.empty() : tensor<400x160xbf16>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<400x160xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.sin %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<400x160xbf16>
  %q = tensor.extract_slice %all[7, 16] [72, 64] [1, 1] : tensor<400x160xbf16> to tensor<72x64xbf16>
  %k = tensor.extract_slice %all[0, %start] [400, 64] [1, 1] : tensor<400x160xbf16> to tensor<400x64xbf16>
  %v = tensor.extract_slice %all[0, 80] [400, 72] [1, 1] : tensor<400x160xbf16> to tensor<400x72xbf16>
  %ea = tensor.empty() : tensor<72x72xf32>
  %er = tensor.empty() : tensor<72xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<72x72xf32>) -> tensor<72x72xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<72xf32>) -> tensor<72xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<72xf32>) -> tensor<72xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<72x64xbf16>, tensor<400x64xbf16>, tensor<400x72xbf16>)
      outs(%acc, %max, %sum : tensor<72x72xf32>, tensor<72xf32>, tensor<72xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<72x72xf32>, tensor<72xf32>, tensor<72xf32>
  return %r#0, %r#2 : tensor<72x72xf32>, tensor<72xf32>
}
