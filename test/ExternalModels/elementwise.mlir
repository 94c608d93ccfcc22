// RUN: shard-opt %s --shardir-to-local --split-input-file | FileCheck %s

// Elementwise ops run as they are on shards; partial sums pass linear ops alone.

shardir.mesh @m <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @all_dims_pass
// CHECK-NOT:   collective
// CHECK:       %[[E:.+]] = math.exp %{{.+}} : tensor<3x?xf32>
// CHECK:       %[[C:.+]] = arith.cmpf ogt, %[[E]], %{{.+}} : tensor<3x?xf32>
// CHECK:       arith.select %[[C]], %[[E]], %{{.+}} : tensor<3x?xi1>, tensor<3x?xf32>
func.func @all_dims_pass(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %b: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = math.exp %a : tensor<6x4xf32>
  %1 = arith.cmpf ogt, %0, %b : tensor<6x4xf32>
  %2 = arith.select %1, %0, %b : tensor<6x4xi1>, tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>

// Two partial sums are added and scaled, and partial still.
// CHECK-LABEL: func.func @linear
// CHECK-NOT:   collective
// CHECK:       arith.addf
// CHECK-NEXT:  arith.mulf
// CHECK-NEXT:  return
func.func @linear(
    %a: tensor<4xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %b: tensor<4xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %s: tensor<4xbf16> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<4xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) {
  %0 = arith.addf %a, %b : tensor<4xbf16>
  %1 = arith.mulf %0, %s : tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>

// The sum is due before an absolute value and before a rounding.
// CHECK-LABEL: func.func @bent
// CHECK:       collective.all_reduce
// CHECK:       math.absf
// CHECK:       return
func.func @bent(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = math.absf %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @rounded
// CHECK:       collective.all_reduce
// CHECK:       arith.truncf
// CHECK:       return
func.func @rounded(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) -> (tensor<4xbf16> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = arith.truncf %a : tensor<4xf32> to tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @divided
// CHECK:       collective.all_reduce
// CHECK:       arith.divsi
// CHECK:       return
func.func @divided(%a: tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}, %b: tensor<4xi32>) -> (tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = arith.divsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>

// A maximum passes an increasing function and a clamp.
// CHECK-LABEL: func.func @monotone
// CHECK:       arith.minimumf
// CHECK:       math.exp
// CHECK:       collective.all_reduce
// CHECK:       return
func.func @monotone(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["x"]>}, %b: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = arith.minimumf %a, %b : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
