// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=plan=warps=8 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: a name in option plan must be tile_m, tile_n, tile_k or rows, found 'warps'
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=plan=rows=few 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: option plan needs a number for rows, as in rows=64, found 'few'
// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=target=pentium 2>&1 | FileCheck %s
// CHECK: error: target must be host, x86-64, avx2, avx2-vnni, avx512, avx512-vnni, avx512-bf16, avx512-amx, avx512-amx-fp16, neon, neon-dot or sve-256, found 'pentium'
func.func @f() {
  return
}
