// RUN: shard-opt %s --shardir-to-cpu=target=avx2-vnni | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -mattr=+avxvnni | FileCheck %s --check-prefix=AVXVNNI
// RUN: shard-opt %s --shardir-to-cpu=target=avx512 | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// RUN: shard-opt %s --shardir-to-cpu=target=avx512-vnni | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -mattr=+avx512vnni | FileCheck %s --check-prefix=VNNI

// The instructions that the innermost loop of a product of bytes becomes: four
// bytes at a time, or pairs of 16 bits.
// AVXVNNI-LABEL: program.signed_kernel_{{[0-9]+}}_body_2:
// AVXVNNI-COUNT-12: {vex} vpdpbusd {{.*}}ymm
// AVX512-LABEL: program.signed_kernel_{{[0-9]+}}_body_2:
// AVX512:       vpmaddwd {{.*}}zmm
// AVX512:       vpaddd {{.*}}zmm
// VNNI-LABEL: program.signed_kernel_{{[0-9]+}}_body_2:
// VNNI-COUNT-24: vpdpbusd {{.*}}zmm
func.func @signed(%a: tensor<384x512xi8>, %b: tensor<512x256xi8>) -> tensor<384x256xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<384x256xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<384x256xi32>) -> tensor<384x256xi32>
  %c = linalg.matmul ins(%a, %b : tensor<384x512xi8>, tensor<512x256xi8>) outs(%z : tensor<384x256xi32>) -> tensor<384x256xi32>
  return %c : tensor<384x256xi32>
}

// VNNI-LABEL: program.unsigned_kernel_{{[0-9]+}}_body_2:
// VNNI-COUNT-24: vpdpbusd {{.*}}zmm
func.func @unsigned(%a: tensor<384x512xi8>, %b: tensor<512x256xi8>) -> tensor<384x256xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<384x256xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<384x256xi32>) -> tensor<384x256xi32>
  %c = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<384x512xi8>, tensor<512x256xi8>) outs(%z : tensor<384x256xi32>) -> tensor<384x256xi32>
  return %c : tensor<384x256xi32>
}
