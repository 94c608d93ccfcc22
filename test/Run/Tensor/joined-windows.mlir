// RUN: %python %S/../Inputs/verify-all.py %s

// Rolls, pads and inserts that are read through windows, and slices with strides that drop dims.
shardir.mesh @m2 <["a"=2, "b"=2]>
shardir.mesh @m5 <["a"=5]>
shardir.mesh @m8 <["a"=8]>

// A dim that no device cuts is joined whole, and sliced by the op that reads it.
func.func @roll_then_slice(%x: tensor<2x12x1x8xf64> {shardir.placement = #shardir.placement<@m5, [{?}, {"a"}, {}, {}]>}) -> (tensor<2x12xf64> {shardir.placement = #shardir.placement<@m5, [{}, {"a"}]>}, tensor<2x12x1x8xf64> {shardir.placement = #shardir.placement<@m5, [{"a"}, {}, {?}, {}]>}) {
  %v14 = tensor.extract_slice %x[1, 0, 0, 0] [1, 12, 1, 8] [1, 1, 1, 1] : tensor<2x12x1x8xf64> to tensor<1x12x1x8xf64>
  %v15 = tensor.extract_slice %x[0, 0, 0, 0] [1, 12, 1, 8] [1, 1, 1, 1] : tensor<2x12x1x8xf64> to tensor<1x12x1x8xf64>
  %v13 = tensor.concat dim(0) %v14, %v15 : (tensor<1x12x1x8xf64>, tensor<1x12x1x8xf64>) -> tensor<2x12x1x8xf64>
  %v18 = tensor.extract_slice %v13[0, 0, 0, 3] [2, 12, 1, 1] [1, 1, 1, 1] : tensor<2x12x1x8xf64> to tensor<2x12xf64>
  %w = math.tanh %v13 : tensor<2x12x1x8xf64>
  return %v18, %w : tensor<2x12xf64>, tensor<2x12x1x8xf64>
}

// An insertion into a padded tensor, of which one element is read.
func.func @insert_then_slice(%x: tensor<6xf64> {shardir.placement = #shardir.placement<@m2, [{"a", ?}]>}, %w: tensor<6xf64>) -> (tensor<7xf64> {shardir.placement = #shardir.placement<@m2, [{"b","a"}]>}, tensor<f64>) {
  %z = arith.constant 0.5 : f64
  %y = tensor.pad %w low[0] high[1] {
  ^bb0(%i4_0: index):
    tensor.yield %z : f64
  } : tensor<6xf64> to tensor<7xf64>
  %v21 = tensor.insert_slice %x into %y[1] [6] [1] : tensor<6xf64> into tensor<7xf64>
  %v30 = tensor.extract_slice %v21[1] [1] [3] : tensor<7xf64> to tensor<f64>
  return %y, %v30 : tensor<7xf64>, tensor<f64>
}

// Two rolls, and integers among the splits.
func.func @rolls(%x: tensor<24x16x8xf64> {shardir.placement = #shardir.placement<@m5, [{?}, {2, "a"}, {}]>}) -> tensor<24x16x8xf64> {
  %v2 = tensor.extract_slice %x[10, 0, 0] [14, 16, 8] [1, 1, 1] : tensor<24x16x8xf64> to tensor<14x16x8xf64>
  %v3 = tensor.extract_slice %x[0, 0, 0] [10, 16, 8] [1, 1, 1] : tensor<24x16x8xf64> to tensor<10x16x8xf64>
  %v1 = tensor.concat dim(0) %v2, %v3 : (tensor<14x16x8xf64>, tensor<10x16x8xf64>) -> tensor<24x16x8xf64>
  %v10 = tensor.extract_slice %v1[21, 0, 0] [3, 16, 8] [1, 1, 1] : tensor<24x16x8xf64> to tensor<3x16x8xf64>
  %v11 = tensor.extract_slice %v1[0, 0, 0] [21, 16, 8] [1, 1, 1] : tensor<24x16x8xf64> to tensor<21x16x8xf64>
  %v9 = tensor.concat dim(0) %v10, %v11 : (tensor<3x16x8xf64>, tensor<21x16x8xf64>) -> tensor<24x16x8xf64>
  %v22 = shardir.constrain %v9 to #shardir.placement<@m5, [{3, "a", ?}, {}, {?}]> : tensor<24x16x8xf64>
  return %v22 : tensor<24x16x8xf64>
}

// The two sub-axes cut one element as the axis does, but not the three of the window.
func.func @pad_over_sub_axes(%arg0: tensor<1x16xf64> {shardir.placement = #shardir.placement<@m8, [{}, {2, "a":(2)4, "a":(1)2}]>}) -> (tensor<3x1xf64> {shardir.placement = #shardir.placement<@m8, [{"a":(1)2, "a":(2)4}, {}]>}) {
  %v6 = tensor.extract_slice %arg0[0, 12] [1, 1] [1, 1] : tensor<1x16xf64> to tensor<1x1xf64>
  %v11 = arith.constant 0.5 : f64
  %v10 = tensor.pad %v6 low[2, 0] high[0, 0] {
  ^bb0(%i11_0: index, %i11_1: index):
    tensor.yield %v11 : f64
  } : tensor<1x1xf64> to tensor<3x1xf64>
  return %v10 : tensor<3x1xf64>
}

// Strides other than 1, and dims of one element that are dropped.
func.func @strided_slice(%x: tensor<6x1x1xf32>) -> tensor<2x1xf32> {
  %v = tensor.extract_slice %x[1, 0, 0] [2, 1, 1] [3, 1, 1] : tensor<6x1x1xf32> to tensor<2x1xf32>
  return %v : tensor<2x1xf32>
}

// The same of an insertion.
func.func @strided_insert(%x: tensor<6x1x1xf32>, %y: tensor<2x1xf32>) -> tensor<6x1x1xf32> {
  %v = tensor.insert_slice %y into %x[1, 0, 0] [2, 1, 1] [3, 1, 1] : tensor<2x1xf32> into tensor<6x1x1xf32>
  return %v : tensor<6x1x1xf32>
}
