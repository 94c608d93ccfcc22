// A halo of a dim whose extent is known only at run time, at the local stage: what
// overlaps is counted once per device that holds it. Blocks of 5 over 2 devices
// are 3 and 2, with one more on each side [0, 4) and [2, 5); of 1, [0, 1) and none.
// RUN: shard-run %s --input=5xi32=1,2,4,8,16 --expected_output=i32=43
// RUN: shard-run %s --input=1xi32=7 --expected_output=i32=7
// RUN: shard-run %s --input=0xi32 --expected_output=i32=0
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @main(%a: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
      -> (tensor<i32> {shardir.placement = #shardir.placement<@m, []>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %n = shardir.extent argument 0 dim 0
    %x = shardir.axis_index @m "x"
    %up = arith.addi %n, %c1 : index
    %block = arith.divui %up, %c2 : index
    %from = arith.muli %x, %block : index
    %own = tensor.dim %a, %c0 : tensor<?xi32>
    %to = arith.addi %from, %own : index
    %below = arith.subi %from, %c1 : index
    %above = arith.addi %to, %c1 : index
    %begin = arith.maxsi %below, %c0 : index
    %end = arith.minsi %above, %n : index
    %wide = arith.subi %end, %begin : index
    %empty = arith.cmpi eq, %own, %c0 : index
    %size = arith.select %empty, %c0, %wide : index
    %h = collective.halo_exchange %a sizes [%size] dims [%n] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]>
        halo [[1, 1]] of tensor<?xi32> : tensor<?xi32> -> tensor<?xi32>
    %e = tensor.empty() : tensor<i32>
    %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
    %s = linalg.reduce ins(%h : tensor<?xi32>) outs(%z : tensor<i32>) dimensions = [0]
      (%p: i32, %q: i32) {
        %t = arith.addi %p, %q : i32
        linalg.yield %t : i32
      }
    %all = collective.all_reduce %s from #shardir.placement<@m, [], partial = sum ["x"]> to #shardir.placement<@m, []>
        of tensor<i32> : tensor<i32> -> tensor<i32>
    return %all : tensor<i32>
  }
}
