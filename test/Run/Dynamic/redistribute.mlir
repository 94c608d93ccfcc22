// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=1 x=1,y=4 x=4,y=2
// INPUTS moves: --input=0x5x3xf32=ramp
// INPUTS moves: --input=1x5x1xf32=ramp
// INPUTS moves: --input=2x5x3xf32=ramp
// INPUTS moves: --input=5x5x2xf32=ramp
// INPUTS moves: --input=9x5x4xf32=ramp
// INPUTS moves: --input=12x5x8xf32=ramp
// INPUTS sums: --input=0x4xi32=ramp
// INPUTS sums: --input=1x4xi32=ramp
// INPUTS sums: --input=2x4xi32=ramp
// INPUTS sums: --input=5x4xi32=ramp
// INPUTS sums: --input=9x4xi32=ramp
// INPUTS sums: --input=12x4xi32=ramp
// INPUTS sub_axes: --input=0x3xi32=ramp
// INPUTS sub_axes: --input=1x1xi32=ramp
// INPUTS sub_axes: --input=3x5xi32=ramp
// INPUTS sub_axes: --input=9x4xi32=ramp
// INPUTS terms: --input=0x3xi32=ramp --input=0x3xi32=ramp
// INPUTS terms: --input=1x3xi32=ramp --input=1x3xi32=ramp
// INPUTS terms: --input=5x3xi32=ramp --input=5x3xi32=ramp
// INPUTS terms: --input=8x3xi32=ramp --input=8x3xi32=ramp

// Dims whose extent is known only at run time, in all kinds of redistributions:
// uneven and empty shards, extents below the axis', axes of size 1.
shardir.mesh @m <["x"=?, "y"=?]>

// Gathers, all-to-all, permutes, exchanges, a local slice, terms.
func.func @moves(%a: tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>})
    -> (tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}, {}]>},
        tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>},
        tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>},
        tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>},
        tensor<?x5x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}], partial = sum ["x"]>}) {
  return %a, %a, %a, %a, %a : tensor<?x5x?xf32>, tensor<?x5x?xf32>, tensor<?x5x?xf32>, tensor<?x5x?xf32>, tensor<?x5x?xf32>
}

// A sum over a split dim: all-reduce, reduce-scatter over another dim.
func.func @sums(%a: tensor<?x4xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<4xi32>, tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %s = linalg.reduce ins(%a : tensor<?x4xi32>) outs(%z : tensor<4xi32>) dimensions = [0]
    (%p: i32, %q: i32) {
      %r = arith.addi %p, %q : i32
      linalg.yield %r : i32
    }
  return %s, %s : tensor<4xi32>, tensor<4xi32>
}

// Placements in the middle, of one axis after the other.
func.func @sub_axes(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = shardir.constrain %a to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<?x?xi32>
  %1 = arith.addi %0, %0 : tensor<?x?xi32>
  %2 = shardir.constrain %1 to #shardir.placement<@m, [{"x", "y"}, {}]> : tensor<?x?xi32>
  %3 = arith.muli %2, %2 : tensor<?x?xi32>
  %4 = shardir.constrain %3 to #shardir.placement<@m, [{}, {"y"}]> : tensor<?x?xi32>
  return %4 : tensor<?x?xi32>
}

// Terms that are partial meet what is replicated, and are scattered.
func.func @terms(%a: tensor<?x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
                 %b: tensor<?x3xi32>)
    -> (tensor<?x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = arith.addi %a, %b : tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}
