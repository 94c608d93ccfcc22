// RUN: shard-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// The extents of a collective's result are known without it.
shardir.mesh @m <["x"=2]>

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[N:.+]]: index
// CHECK:         return %[[N]]
func.func @step(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %0 = collective.permute %x sizes [%n] from #shardir.placement<@m, [{"x"}]>
      to #shardir.placement<@m, [{"x"}]> of tensor<5xf32> : tensor<?xf32> -> tensor<?xf32>
  %d = tensor.dim %0, %c0 : tensor<?xf32>
  return %d : index
}

// CHECK-LABEL: func.func @rooted
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[X]], %c0
// CHECK:         %[[ALL:.+]] = arith.muli %[[ROWS]], %c2
// CHECK:         %[[COLUMNS:.+]] = tensor.dim %[[X]], %c1
// CHECK:         return %[[ALL]], %[[COLUMNS]]
func.func @rooted(%x: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = collective.gather %x root %c0 on @m ["x"] : tensor<?x?xf32> -> tensor<?x?xf32>
  %rows = tensor.dim %0, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %rows, %columns : index, index
}

// A block of what is scattered is cut as in P3.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[X]], %c0
// CHECK:         %[[I:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[BLOCK:.+]] = arith.ceildivui %[[ROWS]], %c2
// CHECK:         %[[AT:.+]] = arith.muli %[[I]], %[[BLOCK]]
// CHECK:         %[[START:.+]] = arith.minui %[[AT]], %[[ROWS]]
// CHECK:         %[[REST:.+]] = arith.subi %[[ROWS]], %[[START]]
// CHECK:         %[[OWN:.+]] = arith.minui %[[REST]], %[[BLOCK]]
// CHECK:         return %[[OWN]]
func.func @scatter(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = collective.scatter %x root %c0 on @m ["x"] : tensor<?xf32> -> tensor<?xf32>
  %rows = tensor.dim %0, %c0 : tensor<?xf32>
  return %rows : index
}
