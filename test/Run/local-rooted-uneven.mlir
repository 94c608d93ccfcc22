// Rooted and point-to-point collectives along any axes, on blocks that differ: 5
// rows over 2x2 ranks are 2+1 and 1+1, over 4 ranks 2+2+1 and none, over one
// axis or half of one 3+2.
// RUN: shard-run --compile-only %s -o %t.so
// RUN: shard-run %t.so --function=back_and_forth --input=5x2xi32=0,1,2,3,4,5,6,7,8,9 --expected_output=5x2xi32=0,1,2,3,4,5,6,7,8,9
// RUN: shard-run %t.so --function=over_halves --input=5xi32=0,1,2,3,4 --expected_output=5xi32=0,1,2,3,4
// RUN: shard-run %t.so --function=gather_marks --input=5xi32=0,1,2,3,4 --expected_output=5xi32=0,1,12,23,34
// RUN: shard-run %t.so --function=empty_blocks --input=3xi32=7,8,9 --expected_output=3xi32=7,8,9
// RUN: shard-run %t.so --function=broadcast_minor --input=4xi32=5,6,7,8 --expected_output=4xi32=6,6,8,8
// RUN: shard-run %t.so --function=swap --input=4xi32=5,6,7,8 --expected_output=4xi32=6,5,8,7

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2, "y"=2]>
  shardir.mesh @big <["z"=4], devices = [2, 0, 3, 1]>

  // Scattered from the last rank over both axes, gathered on the second one, and
  // from there to all.
  func.func @back_and_forth(%x: tensor<5x2xi32>) -> tensor<5x2xi32> {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %block = collective.scatter %x root %c3 on @m ["x", "y"] : tensor<5x2xi32> -> tensor<?x2xi32>
    %all = collective.gather %block root %c1 on @m ["x", "y"] : tensor<?x2xi32> -> tensor<5x2xi32>
    %r = collective.broadcast %all root %c1 on @m ["x", "y"] : tensor<5x2xi32> -> tensor<5x2xi32>
    return %r : tensor<5x2xi32>
  }

  // The minor half of an axis, on a mesh whose ranks stand in another order.
  func.func @over_halves(%x: tensor<5xi32>) -> tensor<5xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = collective.scatter %x root %c0 on @big ["z:(2)2"] : tensor<5xi32> -> tensor<?xi32>
    %all = collective.gather %block root %c1 on @big ["z:(2)2"] : tensor<?xi32> -> tensor<5xi32>
    %r = collective.broadcast %all root %c1 on @big ["z:(2)2"] : tensor<5xi32> -> tensor<5xi32>
    return %r : tensor<5xi32>
  }

  // Shards of an argument, each with ten times its rank added: rows 0 and 1 come
  // from rank 0, 2 from rank 1, 3 from 2 and 4 from 3.
  func.func @gather_marks(%x: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<5xi32>})
      -> tensor<5xi32> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %i = shardir.axis_index @m "x"
    %j = shardir.axis_index @m "y"
    %major = arith.muli %i, %c2 : index
    %rank = arith.addi %major, %j : index
    %tens = arith.muli %rank, %c10 : index
    %mark = arith.index_cast %tens : index to i32
    %n = tensor.dim %x, %c0 : tensor<?xi32>
    %empty = tensor.empty(%n) : tensor<?xi32>
    %marked = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
        ins(%x : tensor<?xi32>) outs(%empty : tensor<?xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %mark : i32
      linalg.yield %sum : i32
    } -> tensor<?xi32>
    %all = collective.gather %marked root %c2 on @m ["x", "y"] : tensor<?xi32> -> tensor<5xi32>
    %r = collective.broadcast %all root %c2 on @m ["x", "y"] : tensor<5xi32> -> tensor<5xi32>
    return %r : tensor<5xi32>
  }

  // Three rows on four ranks: the last has none, and is the root.
  func.func @empty_blocks(%x: tensor<3xi32>) -> tensor<3xi32> {
    %c3 = arith.constant 3 : index
    %block = collective.scatter %x root %c3 on @big ["z"] : tensor<3xi32> -> tensor<?xi32>
    %all = collective.gather %block root %c3 on @big ["z"] : tensor<?xi32> -> tensor<3xi32>
    %r = collective.broadcast %all root %c3 on @big ["z"] : tensor<3xi32> -> tensor<3xi32>
    return %r : tensor<3xi32>
  }

  // Within pairs alone: ranks 1 and 3 are the roots.
  func.func @broadcast_minor(%x: tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<4xi32>})
      -> (tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<4xi32>}) {
    %c1 = arith.constant 1 : index
    %r = collective.broadcast %x root %c1 on @m ["y"] : tensor<1xi32> -> tensor<1xi32>
    return %r : tensor<1xi32>
  }

  // Sent to the other one of a pair, and received from there.
  func.func @swap(%x: tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<4xi32>})
      -> (tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<4xi32>}) {
    %c1 = arith.constant 1 : index
    %own = shardir.axis_index @m "y"
    %other = arith.subi %c1, %own : index
    collective.send %x to %other on @m ["y"] : tensor<1xi32>
    %r = collective.recv from %other on @m ["y"] -> tensor<1xi32>
    return %r : tensor<1xi32>
  }
}
