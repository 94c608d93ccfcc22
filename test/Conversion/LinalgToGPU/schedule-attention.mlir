// How attention finds its schedule, what is taken along, and which steps a block makes.
// RUN: shard-opt %s -shardir-schedule-for-gpu="arch=sm_90a explain" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=error
// RUN: shard-opt %t.mlir -canonicalize -cse | FileCheck %s
// RUN: shard-opt %s -shardir-schedule-for-gpu="arch=sm_90a explain plan=tile_n=64,splits=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: kernel.attention is scheduled by wgmma_attention ({{[0-9]+}} rows by 64 keys, {{.*}}keys shared by 4 blocks
// Two plans of mma_attention have 128 rows by 64 keys: of four warps and of eight.
// RUN: shard-opt %s -shardir-schedule-for-gpu="arch=sm_80 explain plan=warps=1,tile_n=32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: kernel.attention is scheduled by mma_attention (16 rows by 32 keys
// RUN: shard-opt %s -shardir-schedule-for-gpu="arch=sm_80 explain plan=warps=8,tile_n=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EIGHT
// EIGHT: kernel.attention is scheduled by mma_attention (128 rows by 64 keys
// Steps that a mask empties take no time: of 32 x 32 tiles a causal one leaves 528, with 3 us for the launch.
// RUN: shard-opt %shardir_src/benchmarks/gpu/attention.mlir --shardir-to-gpu="arch=sm_90a explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: wgmma_attention (128 rows by 128 keys, {{.*}}), 576.2 us predicted
// TIMES: wgmma_attention (128 rows by 128 keys, {{.*}}), 298.6 us predicted

#q = affine_map<(m, n, k, v) -> (m, k)>
#k = affine_map<(m, n, k, v) -> (n, k)>
#v = affine_map<(m, n, k, v) -> (n, v)>
#a = affine_map<(m, n, k, v) -> (m, v)>
#r = affine_map<(m, n, k, v) -> (m)>
#id = affine_map<(m, v) -> (m, v)>
#row = affine_map<(m, v) -> (m)>

// All is one kernel, that makes all 32 steps.
// REMARK: kernel.attention is scheduled by wgmma_attention (128 rows by 128 keys, 2 stages, elementwise op behind it fused){{.*}}; next best is mma_attention
// CHECK-LABEL: func.func @full
// CHECK-NOT: linalg.
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} = %c0{{[_0-9]*}} to %c32{{[_0-9]*}} step
// CHECK-NOT: linalg.
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @full(%q: memref<32768x64xbf16>, %k: memref<4096x64xbf16>, %v: memref<4096x64xbf16>, %o: memref<32768x64xbf16>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %acc = memref.alloc() : memref<32768x64xf32>
  %max = memref.alloc() : memref<32768xf32>
  %sum = memref.alloc() : memref<32768xf32>
  linalg.fill ins(%z : f32) outs(%acc : memref<32768x64xf32>)
  linalg.fill ins(%l : f32) outs(%max : memref<32768xf32>)
  linalg.fill ins(%z : f32) outs(%sum : memref<32768xf32>)
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<32768x64xbf16>, memref<4096x64xbf16>, memref<4096x64xbf16>)
      outs(%acc, %max, %sum : memref<32768x64xf32>, memref<32768xf32>, memref<32768xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %sum : memref<32768x64xf32>, memref<32768xf32>) outs(%o : memref<32768x64xbf16>) {
  ^bb0(%x: f32, %s: f32, %old: bf16):
    %0 = arith.divf %x, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  }
  memref.dealloc %acc : memref<32768x64xf32>
  memref.dealloc %max : memref<32768xf32>
  memref.dealloc %sum : memref<32768xf32>
  return
}

// Steps end with the block's last row; those that are left compare only where something is masked.
// REMARK: kernel.attention is scheduled by wgmma_attention
// CHECK-LABEL: func.func @causal
// CHECK: gpu.launch blocks(%[[TILE:[a-z0-9_]+]],
// CHECK: %[[LATER:.*]] = arith.subi %c31{{[_0-9]*}}, %[[TILE]]
// CHECK: %[[ROW:.*]] = arith.muli %[[LATER]], %c128
// CHECK: %[[END:.*]] = arith.addi %[[ROW]], %c128
// CHECK: arith.maxsi %[[END]]
// CHECK: %[[STEPS:.*]] = arith.divui %{{.*}}, %c128
// CHECK: scf.for {{.*}} = %c0{{[_0-9]*}} to %[[STEPS]] step
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: scf.if {{.*}} -> (f32,
// CHECK-NOT: arith.cmpi
// CHECK: } else {
// CHECK: arith.cmpi sge
func.func @causal(%q: memref<4096x64xbf16>, %k: memref<4096x64xbf16>, %v: memref<4096x64xbf16>, %acc: memref<4096x64xf32>, %max: memref<4096xf32>, %sum: memref<4096xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<4096x64xbf16>, memref<4096x64xbf16>, memref<4096x64xbf16>)
      outs(%acc, %max, %sum : memref<4096x64xf32>, memref<4096xf32>, memref<4096xf32>)
      score {
      ^bb0(%s: f32):
        %m = kernel.loop_index 0
        %n = kernel.loop_index 1
        %c = arith.cmpi sge, %m, %n : index
        %0 = arith.select %c, %s, %l : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  return
}

// REMARK: kernel.attention is scheduled by fma_attention
// CHECK-LABEL: func.func @f32
// CHECK-NOT: nvvm.
// CHECK: math.fma
func.func @f32(%q: memref<?x24xf32>, %k: memref<?x24xf32>, %v: memref<?x24xf32>, %acc: memref<?x24xf32>, %max: memref<?xf32>, %sum: memref<?xf32>) {
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<?x24xf32>, memref<?x24xf32>, memref<?x24xf32>)
      outs(%acc, %max, %sum : memref<?x24xf32>, memref<?xf32>, memref<?xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      }
  return
}

// REMARK: kernel.attention is decomposed: no schedule takes it as it is
// REMARK: linalg.generic is scheduled by
// CHECK-LABEL: func.func @any_heads
// CHECK-NOT: kernel.attention
// CHECK: gpu.launch
func.func @any_heads(%q: memref<8x?xf32>, %k: memref<9x?xf32>, %v: memref<9x24xf32>, %acc: memref<8x24xf32>, %max: memref<8xf32>, %sum: memref<8xf32>) {
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<8x?xf32>, memref<9x?xf32>, memref<9x24xf32>)
      outs(%acc, %max, %sum : memref<8x24xf32>, memref<8xf32>, memref<8xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      }
  return
}

// Blocks share the keys, and a second kernel merges what they found.
// REMARK: kernel.attention is scheduled by {{w?g?}}mma_attention ({{.*}}, keys shared by {{[0-9]+}} blocks)
// CHECK-LABEL: func.func @decode
// CHECK: memref.alloc()
// CHECK: gpu.launch
// CHECK: nvvm.{{mma.sync|wgmma.mma_async}}
// CHECK: gpu.launch
// CHECK: arith.maximumf
// CHECK: memref.dealloc
func.func @decode(%q: memref<8x64xbf16>, %k: memref<8192x64xbf16>, %v: memref<8192x64xbf16>, %acc: memref<8x64xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<8xf32>
  %sum = memref.alloc() : memref<8xf32>
  linalg.fill ins(%z : f32) outs(%acc : memref<8x64xf32>)
  linalg.fill ins(%l : f32) outs(%max : memref<8xf32>)
  linalg.fill ins(%z : f32) outs(%sum : memref<8xf32>)
  kernel.attention {indexing_maps = [#q, #k, #v, #a, #r, #r]}
      ins(%q, %k, %v : memref<8x64xbf16>, memref<8192x64xbf16>, memref<8192x64xbf16>)
      outs(%acc, %max, %sum : memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
      score {
      ^bb0(%s: f32):
        kernel.yield %s : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      }
  memref.dealloc %max : memref<8xf32>
  memref.dealloc %sum : memref<8xf32>
  return
}
