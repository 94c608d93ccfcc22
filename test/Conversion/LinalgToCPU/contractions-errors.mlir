// RUN: not shard-opt %s -shardir-contractions-to-cpu-loops=target=pentium 2>&1 | FileCheck %s
// CHECK: error: unknown CPU 'pentium': expected host, x86-64, avx2, avx512, avx512-bf16 or avx512-amx
func.func @f() {
  return
}
