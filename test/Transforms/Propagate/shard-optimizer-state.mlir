// RUN: shard-opt %s -shardir-shard-optimizer-state=axes=dp --split-input-file -verify-diagnostics | FileCheck %s

// The state is split, in the dim that the axis divides; its next value is the
// result that is computed first. The sum with weight decay has one gradient, so
// that it is computed on shards as well; a broadcast of a constant stays where it is.
// CHECK-LABEL: func.func @momentum(
// CHECK-SAME:    %[[X:.+]]: tensor<9x5xf32> {shardir.placement
// CHECK-SAME:    %[[W:.+]]: tensor<5x8xf32>,
// CHECK-SAME:    %{{.+}}: tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"dp"}]>}
// CHECK-SAME:    -> (tensor<5x8xf32> {shardir.alias = 1 : i64}, tensor<5x8xf32> {shardir.alias = 2 : i64})
// CHECK:         %[[WS:.+]] = shardir.constrain %[[W]] to #shardir.placement<@m, [{}, {"dp"}]> {direction = "forward"}
// CHECK:         linalg.matmul ins(%[[X]], %[[W]]
// CHECK:         %[[G:.+]] = linalg.matmul
// CHECK:         %[[GS:.+]] = shardir.constrain %[[G]] to #shardir.placement<@m, [{}, {"dp"}]> {direction = "forward"}
// CHECK:         %[[D:.+]] = arith.mulf %[[WS]],
// CHECK:         %[[S:.+]] = arith.addf %[[GS]], %[[D]]
// CHECK:         %[[M:.+]] = arith.addf %{{.+}}, %[[S]]
// CHECK:         %[[N:.+]] = arith.subf %[[WS]],
// CHECK:         %[[B:.+]] = shardir.constrain %[[N]] to #shardir.placement<@m, [{?}, {?}]> {direction = "none"}
// CHECK:         return %[[B]], %[[M]]
shardir.mesh @m <["dp"=4]>
func.func @momentum(%x: tensor<9x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                    %w: tensor<5x8xf32>, %m: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %c = arith.constant dense<0.9> : tensor<5x8xf32>
  %e = arith.constant dense<0.0> : tensor<9x8xf32>
  %z = arith.constant dense<0.0> : tensor<5x8xf32>
  %t = tensor.empty() : tensor<5x9xf32>
  %y = linalg.matmul ins(%x, %w : tensor<9x5xf32>, tensor<5x8xf32>) outs(%e : tensor<9x8xf32>) -> tensor<9x8xf32>
  %xt = linalg.transpose ins(%x : tensor<9x5xf32>) outs(%t : tensor<5x9xf32>) permutation = [1, 0]
  %g = linalg.matmul ins(%xt, %y : tensor<5x9xf32>, tensor<9x8xf32>) outs(%z : tensor<5x8xf32>) -> tensor<5x8xf32>
  %d = arith.mulf %w, %c : tensor<5x8xf32>
  %s = arith.addf %g, %d : tensor<5x8xf32>
  %m0 = arith.mulf %m, %c : tensor<5x8xf32>
  %m1 = arith.addf %m0, %s : tensor<5x8xf32>
  %w1 = arith.subf %w, %m1 : tensor<5x8xf32>
  return %w1, %m1 : tensor<5x8xf32>, tensor<5x8xf32>
}

// -----

// A state has its parameter's split as well, and a gradient of two terms is
// reduced once. Annotated results and aliases stay.
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %{{.+}}: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    %{{.+}}: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}
// CHECK-SAME:    -> (tensor<8x6xf32> {shardir.alias = 2 : i64}, tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
// CHECK:         %[[G:.+]] = arith.addf
// CHECK:         shardir.constrain %[[G]] to #shardir.placement<@m, [{"dp"}, {"tp"}]> {direction = "forward"}
shardir.mesh @m <["dp"=4, "tp"=2]>
func.func @split(%x: tensor<8x8xf32>, %w: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                 %m: tensor<8x6xf32>)
    -> (tensor<8x6xf32> {shardir.alias = 2}, tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<8x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = linalg.matmul ins(%x, %0 : tensor<8x8xf32>, tensor<8x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
  %g = arith.addf %0, %1 : tensor<8x6xf32>
  %m1 = arith.addf %m, %g : tensor<8x6xf32>
  %w1 = arith.subf %w, %m1 : tensor<8x6xf32>
  return %m1, %w1 : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// An input is no state, and a parameter that the axis splits has none to split.
// expected-remark @below {{option shard-optimizer-state='dp' changes nothing: no argument is read element by element alone, to update itself and a parameter that the axes do not split}}
module {
  shardir.mesh @m <["dp"=4]>
  // CHECK-LABEL: func.func @none(
  // CHECK-NOT:     constrain
  func.func @none(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                  %m: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %z = arith.constant dense<0.0> : tensor<8x8xf32>
    %g = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
    %m1 = arith.addf %m, %g : tensor<8x8xf32>
    %w1 = arith.subf %w, %m1 : tensor<8x8xf32>
    return %m1, %w1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
