// RUN: shard-run %s --input=4x4xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --expected_output=4x4xf32=9,10,11,12,13,14,15,16,1,2,3,4,5,6,7,8 --expected_output=4xf32=28,32,36,40 --expected_output=4x4xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --expected_output=4x4xf32=2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32
// RUN: shard-run %s --input=2x4xf32=1,2,3,4,5,6,7,8 --expected_output=2x4xf32=5,6,7,8,1,2,3,4 --expected_output=4xf32=6,8,10,12 --expected_output=2x4xf32=1,2,3,4,5,6,7,8 --expected_output=2x4xf32=2,4,6,8,10,12,14,16
// RUN: shard-run %s --input=0x4xf32 --expected_output=0x4xf32 --expected_output=4xf32=0,0,0,0 --expected_output=0x4xf32 --expected_output=0x4xf32
// RUN: not shard-run %s --input=3x4xf32=1 2>&1 | FileCheck %s
// CHECK: error: {{.*}}dim 0 has an extent that does not divide by 2, into which manual axes cut it

// Collectives over a dim of unknown extent in a manual region that cuts it: a swap
// with the neighbour, a sum, a gather, and a sum that is scattered.
// The columns are left to propagation.
shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @swapped <["x"=2, "y"=2], devices = [2, 3, 0, 1]>
func.func @main(%a: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0:4 = shardir.manual (%a) in [#shardir.placement<@m, [{"x"}, {?}]>]
      out [#shardir.placement<@m, [{"x"}, {?}]>, #shardir.placement<@m, [{?}]>, #shardir.placement<@m, [{}, {?}]>,
           #shardir.placement<@m, [{"x"}, {?}]>] manual = ["x"] {
  ^bb0(%v: tensor<?x4xf32>):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %n = tensor.dim %v, %c0 : tensor<?x4xf32>
    %all = arith.muli %n, %c2 : index
    %swap = collective.exchange %v sizes [%n] dims [%all] from #shardir.placement<@m, [{"x"}, {}]>
        to #shardir.placement<@swapped, [{"x"}, {}]> of tensor<?x4xf32> : tensor<?x4xf32> -> tensor<?x4xf32>
    %own = linalg.reduce { arith.addf } ins(%v : tensor<?x4xf32>) outs(%none : tensor<4xf32>) dimensions = [0]
    %sum = collective.all_reduce %own from #shardir.placement<@m, [{}], partial = sum ["x"]>
        to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32> -> tensor<4xf32>
    %whole = collective.all_gather %v sizes [%all] dims [%all] from #shardir.placement<@m, [{"x"}, {}]>
        to #shardir.placement<@m, [{}, {}]> of tensor<?x4xf32> : tensor<?x4xf32> -> tensor<?x4xf32>
    // Each device has all rows: their sum, twice, and of that the own rows.
    %part = collective.reduce_scatter %whole sizes [%n] dims [%all] from #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
        to #shardir.placement<@m, [{"x"}, {}]> of tensor<?x4xf32> : tensor<?x4xf32> -> tensor<?x4xf32>
    shardir.yield %swap, %sum, %whole, %part : tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  } : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
