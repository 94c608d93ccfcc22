// Copies to the host and back go on beside work, apart from collectives: the way
// out starts where the value is made and is waited for before its memory is freed,
// the way back starts ahead of its use, within the memory limit.
//
// RUN: shard-opt %s --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives))" | FileCheck %s
// RUN: shard-opt %s --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives{memory-limit=8192}))" | FileCheck %s --check-prefix=LIMIT
// RUN: sed 's/host = {bandwidth = 1.0e6/host = {bandwidth = 2.5e5/' %s | shard-opt --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives))" | FileCheck %s --check-prefix=SLOW

#partial = #shardir.placement<@m, [{}], partial = sum ["x"]>
#all = #shardir.placement<@m, [{}]>

// A copy of 1024 floats takes 8.2 ms of the device's memory and 4.1 ms of the link.
module attributes {shardir.machine = {memory_bandwidth = 1.0e6, host = {bandwidth = 1.0e6, latency = 1.0e-6}}} {
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 1.0e6, latency = 1.0e-6}}>

// CHECK-LABEL: func.func @there_and_back
// CHECK:         memref.copy %arg0, %[[V:.+]] :
// CHECK:         collective.host_copy %[[V]] into %[[H:.+]] to host {collective.start}
// CHECK-NEXT:    memref.copy %arg0, %arg1
// CHECK-NEXT:    collective.wait %[[H]]
// CHECK-NEXT:    memref.dealloc %[[V]]
// CHECK:         memref.copy %arg0, %arg2
// CHECK:         collective.host_copy %[[H]] into %[[D:.+]] to device {collective.start}
// CHECK-NEXT:    memref.copy %arg0, %arg1
// CHECK:         collective.wait %[[D]]
// CHECK:         memref.copy %[[D]], %arg2
// Three arguments leave room for one value more: the way back starts only where it is used.
// LIMIT-LABEL: func.func @there_and_back
// LIMIT:         collective.host_copy %{{.+}} into %{{.+}} to host
func.func @there_and_back(%x: memref<1024xf32>, %r: memref<1024xf32>, %s: memref<1024xf32>) {
  %v = memref.alloc() : memref<1024xf32>
  memref.copy %x, %v : memref<1024xf32> to memref<1024xf32>
  %h = memref.alloc() : memref<1024xf32, #shardir.host>
  collective.host_copy %v into %h to host : memref<1024xf32>, memref<1024xf32, #shardir.host>
  memref.dealloc %v : memref<1024xf32>
  memref.copy %x, %r : memref<1024xf32> to memref<1024xf32>
  memref.copy %x, %s : memref<1024xf32> to memref<1024xf32>
  memref.copy %x, %r : memref<1024xf32> to memref<1024xf32>
  %d = memref.alloc() : memref<1024xf32>
  collective.host_copy %h into %d to device : memref<1024xf32, #shardir.host>, memref<1024xf32>
  memref.dealloc %h : memref<1024xf32, #shardir.host>
  memref.copy %d, %s : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %d : memref<1024xf32>
  return
}

// A sum that has been started need be done where its result is copied, though that
// copy is started, too: they are of two sequences.
// CHECK-LABEL: func.func @sum_then_copy
// CHECK:         collective.all_reduce %arg0 into %[[V:.+]] from {{.*}}collective.start
// CHECK:         collective.wait %[[V]]
// CHECK-NEXT:    collective.host_copy %[[V]] into %[[H:.+]] to host {collective.start}
// CHECK:         collective.wait %[[H]]
func.func @sum_then_copy(%x: memref<1024xf32>, %r: memref<1024xf32>, %s: memref<1024xf32>) {
  %v = memref.alloc() : memref<1024xf32>
  collective.all_reduce %x into %v from #partial to #all of tensor<1024xf32> : memref<1024xf32>, memref<1024xf32>
  memref.copy %s, %r : memref<1024xf32> to memref<1024xf32>
  %h = memref.alloc() : memref<1024xf32, #shardir.host>
  collective.host_copy %v into %h to host : memref<1024xf32>, memref<1024xf32, #shardir.host>
  memref.dealloc %v : memref<1024xf32>
  memref.copy %s, %r : memref<1024xf32> to memref<1024xf32>
  collective.host_copy %h into %s to device : memref<1024xf32, #shardir.host>, memref<1024xf32>
  memref.dealloc %h : memref<1024xf32, #shardir.host>
  return
}

// A sum and a slow copy read one value, which is freed behind both: the sum's end
// does not wait for the copy.
// SLOW-LABEL: func.func @two_readers
// SLOW:         collective.host_copy %[[V:.+]] into %[[H:.+]] to host {collective.start}
// SLOW:         collective.all_reduce %[[V]] into %arg1 {{.*}}collective.start
// SLOW-NEXT:    memref.copy %arg0, %arg2
// SLOW-NEXT:    collective.wait %arg1
// SLOW-NEXT:    memref.copy %arg1, %arg2
// SLOW:         collective.wait %[[H]]
// SLOW-NEXT:    memref.dealloc %[[V]]
func.func @two_readers(%x: memref<1024xf32>, %r: memref<1024xf32>, %s: memref<1024xf32>) {
  %v = memref.alloc() : memref<1024xf32>
  memref.copy %x, %v : memref<1024xf32> to memref<1024xf32>
  %h = memref.alloc() : memref<1024xf32, #shardir.host>
  collective.host_copy %v into %h to host : memref<1024xf32>, memref<1024xf32, #shardir.host>
  collective.all_reduce %v into %r from #partial to #all of tensor<1024xf32> : memref<1024xf32>, memref<1024xf32>
  memref.dealloc %v : memref<1024xf32>
  memref.copy %x, %s : memref<1024xf32> to memref<1024xf32>
  memref.copy %r, %s : memref<1024xf32> to memref<1024xf32>
  memref.copy %x, %s : memref<1024xf32> to memref<1024xf32>
  collective.host_copy %h into %s to device : memref<1024xf32, #shardir.host>, memref<1024xf32>
  memref.dealloc %h : memref<1024xf32, #shardir.host>
  return
}
}
