// A block of Mamba, its channels over "tp": projections in and out, a causal convolution, and a scan whose steps
// receive nothing. What moves are the sums of the projections to B and C, ahead of the scan, and the block's result.
// RUN: shard-run %s --verify --options="cost=bytes" --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 2 * 3 * (12 + 12 + 24) * 4, r"
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

shardir.mesh @m <["tp"=4]>

#in = affine_map<(b, l, e, d) -> (b, l, d)>
#w = affine_map<(b, l, e, d) -> (d, e)>
#out = affine_map<(b, l, e, d) -> (b, l, e)>
#before = affine_map<(b, l, e, t) -> (b, l + t, e)>
#taps = affine_map<(b, l, e, t) -> (t, e)>
#be = affine_map<(b, e, n) -> (b, e)>
#bn = affine_map<(b, e, n) -> (b, n)>
#en = affine_map<(b, e, n) -> (e, n)>
#ben = affine_map<(b, e, n) -> (b, e, n)>

// Each iteration reads replicated parts of B and C, which no annotation explains.
// CHECK-COUNT-2: collective.all_reduce {{.*}}tensor<2x6x4xf32>
// CHECK:         scf.for
// CHECK-NOT:     collective.
// CHECK-COUNT-2: tensor.extract_slice {{.*}}] {shardir.placements = [#shardir.placement<@m, [{}, {}]>]} : tensor<2x6x4xf32>
// CHECK:         scf.yield
// CHECK:         collective.all_reduce {{.*}}tensor<2x6x8xf32>
// CHECK-NEXT:    return
func.func @main(%u: tensor<2x6x8xf32>,
                %win: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %wz: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %conv: tensor<3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %wb: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %wc: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %a: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %wo: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> tensor<2x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %wide = arith.constant dense<0.0> : tensor<2x6x16xf32>
  %narrow = arith.constant dense<0.0> : tensor<2x6x4xf32>
  %step = arith.constant dense<0.0> : tensor<2x16xf32>
  %start = arith.constant dense<0.0> : tensor<2x16x4xf32>
  %sums = arith.constant dense<0.0> : tensor<2x6x8xf32>
  %x = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%u, %win : tensor<2x6x8xf32>, tensor<8x16xf32>) outs(%wide : tensor<2x6x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x16xf32>
  %z = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%u, %wz : tensor<2x6x8xf32>, tensor<8x16xf32>) outs(%wide : tensor<2x6x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x16xf32>
  %padded = tensor.pad %x low[0, 2, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x6x16xf32> to tensor<2x8x16xf32>
  %mixed = linalg.generic {indexing_maps = [#before, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%padded, %conv : tensor<2x8x16xf32>, tensor<3x16xf32>) outs(%wide : tensor<2x6x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x16xf32>
  %act = math.tanh %mixed : tensor<2x6x16xf32>
  %b = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%act, %wb : tensor<2x6x16xf32>, tensor<16x4xf32>) outs(%narrow : tensor<2x6x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x4xf32>
  %c = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%act, %wc : tensor<2x6x16xf32>, tensor<16x4xf32>) outs(%narrow : tensor<2x6x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x16x4xf32>
  %h, %ys = scf.for %t = %c0 to %c6 step %c1 iter_args(%state = %start, %made = %wide) -> (tensor<2x16x4xf32>, tensor<2x6x16xf32>) {
    %xt = tensor.extract_slice %act[0, %t, 0] [2, 1, 16] [1, 1, 1] : tensor<2x6x16xf32> to tensor<2x16xf32>
    %bt = tensor.extract_slice %b[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x4xf32>
    %ct = tensor.extract_slice %c[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x4xf32>
    %next = linalg.generic {indexing_maps = [#ben, #en, #be, #bn, #ben], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%state, %a, %xt, %bt : tensor<2x16x4xf32>, tensor<16x4xf32>, tensor<2x16xf32>, tensor<2x4xf32>) outs(%e : tensor<2x16x4xf32>) {
    ^bb0(%s: f32, %d: f32, %p: f32, %q: f32, %o: f32):
      %0 = math.tanh %d : f32
      %1 = arith.mulf %s, %0 : f32
      %2 = arith.mulf %p, %q : f32
      %3 = arith.addf %1, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<2x16x4xf32>
    %yt = linalg.generic {indexing_maps = [#ben, #bn, #be], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%next, %ct : tensor<2x16x4xf32>, tensor<2x4xf32>) outs(%step : tensor<2x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x16xf32>
    %n = tensor.insert_slice %yt into %made[0, %t, 0] [2, 1, 16] [1, 1, 1] : tensor<2x16xf32> into tensor<2x6x16xf32>
    scf.yield %next, %n : tensor<2x16x4xf32>, tensor<2x6x16xf32>
  }
  %gate = math.tanh %z : tensor<2x6x16xf32>
  %gated = arith.mulf %ys, %gate : tensor<2x6x16xf32>
  %y = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%gated, %wo : tensor<2x6x16xf32>, tensor<16x8xf32>) outs(%sums : tensor<2x6x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}
