// Sums of f32 products are stored in pairs from registers of their own: pairs tie registers to banks, which multiply-adds then share with their operands.
// REQUIRES: ptxas
// RUN: shard-opt %s --shardir-to-gpu=arch=sm_90a | FileCheck %s

// CHECK: add.f32 \09[[ONE:%r[0-9]+]], %r{{[0-9]+}}, [[NOTHING:%r[0-9]+]];\0A\09add.f32 \09[[OTHER:%r[0-9]+]], %r{{[0-9]+}}, [[NOTHING]];
// CHECK-SAME: st.global.v2.b32 \09[%rd{{[0-9]+}}], {[[ONE]], [[OTHER]]};
func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %product = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%filled : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %product : tensor<256x256xf32>
}
