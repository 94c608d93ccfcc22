// An error names what would move, its bytes, and the annotations of both sides.
//
// RUN: shard-opt %s --shardir-to-redistributed="strict" -verify-diagnostics -split-input-file -allow-unregistered-dialect

shardir.mesh @m <["tp"=2]>
// expected-note @+2 {{the other placement is required by argument 0 of @operand}}
// expected-note @+2 {{the tensor is placed so by argument 1 of @operand}}
func.func @operand(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                   %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{'arith.addf' op needs an implicit redistribution, which strict forbids: operand 1 of 'arith.addf' from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{"tp"}, {}]>, 0 bytes per device; request it with shardir.constrain (in JAX with_sharding_constraint, in PyTorch output_layouts of a parallel style)}}
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-note @+1 {{the tensor is placed so by argument 0 of @reduction}}
func.func @reduction(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>}) -> tensor<8xf32> {
  // expected-error @+2 {{'math.exp' op needs an implicit redistribution, which strict forbids: operand 0 of 'math.exp' from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{}]>, 32 bytes per device; request it with shardir.constrain (in JAX with_sharding_constraint, in PyTorch output_layouts of a parallel style)}}
  // expected-note @+1 {{no annotation requires the other placement, but the op's rule does}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-note @+1 {{the tensor is placed so by argument 0 of @captured}}
func.func @captured(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-note @+2 {{no annotation requires the other placement, but the op's rule does}}
  // expected-error @+1 {{'linalg.generic' op needs an implicit redistribution, which strict forbids: the body of 'lookup by index' reads it from}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%at: index, %o: f32):
    %v = tensor.extract %t[%at] : tensor<8xf32>
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A lookup needs none; a scalar does.
shardir.mesh @m <["tp"=2]>
// expected-note @+1 {{the tensor is placed so by argument 1 of @scalar}}
func.func @scalar(%t: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %u: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %i: tensor<3x1xindex>, %k: index) -> (tensor<3x4xf32>, f32) {
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  // expected-remark @+3 {{it reads one element, which may be on any device: its operand is replicated}}
  // expected-note @+2 {{no annotation requires the other placement, but the op's rule does}}
  // expected-error @+1 {{'tensor.extract' op needs an implicit redistribution, which strict forbids: operand 0 of 'tensor.extract'}}
  %1 = tensor.extract %u[%k, %k] : tensor<8x4xf32>
  return %0, %1 : tensor<3x4xf32>, f32
}

// -----

// Positions of a scatter are replicated, and so is a transform's tensor.
shardir.mesh @m <["tp"=2]>
// expected-note @+2 {{the other placement is required by argument 0 of @scatter}}
// expected-note @+1 {{the tensor is placed so by argument 1 of @scatter}}
func.func @scatter(%t: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %s: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %i: tensor<4x1xindex>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'tensor.scatter' op needs an implicit redistribution, which strict forbids: operand 0 of 'tensor.scatter'}}
  %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique : (tensor<4x4xf32>, tensor<8x4xf32>, tensor<4x1xindex>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
// expected-note @+1 {{the tensor is placed so by argument 0 of @buffer}}
func.func @buffer(%t: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> memref<8x4xf32> {
  // expected-remark @+3 {{a buffer exists on each device, and is of a replicated tensor}}
  // expected-note @+2 {{no annotation requires the other placement, but the op's rule does}}
  // expected-error @+1 {{'bufferization.to_buffer' op needs an implicit redistribution, which strict forbids: operand 0 of 'bufferization.to_buffer'}}
  %0 = bufferization.to_buffer %t : tensor<8x4xf32> to memref<8x4xf32>
  return %0 : memref<8x4xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
ml_program.global private mutable @state(dense<0.5> : tensor<8xf32>) : tensor<8xf32>
// expected-note @+1 {{the tensor is placed so by argument 0 of @stored}}
func.func @stored(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) {
  // expected-remark @+3 {{a global that the program changes is replicated}}
  // expected-note @+2 {{no annotation requires the other placement, but the op's rule does}}
  // expected-error @+1 {{'ml_program.global_store' op needs an implicit redistribution, which strict forbids: operand 0 of 'ml_program.global_store'}}
  ml_program.global_store @state = %t : tensor<8xf32>
  return
}

// -----

// An iteration yields another placement than the next one takes.
shardir.mesh @m <["tp"=2]>
// expected-note @+2 {{the other placement is required by argument 0 of @yielded}}
// expected-note @+1 {{the tensor is placed so by argument 1 of @yielded}}
func.func @yielded(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    // expected-error @+1 {{'scf.yield' op needs an implicit redistribution, which strict forbids: operand 0 of 'scf.yield' in 'scf.for' from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"tp"}]>, 0 bytes per device; request it with shardir.constrain (in JAX with_sharding_constraint, in PyTorch output_layouts of a parallel style)}}
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Two annotations ask for one axis on two dims of a sum; both are named.
shardir.mesh @m <["tp"=2]>
// expected-note @+2 {{the other placement is required by argument 0 of @both}}
// expected-note @+1 {{the tensor is placed so by result 1 of @both}}
func.func @both(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) {
  %0 = math.exp %y : tensor<8x8xf32>
  %1 = math.tanh %0 : tensor<8x8xf32>
  // expected-error @+1 {{'arith.addf' op needs an implicit redistribution, which strict forbids: operand 1 of 'arith.addf' from #shardir.placement<@m, [{}, {"tp"}]> to #shardir.placement<@m, [{"tp"}, {}]>, 64 bytes per device; request it with shardir.constrain (in JAX with_sharding_constraint, in PyTorch output_layouts of a parallel style)}}
  %2 = arith.addf %x, %1 : tensor<8x8xf32>
  return %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A constraint's place is in its name.
shardir.mesh @m <["tp"=2]>
// expected-note @+1 {{the other placement is required by argument 0 of @constrained}}
func.func @constrained(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %y : tensor<8x8xf32>
  // expected-note @+1 {{the tensor is placed so by shardir.constrain at }}
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{}, {"tp"}]> : tensor<8x8xf32>
  // expected-error @+1 {{'arith.addf' op needs an implicit redistribution, which strict forbids: operand 1 of 'arith.addf'}}
  %2 = arith.addf %x, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A callee's annotation and a caller's.
shardir.mesh @m <["tp"=2]>
func.func private @callee(%w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'arith.addf' op needs an implicit redistribution, which strict forbids}}
  %0 = arith.addf %y, %w : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// expected-note @+1 {{the other placement is required by argument 1 of @main}}
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> tensor<8x8xf32> {
  // expected-note @+1 {{the tensor is placed so by argument 0 of @callee}}
  %0 = math.exp %x : tensor<8x8xf32>
  %1 = call @callee(%0, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Rows that neighbours have: both placements are the same, and no constraint asks for such shards.
shardir.mesh @m <["tp"=2]>
// expected-note @+2 {{the tensor is placed so by argument 0 of @window}}
// expected-note @+1 {{the other placement is required by argument 0 of @window}}
func.func @window(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) -> tensor<10xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{operand 0 of 'tensor.pad' from #shardir.placement<@m, [{"tp"}]> to #shardir.placement<@m, [{"tp"}]>, 4 bytes per device: reads dim 0 through a window; to avoid it, constrain these dims to be unsharded with shardir.constrain}}
  %p = tensor.pad %x low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %p : tensor<10xf32>
}

// -----

// An op that no rule is known of would run replicated.
shardir.mesh @m <["tp"=2]>
func.func @no_rule(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> tensor<8xf32> {
  // expected-remark @+2 {{no sharding rule for 'my.op'; it runs replicated on each device; to shard it, write shardir.rule = #shardir.rule<...> on it, or implement ShardingRuleOpInterface}}
  // expected-error @+1 {{'my.op' op has no sharding rule, and strict lets no op run replicated for that reason; write shardir.rule = #shardir.rule<...> on it, or implement ShardingRuleOpInterface}}
  %0 = "my.op"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Nothing is said of one that has a rule.
shardir.mesh @m <["tp"=2]>
func.func @rule(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) -> tensor<8xf32> {
  %0 = "my.op"(%x) {shardir.rule = #shardir.rule<([i]) -> ([i])>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
