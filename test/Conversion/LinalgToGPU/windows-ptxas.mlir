// Pooling and depthwise convolutions: what windows share is loaded once, 16 bytes at a time, without spills.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=%{arch} explain}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain dump-ptx=%t.ptx})'
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s < %t.ptx
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s < %t.ptx

// NEEDS: linalg.depthwise_conv_2d_nhwc_hwc is scheduled by window (8 places of 4 lanes per thread, 21 loads for 56 terms)
// NEEDS: linalg.pooling_nhwc_max is scheduled by window (4 places of 4 lanes per thread, 27 loads for 36 terms)
// A few outputs: the terms of one are shared by warps.
// NEEDS: linalg.pooling_nhwc_sum is scheduled by column_reduction
// NEEDS-COUNT-4: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// A row of the kernel at eight places: 14 elements of the image and 7 weights of
// 8 bytes each; 8 sums of 16 bytes, which it starts from and stores.
// CHECK-LABEL: .entry depthwise
// CHECK-COUNT-8:  ld.global.v4.b32
// CHECK-COUNT-21: ld.global.{{v2.b32|v4.b16}}
// CHECK-NOT:      ld.global
// CHECK-COUNT-8:  st.global.v4.b32
func.func @depthwise(%x: memref<32x62x62x96xbf16>, %w: memref<7x7x96xbf16>, %o: memref<32x56x56x96xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : memref<32x62x62x96xbf16>, memref<7x7x96xbf16>) outs(%o : memref<32x56x56x96xf32>)
  return
}

// CHECK-LABEL: .entry largest
// CHECK-COUNT-31: ld.global.v4.b32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.global.v4.b32
func.func @largest(%x: memref<32x113x113x64xf32>, %w: memref<3x3xf32>, %o: memref<32x56x56x64xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : memref<32x113x113x64xf32>, memref<3x3xf32>) outs(%o : memref<32x56x56x64xf32>)
  return
}

func.func @whole(%x: memref<2x64x64x64xf32>, %w: memref<64x64xf32>, %o: memref<2x1x1x64xf32>) {
  linalg.pooling_nhwc_sum ins(%x, %w : memref<2x64x64x64xf32>, memref<64x64xf32>) outs(%o : memref<2x1x1x64xf32>)
  return
}
