// RUN: shard-opt %s -shardir-propagate -verify-diagnostics -split-input-file

shardir.mesh @m <["a"=2]>
// expected-error @+1 {{'func.func' op has several blocks; write control flow with scf (pass -lift-cf-to-scf) so that placements can follow it}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<8xf32>
}

// -----

shardir.mesh @m <["a"=2]>
func.func @unranked(%x: tensor<8xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'tensor.cast' op has an unranked tensor, which has no placement}}
  %0 = tensor.cast %x : tensor<8xf32> to tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

shardir.mesh @m <["a"=2]>
// expected-error @+1 {{'func.func' op has placements by mesh axis, `placements = [...]`; run shardir-lower-dtensor-syntax first}}
func.func @sugar(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, placements = [shard(0)]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An op without a rule runs on replicated tensors, with a remark.
shardir.mesh @m <["a"=2]>
func.func @no_rule(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %i: index) -> f32 {
  // expected-remark @+1 {{it reads one element, which may be on any device: its operand is replicated}}
  %0 = tensor.extract %x[%i] : tensor<8xf32>
  return %0 : f32
}

// -----

shardir.mesh @m <["a"=2]>
func.func private @stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op with tensors is left after inlining, so that placements cannot pass; give its callee a body that may be inlined}}
  %0 = call @stays(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Results that no sharding of the op gives together are left as they are, for
// the next pass to refuse (see Redistribute/insert-errors.mlir).
shardir.mesh @m <["a"=2]>
func.func @disagree(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>)
      attrs = {shardir.placements = [#shardir.placement<@m, [{"a", ?}, {?}]>, #shardir.placement<@m, [{"a", ?}, {?}]>]} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return
}

// -----

// Ops on shards are for local programs.
shardir.mesh @m <["a"=2]>
func.func @shards(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op works on shards, but the module has not been localized; write it on global tensors, without `of`}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"a"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
func.func @buffers(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op works on shards, but the module has not been localized; write it on global tensors, without `of`}}
  collective.all_gather %x into %y from #shardir.placement<@m, [{"a"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : memref<4xf32>, memref<8xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
func.func @rooted(%x: tensor<4xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op works on shards, but the module has not been localized; say where values are with shardir.constrain}}
  %0 = collective.broadcast %x root %root on @m ["a"] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
func.func @group(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-note @+1 {{the group's first tensor is here}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {group = 1} : tensor<4xf32>
  // expected-error @+1 {{'shardir.constrain' op puts 'tensor<8xf32>' into group 1 with 'tensor<4xf32>'; tensors of a group have one shape, so give this one another group}}
  %1 = shardir.constrain %y to #shardir.placement<@m, [{?}]> {group = 1} : tensor<8xf32>
  return
}
