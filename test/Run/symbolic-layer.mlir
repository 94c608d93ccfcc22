// One module for 1, 2, 3, 4 and 8 devices (P6): a transformer layer, its heads and
// hidden units over an axis whose size is given with the run. 6 heads over 4
// devices leave one empty, over 8 two; 34 hidden units divide by 2 alone. Sizes
// given before anything is planned, behind it, and behind its collectives give the
// same, which is what one device computes.
// RUN: split-file %s %t
// RUN: shard-run %t/layer.mlir --mesh=dp=1,tp=1 --verify --output=@%t/y.npy | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=1,tp=2 --verify | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=1,tp=3 --verify | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=1,tp=4 --verify | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=1,tp=8 --verify | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=2,tp=3 --verify | FileCheck %s
// RUN: shard-run %t/layer.mlir --mesh=dp=3,tp=2 --verify | FileCheck %s
// CHECK: result 0: 5x12xf32 equal to the unsharded program

// RUN: shard-opt %t/layer.mlir --shardir-to-propagated -o %t/propagated.mlir
// RUN: shard-run %t/propagated.mlir --mesh=dp=1,tp=3 --verify | FileCheck %s
// RUN: shard-opt %t/layer.mlir --shardir-to-collective="cost=bytes" -o %t/collective.mlir
// RUN: shard-run %t/collective.mlir --mesh=dp=1,tp=1 --expected_output=@%t/y.npy
// RUN: shard-run %t/collective.mlir --mesh=dp=1,tp=2 --expected_output=@%t/y.npy
// RUN: shard-run %t/collective.mlir --mesh=dp=1,tp=3 --expected_output=@%t/y.npy
// RUN: shard-run %t/collective.mlir --mesh=dp=1,tp=4 --expected_output=@%t/y.npy
// RUN: shard-run %t/collective.mlir --mesh=dp=1,tp=8 --expected_output=@%t/y.npy
// RUN: shard-run %t/collective.mlir --mesh=dp=2,tp=3 --expected_output=@%t/y.npy

// One plan for every size, the one that receives least at the assumed sizes: of
// attention's output projection the heads are gathered, of the other layer the
// terms are summed.
// RUN: FileCheck %s --check-prefix=PLAN < %t/collective.mlir
// PLAN: shardir.mesh @m <["dp"=?2, "tp"=?4]>
// PLAN-COUNT-3: collective.all_gather
// PLAN: collective.all_reduce {{.*}} partial = sum ["tp"]
// PLAN-NOT: collective.
// PLAN: return

// For the sizes that decisions assume, late and early are the same program,
// whether time decides or bytes.
// RUN: shard-opt %t/layer.mlir --shardir-to-collective -o %t/timed.mlir
// RUN: shard-opt %t/timed.mlir --shardir-to-local="mesh=dp=2,tp=4" -o %t/late.mlir
// RUN: shard-opt %t/layer.mlir --shardir-to-local="mesh=dp=2,tp=4" -o %t/early.mlir
// RUN: diff %t/late.mlir %t/early.mlir
// RUN: shard-opt %t/collective.mlir --shardir-to-local="mesh=dp=2,tp=4 cost=bytes" -o %t/late-bytes.mlir
// RUN: shard-opt %t/layer.mlir --shardir-to-local="mesh=dp=2,tp=4 cost=bytes" -o %t/early-bytes.mlir
// RUN: diff %t/late-bytes.mlir %t/early-bytes.mlir

//--- layer.mlir
#x = affine_map<(s, h, k, d) -> (s, d)>
#w = affine_map<(s, h, k, d) -> (d, h, k)>
#q = affine_map<(s, h, k, d) -> (s, h, k)>
#sq = affine_map<(h, s, t, k) -> (s, h, k)>
#sk = affine_map<(h, s, t, k) -> (t, h, k)>
#ss = affine_map<(h, s, t, k) -> (h, s, t)>
#p = affine_map<(h, s, t) -> (h, s, t)>
#r = affine_map<(h, s, t) -> (h, s)>
#op = affine_map<(s, h, k, t) -> (h, s, t)>
#ov = affine_map<(s, h, k, t) -> (t, h, k)>
#oo = affine_map<(s, h, k, t) -> (s, h, k)>
#yo = affine_map<(s, d, h, k) -> (s, h, k)>
#yw = affine_map<(s, d, h, k) -> (h, k, d)>
#yy = affine_map<(s, d, h, k) -> (s, d)>
shardir.mesh @m <["dp"=?2, "tp"=?4]>
func.func @main(%x: tensor<5x12xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %wq: tensor<12x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
                %wk: tensor<12x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
                %wv: tensor<12x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>},
                %wo: tensor<6x3x12xf32>,
                %w1: tensor<12x34xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<34x12xf32>)
    -> (tensor<5x12xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zq = arith.constant dense<0.0> : tensor<5x6x3xf32>
  %zs = arith.constant dense<0.0> : tensor<6x5x5xf32>
  %zm = arith.constant dense<0xFF800000> : tensor<6x5xf32>
  %zl = arith.constant dense<0.0> : tensor<6x5xf32>
  %zy = arith.constant dense<0.0> : tensor<5x12xf32>
  %zh = arith.constant dense<0.0> : tensor<5x34xf32>
  %q = linalg.generic {indexing_maps = [#x, #w, #q], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wq : tensor<5x12xf32>, tensor<12x6x3xf32>) outs(%zq : tensor<5x6x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x6x3xf32>
  %k = linalg.generic {indexing_maps = [#x, #w, #q], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wk : tensor<5x12xf32>, tensor<12x6x3xf32>) outs(%zq : tensor<5x6x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x6x3xf32>
  %v = linalg.generic {indexing_maps = [#x, #w, #q], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wv : tensor<5x12xf32>, tensor<12x6x3xf32>) outs(%zq : tensor<5x6x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x6x3xf32>
  %scores = linalg.generic {indexing_maps = [#sq, #sk, #ss], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<5x6x3xf32>, tensor<5x6x3xf32>) outs(%zs : tensor<6x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<6x5x5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<6x5x5xf32>) outs(%zm : tensor<6x5xf32>) dimensions = [2]
  %es = tensor.empty() : tensor<6x5x5xf32>
  %exp = linalg.generic {indexing_maps = [#p, #r, #p], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : tensor<6x5x5xf32>, tensor<6x5xf32>) outs(%es : tensor<6x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<6x5x5xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<6x5x5xf32>) outs(%zl : tensor<6x5xf32>) dimensions = [2]
  %prob = linalg.generic {indexing_maps = [#p, #r, #p], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<6x5x5xf32>, tensor<6x5xf32>) outs(%es : tensor<6x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<6x5x5xf32>
  %o = linalg.generic {indexing_maps = [#op, #ov, #oo], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%prob, %v : tensor<6x5x5xf32>, tensor<5x6x3xf32>) outs(%zq : tensor<5x6x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x6x3xf32>
  %y = linalg.generic {indexing_maps = [#yo, #yw, #yy], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%o, %wo : tensor<5x6x3xf32>, tensor<6x3x12xf32>) outs(%zy : tensor<5x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x12xf32>
  %r1 = arith.addf %x, %y : tensor<5x12xf32>
  %h = linalg.matmul ins(%r1, %w1 : tensor<5x12xf32>, tensor<12x34xf32>) outs(%zh : tensor<5x34xf32>) -> tensor<5x34xf32>
  %a = math.tanh %h : tensor<5x34xf32>
  %f = linalg.matmul ins(%a, %w2 : tensor<5x34xf32>, tensor<34x12xf32>) outs(%zy : tensor<5x12xf32>) -> tensor<5x12xf32>
  %r2 = arith.addf %r1, %f : tensor<5x12xf32>
  return %r2 : tensor<5x12xf32>
}
