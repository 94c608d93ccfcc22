// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=1 x=4,y=2 x=8,y=1
// INPUTS slices: --input=1x3xf32=ramp
// INPUTS slices: --input=2x3xf32=ramp
// INPUTS slices: --input=5x3xf32=ramp
// INPUTS slices: --input=13x3xf32=ramp
// INPUTS strided: --input=1x3xf32=ramp
// INPUTS strided: --input=6x3xf32=ramp
// INPUTS strided: --input=11x3xf32=ramp
// INPUTS at: --input=4x3xf32=ramp --input=index=0
// INPUTS at: --input=5x3xf32=ramp --input=index=1
// INPUTS at: --input=12x3xf32=ramp --input=index=7
// INPUTS pads: --input=0x3xf32=ramp --input=index=0
// INPUTS pads: --input=1x3xf32=ramp --input=index=1
// INPUTS pads: --input=5x3xf32=ramp --input=index=4
// INPUTS pads: --input=12x3xf32=ramp --input=index=2
// INPUTS joined: --input=0x3xf32=ramp --input=0x3xf32=ramp
// INPUTS joined: --input=0x3xf32=ramp --input=3x3xf32=ramp
// INPUTS joined: --input=5x3xf32=ramp --input=1x3xf32=ramp
// INPUTS joined: --input=8x3xf32=ramp --input=9x3xf32=ramp
// INPUTS convolution: --input=1x1x3xf32=ramp --input=3x3x2xf32=ramp
// INPUTS convolution: --input=2x5x3xf32=ramp --input=3x3x2xf32=ramp
// INPUTS convolution: --input=1x14x3xf32=ramp --input=3x3x2xf32=ramp
// INPUTS pooling: --input=1x4x3x2xf32=ramp
// INPUTS pooling: --input=2x9x3x2xf32=ramp
// INPUTS inserted: --input=3x3xf32=ramp --input=0x3xf32=ramp
// INPUTS inserted: --input=6x3xf32=ramp --input=4x3xf32=ramp
// INPUTS inserted: --input=13x3xf32=ramp --input=11x3xf32=ramp
// INPUTS moving: --input=4x3xf32=ramp
// INPUTS moving: --input=7x3xf32=ramp
// INPUTS moving: --input=13x3xf32=ramp
// INPUTS known: --input=12x3xf32=ramp --input=index=5 --input=index=7
// INPUTS known: --input=12x3xf32=ramp --input=index=0 --input=index=12
// INPUTS known: --input=12x3xf32=ramp --input=index=4 --input=index=0

// Windows over dims whose extent, or whose window position, is known at run time
// alone: uneven, short and empty blocks.
shardir.mesh @m <["x"=?, "y"=?]>

// All but the first, all but the last, their difference, and the first row.
func.func @slices(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<?x3xf32>, tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>},
        tensor<1x3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %less = arith.subi %n, %c1 : index
  %up = tensor.extract_slice %a[1, 0] [%less, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %down = tensor.extract_slice %a[0, 0] [%less, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %d = arith.subf %up, %down : tensor<?x3xf32>
  %first = tensor.extract_slice %a[0, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<1x3xf32>
  %last = tensor.extract_slice %a[%less, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
  return %d, %up, %first, %last : tensor<?x3xf32>, tensor<?x3xf32>, tensor<1x3xf32>, tensor<3xf32>
}

// Every second row, and what was read put back between others.
func.func @strided(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %more = arith.addi %n, %c1 : index
  %half = arith.divui %more, %c2 : index
  %s = tensor.extract_slice %a[0, 0] [%half, 3] [2, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %t = arith.addf %s, %s : tensor<?x3xf32>
  %b = math.exp %a : tensor<?x3xf32>
  %r = tensor.insert_slice %t into %b[0, 0] [%half, 3] [2, 1] : tensor<?x3xf32> into tensor<?x3xf32>
  return %t, %r : tensor<?x3xf32>, tensor<?x3xf32>
}

// From a place that is told: a part of known size, and all that follows.
func.func @at(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %i: index) -> (tensor<3x3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %rest = arith.subi %n, %i : index
  %s = tensor.extract_slice %a[%i, 0] [3, 3] [1, 1] : tensor<?x3xf32> to tensor<3x3xf32>
  %t = tensor.extract_slice %a[%i, 0] [%rest, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %u = linalg.reduce { arith.addf } ins(%t : tensor<?x3xf32>) outs(%f : tensor<3xf32>) dimensions = [0]
  return %s, %u : tensor<3x3xf32>, tensor<3xf32>
}

func.func @pads(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %i: index) -> (tensor<?x3xf32>, tensor<4xf32>) {
  %z = arith.constant 7.0 : f32
  %p = tensor.pad %a low[2, 0] high[1, 0] {
  ^bb0(%j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<?x3xf32> to tensor<?x3xf32>
  %e = math.exp %p : tensor<?x3xf32>
  %q = tensor.pad %a low[%i, 0] high[0, 1] {
  ^bb0(%j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<?x3xf32> to tensor<?x4xf32>
  %zero = arith.constant 0.0 : f32
  %n = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%n : tensor<4xf32>) -> tensor<4xf32>
  %u = linalg.reduce { arith.addf } ins(%q : tensor<?x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0]
  return %e, %u : tensor<?x3xf32>, tensor<4xf32>
}

func.func @joined(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<?x3xf32>)
    -> (tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) {
  %k = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tensor.concat dim(0) %a, %b, %k : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %1 = math.exp %0 : tensor<?x3xf32>
  %2 = tensor.concat dim(0) %b, %a : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>
}

// "Same" padding, at stride 1 and 2, and dilated taps.
func.func @convolution(%a: tensor<?x?x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}]>}, %w: tensor<3x3x2xf32>)
    -> (tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<?x?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %b = tensor.dim %a, %c0 : tensor<?x?x3xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?x3xf32>
  %p = tensor.pad %a low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x?x3xf32> to tensor<?x?x3xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<?x?x3xf32>, tensor<3x3x2xf32>) outs(%f : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %more = arith.addi %n, %c1 : index
  %half = arith.divui %more, %c2 : index
  %e2 = tensor.empty(%b, %half) : tensor<?x?x2xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %y2 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%p, %w : tensor<?x?x3xf32>, tensor<3x3x2xf32>)
      outs(%f2 : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %p3 = tensor.pad %a low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x?x3xf32> to tensor<?x?x3xf32>
  %y3 = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>} ins(%p3, %w : tensor<?x?x3xf32>, tensor<3x3x2xf32>)
      outs(%f : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  return %y, %y2, %y3 : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<?x?x2xf32>
}

func.func @pooling(%a: tensor<?x?x3x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}, {}, {}]>}) -> tensor<?x?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %low = arith.constant 0xFF800000 : f32
  %b = tensor.dim %a, %c0 : tensor<?x?x3x2xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?x3x2xf32>
  %less = arith.subi %n, %c2 : index
  %w = tensor.empty() : tensor<3x2xf32>
  %e = tensor.empty(%b, %less) : tensor<?x?x2x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32>
  %y = linalg.pooling_nhwc_max ins(%a, %w : tensor<?x?x3x2xf32>, tensor<3x2xf32>) outs(%f : tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32>
  return %y : tensor<?x?x2x2xf32>
}

// Behind the first two rows, and as many as there are.
func.func @inserted(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                    %b: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x3xf32>
  %e = math.exp %a : tensor<?x3xf32>
  %r = tensor.insert_slice %b into %e[2, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// A window that moves from one iteration to the next over what does not change.
func.func @moving(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %less = arith.subi %n, %c3 : index
  %first = tensor.extract_slice %a[0, 0] [%less, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %r = scf.for %i = %c1 to %c3 step %c1 iter_args(%s = %first) -> (tensor<?x3xf32>) {
    %own = tensor.extract_slice %a[%i, 0] [%less, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
    %t = arith.addf %s, %own : tensor<?x3xf32>
    scf.yield %t : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}

// Of a known extent, so many rows as are told.
func.func @known(%a: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %i: index, %n: index)
    -> (tensor<3xf32>, tensor<12x3xf32>) {
  %s = tensor.extract_slice %a[%i, 0] [%n, 3] [1, 1] : tensor<12x3xf32> to tensor<?x3xf32>
  %t = math.absf %s : tensor<?x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %u = linalg.reduce { arith.addf } ins(%t : tensor<?x3xf32>) outs(%f : tensor<3xf32>) dimensions = [0]
  %r = tensor.insert_slice %t into %a[%i, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<12x3xf32>
  return %u, %r : tensor<3xf32>, tensor<12x3xf32>
}
