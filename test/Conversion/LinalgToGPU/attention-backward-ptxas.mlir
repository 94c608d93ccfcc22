// The backward kernels are assembled without spills or stack; scores and their gradients stay in registers on matrix units.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{plan} =
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=%{arch} plan=%{plan} explain}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain dump-ptx=%t.ptx})'
// DEFINE: %{check} = FileCheck %s --implicit-check-not="error:" --implicit-check-not="Performance Loss" --implicit-check-not="linalg." --implicit-check-not="is decomposed"
// REDEFINE: %{plan} = kernels=2
// RUN: %{assemble} 2>&1 | %{check} --check-prefix=WGMMA
// RUN: FileCheck %s --check-prefix=WGMMA-PTX < %t.ptx
// One kernel: tiles of FlashAttention-3, of which TMA brings those of queries.
// REDEFINE: %{plan} = kernels=1
// RUN: %{assemble} 2>&1 | %{check} --check-prefix=ALL
// RUN: FileCheck %s --check-prefix=ALL-PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=LOGARITHMS < %t.ptx
// Without a mask nothing is spilled.
// RUN: shard-opt %shardir_src/benchmarks/gpu/attention-backward.mlir --shardir-to-gpu="arch=sm_90a explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BENCHMARKS
// BENCHMARKS-DAG: 'backward64_attention_backward_ws_all_4x16x4096x64_bf16' needs 168 registers, 0 bytes of stack, spills 0 bytes
// BENCHMARKS-DAG: 'backward128_attention_backward_ws_all_4x16x4096x128_bf16' needs 168 registers, 0 bytes of stack, spills 0 bytes
// Where threads copy, a few registers are spilled beside a mask, and heads of 64 have two kernels then.
// REDEFINE: %{plan} = kernels=1,warps=8
// RUN: %{assemble} 2>&1 | %{check} --check-prefix=THREADS
// RUN: FileCheck %s --check-prefix=THREADS-PTX < %t.ptx
// REDEFINE: %{plan} =
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | %{check}
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// REDEFINE: %{arch} = sm_100a
// RUN: %{assemble} 2>&1 | %{check}

// CHECK: kernel.attention_backward is scheduled by mma_attention_backward (2 kernels of
// CHECK: kernel.attention_backward is scheduled by mma_attention_backward (
// CHECK: kernel.attention_backward is scheduled by mma_attention_backward (
// CHECK: kernel.attention_backward is scheduled by fma_attention_backward (
// CHECK: kernel.attention_backward is scheduled by fma_attention_backward (
// CHECK-COUNT-11: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// PTX: .entry d64_attention_backward_mma_queries
// PTX: lg2.approx.ftz.f32
// PTX: cp.async.cg.shared.global
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX: fma.rn.f32
// PTX: ex2.approx.ftz.f32
// PTX: ldmatrix.sync.aligned.m8n8.x4.trans.shared
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX: .entry d64_attention_backward_mma_keys_values

// WGMMA-COUNT-3: kernel.attention_backward is scheduled by wgmma_attention_backward (2 kernels of 128 rows by 64)
// WGMMA: kernel.attention_backward is scheduled by fma_attention_backward (
// WGMMA: kernel.attention_backward is scheduled by fma_attention_backward (
// WGMMA-COUNT-11: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// Probabilities are computed while their gradients are multiplied, gradients of scores while values' gradients are.
// WGMMA-PTX: .entry d64_attention_backward_wgmma_keys_values
// WGMMA-PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// WGMMA-PTX: wgmma.commit_group
// WGMMA-PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// WGMMA-PTX: wgmma.commit_group
// WGMMA-PTX-NEXT: wgmma.wait_group.sync.aligned 1;
// WGMMA-PTX: ex2.approx.ftz.f32
// WGMMA-PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// WGMMA-PTX: wgmma.commit_group
// WGMMA-PTX-NEXT: wgmma.wait_group.sync.aligned 1;

// ALL: kernel.attention_backward is scheduled by wgmma_attention_backward (1 kernel of 128 rows by 128, queries and gradients by TMA)
// ALL: kernel.attention_backward is scheduled by wgmma_attention_backward (1 kernel of 128 rows by 64, queries and gradients by TMA)
// ALL-DAG: kernel 'd128_attention_backward_ws_all_4x1024x128_bf16' needs 168 registers, {{[0-9]+}} bytes of stack, spills {{[0-9]?[0-9]}} bytes,
// ALL-DAG: kernel 'd64_attention_backward_ws_all_4x2048x64_bf16' needs 168 registers, {{[0-9]+}} bytes of stack, spills {{[0-9]?[0-9]}} bytes,

// A thread adds nothing to memory: TMA does, in the block's turn.
// ALL-PTX: .entry d128_attention_backward_ws_all
// ALL-PTX-NOT: red.relaxed
// ALL-PTX-DAG: cp.reduce.async.bulk.tensor
// ALL-PTX-DAG: red.release.gpu.global.add.u32
// ALL-PTX-DAG: ld.acquire.gpu.global.u32
// ALL-PTX-DAG: stmatrix.sync.aligned.m8n8.x4.shared.b16
// One logarithm for each column of a step, by the lanes of the warp that copies: four of 128 columns, two of 64.
// LOGARITHMS-COUNT-6: lg2.approx.ftz.f32
// LOGARITHMS-NOT: lg2.approx
// LOGARITHMS: .entry ragged_attention_backward_wgmma_queries

// THREADS: kernel.attention_backward is scheduled by wgmma_attention_backward (2 kernels of 128 rows by 64)
// THREADS: kernel.attention_backward is scheduled by wgmma_attention_backward (1 kernel of 128 rows by 64)
// THREADS: kernel 'd128_attention_backward_wgmma_all_4x1024x128_bf16' needs 255 registers, {{[0-9]+}} bytes of stack, spills {{[0-9]?[0-9]}} bytes,

// THREADS-PTX: .entry d128_attention_backward_wgmma_all
// THREADS-PTX-DAG: red.release.gpu.global.add.u32
// THREADS-PTX-DAG: ld.acquire.gpu.global.u32
// THREADS-PTX-DAG: red.relaxed.gpu.global.add.v2.f32

func.func @d64(%q: memref<4x2048x64xbf16>, %k: memref<4x2048x64xbf16>, %v: memref<4x2048x64xbf16>, %g: memref<4x2048x64xbf16>, %max: memref<4x2048xf32>, %sum: memref<4x2048xf32>, %delta: memref<4x2048xf32>, %dq: memref<4x2048x64xf32>, %dk: memref<4x2048x64xf32>, %dv: memref<4x2048x64xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x2048x64xbf16>, memref<4x2048x64xbf16>, memref<4x2048x64xbf16>, memref<4x2048x64xbf16>, memref<4x2048xf32>, memref<4x2048xf32>, memref<4x2048xf32>)
      outs(%dq, %dk, %dv : memref<4x2048x64xf32>, memref<4x2048x64xf32>, memref<4x2048x64xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %x = arith.select %c, %x0, %low : f32
        %y = arith.subf %x, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        %pt = arith.truncf %p : f32 to bf16
        %dt = arith.truncf %ds : f32 to bf16
        kernel.yield %pt, %dt : bf16, bf16
      }
  return
}

func.func @d128(%q: memref<4x1024x128xbf16>, %k: memref<4x1024x128xbf16>, %v: memref<4x1024x128xbf16>, %g: memref<4x1024x128xbf16>, %max: memref<4x1024xf32>, %sum: memref<4x1024xf32>, %delta: memref<4x1024xf32>, %dq: memref<4x1024x128xf32>, %dk: memref<4x1024x128xf32>, %dv: memref<4x1024x128xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x1024x128xbf16>, memref<4x1024x128xbf16>, memref<4x1024x128xbf16>, memref<4x1024x128xbf16>, memref<4x1024xf32>, memref<4x1024xf32>, memref<4x1024xf32>)
      outs(%dq, %dk, %dv : memref<4x1024x128xf32>, memref<4x1024x128xf32>, memref<4x1024x128xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %x = arith.select %c, %x0, %low : f32
        %y = arith.subf %x, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        %pt = arith.truncf %p : f32 to bf16
        %dt = arith.truncf %ds : f32 to bf16
        kernel.yield %pt, %dt : bf16, bf16
      }
  return
}

func.func @ragged(%q: memref<4x1000x72xf16>, %k: memref<4x1500x72xf16>, %v: memref<4x1500x40xf16>, %g: memref<4x1000x40xf16>, %max: memref<4x1000xf32>, %sum: memref<4x1000xf32>, %delta: memref<4x1000xf32>, %dq: memref<4x1000x72xf32>, %dk: memref<4x1500x72xf32>, %dv: memref<4x1500x40xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x1000x72xf16>, memref<4x1500x72xf16>, memref<4x1500x40xf16>, memref<4x1000x40xf16>, memref<4x1000xf32>, memref<4x1000xf32>, memref<4x1000xf32>)
      outs(%dq, %dk, %dv : memref<4x1000x72xf32>, memref<4x1500x72xf32>, memref<4x1500x40xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %y = arith.subf %x0, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        %pt = arith.truncf %p : f32 to f16
        %dt = arith.truncf %ds : f32 to f16
        kernel.yield %pt, %dt : f16, f16
      }
  return
}

func.func @wide(%q: memref<4x512x64xf32>, %k: memref<4x700x64xf32>, %v: memref<4x700x64xf32>, %g: memref<4x512x64xf32>, %max: memref<4x512xf32>, %sum: memref<4x512xf32>, %delta: memref<4x512xf32>, %dq: memref<4x512x64xf32>, %dk: memref<4x700x64xf32>, %dv: memref<4x700x64xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x512x64xf32>, memref<4x700x64xf32>, memref<4x700x64xf32>, memref<4x512x64xf32>, memref<4x512xf32>, memref<4x512xf32>, memref<4x512xf32>)
      outs(%dq, %dk, %dv : memref<4x512x64xf32>, memref<4x700x64xf32>, memref<4x700x64xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %x = arith.select %c, %x0, %low : f32
        %y = arith.subf %x, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        kernel.yield %p, %ds : f32, f32
      }
  return
}

func.func @widest(%q: memref<4x500x128xf32>, %k: memref<4x512x128xf32>, %v: memref<4x512x128xf32>, %g: memref<4x500x128xf32>, %max: memref<4x500xf32>, %sum: memref<4x500xf32>, %delta: memref<4x500xf32>, %dq: memref<4x500x128xf32>, %dk: memref<4x512x128xf32>, %dv: memref<4x512x128xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x500x128xf32>, memref<4x512x128xf32>, memref<4x512x128xf32>, memref<4x500x128xf32>, memref<4x500xf32>, memref<4x500xf32>, memref<4x500xf32>)
      outs(%dq, %dk, %dv : memref<4x500x128xf32>, memref<4x512x128xf32>, memref<4x512x128xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %y = arith.subf %x0, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        kernel.yield %p, %ds : f32, f32
      }
  return
}
