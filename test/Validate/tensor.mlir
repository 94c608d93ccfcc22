// tensor: data movement passes every partial; an index may name any element.

func.func @cast(%a: tensor<4x5xf32>) -> tensor<4x?xf32> {
  %0 = tensor.cast %a : tensor<4x5xf32> to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

func.func @bitcast(%a: tensor<4x5xi32>) -> tensor<4x5xf32> {
  %0 = tensor.bitcast %a : tensor<4x5xi32> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The size of a sharded dim is the global tensor's (trap 12).
func.func @dim(%a: tensor<4x5xf32>, %i: index {validate.range = array<i64: 0, 1>}) -> index {
  %0 = tensor.dim %a, %i : tensor<4x5xf32>
  return %0 : index
}

func.func @dim_constant(%a: tensor<?x5xf32>) -> index {
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %a, %c1 : tensor<?x5xf32>
  return %0 : index
}

func.func @rank(%a: tensor<4x5xf32>) -> index {
  %0 = tensor.rank %a : tensor<4x5xf32>
  return %0 : index
}

func.func @empty() -> tensor<4x5xf32> {
  %0 = tensor.empty() : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @splat(%x: f32) -> tensor<4x5xf32> {
  %0 = tensor.splat %x : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generate(%x: index) -> tensor<4x5xindex> {
  %0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %1 = arith.muli %i, %x : index
    %2 = arith.addi %1, %j : index
    tensor.yield %2 : index
  } : tensor<4x5xindex>
  return %0 : tensor<4x5xindex>
}

func.func @from_elements(%x: i32, %y: i32) -> tensor<3x2xi32> {
  %0 = tensor.from_elements %x, %y, %y, %x, %y, %x : tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

func.func @extract(%a: tensor<4x5xf32>, %i: index {validate.range = array<i64: 0, 3>}) -> f32 {
  %0 = tensor.extract %a[%i, %i] : tensor<4x5xf32>
  return %0 : f32
}

func.func @insert(%x: f32, %a: tensor<4x5xf32>, %i: index {validate.range = array<i64: 0, 3>}) -> tensor<4x5xf32> {
  %0 = tensor.insert %x into %a[%i, %i] : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @gather(%a: tensor<6x5xf32>, %i: tensor<3x2x1xindex> {validate.range = array<i64: 0, 5>}) -> tensor<3x2x5xf32> {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<6x5xf32>, tensor<3x2x1xindex>) -> tensor<3x2x5xf32>
  return %0 : tensor<3x2x5xf32>
}

func.func @gather_kept_dim(%a: tensor<6x5xf32>, %i: tensor<3x1xindex> {validate.range = array<i64: 0, 4>}) -> tensor<3x6x1xf32> {
  %0 = tensor.gather %a[%i] gather_dims([1]) : (tensor<6x5xf32>, tensor<3x1xindex>) -> tensor<3x6x1xf32>
  return %0 : tensor<3x6x1xf32>
}

func.func @scatter(%u: tensor<3x5xf32>, %a: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %i = arith.constant dense<[[4], [0], [3]]> : tensor<3x1xindex>
  %0 = tensor.scatter %u into %a[%i] scatter_dims([0]) unique : (tensor<3x5xf32>, tensor<6x5xf32>, tensor<3x1xindex>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

func.func @reshape(%a: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %s = arith.constant dense<[8, 3]> : tensor<2xi32>
  %0 = tensor.reshape %a(%s) : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

func.func @collapse_shape(%a: tensor<4x3x6xf32>) -> tensor<12x6xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x3x6xf32> into tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}

func.func @collapse_shape_uneven(%a: tensor<5x4x3xf32>) -> tensor<60xf32> {
  %0 = tensor.collapse_shape %a [[0, 1, 2]] : tensor<5x4x3xf32> into tensor<60xf32>
  return %0 : tensor<60xf32>
}

func.func @collapse_shape_units(%a: tensor<1x4x1x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<1x4x1x5xf32> into tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @expand_shape(%a: tensor<12x5xf32>) -> tensor<3x4x5xf32> {
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [3, 4, 5] : tensor<12x5xf32> into tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

func.func @expand_shape_two_groups(%a: tensor<6x6xf32>) -> tensor<2x3x6x1xf32> {
  %0 = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [2, 3, 6, 1] : tensor<6x6xf32> into tensor<2x3x6x1xf32>
  return %0 : tensor<2x3x6x1xf32>
}

func.func @extract_slice(%a: tensor<4x6x5xf32>) -> tensor<4x3x5xf32> {
  %0 = tensor.extract_slice %a[0, 2, 0] [4, 3, 5] [1, 1, 1] : tensor<4x6x5xf32> to tensor<4x3x5xf32>
  return %0 : tensor<4x3x5xf32>
}

func.func @extract_slice_dropping(%a: tensor<4x6x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.extract_slice %a[0, 2, 0] [4, 1, 5] [1, 1, 1] : tensor<4x6x5xf32> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @extract_slice_strided(%a: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.extract_slice %a[1, 0] [4, 5] [2, 1] : tensor<8x5xf32> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @extract_slice_dynamic(%a: tensor<6x5xf32>, %i: index {validate.range = array<i64: 0, 3>}) -> tensor<3x5xf32> {
  %0 = tensor.extract_slice %a[%i, 0] [3, 5] [1, 1] : tensor<6x5xf32> to tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @insert_slice(%s: tensor<4x2xf32>, %a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.insert_slice %s into %a[0, 3] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @insert_slice_dynamic(%s: tensor<4x2xf32>, %a: tensor<4x6xf32>, %i: index {validate.range = array<i64: 0, 4>}) -> tensor<4x6xf32> {
  %0 = tensor.insert_slice %s into %a[0, %i] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @pad(%a: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @pad_one(%a: tensor<4x5xf32>) -> tensor<6x5xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %a low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<4x5xf32> to tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

func.func @pad_by_index(%a: tensor<4x5xindex>) -> tensor<4x7xindex> {
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %1 = arith.addi %i, %j : index
    tensor.yield %1 : index
  } : tensor<4x5xindex> to tensor<4x7xindex>
  return %0 : tensor<4x7xindex>
}

func.func @concat(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @concat_one(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.concat dim(1) %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @concat_empty(%a: tensor<4x0xf32>, %b: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<4x0xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @concat_three(%a: tensor<2x5xf32>, %b: tensor<2x5xf32>, %c: tensor<2x5xf32>) -> tensor<6x5xf32> {
  %0 = tensor.concat dim(0) %a, %b, %c : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
