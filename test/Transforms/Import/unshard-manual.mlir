// RUN: shard-opt %s -split-input-file -shardir-unshard-manual | FileCheck %s

// Each device's shard is cut, and the sum of all is one tensor.
// CHECK-LABEL: func.func @all_reduce
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK-DAG:   %[[A:.+]] = tensor.extract_slice %[[X]][0] [2] [1]
// CHECK-DAG:   %[[B:.+]] = tensor.extract_slice %[[X]][2] [2] [1]
// CHECK:       %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] :
// CHECK:         arith.addf
// CHECK-NOT:   manual
// CHECK:       return %[[SUM]]
shardir.mesh @m <["dp"=2]>
func.func @all_reduce(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{}]>] manual = ["dp"] {
  ^bb0(%local: tensor<2xf32>):
    %1 = collective.all_reduce %local from #shardir.placement<@m, [{}], partial = sum ["dp"]>
        to #shardir.placement<@m, [{}]> of tensor<2xf32> : tensor<2xf32> -> tensor<2xf32>
    shardir.yield %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// An op is there once for each position along the axes along which it varies: two
// of six devices.
// CHECK-LABEL: func.func @varies_along_one_axis
// CHECK-COUNT-2: math.exp
// CHECK-NOT:   math.exp
// CHECK:       tensor.insert_slice
// CHECK:       tensor.insert_slice
// CHECK-NOT:   tensor.insert_slice
// CHECK:       return
shardir.mesh @m <["dp"=2, "tp"=3]>
func.func @varies_along_one_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp", "tp"] {
  ^bb0(%local: tensor<2xf32>):
    %1 = math.exp %local : tensor<2xf32>
    shardir.yield %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The device that stands third receives from the first.
// CHECK-LABEL: func.func @to_the_next
// CHECK-SAME:    %[[X:.+]]: tensor<3xi32>
// CHECK:       %[[C:.+]] = tensor.extract_slice %[[X]][2]
// CHECK:       %[[ALL:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[2]
// CHECK:       %[[FIRST:.+]] = tensor.extract_slice %[[ALL]][2]
// CHECK:       %[[SECOND:.+]] = tensor.extract_slice %[[ALL]][0]
// CHECK:       %[[THIRD:.+]] = tensor.extract_slice %[[ALL]][1]
shardir.mesh @m <["cp"=3]>
shardir.mesh @next <["cp"=3], devices = [1, 2, 0]>
func.func @to_the_next(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"cp"}]>] out [#shardir.placement<@m, [{"cp"}]>] manual = ["cp"] {
  ^bb0(%local: tensor<1xi32>):
    %1 = collective.exchange %local from #shardir.placement<@m, [{"cp"}]> to #shardir.placement<@next, [{"cp"}]> of tensor<3xi32> : tensor<1xi32> -> tensor<1xi32>
    shardir.yield %1 : tensor<1xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// A loop that holds a collective carries the values of both devices; one that holds
// none is there twice. The coordinate is a number.
// CHECK-LABEL: func.func @loops
// CHECK:       scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<2xi32>, tensor<2xi32>)
// CHECK:         arith.addi
// CHECK:       scf.for {{.*}} iter_args(%{{.+}} = %{{[^,]+}}) -> (tensor<2xi32>)
// CHECK-DAG:     arith.constant 0 : index
// CHECK:       scf.for {{.*}} iter_args(%{{.+}} = %{{[^,]+}}) -> (tensor<2xi32>)
// CHECK-DAG:     arith.constant 1 : index
// CHECK-NOT:   axis_index
shardir.mesh @m <["dp"=2]>
func.func @loops(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%local: tensor<2xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %local) -> tensor<2xi32> {
      %sum = collective.all_reduce %acc from #shardir.placement<@m, [{}], partial = sum ["dp"]>
          to #shardir.placement<@m, [{}]> of tensor<2xi32> : tensor<2xi32> -> tensor<2xi32>
      %next = arith.addi %sum, %acc : tensor<2xi32>
      scf.yield %next : tensor<2xi32>
    }
    %2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %1) -> tensor<2xi32> {
      %p = shardir.axis_index @m "dp"
      %n = arith.index_cast %p : index to i32
      %t = tensor.splat %n : tensor<2xi32>
      %next = arith.addi %t, %acc : tensor<2xi32>
      scf.yield %next : tensor<2xi32>
    }
    shardir.yield %2 : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A program without manual regions stays as it is.
// CHECK-LABEL: func.func @no_region
// CHECK:       shardir.constrain
shardir.mesh @m <["dp"=2]>
func.func @no_region(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{"dp"}]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}
