// An exchange with a mesh of other devices sends shards around a ring, in a loop,
// where another axis splits a dim unevenly: products of all rows with all rows, as
// in ring attention. Two of three devices have others' rows each time.
// RUN: split-file %s %t
// RUN: shard-run %t/plain.mlir --output=@%t/y.npy
// RUN: shard-run %t/ring.mlir --expected_output=@%t/y.npy --tolerance=0 --report=%t/r.json
// RUN: shard-opt %t/ring.mlir --shardir-to-collective -o %t/collective.mlir
// RUN: shard-run %t/collective.mlir --expected_output=@%t/y.npy --tolerance=0
// RUN: FileCheck %s < %t/r.json
// A shard of 2x3 of 4 bytes, three times.
// CHECK:      "bytes_per_device": 24
// CHECK:      "executions": 3
// CHECK:      "kind": "exchange"

//--- plain.mlir
func.func @main(%x: tensor<6x5xi32>, %w: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %z = arith.constant dense<0> : tensor<6xi32>
  %n = arith.constant dense<0> : tensor<5xi32>
  %s = linalg.reduce { arith.addi } ins(%x : tensor<6x5xi32>) outs(%n : tensor<5xi32>) dimensions = [0]
  %e = tensor.empty() : tensor<6x5xi32>
  %b = linalg.broadcast ins(%s : tensor<5xi32>) outs(%e : tensor<6x5xi32>) dimensions = [0]
  %0 = arith.muli %b, %w : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}

//--- ring.mlir
shardir.mesh @m <["cp"=3, "tp"=2]>
// (i, j) on @m is rank 2i + j, which goes to (i + 1, j).
shardir.mesh @next <["cp"=3, "tp"=2], devices = [2, 3, 4, 5, 0, 1]>
func.func @main(%x: tensor<6x5xi32> {shardir.placement = #shardir.placement<@m, [{?}, {"tp"}]>}, %w: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"cp"}, {?}]>, #shardir.placement<@m, [{"cp"}, {?}]>]
      out [#shardir.placement<@m, [{"cp"}, {?}]>] manual = ["cp"] {
  ^bb0(%rows: tensor<2x5xi32>, %own: tensor<2x5xi32>):
    %zero = arith.constant dense<0> : tensor<2x5xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %sum, %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero, %held = %rows) -> (tensor<2x5xi32>, tensor<2x5xi32>) {
      %n = arith.constant dense<0> : tensor<5xi32>
      %s = linalg.reduce { arith.addi } ins(%held : tensor<2x5xi32>) outs(%n : tensor<5xi32>) dimensions = [0]
      %e = tensor.empty() : tensor<2x5xi32>
      %b = linalg.broadcast ins(%s : tensor<5xi32>) outs(%e : tensor<2x5xi32>) dimensions = [0]
      %p = arith.muli %b, %own : tensor<2x5xi32>
      %a = arith.addi %acc, %p : tensor<2x5xi32>
      %next = collective.exchange %held from #shardir.placement<@m, [{"cp"}, {}]> to #shardir.placement<@next, [{"cp"}, {}]> of tensor<6x5xi32> : tensor<2x5xi32> -> tensor<2x5xi32>
      scf.yield %a, %next : tensor<2x5xi32>, tensor<2x5xi32>
    }
    shardir.yield %sum : tensor<2x5xi32>
  } : (tensor<6x5xi32>, tensor<6x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
