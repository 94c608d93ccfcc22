// Attention by tiles, with the fills before it and the division behind it, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{tolerance} = 0.00001
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --tolerance=%{tolerance} --function=%{function}
// REDEFINE: %{function} = f32
// RUN: %{run}
// REDEFINE: %{function} = f64
// RUN: %{run}
// REDEFINE: %{function} = continued
// RUN: %{run}
// REDEFINE: %{function} = in_place
// RUN: %{run}
// REDEFINE: %{function} = heads_of_any_size
// RUN: %{run} --input=i64=5 --input=i64=9
// Probabilities are rounded to 16 bits, relative to another maximum where there are several steps.
// REDEFINE: %{tolerance} = 0.008
// REDEFINE: %{function} = bf16
// RUN: %{run}
// REDEFINE: %{function} = grouped_causal
// RUN: %{run}
// REDEFINE: %{function} = turned
// RUN: %{run}
// REDEFINE: %{function} = unaligned
// RUN: %{run}
// REDEFINE: %{function} = few_rows
// RUN: %{run}
// REDEFINE: %{function} = dropout
// RUN: %{run}
// REDEFINE: %{function} = window
// RUN: %{run}
// REDEFINE: %{function} = finite
// RUN: %{run}
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=i64=5 --input=i64=24
// RUN: %{run} --input=i64=130 --input=i64=150
// RUN: %{run} --input=i64=0 --input=i64=7
// RUN: %{run} --input=i64=7 --input=i64=0
// Warpgroups' products are never cheapest where they are emulated.
// DEFINE: %{wgmma} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=wgmma_attention" --verify --tolerance=%{tolerance} --function=%{function}
// RUN: %{wgmma} --input=i64=130 --input=i64=150
// REDEFINE: %{function} = bf16
// RUN: %{wgmma}
// REDEFINE: %{function} = grouped_causal
// RUN: %{wgmma}
// REDEFINE: %{function} = turned
// RUN: %{wgmma}
// REDEFINE: %{function} = unaligned
// RUN: %{wgmma}
// REDEFINE: %{function} = window
// RUN: %{wgmma}

#q4 = affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>
#k4 = affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>
#v4 = affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>
#a4 = affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>
#r4 = affine_map<(b, h, m, n, k, v) -> (b, h, m)>
#q2 = affine_map<(m, n, k, v) -> (m, k)>
#k2 = affine_map<(m, n, k, v) -> (n, k)>
#v2 = affine_map<(m, n, k, v) -> (n, v)>
#a2 = affine_map<(m, n, k, v) -> (m, v)>
#r2 = affine_map<(m, n, k, v) -> (m)>
#m2 = affine_map<(m, n, k, v) -> (m, n)>
#n2 = affine_map<(m, n, k, v) -> (n)>
#id2 = affine_map<(m, v) -> (m, v)>
#id3 = affine_map<(h, m, v) -> (h, m, v)>
#row2 = affine_map<(m, v) -> (m)>

// More keys than a step has, none of the extents a multiple of the tile's; columns of acc for two blocks.
func.func @f32(%q: tensor<70x20xf32>, %k: tensor<75x20xf32>, %v: tensor<75x140xf32>) -> tensor<70x140xf32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %ea = tensor.empty() : tensor<70x140xf32>
  %er = tensor.empty() : tensor<70xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<70x140xf32>) -> tensor<70x140xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<70x20xf32>, tensor<75x20xf32>, tensor<75x140xf32>)
      outs(%acc, %max, %sum : tensor<70x140xf32>, tensor<70xf32>, tensor<70xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<70x140xf32>, tensor<70xf32>, tensor<70xf32>
  %o = linalg.generic {indexing_maps = [#id2, #row2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<70x140xf32>, tensor<70xf32>) outs(%ea : tensor<70x140xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %0 = arith.divf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<70x140xf32>
  return %o : tensor<70x140xf32>
}

func.func @f64(%q: tensor<20x10xf64>, %k: tensor<40x10xf64>, %v: tensor<40x10xf64>) -> (tensor<20x10xf64>, tensor<20xf64>, tensor<20xf64>) {
  %z = arith.constant 0.0 : f64
  %l = arith.constant 0xFFF0000000000000 : f64
  %ea = tensor.empty() : tensor<20x10xf64>
  %er = tensor.empty() : tensor<20xf64>
  %acc = linalg.fill ins(%z : f64) outs(%ea : tensor<20x10xf64>) -> tensor<20x10xf64>
  %max = linalg.fill ins(%l : f64) outs(%er : tensor<20xf64>) -> tensor<20xf64>
  %sum = linalg.fill ins(%z : f64) outs(%er : tensor<20xf64>) -> tensor<20xf64>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<20x10xf64>, tensor<40x10xf64>, tensor<40x10xf64>)
      outs(%acc, %max, %sum : tensor<20x10xf64>, tensor<20xf64>, tensor<20xf64>)
      score {
      ^bb0(%s: f64):
        kernel.yield %s : f64
      } prob {
      ^bb0(%p: f64):
        kernel.yield %p : f64
      } -> tensor<20x10xf64>, tensor<20xf64>, tensor<20xf64>
  return %r#0, %r#1, %r#2 : tensor<20x10xf64>, tensor<20xf64>, tensor<20xf64>
}

// The values in the inits are continued; a bias per key, all three results.
func.func @continued(%q: tensor<33x8xf32>, %k: tensor<17x8xf32>, %v: tensor<17x100xf32>, %b: tensor<17xf32>,
                     %acc: tensor<33x100xf32>, %max: tensor<33xf32>, %sum: tensor<33xf32>) -> (tensor<33x100xf32>, tensor<33xf32>, tensor<33xf32>) {
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #n2, #a2, #r2, #r2]}
      ins(%q, %k, %v, %b : tensor<33x8xf32>, tensor<17x8xf32>, tensor<17x100xf32>, tensor<17xf32>)
      outs(%acc, %max, %sum : tensor<33x100xf32>, tensor<33xf32>, tensor<33xf32>)
      score {
      ^bb0(%s: f32, %e: f32):
        %0 = arith.addf %s, %e : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32, %e: f32):
        kernel.yield %p : f32
      } -> tensor<33x100xf32>, tensor<33xf32>, tensor<33xf32>
  return %r#0, %r#1, %r#2 : tensor<33x100xf32>, tensor<33xf32>, tensor<33xf32>
}

// The result takes the queries' place: 70 rows of 2 heads, for two blocks each.
func.func @in_place(%x: tensor<2x70x24xf32>, %k: tensor<75x24xf32>) -> tensor<2x70x24xf32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<2x70x24xf32>
  %er = tensor.empty() : tensor<2x70xf32>
  %q = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x70x24xf32>) outs(%ea : tensor<2x70x24xf32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x70x24xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x70x24xf32>) -> tensor<2x70x24xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x70xf32>) -> tensor<2x70xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x70xf32>) -> tensor<2x70xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (n, k)>, affine_map<(h, m, n, k, v) -> (n, v)>,
                                             affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>]}
      ins(%q, %k, %k : tensor<2x70x24xf32>, tensor<75x24xf32>, tensor<75x24xf32>)
      outs(%acc, %max, %sum : tensor<2x70x24xf32>, tensor<2x70xf32>, tensor<2x70xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<2x70x24xf32>, tensor<2x70xf32>, tensor<2x70xf32>
  %o = linalg.generic {indexing_maps = [#id3, affine_map<(h, m, v) -> (h, m)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x70x24xf32>, tensor<2x70xf32>) outs(%q : tensor<2x70x24xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %0 = arith.divf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<2x70x24xf32>
  return %o : tensor<2x70x24xf32>
}

// No schedule takes it: it is decomposed.
func.func @heads_of_any_size(%n: i64, %m: i64) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %x = arith.constant 0.5 : f32
  %sn = arith.index_cast %n : i64 to index
  %sm = arith.index_cast %m : i64 to index
  %e = tensor.empty(%sm, %sn) : tensor<?x?xf32>
  %er = tensor.empty(%sm) : tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.sin %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  %acc = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %q, %q : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%acc, %max, %sum : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %x : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %o = linalg.generic {indexing_maps = [#id2, affine_map<(m, v) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r#0 : tensor<?x?xf32>) outs(%z0 : tensor<f32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %old, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %o : tensor<f32>
}

func.func @bf16(%q: tensor<2x3x72x64xbf16>, %k: tensor<2x3x144x64xbf16>, %v: tensor<2x3x144x64xbf16>) -> tensor<2x3x72x64xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %ea = tensor.empty() : tensor<2x3x72x64xf32>
  %er = tensor.empty() : tensor<2x3x72xf32>
  %eo = tensor.empty() : tensor<2x3x72x64xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x3x72x64xf32>) -> tensor<2x3x72x64xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x3x72xf32>) -> tensor<2x3x72xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x3x72xf32>) -> tensor<2x3x72xf32>
  %r:3 = kernel.attention {indexing_maps = [#q4, #k4, #v4, #a4, #r4, #r4]}
      ins(%q, %k, %v : tensor<2x3x72x64xbf16>, tensor<2x3x144x64xbf16>, tensor<2x3x144x64xbf16>)
      outs(%acc, %max, %sum : tensor<2x3x72x64xf32>, tensor<2x3x72xf32>, tensor<2x3x72xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x3x72x64xf32>, tensor<2x3x72xf32>, tensor<2x3x72xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, v) -> (b, h, m, v)>, affine_map<(b, h, m, v) -> (b, h, m)>, affine_map<(b, h, m, v) -> (b, h, m, v)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x3x72x64xf32>, tensor<2x3x72xf32>) outs(%eo : tensor<2x3x72x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x3x72x64xbf16>
  return %o : tensor<2x3x72x64xbf16>
}

// Three query heads for each key head, positions outermost; rows whose first keys are masked, and rows without any.
func.func @grouped_causal(%q: tensor<100x2x3x40xf16>, %k: tensor<90x2x40xf16>, %v: tensor<90x2x56xf16>) -> (tensor<100x2x3x56xf32>, tensor<2x3x100xf32>, tensor<2x3x100xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.15 : f32
  %back = arith.constant 20 : index
  %ea = tensor.empty() : tensor<100x2x3x56xf32>
  %er = tensor.empty() : tensor<2x3x100xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<100x2x3x56xf32>) -> tensor<100x2x3x56xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x3x100xf32>) -> tensor<2x3x100xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x3x100xf32>) -> tensor<2x3x100xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(h, g, m, n, k, v) -> (m, h, g, k)>, affine_map<(h, g, m, n, k, v) -> (n, h, k)>,
                                             affine_map<(h, g, m, n, k, v) -> (n, h, v)>, affine_map<(h, g, m, n, k, v) -> (m, h, g, v)>,
                                             affine_map<(h, g, m, n, k, v) -> (h, g, m)>, affine_map<(h, g, m, n, k, v) -> (h, g, m)>]}
      ins(%q, %k, %v : tensor<100x2x3x40xf16>, tensor<90x2x40xf16>, tensor<90x2x56xf16>)
      outs(%acc, %max, %sum : tensor<100x2x3x56xf32>, tensor<2x3x100xf32>, tensor<2x3x100xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 2
        %n = kernel.loop_index 3
        %end = arith.addi %n, %back : index
        %c = arith.cmpi sge, %m, %end : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to f16
        kernel.yield %0 : f16
      } -> tensor<100x2x3x56xf32>, tensor<2x3x100xf32>, tensor<2x3x100xf32>
  return %r#0, %r#1, %r#2 : tensor<100x2x3x56xf32>, tensor<2x3x100xf32>, tensor<2x3x100xf32>
}

// All operands are contiguous along the other dim.
func.func @turned(%q: tensor<32x72xbf16>, %k: tensor<32x80xbf16>, %v: tensor<48x80xbf16>) -> tensor<72x48xf32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<72x48xf32>
  %er = tensor.empty() : tensor<72xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<72x48xf32>) -> tensor<72x48xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<72xf32>) -> tensor<72xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<72xf32>) -> tensor<72xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (k, m)>, affine_map<(m, n, k, v) -> (k, n)>, affine_map<(m, n, k, v) -> (v, n)>, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<32x72xbf16>, tensor<32x80xbf16>, tensor<48x80xbf16>)
      outs(%acc, %max, %sum : tensor<72x48xf32>, tensor<72xf32>, tensor<72xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<72x48xf32>, tensor<72xf32>, tensor<72xf32>
  return %r#0 : tensor<72x48xf32>
}

// Rows are no multiple of 16 bytes.
func.func @unaligned(%q: tensor<20x21xbf16>, %k: tensor<70x21xbf16>, %v: tensor<70x13xbf16>) -> tensor<20x13xf32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<20x13xf32>
  %er = tensor.empty() : tensor<20xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<20x13xf32>) -> tensor<20x13xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<20xf32>) -> tensor<20xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<20xf32>) -> tensor<20xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<20x21xbf16>, tensor<70x21xbf16>, tensor<70x13xbf16>)
      outs(%acc, %max, %sum : tensor<20x13xf32>, tensor<20xf32>, tensor<20xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<20x13xf32>, tensor<20xf32>, tensor<20xf32>
  return %r#0 : tensor<20x13xf32>
}

// One position of eight query heads that share a key head: they are the tile's rows and several blocks
// share the keys.
func.func @few_rows(%q: tensor<2x8x128xbf16>, %k: tensor<2x1100x128xbf16>, %v: tensor<2x1100x128xbf16>) -> tensor<2x8x128xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.088388346 : f32
  %ea = tensor.empty() : tensor<2x8x128xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %eo = tensor.empty() : tensor<2x8x128xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x8x128xf32>) -> tensor<2x8x128xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(h, g, n, k, v) -> (h, g, k)>, affine_map<(h, g, n, k, v) -> (h, n, k)>,
                                             affine_map<(h, g, n, k, v) -> (h, n, v)>, affine_map<(h, g, n, k, v) -> (h, g, v)>,
                                             affine_map<(h, g, n, k, v) -> (h, g)>, affine_map<(h, g, n, k, v) -> (h, g)>]}
      ins(%q, %k, %v : tensor<2x8x128xbf16>, tensor<2x1100x128xbf16>, tensor<2x1100x128xbf16>)
      outs(%acc, %max, %sum : tensor<2x8x128xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x8x128xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, g, v) -> (h, g, v)>, affine_map<(h, g, v) -> (h, g)>, affine_map<(h, g, v) -> (h, g, v)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x8x128xf32>, tensor<2x8xf32>) outs(%eo : tensor<2x8x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x128xbf16>
  return %o : tensor<2x8x128xbf16>
}

// The mask for dropout behind the sum is read from memory, a value per score.
func.func @dropout(%q: tensor<36x16xbf16>, %k: tensor<70x16xbf16>, %v: tensor<70x16xbf16>, %keep: tensor<36x70xf32>) -> (tensor<36x16xf32>, tensor<36xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<36x16xf32>
  %er = tensor.empty() : tensor<36xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<36x16xf32>) -> tensor<36x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<36xf32>) -> tensor<36xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<36xf32>) -> tensor<36xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #m2, #a2, #r2, #r2]}
      ins(%q, %k, %v, %keep : tensor<36x16xbf16>, tensor<70x16xbf16>, tensor<70x16xbf16>, tensor<36x70xf32>)
      outs(%acc, %max, %sum : tensor<36x16xf32>, tensor<36xf32>, tensor<36xf32>)
      score {
      ^bb0(%s: f32, %e: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32, %e: f32):
        %0 = arith.mulf %p, %e : f32
        %1 = arith.truncf %0 : f32 to bf16
        kernel.yield %1 : bf16
      } -> tensor<36x16xf32>, tensor<36xf32>, tensor<36xf32>
  return %r#0, %r#2 : tensor<36x16xf32>, tensor<36xf32>
}

func.func @unknown(%m: i64, %n: i64) -> tensor<32xf32> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %sm = arith.index_cast %m : i64 to index
  %sn = arith.index_cast %n : i64 to index
  %eq = tensor.empty(%sm) : tensor<?x32xbf16>
  %ek = tensor.empty(%sn) : tensor<?x32xbf16>
  %ea = tensor.empty(%sm) : tensor<?x32xf32>
  %er = tensor.empty(%sm) : tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%eq : tensor<?x32xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.sin %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<?x32xbf16>
  %k = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ek : tensor<?x32xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.cos %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<?x32xbf16>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<?x32xf32>) -> tensor<?x32xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %k : tensor<?x32xbf16>, tensor<?x32xbf16>, tensor<?x32xbf16>)
      outs(%acc, %max, %sum : tensor<?x32xf32>, tensor<?xf32>, tensor<?xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<?x32xf32>, tensor<?xf32>, tensor<?xf32>
  %e0 = tensor.empty() : tensor<32xf32>
  %z0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<32xf32>) -> tensor<32xf32>
  %o = linalg.generic {indexing_maps = [#id2, #row2, affine_map<(m, v) -> (v)>], iterator_types = ["reduction", "parallel"]}
      ins(%r#0, %r#2 : tensor<?x32xf32>, tensor<?xf32>) outs(%z0 : tensor<32xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %s : f32
    %2 = arith.addf %old, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32xf32>
  return %o : tensor<32xf32>
}

// A causal window: steps before it and behind it are skipped.
func.func @window(%q: tensor<150x32xbf16>, %k: tensor<170x32xbf16>, %v: tensor<170x32xbf16>) -> (tensor<150x32xf32>, tensor<150xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %size = arith.constant 30 : index
  %ea = tensor.empty() : tensor<150x32xf32>
  %er = tensor.empty() : tensor<150xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<150x32xf32>) -> tensor<150x32xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<150xf32>) -> tensor<150xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<150xf32>) -> tensor<150xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<150x32xbf16>, tensor<170x32xbf16>, tensor<170x32xbf16>)
      outs(%acc, %max, %sum : tensor<150x32xf32>, tensor<150xf32>, tensor<150xf32>)
      score {
      ^bb0(%s: f32):
        %m = kernel.loop_index 0
        %n = kernel.loop_index 1
        %a = arith.cmpi sge, %m, %n : index
        %e = arith.addi %n, %size : index
        %b = arith.cmpi slt, %m, %e : index
        %c = arith.andi %a, %b : i1
        %masked = arith.select %c, %s, %l : f32
        kernel.yield %masked : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<150x32xf32>, tensor<150xf32>, tensor<150xf32>
  return %r#0, %r#2 : tensor<150x32xf32>, tensor<150xf32>
}

// A finite mask: the first rows, whose scores are all masked, are not skipped, nor are rows of their tile.
func.func @finite(%q: tensor<150x32xbf16>, %k: tensor<170x32xbf16>, %v: tensor<170x32xbf16>) -> (tensor<150x32xf32>, tensor<150xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %later = arith.constant 70 : i32
  %low = arith.constant -1.0e30 : f32
  %ea = tensor.empty() : tensor<150x32xf32>
  %er = tensor.empty() : tensor<150xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<150x32xf32>) -> tensor<150x32xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<150xf32>) -> tensor<150xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<150xf32>) -> tensor<150xf32>
  %r:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #a2, #r2, #r2]}
      ins(%q, %k, %v : tensor<150x32xbf16>, tensor<170x32xbf16>, tensor<170x32xbf16>)
      outs(%acc, %max, %sum : tensor<150x32xf32>, tensor<150xf32>, tensor<150xf32>)
      score {
      ^bb0(%s: f32):
        %m = kernel.loop_index 0
        %n = kernel.loop_index 1
        %i = arith.index_cast %m : index to i32
        %j = arith.index_cast %n : index to i32
        %e = arith.addi %j, %later : i32
        %c = arith.cmpi slt, %i, %e : i32
        %masked = arith.select %c, %low, %s : f32
        kernel.yield %masked : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<150x32xf32>, tensor<150xf32>, tensor<150xf32>
  return %r#0, %r#2 : tensor<150x32xf32>, tensor<150xf32>
}
