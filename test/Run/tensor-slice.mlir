// RUN: shard-run %s --verify --function=static
// RUN: shard-run %s --verify --function=of_sharded_dim
// RUN: shard-run %s --verify --function=dynamic --input=6x7xi64=3 --input=index=2
// RUN: shard-run %s --verify --function=update
// RUN: shard-run %s --verify --function=pad
// RUN: shard-run %s --verify --function=pad_by_index
// RUN: shard-run %s --verify --function=pad_terms
// RUN: shard-run %s --verify --function=concat
// RUN: shard-run %s --verify --function=concat_along_sharded
// RUN: shard-run %s --verify --function=concat_of_many

// Slices, pads and concatenations along replicated and along sharded dims, uneven
// and with empty shards.

shardir.mesh @m <["x"=2, "y"=3, "one"=1]>

func.func @static(%a: tensor<5x8x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"one"}, {"y"}]>}) -> (tensor<5x3x4xi64>, tensor<5x4xi64>) {
  %0 = tensor.extract_slice %a[0, 1, 0] [5, 3, 4] [1, 2, 1] : tensor<5x8x4xi64> to tensor<5x3x4xi64>
  %1 = tensor.extract_slice %a[0, 6, 0] [5, 1, 4] [1, 1, 1] : tensor<5x8x4xi64> to tensor<5x4xi64>
  return %0, %1 : tensor<5x3x4xi64>, tensor<5x4xi64>
}

func.func @of_sharded_dim(%a: tensor<7x4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> tensor<4x4xi64> {
  %0 = tensor.extract_slice %a[2, 0] [4, 4] [1, 1] : tensor<7x4xi64> to tensor<4x4xi64>
  return %0 : tensor<4x4xi64>
}

func.func @dynamic(%a: tensor<6x7xi64> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %i: index) -> tensor<2x7xi64> {
  %0 = tensor.extract_slice %a[%i, 0] [2, 7] [1, 1] : tensor<6x7xi64> to tensor<2x7xi64>
  return %0 : tensor<2x7xi64>
}

func.func @update(%s: tensor<5x4xi64>, %d: tensor<5x6x4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>}) -> tensor<5x6x4xi64> {
  %0 = tensor.insert_slice %s into %d[0, 3, 0] [5, 1, 4] [1, 1, 1] : tensor<5x4xi64> into tensor<5x6x4xi64>
  return %0 : tensor<5x6x4xi64>
}

func.func @pad(%a: tensor<4x3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<4x6xi64>, tensor<7x3xi64>) {
  %c = arith.constant 5 : i64
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i64
  } : tensor<4x3xi64> to tensor<4x6xi64>
  %1 = tensor.pad %a low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i64
  } : tensor<4x3xi64> to tensor<7x3xi64>
  return %0, %1 : tensor<4x6xi64>, tensor<7x3xi64>
}

func.func @pad_by_index(%a: tensor<5x3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, %v: tensor<i64>) -> tensor<5x6xi64> {
  %e = tensor.extract %v[] : tensor<i64>
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %r = arith.index_cast %i : index to i64
    %s = arith.muli %r, %e : i64
    tensor.yield %s : i64
  } : tensor<5x3xi64> to tensor<5x6xi64>
  return %0 : tensor<5x6xi64>
}

// Partial sums are padded with zeros, and partial sums alone: 7 would count twice.
func.func @pad_terms(%a: tensor<4x3xi64> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}) -> (tensor<4x5xi64> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}, tensor<4x5xi64>) {
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i64
  } : tensor<4x3xi64> to tensor<4x5xi64>
  %1 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i64
  } : tensor<4x3xi64> to tensor<4x5xi64>
  return %0, %1 : tensor<4x5xi64>, tensor<4x5xi64>
}

func.func @concat(%a: tensor<4x3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, %b: tensor<4x2xi64>) -> tensor<4x8xi64> {
  %0 = tensor.concat dim(1) %a, %b, %a : (tensor<4x3xi64>, tensor<4x2xi64>, tensor<4x3xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

func.func @concat_along_sharded(%a: tensor<4x3xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<2x3xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<6x3xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = tensor.concat dim(0) %a, %b : (tensor<4x3xi64>, tensor<2x3xi64>) -> tensor<6x3xi64>
  return %0 : tensor<6x3xi64>
}

// More parts than are inserted one into the other.
func.func @concat_of_many(%a: tensor<5x2xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, %b: tensor<5x1xi64>) -> (tensor<5x20xi64>, tensor<18x5x2xi64>) {
  %0 = tensor.concat dim(1) %a, %b, %b, %b, %b, %b, %b, %b, %b, %a, %b, %b, %b, %b, %b, %b, %b, %b : (tensor<5x2xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x2xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>, tensor<5x1xi64>) -> tensor<5x20xi64>
  %1 = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 5, 2] : tensor<5x2xi64> into tensor<1x5x2xi64>
  %2 = arith.addi %1, %1 : tensor<1x5x2xi64>
  %3 = tensor.concat dim(0) %1, %2, %1, %2, %1, %2, %1, %2, %1, %2, %1, %2, %1, %2, %1, %2, %1, %2 : (tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>, tensor<1x5x2xi64>) -> tensor<18x5x2xi64>
  return %0, %3 : tensor<5x20xi64>, tensor<18x5x2xi64>
}
