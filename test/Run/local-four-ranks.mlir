// Every collective on four ranks, with terms that differ on every rank.
// RUN: shard-run --compile-only %s -o %t.so
// RUN: shard-run %t.so --function=all_reduce --input=3xi32=1,2,3 --expected_output=3xi32=101,102,103
// RUN: shard-run %t.so --function=all_reduce_minor --input=3xi32=1,2,3 --expected_output=6xi32=12,14,16,52,54,56
// RUN: shard-run %t.so --function=reduce_scatter --input=5xf32=1,-2,3,-4,5 --expected_output=5xf32=10,-20,30,-40,50
// RUN: shard-run %t.so --function=all_to_all --input=4x5xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19 --expected_output=4x5xi32=0,1,2,3,4,105,106,107,108,109,210,211,212,213,214,315,316,317,318,319
// RUN: shard-run %t.so --function=permute --input=8xi32=0,1,2,3,4,5,6,7 --expected_output=8xi32=0,1,102,103,204,205,306,307
// RUN: shard-run %t.so --function=exchange --input=3x3xi32=0,1,2,3,4,5,6,7,8 --expected_output=3x3xi32=0,1,102,3,4,105,206,207,308

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2, "y"=2]>

  // This rank's number times `step`.
  func.func private @mark(%step: index) -> i32 {
    %c2 = arith.constant 2 : index
    %x = shardir.axis_index @m "x"
    %y = shardir.axis_index @m "y"
    %major = arith.muli %x, %c2 : index
    %rank = arith.addi %major, %y : index
    %scaled = arith.muli %rank, %step : index
    %mark = arith.index_cast %scaled : index to i32
    return %mark : i32
  }

  func.func private @add(%t: tensor<?x?xi32>, %i: i32) -> tensor<?x?xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = tensor.dim %t, %c0 : tensor<?x?xi32>
    %columns = tensor.dim %t, %c1 : tensor<?x?xi32>
    %empty = tensor.empty(%rows, %columns) : tensor<?x?xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%t : tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<?x?xi32>
    return %r : tensor<?x?xi32>
  }

  // The first rank holds %x and the others zeros (P5); the ranks add 0, 10, 20
  // and 70.
  func.func @all_reduce(%x: tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x", "y"]>})
      -> (tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %c10 = arith.constant 10 : index
    %c3 = arith.constant 3 : index
    %ten = func.call @mark(%c10) : (index) -> i32
    %forty = arith.constant 40 : i32
    %thirty = arith.constant 30 : i32
    %is_last = arith.cmpi eq, %ten, %thirty : i32
    %more = arith.addi %thirty, %forty : i32
    %i = arith.select %is_last, %more, %ten : i32
    %empty = tensor.empty() : tensor<3xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xi32>) outs(%empty : tensor<3xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<3xi32>
    %r = collective.all_reduce %y from #shardir.placement<@m, [{}], partial = sum ["x", "y"]>
                                    to #shardir.placement<@m, [{} ]> of tensor<3xi32>
        : tensor<3xi32> -> tensor<3xi32>
    return %r : tensor<3xi32>
  }

  // Over "y" alone: ranks 0 and 1 sum to 2x + 10, ranks 2 and 3 to 2x + 50, and
  // the whole result is both, one after the other.
  func.func @all_reduce_minor(%x: tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{}]>})
      -> (tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>, shardir.global_type = tensor<6xi32>}) {
    %c10 = arith.constant 10 : index
    %i = func.call @mark(%c10) : (index) -> i32
    %empty = tensor.empty() : tensor<3xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xi32>) outs(%empty : tensor<3xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<3xi32>
    %r = collective.all_reduce %y from #shardir.placement<@m, [{"x"}], partial = sum ["y"]>
                                    to #shardir.placement<@m, [{"x"} ]> of tensor<6xi32>
        : tensor<3xi32> -> tensor<3xi32>
    return %r : tensor<3xi32>
  }

  // Rank r holds (r + 1) x, 10 x in all. The blocks nest: 3 + 2 over "x", and
  // over "y" the 3 are 2 + 1, the 2 are 1 + 1.
  func.func @reduce_scatter(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
      -> (tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<5xf32>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %one = arith.constant 1.0 : f32
    %rank = func.call @mark(%c1) : (index) -> i32
    %float = arith.sitofp %rank : i32 to f32
    %factor = arith.addf %float, %one : f32
    %empty = tensor.empty() : tensor<5xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<5xf32>) outs(%empty : tensor<5xf32>) {
    ^bb0(%a: f32, %b: f32):
      %product = arith.mulf %a, %factor : f32
      linalg.yield %product : f32
    } -> tensor<5xf32>
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %i = shardir.axis_index @m "x"
    %j = shardir.axis_index @m "y"
    %outer = arith.subi %c3, %i : index
    %is_major = arith.cmpi eq, %j, %c0 : index
    %up = arith.addi %outer, %c1 : index
    %first = arith.divui %up, %c2 : index
    %second = arith.subi %outer, %first : index
    %size = arith.select %is_major, %first, %second : index
    %r = collective.reduce_scatter %y sizes [%size]
        from #shardir.placement<@m, [{}], partial = sum ["x", "y"]>
        to #shardir.placement<@m, [{"x", "y"} ]> of tensor<5xf32> : tensor<5xf32> -> tensor<?xf32>
    return %r : tensor<?xf32>
  }

  // Rows over all four ranks to columns over them: 5 columns are 2 + 1 + 1 + 1.
  func.func @all_to_all(%x: tensor<1x5xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>, shardir.global_type = tensor<4x5xi32>})
      -> (tensor<4x?xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>, shardir.global_type = tensor<4x5xi32>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c100 = arith.constant 100 : index
    %i = func.call @mark(%c100) : (index) -> i32
    %in = tensor.cast %x : tensor<1x5xi32> to tensor<?x?xi32>
    %added = func.call @add(%in, %i) : (tensor<?x?xi32>, i32) -> tensor<?x?xi32>
    %y = tensor.cast %added : tensor<?x?xi32> to tensor<1x5xi32>
    %zero = arith.constant 0 : i32
    %is_first = arith.cmpi eq, %i, %zero : i32
    %size = arith.select %is_first, %c2, %c1 : index
    %r = collective.all_to_all %y sizes [%size]
        from #shardir.placement<@m, [{"x", "y"}, {}]>
        to #shardir.placement<@m, [{}, {"x", "y"} ]> of tensor<4x5xi32> : tensor<1x5xi32> -> tensor<4x?xi32>
    return %r : tensor<4x?xi32>
  }

  func.func @permute(%x: tensor<2xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>, shardir.global_type = tensor<8xi32>})
      -> (tensor<2xi32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}]>, shardir.global_type = tensor<8xi32>}) {
    %c100 = arith.constant 100 : index
    %i = func.call @mark(%c100) : (index) -> i32
    %empty = tensor.empty() : tensor<2xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<2xi32>) outs(%empty : tensor<2xi32>) {
    ^bb0(%a: i32, %b: i32):
      %sum = arith.addi %a, %i : i32
      linalg.yield %sum : i32
    } -> tensor<2xi32>
    %r = collective.permute %y from #shardir.placement<@m, [{"x", "y"}]>
                                 to #shardir.placement<@m, [{"y", "x"} ]> of tensor<8xi32>
        : tensor<2xi32> -> tensor<2xi32>
    return %r : tensor<2xi32>
  }

  // 3x3 in blocks of 2 + 1 by 2 + 1; rank r adds 100 r to its block.
  func.func @exchange(%x: tensor<?x?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>, shardir.global_type = tensor<3x3xi32>})
      -> (tensor<3x?xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>, shardir.global_type = tensor<3x3xi32>}) {
    %c2 = arith.constant 2 : index
    %c100 = arith.constant 100 : index
    %i = func.call @mark(%c100) : (index) -> i32
    %y = func.call @add(%x, %i) : (tensor<?x?xi32>, i32) -> tensor<?x?xi32>
    %column = shardir.axis_index @m "x"
    %size = arith.subi %c2, %column : index
    %r = collective.exchange %y sizes [%size]
        from #shardir.placement<@m, [{"x"}, {"y"}]>
        to #shardir.placement<@m, [{}, {"x"} ]> of tensor<3x3xi32> : tensor<?x?xi32> -> tensor<3x?xi32>
    return %r : tensor<3x?xi32>
  }
}
