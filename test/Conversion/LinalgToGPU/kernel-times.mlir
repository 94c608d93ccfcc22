// Measured times decide between plans and schedules in place of the model's. The times here are made up.
// RUN: split-file %s %t
// DEFINE: %{times} = times.json
// DEFINE: %{schedule} = shard-opt %t/program.mlir -o /dev/null -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_90a explain kernel-times=%t/%{times}}))' 2>&1
// RUN: %{schedule} | FileCheck %s

// The problem that was measured: a plan that the model would not choose.
// CHECK: program.mlir:2:{{.*}} linalg.matmul is scheduled by wgmma_matmul ({{.*}}tile 128x256x64{{.*}}), 5.0 us predicted
// Another problem: this plan took its prediction elsewhere, those of ws_gemm 10 times theirs.
// CHECK: program.mlir:7:{{.*}} linalg.matmul is scheduled by wgmma_matmul ({{.*}}tile 128x256x64{{.*}}
// Nothing was measured by the schedules of rows: their plan stays the model's.
// CHECK: program.mlir:12:{{.*}} linalg.reduce is scheduled by column_reduction

// REDEFINE: %{times} = other.json
// RUN: not %{schedule} | FileCheck %s --check-prefix=OTHER
// OTHER: error: option kernel-times: {{.*}}other.json: has times of sm_80, but the program is compiled for sm_90a
// REDEFINE: %{times} = wrong.json
// RUN: not %{schedule} | FileCheck %s --check-prefix=WRONG
// WRONG: error: option kernel-times: {{.*}}wrong.json: kernel 0 must have a problem, a schedule, a plan, and positive predicted_ns and measured_ns
// REDEFINE: %{times} = missing.json
// RUN: not %{schedule} | FileCheck %s --check-prefix=MISSING
// MISSING: error: option kernel-times: {{.*}}missing.json:
// REDEFINE: %{times} = program.mlir
// RUN: not %{schedule} | FileCheck %s --check-prefix=TEXT
// TEXT: error: option kernel-times: {{.*}}program.mlir:

// A problem is the same whichever plan is forced, and another one with a mask.
// DEFINE: %{function} = full64
// DEFINE: %{forced} =
// DEFINE: %{report} = shard-compile %S/../../../benchmarks/gpu/attention.mlir --gpu --function=%{function} --options="arch=sm_80 ptxas=none %{forced}" -o %t/program.so --report=-
// RUN: %{report} > %t/reports.txt
// REDEFINE: %{forced} = schedule=mma_attention plan=tile_n=64
// RUN: %{report} >> %t/reports.txt
// REDEFINE: %{function} = causal64
// RUN: %{report} >> %t/reports.txt
// RUN: FileCheck %s --check-prefix=PROBLEM < %t/reports.txt
// PROBLEM: "problem": "[[FULL:kernel.attention[^"]*]]"
// PROBLEM: "problem": "[[FULL]]"
// PROBLEM-NOT: "[[FULL]]"
// PROBLEM: "problem": "kernel.attention

//--- program.mlir
func.func @measured(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xbf16>, memref<1024x1024xbf16>) outs(%c : memref<1024x1024xf32>)
  return
}

func.func @similar(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %c: memref<4096x4096xf32>) {
  linalg.matmul ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%c : memref<4096x4096xf32>)
  return
}

func.func @sums(%a: memref<512x4096xf32>, %c: memref<4096xf32>) {
  linalg.reduce ins(%a : memref<512x4096xf32>) outs(%c : memref<4096xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    }
  return
}

//--- times.json
{"arch": "sm_90a", "source": "made up", "kernels": [
{"problem": "linalg.matmul(1024x1024xbf16[d0, d2], 1024x1024xbf16[d2, d1], 1024x1024xf32[d0, d1])", "schedule": "wgmma_matmul",
 "plan": {"copies": 0, "fused_operand": 0, "splits": 1, "stages": 4, "tile_k": 64, "tile_m": 128, "tile_n": 256}, "predicted_ns": 5000, "measured_ns": 5000},
{"problem": "linalg.matmul(1024x1024xbf16[d0, d2], 1024x1024xbf16[d2, d1], 1024x1024xf32[d0, d1])", "schedule": "wgmma_matmul",
 "plan": {"copies": 0, "fused_operand": 0, "splits": 1, "stages": 4, "tile_k": 64, "tile_m": 128, "tile_n": 64}, "predicted_ns": 10000, "measured_ns": 100000},
{"problem": "linalg.matmul(2048x2048xbf16[d0, d2], 2048x2048xbf16[d2, d1], 2048x2048xf32[d0, d1])", "schedule": "ws_gemm",
 "plan": {"copies": 0, "fused_operand": 0, "splits": 1, "stages": 4, "tile_k": 64, "tile_m": 128, "tile_n": 256}, "predicted_ns": 20000, "measured_ns": 200000}
]}

//--- other.json
{"arch": "sm_80", "source": "made up", "kernels": []}

//--- wrong.json
{"arch": "sm_90a", "source": "made up", "kernels": [{"problem": "x", "schedule": "ws_gemm", "plan": {}, "predicted_ns": 1}]}
