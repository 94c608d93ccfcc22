// RUN: shard-opt %s -shardir-insert-redistribute -verify-diagnostics -split-input-file

shardir.mesh @m <["tp"=2]>
func.func @no_placement(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  // expected-error @+1 {{'math.exp' op the propagated stage needs 'shardir.placements' here}}
  %0 = math.exp %x : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{'func.func' op the propagated stage needs 'shardir.placement' on argument 0; run --shardir-to-propagated first}}
func.func @no_argument_placement(%x: tensor<8xf32>) {
  return
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{'func.func' op the propagated stage needs 'shardir.placement' on result 0}}
func.func @no_result_placement(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// A placement that no sharding of the op gives.
shardir.mesh @m <["tp"=2]>
func.func @not_of_this_op(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  // expected-error @+1 {{'math.exp' op is partial (sum) over "tp", which neither a reduction of this op nor an operand gives}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["tp"]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @straddles(%x: tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  // expected-error @+1 {{'tensor.collapse_shape' op has a placement that no sharding of this op gives: [{"tp"}]}}
  %0 = tensor.collapse_shape %x [[0, 1]] {shardir.placements = [#shardir.placement<@m, [{"tp"}]>]} : tensor<3x2xf32> into tensor<6xf32>
  return
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @needs_whole(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                       %z: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  // expected-error @+1 {{'linalg.generic' op splits a dim that this op needs unsharded on each device; leave it unsharded and constrain the split with shardir.constrain}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (7 - i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"],
                       shardir.placements = [#shardir.placement<@m, [{"tp"}, {}]>]}
      ins(%x : tensor<8x4xf32>) outs(%z : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  return
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{'func.func' op the propagated stage needs closed placements by dim, without priorities; argument 0 has #shardir.placement<@m, [{?}]>; run --shardir-to-propagated first}}
func.func @open(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{?}]>}) {
  return
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @disagree(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                    %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  // expected-error @+3 {{'linalg.generic' op has a placement that no sharding of this op gives: [{"tp"}, {}]}}
  // expected-note @+2 {{result 0 is placed [{"tp"}, {}]}}
  // expected-note @+1 {{result 1 is placed [{"tp"}, {}]}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>)
      attrs = {shardir.placements = [#shardir.placement<@m, [{"tp"}, {}]>, #shardir.placement<@m, [{"tp"}, {}]>]} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return
}

// -----

// A carried value that is no result needs a placement as well.
shardir.mesh @m <["x"=2]>
func.func @carried(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, %c: i1) {
  // expected-error @+1 {{'scf.while' op the propagated stage needs 'shardir.carried' here, with an entry for each carried tensor that is no result}}
  scf.while (%p = %x) : (tensor<8xf32>) -> () {
    scf.condition(%c)
  } do {
    scf.yield %x : tensor<8xf32>
  }
  return
}

// -----

// Nobody has both meshes' ranks.
shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=2], devices = [2, 3]>
func.func @number(%x: tensor<f32> {shardir.placement = #shardir.placement<@n, []>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.extract' op reads a number on mesh @n that is used on mesh @m as well, and no mesh names the ranks of both; declare one that names all}}
  %v = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf olt, %v, %zero : f32
  %r = scf.if %c -> (tensor<8xf32>) {
    %s = math.tanh %y {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  } {shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  return %r : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=?]>
shardir.mesh @n <["y"=?]>
func.func @number(%x: tensor<f32> {shardir.placement = #shardir.placement<@n, []>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'tensor.extract' op reads a number on mesh @n that is used on mesh @m as well, and it is not known whether one has the ranks of both; set all sizes with mesh="..."}}
  %v = tensor.extract %x[] : tensor<f32>
  %s = tensor.splat %v {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  return %s : tensor<8xf32>
}
