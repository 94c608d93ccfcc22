// RUN: shard-opt %s --shardir-inline-manual --split-input-file --verify-diagnostics

// One device's row of a sum is not the others'.
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @varies(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{a result of the manual region varies along "dp", which its placement #shardir.placement<@m, [{?}]> does not name}}
  // expected-note @+1 {{reduce or gather it along "dp", name the axis in a dim or as partial, or write `unchecked` if devices hold the same}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {?}]>] out [#shardir.placement<@m, [{?}]>] manual = ["dp"] {
  ^bb0(%l: tensor<4x4xf32>):
    %z = arith.constant dense<0.0> : tensor<4xf32>
    %r = linalg.reduce { arith.addf } ins(%l : tensor<4x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
    shardir.yield %r : tensor<4xf32>
  } : (tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Sums over halves of an axis differ from half to half.
shardir.mesh @m <["tp"=4]>
func.func @varies_by_half(%x: tensor<4xf32>) -> tensor<1xf32> {
  // expected-error @+2 {{a result of the manual region varies along "tp"}}
  // expected-note @+1 {{reduce or gather it along "tp"}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"tp"}]>] out [#shardir.placement<@m, [{}]>] manual = ["tp"] {
  ^bb0(%l: tensor<1xf32>):
    %s = collective.all_reduce %l from #shardir.placement<@m, [{}], partial = sum ["tp":(2)2]>
        to #shardir.placement<@m, [{}]> of tensor<1xf32> : tensor<1xf32> -> tensor<1xf32>
    shardir.yield %s : tensor<1xf32>
  } : (tensor<4xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// The same through a loop's carried value, from a coordinate, and from a condition.
shardir.mesh @m <["dp"=2]>
func.func @varies_by_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{a result of the manual region varies along "dp"}}
  // expected-note @+1 {{reduce or gather it along "dp"}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{?}]>] out [#shardir.placement<@m, [{?}]>] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    %i = shardir.axis_index @m "dp"
    %c = arith.constant 0 : index
    %one = arith.constant 1 : index
    %r = scf.for %k = %c to %i step %one iter_args(%v = %l) -> (tensor<4xf32>) {
      %e = math.exp %v : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    shardir.yield %r : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @other_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    // expected-error @+1 {{communicates along an axis that is not manual, as #shardir.placement<@m, [{}], partial = sum ["tp"]> says; other axes are left to propagation}}
    %r = collective.all_reduce %l from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32> -> tensor<4xf32>
    shardir.yield %r : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @rooted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 0 : index
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    // expected-error @+1 {{cannot stand in a manual region; write all_gather, all_reduce, reduce_scatter, all_to_all, permute or exchange on shards}}
    %r = collective.broadcast %l root %c on @m ["dp"] : tensor<4xf32> -> tensor<4xf32>
    shardir.yield %r : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @coordinate(%x: tensor<8xf32>) {
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    // expected-error @+1 {{reads the coordinate along "tp", which is not manual here}}
    %i = shardir.axis_index @m "tp"
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// How often a loop runs, and a number that a branch gives.
shardir.mesh @m <["dp"=2]>
func.func @varies_by_condition(%x: tensor<2xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{a result of the manual region varies along "dp"}}
  // expected-note @+1 {{reduce or gather it along "dp"}}
  %0 = shardir.manual (%x, %y) in [#shardir.placement<@m, [{"dp"}]>, #shardir.placement<@m, [{}]>] out [#shardir.placement<@m, [{}]>] manual = ["dp"] {
  ^bb0(%l: tensor<1xf32>, %k: tensor<4xf32>):
    %c = arith.constant 0 : index
    %n = tensor.extract %l[%c] : tensor<1xf32>
    %r:2 = scf.while (%i = %c, %v = %k) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
      %zero = arith.constant 0.0 : f32
      %b = arith.cmpf olt, %n, %zero : f32
      scf.condition(%b) %i, %v : index, tensor<4xf32>
    } do {
    ^bb0(%i: index, %v: tensor<4xf32>):
      %e = math.exp %v : tensor<4xf32>
      scf.yield %i, %e : index, tensor<4xf32>
    }
    shardir.yield %r#1 : tensor<4xf32>
  } : (tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @varies_by_number(%x: tensor<2xi1>) -> tensor<4xf32> {
  // expected-error @+2 {{a result of the manual region varies along "dp"}}
  // expected-note @+1 {{reduce or gather it along "dp"}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{}]>] manual = ["dp"] {
  ^bb0(%l: tensor<1xi1>):
    %c = arith.constant 0 : index
    %n = tensor.extract %l[%c] : tensor<1xi1>
    %s = scf.if %n -> f32 {
      %one = arith.constant 1.0 : f32
      scf.yield %one : f32
    } else {
      %two = arith.constant 2.0 : f32
      scf.yield %two : f32
    }
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    shardir.yield %f : tensor<4xf32>
  } : (tensor<2xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
