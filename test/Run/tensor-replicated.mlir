// RUN: shard-run %s --verify --function=insert
// RUN: shard-run %s --verify --function=reshape
// RUN: shard-run %s --verify --function=gather
// RUN: shard-run %s --verify --function=axis_of_size_one

// Ops that must see global tensors get them, and their users get shards again.

shardir.mesh @m <["x"=2, "y"=3, "one"=1]>

func.func @insert(%a: tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> (tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.extract %a[%c1, %c1] : tensor<5x4xi64>
  %0 = tensor.insert %e into %a[%c4, %c1] : tensor<5x4xi64>
  %1 = arith.addi %0, %a : tensor<5x4xi64>
  return %1 : tensor<5x4xi64>
}

func.func @reshape(%a: tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<2x10xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %shape = arith.constant dense<[2, 10]> : tensor<2xi64>
  %0 = tensor.reshape %a(%shape) : (tensor<5x4xi64>, tensor<2xi64>) -> tensor<2x10xi64>
  return %0 : tensor<2x10xi64>
}

func.func @gather(%a: tensor<7x4xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> (tensor<5x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %at = arith.constant dense<[[6], [0], [3], [3], [5]]> : tensor<5x1xindex>
  %0 = tensor.gather %a[%at] gather_dims([0]) : (tensor<7x4xi64>, tensor<5x1xindex>) -> tensor<5x4xi64>
  return %0 : tensor<5x4xi64>
}

func.func @axis_of_size_one(%a: tensor<5x1x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {2, "one"}]>}, %b: tensor<1xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}) -> (tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"one", "x"}]>}, tensor<5x4x3xf32> {shardir.placement = #shardir.placement<@m, [{"one"}, {}, {}]>}, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %a [[0, 1, 2]] : tensor<5x1x4xf32> into tensor<20xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2]] output_shape [5, 4, 1] : tensor<20xf32> into tensor<5x4x1xf32>
  %2 = tensor.pad %1 low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<5x4x1xf32> to tensor<5x4x3xf32>
  %3 = math.exp %b : tensor<1xf32>
  return %0, %2, %3 : tensor<20xf32>, tensor<5x4x3xf32>, tensor<1xf32>
}
