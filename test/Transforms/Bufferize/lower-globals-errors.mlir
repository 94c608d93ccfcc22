// RUN: shard-opt %s -shardir-lower-globals -verify-diagnostics

// expected-error@+1 {{has no value of a known shape in this module, but is loaded or stored; give it one}}
ml_program.global private mutable @state(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @state : tensor<4xf32>
  return %0 : tensor<4xf32>
}
