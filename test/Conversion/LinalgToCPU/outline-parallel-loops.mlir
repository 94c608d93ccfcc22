// RUN: shard-opt %s -shardir-outline-parallel-loops | FileCheck %s
// RUN: shard-opt %s -shardir-outline-parallel-loops=serial | FileCheck %s --check-prefix=SERIAL

// CHECK: llvm.func @shardir_parallel_for(i64, !llvm.ptr, !llvm.ptr)

// What the body captures travels in a struct; its memref as a descriptor. The
// inner loop stays on its thread.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[M:.+]]: memref<?x4xf32>, %[[V:.+]]: f32, %[[N:.+]]: index
// CHECK:         %[[CTX:.+]] = llvm.alloca {{.*}} x !llvm.struct<(
// CHECK-DAG:     llvm.store %[[V]], %{{.+}} : f32, !llvm.ptr
// CHECK-DAG:     %[[D:.+]] = builtin.unrealized_conversion_cast %[[M]] : memref<?x4xf32> to !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK-DAG:     llvm.store %[[D]]
// CHECK:         %[[F:.+]] = constant @main_body_0 : (i64, !llvm.ptr) -> ()
// CHECK:         llvm.call @shardir_parallel_for(%{{.+}}, %{{.+}}, %[[CTX]])
// CHECK:       func.func private @main_body_0(%[[I:.+]]: i64, %{{.+}}: !llvm.ptr)
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK-NOT:   scf.forall

// SERIAL-LABEL: func.func @main
// SERIAL-NOT:     parallel_for
// SERIAL:         scf.for
// SERIAL:           scf.for
// SERIAL:             memref.store
// SERIAL-NOT:   scf.forall
func.func @main(%m: memref<?x4xf32>, %v: f32, %n: index) {
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (4) {
      memref.store %v, %m[%i, %j] : memref<?x4xf32>
    }
  }
  return
}
