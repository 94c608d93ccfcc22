// The host cannot touch device memory.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-place-on-gpu))' -verify-diagnostics

func.func @vector(%a: memref<8xf32>, %x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{cannot be placed on a GPU: the host would touch device memory; write it as linalg or memref ops}}
  vector.store %x, %a[%c0] : memref<8xf32>, vector<8xf32>
  return
}
