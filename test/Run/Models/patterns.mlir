// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=2 x=4,y=1
// INPUTS token_shift: --input=1x6xf32=ramp --input=6x5xf32=ramp
// INPUTS token_shift: --input=7x6xf32=ramp --input=6x5xf32=ramp
// INPUTS token_shift: --input=12x6xf32=ramp --input=6x5xf32=ramp
// INPUTS cache: --input=0x6xf32=ramp --input=1x6xf32=ramp --input=1x6xf32=ramp
// INPUTS cache: --input=5x6xf32=ramp --input=1x6xf32=ramp --input=1x6xf32=ramp
// INPUTS cache: --input=11x6xf32=ramp --input=2x6xf32=ramp --input=2x6xf32=ramp
// INPUTS triangle: --input=5x5x4xf32=ramp --input=5x5x4xf32=ramp
// INPUTS experts: --input=7x4xf32=ramp --input=7xi32=0,2,1,2,0,1,1 --input=3x4x5xf32=ramp
// INPUTS recurrent: --input=5x3x4xf32=ramp --input=4x4xf32=ramp --input=3x4xf32=0
// INPUTS sampled: --input=2x3x4xf32=ramp
// INPUTS fsdp: --input=5x6xf32=ramp --input=6x7xf32=ramp --input=5x7xf32=ramp
// INPUTS rotary: --input=5x3x4xf32=ramp --input=5x4xf32=ramp --input=5x4xf32=ramp
// INPUTS smoothed: --input=1x9x7x2xf32=ramp --input=3x3x2xf32=ramp
// RUN: shard-opt %s --shardir-to-collective="mesh=x=2,y=2" | FileCheck %s

// Patterns of models, each with the collectives that it should need.
shardir.mesh @m <["x"=?, "y"=?]>

// Each token mixed with the one before it, over a sequence of any length that is
// split: one row from the neighbour.
// CHECK-LABEL: func.func @token_shift
// CHECK-NOT:     collective.all_gather
// CHECK:         collective.halo_exchange
// CHECK-NOT:     collective.all_gather
// CHECK:         return
func.func @token_shift(%x: tensor<?x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %w: tensor<6x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %less = arith.subi %n, %c1 : index
  %before = tensor.extract_slice %x[0, 0] [%less, 6] [1, 1] : tensor<?x6xf32> to tensor<?x6xf32>
  %shifted = tensor.pad %before low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x6xf32> to tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %mixed = linalg.add ins(%x, %shifted : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %o = tensor.empty(%n) : tensor<?x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = linalg.matmul ins(%mixed, %w : tensor<?x6xf32>, tensor<6x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// New keys behind those that are kept, split along the sequence: the queries' sums
// are reduced, and keys move by what the blocks have grown.
// CHECK-LABEL: func.func @cache
// CHECK:         collective.halo_exchange
// CHECK-NOT:     collective.all_gather
// CHECK:         collective.all_reduce
// CHECK:         return
func.func @cache(%keys: tensor<?x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %new: tensor<?x6xf32>, %q: tensor<?x6xf32>)
    -> (tensor<?x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<?x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %all = tensor.concat dim(0) %keys, %new : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %n = tensor.dim %all, %c0 : tensor<?x6xf32>
  %b = tensor.dim %q, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %all : tensor<?x6xf32>, tensor<?x6xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %g = tensor.empty(%b) : tensor<?x6xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<?x6xf32>) -> tensor<?x6xf32>
  %y = linalg.matmul ins(%s, %all : tensor<?x?xf32>, tensor<?x6xf32>) outs(%h : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %all, %y : tensor<?x6xf32>, tensor<?x6xf32>
}

// The outgoing triangle update of pairs over a grid: rows of one operand and rows
// of the other meet, channels stay.
// CHECK-LABEL: func.func @triangle
// CHECK:         return
func.func @triangle(%a: tensor<5x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>},
                    %b: tensor<5x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>})
    -> (tensor<5x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<5x5x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, c, k) -> (i, k, c)>, affine_map<(i, j, c, k) -> (j, k, c)>, affine_map<(i, j, c, k) -> (i, j, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x5x4xf32>, tensor<5x5x4xf32>) outs(%z : tensor<5x5x4xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<5x5x4xf32>
  return %y : tensor<5x5x4xf32>
}

// Tokens are sent to experts by a mask of places, worked on there, and combined:
// experts over one axis, tokens over the other.
// CHECK-LABEL: func.func @experts
// CHECK-NOT:     collective.all_gather {{.*}}tensor<3x4x5xf32>
// CHECK:         return
func.func @experts(%x: tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, %to: tensor<7xi32>,
                   %w: tensor<3x4x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>})
    -> (tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) {
  %e = tensor.empty() : tensor<7x3xf32>
  %mask = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]}
      ins(%to : tensor<7xi32>) outs(%e : tensor<7x3xf32>) {
  ^bb0(%own: i32, %o: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %is = arith.cmpi eq, %own, %n : i32
    %f = arith.uitofp %is : i1 to f32
    linalg.yield %f : f32
  } -> tensor<7x3xf32>
  %z = arith.constant dense<0.0> : tensor<7x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(t, f, e, d) -> (t, e)>, affine_map<(t, f, e, d) -> (t, d)>,
                                        affine_map<(t, f, e, d) -> (e, d, f)>, affine_map<(t, f, e, d) -> (t, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%mask, %x, %w : tensor<7x3xf32>, tensor<7x4xf32>, tensor<3x4x5xf32>) outs(%z : tensor<7x5xf32>) {
  ^bb0(%k: f32, %u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %p, %k : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// A recurrent layer: one step of the sequence in each iteration, the batch split.
// CHECK-LABEL: func.func @recurrent
// CHECK-NOT:     collective.
// CHECK:         return
func.func @recurrent(%x: tensor<5x3x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %w: tensor<4x4xf32>, %h0: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<5x3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant dense<0.0> : tensor<3x4xf32>
  %e = tensor.empty() : tensor<5x3x4xf32>
  %h, %all = scf.for %t = %c0 to %c5 step %c1 iter_args(%s = %h0, %o = %e) -> (tensor<3x4xf32>, tensor<5x3x4xf32>) {
    %now = tensor.extract_slice %x[%t, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<5x3x4xf32> to tensor<3x4xf32>
    %p = linalg.matmul ins(%s, %w : tensor<3x4xf32>, tensor<4x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
    %q = arith.addf %p, %now : tensor<3x4xf32>
    %r = math.tanh %q : tensor<3x4xf32>
    %n = tensor.insert_slice %r into %o[%t, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<3x4xf32> into tensor<5x3x4xf32>
    scf.yield %r, %n : tensor<3x4xf32>, tensor<5x3x4xf32>
  }
  return %h, %all : tensor<3x4xf32>, tensor<5x3x4xf32>
}

// Numbers drawn again until enough of them are small: a loop of unknown length whose
// condition is the same on all devices.
// CHECK-LABEL: func.func @sampled
// CHECK-NOT:     collective.all_gather
// CHECK:         return
func.func @sampled(%x: tensor<2x3x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>}) -> (tensor<2x3x4xf32>, i32) {
  %k = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 40 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%v = %x, %n = %one) : (tensor<2x3x4xf32>, i32) -> (tensor<2x3x4xf32>, i32) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.maximumf } ins(%v : tensor<2x3x4xf32>) outs(%f : tensor<f32>) dimensions = [0, 1, 2]
    %m = tensor.extract %s[] : tensor<f32>
    %bound = arith.constant 0.25 : f32
    %large = arith.cmpf ogt, %m, %bound : f32
    %few = arith.cmpi slt, %n, %limit : i32
    %go = arith.andi %large, %few : i1
    scf.condition(%go) %v, %n : tensor<2x3x4xf32>, i32
  } do {
  ^bb0(%v: tensor<2x3x4xf32>, %n: i32):
    %half = arith.constant dense<0.5> : tensor<2x3x4xf32>
    %w = arith.mulf %v, %half : tensor<2x3x4xf32>
    %more = arith.addi %n, %one : i32
    scf.yield %w, %more : tensor<2x3x4xf32>, i32
  }
  return %r#0, %r#1 : tensor<2x3x4xf32>, i32
}

// Fully sharded data parallel: the weight is gathered, its gradient scattered.
// CHECK-LABEL: func.func @fsdp
// CHECK:         collective.all_gather
// CHECK-NOT:     collective.all_reduce
// CHECK:         collective.reduce_scatter
// CHECK-NOT:     collective.all_reduce
// CHECK:         return
func.func @fsdp(%x: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %dy: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<5x7xf32>
  %zw = arith.constant dense<0.0> : tensor<6x7xf32>
  %y = linalg.matmul ins(%x, %w : tensor<5x6xf32>, tensor<6x7xf32>) outs(%z : tensor<5x7xf32>) -> tensor<5x7xf32>
  %dw = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %dy : tensor<5x6xf32>, tensor<5x7xf32>) outs(%zw : tensor<6x7xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<6x7xf32>
  return %y, %dw : tensor<5x7xf32>, tensor<6x7xf32>
}

// Rotary embedding by halves, sequence and heads split: nothing moves.
// CHECK-LABEL: func.func @rotary
// CHECK-NOT:     collective.{{all|halo|exchange}}
// CHECK:         return
func.func @rotary(%x: tensor<5x3x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>}, %cos: tensor<5x4xf32>, %sin: tensor<5x4xf32>) -> tensor<5x3x4xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [5, 3, 2] [1, 1, 1] : tensor<5x3x4xf32> to tensor<5x3x2xf32>
  %b = tensor.extract_slice %x[0, 0, 2] [5, 3, 2] [1, 1, 1] : tensor<5x3x4xf32> to tensor<5x3x2xf32>
  %n = arith.negf %b : tensor<5x3x2xf32>
  %r = tensor.concat dim(2) %n, %a : (tensor<5x3x2xf32>, tensor<5x3x2xf32>) -> tensor<5x3x4xf32>
  %e = tensor.empty() : tensor<5x3x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(s, h, d) -> (s, h, d)>, affine_map<(s, h, d) -> (s, h, d)>, affine_map<(s, h, d) -> (s, d)>,
                                        affine_map<(s, h, d) -> (s, d)>, affine_map<(s, h, d) -> (s, h, d)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r, %cos, %sin : tensor<5x3x4xf32>, tensor<5x3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) outs(%e : tensor<5x3x4xf32>) {
  ^bb0(%u: f32, %v: f32, %c: f32, %s: f32, %o: f32):
    %p = arith.mulf %u, %c : f32
    %q = arith.mulf %v, %s : f32
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<5x3x4xf32>
  return %y : tensor<5x3x4xf32>
}

// A depthwise convolution of images cut along both axes.
// CHECK-LABEL: func.func @smoothed
// CHECK:         collective.halo_exchange
// CHECK-NOT:     collective.all_gather
// CHECK:         return
func.func @smoothed(%x: tensor<1x9x7x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}, %w: tensor<3x3x2xf32>) -> tensor<1x9x7x2xf32> {
  %z = arith.constant 0.0 : f32
  %f = arith.constant dense<0.0> : tensor<1x9x7x2xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x9x7x2xf32> to tensor<1x11x9x2xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : tensor<1x11x9x2xf32>, tensor<3x3x2xf32>) outs(%f : tensor<1x9x7x2xf32>) -> tensor<1x9x7x2xf32>
  return %y : tensor<1x9x7x2xf32>
}
