// A product that was measured takes the plan that was fastest, others their own.
// RUN: split-file %s %t
// DEFINE: %{times} = times.json
// DEFINE: %{plan} =
// DEFINE: %{lower} = shard-opt %t/program.mlir -shardir-contractions-to-cpu-loops="target=avx512 explain kernel-times=%t/%{times} %{plan}" 2>&1
// RUN: %{lower} | FileCheck %s

// CHECK: program.mlir:2:{{.*}}: 256x512x384: {{.*}}, 8x48 results in registers, blocks of {{.*}} and 128 of k
// CHECK: program.mlir:8:{{.*}}: 256x512x256: {{.*}}, 6x64 results in registers, blocks of {{.*}} and 256 of k
// CHECK: func.func @measured
// CHECK-SAME: shardir.schedule = {arch = "x86-64-v4 #{{[0-9a-f]+}}", op = "linalg.matmul",
// CHECK-SAME: plan = {rows = 32 : i64, tile_k = 128 : i64, tile_m = 8 : i64, tile_n = 48 : i64},
// CHECK-SAME: problem = "contraction(256x384xf32[d0, d2], 384x512xf32[d2, d1], 256x512xf32[d0, d1])",
// CHECK-SAME: schedule = "register_tiles"

// A plan that is given counts instead.
// REDEFINE: %{plan} = plan=tile_m=4
// RUN: %{lower} | FileCheck %s --check-prefix=GIVEN
// GIVEN: program.mlir:2:{{.*}}: 256x512x384: {{.*}}, 4x32 results in registers, blocks of {{.*}} and 384 of k

// REDEFINE: %{times} = other.json
// RUN: not %{lower} | FileCheck %s --check-prefix=OTHER
// OTHER: error: option kernel-times: {{.*}}other.json: has times of znver4 #0, but the program is compiled for x86-64-v4 #{{[0-9a-f]+}}; tune on the machine that it is compiled for
// REDEFINE: %{times} = wrong.json
// RUN: not %{lower} | FileCheck %s --check-prefix=WRONG
// WRONG: error: option kernel-times: {{.*}}wrong.json: kernel 0 must have a problem, a schedule, a plan, and positive measured_ns
// WRONG-NOT: error
// REDEFINE: %{times} = program.mlir
// RUN: not %{lower} | FileCheck %s --check-prefix=TEXT
// TEXT: error: option kernel-times: {{.*}}program.mlir:
// TEXT-NOT: error

//--- program.mlir
func.func @measured(%a: memref<256x384xf32>, %b: memref<384x512xf32>, %c: memref<256x512xf32>) {
  linalg.matmul ins(%a, %b : memref<256x384xf32>, memref<384x512xf32>)
                outs(%c : memref<256x512xf32>)
  return
}

func.func @other(%a: memref<256x256xf32>, %b: memref<256x512xf32>, %c: memref<256x512xf32>) {
  linalg.matmul ins(%a, %b : memref<256x256xf32>, memref<256x512xf32>)
                outs(%c : memref<256x512xf32>)
  return
}

//--- times.json
{"arch": "x86-64-v4 #a29806eac036beee", "kernels": [
  {"problem": "contraction(256x384xf32[d0, d2], 384x512xf32[d2, d1], 256x512xf32[d0, d1])",
   "schedule": "register_tiles", "plan": {}, "measured_ns": 2000},
  {"problem": "contraction(256x384xf32[d0, d2], 384x512xf32[d2, d1], 256x512xf32[d0, d1])",
   "schedule": "register_tiles", "plan": {"tile_m": 8, "tile_n": 48, "tile_k": 128, "rows": 32}, "measured_ns": 1000}
]}

//--- other.json
{"arch": "znver4 #0", "kernels": []}

//--- wrong.json
{"arch": "x86-64-v4 #a29806eac036beee", "kernels": [{"problem": "contraction()", "schedule": "register_tiles", "plan": {}}]}
