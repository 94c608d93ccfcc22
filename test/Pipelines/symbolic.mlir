// Mesh sizes may stay unknown up to the collective stage. Specialising early or
// late gives the same program where the size is the assumed one (P6), and a
// program that holds what it should for others.
//
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-local="mesh=dp=4,tp=2" -o %t.early
// RUN: shard-opt %s --shardir-to-propagated | shard-opt --shardir-to-local="mesh=dp=4,tp=2" | diff %t.early -
// RUN: shard-opt %s --shardir-to-redistributed | shard-opt --shardir-to-local="mesh=dp=4,tp=2" | diff %t.early -
// RUN: shard-opt %s --shardir-to-collective | shard-opt --shardir-to-local="mesh=dp=4,tp=2" | diff %t.early -
// RUN: FileCheck %s --check-prefix=EARLY --input-file=%t.early
// Other sizes, one device among them.
// RUN: shard-opt %s --shardir-to-collective | shard-opt --shardir-to-local="mesh=dp=1,tp=1" -o /dev/null
// RUN: shard-opt %s --shardir-to-collective | shard-opt --shardir-to-local="mesh=dp=3,tp=5" -o /dev/null
// RUN: shard-opt %s --shardir-to-propagated | shard-opt --shardir-to-local="mesh=dp=8,tp=1" -o /dev/null
// Too early for local types.
// RUN: not shard-opt %s --shardir-to-local 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: the size of axis "dp" is not known; set it with the option mesh="dp=..."

// CHECK: shardir.mesh @m <["dp"=?4, "tp"=?2]>
// EARLY: shardir.mesh @m <["dp"=4, "tp"=2]>
shardir.mesh @m <["dp"=?4, "tp"=?2]>

// CHECK-LABEL: func.func @main
// CHECK:         linalg.matmul {{.*}}[{"dp"}, {"tp"}]>]
// CHECK:         linalg.matmul {{.*}}[{"dp"}, {}], partial = sum ["tp"]>]
// CHECK:         collective.all_reduce
// CHECK:         collective.all_gather
// EARLY-LABEL: func.func @main
// EARLY-SAME:    tensor<3x5xf32> {shardir.global_type = tensor<12x5xf32>
func.func @main(%x: tensor<12x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w1: tensor<5x14xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<14x5xf32>)
    -> (tensor<12x5xf32>, tensor<12x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %z1 = arith.constant dense<0.0> : tensor<12x14xf32>
  %z2 = arith.constant dense<0.0> : tensor<12x5xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<12x5xf32>, tensor<5x14xf32>) outs(%z1 : tensor<12x14xf32>) -> tensor<12x14xf32>
  %e = math.exp %h : tensor<12x14xf32>
  %y = linalg.matmul ins(%e, %w2 : tensor<12x14xf32>, tensor<14x5xf32>) outs(%z2 : tensor<12x5xf32>) -> tensor<12x5xf32>
  %t = math.tanh %y : tensor<12x5xf32>
  return %y, %t : tensor<12x5xf32>, tensor<12x5xf32>
}
