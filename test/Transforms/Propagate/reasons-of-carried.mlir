// Each tensor that a loop carries has a reason of its own.
//
// RUN: shard-opt %s --shardir-to-propagated -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: shard-opt %t.mlir -shardir-report=file=%t.json -o /dev/null
// RUN: grep -B5 '"op": "scf.for"' %t.json | FileCheck %s --check-prefix=REPORT
//
// A second run keeps what the first one said.
// RUN: shard-opt %t.mlir --shardir-to-propagated | diff %t.mlir -

// CHECK:      math.exp %{{.*}} {shardir.decided_by = [#shardir.provenance<argument 0 of @main, through ["scf.for"]>]
// CHECK:      math.tanh %{{.*}} {shardir.decided_by = [#shardir.provenance<argument 1 of @main, through ["scf.for"]>]
// CHECK:      } {shardir.decided_by = {{\[}}[#shardir.provenance<argument 0 of @main>], [#shardir.provenance<argument 1 of @main>], []],

// REPORT:     "decided_by": "argument 0 of @main",
// REPORT:     "decided_by": "argument 1 of @main",
// REPORT:     "decided_by": "",
// REPORT-NOT: "decided_by"

shardir.mesh @m <["x"=2]>

func.func @main(%a: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %n: tensor<i32> {shardir.placement = #shardir.placement<@m, []>})
    -> (tensor<8x4xf32>, tensor<4x6xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a, %t = %b, %k = %n)
      -> (tensor<8x4xf32>, tensor<4x6xf32>, tensor<i32>) {
    %1 = math.exp %s : tensor<8x4xf32>
    %2 = math.tanh %t : tensor<4x6xf32>
    %3 = arith.addi %k, %k : tensor<i32>
    scf.yield %1, %2, %3 : tensor<8x4xf32>, tensor<4x6xf32>, tensor<i32>
  }
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<4x6xf32>, tensor<i32>
}
