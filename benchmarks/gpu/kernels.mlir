// One kernel each at the sizes of a transformer: timed by gpu-check's run.sh --benchmark, disassembled by
// utils/sass-report.py. A product has 2 m n k operations; what is bound by bandwidth touches each byte once.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>

func.func @gemm(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// A decoder's step: as many rows as sequences.
func.func @gemm_decode(%a: tensor<16x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<16x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<16x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<16x4096xbf16>) -> tensor<16x4096xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<16x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<16x4096xbf16>) -> tensor<16x4096xbf16>
  return %0 : tensor<16x4096xbf16>
}

func.func @softmax(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %e = tensor.empty() : tensor<8192x4096xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xf32>) outs(%e : tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
  return %0 : tensor<8192x4096xf32>
}

func.func @layer_norm(%x: tensor<8192x4096xbf16>, %g: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<8192x4096xbf16> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 4096.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<8192xf32>
  %z1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8192xf32>) -> tensor<8192xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x4096xbf16>) outs(%z1 : tensor<8192xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8192xf32>
  %mean = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%sum : tensor<8192xf32>) outs(%e1 : tensor<8192xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<8192xf32>
  %square = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<8192x4096xbf16>, tensor<8192xf32>) outs(%z1 : tensor<8192xf32>) {
  ^bb0(%a: bf16, %m: f32, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8192xf32>
  %scale = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%square : tensor<8192xf32>) outs(%e1 : tensor<8192xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8192xf32>
  %e2 = tensor.empty() : tensor<8192x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale, %g, %b : tensor<8192x4096xbf16>, tensor<8192xf32>, tensor<8192xf32>, tensor<4096xf32>, tensor<4096xf32>)
      outs(%e2 : tensor<8192x4096xbf16>) {
  ^bb0(%a: bf16, %m: f32, %s: f32, %gamma: f32, %beta: f32, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.mulf %2, %gamma : f32
    %4 = arith.addf %3, %beta : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<8192x4096xbf16>
  return %y : tensor<8192x4096xbf16>
}

func.func @bias_tanh(%a: tensor<8192x4096xbf16>, %b: tensor<4096xbf16>) -> tensor<8192x4096xbf16> {
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8192x4096xbf16>, tensor<4096xbf16>) outs(%e : tensor<8192x4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = math.tanh %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

func.func @transpose(%a: tensor<8192x4096xbf16>) -> tensor<4096x8192xbf16> {
  %e = tensor.empty() : tensor<4096x8192xbf16>
  %0 = linalg.transpose ins(%a : tensor<8192x4096xbf16>) outs(%e : tensor<4096x8192xbf16>) permutation = [1, 0]
  return %0 : tensor<4096x8192xbf16>
}
