// Attention's gradients on an emulated GPU, against the unsharded program on
// the CPU, which stores its scores (they are small).
// DEFINE: %{function} =
// DEFINE: %{tolerance} = 0.00001
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --tolerance=%{tolerance} --function=%{function}
// REDEFINE: %{function} = heads
// RUN: %{run}
// REDEFINE: %{function} = textbook
// RUN: %{run}
// REDEFINE: %{function} = causal
// RUN: %{run}
// REDEFINE: %{function} = keys
// RUN: %{run}
// REDEFINE: %{function} = infinite
// RUN: %{run}
// REDEFINE: %{function} = large_heads
// RUN: %{run}
// Probabilities and scores' gradients are rounded to 16 bits, in another order.
// Forced, for gpu_check.py runs these for an architecture that has wgmma too.
// DEFINE: %{mma} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=mma_attention_backward" --verify --tolerance=%{tolerance} --function=%{function}
// REDEFINE: %{tolerance} = 0.005
// REDEFINE: %{function} = half
// RUN: %{mma}
// REDEFINE: %{tolerance} = 0.02
// REDEFINE: %{function} = brain
// RUN: %{mma}
// REDEFINE: %{function} = brain_causal
// RUN: %{mma}
// REDEFINE: %{function} = large_heads16
// RUN: %{mma}
// RUN: shard-opt %s --shardir-to-gpu="arch=host explain" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="is decomposed"
// CHECK-COUNT-5: kernel.attention_backward is scheduled by fma_attention_backward
// CHECK-COUNT-3: kernel.attention_backward is scheduled by mma_attention_backward
// CHECK: kernel.attention_backward is scheduled by fma_attention_backward (3 kernels
// CHECK: kernel.attention_backward is scheduled by mma_attention_backward (3 kernels

shardir.mesh @m <["x"=2]>
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>

// Heads are split; JAX's form of the softmax's gradient.
func.func @heads(%q: tensor<4x37x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<4x53x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<4x53x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<4x37x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<4x37x5xf32>, tensor<4x37x8xf32>, tensor<4x53x8xf32>, tensor<4x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<4x37x53xf32>
  %er = tensor.empty() : tensor<4x37xf32>
  %i1 = tensor.empty() : tensor<4x37x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<4x37x53xf32>) -> tensor<4x37x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<4x37x8xf32>, tensor<4x53x8xf32>) outs(%z1 : tensor<4x37x53xf32>) -> tensor<4x37x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x37x53xf32>) outs(%es : tensor<4x37x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<4x37x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x37x53xf32>) outs(%lows : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<4x37x53xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x37x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<4x37x53xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<4x37x53xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x53xf32>
  %i2 = tensor.empty() : tensor<4x37x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<4x37x5xf32>) -> tensor<4x37x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<4x37x53xf32>, tensor<4x53x5xf32>) outs(%z2 : tensor<4x37x5xf32>) -> tensor<4x37x5xf32>
  %i3 = tensor.empty() : tensor<4x37x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<4x37x53xf32>) -> tensor<4x37x53xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<4x37x5xf32>, tensor<4x53x5xf32>) outs(%z3 : tensor<4x37x53xf32>) -> tensor<4x37x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<4x37x53xf32>, tensor<4x37xf32>, tensor<4x37x53xf32>) outs(%es : tensor<4x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<4x37x53xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<4x37x53xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37x53xf32>) outs(%es : tensor<4x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x37x53xf32>
  %i4 = tensor.empty() : tensor<4x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<4x37x53xf32>, tensor<4x53x8xf32>) outs(%z4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %i5 = tensor.empty() : tensor<4x53x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<4x53x8xf32>) -> tensor<4x53x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<4x37x53xf32>, tensor<4x37x8xf32>) outs(%z5 : tensor<4x53x8xf32>) -> tensor<4x53x8xf32>
  %i6 = tensor.empty() : tensor<4x53x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<4x53x5xf32>) -> tensor<4x53x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<4x37x53xf32>, tensor<4x37x5xf32>) outs(%z6 : tensor<4x53x5xf32>) -> tensor<4x53x5xf32>
  return %o, %dq, %dk, %dv : tensor<4x37x5xf32>, tensor<4x37x8xf32>, tensor<4x53x8xf32>, tensor<4x53x5xf32>
}

// p * (dp - sum of p * dp); queries are split, so gradients of keys and values are sums over devices.
func.func @textbook(%q: tensor<3x37x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<3x53x8xf32>, %v: tensor<3x53x5xf32>, %g: tensor<3x37x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> (tensor<3x37x5xf32>, tensor<3x37x8xf32>, tensor<3x53x8xf32>, tensor<3x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<3x37x53xf32>
  %er = tensor.empty() : tensor<3x37xf32>
  %i1 = tensor.empty() : tensor<3x37x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<3x37x8xf32>, tensor<3x53x8xf32>) outs(%z1 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<3x37x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<3x37xf32>) -> tensor<3x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x37xf32>) -> tensor<3x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x37x53xf32>) outs(%lows : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<3x37x53xf32>, tensor<3x37xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<3x37x53xf32>) outs(%zr : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<3x37x53xf32>, tensor<3x37xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %i2 = tensor.empty() : tensor<3x37x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<3x37x5xf32>) -> tensor<3x37x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<3x37x53xf32>, tensor<3x53x5xf32>) outs(%z2 : tensor<3x37x5xf32>) -> tensor<3x37x5xf32>
  %i3 = tensor.empty() : tensor<3x37x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<3x37x5xf32>, tensor<3x53x5xf32>) outs(%z3 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<3x37x53xf32>, tensor<3x37xf32>, tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<3x37x53xf32>) outs(%zr : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<3x37x53xf32>, tensor<3x37xf32>, tensor<3x37xf32>, tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %i4 = tensor.empty() : tensor<3x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<3x37x8xf32>) -> tensor<3x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<3x37x53xf32>, tensor<3x53x8xf32>) outs(%z4 : tensor<3x37x8xf32>) -> tensor<3x37x8xf32>
  %i5 = tensor.empty() : tensor<3x53x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<3x53x8xf32>) -> tensor<3x53x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<3x37x53xf32>, tensor<3x37x8xf32>) outs(%z5 : tensor<3x53x8xf32>) -> tensor<3x53x8xf32>
  %i6 = tensor.empty() : tensor<3x53x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<3x53x5xf32>) -> tensor<3x53x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<3x37x53xf32>, tensor<3x37x5xf32>) outs(%z6 : tensor<3x53x5xf32>) -> tensor<3x53x5xf32>
  return %o, %dq, %dk, %dv : tensor<3x37x5xf32>, tensor<3x37x8xf32>, tensor<3x53x8xf32>, tensor<3x53x5xf32>
}

// A finite mask, with more keys than queries.
func.func @causal(%q: tensor<4x37x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<4x41x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<4x41x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<4x37x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<4x37x8xf32>, tensor<4x37x8xf32>, tensor<4x41x8xf32>, tensor<4x41x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 4 : index
  %es = tensor.empty() : tensor<4x37x41xf32>
  %er = tensor.empty() : tensor<4x37xf32>
  %i1 = tensor.empty() : tensor<4x37x41xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<4x37x8xf32>, tensor<4x41x8xf32>) outs(%z1 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<4x37x41xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x37x41xf32>) outs(%lows : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<4x37x41xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<4x37x41xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<4x37x41xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %i2 = tensor.empty() : tensor<4x37x8xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<4x37x41xf32>, tensor<4x41x8xf32>) outs(%z2 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %i3 = tensor.empty() : tensor<4x37x41xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<4x37x8xf32>, tensor<4x41x8xf32>) outs(%z3 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<4x37x41xf32>, tensor<4x37xf32>, tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<4x37x41xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<4x37x41xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %i4 = tensor.empty() : tensor<4x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<4x37x41xf32>, tensor<4x41x8xf32>) outs(%z4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %i5 = tensor.empty() : tensor<4x41x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<4x37x41xf32>, tensor<4x37x8xf32>) outs(%z5 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  %i6 = tensor.empty() : tensor<4x41x8xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<4x37x41xf32>, tensor<4x37x8xf32>) outs(%z6 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  return %o, %dq, %dk, %dv : tensor<4x37x8xf32>, tensor<4x37x8xf32>, tensor<4x41x8xf32>, tensor<4x41x8xf32>
}

// Keys are split unevenly: the gradient of queries is a sum over devices, and so is the sum of gradients' rows.
func.func @keys(%q: tensor<2x19x8xf32>, %k: tensor<2x53x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x53x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x19x5xf32>) -> (tensor<2x19x5xf32>, tensor<2x19x8xf32>, tensor<2x53x8xf32>, tensor<2x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 34 : index
  %es = tensor.empty() : tensor<2x19x53xf32>
  %er = tensor.empty() : tensor<2x19xf32>
  %i1 = tensor.empty() : tensor<2x19x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x19x8xf32>, tensor<2x53x8xf32>) outs(%z1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x19x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x19xf32>) -> tensor<2x19xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x19xf32>) -> tensor<2x19xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x19x53xf32>) outs(%lows : tensor<2x19xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x19xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x19x53xf32>, tensor<2x19xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x19x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x19x53xf32>) outs(%zr : tensor<2x19xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x19xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x19x53xf32>, tensor<2x19xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x19x53xf32>
  %i2 = tensor.empty() : tensor<2x19x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x19x5xf32>) -> tensor<2x19x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x19x53xf32>, tensor<2x53x5xf32>) outs(%z2 : tensor<2x19x5xf32>) -> tensor<2x19x5xf32>
  %i3 = tensor.empty() : tensor<2x19x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x19x5xf32>, tensor<2x53x5xf32>) outs(%z3 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x19x53xf32>, tensor<2x19xf32>, tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x19x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x19x53xf32>) outs(%zr : tensor<2x19xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x19xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x19x53xf32>, tensor<2x19xf32>, tensor<2x19xf32>, tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x19x53xf32>
  %i4 = tensor.empty() : tensor<2x19x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x19x53xf32>, tensor<2x53x8xf32>) outs(%z4 : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  %i5 = tensor.empty() : tensor<2x53x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x53x8xf32>) -> tensor<2x53x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x19x53xf32>, tensor<2x19x8xf32>) outs(%z5 : tensor<2x53x8xf32>) -> tensor<2x53x8xf32>
  %i6 = tensor.empty() : tensor<2x53x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x53x5xf32>) -> tensor<2x53x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x19x53xf32>, tensor<2x19x5xf32>) outs(%z6 : tensor<2x53x5xf32>) -> tensor<2x53x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x19x5xf32>, tensor<2x19x8xf32>, tensor<2x53x8xf32>, tensor<2x53x5xf32>
}

// An infinite mask.
func.func @infinite(%q: tensor<2x37x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<2x37x8xf32>, %v: tensor<2x37x5xf32>, %g: tensor<2x37x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> (tensor<2x37x5xf32>, tensor<2x37x8xf32>, tensor<2x37x8xf32>, tensor<2x37x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant 0xFF800000 : f32
  %shift = arith.constant 0 : index
  %es = tensor.empty() : tensor<2x37x37xf32>
  %er = tensor.empty() : tensor<2x37xf32>
  %i1 = tensor.empty() : tensor<2x37x37xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x37x37xf32>) -> tensor<2x37x37xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x37x8xf32>, tensor<2x37x8xf32>) outs(%z1 : tensor<2x37x37xf32>) -> tensor<2x37x37xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x37x37xf32>) outs(%es : tensor<2x37x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x37x37xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x37x37xf32>) outs(%lows : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x37x37xf32>, tensor<2x37xf32>) outs(%es : tensor<2x37x37xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x37x37xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x37x37xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x37x37xf32>, tensor<2x37xf32>) outs(%es : tensor<2x37x37xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x37x37xf32>
  %i2 = tensor.empty() : tensor<2x37x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x37x5xf32>) -> tensor<2x37x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x37x37xf32>, tensor<2x37x5xf32>) outs(%z2 : tensor<2x37x5xf32>) -> tensor<2x37x5xf32>
  %i3 = tensor.empty() : tensor<2x37x37xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x37x37xf32>) -> tensor<2x37x37xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x37x5xf32>, tensor<2x37x5xf32>) outs(%z3 : tensor<2x37x37xf32>) -> tensor<2x37x37xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x37x37xf32>, tensor<2x37xf32>, tensor<2x37x37xf32>) outs(%es : tensor<2x37x37xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x37x37xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x37x37xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x37x37xf32>, tensor<2x37xf32>, tensor<2x37xf32>, tensor<2x37x37xf32>) outs(%es : tensor<2x37x37xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x37x37xf32>
  %i4 = tensor.empty() : tensor<2x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x37x8xf32>) -> tensor<2x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x37x37xf32>, tensor<2x37x8xf32>) outs(%z4 : tensor<2x37x8xf32>) -> tensor<2x37x8xf32>
  %i5 = tensor.empty() : tensor<2x37x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x37x8xf32>) -> tensor<2x37x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x37x37xf32>, tensor<2x37x8xf32>) outs(%z5 : tensor<2x37x8xf32>) -> tensor<2x37x8xf32>
  %i6 = tensor.empty() : tensor<2x37x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x37x5xf32>) -> tensor<2x37x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x37x37xf32>, tensor<2x37x5xf32>) outs(%z6 : tensor<2x37x5xf32>) -> tensor<2x37x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x37x5xf32>, tensor<2x37x8xf32>, tensor<2x37x8xf32>, tensor<2x37x5xf32>
}

func.func @half(%q: tensor<2x37x16xf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<2x53x16xf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<2x53x16xf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<2x37x16xf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<2x37x16xf16>, tensor<2x37x16xf16>, tensor<2x53x16xf16>, tensor<2x53x16xf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %zt = arith.constant 0.0 : f16
  %es = tensor.empty() : tensor<2x37x53xf32>
  %er = tensor.empty() : tensor<2x37xf32>
  %ep = tensor.empty() : tensor<2x37x53xf16>
  %i1 = tensor.empty() : tensor<2x37x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x37x16xf16>, tensor<2x53x16xf16>) outs(%z1 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x37x53xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x37x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x37x53xf32>) outs(%lows : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x37x53xf32>, tensor<2x37xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x37x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x37x53xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x37x53xf32>, tensor<2x37xf32>) outs(%ep : tensor<2x37x53xf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: f16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x37x53xf16>
  %i2 = tensor.empty() : tensor<2x37x16xf16>
  %z2 = linalg.fill ins(%zt : f16) outs(%i2 : tensor<2x37x16xf16>) -> tensor<2x37x16xf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x37x53xf16>, tensor<2x53x16xf16>) outs(%z2 : tensor<2x37x16xf16>) -> tensor<2x37x16xf16>
  %i3 = tensor.empty() : tensor<2x37x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x37x16xf16>, tensor<2x53x16xf16>) outs(%z3 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x37x53xf32>, tensor<2x37xf32>, tensor<2x37x53xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x37x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x37x53xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x37x53xf32>, tensor<2x37xf32>, tensor<2x37xf32>, tensor<2x37x53xf32>) outs(%ep : tensor<2x37x53xf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x37x53xf16>
  %i4 = tensor.empty() : tensor<2x37x16xf16>
  %z4 = linalg.fill ins(%zt : f16) outs(%i4 : tensor<2x37x16xf16>) -> tensor<2x37x16xf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x37x53xf16>, tensor<2x53x16xf16>) outs(%z4 : tensor<2x37x16xf16>) -> tensor<2x37x16xf16>
  %i5 = tensor.empty() : tensor<2x53x16xf16>
  %z5 = linalg.fill ins(%zt : f16) outs(%i5 : tensor<2x53x16xf16>) -> tensor<2x53x16xf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x37x53xf16>, tensor<2x37x16xf16>) outs(%z5 : tensor<2x53x16xf16>) -> tensor<2x53x16xf16>
  %i6 = tensor.empty() : tensor<2x53x16xf16>
  %z6 = linalg.fill ins(%zt : f16) outs(%i6 : tensor<2x53x16xf16>) -> tensor<2x53x16xf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x37x53xf16>, tensor<2x37x16xf16>) outs(%z6 : tensor<2x53x16xf16>) -> tensor<2x53x16xf16>
  return %o, %dq, %dk, %dv : tensor<2x37x16xf16>, tensor<2x37x16xf16>, tensor<2x53x16xf16>, tensor<2x53x16xf16>
}

func.func @brain(%q: tensor<2x37x16xbf16>, %k: tensor<2x53x16xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x53x16xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x37x16xbf16>) -> (tensor<2x37x16xbf16>, tensor<2x37x16xbf16>, tensor<2x53x16xbf16>, tensor<2x53x16xbf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %zt = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<2x37x53xf32>
  %er = tensor.empty() : tensor<2x37xf32>
  %ep = tensor.empty() : tensor<2x37x53xbf16>
  %i1 = tensor.empty() : tensor<2x37x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x37x16xbf16>, tensor<2x53x16xbf16>) outs(%z1 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x37x53xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x37x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x37xf32>) -> tensor<2x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x37x53xf32>) outs(%lows : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x37x53xf32>, tensor<2x37xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x37x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x37x53xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x37x53xf32>, tensor<2x37xf32>) outs(%ep : tensor<2x37x53xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: bf16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x37x53xbf16>
  %i2 = tensor.empty() : tensor<2x37x16xbf16>
  %z2 = linalg.fill ins(%zt : bf16) outs(%i2 : tensor<2x37x16xbf16>) -> tensor<2x37x16xbf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x37x53xbf16>, tensor<2x53x16xbf16>) outs(%z2 : tensor<2x37x16xbf16>) -> tensor<2x37x16xbf16>
  %i3 = tensor.empty() : tensor<2x37x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x37x16xbf16>, tensor<2x53x16xbf16>) outs(%z3 : tensor<2x37x53xf32>) -> tensor<2x37x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x37x53xf32>, tensor<2x37xf32>, tensor<2x37x53xf32>) outs(%es : tensor<2x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x37x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x37x53xf32>) outs(%zr : tensor<2x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x37x53xf32>, tensor<2x37xf32>, tensor<2x37xf32>, tensor<2x37x53xf32>) outs(%ep : tensor<2x37x53xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: bf16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x37x53xbf16>
  %i4 = tensor.empty() : tensor<2x37x16xbf16>
  %z4 = linalg.fill ins(%zt : bf16) outs(%i4 : tensor<2x37x16xbf16>) -> tensor<2x37x16xbf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x37x53xbf16>, tensor<2x53x16xbf16>) outs(%z4 : tensor<2x37x16xbf16>) -> tensor<2x37x16xbf16>
  %i5 = tensor.empty() : tensor<2x53x16xbf16>
  %z5 = linalg.fill ins(%zt : bf16) outs(%i5 : tensor<2x53x16xbf16>) -> tensor<2x53x16xbf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x37x53xbf16>, tensor<2x37x16xbf16>) outs(%z5 : tensor<2x53x16xbf16>) -> tensor<2x53x16xbf16>
  %i6 = tensor.empty() : tensor<2x53x16xbf16>
  %z6 = linalg.fill ins(%zt : bf16) outs(%i6 : tensor<2x53x16xbf16>) -> tensor<2x53x16xbf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x37x53xbf16>, tensor<2x37x16xbf16>) outs(%z6 : tensor<2x53x16xbf16>) -> tensor<2x53x16xbf16>
  return %o, %dq, %dk, %dv : tensor<2x37x16xbf16>, tensor<2x37x16xbf16>, tensor<2x53x16xbf16>, tensor<2x53x16xbf16>
}

// Several steps, of which a mask hides some.
func.func @brain_causal(%q: tensor<2x150x32xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<2x150x32xbf16>, %v: tensor<2x150x24xbf16>, %g: tensor<2x150x24xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> (tensor<2x150x24xbf16>, tensor<2x150x32xbf16>, tensor<2x150x32xbf16>, tensor<2x150x24xbf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 0 : index
  %zt = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<2x150x150xf32>
  %er = tensor.empty() : tensor<2x150xf32>
  %ep = tensor.empty() : tensor<2x150x150xbf16>
  %i1 = tensor.empty() : tensor<2x150x150xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x150x32xbf16>, tensor<2x150x32xbf16>) outs(%z1 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x150x150xf32>) outs(%es : tensor<2x150x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x150x150xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x150xf32>) -> tensor<2x150xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x150xf32>) -> tensor<2x150xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x150x150xf32>) outs(%lows : tensor<2x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x150xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x150x150xf32>, tensor<2x150xf32>) outs(%es : tensor<2x150x150xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x150x150xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x150x150xf32>) outs(%zr : tensor<2x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x150xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x150x150xf32>, tensor<2x150xf32>) outs(%ep : tensor<2x150x150xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: bf16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x150x150xbf16>
  %i2 = tensor.empty() : tensor<2x150x24xbf16>
  %z2 = linalg.fill ins(%zt : bf16) outs(%i2 : tensor<2x150x24xbf16>) -> tensor<2x150x24xbf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x150x150xbf16>, tensor<2x150x24xbf16>) outs(%z2 : tensor<2x150x24xbf16>) -> tensor<2x150x24xbf16>
  %i3 = tensor.empty() : tensor<2x150x150xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x150x24xbf16>, tensor<2x150x24xbf16>) outs(%z3 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x150x150xf32>, tensor<2x150xf32>, tensor<2x150x150xf32>) outs(%es : tensor<2x150x150xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x150x150xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x150x150xf32>) outs(%zr : tensor<2x150xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x150xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x150x150xf32>, tensor<2x150xf32>, tensor<2x150xf32>, tensor<2x150x150xf32>) outs(%ep : tensor<2x150x150xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: bf16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x150x150xbf16>
  %i4 = tensor.empty() : tensor<2x150x32xbf16>
  %z4 = linalg.fill ins(%zt : bf16) outs(%i4 : tensor<2x150x32xbf16>) -> tensor<2x150x32xbf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x150x150xbf16>, tensor<2x150x32xbf16>) outs(%z4 : tensor<2x150x32xbf16>) -> tensor<2x150x32xbf16>
  %i5 = tensor.empty() : tensor<2x150x32xbf16>
  %z5 = linalg.fill ins(%zt : bf16) outs(%i5 : tensor<2x150x32xbf16>) -> tensor<2x150x32xbf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x150x150xbf16>, tensor<2x150x32xbf16>) outs(%z5 : tensor<2x150x32xbf16>) -> tensor<2x150x32xbf16>
  %i6 = tensor.empty() : tensor<2x150x24xbf16>
  %z6 = linalg.fill ins(%zt : bf16) outs(%i6 : tensor<2x150x24xbf16>) -> tensor<2x150x24xbf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x150x150xbf16>, tensor<2x150x24xbf16>) outs(%z6 : tensor<2x150x24xbf16>) -> tensor<2x150x24xbf16>
  return %o, %dq, %dk, %dv : tensor<2x150x24xbf16>, tensor<2x150x32xbf16>, tensor<2x150x32xbf16>, tensor<2x150x24xbf16>
}

// The gradients of keys and of values do not fit into one kernel's registers.
func.func @large_heads(%q: tensor<2x20x144xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<2x35x144xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<2x35x136xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<2x20x136xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<2x20x136xf32>, tensor<2x20x144xf32>, tensor<2x35x144xf32>, tensor<2x35x136xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.08 : f32
  %es = tensor.empty() : tensor<2x20x35xf32>
  %er = tensor.empty() : tensor<2x20xf32>
  %i1 = tensor.empty() : tensor<2x20x35xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x20x144xf32>, tensor<2x35x144xf32>) outs(%z1 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x20x35xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x20x35xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x20x35xf32>) outs(%lows : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x20x35xf32>, tensor<2x20xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x20x35xf32>) outs(%zr : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x20x35xf32>, tensor<2x20xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %i2 = tensor.empty() : tensor<2x20x136xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x20x136xf32>) -> tensor<2x20x136xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x20x35xf32>, tensor<2x35x136xf32>) outs(%z2 : tensor<2x20x136xf32>) -> tensor<2x20x136xf32>
  %i3 = tensor.empty() : tensor<2x20x35xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x20x136xf32>, tensor<2x35x136xf32>) outs(%z3 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x20x35xf32>, tensor<2x20xf32>, tensor<2x20x35xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x20x35xf32>) outs(%zr : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x20x35xf32>, tensor<2x20xf32>, tensor<2x20xf32>, tensor<2x20x35xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %i4 = tensor.empty() : tensor<2x20x144xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x20x144xf32>) -> tensor<2x20x144xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x20x35xf32>, tensor<2x35x144xf32>) outs(%z4 : tensor<2x20x144xf32>) -> tensor<2x20x144xf32>
  %i5 = tensor.empty() : tensor<2x35x144xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x35x144xf32>) -> tensor<2x35x144xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x20x35xf32>, tensor<2x20x144xf32>) outs(%z5 : tensor<2x35x144xf32>) -> tensor<2x35x144xf32>
  %i6 = tensor.empty() : tensor<2x35x136xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x35x136xf32>) -> tensor<2x35x136xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x20x35xf32>, tensor<2x20x136xf32>) outs(%z6 : tensor<2x35x136xf32>) -> tensor<2x35x136xf32>
  return %o, %dq, %dk, %dv : tensor<2x20x136xf32>, tensor<2x20x144xf32>, tensor<2x35x144xf32>, tensor<2x35x136xf32>
}

func.func @large_heads16(%q: tensor<2x20x200xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<2x35x200xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<2x35x248xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<2x20x248xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<2x20x248xbf16>, tensor<2x20x200xbf16>, tensor<2x35x200xbf16>, tensor<2x35x248xbf16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.07 : f32
  %zt = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<2x20x35xf32>
  %er = tensor.empty() : tensor<2x20xf32>
  %ep = tensor.empty() : tensor<2x20x35xbf16>
  %i1 = tensor.empty() : tensor<2x20x35xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x20x200xbf16>, tensor<2x35x200xbf16>) outs(%z1 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x20x35xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x20x35xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x20x35xf32>) outs(%lows : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x20x35xf32>, tensor<2x20xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x20x35xf32>) outs(%zr : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x20x35xf32>, tensor<2x20xf32>) outs(%ep : tensor<2x20x35xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %b: bf16):
    %r = arith.divf %a0, %a1 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x20x35xbf16>
  %i2 = tensor.empty() : tensor<2x20x248xbf16>
  %z2 = linalg.fill ins(%zt : bf16) outs(%i2 : tensor<2x20x248xbf16>) -> tensor<2x20x248xbf16>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x20x35xbf16>, tensor<2x35x248xbf16>) outs(%z2 : tensor<2x20x248xbf16>) -> tensor<2x20x248xbf16>
  %i3 = tensor.empty() : tensor<2x20x35xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x20x248xbf16>, tensor<2x35x248xbf16>) outs(%z3 : tensor<2x20x35xf32>) -> tensor<2x20x35xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x20x35xf32>, tensor<2x20xf32>, tensor<2x20x35xf32>) outs(%es : tensor<2x20x35xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x20x35xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x20x35xf32>) outs(%zr : tensor<2x20xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x20xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x20x35xf32>, tensor<2x20xf32>, tensor<2x20xf32>, tensor<2x20x35xf32>) outs(%ep : tensor<2x20x35xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: bf16):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x20x35xbf16>
  %i4 = tensor.empty() : tensor<2x20x200xbf16>
  %z4 = linalg.fill ins(%zt : bf16) outs(%i4 : tensor<2x20x200xbf16>) -> tensor<2x20x200xbf16>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x20x35xbf16>, tensor<2x35x200xbf16>) outs(%z4 : tensor<2x20x200xbf16>) -> tensor<2x20x200xbf16>
  %i5 = tensor.empty() : tensor<2x35x200xbf16>
  %z5 = linalg.fill ins(%zt : bf16) outs(%i5 : tensor<2x35x200xbf16>) -> tensor<2x35x200xbf16>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x20x35xbf16>, tensor<2x20x200xbf16>) outs(%z5 : tensor<2x35x200xbf16>) -> tensor<2x35x200xbf16>
  %i6 = tensor.empty() : tensor<2x35x248xbf16>
  %z6 = linalg.fill ins(%zt : bf16) outs(%i6 : tensor<2x35x248xbf16>) -> tensor<2x35x248xbf16>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x20x35xbf16>, tensor<2x20x248xbf16>) outs(%z6 : tensor<2x35x248xbf16>) -> tensor<2x35x248xbf16>
  return %o, %dq, %dk, %dv : tensor<2x20x248xbf16>, tensor<2x20x200xbf16>, tensor<2x35x200xbf16>, tensor<2x35x248xbf16>
}
