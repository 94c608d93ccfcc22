// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-strip-annotations

shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no unsharded form; the unsharded program can be had from the annotated or propagated stage only}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{the program is local already; its unsharded form can be had from the annotated or propagated stage only}}
module attributes {shardir.stage = "local"} {
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{is written for one device of several; run shardir-unshard-manual first}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%local: tensor<2xi32>):
    shardir.yield %local : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
