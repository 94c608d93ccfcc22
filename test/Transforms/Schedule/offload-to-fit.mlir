// Of a value that is held over the peak, the better bargain is taken: with a fast
// link to the host it is there meanwhile, with a slow one, or none, it is computed a
// second time. Copies beside which too little work goes on cost their time.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=14500 machine=%t/fast.json" 2>/dev/null | FileCheck %s
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=14500 machine=%t/fast.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: shard-opt %t/main.mlir --shardir-to-collective="machine=%t/fast.json" -shardir-recompute-to-fit="memory-limit=14500 overlap=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=14500 machine=%t/slow.json" 2>/dev/null | FileCheck %s --check-prefix=AGAIN
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=14500 machine=%t/none.json" 2>/dev/null | FileCheck %s --check-prefix=AGAIN
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=32K machine=%t/fast.json" | FileCheck %s --check-prefix=FITS
// RUN: shard-opt %t/main.mlir --shardir-to-collective="memory-limit=14500 machine=%t/fast.json" --shardir-report=file=%t/r.json -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t/r.json
// RUN: %python %shardir_src/utils/print-report.py %t/r.json | FileCheck %s --check-prefix=PRINTED

// CHECK: module attributes {{.*}}shardir.offloaded =
// CHECK-LABEL: func.func @main(
// CHECK:         %[[T:.+]] = math.tanh
// CHECK:         linalg.matmul
// CHECK-NEXT:    %[[H:.+]] = collective.host_copy %[[T]] to host {{.*}}shardir.placements = [#shardir.placement<@m, [{"dp"}, {}]>]} : tensor<64x8xf32> -> tensor<64x8xf32>
// CHECK-NEXT:    %[[C:.+]] = linalg.matmul
// CHECK-NEXT:    %[[D:.+]] = collective.host_copy %[[H]] to device
// CHECK-NEXT:    arith.mulf %[[C]], %[[D]]
// CHECK-NOT:     shardir.optimization_barrier
// SAYS: remark: @main keeps 1 value on the host: a device needs 14368 bytes at its peak, and 15392 without that, for 1024 bytes copied to the host and back, 0.011 ms of it beside no work; memory-limit is 14500
// SAYS: note: the result of 'math.tanh', 'tensor<64x8xf32>': 1024 bytes saved for 1024 bytes copied to the host and back, 0.011 ms of it beside no work
// LINE: 1024 bytes copied to the host and back, 0.022 ms of it beside no work
// AGAIN-NOT: collective.host_copy
// AGAIN:     shardir.optimization_barrier
// FITS-NOT: collective.host_copy
// REPORT: "offloaded": {
// REPORT:   "copied_bytes": 1024,
// REPORT:   "exposed_seconds":
// REPORT:   "peak_bytes_per_device_without": 15392,
// REPORT:   "values": [
// REPORT:     "copied_bytes": 1024,
// REPORT:     "function": "main",
// REPORT:     "op": "math.tanh",
// REPORT:     "saved_bytes": 1024
// PRINTED: 1 value is on the host meanwhile to fit memory-limit, by 1024 bytes copied there and back

//--- main.mlir
shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %u: tensor<8x64xf32>, %v: tensor<64x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %zero64 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero8 = arith.constant dense<0.0> : tensor<64x8xf32>
  %h = math.tanh %x : tensor<64x8xf32>
  %a = linalg.matmul ins(%h, %u : tensor<64x8xf32>, tensor<8x64xf32>) outs(%zero64 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %v : tensor<64x64xf32>, tensor<64x8xf32>) outs(%zero8 : tensor<64x8xf32>) -> tensor<64x8xf32>
  %d = arith.mulf %c, %h : tensor<64x8xf32>
  %s = linalg.reduce { arith.addf } ins(%d : tensor<64x8xf32>) outs(%zero : tensor<8xf32>) dimensions = [0]
  return %s : tensor<8xf32>
}

// Slow products, and a copy of 1024 bytes in 11 us.
//--- fast.json
{"flops": {"f32": 1e6}, "memory_bandwidth": 1e9, "host": {"bandwidth": 1.024e9, "latency": 1e-5}}
//--- slow.json
{"flops": {"f32": 1e6}, "memory_bandwidth": 1e9, "host": {"bandwidth": 1e3}}
//--- none.json
{"flops": {"f32": 1e6}, "memory_bandwidth": 1e9}
