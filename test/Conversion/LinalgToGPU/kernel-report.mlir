// The report says which schedule and plan each kernel has, and what ptxas gave it.
// REQUIRES: ptxas
// DEFINE: %{options} = arch=sm_90a
// DEFINE: %{compile} = shard-compile %s --gpu --options="%{options}" -o %t.so --report=%t.json
// RUN: %{compile}
// RUN: %python %shardir_src/utils/print-report.py %t.json | FileCheck %s
// CHECK: 2 kernels
// CHECK: kernel {{ *}}op {{ *}}schedule {{ *}}us {{ *}}registers {{ *}}spilled {{ *}}shared {{ *}}at {{ *}}because
// CHECK: product_matmul_ws_2048x2048x2048_bf16 {{ *}}linalg.matmul {{ *}}ws_gemm {{ *}}{{[0-9.]+}} {{ *}}168 {{ *}}0 {{.*}}kernel-report.mlir:[[#@LINE+16]]:8 {{ *}}TMA and wgmma, tile {{.*}} stages

// A plan is numbers by name. Shared memory leaves room for one block.
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.json
// PLAN: "gpu": {
// PLAN: "bf16_flops": 989000000000000,
// PLAN: "multiprocessors": 132
// PLAN: "blocks_per_multiprocessor": 1,
// PLAN: "plan": {
// PLAN: "splits": 1,
// PLAN: "stages": {{[0-9]+}},
// PLAN: "tile_k": 64,
func.func @product(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>, %x: tensor<64x512xf32>) -> (tensor<2048x2048xbf16>, tensor<64xf32>) {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2048x2048xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) outs(%f : tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %y = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %f1 = linalg.fill ins(%y : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.reduce ins(%x : tensor<64x512xf32>) outs(%f1 : tensor<64xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %s = arith.addf %in, %init : f32
        linalg.yield %s : f32
      }
  return %0, %1 : tensor<2048x2048xbf16>, tensor<64xf32>
}

// The choice that an option forces, PTX without registers.
// REDEFINE: %{options} = arch=sm_80 schedule=plain ptxas=none
// RUN: %{compile}
// RUN: FileCheck %s --check-prefix=FORCED --input-file=%t.json --implicit-check-not=registers
// FORCED: "kernels": [
// FORCED: "op": "linalg.matmul",
// FORCED: "reason": "one thread per output element",
// FORCED: "schedule": "plain",

// RUN: not shard-compile %s --gpu -o %t.so --report=%t.missing/r.json 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: shard-compile: error: cannot write '{{.*}}.missing/r.json': No such file or directory

// RUN: shard-compile --print-schedules | FileCheck %s --check-prefix=NAMES
// NAMES: ws_gemm
// NAMES: plain
