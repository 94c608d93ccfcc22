// Kernels become functions of a thread and its parameters.
// RUN: shard-opt %s --shardir-gpu-to-host --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func private @emulated.k.scale
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr)
// CHECK-SAME: emulated_kernel = [0, "scale", 0]
gpu.module @k {
  gpu.func @scale(%x: memref<?xf32, strided<[2], offset: ?>>, %f: f32) kernel {
    // Two pointers, an offset, a size and a stride come before the scalar.
    // CHECK: llvm.getelementptr %[[ARGUMENTS]][0]
    // CHECK: llvm.getelementptr %[[ARGUMENTS]][4]
    // CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast
    // CHECK: llvm.getelementptr %[[ARGUMENTS]][5]
    // CHECK: %[[F:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
    // CHECK: llvm.getelementptr %[[THREAD]][0]
    // CHECK: %[[I:.*]] = arith.index_cast
    %i = gpu.thread_id x
    // CHECK: llvm.getelementptr %[[THREAD]][4]
    %j = gpu.block_id y
    %k = arith.addi %i, %j : index
    // CHECK: memref.load %[[X]]
    %v = memref.load %x[%k] : memref<?xf32, strided<[2], offset: ?>>
    // CHECK: arith.mulf %{{.*}}, %[[F]]
    %w = arith.mulf %v, %f : f32
    memref.store %w, %x[%k] : memref<?xf32, strided<[2], offset: ?>>
    // CHECK: return
    gpu.return
  }
}

// -----

// Static shared memory lies one buffer after another, dynamic memory behind.
// CHECK-LABEL: func.func private @emulated.k.exchange
// CHECK-SAME: emulated_kernel = [0, "exchange", 1024]
gpu.module @k {
  gpu.func @exchange(%x: memref<256xf32>)
      workgroup(%a: memref<3xf32, #gpu.address_space<workgroup>>,
                %b: memref<8xf16, #gpu.address_space<workgroup>>)
      private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    // CHECK: %[[SHARED:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
    // CHECK: llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
    // CHECK: llvm.getelementptr %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i8
    // CHECK: memref.alloca() : memref<4xf32>
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    memref.store %v, %a[%c0] : memref<3xf32, #gpu.address_space<workgroup>>
    memref.store %v, %p[%c0] : memref<4xf32, #gpu.address_space<private>>
    %h = arith.truncf %v : f32 to f16
    memref.store %h, %b[%c0] : memref<8xf16, #gpu.address_space<workgroup>>
    // CHECK: llvm.getelementptr %[[THREAD:.*]][13] : (!llvm.ptr) -> !llvm.ptr, i64
    // CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> ()
    gpu.barrier
    // CHECK: llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr) -> !llvm.ptr, i8
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %v, %view[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Reductions become what lanes post and get.
// CHECK-LABEL: func.func private @emulated.k.total
// CHECK: %[[IN:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[ALL:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: llvm.store %{{.*}}, %[[IN]] : f32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[IN]], %[[ALL]], %{{.*}})
// CHECK-NOT: gpu.
gpu.module @k {
  gpu.func @total(%x: memref<256xf32>, %y: memref<f32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    %s = gpu.all_reduce add %v uniform {} : (f32) -> f32
    memref.store %s, %y[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @prints() kernel {
    // expected-error@+1 {{has no emulation on the host}}
    gpu.printf "x"
    gpu.return
  }
}
