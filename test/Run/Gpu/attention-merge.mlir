// Keys are split: every device attends to its own with the attention op, and the
// program's collectives merge maxima, sums and results; gradients of queries are
// sums over the devices.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// REDEFINE: %{function} = uneven
// RUN: %{run}
// REDEFINE: %{function} = empty
// RUN: %{run}
// REDEFINE: %{function} = hidden
// RUN: %{run}
// REDEFINE: %{function} = grid
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-gpu="arch=host explain" -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-4: their gradients one kernel.attention_backward

shardir.mesh @m <["x"=4]>
shardir.mesh @g <["x"=2, "y"=2]>
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>

// 14, 14, 14 and 11 keys.
func.func @uneven(%q: tensor<2x19x8xf32>, %k: tensor<2x53x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x53x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x19x5xf32>) -> (tensor<2x19x5xf32>, tensor<2x19x8xf32>, tensor<2x53x8xf32>, tensor<2x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x19x53xf32>
  %er = tensor.empty() : tensor<2x19xf32>
  %i1 = tensor.empty() : tensor<2x19x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x19x8xf32>, tensor<2x53x8xf32>) outs(%z1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
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
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x19x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x19x53xf32>) outs(%zr : tensor<2x19xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x19xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x19x53xf32>, tensor<2x19xf32>, tensor<2x19xf32>, tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
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

// 2, 2, 1 and 0 keys: a device without any has nothing to add.
func.func @empty(%q: tensor<2x7x8xf32>, %k: tensor<2x5x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x7x5xf32>) -> (tensor<2x7x5xf32>, tensor<2x7x8xf32>, tensor<2x5x8xf32>, tensor<2x5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x5xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x5xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x8xf32>, tensor<2x5x8xf32>) outs(%z1 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x5xf32>) outs(%es : tensor<2x7x5xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x5xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x5xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x5xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x5xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x5xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5xf32>
  %i2 = tensor.empty() : tensor<2x7x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x5xf32>, tensor<2x5x5xf32>) outs(%z2 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %i3 = tensor.empty() : tensor<2x7x5xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x5xf32>, tensor<2x5x5xf32>) outs(%z3 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x5xf32>, tensor<2x7xf32>, tensor<2x7x5xf32>) outs(%es : tensor<2x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x5xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x5xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x5xf32>) outs(%es : tensor<2x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5xf32>
  %i4 = tensor.empty() : tensor<2x7x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x7x5xf32>, tensor<2x5x8xf32>) outs(%z4 : tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  %i5 = tensor.empty() : tensor<2x5x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x7x5xf32>, tensor<2x7x8xf32>) outs(%z5 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  %i6 = tensor.empty() : tensor<2x5x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x7x5xf32>, tensor<2x7x5xf32>) outs(%z6 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x7x5xf32>, tensor<2x7x8xf32>, tensor<2x5x8xf32>, tensor<2x5x5xf32>
}

// One device's keys are in sight of no query.
func.func @hidden(%q: tensor<2x9x8xf32>, %k: tensor<2x33x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x33x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x9x5xf32>) -> (tensor<2x9x5xf32>, tensor<2x9x8xf32>, tensor<2x33x8xf32>, tensor<2x33x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 4 : index
  %es = tensor.empty() : tensor<2x9x33xf32>
  %er = tensor.empty() : tensor<2x9xf32>
  %i1 = tensor.empty() : tensor<2x9x33xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x9x33xf32>) -> tensor<2x9x33xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x9x8xf32>, tensor<2x33x8xf32>) outs(%z1 : tensor<2x9x33xf32>) -> tensor<2x9x33xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x9x33xf32>) outs(%es : tensor<2x9x33xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x9x33xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x9xf32>) -> tensor<2x9xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x9xf32>) -> tensor<2x9xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x9x33xf32>) outs(%lows : tensor<2x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x9xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x9x33xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x33xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x9x33xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x9x33xf32>) outs(%zr : tensor<2x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x9xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x9x33xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x33xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x9x33xf32>
  %i2 = tensor.empty() : tensor<2x9x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x9x33xf32>, tensor<2x33x5xf32>) outs(%z2 : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %i3 = tensor.empty() : tensor<2x9x33xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x9x33xf32>) -> tensor<2x9x33xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x9x5xf32>, tensor<2x33x5xf32>) outs(%z3 : tensor<2x9x33xf32>) -> tensor<2x9x33xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x9x33xf32>, tensor<2x9xf32>, tensor<2x9x33xf32>) outs(%es : tensor<2x9x33xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x9x33xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x9x33xf32>) outs(%zr : tensor<2x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x9xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x9x33xf32>, tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9x33xf32>) outs(%es : tensor<2x9x33xf32>) {
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
  } -> tensor<2x9x33xf32>
  %i4 = tensor.empty() : tensor<2x9x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x9x33xf32>, tensor<2x33x8xf32>) outs(%z4 : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %i5 = tensor.empty() : tensor<2x33x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x33x8xf32>) -> tensor<2x33x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x9x33xf32>, tensor<2x9x8xf32>) outs(%z5 : tensor<2x33x8xf32>) -> tensor<2x33x8xf32>
  %i6 = tensor.empty() : tensor<2x33x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x33x5xf32>) -> tensor<2x33x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x9x33xf32>, tensor<2x9x5xf32>) outs(%z6 : tensor<2x33x5xf32>) -> tensor<2x33x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x9x5xf32>, tensor<2x9x8xf32>, tensor<2x33x8xf32>, tensor<2x33x5xf32>
}

// Queries and keys: the ranks of a row merge probabilities, those of a column gradients.
func.func @grid(%q: tensor<2x19x8xf32> {shardir.placement = #shardir.placement<@g, [{}, {"y"}, {}]>}, %k: tensor<2x53x8xf32> {shardir.placement = #shardir.placement<@g, [{}, {"x"}, {}]>}, %v: tensor<2x53x5xf32> {shardir.placement = #shardir.placement<@g, [{}, {"x"}, {}]>}, %g: tensor<2x19x5xf32> {shardir.placement = #shardir.placement<@g, [{}, {"y"}, {}]>}) -> (tensor<2x19x5xf32>, tensor<2x19x8xf32>, tensor<2x53x8xf32>, tensor<2x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x19x53xf32>
  %er = tensor.empty() : tensor<2x19xf32>
  %i1 = tensor.empty() : tensor<2x19x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x19x8xf32>, tensor<2x53x8xf32>) outs(%z1 : tensor<2x19x53xf32>) -> tensor<2x19x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x19x53xf32>) outs(%es : tensor<2x19x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
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
    %r = arith.mulf %h, %scale : f32
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
