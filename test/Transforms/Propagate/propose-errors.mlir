// RUN: shard-opt %s -shardir-propose=memory-limit=1000000 -split-input-file -verify-diagnostics=only-expected

// A proposal may exceed the limit by the prediction; the pipelines refuse it
// where recomputation does not help.
shardir.mesh @m <["tp"=2]>
// expected-note @below {{they are proposed, as recomputation may lower that; raise memory-limit, or use a larger mesh, where it does not}}
// expected-remark @below {{proposed for @too_large: }}
func.func @too_large(%x: tensor<8x512xf32>, %w: tensor<512x2048xf32>) -> tensor<8x2048xf32> {
  %z = arith.constant dense<0.0> : tensor<8x2048xf32>
  // expected-remark @below {{bytes here with the placements of @too_large's arguments that need fewest, above the memory limit of 1000000}}
  %h = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x2048xf32>)
      outs(%z : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  return %h : tensor<8x2048xf32>
}

// -----

// expected-error @below {{the program has no mesh to propose placements on; declare one, as in shardir.mesh @m <["dp"=2]>}}
module {
  func.func @no_mesh(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    return %x : tensor<8x8xf32>
  }
}

// -----

shardir.mesh @a <["x"=2]>
shardir.mesh @b <["x"=2]>
// expected-error @below {{could be on any of 2 meshes; annotate an argument with a placement on one of them, such as one of open dims, {?}}}
func.func @which(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shardir.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op is recursive; unroll it or write it as an scf.while}}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @recursive(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
