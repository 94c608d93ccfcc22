// RUN: shard-opt %s -split-input-file -verify-diagnostics -shardir-explain

// expected-error @+1 {{is local, and local programs have no provenance; explain the collective stage or an earlier one}}
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["a"=2]>
}

// -----

// expected-error @+1 {{has no mesh and so nothing to explain; declare one with shardir.mesh, and run --shardir-to-propagated first}}
module {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{has an axis of unknown size, on which bytes depend; set it with the option mesh=}}
shardir.mesh @m <["a"=?]>

// -----

shardir.mesh @m <["a"=2]>
func.func @annotated(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  // expected-error @+1 {{'math.exp' op the propagated stage needs 'shardir.placements' here}}
  %0 = math.exp %x : tensor<8xf32>
  return
}
