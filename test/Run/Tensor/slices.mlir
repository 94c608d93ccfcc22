// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1
// INPUTS dynamic_slice: --input=10x4xf32 --input=i64=0
// INPUTS dynamic_slice: --input=10x4xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39 --input=i64=4
// INPUTS dynamic_slice: --input=10x4xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39 --input=i64=9 --expected_output=3x4xf32=28,29,30,31,32,33,34,35,36,37,38,39
// INPUTS dynamic_slice: --input=10x4xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39 --input=i64=-7 --expected_output=3x4xf32=0,1,2,3,4,5,6,7,8,9,10,11
// INPUTS dynamic_update: --input=5x2xf32=0,1,2,3,4,5,6,7,8,9 --input=3x2xf32=-1,-2,-3,-4,-5,-6 --input=i64=9 --expected_output=5x2xf32=0,1,2,3,-1,-2,-3,-4,-5,-6
// INPUTS dynamic_update: --input=5x2xf32=0,1,2,3,4,5,6,7,8,9 --input=3x2xf32=-1,-2,-3,-4,-5,-6 --input=i64=-3 --expected_output=5x2xf32=-1,-2,-3,-4,-5,-6,6,7,8,9
// INPUTS dynamic_update: --input=5x2xf32=0,1,2,3,4,5,6,7,8,9 --input=3x2xf32=-1,-2,-3,-4,-5,-6 --input=i64=1 --expected_output=5x2xf32=0,1,-1,-2,-3,-4,-5,-6,8,9

// Slices, updates, pads and concatenations along sharded dims.
shardir.mesh @m <["a"=?, "b"=?]>

func.func @static(%x: tensor<10x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<4x3xf32>, tensor<10x2xf32>, tensor<1x7xf32>, tensor<7xf32>, tensor<f32>, tensor<4x4xf32>) {
  %r = tensor.extract_slice %x[3, 2] [4, 3] [1, 1] : tensor<10x7xf32> to tensor<4x3xf32>
  %s = tensor.extract_slice %x[0, 5] [10, 2] [1, 1] : tensor<10x7xf32> to tensor<10x2xf32>
  %t = tensor.extract_slice %x[9, 0] [1, 7] [1, 1] : tensor<10x7xf32> to tensor<1x7xf32>
  %u = tensor.extract_slice %x[4, 0] [1, 7] [1, 1] : tensor<10x7xf32> to tensor<7xf32>
  %v = tensor.extract_slice %x[5, 6] [1, 1] [1, 1] : tensor<10x7xf32> to tensor<f32>
  %w = tensor.extract_slice %x[1, 0] [4, 4] [2, 2] : tensor<10x7xf32> to tensor<4x4xf32>
  return %r, %s, %t, %u, %v, %w : tensor<4x3xf32>, tensor<10x2xf32>, tensor<1x7xf32>, tensor<7xf32>, tensor<f32>, tensor<4x4xf32>
}

func.func @placed_result(%x: tensor<10x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %r = tensor.extract_slice %x[4, 0] [5, 7] [1, 1] : tensor<10x7xf32> to tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func @insert(%x: tensor<10x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                  %y: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                  %z: tensor<7xf32>) -> (tensor<10x7xf32>, tensor<10x7xf32>) {
  %r = tensor.insert_slice %y into %x[5, 2] [4, 3] [1, 2] : tensor<4x3xf32> into tensor<10x7xf32>
  %s = tensor.insert_slice %z into %x[9, 0] [1, 7] [1, 1] : tensor<7xf32> into tensor<10x7xf32>
  return %r, %s : tensor<10x7xf32>, tensor<10x7xf32>
}

// Trap 2: the clamp is of the global start.
func.func @dynamic_slice(%x: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %at: tensor<i64>)
    -> tensor<3x4xf32> {
  %zero = arith.constant 0 : index
  %top = arith.constant 7 : index
  %i = tensor.extract %at[] : tensor<i64>
  %n = arith.index_cast %i : i64 to index
  %low = arith.maxsi %n, %zero : index
  %start = arith.minsi %low, %top : index
  %r = tensor.extract_slice %x[%start, 0] [3, 4] [1, 1] : tensor<10x4xf32> to tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Trap 1: an update whose start must be clamped.
func.func @dynamic_update(%x: tensor<5x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                          %y: tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}, %at: tensor<i64>)
    -> tensor<5x2xf32> {
  %zero = arith.constant 0 : index
  %top = arith.constant 2 : index
  %i = tensor.extract %at[] : tensor<i64>
  %n = arith.index_cast %i : i64 to index
  %low = arith.maxsi %n, %zero : index
  %start = arith.minsi %low, %top : index
  %r = tensor.insert_slice %y into %x[%start, 0] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func @pad(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<8x3xf32>, tensor<10x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, tensor<5x5xf32>) {
  %c = arith.constant 7.0 : f32
  %r = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<5x3xf32> to tensor<8x3xf32>
  %s = tensor.pad %x low[0, 3] high[5, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<5x3xf32> to tensor<10x10xf32>
  %t = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %n = arith.addi %i, %j : index
    %n32 = arith.index_cast %n : index to i32
    %f = arith.sitofp %n32 : i32 to f32
    tensor.yield %f : f32
  } : tensor<5x3xf32> to tensor<5x5xf32>
  return %r, %s, %t : tensor<8x3xf32>, tensor<10x10xf32>, tensor<5x5xf32>
}

// Trap 5: a concatenation along a sharded dim, the other axis unused.
func.func @concat(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                  %y: tensor<2x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<7x3xf32>, tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, tensor<12x3xf32>) {
  %r = tensor.concat dim(0) %x, %y : (tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<7x3xf32>
  %s = tensor.concat dim(0) %y, %x : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
  %t = tensor.concat dim(0) %x, %y, %x : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<12x3xf32>
  return %r, %s, %t : tensor<7x3xf32>, tensor<7x3xf32>, tensor<12x3xf32>
}

func.func @concat_mixed(%x: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>},
                        %y: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<4x9xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x6xf32>) -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// Terms of a partial sum, concatenated with what is no sum.
func.func @concat_partial(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %y: tensor<3xf32>)
    -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %r = tensor.concat dim(0) %s, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @scatter_element(%x: tensor<10xi32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<10xi32> {
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %v = tensor.extract %x[%c9] : tensor<10xi32>
  %r = tensor.insert %v into %x[%c3] : tensor<10xi32>
  return %r : tensor<10xi32>
}
