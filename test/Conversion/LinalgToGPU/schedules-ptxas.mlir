// The code of each schedule is assembled without spills or stack, to the instructions that make it fast.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{assemble} = shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=%{arch}}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain dump-ptx=%t.ptx})'
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s --check-prefixes=PTX,SM90 < %t.ptx
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s --check-prefixes=PTX,SM80 < %t.ptx
// Products on sm_100a's own matrix units; all else runs the instructions of sm_80.
// REDEFINE: %{arch} = sm_100a
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s --check-prefix=SM100 < %t.ptx
// SM100-LABEL: .entry product
// SM100: tcgen05.alloc.cta_group::[[GROUP:[12]]].sync.aligned.shared::cta.b32
// SM100: cp.async.bulk.tensor.2d
// SM100-COUNT-4: tcgen05.mma.cta_group::[[GROUP]].kind::f16
// SM100: tcgen05.commit.cta_group::[[GROUP]].mbarrier::arrive::one.shared::cluster
// SM100: tcgen05.ld.sync.aligned.32x32b.x32.b32
// SM100: tcgen05.wait::ld.sync.aligned
// SM100: tcgen05.dealloc.cta_group::[[GROUP]].sync.aligned.b32
// SM100-LABEL: .entry full

// NEEDS-COUNT-11: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#r = affine_map<(i, j) -> (i)>

// PTX-LABEL: .entry bias
// PTX: ld.global{{.*}}v4
// PTX: ld.global{{.*}}v4
// PTX: st.global.v4
func.func @bias(%a: memref<512x4096xbf16>, %b: memref<4096xbf16>, %o: memref<512x4096xbf16>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<512x4096xbf16>, memref<4096xbf16>) outs(%o : memref<512x4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %0 = arith.addf %x, %y : bf16
    linalg.yield %0 : bf16
  }
  return
}

// PTX-LABEL: .entry turned
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared
func.func @turned(%a: memref<100x200xf32>, %o: memref<200x100xf32>) {
  linalg.transpose ins(%a : memref<100x200xf32>) outs(%o : memref<200x100xf32>) permutation = [1, 0]
  return
}

// PTX-LABEL: .entry largest
// PTX: ld.global{{.*}}v4
// PTX: shfl.sync.bfly
// PTX: bar.sync
func.func @largest(%x: memref<512x1000xf32>, %m: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : memref<512x1000xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// Over the rows: blocks share them, a second kernel adds the parts.
// PTX-LABEL: .entry over_rows
// PTX: ld.global{{.*}}v4
// PTX-LABEL: .entry over_rows
func.func @over_rows(%x: memref<4096x1024xf32>, %s: memref<1024xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%x : memref<4096x1024xf32>) outs(%s : memref<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// PTX-LABEL: .entry product
// SM80: cp.async.cg.shared.global
// SM80: ldmatrix.sync.aligned.m8n8.x4.shared
// SM80: ldmatrix.sync.aligned.m8n8.x4.trans.shared
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SM90: cp.async.bulk.tensor.2d
// SM90-COUNT-4: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16
func.func @product(%a: memref<2048x2048xbf16>, %b: memref<2048x2048xbf16>, %c: memref<2048x2048xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<2048x2048xf32>)
  linalg.matmul ins(%a, %b : memref<2048x2048xbf16>, memref<2048x2048xbf16>) outs(%c : memref<2048x2048xf32>)
  return
}

// f32 stays f32.
// PTX-LABEL: .entry full
// PTX: cp.async.ca.shared.global
// PTX: fma.rn.f32
// PTX-NOT: mma.sync
func.func @full(%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}

// Ragged and of unknown extents, with what is behind it.
// PTX-LABEL: .entry ragged
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// SM90: {{wgmma|mma.sync}}
func.func @ragged(%a: memref<?x104xf16>, %b: memref<1000x104xf16>, %bias: memref<1000xf16>, %o: memref<?x1000xf16>, %n: index) {
  %z = arith.constant 0.0 : f32
  %c = memref.alloc(%n) : memref<?x1000xf32>
  linalg.fill ins(%z : f32) outs(%c : memref<?x1000xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x104xf16>, memref<1000x104xf16>) outs(%c : memref<?x1000xf32>) {
  ^bb0(%x: f16, %y: f16, %q: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %q, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %bias : memref<?x1000xf32>, memref<1000xf16>) outs(%o : memref<?x1000xf16>) {
  ^bb0(%x: f32, %y: f16, %q: f16):
    %0 = arith.truncf %x : f32 to f16
    %1 = arith.addf %0, %y : f16
    linalg.yield %1 : f16
  }
  memref.dealloc %c : memref<?x1000xf32>
  return
}

// Both operands the other way round, and eight-byte elements.
// PTX-LABEL: .entry turned_factors
func.func @turned_factors(%a: memref<40x72xf64>, %b: memref<56x40xf64>, %c: memref<72x56xf64>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<40x72xf64>, memref<56x40xf64>) outs(%c : memref<72x56xf64>) {
  ^bb0(%x: f64, %y: f64, %q: f64):
    %2 = arith.mulf %x, %y : f64
    %3 = arith.addf %q, %2 : f64
    linalg.yield %3 : f64
  }
  return
}

// Few tiles: blocks share the steps, a second kernel adds their sums in order.
// PTX-LABEL: .entry shared_k
// PTX: st.global.v2.b32
// PTX-LABEL: .entry shared_k_matmul_combine
// PTX-NOT: atom
// PTX-NOT: red.
// PTX: ld.global.v2.b32
// PTX: ret;
func.func @shared_k(%a: memref<64x8192xbf16>, %b: memref<8192x128xbf16>, %c: memref<64x128xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<64x128xf32>)
  linalg.matmul ins(%a, %b : memref<64x8192xbf16>, memref<8192x128xbf16>) outs(%c : memref<64x128xf32>)
  return
}
