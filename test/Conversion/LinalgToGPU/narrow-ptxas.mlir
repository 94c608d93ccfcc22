// Narrow operands on matrix units: the instructions, and that nothing spills.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=%{arch} tf32}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain dump-ptx=%t.ptx})'
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:" --implicit-check-not="Performance Loss"
// RUN: FileCheck %s --check-prefixes=PTX,SM90 < %t.ptx
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s --check-prefixes=PTX,SM80,WIDE < %t.ptx
// REDEFINE: %{arch} = sm_89
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s --check-prefixes=PTX,SM80,SM89 < %t.ptx

// NEEDS-COUNT-3: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// PTX-LABEL: .entry bytes
// PTX: cp.async.cg.shared.global
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared
// PTX: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
func.func @bytes(%a: memref<2048x2048xi8>, %b: memref<2048x2048xi8>, %c: memref<2048x2048xi32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : memref<2048x2048xi8>, memref<2048x2048xi8>) outs(%c : memref<2048x2048xi32>)
  return
}

// PTX-LABEL: .entry rounded
// SM80: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// SM90: cp.async.bulk.tensor.2d
// SM90: wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32
func.func @rounded(%a: memref<2048x2048xf32>, %b: memref<2048x2048xf32>, %c: memref<2048x2048xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : memref<2048x2048xf32>, memref<2048x2048xf32>) outs(%c : memref<2048x2048xf32>)
  return
}

// PTX-LABEL: .entry eight_bits
// WIDE: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SM90: cp.async.bulk.tensor.2d
// SM89: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// SM90: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3
func.func @eight_bits(%a: memref<2048x2048xf8E4M3FN>, %b: memref<2048x2048xf8E4M3FN>, %c: memref<2048x2048xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : memref<2048x2048xf8E4M3FN>, memref<2048x2048xf8E4M3FN>) outs(%c : memref<2048x2048xf32>)
  return
}
