// Attention with fewer heads of keys than devices: those lie over half of "tp", and the queries of each over the
// other half. Both halves are contracted at the end, by two loops, and nothing moves but the sum; XLA
// reduces each half by itself and receives 2048 bytes.
// RUN: shard-run %s --verify --options="cost=bytes strict" --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 2 * 3 * 64 * 4, r"
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

shardir.mesh @m <["tp"=4]>

#q_x = affine_map<(b, s, k, g, d, m) -> (b, s, m)>
#q_w = affine_map<(b, s, k, g, d, m) -> (m, k, g, d)>
#q_y = affine_map<(b, s, k, g, d, m) -> (b, s, k, g, d)>
#k_x = affine_map<(b, t, k, d, m) -> (b, t, m)>
#k_w = affine_map<(b, t, k, d, m) -> (m, k, d)>
#k_y = affine_map<(b, t, k, d, m) -> (b, t, k, d)>
#s_q = affine_map<(b, k, s, g, t, d) -> (b, s, k, g, d)>
#s_k = affine_map<(b, k, s, g, t, d) -> (b, t, k, d)>
#s_y = affine_map<(b, k, s, g, t, d) -> (b, k, s, g, t)>
#o_p = affine_map<(b, k, s, g, d, t) -> (b, k, s, g, t)>
#o_v = affine_map<(b, k, s, g, d, t) -> (b, t, k, d)>
#o_y = affine_map<(b, k, s, g, d, t) -> (b, k, s, g, d)>
#w_o = affine_map<(b, s, m, k, g, d) -> (b, k, s, g, d)>
#w_w = affine_map<(b, s, m, k, g, d) -> (k, g, d, m)>
#w_y = affine_map<(b, s, m, k, g, d) -> (b, s, m)>

// CHECK-NOT: collective.
// CHECK:     collective.all_reduce
// CHECK-NOT: collective.
func.func @main(%x: tensor<2x8x16xf32>,
                %wq: tensor<16x2x2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp":(1)2}, {"tp":(2)2}, {}]>},
                %wk: tensor<16x2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp":(1)2}, {}]>},
                %wv: tensor<16x2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp":(1)2}, {}]>},
                %wo: tensor<2x2x4x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp":(1)2}, {"tp":(2)2}, {}, {}]>})
    -> tensor<2x8x16xf32> {
  %zq = arith.constant dense<0.0> : tensor<2x8x2x2x4xf32>
  %q = linalg.generic {indexing_maps = [#q_x, #q_w, #q_y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wq : tensor<2x8x16xf32>, tensor<16x2x2x4xf32>) outs(%zq : tensor<2x8x2x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x2x2x4xf32>
  %zk = arith.constant dense<0.0> : tensor<2x8x2x4xf32>
  %k = linalg.generic {indexing_maps = [#k_x, #k_w, #k_y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wk : tensor<2x8x16xf32>, tensor<16x2x4xf32>) outs(%zk : tensor<2x8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x2x4xf32>
  %v = linalg.generic {indexing_maps = [#k_x, #k_w, #k_y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wv : tensor<2x8x16xf32>, tensor<16x2x4xf32>) outs(%zk : tensor<2x8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x2x4xf32>
  %zs = arith.constant dense<0.0> : tensor<2x2x8x2x8xf32>
  %s = linalg.generic {indexing_maps = [#s_q, #s_k, #s_y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x8x2x2x4xf32>, tensor<2x8x2x4xf32>) outs(%zs : tensor<2x2x8x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x8x2x8xf32>
  %e = tensor.empty() : tensor<2x2x8x2x8xf32>
  %p = linalg.softmax dimension(4) ins(%s : tensor<2x2x8x2x8xf32>) outs(%e : tensor<2x2x8x2x8xf32>) -> tensor<2x2x8x2x8xf32>
  %zo = arith.constant dense<0.0> : tensor<2x2x8x2x4xf32>
  %o = linalg.generic {indexing_maps = [#o_p, #o_v, #o_y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x2x8x2x8xf32>, tensor<2x8x2x4xf32>) outs(%zo : tensor<2x2x8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x8x2x4xf32>
  %zy = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %y = linalg.generic {indexing_maps = [#w_o, #w_w, #w_y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%o, %wo : tensor<2x2x8x2x4xf32>, tensor<2x2x4x16xf32>) outs(%zy : tensor<2x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
