// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3
// A group without rows, one outside of the rows, rows of two groups and of none.
// INPUTS of_rows: --input=13x5xf32=ramp --input=4x5x7xf32=ramp --input=4xi32=0,4,4,9 --input=4xi32=4,4,9,13
// INPUTS of_rows: --input=13x5xf32=ramp --input=4x5x7xf32=ramp --input=4xi32=-5,2,20,8 --input=4xi32=3,9,30,6
// INPUTS of_weights: --input=13x5xf32=ramp --input=13x7xf32=ramp --input=4xi32=0,4,4,9 --input=4xi32=4,4,9,13
// INPUTS of_weights: --input=13x5xf32=ramp --input=13x7xf32=ramp --input=4xi32=-5,2,20,8 --input=4xi32=3,9,30,6
// INPUTS mask_apart: --input=40x16xbf16=ramp --input=4x16x32xbf16=ramp --input=4xi32=0,4,4,30 --input=4xi32=4,4,30,40
// INPUTS of_few_rows: --input=21x16xf32=ramp --input=2x16x32xf32=ramp --input=2xi32=0,16 --input=2xi32=16,21
// INPUTS of_few_rows: --input=21x16xf32=ramp --input=2x16x32xf32=ramp --input=2xi32=0,17 --input=2xi32=17,21

// Products of each group's own rows. Rows, groups, columns or terms are split.
shardir.mesh @m <["a"=?, "b"=?]>

#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, l) -> (i, j, l)>
#of_row = affine_map<(g, m, k) -> (m, k)>
#bound = affine_map<(g, m, k) -> (g)>

func.func @of_rows(%x: tensor<13x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                   %w: tensor<4x5x7xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}, {}]>},
                   %from: tensor<4xi32>, %to: tensor<4xi32>) -> tensor<13x7xf32> {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #bound, #bound, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<13x5xf32>, tensor<4xi32>, tensor<4xi32>) outs(%em : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %first: i32, %end: i32, %old: f32):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : f32
    linalg.yield %3 : f32
  } -> tensor<4x13x5xf32>
  %es = tensor.empty() : tensor<13x7xf32>
  %zero = linalg.fill ins(%z : f32) outs(%es : tensor<13x7xf32>) -> tensor<13x7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, g) -> (g, m, k)>, affine_map<(m, n, k, g) -> (g, k, n)>, affine_map<(m, n, k, g) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%rows, %w : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zero : tensor<13x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<13x7xf32>
  return %0 : tensor<13x7xf32>
}

// The gradient of the weights: both factors are masked.
func.func @of_weights(%x: tensor<13x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                      %dy: tensor<13x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>},
                      %from: tensor<4xi32>, %to: tensor<4xi32>) -> tensor<4x5x7xf32> {
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #bound, #bound, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<13x5xf32>, tensor<4xi32>, tensor<4xi32>) outs(%ex : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %first: i32, %end: i32, %old: f32):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sge, %m, %first : i32
    %1 = arith.cmpi sgt, %end, %m : i32
    %2 = arith.andi %1, %0 : i1
    %3 = arith.select %2, %v, %z : f32
    linalg.yield %3 : f32
  } -> tensor<4x13x5xf32>
  %ey = tensor.empty() : tensor<4x13x7xf32>
  %gradients = linalg.generic {indexing_maps = [#of_row, #bound, #bound, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dy, %from, %to : tensor<13x7xf32>, tensor<4xi32>, tensor<4xi32>) outs(%ey : tensor<4x13x7xf32>) {
  ^bb0(%v: f32, %first: i32, %end: i32, %old: f32):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : f32
    linalg.yield %3 : f32
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

// As torch-mlir has it: the mask is a tensor of its own, made from numbers of rows, and the products of all groups are added.
func.func @mask_apart(%x: tensor<40x16xbf16> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                      %w: tensor<4x16x32xbf16> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}]>},
                      %from: tensor<4xi32>, %to: tensor<4xi32>) -> tensor<40x32xf32> {
  %z = arith.constant 0.0 : bf16
  %zf = arith.constant 0.0 : f32
  %en = tensor.empty() : tensor<40xi32>
  %numbers = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%en : tensor<40xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %l = arith.index_cast %i : index to i64
    %m = arith.trunci %l : i64 to i32
    linalg.yield %m : i32
  } -> tensor<40xi32>
  %firsts = tensor.expand_shape %from [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
  %ends = tensor.expand_shape %to [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
  %em = tensor.empty() : tensor<4x40xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(g, m) -> (m)>, affine_map<(g, m) -> (g, 0)>, affine_map<(g, m) -> (g, 0)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%numbers, %firsts, %ends : tensor<40xi32>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%em : tensor<4x40xi1>) {
  ^bb0(%m: i32, %first: i32, %end: i32, %old: i1):
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    linalg.yield %2 : i1
  } -> tensor<4x40xi1>
  %wide = tensor.expand_shape %mask [[0], [1, 2]] output_shape [4, 40, 1] : tensor<4x40xi1> into tensor<4x40x1xi1>
  %ex = tensor.empty() : tensor<4x40x16xbf16>
  %rows = linalg.generic {indexing_maps = [affine_map<(g, m, k) -> (g, m, 0)>, #of_row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide, %x : tensor<4x40x1xi1>, tensor<40x16xbf16>) outs(%ex : tensor<4x40x16xbf16>) {
  ^bb0(%c: i1, %v: bf16, %old: bf16):
    %0 = arith.select %c, %v, %z : bf16
    linalg.yield %0 : bf16
  } -> tensor<4x40x16xbf16>
  %ep = tensor.empty() : tensor<4x40x32xf32>
  %zeros = linalg.fill ins(%zf : f32) outs(%ep : tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %products = linalg.batch_matmul ins(%rows, %w : tensor<4x40x16xbf16>, tensor<4x16x32xbf16>) outs(%zeros : tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %es = tensor.empty() : tensor<40x32xf32>
  %zero = linalg.fill ins(%zf : f32) outs(%es : tensor<40x32xf32>) -> tensor<40x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, g) -> (g, m, n)>, affine_map<(m, n, g) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%products : tensor<4x40x32xf32>) outs(%zero : tensor<40x32xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %1 = arith.addf %a, %sum : f32
    linalg.yield %1 : f32
  } -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}

// 16 rows and more than 16 have tiles of their own.
func.func @of_few_rows(%x: tensor<21x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %w: tensor<2x16x32xf32>,
                       %from: tensor<2xi32>, %to: tensor<2xi32>) -> tensor<21x32xf32> {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<2x21x16xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #bound, #bound, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<21x16xf32>, tensor<2xi32>, tensor<2xi32>) outs(%em : tensor<2x21x16xf32>) {
  ^bb0(%v: f32, %first: i32, %end: i32, %old: f32):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : f32
    linalg.yield %3 : f32
  } -> tensor<2x21x16xf32>
  %es = tensor.empty() : tensor<21x32xf32>
  %zero = linalg.fill ins(%z : f32) outs(%es : tensor<21x32xf32>) -> tensor<21x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, g) -> (g, m, k)>, affine_map<(m, n, k, g) -> (g, k, n)>, affine_map<(m, n, k, g) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%rows, %w : tensor<2x21x16xf32>, tensor<2x16x32xf32>) outs(%zero : tensor<21x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<21x32xf32>
  return %0 : tensor<21x32xf32>
}
