// Host code calls the runtime for all that it has to do with the device.
// RUN: shard-opt %s -shardir-launches-to-runtime='arch=sm_80' | FileCheck %s

module attributes {gpu.container_module} {
  // The kernels' and the constants' tables wait for the metadata.
  // CHECK: shardir.gpu =
  // CHECK-SAME: {\22bytes\22:32,\22symbol\22:\22shardir_program_constant_0\22}
  // CHECK-SAME: \22kernels\22:[{\22cluster\22:[1,1,1]
  // CHECK-SAME: \22max_shared_bytes\22:4096,\22module\22:0,\22name\22:\22k\22,\22parameters\22:[8,8]}]
  // CHECK: memref.global constant @shardir_program_constant_0 : memref<8xf32>
  memref.global "private" constant @weights : memref<8xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>

  gpu.module @kernels {
    gpu.func @k(%p: !llvm.ptr, %n: index) kernel {
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @main
  // CHECK-DAG:     %[[SLOTS:.+]] = llvm.alloca %{{.+}} x i8 {alignment = 64
  // CHECK-DAG:     %[[ARRAY:.+]] = llvm.alloca %{{.+}} x !llvm.ptr
  // CHECK:         llvm.call @shardir_gpu_constant(%{{.+}}) : (i32) -> !llvm.ptr
  // CHECK:         %[[BYTES:.+]] = llvm.mul
  // CHECK:         llvm.call @shardir_gpu_alloc(%{{.+}}, %{{.+}}) : (i64, i64) -> !llvm.ptr
  // CHECK:         llvm.call @shardir_gpu_copy
  // CHECK:         llvm.store
  // CHECK:         llvm.store
  // CHECK:         llvm.call @shardir_gpu_launch(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[ARRAY]])
  // CHECK:         llvm.call @shardir_gpu_read
  // CHECK:         scf.if
  // CHECK:         llvm.call @shardir_gpu_free
  // CHECK-NOT:     memref.{{alloc |copy|dealloc|get_global}}
  // CHECK:         return
  func.func @main(%p: !llvm.ptr, %n: index, %flag: memref<i1>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 4096 : i32
    %w = memref.get_global @weights : memref<8xf32>
    %a = memref.alloc() : memref<8xf32>
    memref.copy %w, %a : memref<8xf32> to memref<8xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%p : !llvm.ptr, %n : index)
    %go = memref.load %flag[] : memref<i1>
    scf.if %go {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : !llvm.ptr, %n : index)
    }
    memref.dealloc %a : memref<8xf32>
    return
  }
}
