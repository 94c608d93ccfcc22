// A tensor with another order of dims in memory is the same tensor. Every
// function runs sharded and unsharded, and with every layout to equal bits.
// Shards are uneven (70 over 3 and 4) and empty (2 over 3 and 4).
// REQUIRES: compiler
// RUN: %python %S/../Inputs/verify-all.py %s --options=layout=auto
// RUN: %python %S/Inputs/compare-layouts.py %s %t
// MESHES: x=2 x=3 x=4
shardir.mesh @m <["x"=?]>

#seq = affine_map<(b, s, n, k) -> (b, s, k)>
#weight = affine_map<(b, s, n, k) -> (k, n)>
#out = affine_map<(b, s, n, k) -> (b, s, n)>
#id3 = affine_map<(b, s, n) -> (b, s, n)>
#row = affine_map<(b, s, n) -> (n)>
#bs = affine_map<(b, s, n) -> (b, s)>

// A sequence, gathered in front of a linear layer.
// SAVES sequence: auto contiguous
func.func @sequence(%x: tensor<3x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                    %w: tensor<16x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<3x70x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %a = math.absf %x : tensor<3x70x16xf32>
  %g = shardir.constrain %a to #shardir.placement<@m, [{}, {}, {}]> : tensor<3x70x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x70x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x70x24xf32>) -> tensor<3x70x24xf32>
  %y = linalg.generic {indexing_maps = [#seq, #weight, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %w : tensor<3x70x16xf32>, tensor<16x24xf32>) outs(%z : tensor<3x70x24xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x70x24xf32>
  return %y : tensor<3x70x24xf32>
}

// The way back: terms of a sum are scattered along the sequence. The argument
// is added in row-major order, the bias has no order.
// SAVES scatter: auto contiguous
// INPUTS scatter: --tolerance=1e-6
func.func @scatter(%x: tensor<3x70x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>},
                   %w: tensor<24x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                   %residual: tensor<3x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                   %bias: tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<3x70x16xf64> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x70x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x70x16xf32>) -> tensor<3x70x16xf32>
  %y = linalg.generic {indexing_maps = [#seq, #weight, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x70x24xf32>, tensor<24x16xf32>) outs(%z : tensor<3x70x16xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x70x16xf32>
  %wide = tensor.empty() : tensor<3x70x16xf64>
  %sum = linalg.generic {indexing_maps = [#id3, #row, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias, %residual : tensor<3x70x16xf32>, tensor<16xf32>, tensor<3x70x16xf32>) outs(%wide : tensor<3x70x16xf64>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f64):
    %s = arith.addf %a, %b : f32
    %t = arith.subf %s, %c : f32
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f64
    %d = arith.extf %t : f32 to f64
    %r = arith.addf %d, %f : f64
    linalg.yield %r : f64
  } -> tensor<3x70x16xf64>
  return %sum : tensor<3x70x16xf64>
}

// Heads to sequence: one of the two sides always packs.
// SAVES heads: auto contiguous
func.func @heads(%q: tensor<2x70x12x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>})
    -> (tensor<2x70x12x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>},
        tensor<2x70x12x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>}) {
  %a = math.absf %q : tensor<2x70x12x16xf32>
  %c = shardir.constrain %a to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<2x70x12x16xf32>
  %s = shardir.constrain %c to #shardir.placement<@m, [{}, {"x"}, {}, {}]> : tensor<2x70x12x16xf32>
  %b = arith.mulf %s, %s : tensor<2x70x12x16xf32>
  %h = shardir.constrain %b to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<2x70x12x16xf32>
  %t = math.sqrt %h : tensor<2x70x12x16xf32>
  %u = arith.addf %t, %q : tensor<2x70x12x16xf32>
  return %b, %u : tensor<2x70x12x16xf32>, tensor<2x70x12x16xf32>
}

// Columns of a matrix: read against its rows, or not at all in mode auto. The
// numbers are integers, so that sums are exact in any order.
// SAVES columns: contiguous:x=3 contiguous:x=4
func.func @columns(%x: tensor<6x40xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                   %w: tensor<40x64xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<6x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %e0 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<40x64xf32>
  %l = arith.sitofp %x : tensor<6x40xi32> to tensor<6x40xf32>
  %r = arith.sitofp %w : tensor<40x64xi32> to tensor<40x64xf32>
  %lw = shardir.constrain %l to #shardir.placement<@m, [{}, {}]> : tensor<6x40xf32>
  %rw = shardir.constrain %r to #shardir.placement<@m, [{}, {}]> : tensor<40x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x64xf32>) -> tensor<6x64xf32>
  %y = linalg.matmul ins(%lw, %rw : tensor<6x40xf32>, tensor<40x64xf32>) outs(%z : tensor<6x64xf32>) -> tensor<6x64xf32>
  return %y : tensor<6x64xf32>
}

// Several in sequence, with a normalisation between: a reduction along rows that
// stay rows.
// SAVES chain: auto contiguous
func.func @chain(%x: tensor<3x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                 %w: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<3x70xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  %a = math.absf %x : tensor<3x70x16xf32>
  %g = shardir.constrain %a to #shardir.placement<@m, [{}, {}, {}]> : tensor<3x70x16xf32>
  %e = tensor.empty() : tensor<3x70x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x70x16xf32>) -> tensor<3x70x16xf32>
  %y = linalg.generic {indexing_maps = [#seq, #weight, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %w : tensor<3x70x16xf32>, tensor<16x16xf32>) outs(%z : tensor<3x70x16xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x70x16xf32>
  %h = shardir.constrain %y to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<3x70x16xf32>
  %t = math.tanh %h : tensor<3x70x16xf32>
  %u = shardir.constrain %t to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<3x70x16xf32>
  %n = tensor.empty() : tensor<3x70xf32>
  %nz = linalg.fill ins(%zero : f32) outs(%n : tensor<3x70xf32>) -> tensor<3x70xf32>
  %sums = linalg.generic {indexing_maps = [#id3, #bs], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u : tensor<3x70x16xf32>) outs(%nz : tensor<3x70xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x70xf32>
  return %sums : tensor<3x70xf32>
}

// Blocks of a strided shard are runs too where their dim is outermost.
// SAVES strided: auto contiguous
func.func @strided(%x: tensor<3x48x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {2, "x"}, {}]>})
    -> (tensor<3x48x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %u = math.absf %x : tensor<3x48x16xf32>
  %a = shardir.constrain %u to #shardir.placement<@m, [{}, {2, "x"}, {}]> : tensor<3x48x16xf32>
  %g = shardir.constrain %a to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<3x48x16xf32>
  %b = math.sqrt %g : tensor<3x48x16xf32>
  %h = shardir.constrain %b to #shardir.placement<@m, [{}, {}, {}]> : tensor<3x48x16xf32>
  %e = tensor.empty() : tensor<3x48x16xf32>
  %r = linalg.add ins(%h, %h : tensor<3x48x16xf32>, tensor<3x48x16xf32>) outs(%e : tensor<3x48x16xf32>) -> tensor<3x48x16xf32>
  return %r : tensor<3x48x16xf32>
}

// Some devices hold nothing.
// SAVES empty: auto contiguous
func.func @empty(%x: tensor<5x2x16xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
    -> (tensor<5x2x16xi64> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %a = arith.addi %x, %x : tensor<5x2x16xi32>
  %g = shardir.constrain %a to #shardir.placement<@m, [{}, {}, {}]> : tensor<5x2x16xi32>
  %w = arith.extsi %g : tensor<5x2x16xi32> to tensor<5x2x16xi64>
  return %w : tensor<5x2x16xi64>
}

// The gathered tensor is an argument and a result: row-major by the interface.
// The gather pays for a copy on neither side of itself.
func.func @boundary(%x: tensor<4x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
    -> (tensor<4x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  return %x : tensor<4x70x16xf32>
}

// An argument is gathered and read by an op that takes any order: its shard is
// copied, which is less than what comes from more than one other.
// SAVES argument: contiguous:x=3 contiguous:x=4
func.func @argument(%x: tensor<4x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
    -> (tensor<4x70x16xf64> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %g = shardir.constrain %x to #shardir.placement<@m, [{}, {}, {}]> : tensor<4x70x16xf32>
  %w = arith.extf %g : tensor<4x70x16xf32> to tensor<4x70x16xf64>
  return %w : tensor<4x70x16xf64>
}

// Fills and splats are made in the order of who reads them; slices and size
// queries follow.
// SAVES others: auto contiguous
func.func @others(%x: tensor<3x70x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
    -> (tensor<3x20x16xf64> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %two = arith.constant dense<2.0> : tensor<3x70x16xf32>
  %a = arith.mulf %x, %two : tensor<3x70x16xf32>
  %g = shardir.constrain %a to #shardir.placement<@m, [{}, {}, {}]> : tensor<3x70x16xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x70x16xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<3x70x16xf32>) -> tensor<3x70x16xf32>
  %b = arith.maximumf %g, %f : tensor<3x70x16xf32>
  %s = tensor.extract_slice %b[0, 30, 0] [3, 20, 16] [1, 2, 1] : tensor<3x70x16xf32> to tensor<3x20x16xf32>
  %w = arith.extf %s : tensor<3x20x16xf32> to tensor<3x20x16xf64>
  return %w : tensor<3x20x16xf64>
}
