// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: dp=2,tp=2 dp=1,tp=3 dp=1,tp=4
// INPUTS tied: --input=5xi32=9,0,3,3,5 --input=10x6xf32 --input=5xi32=1,2,9,0,4
// INPUTS cross_entropy: --input=5x10xf32 --input=5xi32=1,2,9,0,4
// RUN: shard-opt %s --shardir-to-collective="mesh=dp=2,tp=2" | FileCheck %s

// A vocabulary of 10 split over tp: looked up in the embedding, multiplied to
// logits, and summed over in the loss.
shardir.mesh @m <["dp"=?, "tp"=?]>

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Softmax's maximum, its sum, and the label's logit: three reductions of rows,
// and the logits stay where they are.
// CHECK-LABEL: func.func @cross_entropy
// CHECK-NOT:     collective.all_gather
// CHECK:         collective.all_reduce {{.*}}partial = max
// CHECK-NOT:     collective.all_gather
// CHECK:         return
func.func @cross_entropy(%logits: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}, %labels: tensor<5xi32>)
    -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %lows = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%logits : tensor<5x10xf32>) outs(%lows : tensor<5xf32>) dimensions = [1]
  %sum = linalg.generic {indexing_maps = [#ij, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%logits, %max : tensor<5x10xf32>, tensor<5xf32>) outs(%zeros : tensor<5xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %0 = arith.subf %x, %m : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  %picked = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%labels : tensor<5xi32>) outs(%e : tensor<5xf32>) {
  ^bb0(%at: i32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %at : i32 to index
    %v = tensor.extract %logits[%i, %k] : tensor<5x10xf32>
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %log = math.log %sum : tensor<5xf32>
  %all = arith.addf %log, %max : tensor<5xf32>
  %loss = arith.subf %all, %picked : tensor<5xf32>
  return %loss : tensor<5xf32>
}

// One table for the embedding and for the logits.
// CHECK-LABEL: func.func @tied
// CHECK-NOT:     collective.all_gather
// CHECK:         collective.all_reduce {{.*}}tensor<5x6xf32>
// CHECK-NOT:     tensor<5x10xf32>{{.*}}collective
// CHECK:         return
func.func @tied(%tokens: tensor<5xi32>, %table: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %labels: tensor<5xi32>)
    -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %x = linalg.generic {indexing_maps = [#row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tokens : tensor<5xi32>) outs(%e : tensor<5x6xf32>) {
  ^bb0(%at: i32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %at : i32 to index
    %v = tensor.extract %table[%k, %j] : tensor<10x6xf32>
    linalg.yield %v : f32
  } -> tensor<5x6xf32>
  %d = tensor.empty() : tensor<5x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<5x10xf32>) -> tensor<5x10xf32>
  %logits = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %table : tensor<5x6xf32>, tensor<10x6xf32>) outs(%z : tensor<5x10xf32>) -> tensor<5x10xf32>
  %s = tensor.empty() : tensor<5x10xf32>
  %p = linalg.softmax dimension(1) ins(%logits : tensor<5x10xf32>) outs(%s : tensor<5x10xf32>) -> tensor<5x10xf32>
  %b = tensor.empty() : tensor<5xf32>
  %picked = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%labels : tensor<5xi32>) outs(%b : tensor<5xf32>) {
  ^bb0(%at: i32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %at : i32 to index
    %v = tensor.extract %p[%i, %k] : tensor<5x10xf32>
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %log = math.log %picked : tensor<5xf32>
  %loss = arith.negf %log : tensor<5xf32>
  return %loss : tensor<5xf32>
}
