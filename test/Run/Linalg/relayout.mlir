// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3

// Packs and unpacks with outer dims, tiles, and both split; padded ones; softmax
// along and across a split dim; Winograd transforms; operands across the others,
// larger than what is transposed at a time.
shardir.mesh @m <["a"=?, "b"=?]>

func.func @pack(%t: tensor<10x12xf32> {shardir.placement = #shardir.placement<@m, [{"a", 2}, {2, "b"}]>}) -> tensor<5x2x2x6xf32> {
  %e = tensor.empty() : tensor<5x2x2x6xf32>
  %r = linalg.pack %t inner_dims_pos = [0, 1] inner_tiles = [2, 6] into %e : tensor<10x12xf32> -> tensor<5x2x2x6xf32>
  return %r : tensor<5x2x2x6xf32>
}

func.func @pack_by_result(%t: tensor<10x12xf32>)
    -> (tensor<2x5x6x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}, {"a"}, {}]>}) {
  %e = tensor.empty() : tensor<2x5x6x2xf32>
  %r = linalg.pack %t outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [6, 2] into %e : tensor<10x12xf32> -> tensor<2x5x6x2xf32>
  return %r : tensor<2x5x6x2xf32>
}

func.func @pack_padded(%t: tensor<9x5x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>}) -> tensor<9x3x2x2x4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<9x3x2x2x4xf32>
  %r = linalg.pack %t padding_value(%one : f32) inner_dims_pos = [1, 2] inner_tiles = [2, 4] into %e
      : tensor<9x5x7xf32> -> tensor<9x3x2x2x4xf32>
  return %r : tensor<9x3x2x2x4xf32>
}

func.func @unpack(%t: tensor<5x3x2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}, {"b"}]>}) -> tensor<10x12xf32> {
  %e = tensor.empty() : tensor<10x12xf32>
  %r = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<5x3x2x4xf32> -> tensor<10x12xf32>
  return %r : tensor<10x12xf32>
}

func.func @unpack_padded(%t: tensor<3x5x2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}, {}]>}) -> tensor<9x11xf32> {
  %e = tensor.empty() : tensor<9x11xf32>
  %r = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<3x5x2x4xf32> -> tensor<9x11xf32>
  return %r : tensor<9x11xf32>
}

// Terms pass both.
func.func @partial(%x: tensor<4x10x12xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>}) -> tensor<10x12xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<10x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<10x12xf32>) -> tensor<10x12xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x10x12xf32>) outs(%z : tensor<10x12xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<5x3x2x4xf32>
  %p = linalg.pack %s inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<10x12xf32> -> tensor<5x3x2x4xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %d : tensor<5x3x2x4xf32> -> tensor<10x12xf32>
  return %u : tensor<10x12xf32>
}

func.func @softmax_rows(%t: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<7x10xf32>
  %r = linalg.softmax dimension(1) ins(%t : tensor<7x10xf32>) outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}

func.func @softmax_columns(%t: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<3x10xf32> {
  %e = tensor.empty() : tensor<3x10xf32>
  %r = linalg.softmax dimension(0) ins(%t : tensor<3x10xf32>) outs(%e : tensor<3x10xf32>) -> tensor<3x10xf32>
  return %r : tensor<3x10xf32>
}

func.func @winograd(%f: tensor<2x3x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}, {}]>},
                    %x: tensor<1x6x6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}, {"b"}]>})
    -> (tensor<6x6x5x2xf32>, tensor<6x6x1x1x1x5xf32>, tensor<1x4x4x5xf32>) {
  %e = tensor.empty() : tensor<6x6x5x2xf32>
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  %d = tensor.empty() : tensor<6x6x1x1x1x5xf32>
  %i = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x6x6x5xf32>) outs(%d : tensor<6x6x1x1x1x5xf32>) -> tensor<6x6x1x1x1x5xf32>
  %g = arith.constant dense<0.5> : tensor<1x4x4x5xf32>
  %o = linalg.winograd_output_transform fmr(F_4_3) ins(%i : tensor<6x6x1x1x1x5xf32>) outs(%g : tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %r, %i, %o : tensor<6x6x5x2xf32>, tensor<6x6x1x1x1x5xf32>, tensor<1x4x4x5xf32>
}

func.func @across(%x: tensor<133x531xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %t: tensor<531x133xf32>) -> tensor<133x531xf32> {
  %e = tensor.empty() : tensor<133x531xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<133x531xf32>, tensor<531x133xf32>) outs(%e : tensor<133x531xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<133x531xf32>
  return %r : tensor<133x531xf32>
}

func.func @two_across(%x: tensor<133x531xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %t: tensor<531x133xf32>, %u: tensor<531x133xf64>) -> tensor<133x531xf32> {
  %e = tensor.empty() : tensor<133x531xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %t, %u : tensor<133x531xf32>, tensor<531x133xf32>, tensor<531x133xf64>) outs(%e : tensor<133x531xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f64, %o: f32):
    %s = arith.subf %a, %b : f32
    %d = arith.truncf %c : f64 to f32
    %p = arith.mulf %s, %d : f32
    linalg.yield %p : f32
  } -> tensor<133x531xf32>
  return %r : tensor<133x531xf32>
}
