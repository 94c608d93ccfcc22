// Attention's gradients by wgmma: as one kernel, whose blocks add to the gradients of queries in turn, by TMA and by threads, and as two.
// DEFINE: %{function} =
// DEFINE: %{kernels} = 1
// DEFINE: %{arch} = sm_90a
// DEFINE: %{file} = %s
// DEFINE: %{input} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %{file} --device=cuda-local --options="arch=%{arch} schedule=wgmma_attention_backward plan=kernels=%{kernels}" --verify --tolerance=0.02 --function=%{function} %{input}
// REDEFINE: %{function} = wide
// RUN: %{run} --counters=%t.json
// Of the backward pass 4 steps of 2 blocks, 5 products each: the mask empties the others. 10.8 MFLOP are the forward pass's.
// RUN: %python %S/Inputs/check-counters.py %t.json --no-conflicts --tensor-flops=52756480
// A row without a visible key has equal probabilities, as its mask is finite: its logarithm is not added to a maximum of -1e30.
// RUN: sed 's/cmpi sge, %m, %n/cmpi sgt, %m, %n/' %s > %t.none.mlir
// REDEFINE: %{file} = %t.none.mlir
// RUN: %{run}
// Nine heads, of which eight are interleaved and one is alone.
// RUN: sed 's/1x150/9x150/g' %s > %t.nine.mlir
// REDEFINE: %{file} = %t.nine.mlir
// RUN: %{run}
// REDEFINE: %{file} = %s
// REDEFINE: %{function} = window
// RUN: %{run}
// Steps of 128 queries, rows shared by warpgroups.
// REDEFINE: %{file} = %S/attention-backward.mlir
// REDEFINE: %{function} = half
// RUN: %{run}
// REDEFINE: %{function} = brain_causal
// RUN: %{run}
// Where the queries begin is known when the program runs: 8 elements are 16 bytes, 4 are not, and threads copy.
// REDEFINE: %{file} = %s
// REDEFINE: %{function} = from
// REDEFINE: %{input} = --input=i64=8
// RUN: %{run} --counters=%t.json | FileCheck %s --check-prefix=TMA
// REDEFINE: %{input} = --input=i64=4
// RUN: %{run} --counters=%t.json | FileCheck %s --check-prefix=THREADS
// REDEFINE: %{input} =
// TMA: from_attention_backward_ws_all
// THREADS: from_attention_backward_wgmma_all
// REDEFINE: %{kernels} = 1,warps=8
// REDEFINE: %{function} = wide
// RUN: %{run}
// REDEFINE: %{function} = window
// RUN: %{run}
// REDEFINE: %{kernels} = 2
// RUN: %{run}
// REDEFINE: %{arch} = host
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_90a explain plan=kernels=1" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="is decomposed"
// CHECK-COUNT-3: kernel.attention_backward is scheduled by wgmma_attention_backward (1 kernel of 128 rows by {{[0-9]+}}, queries and gradients by TMA)

#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>

// 150 rows: blocks of 128 and of 22 keys, steps of 64 queries, columns shared by warpgroups.
func.func @wide(%q: tensor<1x150x128xbf16>, %k: tensor<1x150x128xbf16>, %v: tensor<1x150x128xbf16>, %g: tensor<1x150x128xbf16>) -> (tensor<1x150x128xbf16>, tensor<1x150x128xbf16>, tensor<1x150x128xbf16>, tensor<1x150x128xbf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %zt = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<1x150x150xf32>
  %er = tensor.empty() : tensor<1x150xf32>
  %ep = tensor.empty() : tensor<1x150x150xbf16>
  %i1 = tensor.empty() : tensor<1x150x150xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<1x150x150xf32>) -> tensor<1x150x150xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<1x150x128xbf16>, tensor<1x150x128xbf16>) outs(%z1 : tensor<1x150x150xf32>) -> tensor<1x150x150xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<1x150x150xf32>) outs(%es : tensor<1x150x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %c = arith.cmpi sge, %m, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<1x150x150xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<1x150xf32>) -> tensor<1x150xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x150xf32>) -> tensor<1x150xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x150x150xf32>) outs(%lows : tensor<1x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x150xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<1x150x150xf32>, tensor<1x150xf32>) outs(%es : tensor<1x150x150xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1x150x150xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<1x150x150xf32>) outs(%zr : tensor<1x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x150xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<1x150x150xf32>, tensor<1x150xf32>) outs(%ep : tensor<1x150x150xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: bf16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1x150x150xbf16>
  %i2 = tensor.empty() : tensor<1x150x128xbf16>
  %z2 = linalg.fill ins(%zt : bf16) outs(%i2 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<1x150x150xbf16>, tensor<1x150x128xbf16>) outs(%z2 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %i3 = tensor.empty() : tensor<1x150x150xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<1x150x150xf32>) -> tensor<1x150x150xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<1x150x128xbf16>, tensor<1x150x128xbf16>) outs(%z3 : tensor<1x150x150xf32>) -> tensor<1x150x150xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<1x150x150xf32>, tensor<1x150xf32>, tensor<1x150x150xf32>) outs(%es : tensor<1x150x150xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<1x150x150xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<1x150x150xf32>) outs(%zr : tensor<1x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x150xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<1x150x150xf32>, tensor<1x150xf32>, tensor<1x150xf32>, tensor<1x150x150xf32>) outs(%ep : tensor<1x150x150xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: bf16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %c = arith.cmpi sge, %m, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1x150x150xbf16>
  %i4 = tensor.empty() : tensor<1x150x128xbf16>
  %z4 = linalg.fill ins(%zt : bf16) outs(%i4 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<1x150x150xbf16>, tensor<1x150x128xbf16>) outs(%z4 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %i5 = tensor.empty() : tensor<1x150x128xbf16>
  %z5 = linalg.fill ins(%zt : bf16) outs(%i5 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<1x150x150xbf16>, tensor<1x150x128xbf16>) outs(%z5 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %i6 = tensor.empty() : tensor<1x150x128xbf16>
  %z6 = linalg.fill ins(%zt : bf16) outs(%i6 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<1x150x150xbf16>, tensor<1x150x128xbf16>) outs(%z6 : tensor<1x150x128xbf16>) -> tensor<1x150x128xbf16>
  return %o, %dq, %dk, %dv : tensor<1x150x128xbf16>, tensor<1x150x128xbf16>, tensor<1x150x128xbf16>, tensor<1x150x128xbf16>
}

// A causal window of 70: blocks have some of the steps, the others' turns are not waited for.
func.func @window(%q: tensor<1x300x128xf16>, %k: tensor<1x300x128xf16>, %v: tensor<1x300x48xf16>, %g: tensor<1x300x48xf16>) -> (tensor<1x300x48xf16>, tensor<1x300x128xf16>, tensor<1x300x128xf16>, tensor<1x300x48xf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant 0xFF800000 : f32
  %width = arith.constant 70 : index
  %zt = arith.constant 0.0 : f16
  %es = tensor.empty() : tensor<1x300x300xf32>
  %er = tensor.empty() : tensor<1x300xf32>
  %ep = tensor.empty() : tensor<1x300x300xf16>
  %i1 = tensor.empty() : tensor<1x300x300xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<1x300x300xf32>) -> tensor<1x300x300xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<1x300x128xf16>, tensor<1x300x128xf16>) outs(%z1 : tensor<1x300x300xf32>) -> tensor<1x300x300xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<1x300x300xf32>) outs(%es : tensor<1x300x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %later = arith.cmpi sge, %m, %n : index
    %end = arith.addi %n, %width : index
    %near = arith.cmpi slt, %m, %end : index
    %c = arith.andi %later, %near : i1
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<1x300x300xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<1x300xf32>) -> tensor<1x300xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x300xf32>) -> tensor<1x300xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x300x300xf32>) outs(%lows : tensor<1x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x300xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<1x300x300xf32>, tensor<1x300xf32>) outs(%es : tensor<1x300x300xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1x300x300xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<1x300x300xf32>) outs(%zr : tensor<1x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x300xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<1x300x300xf32>, tensor<1x300xf32>) outs(%ep : tensor<1x300x300xf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: f16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x300x300xf16>
  %i2 = tensor.empty() : tensor<1x300x48xf16>
  %z2 = linalg.fill ins(%zt : f16) outs(%i2 : tensor<1x300x48xf16>) -> tensor<1x300x48xf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<1x300x300xf16>, tensor<1x300x48xf16>) outs(%z2 : tensor<1x300x48xf16>) -> tensor<1x300x48xf16>
  %i3 = tensor.empty() : tensor<1x300x300xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<1x300x300xf32>) -> tensor<1x300x300xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<1x300x48xf16>, tensor<1x300x48xf16>) outs(%z3 : tensor<1x300x300xf32>) -> tensor<1x300x300xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<1x300x300xf32>, tensor<1x300xf32>, tensor<1x300x300xf32>) outs(%es : tensor<1x300x300xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<1x300x300xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<1x300x300xf32>) outs(%zr : tensor<1x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x300xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<1x300x300xf32>, tensor<1x300xf32>, tensor<1x300xf32>, tensor<1x300x300xf32>) outs(%ep : tensor<1x300x300xf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %later = arith.cmpi sge, %m, %n : index
    %end = arith.addi %n, %width : index
    %near = arith.cmpi slt, %m, %end : index
    %c = arith.andi %later, %near : i1
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x300x300xf16>
  %i4 = tensor.empty() : tensor<1x300x128xf16>
  %z4 = linalg.fill ins(%zt : f16) outs(%i4 : tensor<1x300x128xf16>) -> tensor<1x300x128xf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<1x300x300xf16>, tensor<1x300x128xf16>) outs(%z4 : tensor<1x300x128xf16>) -> tensor<1x300x128xf16>
  %i5 = tensor.empty() : tensor<1x300x128xf16>
  %z5 = linalg.fill ins(%zt : f16) outs(%i5 : tensor<1x300x128xf16>) -> tensor<1x300x128xf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<1x300x300xf16>, tensor<1x300x128xf16>) outs(%z5 : tensor<1x300x128xf16>) -> tensor<1x300x128xf16>
  %i6 = tensor.empty() : tensor<1x300x48xf16>
  %z6 = linalg.fill ins(%zt : f16) outs(%i6 : tensor<1x300x48xf16>) -> tensor<1x300x48xf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<1x300x300xf16>, tensor<1x300x48xf16>) outs(%z6 : tensor<1x300x48xf16>) -> tensor<1x300x48xf16>
  return %o, %dq, %dk, %dv : tensor<1x300x48xf16>, tensor<1x300x128xf16>, tensor<1x300x128xf16>, tensor<1x300x48xf16>
}

// More steps than the rings have stages.
func.func @from(%at: i64) -> (tensor<450x48xf32>, tensor<200x48xf32>, tensor<200x64xf32>) {
  %z = arith.constant 0.0 : f32
  %start = arith.index_cast %at : i64 to index
  %e = tensor.empty() : tensor<450x160xbf16>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<450x160xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.sin %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<450x160xbf16>
  %q = tensor.extract_slice %all[0, %start] [450, 48] [1, 1] : tensor<450x160xbf16> to tensor<450x48xbf16>
  %g = tensor.extract_slice %all[0, 64] [450, 64] [1, 1] : tensor<450x160xbf16> to tensor<450x64xbf16>
  %k = tensor.extract_slice %all[7, 16] [200, 48] [1, 1] : tensor<450x160xbf16> to tensor<200x48xbf16>
  %v = tensor.extract_slice %all[9, 80] [200, 64] [1, 1] : tensor<450x160xbf16> to tensor<200x64xbf16>
  %er = tensor.empty() : tensor<450xf32>
  %delta = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%er : tensor<450xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i64
    %1 = arith.sitofp %0 : i64 to f32
    %2 = math.cos %1 : f32
    linalg.yield %2 : f32
  } -> tensor<450xf32>
  %eq = tensor.empty() : tensor<450x48xf32>
  %ek = tensor.empty() : tensor<200x48xf32>
  %ev = tensor.empty() : tensor<200x64xf32>
  %zq = linalg.fill ins(%z : f32) outs(%eq : tensor<450x48xf32>) -> tensor<450x48xf32>
  %zk = linalg.fill ins(%z : f32) outs(%ek : tensor<200x48xf32>) -> tensor<200x48xf32>
  %zv = linalg.fill ins(%z : f32) outs(%ev : tensor<200x64xf32>) -> tensor<200x64xf32>
  %r:3 = kernel.attention_backward {indexing_maps = [
      affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>,
      affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %delta : tensor<450x48xbf16>, tensor<200x48xbf16>, tensor<200x64xbf16>, tensor<450x64xbf16>, tensor<450xf32>)
      outs(%zq, %zk, %zv : tensor<450x48xf32>, tensor<200x48xf32>, tensor<200x64xf32>) {
    ^bb0(%s: f32, %dp: f32, %d: f32):
      %scale = arith.constant 0.125 : f32
      %x = arith.mulf %s, %scale : f32
      %p = math.exp %x : f32
      %f = arith.subf %dp, %d : f32
      %w = arith.mulf %p, %f : f32
      %pt = arith.truncf %p : f32 to bf16
      %dt = arith.truncf %w : f32 to bf16
      kernel.yield %pt, %dt : bf16, bf16
    } -> tensor<450x48xf32>, tensor<200x48xf32>, tensor<200x64xf32>
  return %r#0, %r#1, %r#2 : tensor<450x48xf32>, tensor<200x48xf32>, tensor<200x64xf32>
}
