// Forward and backward where positions of queries, keys and values are split: keys and
// values come around a ring in each pass, so that neither gathers nor scores are held
// from one to the other; gradients of keys and values are summed over the devices.
// The backward pass has gathers of its own before they are rings: attention is
// recognised all the same.
//
// RUN: shard-run %s --verify --options="rings=always"
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host rings=always" --verify
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host rings=never" --verify
// Large enough for tiles on the CPU.
// RUN: sed -e 's/x19/x1024/g' -e 's/x53/x1030/g' %s > %t.mlir
// RUN: shard-run %t.mlir --verify --options="rings=always"
//
// RUN: shard-opt %s --shardir-to-bufferized="arch=host rings=always" | FileCheck %s
// CHECK-COUNT-4: kernel.attention {
// CHECK-COUNT-4: kernel.attention_backward {
// CHECK-NOT:     kernel.attention
// RUN: shard-opt %s --shardir-to-bufferized="arch=host rings=never" | FileCheck %s --check-prefix=GATHERS
// GATHERS-COUNT-2: collective.all_gather
// GATHERS:         kernel.attention {
// GATHERS-COUNT-2: collective.all_gather
// GATHERS:         kernel.attention_backward {

shardir.mesh @m <["x"=4]>
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>
func.func @uneven(%q: tensor<2x19x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<2x53x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x53x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x19x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> (tensor<2x19x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, tensor<2x19x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, tensor<2x53x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, tensor<2x53x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
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
