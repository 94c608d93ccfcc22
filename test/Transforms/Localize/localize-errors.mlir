// RUN: shard-opt -allow-unregistered-dialect %s -shardir-localize -verify-diagnostics -split-input-file

// expected-error @+1 {{the size of axis "dp" is not known; set it with the option mesh="dp=..."}}
shardir.mesh @m <["tp"=2, "dp"=?]>
func.func @symbolic(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>}) {
  return
}

// -----

// An op of another dialect, whose rule does not say where the extent is from.
shardir.mesh @m <["x"=2]>
func.func @untold(%n: index) -> (tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'test.made' op splits dim 0 of type 'tensor<?xf32>' by "x", but its extent is known only at run time, and the op does not tell it; make it static or leave the dim unsharded}}
  %0 = "test.made"(%n) {shardir.placements = [#shardir.placement<@m, [{"x"}]>], shardir.rule = #shardir.rule<([]) -> ([i])>} : (index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Earlier stages are not for this pass.
shardir.mesh @m <["x"=2]>
func.func @redistribute(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'shardir.redistribute' op is gone in the collective stage}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @disagrees(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op needs an operand of type 'tensor<8xf32>' as #shardir.placement<@m, [{}]>, found #shardir.placement<@m, [{"x"}]>}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @annotated(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op the propagated stage needs 'shardir.placements' here}}
  %0 = math.exp %x : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @no_identity(%x: tensor<8xf8E8M0FNU> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  // expected-error @+1 {{'collective.make_partial' op cannot hold a tensor of 'f8E8M0FNU' as terms of a sum: the kind has no identity for that type}}
  %0 = collective.make_partial %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}], partial = sum ["x"]> : tensor<8xf8E8M0FNU>
  return
}

// -----

// Without an operand that has the dim, a clone knows its shard's extent only
// where it is the same on all devices.
shardir.mesh @m <["x"=2]>
func.func @even(%a: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = "test.spread"(%a) {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>], shardir.rule = #shardir.rule<([j]) -> ([i, j])>} : (tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @uneven(%a: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> (tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  // expected-error @+1 {{'test.spread' op has a sharding rule that splits dim 0 of result 0, of size 5, by a factor that no operand has, and here its shards differ in size (#shardir.placement<@m, [{"x"}, {}]>): a clone of the op does not know its own; implement LocalizableOpInterface, or leave the dim without a factor (_)}}
  %0 = "test.spread"(%a) {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>], shardir.rule = #shardir.rule<([j]) -> ([i, j])>} : (tensor<6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
