// RUN: shard-opt %s -split-input-file -shardir-normalize -verify-diagnostics

func.func @shape(%t: tensor<8x6xf32>) -> index {
  // expected-error @+1 {{'shape.shape_of' op has a result of type '!shape.shape', for which there is no code; write shapes as tensor<?xindex> and sizes as index}}
  %s = shape.shape_of %t : tensor<8x6xf32> -> !shape.shape
  %n = shape.num_elements %s : !shape.shape -> !shape.size
  %i = shape.size_to_index %n : !shape.size
  return %i : index
}

// -----

func.func @negative_padding(%x: tensor<9xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{pads dim 0 by -1; cut elements off with tensor.extract_slice}}
  %0 = tensor.pad %x low[-1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<9xf32> to tensor<10xf32>
  return %0 : tensor<10xf32>
}
