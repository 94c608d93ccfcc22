// Keys and values repeated for several heads of queries, forms that exported programs do not have:
// recognised on the way to the GPU and compared with the unsharded program.
// DEFINE: %{function} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function} %{inputs}
// DEFINE: %{check} = shard-opt %s --shardir-to-local | shard-opt --pass-pipeline="builtin.module(func.func(shardir-recognize-attention),canonicalize)" -mlir-print-local-scope | FileCheck %s --check-prefix
// REDEFINE: %{function} = positions
// RUN: %{run}
// RUN: %{check} POSITIONS
// REDEFINE: %{function} = unknown
// REDEFINE: %{inputs} = --input=i64=3 --input=i64=9
// RUN: %{run}
// RUN: %{check} UNKNOWN
// REDEFINE: %{function} = values_of_their_own
// REDEFINE: %{inputs} =
// RUN: %{run}
// RUN: %{check} OWN
shardir.mesh @m <["tp"=2]>

#q = affine_map<(h, m, n, k) -> (m, h, k)>
#k = affine_map<(h, m, n, k) -> (n, h, k)>
#s4 = affine_map<(h, m, n, k) -> (h, m, n)>
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#p = affine_map<(m, h, v, n) -> (h, m, n)>
#v = affine_map<(m, h, v, n) -> (n, h, v)>
#o = affine_map<(m, h, v, n) -> (m, h, v)>
#full = affine_map<(n, h, g, k) -> (n, h, g, k)>
#one = affine_map<(n, h, g, k) -> (n, h, 0, k)>
#slow = affine_map<(n, h, g, k) -> (n, h, k)>
#fast = affine_map<(n, h, g, k) -> (n, g, k)>

// As PyTorch writes it: a dim of one element, expanded to three and made one with the heads. The bias is computed
// from the head's number, so both loops are in the body. Heads split over devices.
// POSITIONS: kernel.attention {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d5)>,
// POSITIONS-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>]}
// POSITIONS-SAME: tensor<10x2x3x8xbf16>, tensor<12x2x8xbf16>, tensor<12x2x8xbf16>
// POSITIONS-DAG: kernel.loop_index 0
// POSITIONS-DAG: kernel.loop_index 1
func.func @positions(%q: tensor<10x12x8xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
    %k: tensor<12x4x8xbf16>, %v: tensor<12x4x8xbf16>) -> tensor<10x12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e5 = tensor.empty() : tensor<12x4x3x8xbf16>
  %k1 = tensor.expand_shape %k [[0], [1, 2], [3]] output_shape [12, 4, 1, 8] : tensor<12x4x8xbf16> into tensor<12x4x1x8xbf16>
  %k2 = linalg.generic {indexing_maps = [#one, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k1 : tensor<12x4x1x8xbf16>) outs(%e5 : tensor<12x4x3x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    linalg.yield %a : bf16
  } -> tensor<12x4x3x8xbf16>
  %kr = tensor.collapse_shape %k2 [[0], [1, 2], [3]] : tensor<12x4x3x8xbf16> into tensor<12x12x8xbf16>
  %v2 = linalg.generic {indexing_maps = [#slow, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<12x4x8xbf16>) outs(%e5 : tensor<12x4x3x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    linalg.yield %a : bf16
  } -> tensor<12x4x3x8xbf16>
  %vr = tensor.collapse_shape %v2 [[0], [1, 2], [3]] : tensor<12x4x3x8xbf16> into tensor<12x12x8xbf16>
  %es = tensor.empty() : tensor<12x10x12xf32>
  %er = tensor.empty() : tensor<12x10xf32>
  %eo = tensor.empty() : tensor<10x12x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<12x10x12xf32>) -> tensor<12x10x12xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %kr : tensor<10x12x8xbf16>, tensor<12x12x8xbf16>) outs(%zs : tensor<12x10x12xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<12x10x12xf32>
  %biased = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<12x10x12xf32>) outs(%es : tensor<12x10x12xf32>) {
  ^bb0(%a: f32, %b: f32):
    %h = linalg.index 0 : index
    %n = linalg.index 2 : index
    %i = arith.muli %h, %n : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %w = arith.constant 0.03 : f32
    %g = arith.mulf %f, %w : f32
    %t = arith.subf %a, %g : f32
    linalg.yield %t : f32
  } -> tensor<12x10x12xf32>
  %l = linalg.fill ins(%low : f32) outs(%er : tensor<12x10xf32>) -> tensor<12x10xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%biased : tensor<12x10x12xf32>) outs(%l : tensor<12x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<12x10xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%biased, %max : tensor<12x10x12xf32>, tensor<12x10xf32>) outs(%es : tensor<12x10x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.subf %a, %b : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<12x10x12xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<12x10xf32>) -> tensor<12x10xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<12x10x12xf32>) outs(%zr : tensor<12x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<12x10xf32>
  %pr = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<12x10x12xf32>, tensor<12x10xf32>) outs(%es : tensor<12x10x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<12x10x12xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<10x12x8xf32>) -> tensor<10x12x8xf32>
  %out = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%pr, %vr : tensor<12x10x12xf32>, tensor<12x12x8xbf16>) outs(%zo : tensor<10x12x8xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %y = arith.extf %b : bf16 to f32
    %t = arith.mulf %a, %y : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<10x12x8xf32>
  return %out : tensor<10x12x8xf32>
}

// How many heads keys have is not known, and they come again and again in a row (as jnp.tile repeats): the
// faster loop is that of keys' heads. Each head's queries are scaled by a factor of the head's own.
// UNKNOWN: kernel.attention {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1, d5)>,
// UNKNOWN-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1)>,
// UNKNOWN-SAME: tensor<10x2x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<2x?xf32>
func.func @unknown(%heads: i64, %length: i64) -> tensor<10x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %kh = arith.index_cast %heads : i64 to index
  %n = arith.index_cast %length : i64 to index
  %h = arith.muli %kh, %c2 : index
  %eq = tensor.empty(%h) : tensor<10x?x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, h, k) -> (m, h, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%eq : tensor<10x?x8xf32>) {
  ^bb0(%a: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %x = arith.addi %i0, %i2 : index
    %y = arith.muli %x, %i1 : index
    %c7 = arith.constant 7 : index
    %z = arith.remui %y, %c7 : index
    %w = arith.index_cast %z : index to i32
    %f = arith.sitofp %w : i32 to f32
    %t = math.sin %f : f32
    linalg.yield %t : f32
  } -> tensor<10x?x8xf32>
  %ek = tensor.empty(%n, %kh) : tensor<?x?x8xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(m, h, k) -> (m, h, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%ek : tensor<?x?x8xf32>) {
  ^bb0(%a: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %x = arith.muli %i0, %i2 : index
    %y = arith.addi %x, %i1 : index
    %w = arith.index_cast %y : index to i32
    %f = arith.sitofp %w : i32 to f32
    %t = math.cos %f : f32
    linalg.yield %t : f32
  } -> tensor<?x?x8xf32>
  %eh = tensor.empty(%h) : tensor<?xf32>
  %slopes = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%eh : tensor<?xf32>) {
  ^bb0(%a: f32):
    %i0 = linalg.index 0 : index
    %w = arith.index_cast %i0 : index to i32
    %f = arith.sitofp %w : i32 to f32
    %t = math.exp %f : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  %e5 = tensor.empty(%n, %kh) : tensor<?x2x?x8xf32>
  %k2 = linalg.generic {indexing_maps = [#fast, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<?x?x8xf32>) outs(%e5 : tensor<?x2x?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x2x?x8xf32>
  %kr = tensor.collapse_shape %k2 [[0], [1, 2], [3]] : tensor<?x2x?x8xf32> into tensor<?x?x8xf32>
  %es = tensor.empty(%h, %n) : tensor<?x10x?xf32>
  %er = tensor.empty(%h) : tensor<?x10xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x10x?xf32>) -> tensor<?x10x?xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %kr : tensor<10x?x8xf32>, tensor<?x?x8xf32>) outs(%zs : tensor<?x10x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x10x?xf32>
  %e = linalg.generic {indexing_maps = [#s, affine_map<(h, m, n) -> (h)>, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %slopes : tensor<?x10x?xf32>, tensor<?xf32>) outs(%es : tensor<?x10x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<?x10x?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?x10xf32>) -> tensor<?x10xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x10x?xf32>) outs(%zr : tensor<?x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<?x10xf32>
  %pr = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<?x10x?xf32>, tensor<?x10xf32>) outs(%es : tensor<?x10x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x10x?xf32>
  %eo = tensor.empty(%h) : tensor<10x?x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<10x?x8xf32>) -> tensor<10x?x8xf32>
  %out = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%pr, %kr : tensor<?x10x?xf32>, tensor<?x?x8xf32>) outs(%zo : tensor<10x?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<10x?x8xf32>
  %e8 = tensor.empty() : tensor<10x8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<10x8xf32>) -> tensor<10x8xf32>
  %all = linalg.reduce ins(%out : tensor<10x?x8xf32>) outs(%z8 : tensor<10x8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }
  return %all : tensor<10x8xf32>
}

// Keys alone are repeated: values are read with their heads in two.
// OWN: kernel.attention {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d5)>,
func.func @values_of_their_own(%q: tensor<10x12x8xf32>, %k: tensor<12x4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
    %v: tensor<12x12x8xf32>) -> tensor<10x12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e5 = tensor.empty() : tensor<12x4x3x8xf32>
  %k2 = linalg.generic {indexing_maps = [#slow, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<12x4x8xf32>) outs(%e5 : tensor<12x4x3x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<12x4x3x8xf32>
  %kr = tensor.collapse_shape %k2 [[0], [1, 2], [3]] : tensor<12x4x3x8xf32> into tensor<12x12x8xf32>
  %es = tensor.empty() : tensor<12x10x12xf32>
  %er = tensor.empty() : tensor<12x10xf32>
  %eo = tensor.empty() : tensor<10x12x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<12x10x12xf32>) -> tensor<12x10x12xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %kr : tensor<10x12x8xf32>, tensor<12x12x8xf32>) outs(%zs : tensor<12x10x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<12x10x12xf32>
  %e = linalg.exp ins(%scores : tensor<12x10x12xf32>) outs(%es : tensor<12x10x12xf32>) -> tensor<12x10x12xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<12x10xf32>) -> tensor<12x10xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<12x10x12xf32>) outs(%zr : tensor<12x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<12x10xf32>
  %pr = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<12x10x12xf32>, tensor<12x10xf32>) outs(%es : tensor<12x10x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<12x10x12xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<10x12x8xf32>) -> tensor<10x12x8xf32>
  %out = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%pr, %v : tensor<12x10x12xf32>, tensor<12x12x8xf32>) outs(%zo : tensor<10x12x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<10x12x8xf32>
  return %out : tensor<10x12x8xf32>
}
