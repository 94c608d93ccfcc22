// Blocks that stay on sm_90a: what they are made of, and that ptxas finds registers for it.
// REQUIRES: ptxas
// DEFINE: %{schedule} = ws_gemm
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a schedule=%{schedule}}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=sm_90a},gpu.module(shardir-kernels-to-nvvm{arch=sm_90a}),shardir-assemble-kernels{arch=sm_90a explain dump-ptx=%t.ptx})'
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:" --implicit-check-not="Performance Loss"
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=HOST < %t.mlir
// REDEFINE: %{schedule} = wgmma_matmul
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:" --implicit-check-not="Performance Loss"
// RUN: FileCheck %s --check-prefix=RING < %t.ptx

// NEEDS-COUNT-4: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// The host describes A and B; the kernel gets the maps by value.
// There are as many blocks as the card at hand has multiprocessors.
// HOST-LABEL: func.func @product
// HOST: llvm.call @shardir_gpu_multiprocessors(
// HOST: llvm.call @shardir_gpu_tensor_map(
// HOST: llvm.call @shardir_gpu_tensor_map(
// HOST: llvm.call @shardir_gpu_launch(

// PTX-LABEL: .entry product
// PTX: .param .align 64 .b8 {{.*}}[128]
// PTX: .param .align 64 .b8 {{.*}}[128]
// PTX: .maxntid 384
// PTX: .minnctapersm 1
// PTX: mbarrier.init.shared.b64
// PTX: fence.mbarrier_init
// PTX: bar.sync 0
// PTX: setmaxnreg.dec.sync.aligned.u32 40
// PTX: mbarrier.try_wait.parity
// PTX: mbarrier.arrive.expect_tx
// PTX-COUNT-5: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// PTX: setmaxnreg.inc.sync.aligned.u32 232
// PTX: mbarrier.try_wait.parity
// PTX: wgmma.fence.sync.aligned
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTX: wgmma.commit_group
// PTX: wgmma.wait_group.sync.aligned 1
// PTX: mbarrier.arrive.shared
// RING-LABEL: .entry product
// RING: cp.async.cg.shared.global
// RING: wgmma.fence.sync.aligned
// RING-COUNT-4: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16
// RING: wgmma.wait_group.sync.aligned 1
// RING: cp.async.wait_group 1
// RING-NEXT: fence.proxy.async
// RING-NEXT: bar.sync
func.func @product(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %c: memref<4096x4096xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<4096x4096xf32>)
  linalg.matmul ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%c : memref<4096x4096xf32>)
  return
}

// A batch, A by columns and B by rows of k, an elementwise op behind: three dims in the maps.
// PTX-LABEL: .entry batch
// PTX-COUNT-3: cp.async.bulk.tensor.3d.shared::cluster.global
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// PTX: ex2.approx
func.func @batch(%a: memref<8x1000x512xf16>, %b: memref<8x1000x1000xf16>, %o: memref<8x512x1000xf16>) {
  %z = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<8x512x1000xf32>
  linalg.fill ins(%z : f32) outs(%c : memref<8x512x1000xf32>)
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x1000x512xf16>, memref<8x1000x1000xf16>) outs(%c : memref<8x512x1000xf32>) {
  ^bb0(%x: f16, %y: f16, %q: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %q, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : memref<8x512x1000xf32>) outs(%o : memref<8x512x1000xf16>) {
  ^bb0(%x: f32, %q: f16):
    %0 = math.tanh %x : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  }
  memref.dealloc %c : memref<8x512x1000xf32>
  return
}

// Rows of 100 elements: the copy engine cannot read them.
// PTX-LABEL: .entry rows_of_200_bytes
// PTX-NOT: cp.async.bulk
// PTX: ret;
func.func @rows_of_200_bytes(%a: memref<256x100xbf16>, %b: memref<100x256xbf16>, %c: memref<256x256xf32>) {
  linalg.matmul ins(%a, %b : memref<256x100xbf16>, memref<100x256xbf16>) outs(%c : memref<256x256xf32>)
  return
}

// A result of 16 bits leaves through shared memory, by the copy engine.
// PTX-LABEL: .entry rounded
// PTX: cp.async.bulk.wait_group.read 1
// PTX: bar.sync {{.*}}, 128
// PTX: st.shared
// PTX: fence.proxy.async.shared::cta
// PTX-NEXT: bar.sync {{.*}}, 128
// PTX: cp.async.bulk.tensor.2d.global.shared::cta
// PTX-NEXT: cp.async.bulk.commit_group
// PTX-COUNT-3: cp.async.bulk.tensor.2d.global.shared::cta
// PTX: cp.async.bulk.wait_group 0
func.func @rounded(%a: memref<4096x1024xbf16>, %b: memref<1024x4000xbf16>, %c: memref<4096x4000xbf16>) {
  %z = arith.constant 0.0 : bf16
  linalg.fill ins(%z : bf16) outs(%c : memref<4096x4000xbf16>)
  linalg.matmul ins(%a, %b : memref<4096x1024xbf16>, memref<1024x4000xbf16>) outs(%c : memref<4096x4000xbf16>)
  return
}
