// RUN: shard-opt %s --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives))" | FileCheck %s

#partial = #shardir.placement<@m, [{}], partial = sum ["x"]>
#all = #shardir.placement<@m, [{}]>
#part = #shardir.placement<@m, [{"x"}]>
#turned = #shardir.placement<@turned, [{"x"}]>
shardir.mesh @m <["x"=2]>
shardir.mesh @turned <["x"=2], devices = [1, 0]>

// A gradient is summed while the next one is computed: it starts where its
// operand is ready, and is waited for at the end. The second one has nothing to
// go on beside, and stays behind the first.
// CHECK-LABEL: func.func @gradients
// CHECK:         gpu.launch
// CHECK:         collective.all_reduce %{{.*}} into %arg1 {{.*}}collective.start
// CHECK:         gpu.launch
// CHECK:         collective.all_reduce %{{.*}} into %arg2
// CHECK-NOT:     collective.start
// CHECK:         collective.wait %arg1
// CHECK-NEXT:    memref.dealloc %{{.*}}
// CHECK-NEXT:    return
func.func @gradients(%x: memref<8xf32>, %r0: memref<8xf32>, %r1: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %g0 = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %g0[%c0] : memref<8xf32>
    gpu.terminator
  }
  %g1 = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %g1[%c0] : memref<8xf32>
    gpu.terminator
  }
  collective.all_reduce %g0 into %r0 from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  collective.all_reduce %g1 into %r1 from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.dealloc %g0 : memref<8xf32>
  memref.dealloc %g1 : memref<8xf32>
  return
}

// The result is read by a view, in a loop; the wait stands before the loop.
// CHECK-LABEL: func.func @read_by_a_view
// CHECK:         collective.all_reduce {{.*}}collective.start
// CHECK:         memref.copy %arg1, %arg2
// CHECK-NEXT:    collective.wait
// CHECK-NEXT:    scf.for
func.func @read_by_a_view(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = memref.alloc() : memref<8xf32>
  %v = memref.subview %r[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %w = memref.subview %z[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  collective.all_reduce %x into %r from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.copy %y, %z : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %v, %w : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1]>>
  }
  memref.dealloc %r : memref<8xf32>
  return
}

// The operand is written again, its address is taken, or there is nothing to do
// meanwhile.
// CHECK-LABEL: func.func @needed
// CHECK-NOT:     collective.start
func.func @needed(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  collective.all_reduce %x into %z from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.copy %y, %x : memref<8xf32> to memref<8xf32>
  collective.all_reduce %x into %z from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.copy %z, %y : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: func.func @address
// CHECK:         collective.all_reduce
// CHECK-NOT:     collective.start
// CHECK:         gpu.launch
// CHECK:         memref.copy
func.func @address(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %address = memref.extract_aligned_pointer_as_index %x : memref<8xf32> -> index
  %number = arith.index_cast %address : index to i64
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %p = llvm.inttoptr %number : i64 to !llvm.ptr
    llvm.store %one, %p : f32, !llvm.ptr
    gpu.terminator
  }
  collective.all_reduce %x into %z from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %p = llvm.inttoptr %number : i64 to !llvm.ptr
    llvm.store %one, %p : f32, !llvm.ptr
    gpu.terminator
  }
  memref.copy %y, %y : memref<8xf32> to memref<8xf32>
  return
}

// What control flow chooses is not followed, and calls may communicate.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT:     collective.start
func.func @chosen(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %c: i1) {
  %w = arith.select %c, %x, %y : memref<8xf32>
  collective.all_reduce %w into %z from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// What is sent may be read meanwhile, but not written: the wait stands before the
// kernel that writes.
// CHECK-LABEL: func.func @sends_what_is_read
// CHECK:         collective.exchange %arg0 into %{{.*}} {{.*}}collective.start
// CHECK:         gpu.launch
// CHECK:           memref.load %arg0
// CHECK:         collective.wait
// CHECK-NEXT:    gpu.launch
// CHECK:           memref.store %{{.*}}, %arg0
func.func @sends_what_is_read(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = memref.alloc() : memref<4xf32>
  collective.exchange %x into %r from #part to #turned of tensor<8xf32> : memref<4xf32>, memref<4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %v = memref.load %x[%c0] : memref<4xf32>
    %w = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
    memref.store %v, %y[%c0] : memref<4xf32>
    vector.store %w, %y[%c0] : memref<4xf32>, vector<4xf32>
    gpu.terminator
  }
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %x[%c0] : memref<4xf32>
    gpu.terminator
  }
  memref.dealloc %r : memref<4xf32>
  return
}
