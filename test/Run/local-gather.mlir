// RUN: shard-run %s --input=5x2xi32=0,1,2,3,4,5,6,7,8,9 --expected_output=5x2xi32=0,1,2,3,4,5,106,107,108,109

// Uneven shards, 3 and 2 rows of 5; each rank adds 100 times its coordinate.
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @main(%x: tensor<?x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>,
                                       shardir.global_type = tensor<5x2xi32>})
      -> (tensor<5x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
    %c0 = arith.constant 0 : index
    %c100 = arith.constant 100 : index
    %rank = shardir.axis_index @m "x"
    %offset = arith.muli %rank, %c100 : index
    %i = arith.index_cast %offset : index to i32
    %rows = tensor.dim %x, %c0 : tensor<?x2xi32>
    %empty = tensor.empty(%rows) : tensor<?x2xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x2xi32>) outs(%empty : tensor<?x2xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<?x2xi32>
    %r = collective.all_gather %y from #shardir.placement<@m, [{"x"}, {} ]>
                                    to #shardir.placement<@m, [{}, {} ]> of tensor<5x2xi32>
        : tensor<?x2xi32> -> tensor<5x2xi32>
    return %r : tensor<5x2xi32>
  }
}
