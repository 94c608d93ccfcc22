// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-sort-rows-by-group),cse)' | FileCheck %s

// Rows are sorted once, and between the products they stay sorted.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<13x5xf32>, %[[UP:[^:]+]]: tensor<4x5x7xf32>, %{{[^:]+}}: tensor<4x7x3xf32>, %[[CHOSEN:.+]]: tensor<13xi64>)
// CHECK:         %[[SORTED:.+]]:2 = shardir.sort %[[CHOSEN]], %{{.+}} : tensor<13xi64>, tensor<13xi32> dim = 0
// CHECK:         %[[PLACES:.+]]:2 = shardir.sort %[[SORTED]]#1, %{{.+}} : tensor<13xi32>, tensor<13xi32> dim = 0
// CHECK-NOT:     shardir.sort
// CHECK:         %[[FROM:.+]] = linalg.generic {{.*}} ins(%[[CHOSEN]]
// CHECK:           arith.cmpi slt
// CHECK:         %[[TO:.+]] = linalg.generic {{.*}} ins(%[[CHOSEN]]
// CHECK:           arith.cmpi sle
// CHECK:         %[[ROWS:.+]] = linalg.generic {{.*}} ins(%[[SORTED]]#1
// CHECK:           tensor.extract %[[X]]
// CHECK:         %[[OWN:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[FROM]], %[[TO]]
// CHECK:           arith.andi
// CHECK:         %[[PRODUCT:.+]] = linalg.generic {{.*}} ins(%[[OWN]], %[[UP]]
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[PRODUCT]], %[[CHOSEN]] : tensor<13x7xf32>, tensor<13xi64>)
// CHECK:           math.tanh
// CHECK:         %[[RESULT:.+]] = linalg.generic {{.*}} ins(%[[PLACES]]#1
// CHECK:           tensor.extract
// CHECK:         return %[[RESULT]]

#id3 = affine_map<(i, j, l) -> (i, j, l)>
#of_row = affine_map<(g, m, k) -> (m, k)>
#group = affine_map<(g, m, k) -> (m)>
#left = affine_map<(m, n, k, g) -> (g, m, k)>
#right = affine_map<(m, n, k, g) -> (g, k, n)>
#sums = affine_map<(m, n, k, g) -> (m, n)>

// What is computed between two products is computed on sorted rows.
func.func @layer(%x: tensor<13x5xf32>,
                 %up: tensor<4x5x7xf32>,
                 %down: tensor<4x7x3xf32>,
                 %chosen: tensor<13xi64>) -> tensor<13x3xf32> {
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %chosen : tensor<13x5xf32>, tensor<13xi64>) outs(%ex : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %c: i64, %old: f32):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %c, %g : i64
    %1 = arith.select %0, %v, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x13x5xf32>
  %eh = tensor.empty() : tensor<13x7xf32>
  %zh = linalg.fill ins(%z : f32) outs(%eh : tensor<13x7xf32>) -> tensor<13x7xf32>
  %h = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%rows, %up : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zh : tensor<13x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<13x7xf32>
  %em = tensor.empty() : tensor<4x13x7xf32>
  %middle = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %chosen : tensor<13x7xf32>, tensor<13xi64>) outs(%em : tensor<4x13x7xf32>) {
  ^bb0(%v: f32, %c: i64, %old: f32):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %t = math.tanh %v : f32
    %0 = arith.cmpi eq, %c, %g : i64
    %1 = arith.select %0, %t, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x13x7xf32>
  %es = tensor.empty() : tensor<13x3xf32>
  %zs = linalg.fill ins(%z : f32) outs(%es : tensor<13x3xf32>) -> tensor<13x3xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%middle, %down : tensor<4x13x7xf32>, tensor<4x7x3xf32>) outs(%zs : tensor<13x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<13x3xf32>
  return %y : tensor<13x3xf32>
}

// What is sorted in one block is not read in another.
// CHECK-LABEL: func.func @blocks(
// CHECK:         scf.if
// CHECK:           tensor.extract %arg0
// CHECK:         } else {
// CHECK:         tensor.extract %arg0
// CHECK:         return
func.func @blocks(%x: tensor<13x5xf32>, %w: tensor<4x5x7xf32>, %chosen: tensor<13xi64>, %cond: i1) -> (tensor<13x7xf32>, tensor<13x7xf32>) {
  %z = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<13x7xf32>
  %zh = linalg.fill ins(%z : f32) outs(%eh : tensor<13x7xf32>) -> tensor<13x7xf32>
  %y = scf.if %cond -> tensor<13x7xf32> {
    %e1 = tensor.empty() : tensor<4x13x5xf32>
    %r1 = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %chosen : tensor<13x5xf32>, tensor<13xi64>) outs(%e1 : tensor<4x13x5xf32>) {
    ^bb0(%v: f32, %c: i64, %old: f32):
      %i = linalg.index 0 : index
      %g = arith.index_cast %i : index to i64
      %0 = arith.cmpi eq, %c, %g : i64
      %1 = arith.select %0, %v, %z : f32
      linalg.yield %1 : f32
    } -> tensor<4x13x5xf32>
    %p1 = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%r1, %w : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zh : tensor<13x7xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<13x7xf32>
    scf.yield %p1 : tensor<13x7xf32>
  } else {
    scf.yield %zh : tensor<13x7xf32>
  }
  %e2 = tensor.empty() : tensor<4x13x5xf32>
  %r2 = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %chosen : tensor<13x5xf32>, tensor<13xi64>) outs(%e2 : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %c: i64, %old: f32):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %c, %g : i64
    %1 = arith.select %0, %v, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x13x5xf32>
  %p2 = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%r2, %w : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zh : tensor<13x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<13x7xf32>
  return %y, %p2 : tensor<13x7xf32>, tensor<13x7xf32>
}
