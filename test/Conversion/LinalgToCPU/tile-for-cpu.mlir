// RUN: shard-opt %s -shardir-tile-for-cpu -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// Softmax: all five ops on two rows, the exponentials once.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    %[[X:.+]]: tensor<4096x4096xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         scf.forall (%[[I:.+]]) = (0) to (4096) step (2)
// CHECK:           tensor.extract_slice %[[X]][%[[I]], 0] [2, 4096] [1, 1]
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK-NOT:       math.exp
// CHECK:           arith.addf
// CHECK:           arith.divf
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     linalg.generic
func.func @softmax(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %et = tensor.empty() : tensor<4096x4096xf32>
  %ew = tensor.empty() : tensor<4096xf32>
  %f0 = linalg.fill ins(%ninf : f32) outs(%ew : tensor<4096xf32>) -> tensor<4096xf32>
  %m = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x4096xf32>) outs(%f0 : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<4096xf32>
  %e = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%et : tensor<4096x4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<4096x4096xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%ew : tensor<4096xf32>) -> tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<4096x4096xf32>) outs(%f1 : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<4096xf32>
  %d = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%et : tensor<4096x4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.divf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// An op whose operands fit a cache is left alone.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     scf.forall
func.func @small(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<16x16xf32>
  %ew = tensor.empty() : tensor<16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%ew : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x16xf32>) outs(%f1 : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %d = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<16x16xf32>, tensor<16xf32>) outs(%et : tensor<16x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.divf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>

// A sum over rows does not run along the rows: it stays outside. The row sums
// are read by someone else too: they are not computed twice.
// CHECK-LABEL: func.func @shared
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK-NOT:     scf.forall
func.func @shared(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<1024x1024xf32>
  %ew = tensor.empty() : tensor<1024xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%ew : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1024x1024xf32>) outs(%f1 : tensor<1024xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<1024xf32>
  %k = linalg.generic {indexing_maps = [#id, #c], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<1024x1024xf32>) outs(%f1 : tensor<1024xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.mulf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<1024xf32>
  %d = linalg.generic {indexing_maps = [#id, #r, #c, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %k : tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%et : tensor<1024x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %w: f32, %o: f32):
    %t = arith.divf %p, %q : f32
    %u = arith.mulf %t, %w : f32
    linalg.yield %u : f32
  } -> tensor<1024x1024xf32>
  return %d, %s : tensor<1024x1024xf32>, tensor<1024xf32>
}

// -----

#all = affine_map<(b, i, j) -> (b, i, j)>
#kept = affine_map<(b, i, j) -> (b, i, 0)>

// A reduction that keeps its dim, as PyTorch's do, joins the group; who needs the
// dim gets it back.
// CHECK-LABEL: func.func @kept_dims
// CHECK-SAME:    %[[X:.+]]: tensor<1x4096x4096xf32>
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice %[[X]]
// CHECK:           arith.addf
// CHECK:           arith.divf
// CHECK:           arith.subf
// CHECK:           tensor.parallel_insert_slice
func.func @kept_dims(%x: tensor<1x4096x4096xf32>) -> tensor<1x4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4096.0 : f32
  %ew = tensor.empty() : tensor<1x4096x1xf32>
  %et = tensor.empty() : tensor<1x4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ew : tensor<1x4096x1xf32>) -> tensor<1x4096x1xf32>
  %s = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x4096x4096xf32>) outs(%f : tensor<1x4096x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<1x4096x1xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<1x4096x1xf32>) outs(%ew : tensor<1x4096x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.divf %p, %n : f32
    linalg.yield %t : f32
  } -> tensor<1x4096x1xf32>
  %r = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<1x4096x4096xf32>, tensor<1x4096x1xf32>) outs(%et : tensor<1x4096x4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x4096x4096xf32>
  return %r : tensor<1x4096x4096xf32>
}

// CHECK-LABEL: func.func @returned_kept_dims
// CHECK:         %[[SUM:.+]] = linalg.generic
// CHECK-SAME:      outs(%{{.+}} : tensor<?x7xf32>)
// CHECK:         %[[WIDE:.+]] = tensor.expand_shape %[[SUM]]
// CHECK:         return %[[WIDE]] : tensor<?x1x7xf32>
func.func @returned_kept_dims(%x: tensor<?x5x7xf32>, %n: index) -> tensor<?x1x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x1x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1x7xf32>) -> tensor<?x1x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, 0, k)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<?x5x7xf32>) outs(%f : tensor<?x1x7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<?x1x7xf32>
  return %s : tensor<?x1x7xf32>
}
