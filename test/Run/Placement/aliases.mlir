// RUN: %python %S/../Inputs/verify-all.py %s

// Trap 6: arguments that are returned, returned twice, updated in place, or used
// after an update. No result may be another one's buffer, no argument change.
shardir.mesh @m <["x"=2, "y"=2]>

func.func @returned(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<5x3xf32> {
  return %x : tensor<5x3xf32>
}

func.func @returned_twice(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %y: tensor<3xf32>)
    -> (tensor<5x3xf32>, tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, tensor<3xf32>, tensor<3xf32>) {
  return %x, %x, %y, %y : tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @swapped(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                   %y: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<5xf32>, tensor<5xf32>) {
  return %y, %x : tensor<5xf32>, tensor<5xf32>
}

func.func @updated(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<5x3xf32>) {
  ^bb0(%a: f32):
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  } -> tensor<5x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%r : tensor<5x3xf32>) {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<5x3xf32>
  return %t, %x, %r : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
}

func.func @weights(%w: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                   %g: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>})
    -> (tensor<6x4xf32> {shardir.alias = 0 : i64}, tensor<6x4xf32>) {
  %rate = arith.constant dense<0.125> : tensor<6x4xf32>
  %d = arith.mulf %g, %rate : tensor<6x4xf32>
  %n = arith.subf %w, %d : tensor<6x4xf32>
  return %n, %w : tensor<6x4xf32>, tensor<6x4xf32>
}

func.func @insert_into_argument(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %top = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<6x4xf32> to tensor<3x4xf32>
  %bottom = tensor.extract_slice %x[3, 0] [3, 4] [1, 1] : tensor<6x4xf32> to tensor<3x4xf32>
  %a = tensor.insert_slice %bottom into %x[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<6x4xf32>
  %b = tensor.insert_slice %top into %a[3, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<6x4xf32>
  return %b, %x : tensor<6x4xf32>, tensor<6x4xf32>
}

func.func @constant_updated() -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<4xf32>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : tensor<4xf32>) {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r, %c : tensor<4xf32>, tensor<4xf32>
}
