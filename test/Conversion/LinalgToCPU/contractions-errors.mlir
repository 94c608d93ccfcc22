// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=target=pentium 2>&1 | FileCheck %s
// CHECK: error: unknown CPU 'pentium': expected host, x86-64, avx2, avx2-vnni, avx512, avx512-vnni, avx512-bf16, avx512-amx, avx512-amx-fp16, neon, neon-dot or sve-256
func.func @f() {
  return
}
