// RUN: shard-opt %s -split-input-file -verify-diagnostics -shardir-check-exits
// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-to-propagated

// The whole function is the loop.
func.func @forever(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'cf.br' op leads into a loop that no branch leaves, so that nothing is ever returned; branch out of the loop on a condition}}
  cf.br ^bb1
^bb1:
  cf.br ^bb1
}

// -----

// One way around it; two blocks, and a branch that only says it has a choice.
func.func @sometimes(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  // expected-error @+1 {{'cf.cond_br' op leads into a loop that no branch leaves}}
  cf.cond_br %c, ^bb2, ^bb1
^bb2:
  cf.br ^bb1
^bb3:
  return %x : tensor<4xf32>
}
