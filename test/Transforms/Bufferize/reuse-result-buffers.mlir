// RUN: shard-opt %s -split-input-file --shardir-reuse-result-buffers | FileCheck %s

// The buffer of a result takes one temporary after the other until it is first
// used, here by way of a view. What is alive at that time has its own, and so has
// what is too large or of another element type.
// CHECK-LABEL: func.func @temporaries
// CHECK-SAME:    %[[X:[^ ]+]]: memref<4x4xf32>, %[[R:[^ ]+]]: memref<4x8xf32> {shardir.result}, %[[I:[^ ]+]]: memref<64xi32> {shardir.result}
// CHECK-NEXT:    %[[T:.+]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<4x8xf32> to memref<4x4xf32>
// CHECK-NEXT:    linalg.exp ins(%[[X]] {{.*}} outs(%[[T]]
// CHECK-NEXT:    %[[U:.+]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT:    linalg.exp ins(%[[T]] {{.*}} outs(%[[U]]
// CHECK:         %[[V:.+]] = memref.reinterpret_cast %[[R]] {{.*}} to memref<2x2xf32>
// CHECK:         %[[W:.+]] = memref.alloc() : memref<8x8xf32>
// CHECK:         memref.dealloc %[[W]]
// CHECK:         memref.dealloc %[[U]]
// CHECK-NOT:     memref.dealloc
func.func @temporaries(%x: memref<4x4xf32>, %r: memref<4x8xf32> {shardir.result}, %i: memref<64xi32> {shardir.result}) {
  %t = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>)
  %u = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%t : memref<4x4xf32>) outs(%u : memref<4x4xf32>)
  memref.dealloc %t : memref<4x4xf32>
  %one = arith.constant 1.0 : f32
  %v = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%one : f32) outs(%v : memref<2x2xf32>)
  memref.dealloc %v : memref<2x2xf32>
  %w = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%one : f32) outs(%w : memref<8x8xf32>)
  memref.dealloc %w : memref<8x8xf32>
  %view = memref.subview %r[0, 0] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  linalg.exp ins(%u : memref<4x4xf32>) outs(%view : memref<4x4xf32, strided<[8, 1]>>)
  memref.dealloc %u : memref<4x4xf32>
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%i : memref<64xi32>)
  return
}

// -----

// A temporary of one iteration is in the buffer of a result. What goes round a loop
// has its own, and so has what several threads allocate.
// CHECK-LABEL: func.func @loops
// CHECK-SAME:    %[[X:[^ ]+]]: memref<4xf32>, %[[R:[^ ]+]]: memref<4xf32> {shardir.result}
// CHECK:         scf.for
// CHECK-NEXT:      memref.reinterpret_cast %[[R]]
// CHECK-NOT:       memref.dealloc
// CHECK:         scf.parallel
// CHECK-NEXT:      memref.alloc
// CHECK:         %[[A:.+]] = memref.alloc
// CHECK:         scf.for {{.*}} iter_args({{.*}} = %[[A]])
// CHECK:           memref.alloc
func.func @loops(%x: memref<4xf32>, %r: memref<4xf32> {shardir.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    memref.dealloc %t : memref<4xf32>
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    memref.dealloc %t : memref<4xf32>
  }
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%from = %a) -> (memref<4xf32>) {
    %next = memref.alloc() : memref<4xf32>
    linalg.exp ins(%from : memref<4xf32>) outs(%next : memref<4xf32>)
    memref.dealloc %from : memref<4xf32>
    scf.yield %next : memref<4xf32>
  }
  memref.copy %last, %r : memref<4xf32> to memref<4xf32>
  memref.dealloc %last : memref<4xf32>
  return
}

// -----

// A result that is written in place holds an argument, a size that is not known
// may be too large, and a step that has begun uses its buffers until the wait.
// CHECK-LABEL: func.func @kept
// CHECK:         memref.alloc()
// CHECK:         memref.alloc(
// CHECK:         collective.wait
// CHECK-NEXT:    memref.dealloc
// CHECK:         memref.dealloc
shardir.mesh @m <["x"=2]>
func.func @kept(%x: memref<4xf32>, %n: index, %w: memref<4xf32> {shardir.result, shardir.in_place = 0 : i64},
                %r: memref<4xf32> {shardir.result}) {
  %t = memref.alloc() : memref<4xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  collective.all_reduce %t into %r from #shardir.placement<@m, [{}], partial = sum ["x"]>
      to #shardir.placement<@m, [{}]> of tensor<4xf32> {collective.start} : memref<4xf32>, memref<4xf32>
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%u : memref<?xf32>)
  collective.wait %r : memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  memref.dealloc %u : memref<?xf32>
  memref.copy %r, %w : memref<4xf32> to memref<4xf32>
  return
}
