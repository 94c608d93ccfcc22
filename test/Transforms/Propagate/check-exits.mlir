// RUN: shard-opt %s -shardir-check-exits | FileCheck %s

shardir.mesh @m <["x"=2]>

// A loop that is left, and one that nothing reaches: blocks stay as they are
// (lifting to scf names unreachable ones).
// CHECK-LABEL: func.func @leaves
// CHECK:         cf.cond_br
// CHECK:       ^bb{{[0-9]+}}:{{ +}}// no predecessors
func.func @leaves(%x: tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  cf.br ^bb1(%x, %c0 : tensor<4xi32>, index)
^bb1(%v: tensor<4xi32>, %i: index):
  %w = arith.addi %v, %x : tensor<4xi32>
  %j = arith.addi %i, %c1 : index
  %c = arith.cmpi slt, %j, %c3 : index
  cf.cond_br %c, ^bb1(%w, %j : tensor<4xi32>, index), ^bb3
^bb2:
  cf.br ^bb4
^bb3:
  return %w : tensor<4xi32>
^bb4:
  cf.br ^bb4
}
