// RUN: shard-opt %s -shardir-outline-parallel-loops -split-input-file | FileCheck %s
// RUN: shard-opt %s -shardir-outline-parallel-loops=serial -split-input-file | FileCheck %s --check-prefix=SERIAL

// CHECK: llvm.func @shardir_parallel_for(i64, !llvm.ptr, !llvm.ptr)

// Values that the body captures travel in a struct; its memref as a descriptor. The
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

// -----

// A buffer that each iteration has on the stack is one of the function, where
// the loop is serial: the stack would grow with each iteration.
// CHECK-LABEL: func.func @stack
// CHECK:       func.func private @stack_body_0
// CHECK:         memref.alloca() : memref<8xf32>
// SERIAL-LABEL: func.func @stack
// SERIAL:         memref.alloca() : memref<8xf32>
// SERIAL:         scf.for
// SERIAL-NOT:       memref.alloca
// SERIAL:         return
func.func @stack(%m: memref<?xf32>, %v: f32, %n: index) {
  %zero = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    %own = memref.alloca() : memref<8xf32>
    memref.store %v, %own[%zero] : memref<8xf32>
    %x = memref.load %own[%zero] : memref<8xf32>
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}
