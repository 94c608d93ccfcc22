// Each stage's promise broken once.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/propagated.mlir -split-input-file -verify-diagnostics -shardir-verify-stage
// RUN: shard-opt %t/redistributed.mlir -split-input-file -verify-diagnostics -shardir-verify-stage="stage=redistributed"
// RUN: shard-opt %t/collective.mlir -split-input-file -verify-diagnostics -shardir-verify-stage="stage=collective"
// RUN: shard-opt %t/local.mlir -split-input-file -verify-diagnostics -shardir-verify-stage="stage=local"
// RUN: shard-opt %t/scheduled.mlir -split-input-file -verify-diagnostics -shardir-verify-stage="stage=scheduled"
// RUN: shard-opt %t/unknown.mlir -split-input-file -verify-diagnostics -shardir-verify-stage="stage=final"

//--- propagated.mlir
shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op the propagated stage needs 'shardir.placements' here}}
  %0 = math.exp %x : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
// expected-error @+1 {{'func.func' op the propagated stage needs 'shardir.placement' on argument 1}}
func.func @argument(%s: f32, %x: tensor<8xf32>) {
  return
}

// -----

shardir.mesh @m <["x"=2]>
// expected-error @+1 {{'func.func' op the propagated stage needs 'shardir.placement' on result 0}}
func.func @result(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2]>
// expected-error @+1 {{the propagated stage needs closed placements by dim, without priorities; argument 0 has #shardir.placement<@m, [{"x", ?}]>; run --shardir-to-propagated first}}
func.func @open(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x", ?}]>}) {
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @priority(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{the propagated stage needs closed placements by dim, without priorities; result 0 has #shardir.placement<@m, [{"x"}p0]>}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"x"}p0]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
// expected-error @+1 {{the propagated stage needs closed placements by dim, without priorities; result 0 has #shardir.placement<@m, placements = [replicate]>}}
func.func @sugar(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [replicate]>}) {
  return %x : tensor<8xf32>
}

//--- redistributed.mlir
shardir.mesh @m <["x"=2]>
func.func @constrain(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'shardir.constrain' op is gone in the redistributed stage}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{"x"}]> {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @operand(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{"x"}]>}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @result(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  // expected-error @+1 {{'func.return' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{"x"}]>}}
  return %x : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2]>
func.func @step(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  // expected-error @+1 {{'collective.all_gather' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{"x"}]>, found #shardir.placement<@m, [{}]>}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["x"=2]>
func.func @mesh(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@n, [{"x"}]>, found #shardir.placement<@m, [{"x"}]>}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@n, [{"x"}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @partial(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) {
  // expected-error @+1 {{'math.absf' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{}], partial = sum ["x"]>}}
  %0 = math.absf %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-note @+1 {{the halo is required here}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  // expected-error @+1 {{'math.exp' op knows nothing of halos, but operand 0 has overlapping shards, by [[1, 1]]; use the tensor without the halo}}
  %1 = math.exp %0 {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo_returned(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-note @+1 {{the halo is required here}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  // expected-error @+1 {{'func.return' op knows nothing of halos, but operand 0 has overlapping shards, by [[1, 1]]}}
  return %0 : tensor<8xf32>
}

// -----

// A carried value has no halo.
shardir.mesh @m <["x"=2]>
func.func @carried_halo(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1) {
  %0 = scf.if %c -> (tensor<8xf32>) {
    %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
    // expected-error @+1 {{'scf.yield' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{"x"}]>, found #shardir.placement<@m, [{"x"}]> with halo [[1, 1]]}}
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  } {shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  return
}

// -----

// In a region as outside of it.
shardir.mesh @m <["x"=2]>
func.func @inside(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1) {
  %0 = scf.if %c -> (tensor<8xf32>) {
    // expected-error @+1 {{'math.exp' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{"x"}]>}}
    %1 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}]>]}
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @yielded(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{"x"}]>}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    scf.yield %a : tensor<8xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}]>]}
  return
}

//--- collective.mlir
shardir.mesh @m <["x"=2]>
func.func @redistribute(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'shardir.redistribute' op is gone in the collective stage}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

//--- local.mlir
// expected-error @+1 {{has not been localized: the local stage needs 'shardir.stage'}}
module {
  shardir.mesh @m <["x"=2]>
}

// -----

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @whole(%x: tensor<8xf32>) {
    // expected-error @+1 {{'collective.all_gather' op must be on shards in the local stage}}
    %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
    return
  }
}

//--- scheduled.mlir
// expected-error @+1 {{has not been localized: the scheduled stage needs 'shardir.stage'}}
module {
  shardir.mesh @m <["x"=2]>
}

// -----

// expected-error @+1 {{is in the local stage; run --shardir-to-scheduled first}}
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
}

// -----

// The guarantees of the local stage hold as well.
module attributes {shardir.stage = "scheduled"} {
  shardir.mesh @m <["x"=2]>
  func.func @whole(%x: tensor<8xf32>) {
    // expected-error @+1 {{'collective.all_gather' op must be on shards in the local stage}}
    %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
    return
  }
}

// -----

module attributes {shardir.stage = "scheduled"} {
  func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func @call(%x: tensor<8xf32>) {
    // expected-error @+1 {{'func.call' op must be inlined in the scheduled stage}}
    %0 = func.call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

module attributes {shardir.stage = "scheduled"} {
  // expected-error @+1 {{'func.func' op must have one block in the scheduled stage}}
  func.func @blocks(%x: tensor<8xf32>, %c: i1) {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    cf.br ^bb2
  ^bb2:
    return
  }
}

// -----

module attributes {shardir.stage = "scheduled"} {
  func.func @elementwise(%x: tensor<8xf32>) {
    // expected-error @+1 {{'arith.addf' op on tensors must be a linalg op in the scheduled stage}}
    %0 = arith.addf %x, %x : tensor<8xf32>
    return
  }
}

//--- unknown.mlir
// expected-error @+1 {{option stage must be propagated, redistributed, collective, local, scheduled or bufferized, found 'final'}}
module {
}
