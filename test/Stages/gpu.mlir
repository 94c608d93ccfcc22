// LLVM dialect that calls the runtime, and kernels beside it.
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-gpu="arch=sm_80" -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// Re-entered, the stage is what it was; compiled, it holds its kernels.
// RUN: shard-opt %t.mlir --shardir-to-gpu | FileCheck %s
// RUN: shard-compile %t.mlir --gpu -o %t.so
// RUN: %llvm_bindir/llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS:      T shardir_entry_main
// SYMBOLS-NEXT: R shardir_program_gpu_0
// SYMBOLS-NEXT: R shardir_program_metadata
// SYMBOLS-NOT:  {{.}}

// A bufferized program leads to the same; for a GPU it is not tiled for a CPU.
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-bufferized="arch=sm_80" -o %t.bufferized.mlir
// RUN: shard-opt %t.bufferized.mlir --shardir-to-gpu="arch=sm_80" -o %t.entered.mlir
// RUN: FileCheck %s < %t.entered.mlir

// CHECK:     shardir.stage = "gpu"
// CHECK-NOT: {{(linalg|memref|collective|func)\.[a-z]+ }}
// CHECK-DAG: llvm.call @shardir_gpu_launch
// CHECK-DAG: gpu.binary @program.kernels {{.*}}#nvvm.target<{{.*}}chip = "sm_80"
// CHECK-DAG: @shardir_program_metadata({{.*}}\22gpu\22:{\22arch\22:\22sm_80\22{{.*}}\22loc\22:\22{{[^,]*}}.mlir:{{[0-9:]+}}\22{{[^}]*}}\22name\22:\22main_matmul
