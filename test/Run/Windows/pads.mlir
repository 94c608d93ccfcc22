// RUN: shard-run %s --verify --function=value --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=value --mesh=x=3,y=2
// RUN: shard-run %s --verify --function=value --mesh=x=4,y=1
// RUN: shard-run %s --verify --function=by_index --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=by_index --mesh=x=3,y=2
// RUN: shard-run %s --verify --function=by_index --mesh=x=4,y=1

// Pads along split dims, low and high, of uneven and of short dims.

shardir.mesh @m <["x"=?, "y"=?]>

// The value lies at the borders of the global tensor alone.
func.func @value(%a0: tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %a1: tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %a2: tensor<1x4xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %a3: tensor<7x2xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<8x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<11x7xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<8x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = arith.constant -7 : i32
  %1 = tensor.pad %a0 low[2, 0] high[1, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %0 : i32
  } : tensor<5x3xi32> to tensor<8x3xi32>
  %2 = arith.constant -7 : i32
  %3 = tensor.pad %a1 low[0, 1] high[3, 2] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %2 : i32
  } : tensor<8x4xi32> to tensor<11x7xi32>
  %4 = arith.constant -7 : i32
  %5 = tensor.pad %a2 low[4, 0] high[3, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %4 : i32
  } : tensor<1x4xi32> to tensor<8x4xi32>
  %6 = arith.constant -7 : i32
  %7 = tensor.pad %a3 low[1, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %6 : i32
  } : tensor<7x2xi32> to tensor<8x3xi32>
  return %1, %3, %5, %7 : tensor<8x3xi32>, tensor<11x7xi32>, tensor<8x4xi32>, tensor<8x3xi32>
}

// A pad that depends on the index has the global tensor's (R9).
func.func @by_index(%a0: tensor<5x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<8x7xi32>) {
  %0 = tensor.pad %a0 low[2, 0] high[1, 3] {
  ^bb0(%i: index, %j: index):
    %c10 = arith.constant 10 : index
    %r = arith.muli %i, %c10 : index
    %s = arith.addi %r, %j : index
    %v = arith.index_cast %s : index to i32
    tensor.yield %v : i32
  } : tensor<5x4xi32> to tensor<8x7xi32>
  return %0 : tensor<8x7xi32>
}
