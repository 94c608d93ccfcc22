// The op against its formulas in plain linalg: grouped heads, a causal mask and
// a bias, in one piece and in two parts of the keys that are continued.
// RUN: split-file %s %t
// RUN: shard-run %t/plain.mlir --output=@%t/y.npy
// RUN: shard-run %t/one.mlir --expected_output=@%t/y.npy
// RUN: shard-run %t/two.mlir --expected_output=@%t/y.npy
// RUN: shard-opt %t/two.mlir --shardir-to-bufferized | FileCheck %s
// CHECK-NOT: kernel.attention

//--- plain.mlir
// Query head h of 4 uses key head h / 2.
func.func @main(%q: tensor<2x2x7x3xf32>, %k: tensor<9x2x3xf32>, %v: tensor<9x2x5xf32>, %b: tensor<9xf32>) -> tensor<7x2x2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x2x7x9xf32>
  %er = tensor.empty() : tensor<2x2x7xf32>
  %eo = tensor.empty() : tensor<7x2x2x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x2x7x9xf32>) -> tensor<2x2x7x9xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<7x2x2x5xf32>) -> tensor<7x2x2x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, g, m, n, k) -> (h, g, m, k)>, affine_map<(h, g, m, n, k) -> (n, h, k)>, affine_map<(h, g, m, n, k) -> (h, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x7x3xf32>, tensor<9x2x3xf32>) outs(%zs : tensor<2x2x7x9xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %p, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x2x7x9xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(h, g, m, n) -> (h, g, m, n)>, affine_map<(h, g, m, n) -> (n)>, affine_map<(h, g, m, n) -> (h, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<2x2x7x9xf32>, tensor<9xf32>) outs(%es : tensor<2x2x7x9xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.addf %x, %y : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %u = arith.select %c, %t, %low : f32
    %r = math.exp %u : f32
    linalg.yield %r : f32
  } -> tensor<2x2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(h, g, m, n) -> (h, g, m, n)>, affine_map<(h, g, m, n) -> (h, g, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x2x7x9xf32>) outs(%zr : tensor<2x2x7xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.addf %x, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x2x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, g, m, n, v) -> (h, g, m, n)>, affine_map<(h, g, m, n, v) -> (h, g, m)>, affine_map<(h, g, m, n, v) -> (n, h, v)>, affine_map<(h, g, m, n, v) -> (m, h, g, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%e, %sum, %v : tensor<2x2x7x9xf32>, tensor<2x2x7xf32>, tensor<9x2x5xf32>) outs(%zo : tensor<7x2x2x5xf32>) {
  ^bb0(%x: f32, %l: f32, %y: f32, %z: f32):
    %p = arith.divf %x, %l : f32
    %w = arith.mulf %p, %y : f32
    %r = arith.addf %w, %z : f32
    linalg.yield %r : f32
  } -> tensor<7x2x2x5xf32>
  return %o : tensor<7x2x2x5xf32>
}

//--- one.mlir
#q = affine_map<(h, g, m, n, k, v) -> (h, g, m, k)>
#k = affine_map<(h, g, m, n, k, v) -> (n, h, k)>
#v = affine_map<(h, g, m, n, k, v) -> (n, h, v)>
#b = affine_map<(h, g, m, n, k, v) -> (n)>
#o = affine_map<(h, g, m, n, k, v) -> (m, h, g, v)>
#r = affine_map<(h, g, m, n, k, v) -> (h, g, m)>
func.func @main(%q: tensor<2x2x7x3xf32>, %k: tensor<9x2x3xf32>, %v: tensor<9x2x5xf32>, %b: tensor<9xf32>) -> tensor<7x2x2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<2x2x7xf32>
  %eo = tensor.empty() : tensor<7x2x2x5xf32>
  %acc = linalg.fill ins(%zero : f32) outs(%eo : tensor<7x2x2x5xf32>) -> tensor<7x2x2x5xf32>
  %max = linalg.fill ins(%low : f32) outs(%er : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, #b, #o, #r, #r]}
      ins(%q, %k, %v, %b : tensor<2x2x7x3xf32>, tensor<9x2x3xf32>, tensor<9x2x5xf32>, tensor<9xf32>)
      outs(%acc, %max, %sum : tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %t = arith.addf %x, %y : f32
        %i = kernel.loop_index 2
        %j = kernel.loop_index 3
        %c = arith.cmpi sge, %i, %j : index
        %u = arith.select %c, %t, %low : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, h, g, v) -> (m, h, g, v)>, affine_map<(m, h, g, v) -> (h, g, m)>, affine_map<(m, h, g, v) -> (m, h, g, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0#0, %0#2 : tensor<7x2x2x5xf32>, tensor<2x2x7xf32>) outs(%eo : tensor<7x2x2x5xf32>) {
  ^bb0(%x: f32, %l: f32, %z: f32):
    %r = arith.divf %x, %l : f32
    linalg.yield %r : f32
  } -> tensor<7x2x2x5xf32>
  return %o : tensor<7x2x2x5xf32>
}

//--- two.mlir
// The later keys first: for early rows all of them are masked.
#q = affine_map<(h, g, m, n, k, v) -> (h, g, m, k)>
#k = affine_map<(h, g, m, n, k, v) -> (n, h, k)>
#v = affine_map<(h, g, m, n, k, v) -> (n, h, v)>
#b = affine_map<(h, g, m, n, k, v) -> (n)>
#o = affine_map<(h, g, m, n, k, v) -> (m, h, g, v)>
#r = affine_map<(h, g, m, n, k, v) -> (h, g, m)>
func.func @main(%q: tensor<2x2x7x3xf32>, %k: tensor<9x2x3xf32>, %v: tensor<9x2x5xf32>, %b: tensor<9xf32>) -> tensor<7x2x2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c4 = arith.constant 4 : index
  %er = tensor.empty() : tensor<2x2x7xf32>
  %eo = tensor.empty() : tensor<7x2x2x5xf32>
  %acc = linalg.fill ins(%zero : f32) outs(%eo : tensor<7x2x2x5xf32>) -> tensor<7x2x2x5xf32>
  %max = linalg.fill ins(%low : f32) outs(%er : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0] [4, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<4x2x3xf32>
  %v0 = tensor.extract_slice %v[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<9x2x5xf32> to tensor<4x2x5xf32>
  %b0 = tensor.extract_slice %b[0] [4] [1] : tensor<9xf32> to tensor<4xf32>
  %k1 = tensor.extract_slice %k[4, 0, 0] [5, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<5x2x3xf32>
  %v1 = tensor.extract_slice %v[4, 0, 0] [5, 2, 5] [1, 1, 1] : tensor<9x2x5xf32> to tensor<5x2x5xf32>
  %b1 = tensor.extract_slice %b[4] [5] [1] : tensor<9xf32> to tensor<5xf32>
  %1:3 = kernel.attention {indexing_maps = [#q, #k, #v, #b, #o, #r, #r]}
      ins(%q, %k1, %v1, %b1 : tensor<2x2x7x3xf32>, tensor<5x2x3xf32>, tensor<5x2x5xf32>, tensor<5xf32>)
      outs(%acc, %max, %sum : tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %t = arith.addf %x, %y : f32
        %i = kernel.loop_index 2
        %local = kernel.loop_index 3
        %j = arith.addi %local, %c4 : index
        %c = arith.cmpi sge, %i, %j : index
        %u = arith.select %c, %t, %low : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, #b, #o, #r, #r]}
      ins(%q, %k0, %v0, %b0 : tensor<2x2x7x3xf32>, tensor<4x2x3xf32>, tensor<4x2x5xf32>, tensor<4xf32>)
      outs(%1#0, %1#1, %1#2 : tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %t = arith.addf %x, %y : f32
        %i = kernel.loop_index 2
        %j = kernel.loop_index 3
        %c = arith.cmpi sge, %i, %j : index
        %u = arith.select %c, %t, %low : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<7x2x2x5xf32>, tensor<2x2x7xf32>, tensor<2x2x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, h, g, v) -> (m, h, g, v)>, affine_map<(m, h, g, v) -> (h, g, m)>, affine_map<(m, h, g, v) -> (m, h, g, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0#0, %0#2 : tensor<7x2x2x5xf32>, tensor<2x2x7xf32>) outs(%eo : tensor<7x2x2x5xf32>) {
  ^bb0(%x: f32, %l: f32, %z: f32):
    %r = arith.divf %x, %l : f32
    linalg.yield %r : f32
  } -> tensor<7x2x2x5xf32>
  return %o : tensor<7x2x2x5xf32>
}
