// Data parallel training with shard-optimizer-state: each gradient is reduced and
// scattered, the update runs on shards, and the next parameter is gathered: as
// many bytes as all-reduces where sizes divide, and states and their updates in
// a quarter of the memory. Results are those of the unsharded program, with dims
// that do not divide (5, 7), with fewer elements than ranks (3), beside a second
// axis, and along an axis of size 1.
// RUN: shard-run %s --mesh=dp=4,tp=1 --verify --report=%t.json | FileCheck %s --check-prefix=EQUAL
// RUN: %python %shardir_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=WITHOUT
// RUN: shard-run %s --mesh=dp=4,tp=1 --options=shard-optimizer-state=dp --verify --report=%t.json | FileCheck %s --check-prefix=EQUAL
// RUN: %python %shardir_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: shard-run %s --mesh=dp=2,tp=2 --options="shard-optimizer-state=dp,tp cost=bytes" --verify | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --mesh=dp=1,tp=3 --options=shard-optimizer-state=dp --verify | FileCheck %s --check-prefix=EQUAL

// A limit that replicated states exceed is enough to have them split.
// RUN: shard-opt %s --shardir-to-collective="mesh=dp=4,tp=1 memory-limit=560" --shardir-report=file=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=FITTED < %t.json
// FITTED:      "fitted_states": {
// FITTED-NEXT:   "axes": [
// FITTED-NEXT:     "dp"
// FITTED-NEXT:   ],
// FITTED-NEXT:   "peak_bytes_per_device_without": 576
// FITTED:      "peak_bytes_per_device": 408

// EQUAL-COUNT-6: equal to the unsharded program
// WITHOUT-NOT:     reduce_scatter
// WITHOUT-COUNT-2: all_reduce dp
// WITHOUT-NOT:     all_gather
// WITH-NOT:        all_reduce
// WITH-COUNT-2:    reduce_scatter dp
// WITH-NOT:        all_reduce
// WITH-COUNT-2:    all_gather dp
// WITH-NOT:        {{reduce|gather}}

#vector = affine_map<(i, j) -> (j)>
#matrix = affine_map<(i, j) -> (i, j)>

shardir.mesh @m <["dp"=?, "tp"=?]>
func.func @main(%x: tensor<9x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %given: tensor<9x3xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                %b: tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
                %mw: tensor<5x3xf32>, %vw: tensor<5x3xf32>, %mb: tensor<3xf32>, %vb: tensor<3xf32>)
    -> (tensor<5x3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<5x3xf32>
  %one_b = arith.constant dense<1.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<9x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9x3xf32>) -> tensor<9x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<9x5xf32>, tensor<5x3xf32>) outs(%z : tensor<9x3xf32>) -> tensor<9x3xf32>
  %r = linalg.generic {indexing_maps = [#matrix, #vector, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%y, %b, %given : tensor<9x3xf32>, tensor<3xf32>, tensor<9x3xf32>) outs(%e : tensor<9x3xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    %1 = arith.subf %0, %k : f32
    linalg.yield %1 : f32
  } -> tensor<9x3xf32>
  // The gradients.
  %et = tensor.empty() : tensor<5x9xf32>
  %xt = linalg.transpose ins(%x : tensor<9x5xf32>) outs(%et : tensor<5x9xf32>) permutation = [1, 0]
  %ew = tensor.empty() : tensor<5x3xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<5x3xf32>) -> tensor<5x3xf32>
  %gw = linalg.matmul ins(%xt, %r : tensor<5x9xf32>, tensor<9x3xf32>) outs(%zw : tensor<5x3xf32>) -> tensor<5x3xf32>
  %eb = tensor.empty() : tensor<3xf32>
  %zb = linalg.fill ins(%zero : f32) outs(%eb : tensor<3xf32>) -> tensor<3xf32>
  %gb = linalg.reduce ins(%r : tensor<9x3xf32>) outs(%zb : tensor<3xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  // m += g, v = v^2 + g^2, w -= m / (1 + v).
  %mw1 = arith.addf %mw, %gw : tensor<5x3xf32>
  %gw2 = arith.mulf %gw, %gw : tensor<5x3xf32>
  %vw0 = arith.mulf %vw, %vw : tensor<5x3xf32>
  %vw1 = arith.addf %vw0, %gw2 : tensor<5x3xf32>
  %dw = arith.addf %vw1, %one : tensor<5x3xf32>
  %uw = arith.divf %mw1, %dw : tensor<5x3xf32>
  %w1 = arith.subf %w, %uw : tensor<5x3xf32>
  %mb1 = arith.addf %mb, %gb : tensor<3xf32>
  %gb2 = arith.mulf %gb, %gb : tensor<3xf32>
  %vb0 = arith.mulf %vb, %vb : tensor<3xf32>
  %vb1 = arith.addf %vb0, %gb2 : tensor<3xf32>
  %db = arith.addf %vb1, %one_b : tensor<3xf32>
  %ub = arith.divf %mb1, %db : tensor<3xf32>
  %b1 = arith.subf %b, %ub : tensor<3xf32>
  return %w1, %b1, %mw1, %vw1, %mb1, %vb1
      : tensor<5x3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>
}
