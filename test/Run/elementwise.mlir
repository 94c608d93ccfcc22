// RUN: shard-run %s --verify --function=uneven
// RUN: shard-run %s --verify --function=chosen
// RUN: shard-run %s --verify --function=sums
// RUN: shard-run %s --verify --function=sums_meet_whole
// RUN: shard-run %s --verify --function=bent
// RUN: shard-run %s --verify --function=extremes
// RUN: shard-run %s --verify --function=bits
// RUN: shard-run %s --verify --function=scalars

// Elementwise ops on uneven and empty shards, and on partial terms: the
// result is the unsharded program's wherever the reduction comes.

shardir.mesh @m <["x"=2, "y"=3, "one"=1]>

func.func @uneven(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %b: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<4x5xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"one"}]>}) {
  %0 = math.exp %a : tensor<5x4xf32>
  %1 = arith.divf %b, %0 : tensor<5x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [4, 5] : tensor<20xf32> into tensor<4x5xf32>
  %4 = math.tanh %3 : tensor<4x5xf32>
  return %1, %4 : tensor<5x4xf32>, tensor<4x5xf32>
}

func.func @chosen(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %b: tensor<5x4xf32>, %v: tensor<f32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xi32>) {
  %e = tensor.extract %v[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %e, %zero : f32
  %0 = arith.cmpf olt, %a, %b : tensor<5x4xf32>
  %1 = arith.select %0, %a, %b : tensor<5x4xi1>, tensor<5x4xf32>
  %2 = arith.select %c, %a, %b : tensor<5x4xf32>
  %3 = arith.extui %0 : tensor<5x4xi1> to tensor<5x4xi32>
  return %1, %2, %3 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xi32>
}

// Linear in what is partial: the differences may be reduced before or after.
func.func @sums(
    %a: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %b: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %s: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
        tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) {
  %0 = arith.subi %a, %b : tensor<5xi64>
  %1 = arith.muli %0, %s : tensor<5xi64>
  %2 = arith.addi %1, %a : tensor<5xi64>
  return %2, %1 : tensor<5xi64>, tensor<5xi64>
}

// A term that is not partial is added once, a constant too.
func.func @sums_meet_whole(
    %a: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %b: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}, tensor<5xi64>) {
  %c = arith.constant dense<[1, -2, 3, -4, 5]> : tensor<5xi64>
  %0 = arith.addi %a, %b : tensor<5xi64>
  %1 = arith.subi %c, %0 : tensor<5xi64>
  %2 = arith.muli %1, %1 : tensor<5xi64>
  return %1, %2 : tensor<5xi64>, tensor<5xi64>
}

// Not linear: the sum is due first.
func.func @bent(
    %a: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %i: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["y"]>})
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi64>) {
  %three = arith.constant dense<3> : tensor<5xi32>
  %0 = math.absf %a : tensor<5xf32>
  %1 = arith.mulf %a, %a : tensor<5xf32>
  %2 = arith.divsi %i, %three : tensor<5xi32>
  %3 = arith.extsi %i : tensor<5xi32> to tensor<5xi64>
  return %0, %1, %2, %3 : tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi64>
}

func.func @extremes(
    %a: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["y"]>},
    %b: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
    %u: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = umin ["x"]>},
    %v: tensor<5xi32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = arith.maximumf %a, %b : tensor<5xf32>
  %1 = arith.minimumf %0, %b : tensor<5xf32>
  %2 = math.exp %1 : tensor<5xf32>
  %3 = arith.mulf %a, %b : tensor<5xf32>
  %4 = arith.minui %u, %v : tensor<5xi32>
  %5 = arith.minsi %u, %v : tensor<5xi32>
  return %2, %3, %4, %5 : tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi32>
}

func.func @bits(
    %a: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = xor ["y"]>},
    %b: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}]>},
    %c: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["x"]>})
    -> (tensor<5xi32>, tensor<5xi8>, tensor<5xi32>, tensor<5xi32>) {
  %0 = arith.andi %a, %b : tensor<5xi32>
  %1 = arith.trunci %0 : tensor<5xi32> to tensor<5xi8>
  %2 = arith.xori %c, %b : tensor<5xi32>
  %3 = arith.ori %c, %b : tensor<5xi32>
  return %0, %1, %2, %3 : tensor<5xi32>, tensor<5xi8>, tensor<5xi32>, tensor<5xi32>
}

func.func @scalars(%a: tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> (tensor<5x4xi64>, tensor<i64>) {
  %c = arith.constant 2 : index
  %e = tensor.extract %a[%c, %c] : tensor<5x4xi64>
  %s = tensor.splat %e : tensor<5x4xi64>
  %0 = arith.addi %a, %s : tensor<5x4xi64>
  %t = tensor.from_elements %e : tensor<i64>
  return %0, %t : tensor<5x4xi64>, tensor<i64>
}
