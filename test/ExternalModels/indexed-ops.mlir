// RUN: shard-opt %s --shardir-to-local --split-input-file | FileCheck %s

// Scatters and sorts: what passes without communication, and when rows make it partial.

shardir.mesh @m <["x"=2, "y"=3]>

// The gradient of an embedding under data parallelism: each device adds its own
// rows to zeros, and the sum is partial.
// CHECK-LABEL: func.func @rows_of_a_batch
// CHECK:         %[[P:.+]] = shardir.scatter ins({{.+}} : tensor<3x2xf32>, tensor<3x1xi64>) outs(%{{.+}} : tensor<7x2xf32>)
// CHECK:         collective.all_reduce %[[P]] {{.*}}partial = sum ["x"]
// CHECK-NOT:     collective
func.func @rows_of_a_batch(%u: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                           %i: tensor<6x1xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) {
  %zero = arith.constant dense<0.0> : tensor<7x6xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<6x6xf32>, tensor<6x1xi64>) outs(%zero : tensor<7x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<7x6xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// Each device applies the rows that fall into its shard; the others are at -1.
// CHECK-LABEL: func.func @indexed_dim
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32> {
// CHECK:         %[[I:.+]] = linalg.generic
// CHECK:           %[[NONE:.+]] = arith.constant -1 : index
// CHECK:           %[[OWN:.+]] = arith.subi
// CHECK:           %[[HERE:.+]] = arith.cmpi ult, %[[OWN]]
// CHECK:           arith.select %[[HERE]], %{{.+}}, %[[NONE]]
// CHECK:         %[[R:.+]] = shardir.scatter ins(%{{.+}}, %[[I]] : tensor<5x6xf32>, tensor<5x1xi64>) outs(%[[X]] : tensor<4x6xf32>)
// CHECK-NOT:     collective
// CHECK:         return %[[R]]
func.func @indexed_dim(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %u: tensor<5x6xf32>, %i: tensor<5x1xi64>)
    -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<8x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<8x6xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// The last row wins: rows are replicated, and the gather is of updates and indices alone.
// CHECK-LABEL: func.func @rows_in_order
// CHECK-COUNT-2: collective.all_gather
// CHECK:         shardir.scatter ins(%{{.+}}, %{{.+}} : tensor<6x6xf32>, tensor<6x1xi64>)
func.func @rows_in_order(%x: tensor<8x6xf32>, %u: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                         %i: tensor<6x1xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %0 = shardir.scatter ins(%u, %i : tensor<6x6xf32>, tensor<6x1xi64>) outs(%x : tensor<8x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<8x6xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// Rows pass; the sorted dim is gathered.
// CHECK-LABEL: func.func @sort_rows
// CHECK-NOT:     collective
// CHECK:         shardir.sort %{{.+}} : tensor<4x6xf32> dim = 1
func.func @sort_rows(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x6xf32> {
  %0 = shardir.sort %x : tensor<8x6xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @sorted_dim
// CHECK:         %[[ALL:.+]] = collective.all_gather
// CHECK:         shardir.sort %[[ALL]] : tensor<8x6xf32> dim = 0
func.func @sorted_dim(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x6xf32> {
  %0 = shardir.sort %x : tensor<8x6xf32> dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<8x6xf32>
}
