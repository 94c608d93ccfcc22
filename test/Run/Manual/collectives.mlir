// Each collective that a manual region may ask for, along one manual axis of two,
// where another axis splits a dim that it leaves alone, evenly and not; results
// that are partial along a manual axis; the device's coordinate; a region in a loop, and
// one in another; and values outside and inside that differ on every device.
// RUN: split-file %s %t
// RUN: shard-run %t/plain.mlir --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy --output=@%t/4.npy
// RUN: shard-run %t/manual.mlir --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --expected_output=@%t/4.npy --tolerance=0
// RUN: shard-opt %t/manual.mlir --shardir-to-collective -o %t/collective.mlir
// RUN: shard-run %t/collective.mlir --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --expected_output=@%t/4.npy --tolerance=0
// RUN: shard-opt %t/manual.mlir --shardir-to-propagated --canonicalize --cse -o %t/propagated.mlir
// RUN: shard-run %t/propagated.mlir --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --expected_output=@%t/4.npy --tolerance=0

//--- plain.mlir
func.func @main(%x: tensor<8x7xi32>, %w: tensor<8x7xi32>, %v: tensor<6x6xi32>)
    -> (tensor<8x7xi32>, tensor<7xi32>, tensor<8x7xi32>, tensor<8x7xi32>, tensor<6x6xi32>) {
  %z = arith.constant dense<0> : tensor<7xi32>
  %one = arith.constant dense<1> : tensor<8x7xi32>
  %0 = arith.addi %x, %w : tensor<8x7xi32>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<8x7xi32>) outs(%z : tensor<7xi32>) dimensions = [0]
  // Rows 0 to 3 have 0 added, rows 4 to 7 100.
  %c = arith.constant dense<[0, 0, 0, 0, 100, 100, 100, 100]> : tensor<8xi32>
  %e = tensor.empty() : tensor<8x7xi32>
  %b = linalg.broadcast ins(%c : tensor<8xi32>) outs(%e : tensor<8x7xi32>) dimensions = [1]
  %2 = arith.addi %x, %b : tensor<8x7xi32>
  %3 = arith.addi %0, %one : tensor<8x7xi32>
  %4 = arith.addi %3, %one : tensor<8x7xi32>
  %5 = arith.addi %4, %one : tensor<8x7xi32>
  return %0, %1, %2, %5, %v : tensor<8x7xi32>, tensor<7xi32>, tensor<8x7xi32>, tensor<8x7xi32>, tensor<6x6xi32>
}

//--- manual.mlir
shardir.mesh @m <["dp"=2, "tp"=3]>
func.func @main(%x: tensor<8x7xi32> {shardir.placement = #shardir.placement<@m, [{?}, {"tp"}]>},
                %w: tensor<8x7xi32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %v: tensor<6x6xi32>)
    -> (tensor<8x7xi32>, tensor<7xi32>, tensor<8x7xi32>, tensor<8x7xi32>, tensor<6x6xi32>) {
  // Gathered, scattered, moved to the other dim and back: the same again.
  %0, %s = shardir.manual (%x, %w)
      in [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{?}, {?}]>]
      out [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{?}], partial = sum ["dp"]>] manual = ["dp"] {
  ^bb0(%xl: tensor<4x7xi32>, %wl: tensor<8x7xi32>):
    %z = arith.constant dense<0> : tensor<7xi32>
    %g = collective.all_gather %xl from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<8x7xi32> : tensor<4x7xi32> -> tensor<8x7xi32>
    %a = arith.addi %g, %wl : tensor<8x7xi32>
    // Both devices hold all of %a; of their sum each takes half.
    %r = collective.reduce_scatter %a from #shardir.placement<@m, [{}, {}], partial = sum ["dp"]> to #shardir.placement<@m, [{"dp"}, {}]> of tensor<8x7xi32> : tensor<8x7xi32> -> tensor<4x7xi32>
    %two = arith.constant dense<2> : tensor<4x7xi32>
    %h = arith.divsi %r, %two : tensor<4x7xi32>
    %t = linalg.reduce { arith.addi } ins(%h : tensor<4x7xi32>) outs(%z : tensor<7xi32>) dimensions = [0]
    shardir.yield %h, %t : tensor<4x7xi32>, tensor<7xi32>
  } : (tensor<8x7xi32>, tensor<8x7xi32>) -> (tensor<8x7xi32>, tensor<7xi32>)

  %2 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp", ?}, {?}]>] out [#shardir.placement<@m, [{"dp", ?}, {?}]>] manual = ["dp"] {
  ^bb0(%xl: tensor<4x7xi32>):
    %i = shardir.axis_index @m "dp"
    %c = arith.constant 100 : i32
    %n = arith.index_cast %i : index to i32
    %p = arith.muli %n, %c : i32
    %e = tensor.empty() : tensor<4x7xi32>
    %f = linalg.fill ins(%p : i32) outs(%e : tensor<4x7xi32>) -> tensor<4x7xi32>
    %a = arith.addi %xl, %f : tensor<4x7xi32>
    shardir.yield %a : tensor<4x7xi32>
  } : (tensor<8x7xi32>) -> tensor<8x7xi32>

  %lb = arith.constant 0 : index
  %ub = arith.constant 3 : index
  %st = arith.constant 1 : index
  %3 = scf.for %i = %lb to %ub step %st iter_args(%u = %0) -> (tensor<8x7xi32>) {
    %n = shardir.manual (%u) in [#shardir.placement<@m, [{"dp"}, {?}]>] out [#shardir.placement<@m, [{"dp"}, {?}]>] manual = ["dp"] {
    ^bb0(%vl: tensor<4x7xi32>):
      %one = arith.constant dense<1> : tensor<4x7xi32>
      %a = arith.addi %vl, %one : tensor<4x7xi32>
      shardir.yield %a : tensor<4x7xi32>
    } : (tensor<8x7xi32>) -> tensor<8x7xi32>
    scf.yield %n : tensor<8x7xi32>
  }

  // Manual along "dp", and inside along "tp" as well: rows for columns and back.
  %4 = shardir.manual (%v) in [#shardir.placement<@m, [{"dp"}, {}]>] out [#shardir.placement<@m, [{"dp"}, {}]>] manual = ["dp"] {
  ^bb0(%vl: tensor<3x6xi32>):
    %n = shardir.manual (%vl) in [#shardir.placement<@m, [{}, {"tp"}]>] out [#shardir.placement<@m, [{"tp"}, {}]>] manual = ["tp"] {
    ^bb0(%vll: tensor<3x2xi32>):
      %a = collective.all_to_all %vll from #shardir.placement<@m, [{}, {"tp"}]> to #shardir.placement<@m, [{"tp"}, {}]> of tensor<3x6xi32> : tensor<3x2xi32> -> tensor<1x6xi32>
      shardir.yield %a : tensor<1x6xi32>
    } : (tensor<3x6xi32>) -> tensor<3x6xi32>
    shardir.yield %n : tensor<3x6xi32>
  } : (tensor<6x6xi32>) -> tensor<6x6xi32>

  // All axes manual: shards in another order of devices, and cut another way.
  %5 = shardir.manual (%4) in [#shardir.placement<@m, [{"dp", "tp"}, {}]>] out [#shardir.placement<@m, [{"tp"}, {"dp"}]>] manual = ["dp", "tp"] {
  ^bb0(%vl: tensor<1x6xi32>):
    %a = collective.permute %vl from #shardir.placement<@m, [{"dp", "tp"}, {}]> to #shardir.placement<@m, [{"tp", "dp"}, {}]> of tensor<6x6xi32> : tensor<1x6xi32> -> tensor<1x6xi32>
    %b = collective.exchange %a from #shardir.placement<@m, [{"tp", "dp"}, {}]> to #shardir.placement<@m, [{"tp"}, {"dp"}]> of tensor<6x6xi32> : tensor<1x6xi32> -> tensor<2x3xi32>
    shardir.yield %b : tensor<2x3xi32>
  } : (tensor<6x6xi32>) -> tensor<6x6xi32>
  return %0, %s, %2, %3, %5 : tensor<8x7xi32>, tensor<7xi32>, tensor<8x7xi32>, tensor<8x7xi32>, tensor<6x6xi32>
}
