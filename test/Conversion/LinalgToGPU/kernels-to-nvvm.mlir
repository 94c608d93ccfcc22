// Kernels in LLVM dialect and NVVM.
// RUN: shard-opt %s -pass-pipeline='builtin.module(gpu.module(shardir-kernels-to-nvvm{arch=sm_80}))' | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Dynamic shared memory is one symbol, whose alignment tiles can rely on.
    // CHECK: llvm.mlir.global external @[[SHARED:.+]]() {addr_space = 3 : i32, alignment = 1024 : i64{{.*}}} : !llvm.array<0 x i8>
    // CHECK-NOT: llvm.mlir.global

    // f16 is a storage type; functions are libdevice's, exponentials and quotients the approximate ones.
    // CHECK-LABEL: llvm.func @math
    // CHECK-SAME:    nvvm.kernel
    // CHECK:         llvm.fpext %{{.+}} : f16 to f32
    // CHECK:         llvm.call @__nv_fast_expf
    // CHECK:         llvm.fptrunc %{{.+}} : f32 to f16
    gpu.func @math(%p: !llvm.ptr, %x: f16) kernel {
      %y = math.exp %x : f16
      llvm.store %y, %p : f16, !llvm.ptr
      gpu.return
    }

    // CHECK-LABEL: llvm.func @quotients
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.+}}, %{{.+}}) : (f32, f32) -> f32
    // CHECK:         llvm.fptrunc %{{.+}} : vector<2xf32> to vector<2xbf16>
    gpu.func @quotients(%p: !llvm.ptr, %x: vector<2xbf16>, %y: vector<2xbf16>) kernel {
      %q = arith.divf %x, %y : vector<2xbf16>
      llvm.store %q, %p : vector<2xbf16>, !llvm.ptr
      gpu.return
    }

    // What is only widened again is not rounded.
    // CHECK-LABEL: llvm.func @tangents
    // CHECK:         %[[TANH:.+]] = llvm.intr.tanh(%{{.+}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    // CHECK-NEXT:    llvm.store %[[TANH]]
    // CHECK:         llvm.call @__nv_tanhf
    gpu.func @tangents(%p: !llvm.ptr, %x: bf16, %z: f16) kernel {
      %t = math.tanh %x : bf16
      %w = arith.extf %t fastmath<contract> : bf16 to f32
      llvm.store %w, %p : f32, !llvm.ptr
      %u = math.tanh %z : f16
      llvm.store %u, %p : f16, !llvm.ptr
      gpu.return
    }

    // Those of f32 are not.
    // CHECK-LABEL: llvm.func @wide
    // CHECK-DAG:     llvm.call @__nv_expf
    // CHECK-DAG:     llvm.fdiv
    gpu.func @wide(%p: !llvm.ptr, %x: f32) kernel {
      %y = math.exp %x : f32
      %q = arith.divf %x, %y : f32
      llvm.store %q, %p : f32, !llvm.ptr
      gpu.return
    }

    // A function that libdevice lacks is an intrinsic.
    // CHECK-LABEL: llvm.func @bits
    // CHECK:         llvm.intr.ctpop
    gpu.func @bits(%p: !llvm.ptr, %x: i32) kernel {
      %y = math.ctpop %x : i32
      llvm.store %y, %p : i32, !llvm.ptr
      gpu.return
    }

    // CHECK-LABEL: llvm.func @shared
    // CHECK:         llvm.mlir.addressof @[[SHARED]]
    gpu.func @shared(%x: f32) kernel {
      %c0 = arith.constant 0 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %floats = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      %i = gpu.thread_id x
      memref.store %x, %floats[%i] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    // Lanes of a warp reduce by shuffles.
    // CHECK-LABEL: llvm.func @reduce
    // CHECK-COUNT-5: nvvm.shfl.sync bfly
    gpu.func @reduce(%p: !llvm.ptr, %x: f32) kernel {
      %y = gpu.subgroup_reduce add %x : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr
      gpu.return
    }
  }
}
