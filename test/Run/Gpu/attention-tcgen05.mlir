// Attention by tcgen05 on sm_100a, compared with the unfused program: causal masks, head dims of 64 and 128, both types
// of 16 bits, rows and keys that end within a tile, and each width of a step.
// REQUIRES: ptxas
// DEFINE: %{function} =
// DEFINE: %{plan} =
// DEFINE: %{options} = arch=sm_100a schedule=tcgen05_attention plan=%{plan}
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=capability=100 shard-run %s --device=cuda-local --function=%{function} --options="%{options}" --verify --tolerance=0.02 --counters=%t.json && %python %S/Inputs/check-counters.py %t.json --no-conflicts
// ptxas keeps all in registers.
// DEFINE: %{assemble} = shard-compile %s --function=%{function} --gpu --options="%{options}" -o %t.so --report=%t.report.json && FileCheck %s --check-prefix=%{function} --input-file=%t.report.json
// REDEFINE: %{function} = causal64
// REDEFINE: %{plan} = tile_n=64
// RUN: %{run}
// RUN: %{assemble}
// REDEFINE: %{plan} = tile_n=32
// RUN: %{run}
// causal64: "name": "causal64_attention_tcgen05_
// causal64: "tile_m": 128
// causal64: "spill_bytes": 0
// REDEFINE: %{function} = causal128
// REDEFINE: %{plan} = tile_n=32
// RUN: %{run}
// RUN: %{assemble}
// Two blocks share the columns of the values.
// REDEFINE: %{plan} = tile_n=64
// RUN: %{run}
// causal128: "name": "causal128_attention_tcgen05_
// causal128: "tile_m": 128
// causal128: "spill_bytes": 0
// On sm_100a it is what the model takes.
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_100a explain ptxas=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: kernel.attention is scheduled by tcgen05_attention (128 rows by 64 keys

#q = affine_map<(h, m, n, k, v) -> (h, m, k)>
#k = affine_map<(h, m, n, k, v) -> (h, n, k)>
#v = affine_map<(h, m, n, k, v) -> (h, n, v)>
#a = affine_map<(h, m, n, k, v) -> (h, m, v)>
#r = affine_map<(h, m, n, k, v) -> (h, m)>
#id = affine_map<(h, m, v) -> (h, m, v)>
#row = affine_map<(h, m, v) -> (h, m)>

func.func @causal64(%q: tensor<2x200x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x200x64xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<2x200x64xf32>
  %er = tensor.empty() : tensor<2x200xf32>
  %eo = tensor.empty() : tensor<2x200x64xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x200x64xf32>) -> tensor<2x200x64xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x200xf32>) -> tensor<2x200xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x200xf32>) -> tensor<2x200xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<2x200x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16>)
      outs(%acc, %max, %sum : tensor<2x200x64xf32>, tensor<2x200xf32>, tensor<2x200xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 1
        %n = kernel.loop_index 2
        %c = arith.cmpi sge, %m, %n : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x200x64xf32>, tensor<2x200xf32>, tensor<2x200xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x200x64xf32>, tensor<2x200xf32>) outs(%eo : tensor<2x200x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x200x64xbf16>
  return %o : tensor<2x200x64xbf16>
}

func.func @causal128(%q: tensor<1x150x128xf16>, %k: tensor<1x170x128xf16>, %v: tensor<1x170x128xf16>) -> tensor<1x150x128xf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.0883883461 : f32
  %ea = tensor.empty() : tensor<1x150x128xf32>
  %er = tensor.empty() : tensor<1x150xf32>
  %eo = tensor.empty() : tensor<1x150x128xf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<1x150x128xf32>) -> tensor<1x150x128xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<1x150xf32>) -> tensor<1x150xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<1x150xf32>) -> tensor<1x150xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<1x150x128xf16>, tensor<1x170x128xf16>, tensor<1x170x128xf16>)
      outs(%acc, %max, %sum : tensor<1x150x128xf32>, tensor<1x150xf32>, tensor<1x150xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 1
        %n = kernel.loop_index 2
        %c = arith.cmpi sge, %m, %n : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to f16
        kernel.yield %0 : f16
      } -> tensor<1x150x128xf32>, tensor<1x150xf32>, tensor<1x150xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<1x150x128xf32>, tensor<1x150xf32>) outs(%eo : tensor<1x150x128xf16>) {
  ^bb0(%a: f32, %s: f32, %old: f16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<1x150x128xf16>
  return %o : tensor<1x150x128xf16>
}

// Large enough to fill the chip; no test runs it.
func.func @full64(%q: tensor<64x4096x64xbf16>, %k: tensor<64x4096x64xbf16>, %v: tensor<64x4096x64xbf16>) -> tensor<64x4096x64xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<64x4096x64xf32>
  %er = tensor.empty() : tensor<64x4096xf32>
  %eo = tensor.empty() : tensor<64x4096x64xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<64x4096x64xf32>) -> tensor<64x4096x64xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %r:3 = kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : tensor<64x4096x64xbf16>, tensor<64x4096x64xbf16>, tensor<64x4096x64xbf16>)
      outs(%acc, %max, %sum : tensor<64x4096x64xf32>, tensor<64x4096xf32>, tensor<64x4096xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<64x4096x64xf32>, tensor<64x4096xf32>, tensor<64x4096xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<64x4096x64xf32>, tensor<64x4096xf32>) outs(%eo : tensor<64x4096x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<64x4096x64xbf16>
  return %o : tensor<64x4096x64xbf16>
}
