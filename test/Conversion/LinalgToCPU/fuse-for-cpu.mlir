// RUN: shard-opt %s -shardir-fuse-for-cpu -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// A chain becomes one op.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
func.func @chain(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.addf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// An exponential per row is not computed once per element.
// CHECK-LABEL: func.func @expensive_broadcast
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK:           arith.mulf
func.func @expensive_broadcast(%a: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<8x16xf32> {
  %ev = tensor.empty() : tensor<8xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%ev : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = math.exp %x : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %0 : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// A transpose goes into the contraction's map; an addition stays outside.
// CHECK: #[[$AT:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-LABEL: func.func @contraction
// CHECK-SAME:    %[[A:.+]]: tensor<16x8xf32>, %[[B:.+]]: tensor<16x4xf32>
// CHECK:         %[[S:.+]] = linalg.generic
// CHECK:           arith.addf
// CHECK:         linalg.generic {indexing_maps = [#[[$AT]],
// CHECK-SAME:      ins(%[[A]], %[[S]]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
func.func @contraction(%a: tensor<16x8xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %ea = tensor.empty() : tensor<8x16xf32>
  %eb = tensor.empty() : tensor<16x4xf32>
  %0 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<16x8xf32>) outs(%ea : tensor<8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<16x4xf32>) outs(%eb : tensor<16x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %x : f32
    linalg.yield %m : f32
  } -> tensor<16x4xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// A transpose with another user is fused into the product; the narrowing cast
// of the weights is not, before the unused result is erased either.

// CHECK-LABEL: func @product_of_shared_transpose
// CHECK:         %[[CAST:.+]] = linalg.generic {{.*}} ins(%arg1 
// CHECK-NEXT:    ^bb0(%{{.+}}: f32
// CHECK-NEXT:      %{{.+}} = arith.truncf
// CHECK:         linalg.generic {{.*}} ins(%arg0, %[[CAST]] : tensor<8x4xbf16>, tensor<8x6xbf16>)
// CHECK-NEXT:    ^bb0(%[[A:[a-z_0-9]+]]: bf16, %[[B:[a-z_0-9]+]]: bf16
// CHECK-NEXT:      %{{.+}} = arith.mulf %[[A]], %[[B]]
func.func @product_of_shared_transpose(%a: tensor<8x4xbf16>, %w: tensor<8x6xf32>) -> (tensor<4x6xbf16>, tensor<4x8xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %0 = tensor.empty() : tensor<4x8xbf16>
  %turned = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x4xbf16>) outs(%0 : tensor<4x8xbf16>) {
  ^bb0(%x: bf16, %out: bf16):
    linalg.yield %x : bf16
  } -> tensor<4x8xbf16>
  %1 = tensor.empty() : tensor<8x6xbf16>
  %weights = linalg.generic {
      indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (k, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x6xf32>) outs(%1 : tensor<8x6xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %narrow = arith.truncf %x : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<8x6xbf16>
  %2 = tensor.empty() : tensor<4x6xbf16>
  %filled = linalg.fill ins(%zero : bf16) outs(%2 : tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %product = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%turned, %weights : tensor<4x8xbf16>, tensor<8x6xbf16>) outs(%filled : tensor<4x6xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %out: bf16):
    %m = arith.mulf %x, %y : bf16
    %s = arith.addf %out, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<4x6xbf16>
  return %product, %turned : tensor<4x6xbf16>, tensor<4x8xbf16>
}

// The exponentials of logits, which the gradient behind other work needs again:
// computed twice from bf16, they are never stored. What is read of the logarithms
// is computed where it is read.
// CHECK-LABEL: func @cross_entropy
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%arg0, %arg1 :
// CHECK:           math.exp
// CHECK:         %[[PICKED:.+]] = linalg.generic {{.*}} ins(%arg2 : tensor<8xi32>)
// CHECK-NEXT:    ^bb0
// CHECK-DAG:       tensor.extract %arg0[%{{.+}}, %{{.+}}] : tensor<8x64xbf16>
// CHECK-DAG:       tensor.extract %arg1[%{{.+}}] : tensor<8xf32>
// CHECK-DAG:       tensor.extract %[[SUM]][%{{.+}}] : tensor<8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[PICKED]] :
// CHECK:         linalg.generic {{.*}} ins(%arg0, %arg1, %[[SUM]] : tensor<8x64xbf16>, tensor<8xf32>, tensor<8xf32>)
// CHECK:           math.exp
// CHECK-NOT:     tensor<8x64xf32>
func.func @cross_entropy(%logits: tensor<8x64xbf16>, %max: tensor<8xf32>, %labels: tensor<8xi32>) -> (tensor<f32>, tensor<8x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %shifted = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%logits, %max : tensor<8x64xbf16>, tensor<8xf32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%x: bf16, %m: f32, %out: f32):
    %wide = arith.extf %x : bf16 to f32
    %d = arith.subf %wide, %m : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  %exp = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%shifted : tensor<8x64xf32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<8x64xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x64xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %log = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%shifted, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%x: f32, %s: f32, %out: f32):
    %l = math.log %s : f32
    %d = arith.subf %x, %l : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  %picked = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%labels : tensor<8xi32>) outs(%1 : tensor<8xf32>) {
  ^bb0(%label: i32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %each = tensor.extract %log[%i, %j] : tensor<8x64xf32>
    linalg.yield %each : f32
  } -> tensor<8xf32>
  %2 = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%2 : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%picked : tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %3 = tensor.empty() : tensor<8x64xbf16>
  %gradient = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%3 : tensor<8x64xbf16>) {
  ^bb0(%e: f32, %s: f32, %out: bf16):
    %q = arith.divf %e, %s : f32
    %narrow = arith.truncf %q : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<8x64xbf16>
  return %loss, %gradient : tensor<f32>, tensor<8x64xbf16>
}

// A moment and the weights that it updates are results of one op, which reads the
// gradient, however it lies, once.
// CHECK-LABEL: func @update
// CHECK:         %[[BOTH:.+]]:2 = linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 : tensor<4x6xf32>, tensor<6x4xbf16>, tensor<4x6xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[BOTH]]#0, %[[BOTH]]#1
func.func @update(%m: tensor<4x6xf32>, %g: tensor<6x4xbf16>, %w: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = tensor.empty() : tensor<4x6xf32>
  %c = arith.constant 0.9 : f32
  %moment = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%m, %g : tensor<4x6xf32>, tensor<6x4xbf16>) outs(%0 : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: bf16, %out: f32):
    %wide = arith.extf %y : bf16 to f32
    %old = arith.mulf %x, %c : f32
    %new = arith.addf %old, %wide : f32
    linalg.yield %new : f32
  } -> tensor<4x6xf32>
  %weights = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%moment, %w : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %root = math.sqrt %x : f32
    %new = arith.subf %y, %root : f32
    linalg.yield %new : f32
  } -> tensor<4x6xf32>
  return %moment, %weights : tensor<4x6xf32>, tensor<4x6xf32>
}

// The sum of a product's batches is one contraction, which reduces the batch too.
// CHECK-LABEL: func.func @sum_of_batches(
// CHECK-SAME:    %[[A:.+]]: tensor<3x4x5xf32>, %[[B:.+]]: tensor<3x5x6xf32>)
// CHECK-NOT:     linalg.batch_matmul
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
// CHECK-NEXT:    } -> tensor<4x6xf32>
// CHECK-NEXT:    return
func.func @sum_of_batches(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x4x6xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %products = linalg.batch_matmul ins(%a, %b : tensor<3x4x5xf32>, tensor<3x5x6xf32>) outs(%1 : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %2 = tensor.empty() : tensor<4x6xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(g, m, n) -> (g, m, n)>, affine_map<(g, m, n) -> (m, n)>],
                         iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%products : tensor<3x4x6xf32>) outs(%3 : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %sum : tensor<4x6xf32>
}

// A sum over rows stays apart: it would make the product no cheaper.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         linalg.batch_matmul
func.func @sum_of_rows(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<3x6xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x4x6xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %products = linalg.batch_matmul ins(%a, %b : tensor<3x4x5xf32>, tensor<3x5x6xf32>) outs(%1 : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %2 = tensor.empty() : tensor<3x6xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(g, m, n) -> (g, m, n)>, affine_map<(g, m, n) -> (g, n)>],
                         iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%products : tensor<3x4x6xf32>) outs(%3 : tensor<3x6xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<3x6xf32>
  return %sum : tensor<3x6xf32>
}

// A mask is read without its dims of one element.
// CHECK-LABEL: func.func @unit_dims(
// CHECK-SAME:    %[[M:.+]]: tensor<4xi1>, %[[X:.+]]: tensor<3x4x5xf32>)
// CHECK-NOT:     tensor.expand_shape
// CHECK:         linalg.generic {indexing_maps = [#[[ROW:.+]], #{{.+}}, #{{.+}}], {{.*}}} ins(%[[M]], %[[X]] :
func.func @unit_dims(%m: tensor<4xi1>, %x: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %wide = tensor.expand_shape %m [[0, 1, 2]] output_shape [1, 4, 1] : tensor<4xi1> into tensor<1x4x1xi1>
  %0 = tensor.empty() : tensor<3x4x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (0, j, 0)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide, %x : tensor<1x4x1xi1>, tensor<3x4x5xf32>) outs(%0 : tensor<3x4x5xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %s = arith.select %c, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
