// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=plan=warps=8 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: a name in option plan must be tile_m, tile_n, tile_k or rows, found 'warps'
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=plan=rows=few 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: option plan needs a number for rows, as in rows=64, found 'few'
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=target=pentium 2>&1 | FileCheck %s
// CHECK: error: target must be host, x86-64, avx2, avx2-vnni, avx512, avx512-vnni, avx512-bf16, avx512-amx, avx512-amx-fp16, neon, neon-dot or sve-256, found 'pentium'
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops="target=avx512 plan=tile_m=100" 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: option plan: no register tile for the product 512x64x96 of bf16 has tile_m=100, allowed are tile_n a multiple of 16, and tile_m x tile_n at most 26x16, 13x32, 8x48, 6x64, 5x80, 4x96, 3x112, 2x128
// TILE-NOT: error
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops="target=avx2 plan=tile_m=6,tile_n=20" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: option plan: no register tile for the product 512x64x96 of bf16 has tile_m=6 tile_n=20, allowed are tile_n a multiple of 8,
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops="target=avx512-amx plan=tile_m=8" 2>&1 | FileCheck %s --check-prefix=AMX
// AMX: error: option plan: no register tile for the product 512x64x96 of bf16 has tile_m=8, allowed are tile_m=32 and tile_n=32, those of AMX
func.func @f(%a: memref<512x96xbf16>, %b: memref<96x64xbf16>, %c: memref<512x64xf32>) {
  linalg.matmul ins(%a, %b : memref<512x96xbf16>, memref<96x64xbf16>) outs(%c : memref<512x64xf32>)
  return
}
