// One op each at the sizes of a transformer: timed by gpu-check's run.sh --benchmark, beside PyTorch
// (peers/gpu_torch.py), disassembled by utils/sass-report.py. A product has 2 m n k operations; what is bound by
// bandwidth touches each byte once.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>
#a = affine_map<(m, n, k) -> (m, k)>
#weights = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

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

// Weights by rows of outputs, as torch.nn.Linear keeps them.
func.func @gemm_weights(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %0 = linalg.matmul indexing_maps = [#a, #weights, #c] ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// Exact products and sums.
func.func @gemm_f32(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// 8-bit floats, both along the reduction, as scaled products have them.
func.func @gemm_f8(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %0 = linalg.matmul indexing_maps = [#a, #weights, #c] ins(%a, %b : tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// A decoder's step of one sequence.
func.func @gemm_decode_one(%a: tensor<1x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<1x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<1x4096xbf16>) -> tensor<1x4096xbf16>
  %0 = linalg.matmul indexing_maps = [#a, #weights, #c] ins(%a, %b : tensor<1x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<1x4096xbf16>) -> tensor<1x4096xbf16>
  return %0 : tensor<1x4096xbf16>
}

// A decoder's step with weights and activations of 8 bits.
func.func @gemm_decode_f8(%a: tensor<16x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<16x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  %0 = linalg.matmul indexing_maps = [#a, #weights, #c] ins(%a, %b : tensor<16x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) outs(%f : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  return %0 : tensor<16x4096xf32>
}

// A layer of a perceptron: bias and maximum with 0.
func.func @gemm_bias_relu(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %bias: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<4096x4096xbf16>, tensor<4096xbf16>) outs(%e : tensor<4096x4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %2 = arith.addf %x, %y : bf16
    %3 = arith.maximumf %2, %z : bf16
    linalg.yield %3 : bf16
  } -> tensor<4096x4096xbf16>
  return %1 : tensor<4096x4096xbf16>
}

// Many small products.
func.func @batched(%a: tensor<64x512x512xbf16>, %b: tensor<64x512x512xbf16>) -> tensor<64x512x512xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x512x512xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<64x512x512xbf16>) -> tensor<64x512x512xbf16>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<64x512x512xbf16>, tensor<64x512x512xbf16>) outs(%f : tensor<64x512x512xbf16>) -> tensor<64x512x512xbf16>
  return %0 : tensor<64x512x512xbf16>
}

// Rows of eight experts, padded to the same number.
func.func @experts(%a: tensor<8x1024x4096xbf16>, %b: tensor<8x4096x4096xbf16>) -> tensor<8x1024x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8x1024x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<8x1024x4096xbf16>) -> tensor<8x1024x4096xbf16>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<8x1024x4096xbf16>, tensor<8x4096x4096xbf16>) outs(%f : tensor<8x1024x4096xbf16>) -> tensor<8x1024x4096xbf16>
  return %0 : tensor<8x1024x4096xbf16>
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

func.func @softmax_bf16(%x: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xbf16>) outs(%e : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

func.func @rms_norm(%x: tensor<8192x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8192x4096xbf16> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 4096.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<8192xf32>
  %z1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8192xf32>) -> tensor<8192xf32>
  %square = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x4096xbf16>) outs(%z1 : tensor<8192xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8192xf32>
  %e2 = tensor.empty() : tensor<8192x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %square, %g : tensor<8192x4096xbf16>, tensor<8192xf32>, tensor<4096xbf16>) outs(%e2 : tensor<8192x4096xbf16>) {
  ^bb0(%a: bf16, %s: f32, %gamma: bf16, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.divf %s, %n : f32
    %2 = arith.addf %1, %eps : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %0, %3 : f32
    %5 = arith.extf %gamma : bf16 to f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.truncf %6 : f32 to bf16
    linalg.yield %7 : bf16
  } -> tensor<8192x4096xbf16>
  return %y : tensor<8192x4096xbf16>
}

func.func @row_sums(%x: tensor<8192x4096xf32>) -> tensor<8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %0 = linalg.reduce ins(%x : tensor<8192x4096xf32>) outs(%f : tensor<8192xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %1 = arith.addf %a, %o : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<8192xf32>
}

// The gradient of a bias.
func.func @column_sums(%x: tensor<8192x4096xf32>) -> tensor<4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %0 = linalg.reduce ins(%x : tensor<8192x4096xf32>) outs(%f : tensor<4096xf32>) dimensions = [0]
    (%a: f32, %o: f32) {
      %1 = arith.addf %a, %o : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4096xf32>
}

// A residual.
func.func @add(%a: tensor<8192x4096xbf16>, %b: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %0 = linalg.add ins(%a, %b : tensor<8192x4096xbf16>, tensor<8192x4096xbf16>) outs(%e : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

func.func @swiglu(%a: tensor<8192x4096xbf16>, %b: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8192x4096xbf16>, tensor<8192x4096xbf16>) outs(%e : tensor<8192x4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.negf %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.addf %4, %one : f32
    %6 = arith.divf %1, %5 : f32
    %7 = arith.mulf %6, %2 : f32
    %8 = arith.truncf %7 : f32 to bf16
    linalg.yield %8 : bf16
  } -> tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

// A step of momentum: two results.
func.func @momentum(%w: tensor<8192x4096xf32>, %m: tensor<8192x4096xf32>, %g: tensor<8192x4096xbf16>) -> (tensor<8192x4096xf32>, tensor<8192x4096xf32>) {
  %keep = arith.constant 0.9 : f32
  %rate = arith.constant 1.0e-3 : f32
  %e = tensor.empty() : tensor<8192x4096xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %m, %g : tensor<8192x4096xf32>, tensor<8192x4096xf32>, tensor<8192x4096xbf16>) outs(%e, %e : tensor<8192x4096xf32>, tensor<8192x4096xf32>) {
  ^bb0(%x: f32, %y: f32, %d: bf16, %o: f32, %p: f32):
    %1 = arith.extf %d : bf16 to f32
    %2 = arith.mulf %y, %keep : f32
    %3 = arith.addf %2, %1 : f32
    %4 = arith.mulf %3, %rate : f32
    %5 = arith.subf %x, %4 : f32
    linalg.yield %5, %3 : f32, f32
  } -> (tensor<8192x4096xf32>, tensor<8192x4096xf32>)
  return %0#0, %0#1 : tensor<8192x4096xf32>, tensor<8192x4096xf32>
}

func.func @transpose_f32(%a: tensor<8192x4096xf32>) -> tensor<4096x8192xf32> {
  %e = tensor.empty() : tensor<4096x8192xf32>
  %0 = linalg.transpose ins(%a : tensor<8192x4096xf32>) outs(%e : tensor<4096x8192xf32>) permutation = [1, 0]
  return %0 : tensor<4096x8192xf32>
}

// Heads before positions.
func.func @transpose_heads(%a: tensor<4x4096x32x128xbf16>) -> tensor<4x32x4096x128xbf16> {
  %e = tensor.empty() : tensor<4x32x4096x128xbf16>
  %0 = linalg.transpose ins(%a : tensor<4x4096x32x128xbf16>) outs(%e : tensor<4x32x4096x128xbf16>) permutation = [0, 2, 1, 3]
  return %0 : tensor<4x32x4096x128xbf16>
}

// Rows that vectors cannot read.
func.func @gemm_ragged(%a: tensor<4097x4097xbf16>, %b: tensor<4097x4097xbf16>) -> tensor<4097x4097xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4097x4097xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<4097x4097xbf16>) -> tensor<4097x4097xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4097x4097xbf16>, tensor<4097x4097xbf16>) outs(%f : tensor<4097x4097xbf16>) -> tensor<4097x4097xbf16>
  return %0 : tensor<4097x4097xbf16>
}

// One wave of tiles.
func.func @gemm_1024(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1024x1024xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%f : tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// A batch of prompts of few tokens.
func.func @gemm_256_rows(%a: tensor<256x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<256x4096xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<256x4096xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<256x4096xbf16>) -> tensor<256x4096xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<256x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<256x4096xbf16>) -> tensor<256x4096xbf16>
  return %0 : tensor<256x4096xbf16>
}

// Weights across the reduction, which units for 8 bits do not take.
func.func @gemm_f8_rows(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
