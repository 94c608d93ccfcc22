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
// -----

// Lanes work together in copies that wait for their group, matrices and products.
// CHECK-LABEL: func.func private @emulated.k.warp
// CHECK: llvm.getelementptr %[[T:.*]][16] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.call %{{.*}}(%[[T]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK: llvm.getelementptr %[[T]][17]
// CHECK: llvm.getelementptr %[[T]][18]
// CHECK: llvm.getelementptr %[[T]][13]
// CHECK: llvm.getelementptr %[[T]][14]
// CHECK: llvm.getelementptr %[[T]][14]
// CHECK: llvm.getelementptr %[[T]][15]
// CHECK: llvm.call %{{.*}}(%[[T]], %c16_i32, %c8_i32, %c16_i32{{.*}}, %c0_i32
// CHECK-NOT: nv
gpu.module @k {
  gpu.func @warp(%x: memref<16x16xf16>, %y: memref<32x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x16xf16, #gpu.address_space<workgroup>>
    %z = nvgpu.device_async_copy %x[%t, %c0], %s[%t, %c0], 8, %t : memref<16x16xf16> to memref<16x16xf16, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %z
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.barrier
    %a = nvgpu.ldmatrix %s[%t, %c0] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %b = nvgpu.ldmatrix %s[%t, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %a0 = vector.extract %a[0] : vector<2xf16> from vector<4x2xf16>
    %a1 = vector.extract %a[1] : vector<2xf16> from vector<4x2xf16>
    %a2 = vector.extract %a[2] : vector<2xf16> from vector<4x2xf16>
    %a3 = vector.extract %a[3] : vector<2xf16> from vector<4x2xf16>
    %b0 = vector.extract %b[0] : vector<2xf16> from vector<2x2xf16>
    %b1 = vector.extract %b[1] : vector<2xf16> from vector<2x2xf16>
    %f = arith.constant 0.0 : f32
    %r = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%f, %f, %f, %f]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %r0 = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %r0, %y[%t, %c0] : memref<32x4xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @halves(%a: vector<2xf16>, %b: vector<2xf16>) kernel {
    // expected-error@+1 {{has no emulation on the host in this shape and type}}
    %r = nvvm.mma.sync A[%a, %a] B[%b] C[%a, %a]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
      : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    gpu.return
  }
}

// -----

// PTX wants vectors at multiples of their size.
// CHECK-LABEL: func.func private @emulated.k.vectors
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr)
gpu.module @k {
  gpu.func @vectors(%x: memref<64xbf16>, %i: index) kernel {
    // CHECK: %[[FIFTEEN:.*]] = llvm.mlir.constant(15 : i64)
    // CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %[[FIFTEEN]]
    // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(16 : i64)
    // CHECK: %[[FAILS:.*]] = arith.cmpi ne, %[[REST]]
    // CHECK: scf.if %[[FAILS]]
    // CHECK:   llvm.getelementptr %[[THREAD]][28]
    // CHECK:   llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[SIZE]])
    // CHECK: vector.load
    %v = vector.load %x[%i] : memref<64xbf16>, vector<8xbf16>
    // CHECK: scf.if
    // CHECK: vector.store
    vector.store %v, %x[%i] : memref<64xbf16>, vector<8xbf16>
    gpu.return
  }
}
