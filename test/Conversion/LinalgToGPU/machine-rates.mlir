// Kernels are predicted for the machine that the module describes: a copy takes as large a share of its bandwidth as of
// the architecture's own.
// DEFINE: %{pipeline} = -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a explain}))'
// RUN: split-file %s %t
// RUN: shard-opt %t/plain.mlir -o /dev/null %{pipeline} 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: shard-opt %t/described.mlir -o /dev/null %{pipeline} 2>&1 | FileCheck %s --check-prefix=DESCRIBED

// 268 MB at 3.0 TB/s, and a launch of 3 us.
// PLAIN: linalg.copy is scheduled by elementwise ({{.*}}), 92.5 us predicted
// Twice the bandwidth of the data sheet.
// DESCRIBED: linalg.copy is scheduled by elementwise ({{.*}}), 47.7 us predicted

//--- plain.mlir
func.func @copy(%a: memref<8192x4096xf32>, %b: memref<8192x4096xf32>) {
  linalg.copy ins(%a : memref<8192x4096xf32>) outs(%b : memref<8192x4096xf32>)
  return
}

//--- described.mlir
module attributes {shardir.machine = {memory_bandwidth = 6.7e+12 : f64, flops = {bf16 = 9.89e+14 : f64, f32 = 6.7e+13 : f64}}} {
  func.func @copy(%a: memref<8192x4096xf32>, %b: memref<8192x4096xf32>) {
    linalg.copy ins(%a : memref<8192x4096xf32>) outs(%b : memref<8192x4096xf32>)
    return
  }
}
