// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --function=layer --mesh=a=2,b=2 --device=cuda-local --options="arch=host"
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3
// Groups out of order, a group without rows, rows of none.
// INPUTS layer: --input=13x5xf32=ramp --input=4x5x7xf32=ramp --input=4x7x3xf32=ramp --input=13xi64=3,0,0,3,1,1,3,3,0,3,3,1,0
// INPUTS layer: --input=13x5xf32=ramp --input=4x5x7xf32=ramp --input=4x7x3xf32=ramp --input=13xi64=-1,9,0,4,1,1,3,3,0,-7,2,1,0
// INPUTS weights: --input=13x5xf32=ramp --input=13x7xf32=ramp --input=13xi64=3,0,0,3,1,1,3,3,0,3,3,1,0
// INPUTS weights: --input=13x5xf32=ramp --input=13x7xf32=ramp --input=13xi64=-1,9,0,4,1,1,3,3,0,-7,2,1,0

// Rows that each choose a matrix. Rows, groups, columns or terms are split.
shardir.mesh @m <["a"=?, "b"=?]>

#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, l) -> (i, j, l)>
#of_row = affine_map<(g, m, k) -> (m, k)>
#group = affine_map<(g, m, k) -> (m)>
#left = affine_map<(m, n, k, g) -> (g, m, k)>
#right = affine_map<(m, n, k, g) -> (g, k, n)>
#sums = affine_map<(m, n, k, g) -> (m, n)>

// What is computed between two products is computed on sorted rows.
func.func @layer(%x: tensor<13x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %up: tensor<4x5x7xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}, {}]>},
                 %down: tensor<4x7x3xf32>,
                 %chosen: tensor<13xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<13x3xf32> {
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %chosen : tensor<13x5xf32>, tensor<13xi64>) outs(%ex : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %c: i64, %old: f32):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %c, %g : i64
    %1 = arith.select %0, %v, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x13x5xf32>
  %eh = tensor.empty() : tensor<13x7xf32>
  %zh = linalg.fill ins(%z : f32) outs(%eh : tensor<13x7xf32>) -> tensor<13x7xf32>
  %h = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%rows, %up : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zh : tensor<13x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<13x7xf32>
  %em = tensor.empty() : tensor<4x13x7xf32>
  %middle = linalg.generic {indexing_maps = [#of_row, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %chosen : tensor<13x7xf32>, tensor<13xi64>) outs(%em : tensor<4x13x7xf32>) {
  ^bb0(%v: f32, %c: i64, %old: f32):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %t = math.tanh %v : f32
    %0 = arith.cmpi eq, %c, %g : i64
    %1 = arith.select %0, %t, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x13x7xf32>
  %es = tensor.empty() : tensor<13x3xf32>
  %zs = linalg.fill ins(%z : f32) outs(%es : tensor<13x3xf32>) -> tensor<13x3xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%middle, %down : tensor<4x13x7xf32>, tensor<4x7x3xf32>) outs(%zs : tensor<13x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<13x3xf32>
  return %y : tensor<13x3xf32>
}

// The gradient of the weights: both factors are masked, by one mask.
func.func @weights(%x: tensor<13x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                   %dy: tensor<13x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                   %chosen: tensor<13xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<4x5x7xf32> {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<4x13xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(g, m) -> (m)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%chosen : tensor<13xi64>) outs(%em : tensor<4x13xi1>) {
  ^bb0(%c: i64, %old: i1):
    %i = linalg.index 0 : index
    %g = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %g, %c : i64
    linalg.yield %0 : i1
  } -> tensor<4x13xi1>
  %ex = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(g, m, k) -> (g, m)>, #of_row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mask, %x : tensor<4x13xi1>, tensor<13x5xf32>) outs(%ex : tensor<4x13x5xf32>) {
  ^bb0(%c: i1, %v: f32, %old: f32):
    %0 = arith.select %c, %v, %z : f32
    linalg.yield %0 : f32
  } -> tensor<4x13x5xf32>
  %ey = tensor.empty() : tensor<4x13x7xf32>
  %gradients = linalg.generic {indexing_maps = [affine_map<(g, m, k) -> (g, m)>, #of_row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mask, %dy : tensor<4x13xi1>, tensor<13x7xf32>) outs(%ey : tensor<4x13x7xf32>) {
  ^bb0(%c: i1, %v: f32, %old: f32):
    %0 = arith.select %c, %v, %z : f32
    linalg.yield %0 : f32
  } -> tensor<4x13x7xf32>
  %es = tensor.empty() : tensor<4x5x7xf32>
  %zero = linalg.fill ins(%z : f32) outs(%es : tensor<4x5x7xf32>) -> tensor<4x5x7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(g, k, n, m) -> (g, m, k)>, affine_map<(g, k, n, m) -> (g, m, n)>, affine_map<(g, k, n, m) -> (g, k, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%rows, %gradients : tensor<4x13x5xf32>, tensor<4x13x7xf32>) outs(%zero : tensor<4x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5x7xf32>
  return %0 : tensor<4x5x7xf32>
}
