// A product in f32 of tensors that were widened from bf16 reads these, so that matrix units take it; rows are uneven.
// RUN: shard-run %s --verify
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host explain schedule=mma_matmul" --verify 2>&1 | FileCheck %s
// CHECK: linalg.matmul is scheduled by mma_matmul (mma.sync
// CHECK: equal to the unsharded program
#map = affine_map<(i, j) -> (i, j)>
shardir.mesh @m <["x"=3]>
func.func @main(%a: tensor<5x7xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<7x4xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<5x7xf32>
  %eb = tensor.empty() : tensor<7x4xf32>
  %wa = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x7xbf16>) outs(%ea : tensor<5x7xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %w = arith.extf %in : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<5x7xf32>
  %wb = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<7x4xbf16>) outs(%eb : tensor<7x4xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %w = arith.extf %in : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<7x4xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %r = linalg.matmul ins(%wa, %wb : tensor<5x7xf32>, tensor<7x4xf32>) outs(%f : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
