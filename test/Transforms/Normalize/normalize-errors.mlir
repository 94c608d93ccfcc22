// RUN: shard-opt %s -shardir-normalize -verify-diagnostics

func.func @shape(%t: tensor<8x6xf32>) -> index {
  // expected-error @+1 {{'shape.shape_of' op has a result of type '!shape.shape', for which there is no code; write shapes as tensor<?xindex> and sizes as index}}
  %s = shape.shape_of %t : tensor<8x6xf32> -> !shape.shape
  %n = shape.num_elements %s : !shape.shape -> !shape.size
  %i = shape.size_to_index %n : !shape.size
  return %i : index
}
