// Products that cuBLASLt computes, on an emulated GPU with an emulated library.
// DEFINE: %{function} =
// DEFINE: %{log} = %t.log
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CUBLASLT_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=log=%{log} shard-run %s --device=cuda-local --options="arch=host library=cublaslt" --verify --function=%{function}
// RUN: rm -f %t.log %t.layer %t.turned %t.squared %t.bytes
// REDEFINE: %{function} = product
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=ONE --implicit-check-not=cuLaunchKernel < %t.log
// ONE: cublasLtMatmul m=56 n=40 count=1 epilogue=1
// The report names it among the kernels.
// RUN: shard-compile %s --gpu --options="arch=host library=cublaslt" --function=product --report=- -o %t.so | FileCheck %s --check-prefix=REPORT
// REPORT: "kernels": [
// REPORT: "library": "cublaslt"
// REPORT: "name": "product_matmul_cublaslt_40x56x24_bf16"
// REPORT: "schedule": "cublaslt"

// Bias and maximum are the library's; f32 that is added to, both operands turned, in a batch.
// REDEFINE: %{function} = layer
// REDEFINE: %{log} = %t.layer
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=LAYER --implicit-check-not=cuLaunchKernel < %t.layer
// LAYER: cublasLtMatmul m=56 n=40 count=1 epilogue=6
// REDEFINE: %{function} = turned
// REDEFINE: %{log} = %t.turned
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=TURNED < %t.turned
// TURNED: cublasLtMatmul m=20 n=12 count=3 epilogue=1
// Ops behind a product that are no epilogue of the library are a kernel.
// REDEFINE: %{function} = squared
// REDEFINE: %{log} = %t.squared
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=SQUARED < %t.squared
// SQUARED: cublasLtMatmul
// SQUARED: cuLaunchKernel kernel=squared_generic_elementwise
// Products that it lacks are kernels, too.
// REDEFINE: %{function} = bytes
// REDEFINE: %{log} = %t.bytes
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=BYTES --implicit-check-not=cublasLtMatmul < %t.bytes
// BYTES: cuLaunchKernel kernel=bytes_matmul

// One message where the library is missing, and where it refuses.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CUBLASLT_LIBRARY=libabsent.so not shard-run %s --device=cuda-local --options="arch=sm_90a library=cublaslt" --function=product 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot load cuBLASLt: libabsent.so: {{.*}}; install it, or name it in $SHARDIR_CUBLASLT_LIBRARY; or compile without library=cublaslt
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CUBLASLT_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=fail=cublasLtMatmulAlgoGetHeuristic:1:7 not shard-run %s --device=cuda-local --options="arch=sm_90a library=cublaslt" --function=product 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: cuBLASLt has no kernel for a product of 40x24 by 24x56 bf16; compile without library=cublaslt
// RUN: not shard-opt %s --shardir-to-gpu="library=cublas" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: option library must be cublaslt or cudnn, found 'cublas'; did you mean 'cublaslt'?

func.func @product(%a: tensor<40x24xbf16>, %b: tensor<24x56xbf16>) -> tensor<40x56xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<40x56xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<40x56xbf16>) -> tensor<40x56xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<40x24xbf16>, tensor<24x56xbf16>) outs(%f : tensor<40x56xbf16>) -> tensor<40x56xbf16>
  return %0 : tensor<40x56xbf16>
}

func.func @layer(%a: tensor<40x24xf16>, %b: tensor<56x24xf16>, %bias: tensor<56xf16>) -> tensor<40x56xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<40x56xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<40x56xf16>) -> tensor<40x56xf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<40x24xf16>, tensor<56x24xf16>) outs(%f : tensor<40x56xf16>) -> tensor<40x56xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<40x56xf16>, tensor<56xf16>) outs(%e : tensor<40x56xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %2 = arith.addf %x, %y : f16
    %3 = arith.maximumf %2, %z : f16
    linalg.yield %3 : f16
  } -> tensor<40x56xf16>
  return %1 : tensor<40x56xf16>
}

func.func @turned(%a: tensor<3x16x12xf32>, %b: tensor<3x20x16xf32>, %c: tensor<3x12x20xf32>) -> tensor<3x12x20xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x16x12xf32>, tensor<3x20x16xf32>) outs(%c : tensor<3x12x20xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x12x20xf32>
  return %0 : tensor<3x12x20xf32>
}

func.func @squared(%a: tensor<40x24xf32>, %b: tensor<24x56xf32>) -> tensor<40x56xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<40x24xf32>, tensor<24x56xf32>) outs(%f : tensor<40x56xf32>) -> tensor<40x56xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<40x56xf32>) outs(%e : tensor<40x56xf32>) {
  ^bb0(%x: f32, %o: f32):
    %2 = arith.mulf %x, %x : f32
    linalg.yield %2 : f32
  } -> tensor<40x56xf32>
  return %1 : tensor<40x56xf32>
}

func.func @bytes(%a: tensor<40x32xi8>, %b: tensor<32x56xi8>, %c: tensor<40x56xi32>) -> tensor<40x56xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<40x32xi8>, tensor<32x56xi8>) outs(%c : tensor<40x56xi32>) -> tensor<40x56xi32>
  return %0 : tensor<40x56xi32>
}
