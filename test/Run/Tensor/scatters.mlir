// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: shard-run %s --function=order --mesh=a=2,b=2 --output=- --input=4x3xf32=0 --input=5x3xf32=1,1,1,2,2,2,3,3,3,4,4,4,5,5,5 --input=5x1xi64=3,-1,0,3,4 | FileCheck %s
// RUN: shard-run %s --function=one_row --mesh=a=2,b=2 --output=- --input=5x1x2xf32=1,2,3,4,5,6,7,8,9,10 --input=5x1x1xi32=3,-1,0,4,3 | FileCheck %s --check-prefix=ONE
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3
// INPUTS order: --input=4x3xf32=ramp --input=5x3xf32=ramp --input=5x1xi64=3,-1,0,3,4
// INPUTS add_split: --input=10x6xf32=ramp --input=7x6xf32=ramp --input=7x1xi32=9,0,-3,5,9,10,2
// INPUTS rows_split: --input=10x6xf32=ramp --input=7x6xf32=ramp --input=7x1xi32=9,0,-3,5,9,10,2
// INPUTS of_zeros: --input=7x6xf32=ramp --input=7x1xi64=9,0,4,5,9,1,2
// INPUTS largest: --input=10x6xi32=ramp --input=7x6xi32=ramp --input=7x1xi64=9,0,4,5,9,1,2
// INPUTS strided: --input=2x12xf32=ramp --input=7xf32=ramp --input=7x1xi64=23,0,11,24,12,-1,11
// INPUTS two_dims: --input=6x5x4xf32=ramp --input=2x3x4xf32=ramp --input=2x3x2xi64=5,0,0,3,2,2,4,1,5,3,0,5
// INPUTS batches: --input=4x5x3xf32=ramp --input=5x2x3xf32=ramp --input=5x2x1xi64=3,0,1,1,0,2,3,3,2,4
// INPUTS unknown: --input=7x4xf32=ramp --input=5x4xf32=ramp --input=5x1xi64=6,0,7,2,6
// INPUTS no_rows: --input=4x3xf32=ramp --input=0x3xf32 --input=0x1xi64
// INPUTS one_row: --input=5x1x2xf32=ramp --input=5x1x1xi32=3,-1,0,4,3
// INPUTS one_place: --input=2xf32=ramp --input=2xi32=2,5
// INPUTS of_terms: --input=4x10x3xf32=ramp --input=4x3x3xf32=ramp --input=3x1xi64=9,0,9

// Scatters against the unsharded program: uneven and empty shards, rows that are
// out of bounds, terms of sums, an axis of size 1.
shardir.mesh @m <["a"=?, "b"=?]>

// The last row wins, and rows out of bounds are skipped.
// CHECK: 4x3xf32=[3 3 3][0 0 0][0 0 0][4 4 4]
func.func @order(%x: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %u: tensor<5x3xf32>, %i: tensor<5x1xi64>) -> tensor<4x3xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5x3xf32>, tensor<5x1xi64>) outs(%x : tensor<4x3xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<4x3xf32>
}

func.func @add_split(%x: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %u: tensor<7x6xf32>, %i: tensor<7x1xi32>) -> tensor<10x6xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<7x6xf32>, tensor<7x1xi32>) outs(%x : tensor<10x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<10x6xf32>
}

// The tensor that is added to counts once.
func.func @rows_split(%x: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                      %u: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                      %i: tensor<7x1xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<10x6xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<7x6xf32>, tensor<7x1xi32>) outs(%x : tensor<10x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<10x6xf32>
}

// As the gradient of an embedding under data parallelism.
func.func @of_zeros(%u: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                    %i: tensor<7x1xi64> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x6xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<10x6xf32>) -> tensor<10x6xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<7x6xf32>, tensor<7x1xi64>) outs(%z : tensor<10x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<10x6xf32>
}

func.func @largest(%x: tensor<10x6xi32>, %u: tensor<7x6xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                   %i: tensor<7x1xi64> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<10x6xi32> {
  %0 = shardir.scatter ins(%u, %i : tensor<7x6xi32>, tensor<7x1xi64>) outs(%x : tensor<10x6xi32>) index_dims = [0] {
  ^bb0(%new: i32, %old: i32):
    %1 = arith.maxsi %old, %new : i32
    shardir.yield %1 : i32
  }
  return %0 : tensor<10x6xi32>
}

// A merged dim whose inner factor is split: a strided shard. Rows are elements.
func.func @strided(%x: tensor<2x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %u: tensor<7xf32>, %i: tensor<7x1xi64>) -> tensor<24xf32> {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x12xf32> into tensor<24xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<7xf32>, tensor<7x1xi64>) outs(%f : tensor<24xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.subf %new, %old : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<24xf32>
}

func.func @two_dims(%x: tensor<6x5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>}, %u: tensor<2x3x4xf32>, %i: tensor<2x3x2xi64>) -> tensor<6x5x4xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<2x3x4xf32>, tensor<2x3x2xi64>) outs(%x : tensor<6x5x4xf32>) index_dims = [0, 1] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<6x5x4xf32>
}

func.func @batches(%x: tensor<4x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}, {}]>}, %u: tensor<5x2x3xf32>, %i: tensor<5x2x1xi64>) -> tensor<4x5x3xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5x2x3xf32>, tensor<5x2x1xi64>) outs(%x : tensor<4x5x3xf32>) index_dims = [0] batch_dims = [1] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<4x5x3xf32>
}

func.func @unknown(%x: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}, %u: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                   %i: tensor<?x1xi64>) -> tensor<?x4xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<?x4xf32>, tensor<?x1xi64>) outs(%x : tensor<?x4xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<?x4xf32>
}

func.func @no_rows(%x: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %u: tensor<0x3xf32>, %i: tensor<0x1xi64>) -> tensor<4x3xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<0x3xf32>, tensor<0x1xi64>) outs(%x : tensor<4x3xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<4x3xf32>
}

// Updates and tensor are terms of sums, and so is the result.
func.func @of_terms(%x: tensor<4x10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>},
                    %u: tensor<4x3x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>}, %i: tensor<3x1xi64>) -> tensor<10x3xf32> {
  %zx = arith.constant dense<0.0> : tensor<10x3xf32>
  %zu = arith.constant dense<0.0> : tensor<3x3xf32>
  %sx = linalg.reduce { arith.addf } ins(%x : tensor<4x10x3xf32>) outs(%zx : tensor<10x3xf32>) dimensions = [0]
  %su = linalg.reduce { arith.addf } ins(%u : tensor<4x3x3xf32>) outs(%zu : tensor<3x3xf32>) dimensions = [0]
  %0 = shardir.scatter ins(%su, %i : tensor<3x3xf32>, tensor<3x1xi64>) outs(%sx : tensor<10x3xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<10x3xf32>
}

// One row for each place of the batch, as the gradient of cross-entropy has it:
// compared with the index.
// ONE: 5x4x2xf32={{.}}[7 7][7 7][7 7][8 9]{{..}}[7 7][7 7][7 7][7 7]{{..}}[12 13][7 7][7 7][7 7]{{..}}[7 7][7 7][7 7][7 7]{{..}}[7 7][7 7][7 7][16 17]]
func.func @one_row(%u: tensor<5x1x2xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}, {}]>}, %i: tensor<5x1x1xi32>)
    -> (tensor<5x4x2xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}, {}]>}) {
  %c7 = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<5x4x2xf32>
  %z = linalg.fill ins(%c7 : f32) outs(%e : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<5x1x2xf32>, tensor<5x1x1xi32>) outs(%z : tensor<5x4x2xf32>) index_dims = [1] batch_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<5x4x2xf32>
}

func.func @one_place(%u: tensor<2xf32>, %i: tensor<2xi32>)
    -> (tensor<3x6x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<3x6x2xf32>
  %0 = shardir.scatter ins(%u, %i : tensor<2xf32>, tensor<2xi32>) outs(%z : tensor<3x6x2xf32>) index_dims = [0, 1] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<3x6x2xf32>
}
