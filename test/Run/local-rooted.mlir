// Rooted and point-to-point collectives; rank r of 2 adds 10 r to its operand.
// RUN: shard-run --compile-only %s -o %t.so
// RUN: shard-run %t.so --function=broadcast --input=3xi32=1,2,3 --expected_output=3xi32=11,12,13
// RUN: shard-run %t.so --function=scatter --input=4xi32=1,2,3,4 --expected_output=4xi32=11,12,13,14
// RUN: shard-run %t.so --function=gather --input=2xi32=1,2 --expected_output=4xi32=1,2,11,12
// RUN: shard-run %t.so --function=send_recv --input=3xi32=1,2,3 --expected_output=3xi32=1,2,3

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>

  func.func private @add(%t: tensor<?xi32>) -> tensor<?xi32> {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %rank = shardir.axis_index @m "x"
    %mark = arith.muli %rank, %c10 : index
    %i = arith.index_cast %mark : index to i32
    %n = tensor.dim %t, %c0 : tensor<?xi32>
    %empty = tensor.empty(%n) : tensor<?xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%t : tensor<?xi32>) outs(%empty : tensor<?xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<?xi32>
    return %r : tensor<?xi32>
  }

  func.func @broadcast(%x: tensor<3xi32>) -> tensor<3xi32> {
    %in = tensor.cast %x : tensor<3xi32> to tensor<?xi32>
    %added = func.call @add(%in) : (tensor<?xi32>) -> tensor<?xi32>
    %y = tensor.cast %added : tensor<?xi32> to tensor<3xi32>
    %root = arith.constant 1 : index
    %r = collective.broadcast %y root %root on @m ["x"] : tensor<3xi32> -> tensor<3xi32>
    return %r : tensor<3xi32>
  }

  func.func @scatter(%x: tensor<4xi32>)
      -> (tensor<2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>, shardir.global_type = tensor<4xi32>}) {
    %in = tensor.cast %x : tensor<4xi32> to tensor<?xi32>
    %added = func.call @add(%in) : (tensor<?xi32>) -> tensor<?xi32>
    %root = arith.constant 1 : index
    // The result's extent is half of the operand's.
    %block = collective.scatter %added root %root on @m ["x"] : tensor<?xi32> -> tensor<?xi32>
    %r = tensor.cast %block : tensor<?xi32> to tensor<2xi32>
    return %r : tensor<2xi32>
  }

  // The result of a gather is unspecified on ranks other than the root.
  func.func @gather(%x: tensor<2xi32>) -> tensor<4xi32> {
    %in = tensor.cast %x : tensor<2xi32> to tensor<?xi32>
    %added = func.call @add(%in) : (tensor<?xi32>) -> tensor<?xi32>
    %root = arith.constant 1 : index
    %all = collective.gather %added root %root on @m ["x"] : tensor<?xi32> -> tensor<?xi32>
    %same = collective.broadcast %all root %root on @m ["x"] : tensor<?xi32> -> tensor<?xi32>
    %r = tensor.cast %same : tensor<?xi32> to tensor<4xi32>
    return %r : tensor<4xi32>
  }

  func.func @send_recv(%x: tensor<3xi32>) -> tensor<3xi32> {
    %in = tensor.cast %x : tensor<3xi32> to tensor<?xi32>
    %added = func.call @add(%in) : (tensor<?xi32>) -> tensor<?xi32>
    %y = tensor.cast %added : tensor<?xi32> to tensor<3xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rank = shardir.axis_index @m "x"
    %first = arith.cmpi eq, %rank, %c0 : index
    %r = scf.if %first -> tensor<3xi32> {
      collective.send %y to %c1 on @m ["x"] : tensor<3xi32>
      scf.yield %y : tensor<3xi32>
    } else {
      %received = collective.recv from %c0 on @m ["x"] -> tensor<3xi32>
      scf.yield %received : tensor<3xi32>
    }
    return %r : tensor<3xi32>
  }
}
