// The driver implements the instructions that sm_90 adds; hints and fences vanish.
// RUN: shard-opt %s --shardir-gpu-to-host --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func private @emulated.k.pipeline
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr)
gpu.module @k {
  gpu.func @pipeline(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}, %p: !llvm.ptr<3>, %flag: i1) kernel {
    // A map that is passed by value is where the parameter is.
    // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ARGUMENTS]][0]
    // CHECK: %[[MAP:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
    // CHECK-NEXT: llvm.getelementptr %[[ARGUMENTS]][1]
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    // CHECK: scf.if
    // CHECK: llvm.getelementptr %[[THREAD]][20]
    nvvm.mbarrier.init %p, %c1, predicate = %flag : !llvm.ptr<3>, i32, i1
    nvvm.fence.mbarrier.init
    nvvm.prefetch tensormap, %map : !llvm.ptr
    // CHECK: llvm.getelementptr %[[THREAD]][13]
    nvvm.barrier
    // CHECK: llvm.getelementptr %[[THREAD]][21]
    nvvm.mbarrier.arrive.expect_tx %p, %c128 : !llvm.ptr<3>, i32
    // CHECK: llvm.getelementptr %[[THREAD]][23]
    // CHECK: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[MAP]], %{{.*}}, %{{.*}})
    %to = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %p, box[%c0, %c1] : !llvm.ptr<7>, !llvm.ptr
    // CHECK: llvm.getelementptr %[[THREAD]][22]
    nvvm.mbarrier.try_wait.parity %p, %c0, %c128 : !llvm.ptr<3>, i32, i32
    // CHECK: llvm.getelementptr %[[THREAD]][21]
    %state = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64
    // CHECK: llvm.getelementptr %[[THREAD]][19]
    nvvm.barrier id = %c1 number_of_threads = %c128
    // CHECK: llvm.getelementptr %[[THREAD]][14]
    nvvm.stmatrix %p, %c0, %c1 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    // CHECK: llvm.getelementptr %[[THREAD]][24]
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %p, box[%c0, %c1] : !llvm.ptr, !llvm.ptr<3>
    // CHECK: llvm.getelementptr %[[THREAD]][25]
    nvvm.cp.async.bulk.commit.group
    // CHECK: llvm.getelementptr %[[THREAD]][26]
    nvvm.cp.async.bulk.wait_group 0
    // CHECK-NOT: nvvm
    gpu.return
  }
}

// -----

// CHECK-LABEL: func.func private @emulated.k.product
gpu.module @k {
  gpu.func @product(%a: i64, %b: i64, %sums: !llvm.struct<(f32, f32, f32, f32)>, %to: !llvm.ptr) kernel {
    // B in rows is transposed: contiguous along n.
    // CHECK: llvm.getelementptr %{{.*}}[27]
    // CHECK: llvm.call %{{.*}}(%{{.*}}, %c8_i32, %c1_i32, %{{.*}}, %{{.*}}, %{{.*}}, %c0_i32, %c1_i32{{[_0-9]*}}, %c1_i32{{[_0-9]*}}, %{{.*}})
    nvvm.wgmma.fence.aligned
    %r = nvvm.wgmma.mma_async %a, %b, %sums, #nvvm.shape<m = 64, n = 8, k = 16>, D[#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A[#nvvm.wgmma_type<bf16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B[#nvvm.wgmma_type<bf16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    llvm.store %r, %to : !llvm.struct<(f32, f32, f32, f32)>, !llvm.ptr
    gpu.return
  }
}
