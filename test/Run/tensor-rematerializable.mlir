// RUN: shard-run %s --verify --function=constants
// RUN: shard-run %s --verify --function=strided_constant
// RUN: shard-run %s --verify --function=terms
// RUN: shard-run %s --verify --function=made
// RUN: shard-run %s --verify --function=queries
// RUN: shard-run %s --verify --function=casts

// Values that each device makes for itself: its shard, or its term.

shardir.mesh @m <["x"=2, "y"=3, "one"=1]>

func.func @constants(%a: tensor<4x2xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> (tensor<4x2xi64>, tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}) {
  %c = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi64>
  %s = arith.constant dense<9> : tensor<4x2xi64>
  %d = arith.constant dense<[10, 20, 30, 40, 50]> : tensor<5xi64>
  %0 = arith.addi %a, %c : tensor<4x2xi64>
  %1 = arith.muli %0, %s : tensor<4x2xi64>
  return %1, %d : tensor<4x2xi64>, tensor<5xi64>
}

func.func @strided_constant() -> (tensor<12xi64> {shardir.placement = #shardir.placement<@m, [{2, "y"}]>}, tensor<10xi64> {shardir.placement = #shardir.placement<@m, [{"y", 2}]>}) {
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]> : tensor<12xi64>
  %d = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]> : tensor<10xi64>
  return %c, %d : tensor<12xi64>, tensor<10xi64>
}

func.func @terms(%v: tensor<i64>) -> (
    tensor<3xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    tensor<3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}], partial = prod ["x"]>},
    tensor<3xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = xor ["y"]>},
    tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x", "y"]>},
    tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["x"]>},
    tensor<3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}], partial = sum ["x"]>}) {
  %a = arith.constant dense<[1, -2, 3]> : tensor<3xi64>
  %b = arith.constant dense<[4, 5, -6]> : tensor<3xi64>
  %c = arith.constant dense<7> : tensor<3xi64>
  %d = arith.constant dense<1.5> : tensor<3xf32>
  %e = arith.constant dense<[-1.0, 2.0, -3.0]> : tensor<3xf32>
  %s = tensor.extract %v[] : tensor<i64>
  %f = tensor.splat %s : tensor<3xi64>
  return %a, %b, %c, %d, %e, %f : tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>
}

func.func @made(%v: tensor<2xi64>, %t: tensor<4x5xi64>) -> (
    tensor<4x5xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>},
    tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{2, "y"}]>},
    tensor<4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}]>},
    tensor<2x2xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %p = tensor.extract %v[%c0] : tensor<2xi64>
  %q = tensor.extract %v[%c1] : tensor<2xi64>
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = arith.muli %i, %c10 : index
    %k = arith.addi %r, %j : index
    %w = arith.index_cast %k : index to i64
    %e = tensor.extract %t[%i, %j] : tensor<4x5xi64>
    %x = arith.muli %e, %p : i64
    %y = arith.addi %x, %w : i64
    tensor.yield %y : i64
  } : tensor<4x5xi64>
  %h = tensor.generate {
  ^bb0(%i: index):
    %w = arith.index_cast %i : index to i64
    tensor.yield %w : i64
  } : tensor<6xi64>
  %s = tensor.splat %q : tensor<4xi64>
  %f = tensor.from_elements %p, %q, %q, %p : tensor<2x2xi64>
  return %g, %h, %s, %f : tensor<4x5xi64>, tensor<6xi64>, tensor<4xi64>, tensor<2x2xi64>
}

// The result of a size query never depends on the number of devices.
func.func @queries(%a: tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> tensor<3xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %a, %c0 : tensor<5x4xi64>
  %1 = tensor.dim %a, %c1 : tensor<5x4xi64>
  %2 = tensor.rank %a : tensor<5x4xi64>
  %3 = arith.index_cast %0 : index to i64
  %4 = arith.index_cast %1 : index to i64
  %5 = arith.index_cast %2 : index to i64
  %6 = tensor.from_elements %3, %4, %5 : tensor<3xi64>
  return %6 : tensor<3xi64>
}

func.func @casts(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) -> tensor<5x4xi32> {
  %0 = tensor.cast %a : tensor<5x4xf32> to tensor<?x4xf32>
  %1 = tensor.cast %0 : tensor<?x4xf32> to tensor<5x4xf32>
  %2 = tensor.bitcast %1 : tensor<5x4xf32> to tensor<5x4xi32>
  return %2 : tensor<5x4xi32>
}
