// RUN: shard-opt %s --shardir-to-collective --shardir-report=file=- -o %t.mlir | FileCheck %s --check-prefix=PEAK
// RUN: FileCheck %s --check-prefix=KEPT < %t.mlir
// RUN: shard-opt %s --shardir-to-collective="memory-limit=1792" | FileCheck %s --check-prefix=AGAIN
// RUN: not shard-opt %s --shardir-to-collective="memory-limit=1791" 2>&1 | FileCheck %s --check-prefix=ERROR

// Values kept in front of a loop are alive with all that an iteration makes, for
// buffers are made once, ahead of the loop: 128 bytes for the shard of each
// argument, 128 for what the loop carries, 256 for the gathered argument, 128 for
// the product, 512 for the wide one, 128 each for its sum and the next one, 128 for
// what is handed on and 128 for the result, into which it is copied. An argument
// that is gathered in each iteration takes no less.
// PEAK:       "peak_bytes_per_device": 1792
// KEPT:       collective.all_gather
// KEPT:       scf.for
// AGAIN-NOT:  collective.all_gather
// AGAIN:      scf.for
// AGAIN:        collective.all_gather
// ERROR:      memory-regions.mlir:[[#@LINE+17]]:10: error: 'arith.addf' needs 1792 bytes at one time on a device, above the memory limit of
shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    // The rows of one are contracted with all of the other.
    %p = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
        ins(%a, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %e4 = tensor.empty() : tensor<8x8x4xf32>
    %b = linalg.broadcast ins(%p : tensor<8x8xf32>) outs(%e4 : tensor<8x8x4xf32>) dimensions = [2]
    %e8 = tensor.empty() : tensor<8x8xf32>
    %s = linalg.reduce { arith.addf } ins(%b : tensor<8x8x4xf32>) outs(%e8 : tensor<8x8xf32>) dimensions = [2]
    %t = arith.addf %s, %p : tensor<8x8xf32>
    scf.yield %t : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
