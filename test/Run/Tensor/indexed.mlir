// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3
// INPUTS embedding: --input=10x3xf32 --input=5x1xindex=9,0,3,3,5
// INPUTS embedding_of_both: --input=10x6xi64 --input=2x3x1xindex=9,0,3,3,5,8
// INPUTS embedding: --input=10x3xf32=0.5 --input=5x1xindex=0
// INPUTS embedding_few: --input=3x4xf32 --input=7x1xi32=2,0,1,1,2,0,2
// INPUTS embedding_strided: --input=2x12xf32 --input=7x1xi64=23,0,11,12,5,18,2
// INPUTS embedding_masks: --input=10x3xi1=1,0,1,1,1,0,0,0,1,1,1,1,0,1,0,0,1,0,1,1,0,0,1,1,0,1,0,1,0,1 --input=5x1xindex=9,0,3,3,5
// INPUTS two_indices: --input=6x5x4xf32 --input=7x2xindex=5,0,0,3,2,2,4,1,5,3,0,0,1,1
// INPUTS keeps_unit_dims: --input=6x5x4xf32 --input=3x1xindex=4,0,2
// INPUTS dims_pass: --input=6x5x4xf32 --input=4x1xindex=4,0,2,2
// INPUTS scalar_index: --input=7x3xf32 --input=1xindex=5
// INPUTS partial_source: --input=4x10x3xf32 --input=5x1xindex=9,0,3,3,5
// INPUTS scatter_rows: --input=10x3xf32 --input=4x1x3xf32 --input=4x1xindex=9,0,3,5
// INPUTS scatter_few: --input=3x4xf32 --input=2x4xf32 --input=2x1xi32=2,0
// INPUTS scatter_dims_pass: --input=6x5x4xf32 --input=2x6x4xf32 --input=2x1xindex=3,0
// INPUTS scatter_two: --input=6x5x4xf32 --input=2x3x4xf32 --input=2x3x2xindex=5,0,0,3,2,2,4,1,5,3,0,0
// INPUTS scatter_one: --input=7x3xf32 --input=3xf32 --input=1xindex=5
// INPUTS scatter_partial: --input=4x10x3xf32 --input=4x1x3xf32 --input=4x1xindex=9,0,3,5
// INPUTS insert_at: --input=7x5xf32 --input=index=6 --input=index=2
// INPUTS insert_few: --input=3x5xi32 --input=index=0 --input=index=4
// INPUTS insert_partial: --input=4x7xf32 --input=index=3
// INPUTS insert_strided: --input=4x6xf32 --input=index=17

// Accesses by data: what no device but one holds is read and written there. Each
// index on each device, uneven and empty shards, an axis of size 1.
shardir.mesh @m <["a"=?, "b"=?]>

// An embedding whose vocabulary is split: a masked lookup and a sum.
func.func @embedding(%t: tensor<10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                     %i: tensor<5x1xindex>) -> tensor<5x3xf32> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x3xf32>, tensor<5x1xindex>) -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

// Vocabulary and columns split, positions in two dims.
func.func @embedding_of_both(%t: tensor<10x6xi64> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                             %i: tensor<2x3x1xindex>) -> tensor<2x3x6xi64> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x6xi64>, tensor<2x3x1xindex>) -> tensor<2x3x6xi64>
  return %r : tensor<2x3x6xi64>
}

// 3 rows over 4 devices: one has none. The positions are split, the other way.
func.func @embedding_few(%t: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                         %i: tensor<7x1xi32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) -> tensor<7x4xf32> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<3x4xf32>, tensor<7x1xi32>) -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// The vocabulary as a merged dim whose inner factor is split: a strided shard.
func.func @embedding_strided(%t: tensor<2x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                             %i: tensor<7x1xi64>) -> tensor<7xf32> {
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<2x12xf32> into tensor<24xf32>
  %r = tensor.gather %f[%i] gather_dims([0]) : (tensor<24xf32>, tensor<7x1xi64>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// Masks are put together by or.
func.func @embedding_masks(%t: tensor<10x3xi1> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                           %i: tensor<5x1xindex>) -> tensor<5x3xi1> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x3xi1>, tensor<5x1xindex>) -> tensor<5x3xi1>
  return %r : tensor<5x3xi1>
}

// Two dims by index, both split.
func.func @two_indices(%t: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>},
                       %i: tensor<7x2xindex>) -> tensor<7x4xf32> {
  %r = tensor.gather %t[%i] gather_dims([0, 1]) : (tensor<6x5x4xf32>, tensor<7x2xindex>) -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

func.func @keeps_unit_dims(%t: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {"b"}]>},
                           %i: tensor<3x1xindex>) -> tensor<3x6x1x4xf32> {
  %r = tensor.gather %t[%i] gather_dims([1]) : (tensor<6x5x4xf32>, tensor<3x1xindex>) -> tensor<3x6x1x4xf32>
  return %r : tensor<3x6x1x4xf32>
}

func.func @dims_pass(%t: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>},
                     %i: tensor<4x1xindex> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>})
    -> (tensor<4x6x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}, {}]>}) {
  %r = tensor.gather %t[%i] gather_dims([1]) : (tensor<6x5x4xf32>, tensor<4x1xindex>) -> tensor<4x6x4xf32>
  return %r : tensor<4x6x4xf32>
}

func.func @scalar_index(%t: tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                        %i: tensor<1xindex>) -> tensor<3xf32> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<7x3xf32>, tensor<1xindex>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// Of terms, terms are picked, over one axis and over another.
func.func @partial_source(%x: tensor<4x10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>},
                       %i: tensor<5x1xindex>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<10x3xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<10x3xf32>) -> tensor<10x3xf32>
  %t = linalg.reduce { arith.addf } ins(%x : tensor<4x10x3xf32>) outs(%z : tensor<10x3xf32>) dimensions = [0]
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x3xf32>, tensor<5x1xindex>) -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

func.func @scatter_rows(%d: tensor<10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                        %s: tensor<4x1x3xf32>, %i: tensor<4x1xindex>)
    -> (tensor<10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<4x1x3xf32>, tensor<10x3xf32>, tensor<4x1xindex>) -> tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}

func.func @scatter_few(%d: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                       %s: tensor<2x4xf32>, %i: tensor<2x1xi32>) -> tensor<3x4xf32> {
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @scatter_dims_pass(%d: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}]>},
                             %s: tensor<2x6x4xf32>, %i: tensor<2x1xindex>) -> tensor<6x5x4xf32> {
  %r = tensor.scatter %s into %d[%i] scatter_dims([1]) unique
      : (tensor<2x6x4xf32>, tensor<6x5x4xf32>, tensor<2x1xindex>) -> tensor<6x5x4xf32>
  return %r : tensor<6x5x4xf32>
}

func.func @scatter_two(%d: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>},
                       %s: tensor<2x3x4xf32>, %i: tensor<2x3x2xindex>) -> tensor<6x5x4xf32> {
  %r = tensor.scatter %s into %d[%i] scatter_dims([0, 1]) unique
      : (tensor<2x3x4xf32>, tensor<6x5x4xf32>, tensor<2x3x2xindex>) -> tensor<6x5x4xf32>
  return %r : tensor<6x5x4xf32>
}

func.func @scatter_one(%d: tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                       %s: tensor<3xf32>, %i: tensor<1xindex>) -> tensor<7x3xf32> {
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<3xf32>, tensor<7x3xf32>, tensor<1xindex>) -> tensor<7x3xf32>
  return %r : tensor<7x3xf32>
}

// The destination is partial: the inserted tensor is one term.
func.func @scatter_partial(%x: tensor<4x10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>},
                        %s: tensor<4x1x3xf32>, %i: tensor<4x1xindex>) -> tensor<10x3xf32> {
  %e = tensor.empty() : tensor<10x3xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<10x3xf32>) -> tensor<10x3xf32>
  %d = linalg.reduce { arith.addf } ins(%x : tensor<4x10x3xf32>) outs(%z : tensor<10x3xf32>) dimensions = [0]
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<4x1x3xf32>, tensor<10x3xf32>, tensor<4x1xindex>) -> tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}

// The owner writes.
func.func @insert_at(%t: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %i: index, %j: index)
    -> tensor<7x5xf32> {
  %s = arith.constant 7.5 : f32
  %r = tensor.insert %s into %t[%i, %j] : tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

func.func @insert_few(%t: tensor<3x5xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %i: index, %j: index)
    -> tensor<3x5xi32> {
  %s = arith.constant 7 : i32
  %r = tensor.insert %s into %t[%i, %j] : tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}

func.func @insert_strided(%t: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %i: index)
    -> tensor<24xf32> {
  %s = arith.constant 7.5 : f32
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %r = tensor.insert %s into %f[%i] : tensor<24xf32>
  return %r : tensor<24xf32>
}

func.func @insert_partial(%x: tensor<4x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %i: index) -> tensor<7xf32> {
  %s = arith.constant 7.5 : f32
  %e = tensor.empty() : tensor<7xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %d = linalg.reduce { arith.addf } ins(%x : tensor<4x7xf32>) outs(%z : tensor<7xf32>) dimensions = [0]
  %r = tensor.insert %s into %d[%i] : tensor<7xf32>
  return %r : tensor<7xf32>
}
