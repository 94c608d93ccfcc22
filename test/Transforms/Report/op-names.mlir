// Explanations and reasons call a body by what it computes, and an op by the name that a front end gave it.
//
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-to-propagated,shardir-explain{collectives=false})" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s --check-prefix=REASON
// RUN: not shard-opt %s --shardir-to-redistributed=strict -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT

// CHECK: remark: result of 'elementwise multiply' is placed
// CHECK: remark: result of 'elementwise multiply, add, tanh and 1 more' is placed
// CHECK: remark: result of 'sum over dim 1' is placed
// CHECK: remark: result of 'max over dim 0' is
// CHECK: remark: result of 'contraction' is placed
// CHECK: remark: result of 'transpose' is placed
// CHECK: remark: result of 'broadcast' is placed
// CHECK: remark: result of 'elementwise cast' is placed
// CHECK: remark: result of 'lookup by index' is
// CHECK: remark: result of 'layers.0.norm (math.exp)' is placed

// REASON: shardir.redistribute {{.*}} {reason = #shardir.reason<operand 1 of "layers.0.mlp (elementwise multiply)">}

// STRICT: error: 'linalg.generic' op needs an implicit redistribution, which strict forbids: operand 1 of 'layers.0.mlp (elementwise multiply)'

#id = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
shardir.mesh @m <["a"=4]>

func.func @main(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %at: tensor<8x8xindex>)
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c1 = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %e64 = tensor.empty() : tensor<8x8xf64>
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.addf %p, %c1 : f32
    %r = math.tanh %q : f32
    %s = arith.negf %r : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%1 : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %4 = linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1, %init : tensor<8x8xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %5 = linalg.generic {indexing_maps = [#ji, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  %6 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  %7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<8x8xf32>) outs(%e64 : tensor<8x8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %r = arith.extf %a : f32 to f64
    linalg.yield %r : f64
  } -> tensor<8x8xf64>
  %8 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<8x8xindex>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: index, %o: f32):
    %j = linalg.index 1 : index
    %r = tensor.extract %1[%a, %j] : tensor<8x8xf32>
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %9 = math.exp %1 : tensor<8x8xf32> loc("layers.0.norm"("model.py":3:0))
  %10 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32> loc("layers.0.mlp"("model.py":4:0))
  return %10, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
         tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<8x8xf32>
}
