// The unsharded side of a program with manual regions runs them for all devices, one
// after the other. It agrees with the devices, and with what a plain program
// computes: shards of different extents inside, regions in regions, groups
// along a part of an axis, sums that stay partial, pieces that lie apart, loops and
// branches that hold collectives, and extents known at run time alone.
// RUN: split-file %s %t
// RUN: shard-run %t/uneven.mlir --verify --tolerance=0
// RUN: shard-run %t/nested.mlir --verify --tolerance=0
// RUN: shard-run %t/parts.mlir --verify --tolerance=0
// RUN: shard-run %t/loops.mlir --verify --tolerance=0
// RUN: shard-run %t/open.mlir --verify --tolerance=0 --input=8x3xi32=7
// RUN: shard-opt %t/uneven.mlir --shardir-unshard-manual --shardir-strip-annotations -o %t/one.mlir
// RUN: shard-run %t/one.mlir --output=@%t/one.npy
// RUN: shard-run %t/uneven-plain.mlir --expected_output=@%t/one.npy --tolerance=0
// RUN: shard-opt %t/nested.mlir --shardir-unshard-manual --shardir-strip-annotations -o %t/two.mlir
// RUN: shard-run %t/two.mlir --output=@%t/two.npy
// RUN: shard-run %t/nested-plain.mlir --expected_output=@%t/two.npy --tolerance=0
// RUN: shard-opt %t/nested.mlir --shardir-to-propagated -o %t/propagated.mlir
// RUN: shard-run %t/propagated.mlir --verify --tolerance=0

//--- uneven.mlir
shardir.mesh @m <["dp"=4, "tp"=2]>
// The sum of 7 rows is left on 2 + 2 + 2 + 1 of them, doubled, and gathered.
func.func @main(%x: tensor<28x3xi32> {shardir.placement = #shardir.placement<@m, [{?}, {"tp"}]>}) -> tensor<7x3xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {?}]>] out [#shardir.placement<@m, [{}, {?}]>] manual = ["dp"] {
  ^bb0(%local: tensor<7x3xi32>):
    %i = shardir.axis_index @m "dp"
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %before = arith.muli %i, %c2 : index
    %rest = arith.subi %c7, %before : index
    %own = arith.minsi %rest, %c2 : index
    %rows = collective.reduce_scatter %local sizes [%own] from #shardir.placement<@m, [{}, {}], partial = sum ["dp"]>
        to #shardir.placement<@m, [{"dp"}, {}]> of tensor<7x3xi32> : tensor<7x3xi32> -> tensor<?x3xi32>
    %more = arith.addi %rows, %rows : tensor<?x3xi32>
    %all = collective.all_gather %more from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<7x3xi32>
        : tensor<?x3xi32> -> tensor<7x3xi32>
    shardir.yield %all : tensor<7x3xi32>
  } : (tensor<28x3xi32>) -> tensor<7x3xi32>
  return %0 : tensor<7x3xi32>
}

//--- uneven-plain.mlir
func.func @main(%x: tensor<28x3xi32>) -> tensor<7x3xi32> {
  %z = arith.constant dense<0> : tensor<7x3xi32>
  %v = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 7, 3] : tensor<28x3xi32> into tensor<4x7x3xi32>
  %s = linalg.reduce { arith.addi } ins(%v : tensor<4x7x3xi32>) outs(%z : tensor<7x3xi32>) dimensions = [0]
  %0 = arith.addi %s, %s : tensor<7x3xi32>
  return %0 : tensor<7x3xi32>
}

//--- nested.mlir
shardir.mesh @m <["dp"=2, "tp"=3, "pp"=2]>
// The inner region sums along both axes, and adds the coordinates along each.
func.func @main(%x: tensor<4x6x5xi32> {shardir.placement = #shardir.placement<@m, [{?}, {?}, {"pp"}]>}) -> tensor<4x6x5xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {?}, {?}]>] out [#shardir.placement<@m, [{"dp"}, {?}, {?}]>] manual = ["dp"] {
  ^bb0(%rows: tensor<2x6x5xi32>):
    %1 = shardir.manual (%rows) in [#shardir.placement<@m, [{}, {"tp"}, {?}]>] out [#shardir.placement<@m, [{}, {"tp"}, {?}]>] manual = ["tp"] {
    ^bb0(%local: tensor<2x2x5xi32>):
      %sum = collective.all_reduce %local from #shardir.placement<@m, [{}, {}, {}], partial = sum ["dp", "tp"]>
          to #shardir.placement<@m, [{}, {}, {}]> of tensor<2x2x5xi32> : tensor<2x2x5xi32> -> tensor<2x2x5xi32>
      %i = shardir.axis_index @m "dp"
      %j = shardir.axis_index @m "tp"
      %c10 = arith.constant 10 : index
      %ten = arith.muli %i, %c10 : index
      %both = arith.addi %ten, %j : index
      %n = arith.index_cast %both : index to i32
      %t = tensor.splat %n : tensor<2x2x5xi32>
      %y = arith.addi %sum, %t : tensor<2x2x5xi32>
      shardir.yield %y : tensor<2x2x5xi32>
    } : (tensor<2x6x5xi32>) -> tensor<2x6x5xi32>
    shardir.yield %1 : tensor<2x6x5xi32>
  } : (tensor<4x6x5xi32>) -> tensor<4x6x5xi32>
  return %0 : tensor<4x6x5xi32>
}

//--- nested-plain.mlir
func.func @main(%x: tensor<4x6x5xi32>) -> tensor<4x6x5xi32> {
  %z = arith.constant dense<0> : tensor<2x2x5xi32>
  %v = tensor.expand_shape %x [[0, 1], [2, 3], [4]] output_shape [2, 2, 3, 2, 5] : tensor<4x6x5xi32> into tensor<2x2x3x2x5xi32>
  %s = linalg.reduce { arith.addi } ins(%v : tensor<2x2x3x2x5xi32>) outs(%z : tensor<2x2x5xi32>) dimensions = [0, 2]
  %e = tensor.empty() : tensor<2x2x3x2x5xi32>
  %b = linalg.broadcast ins(%s : tensor<2x2x5xi32>) outs(%e : tensor<2x2x3x2x5xi32>) dimensions = [0, 2]
  %c = arith.constant dense<[[0, 1, 2], [10, 11, 12]]> : tensor<2x3xi32>
  %d = linalg.broadcast ins(%c : tensor<2x3xi32>) outs(%e : tensor<2x2x3x2x5xi32>) dimensions = [1, 3, 4]
  %a = arith.addi %b, %d : tensor<2x2x3x2x5xi32>
  %y = tensor.collapse_shape %a [[0, 1], [2, 3], [4]] : tensor<2x2x3x2x5xi32> into tensor<4x6x5xi32>
  return %y : tensor<4x6x5xi32>
}

//--- parts.mlir
shardir.mesh @m <["dp"=2, "tp"=4]>
// Sums along the minor half of "tp"; an exchange that leaves each device a part of
// each of four runs of rows; a result that is partial along "dp".
func.func @main(%x: tensor<8x16x3xi32>) -> (tensor<8x16x3xi32>, tensor<4x16x3xi32>) {
  %0, %1 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {"tp"}, {}]>]
      out [#shardir.placement<@m, [{"dp"}, {"tp"}, {}]>, #shardir.placement<@m, [{}, {"tp"}, {}], partial = sum ["dp"]>] manual = ["dp", "tp"] {
  ^bb0(%local: tensor<4x4x3xi32>):
    %pair = collective.all_reduce %local from #shardir.placement<@m, [{}, {}, {}], partial = sum ["tp":(2)2]>
        to #shardir.placement<@m, [{}, {}, {}]> of tensor<4x4x3xi32> : tensor<4x4x3xi32> -> tensor<4x4x3xi32>
    %apart = collective.exchange %pair from #shardir.placement<@m, [{}, {"tp"}, {}]> to #shardir.placement<@m, [{}, {4, "tp"}, {}]> of tensor<4x16x3xi32>
        : tensor<4x4x3xi32> -> tensor<4x4x3xi32>
    %y = arith.muli %apart, %local : tensor<4x4x3xi32>
    shardir.yield %y, %apart : tensor<4x4x3xi32>, tensor<4x4x3xi32>
  } : (tensor<8x16x3xi32>) -> (tensor<8x16x3xi32>, tensor<4x16x3xi32>)
  return %0, %1 : tensor<8x16x3xi32>, tensor<4x16x3xi32>
}

//--- loops.mlir
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @main(%x: tensor<4x6xi32>, %limit: tensor<i32>) -> (tensor<4x6xi32>, tensor<4x6xi32>) {
  %0, %1 = shardir.manual (%x, %limit) in [#shardir.placement<@m, [{"dp"}, {"tp"}]>, #shardir.placement<@m, []>]
      out [#shardir.placement<@m, [{"dp"}, {"tp"}]>, #shardir.placement<@m, [{"dp"}, {"tp"}]>] manual = ["dp", "tp"] {
  ^bb0(%local: tensor<2x3xi32>, %most: tensor<i32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %all = tensor.extract %most[] : tensor<i32>
    %w:3 = scf.while (%i = %c0, %a = %local, %b = %local) : (i32, tensor<2x3xi32>, tensor<2x3xi32>) -> (i32, tensor<2x3xi32>, tensor<2x3xi32>) {
      %again = arith.cmpi slt, %i, %c3 : i32
      %sum = collective.all_reduce %b from #shardir.placement<@m, [{}, {}], partial = sum ["dp"]>
          to #shardir.placement<@m, [{}, {}]> of tensor<2x3xi32> : tensor<2x3xi32> -> tensor<2x3xi32>
      %a2 = arith.addi %a, %sum : tensor<2x3xi32>
      scf.condition(%again) %i, %a2, %b : i32, tensor<2x3xi32>, tensor<2x3xi32>
    } do {
    ^bb1(%i: i32, %a: tensor<2x3xi32>, %b: tensor<2x3xi32>):
      %next = arith.addi %i, %c1 : i32
      %p = shardir.axis_index @m "tp"
      %n = arith.index_cast %p : index to i32
      %t = tensor.splat %n : tensor<2x3xi32>
      %b2 = arith.addi %b, %t : tensor<2x3xi32>
      scf.yield %next, %a, %b2 : i32, tensor<2x3xi32>, tensor<2x3xi32>
    }
    %large = arith.cmpi sgt, %all, %c0 : i32
    %branch = scf.if %large -> tensor<2x3xi32> {
      %g = collective.all_gather %w#1 from #shardir.placement<@m, [{}, {"tp"}]> to #shardir.placement<@m, [{}, {}]> of tensor<2x6xi32>
          : tensor<2x3xi32> -> tensor<2x6xi32>
      %s = tensor.extract_slice %g[0, 2] [2, 3] [1, 1] : tensor<2x6xi32> to tensor<2x3xi32>
      scf.yield %s : tensor<2x3xi32>
    } else {
      scf.yield %local : tensor<2x3xi32>
    }
    shardir.yield %branch, %w#2 : tensor<2x3xi32>, tensor<2x3xi32>
  } : (tensor<4x6xi32>, tensor<i32>) -> (tensor<4x6xi32>, tensor<4x6xi32>)
  return %0, %1 : tensor<4x6xi32>, tensor<4x6xi32>
}

//--- open.mlir
shardir.mesh @m <["dp"=4]>
func.func @main(%x: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {}]>] out [#shardir.placement<@m, [{"dp"}, {}]>] manual = ["dp"] {
  ^bb0(%local: tensor<?x3xi32>):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %own = tensor.dim %local, %c0 : tensor<?x3xi32>
    %all = arith.muli %own, %c4 : index
    %g = collective.all_gather %local sizes [%all] dims [%all] from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<?x3xi32>
        : tensor<?x3xi32> -> tensor<?x3xi32>
    %p = shardir.axis_index @m "dp"
    %at = arith.muli %p, %own : index
    %s = tensor.extract_slice %g[%at, 0] [%own, 3] [1, 1] : tensor<?x3xi32> to tensor<?x3xi32>
    %y = arith.addi %s, %local : tensor<?x3xi32>
    shardir.yield %y : tensor<?x3xi32>
  } : (tensor<?x3xi32>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}
