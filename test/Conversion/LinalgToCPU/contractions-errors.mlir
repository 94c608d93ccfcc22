// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=target=pentium 2>&1 | FileCheck %s
// CHECK: error: unknown CPU 'pentium': expected host, x86-64, avx2, avx512, avx512-bf16, avx512-amx or neon
func.func @f() {
  return
}
