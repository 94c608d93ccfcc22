// RUN: shard-opt %s --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives))" | FileCheck %s

#partial = #shardir.placement<@m, [{}], partial = sum ["x"]>
#all = #shardir.placement<@m, [{}]>
#part = #shardir.placement<@m, [{"x"}]>
#turned = #shardir.placement<@turned, [{"x"}]>
#rows = #shardir.placement<@m, [{"x"}, {}]>
#turned_rows = #shardir.placement<@turned, [{"x"}, {}]>
#rows_and_columns = #shardir.placement<@nodes, [{"near"}, {"far"}]>
#rows_alone = #shardir.placement<@nodes, [{"near"}, {}]>
#columns_alone = #shardir.placement<@nodes, [{}, {"far"}]>
#partial_far = #shardir.placement<@nodes, [{}, {}], partial = sum ["far", "near"]>
#partial_near = #shardir.placement<@nodes, [{}, {"far"}], partial = sum ["near"]>
!map = !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32, #gpu.address_space<workgroup>>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

// A copy of 8 elements takes 64 us, a collective of them less than 4.
module attributes {shardir.machine = {memory_bandwidth = 1.0e6}} {
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 1.0e7, latency = 1.0e-6}}>
shardir.mesh @turned <["x"=2], devices = [1, 0], links = {x = {bandwidth = 1.0e7, latency = 1.0e-6}}>
shardir.mesh @nodes <["far"=2, "near"=2], links = {far = {bandwidth = 1.0e6, latency = 1.0e-6}, near = {bandwidth = 1.0e7, latency = 1.0e-6}}>

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

// Values chosen by control flow are not followed, and calls may communicate.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT:     collective.start
func.func @chosen(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %c: i1) {
  %w = arith.select %c, %x, %y : memref<8xf32>
  collective.all_reduce %w into %z from #partial to #all of tensor<8xf32> : memref<8xf32>, memref<8xf32>
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// A buffer may be read while it is sent, but not written: the wait stands before the
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

// The next layer's gather starts before this layer, with its buffer and the view of what it sends, and not
// before the wait for this layer's: one is ahead. The third one may not start before what writes its operand.
// CHECK-LABEL: func.func @layers
// CHECK:         collective.all_gather %arg0 into [[G0:%[a-z0-9_]+]]
// CHECK-NOT:     collective.start
// CHECK:         [[V:%[a-z0-9_]+]] = memref.subview %arg1
// CHECK-NEXT:    [[G1:%[a-z0-9_]+]] = memref.alloc
// CHECK-NEXT:    collective.all_gather [[V]] into [[G1]] {{.*}}collective.start
// CHECK-NEXT:    memref.copy [[G0]], %arg3
// CHECK-NEXT:    memref.dealloc [[G0]]
// CHECK-NEXT:    collective.wait [[G1]]
// CHECK-NEXT:    memref.copy [[G1]], %arg2
// CHECK-NEXT:    memref.dealloc [[G1]]
// CHECK-NEXT:    [[G2:%[a-z0-9_]+]] = memref.alloc
// CHECK-NEXT:    [[U:%[a-z0-9_]+]] = memref.subview %arg2
// CHECK-NEXT:    collective.all_gather [[U]] into [[G2]]
// CHECK-NOT:     collective.start
// CHECK:         return
func.func @layers(%w0: memref<4xf32>, %w1: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %g0 = memref.alloc() : memref<8xf32>
  collective.all_gather %w0 into %g0 from #part to #all of tensor<8xf32> : memref<4xf32>, memref<8xf32>
  memref.copy %g0, %z : memref<8xf32> to memref<8xf32>
  memref.dealloc %g0 : memref<8xf32>
  %v = memref.subview %w1[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %g1 = memref.alloc() : memref<8xf32>
  collective.all_gather %v into %g1 from #part to #all of tensor<8xf32> : memref<4xf32, strided<[1]>>, memref<8xf32>
  memref.copy %g1, %y : memref<8xf32> to memref<8xf32>
  memref.dealloc %g1 : memref<8xf32>
  %g2 = memref.alloc() : memref<8xf32>
  %u = memref.subview %y[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  collective.all_gather %u into %g2 from #part to #all of tensor<8xf32> : memref<4xf32, strided<[1]>>, memref<8xf32>
  memref.copy %g2, %z : memref<8xf32> to memref<8xf32>
  memref.dealloc %g2 : memref<8xf32>
  return
}

// The next layer's gather need not follow the sums of gradients, and starts where it is done in time. What a sum
// reads is freed once it should be done.
// CHECK-LABEL: func.func @backward
// CHECK:         collective.all_gather %arg0 into [[G1:%[a-z0-9_]+]]
// CHECK:         memref.copy [[G1]], [[D1:%[a-z0-9_]+]]
// CHECK-NEXT:    collective.reduce_scatter [[D1]] into %arg2 {{.*}}collective.start
// CHECK:         collective.all_gather %arg1 into [[G0:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK-NEXT:    memref.copy %arg4, [[D0:%[a-z0-9_]+]]
// CHECK-NEXT:    collective.reduce_scatter [[D0]] into %arg3 {{.*}}collective.start
// CHECK-NEXT:    collective.wait %arg2
// CHECK-NEXT:    collective.wait [[G0]]
// CHECK-NEXT:    memref.dealloc [[D1]]
// CHECK-NEXT:    memref.copy [[G0]], %arg4
// CHECK-NEXT:    collective.wait %arg3
// CHECK-NEXT:    memref.dealloc [[D0]]
// CHECK-NEXT:    memref.dealloc [[G0]]
// CHECK-NEXT:    return
func.func @backward(%w1: memref<4xf32>, %w0: memref<4xf32>, %r1: memref<4xf32>, %r0: memref<4xf32>, %z: memref<8xf32>) {
  %g1 = memref.alloc() : memref<8xf32>
  collective.all_gather %w1 into %g1 from #part to #all of tensor<8xf32> : memref<4xf32>, memref<8xf32>
  %d1 = memref.alloc() : memref<8xf32>
  memref.copy %g1, %d1 : memref<8xf32> to memref<8xf32>
  collective.reduce_scatter %d1 into %r1 from #partial to #part of tensor<8xf32> : memref<8xf32>, memref<4xf32>
  memref.dealloc %d1 : memref<8xf32>
  memref.dealloc %g1 : memref<8xf32>
  %d0 = memref.alloc() : memref<8xf32>
  memref.copy %z, %d0 : memref<8xf32> to memref<8xf32>
  collective.reduce_scatter %d0 into %r0 from #partial to #part of tensor<8xf32> : memref<8xf32>, memref<4xf32>
  memref.dealloc %d0 : memref<8xf32>
  %g0 = memref.alloc() : memref<8xf32>
  collective.all_gather %w0 into %g0 from #part to #all of tensor<8xf32> : memref<4xf32>, memref<8xf32>
  memref.copy %g0, %z : memref<8xf32> to memref<8xf32>
  memref.dealloc %g0 : memref<8xf32>
  return
}

// A tensor map of what is sent is no write; what is copied through one of the result must wait.
// CHECK-LABEL: func.func @tensor_maps
// CHECK:         collective.exchange %arg0 into [[R:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:         nvgpu.tma.create.descriptor
// CHECK:         nvgpu.tma.create.descriptor
// CHECK:         gpu.launch
// CHECK:           nvgpu.tma.async.load
// CHECK:         collective.wait [[R]]
// CHECK-NEXT:    gpu.launch
// CHECK:           nvgpu.tma.async.load
func.func @tensor_maps(%x: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = memref.alloc() : memref<8x8xf32>
  %xs = memref.cast %x : memref<8x8xf32> to memref<*xf32>
  %rs = memref.cast %r : memref<8x8xf32> to memref<*xf32>
  collective.exchange %x into %r from #rows to #turned_rows of tensor<16x8xf32> : memref<8x8xf32>, memref<8x8xf32>
  %sent = nvgpu.tma.create.descriptor %xs box[%c8, %c8] : memref<*xf32> -> !map
  %received = nvgpu.tma.create.descriptor %rs box[%c8, %c8] : memref<*xf32> -> !map
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %barriers = nvgpu.mbarrier.create -> !barriers
    %tile = memref.alloc() : memref<8x8xf32, #gpu.address_space<workgroup>>
    nvgpu.tma.async.load %sent[%c0, %c0], %barriers[%c0] to %tile : !map, !barriers -> memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %barriers = nvgpu.mbarrier.create -> !barriers
    %tile = memref.alloc() : memref<8x8xf32, #gpu.address_space<workgroup>>
    nvgpu.tma.async.load %received[%c0, %c0], %barriers[%c0] to %tile : !map, !barriers -> memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  memref.dealloc %r : memref<8x8xf32>
  return
}

// The gather of 4 MB takes some 4 s: it starts before the last two kernels of 3 s each, and before the collective
// in line between them, whose link is another one. The kernel before those need not have memory for it.
// CHECK-LABEL: func.func @just_in_time
// CHECK:         memref.copy %arg0, %arg1
// CHECK-NEXT:    gpu.launch
// CHECK:         gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    [[G:%[a-z0-9_]+]] = memref.alloc
// CHECK-NEXT:    collective.all_gather %arg2 into [[G]] {{.*}}collective.start
// CHECK-NEXT:    gpu.launch
// CHECK:         collective.all_gather %arg0 into %arg3
// CHECK-NOT:     collective.start
// CHECK:         gpu.launch
// CHECK:         collective.wait [[G]]
// CHECK-NEXT:    memref.copy [[G]], %arg4
func.func @just_in_time(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %w: memref<1024x1024xf32>, %r: memref<8x4xf32>, %z: memref<1024x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  memref.copy %x, %y : memref<4x4xf32> to memref<4x4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %y[%c0, %c0] : memref<4x4xf32>
    gpu.terminator
  } {shardir.launch_seconds = 3.0 : f64}
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %x[%c0, %c0] : memref<4x4xf32>
    gpu.terminator
  } {shardir.launch_seconds = 3.0 : f64}
  collective.all_gather %x into %r from #rows_and_columns to #columns_alone of tensor<8x8xf32> : memref<4x4xf32>, memref<8x4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %r[%c0, %c0] : memref<8x4xf32>
    gpu.terminator
  } {shardir.launch_seconds = 3.0 : f64}
  %v = memref.alloc() : memref<1024x2048xf32>
  collective.all_gather %w into %v from #rows_and_columns to #rows_alone of tensor<2048x2048xf32> : memref<1024x1024xf32>, memref<1024x2048xf32>
  memref.copy %v, %z : memref<1024x2048xf32> to memref<1024x2048xf32>
  memref.dealloc %v : memref<1024x2048xf32>
  return
}

// A sum is sent on as it comes: no kernel waits between its two collectives. The memory of what they send is kept
// until they should be done, which the first copy hides.
// CHECK-LABEL: func.func @sent_on
// CHECK:         collective.reduce_scatter [[D:%[a-z0-9_]+]] into [[S:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK-NEXT:    collective.all_reduce [[S]] into %arg2 {{.*}}collective.start
// CHECK-NEXT:    memref.copy %arg0, %arg1
// CHECK-NEXT:    collective.wait [[S]]
// CHECK-NEXT:    collective.wait %arg2
// CHECK-NEXT:    memref.dealloc [[D]]
// CHECK-NEXT:    memref.dealloc [[S]]
// CHECK-NEXT:    memref.copy %arg1, %arg0
// CHECK-NEXT:    memref.copy %arg2, %arg3
func.func @sent_on(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %r: memref<8x4xf32>, %z: memref<8x4xf32>) {
  %d = memref.alloc() : memref<8x8xf32>
  memref.copy %x, %d : memref<8x8xf32> to memref<8x8xf32>
  %s = memref.alloc() : memref<8x4xf32>
  collective.reduce_scatter %d into %s from #partial_far to #partial_near of tensor<8x8xf32> : memref<8x8xf32>, memref<8x4xf32>
  memref.dealloc %d : memref<8x8xf32>
  collective.all_reduce %s into %r from #partial_near to #columns_alone of tensor<8x8xf32> : memref<8x4xf32>, memref<8x4xf32>
  memref.dealloc %s : memref<8x4xf32>
  memref.copy %x, %y : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %y, %x : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %r, %z : memref<8x4xf32> to memref<8x4xf32>
  return
}

// The small kernel that makes what is gathered starts with it, behind the copy that writes what it reads.
// CHECK-LABEL: func.func @made_for_it
// CHECK:         memref.copy %arg0, %arg1
// CHECK-NEXT:    [[C:%[a-z0-9_]+]] = memref.alloc() : memref<1024x1024xf32>
// CHECK-NEXT:    gpu.launch
// CHECK:           memref.load %arg1
// CHECK:           memref.store %{{.*}}, [[C]]
// CHECK:         [[G:%[a-z0-9_]+]] = memref.alloc
// CHECK-NEXT:    collective.all_gather [[C]] into [[G]] {{.*}}collective.start
// CHECK-NEXT:    gpu.launch
// CHECK:           memref.store %{{.*}}, %arg0
// CHECK:         collective.wait [[G]]
// CHECK-NEXT:    memref.dealloc [[C]]
// CHECK-NEXT:    memref.copy [[G]], %arg2
func.func @made_for_it(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %z: memref<1024x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  memref.copy %x, %w : memref<4x4xf32> to memref<4x4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %one, %x[%c0, %c0] : memref<4x4xf32>
    gpu.terminator
  } {shardir.launch_seconds = 5.0 : f64}
  %made = memref.alloc() : memref<1024x1024xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %v = memref.load %w[%c0, %c0] : memref<4x4xf32>
    memref.store %v, %made[%c0, %c0] : memref<1024x1024xf32>
    gpu.terminator
  } {shardir.launch_seconds = 0.1 : f64}
  %v = memref.alloc() : memref<1024x2048xf32>
  collective.all_gather %made into %v from #rows_and_columns to #rows_alone of tensor<2048x2048xf32> : memref<1024x1024xf32>, memref<1024x2048xf32>
  memref.dealloc %made : memref<1024x1024xf32>
  memref.copy %v, %z : memref<1024x2048xf32> to memref<1024x2048xf32>
  memref.dealloc %v : memref<1024x2048xf32>
  return
}
}
