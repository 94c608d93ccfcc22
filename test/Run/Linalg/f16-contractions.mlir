// Products of f16 by AMX's tiles are those of multiply-adds in f32: elements are small
// integers, so that every sum is exact. Where the processor has no AMX,
// testing/EmulatedAmx executes its instructions; not where it has AMX without f16.
// REQUIRES: avx512-bf16 && (amx-fp16 || !amx)
// RUN: shard-run %s --mesh=x=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy
// RUN: %emulated_amx shard-run %s --mesh=x=1 --options=target=avx512-amx-fp16 --expected_output=@%t.0.npy --expected_output=@%t.1.npy --tolerance=0
// RUN: %emulated_amx shard-run %s --mesh=x=3 --options=target=avx512-amx-fp16 --expected_output=@%t.0.npy --expected_output=@%t.1.npy --tolerance=0
shardir.mesh @m <["x"=?3]>

func.func @main(%a: tensor<101x75xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<75x90xi8>, %c: tensor<70x75xi8>)
    -> (tensor<101x90xf32>, tensor<101x70xf16>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %three = arith.constant dense<3.0> : tensor<101x75xf16>
  %ai = arith.sitofp %a : tensor<101x75xi8> to tensor<101x75xf16>
  %af = arith.subf %ai, %three : tensor<101x75xf16>
  %bf = arith.sitofp %b : tensor<75x90xi8> to tensor<75x90xf16>
  %cf = arith.sitofp %c : tensor<70x75xi8> to tensor<70x75xf16>
  %e0 = tensor.empty() : tensor<101x90xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<101x90xf32>) -> tensor<101x90xf32>
  %r0 = linalg.matmul ins(%af, %bf : tensor<101x75xf16>, tensor<75x90xf16>) outs(%z0 : tensor<101x90xf32>) -> tensor<101x90xf32>
  %e1 = tensor.empty() : tensor<101x70xf16>
  %z1 = linalg.fill ins(%half : f16) outs(%e1 : tensor<101x70xf16>) -> tensor<101x70xf16>
  %r1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%af, %cf : tensor<101x75xf16>, tensor<70x75xf16>) outs(%z1 : tensor<101x70xf16>) -> tensor<101x70xf16>
  return %r0, %r1 : tensor<101x90xf32>, tensor<101x70xf16>
}
