// RUN: shard-run %s --verify --function=sums
// RUN: shard-run %s --verify --function=moved
// RUN: shard-run %s --verify --function=not_linear
// RUN: shard-run %s --verify --function=maxima
// RUN: shard-run %s --verify --function=from_empty_shards
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s

// Reductions of sharded dims give terms that differ on every device. They pass
// what they may pass and are reduced before the rest; the result is the
// unsharded program's either way.

shardir.mesh @m <["x"=2, "y"=3]>

// One reduction for two sums, a constant that counts once, and a factor.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-1: collective.all_reduce
// CHECK-NOT:     collective.all_reduce
// CHECK:         return
func.func @sums(%a: tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<3x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %s: tensor<4xi64> {shardir.placement = #shardir.placement<@m, [{}]>}) -> (tensor<4xi64> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant dense<0> : tensor<4xi64>
  %c = arith.constant dense<[10, -20, 30, -40]> : tensor<4xi64>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<5x4xi64>) outs(%zero : tensor<4xi64>) dimensions = [0]
  %1 = linalg.reduce {arith.addi} ins(%b : tensor<3x4xi64>) outs(%zero : tensor<4xi64>) dimensions = [0]
  %2 = arith.subi %0, %1 : tensor<4xi64>
  %3 = arith.addi %2, %c : tensor<4xi64>
  %4 = arith.muli %3, %s : tensor<4xi64>
  return %4 : tensor<4xi64>
}

// Terms move as they are: reshaped and sliced before the one reduction.
// CHECK-LABEL: func.func @moved
// CHECK:         tensor.expand_shape
// CHECK-NEXT:    tensor.extract_slice
// CHECK-NEXT:    tensor.collapse_shape
// CHECK-NEXT:    collective.all_reduce
// CHECK-NOT:     collective
// CHECK:         return
func.func @moved(%a: tensor<5x6xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<4xi64> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zeros = arith.constant dense<0> : tensor<6xi64>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<5x6xi64>) outs(%zeros : tensor<6xi64>) dimensions = [0]
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xi64> into tensor<2x3xi64>
  %2 = tensor.extract_slice %1[0, 0] [2, 2] [1, 2] : tensor<2x3xi64> to tensor<2x2xi64>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>
  return %3 : tensor<4xi64>
}

// CHECK-LABEL: func.func @not_linear
// CHECK:         collective.all_reduce
func.func @not_linear(%a: tensor<6x4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<4xi64>, tensor<6xi64>, tensor<4xi64>) {
  %zero = arith.constant dense<0> : tensor<4xi64>
  %c = arith.constant dense<3> : tensor<4xi64>
  %seven = arith.constant 7 : i64
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<6x4xi64>) outs(%zero : tensor<4xi64>) dimensions = [0]
  %1 = math.absi %0 : tensor<4xi64>
  %2 = tensor.pad %0 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %seven : i64
  } : tensor<4xi64> to tensor<6xi64>
  %3 = arith.divsi %0, %c : tensor<4xi64>
  return %1, %2, %3 : tensor<4xi64>, tensor<6xi64>, tensor<4xi64>
}

// CHECK-LABEL: func.func @maxima
// CHECK:         collective.all_reduce
func.func @maxima(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %0 = linalg.reduce {arith.maximumf} ins(%a : tensor<5x4xf32>) outs(%low : tensor<4xf32>) dimensions = [0]
  %1 = arith.minimumf %0, %b : tensor<4xf32>
  %2 = math.exp %1 : tensor<4xf32>
  %3 = arith.subf %b, %0 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// Four rows on three devices: the last one has an empty shard.
// CHECK-LABEL: func.func @from_empty_shards
func.func @from_empty_shards(%a: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %low = arith.constant dense<0xFF800000> : tensor<3xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<4x3xf32>) outs(%zero : tensor<3xf32>) dimensions = [0]
  %1 = arith.addf %0, %c : tensor<3xf32>
  %2 = arith.negf %1 : tensor<3xf32>
  %3 = linalg.reduce {arith.maximumf} ins(%a : tensor<4x3xf32>) outs(%low : tensor<3xf32>) dimensions = [0]
  return %2, %3 : tensor<3xf32>, tensor<3xf32>
}
