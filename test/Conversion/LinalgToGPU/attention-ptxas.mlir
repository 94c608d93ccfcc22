// The attention kernels are assembled without spills or stack, by the instructions that make them fast: nothing of the
// scores, the inits or acc goes through memory.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{schedule} = wgmma_attention
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=%{arch} explain schedule=%{schedule}}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain dump-ptx=%t.ptx})'
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefixes=NEEDS,WGMMA --implicit-check-not="error:" --implicit-check-not="Performance Loss" --implicit-check-not="linalg."
// RUN: FileCheck %s --check-prefix=SM90 < %t.ptx
// REDEFINE: %{schedule} = mma_attention
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefixes=NEEDS,MMA --implicit-check-not="error:" --implicit-check-not="Performance Loss" --implicit-check-not="linalg."
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefixes=NEEDS,MMA --implicit-check-not="error:" --implicit-check-not="Performance Loss" --implicit-check-not="linalg."
// RUN: FileCheck %s --check-prefix=SM80 < %t.ptx

// WGMMA-COUNT-3: scheduled by wgmma_attention ({{.*}}, elementwise op behind it fused)
// MMA-COUNT-3: scheduled by mma_attention ({{.*}}, elementwise op behind it fused)
// NEEDS-COUNT-3: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// SM80-LABEL: .entry d64
// SM80: cp.async.cg.shared.global
// SM80: ldmatrix.sync.aligned.m8n8.x4.shared
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SM80: ex2.approx.ftz.f32
// SM80: cvt.rn.bf16x2.f32
// SM80: ldmatrix.sync.aligned.m8n8.x4.trans.shared
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SM80-NOT: st.global.b16
// SM80: st.global.b32
// SM80-LABEL: .entry d128
// SM80-LABEL: .entry causal

// SM90-LABEL: .entry d64
// SM90: cp.async.cg.shared.global
// SM90: fence.proxy.async
// SM90: wgmma.fence.sync.aligned
// SM90: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// SM90: wgmma.wait_group.sync.aligned 0
// SM90: ex2.approx.ftz.f32
// SM90: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 1, 1, 1, 1;
// The copy engine brings tiles; while a step's exponentials are computed, products with the values of the step before are not waited for.
// SM90-LABEL: .entry d128
// SM90: setmaxnreg.inc.sync.aligned.u32 240
// SM90: wgmma.wait_group.sync.aligned 0
// SM90: mbarrier.try_wait.parity
// SM90-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {{[01p%].*}}, 1, 1, 0, 0;
// SM90: wgmma.commit_group
// SM90-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 1, 1, 1, 1;
// SM90: wgmma.commit_group
// SM90: bar.arrive
// SM90: wgmma.wait_group.sync.aligned 1
// SM90-NOT: wait_group
// SM90-COUNT-64: ex2.approx.ftz.f32
// SM90: wgmma.wait_group.sync.aligned 0
// SM90: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// SM90-LABEL: .entry causal

#q = affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>
#k = affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>
#v = affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>
#a = affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>
#r = affine_map<(b, h, m, n, k, v) -> (b, h, m)>
#id = affine_map<(b, h, m, v) -> (b, h, m, v)>
#row = affine_map<(b, h, m, v) -> (b, h, m)>

func.func @d64(%q: memref<2x8x2048x64xbf16>, %k: memref<2x8x2048x64xbf16>, %v: memref<2x8x2048x64xbf16>, %o: memref<2x8x2048x64xbf16>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.1 : f32
  %acc = memref.alloc() : memref<2x8x2048x64xf32>
  %max = memref.alloc() : memref<2x8x2048xf32>
  %sum = memref.alloc() : memref<2x8x2048xf32>
  linalg.fill ins(%z : f32) outs(%acc : memref<2x8x2048x64xf32>)
  linalg.fill ins(%l : f32) outs(%max : memref<2x8x2048xf32>)
  linalg.fill ins(%z : f32) outs(%sum : memref<2x8x2048xf32>)
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<2x8x2048x64xbf16>, memref<2x8x2048x64xbf16>, memref<2x8x2048x64xbf16>)
      outs(%acc, %max, %sum : memref<2x8x2048x64xf32>, memref<2x8x2048xf32>, memref<2x8x2048xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc, %sum : memref<2x8x2048x64xf32>, memref<2x8x2048xf32>) outs(%o : memref<2x8x2048x64xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  }
  memref.dealloc %acc : memref<2x8x2048x64xf32>
  memref.dealloc %max : memref<2x8x2048xf32>
  memref.dealloc %sum : memref<2x8x2048xf32>
  return
}

func.func @d128(%q: memref<2x8x2048x128xbf16>, %k: memref<2x8x2048x128xbf16>, %v: memref<2x8x2048x128xbf16>, %o: memref<2x8x2048x128xbf16>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.1 : f32
  %acc = memref.alloc() : memref<2x8x2048x128xf32>
  %max = memref.alloc() : memref<2x8x2048xf32>
  %sum = memref.alloc() : memref<2x8x2048xf32>
  linalg.fill ins(%z : f32) outs(%acc : memref<2x8x2048x128xf32>)
  linalg.fill ins(%l : f32) outs(%max : memref<2x8x2048xf32>)
  linalg.fill ins(%z : f32) outs(%sum : memref<2x8x2048xf32>)
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<2x8x2048x128xbf16>, memref<2x8x2048x128xbf16>, memref<2x8x2048x128xbf16>)
      outs(%acc, %max, %sum : memref<2x8x2048x128xf32>, memref<2x8x2048xf32>, memref<2x8x2048xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc, %sum : memref<2x8x2048x128xf32>, memref<2x8x2048xf32>) outs(%o : memref<2x8x2048x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  }
  memref.dealloc %acc : memref<2x8x2048x128xf32>
  memref.dealloc %max : memref<2x8x2048xf32>
  memref.dealloc %sum : memref<2x8x2048xf32>
  return
}

func.func @causal(%q: memref<2x8x2048x128xbf16>, %k: memref<2x8x2048x128xbf16>, %v: memref<2x8x2048x128xbf16>, %o: memref<2x8x2048x128xbf16>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.1 : f32
  %acc = memref.alloc() : memref<2x8x2048x128xf32>
  %max = memref.alloc() : memref<2x8x2048xf32>
  %sum = memref.alloc() : memref<2x8x2048xf32>
  linalg.fill ins(%z : f32) outs(%acc : memref<2x8x2048x128xf32>)
  linalg.fill ins(%l : f32) outs(%max : memref<2x8x2048xf32>)
  linalg.fill ins(%z : f32) outs(%sum : memref<2x8x2048xf32>)
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<2x8x2048x128xbf16>, memref<2x8x2048x128xbf16>, memref<2x8x2048x128xbf16>)
      outs(%acc, %max, %sum : memref<2x8x2048x128xf32>, memref<2x8x2048xf32>, memref<2x8x2048xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        %m = kernel.loop_index 2
        %n = kernel.loop_index 3
        %c = arith.cmpi sge, %m, %n : index
        %1 = arith.select %c, %0, %l : f32
        kernel.yield %1 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc, %sum : memref<2x8x2048x128xf32>, memref<2x8x2048xf32>) outs(%o : memref<2x8x2048x128xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  }
  memref.dealloc %acc : memref<2x8x2048x128xf32>
  memref.dealloc %max : memref<2x8x2048xf32>
  memref.dealloc %sum : memref<2x8x2048xf32>
  return
}
