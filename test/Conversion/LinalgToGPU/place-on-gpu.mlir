// The pass chooses the parts of a bufferized program that run on the device.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-place-on-gpu))' -split-input-file | FileCheck %s

// A loop over elements is a kernel; the host need not see what it reads.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:         } {shardir.kernel}
// CHECK-NEXT:    return
func.func @loop(%at: memref<8xindex>, %out: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %j = memref.load %at[%i] : memref<8xindex>
    memref.store %x, %out[%j] : memref<8xf32>
  }
  return
}

// -----

// A scalar that a loop computes goes through device memory to who needs it.
// CHECK-LABEL: func.func @result
// CHECK:         %[[AT:.+]] = memref.alloc() : memref<i32>
// CHECK:         scf.execute_region {
// CHECK:           %[[SUM:.+]] = scf.for
// CHECK:           memref.store %[[SUM]], %[[AT]][] : memref<i32>
// CHECK:         } {shardir.kernel}
// CHECK:         %[[READ:.+]] = memref.load %[[AT]][]
// CHECK:         memref.dealloc %[[AT]]
// CHECK:         %[[MORE:.+]] = arith.cmpi eq, %[[READ]]
// CHECK:         scf.if %[[MORE]]
// CHECK-NEXT:      linalg.fill
func.func @result(%x: memref<8xi32>, %out: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> i32 {
    %e = memref.load %x[%i] : memref<8xi32>
    %n = arith.addi %s, %e : i32
    scf.yield %n : i32
  }
  %none = arith.cmpi eq, %sum, %zero : i32
  scf.if %none {
    linalg.fill ins(%v : f32) outs(%out : memref<8xf32>)
  }
  return
}

// -----

// A stored scalar is computed in the kernel that stores it, loads included.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     memref.load
// CHECK:         scf.execute_region {
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      memref.store
// CHECK:         } {shardir.kernel}
func.func @scalar(%a: memref<f32>, %b: memref<f32>, %x: f32) {
  %v = memref.load %a[] : memref<f32>
  %y = arith.mulf %v, %x : f32
  memref.store %y, %b[] : memref<f32>
  return
}

// -----

// Not before a write that lies between: the host reads then.
// CHECK-LABEL: func.func @between
// CHECK:         %[[V:.+]] = memref.load
// CHECK:         linalg.fill
// CHECK:         scf.execute_region {
// CHECK-NEXT:      memref.store %[[V]]
func.func @between(%a: memref<f32>, %b: memref<f32>, %x: f32) {
  %v = memref.load %a[] : memref<f32>
  linalg.fill ins(%x : f32) outs(%a : memref<f32>)
  memref.store %v, %b[] : memref<f32>
  return
}

// -----

// Copies that the runtime can make stay; others are linalg ops.
// CHECK-LABEL: func.func @copies
// CHECK:         memref.copy %{{.+}}, %{{.+}} : memref<4x4xf32> to memref<4x4xf32>
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
func.func @copies(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32, strided<[8, 1]>>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  memref.copy %a, %c : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

// A shape is the host's business.
// CHECK-LABEL: func.func @reshape
// CHECK:         %[[SHAPE:.+]] = memref.alloca() : memref<2xindex>
// CHECK-NOT:     execute_region
// CHECK:         memref.store %{{.+}}, %[[SHAPE]]
// CHECK:         memref.load %[[SHAPE]]
// CHECK:         memref.reinterpret_cast
func.func @reshape(%a: memref<?xf32>, %n: index, %m: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %shape = memref.alloc() : memref<2xindex>
  memref.store %n, %shape[%c0] : memref<2xindex>
  memref.store %m, %shape[%c1] : memref<2xindex>
  %r = memref.reshape %a(%shape) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%r : memref<?x?xf32>)
  memref.dealloc %shape : memref<2xindex>
  return
}
