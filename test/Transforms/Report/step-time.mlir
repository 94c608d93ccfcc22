// The predicted time of a step: what is started goes on beside kernels until it is
// waited for, in the order of starts; loops count as often as they go around.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/beside.mlir --allow-unregistered-dialect --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=BESIDE
// RUN: shard-opt %t/in-line.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=LINE
// RUN: shard-opt %t/shared.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=SHARED
// RUN: sed '/^#second/s/"x"/"y"/' %t/shared.mlir > %t/apart.mlir
// RUN: shard-opt %t/apart.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=APART
// RUN: shard-opt %t/bucket.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=BUCKET
// RUN: shard-opt %t/widened.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=WIDENED
// RUN: shard-opt %t/unknown.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=predicted
// RUN: shard-opt %t/host.mlir --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=HOST
// RUN: shard-opt %t/wrong.mlir --allow-unregistered-dialect -verify-diagnostics

// A product of 2e6 operations takes 20 ms, the copy of 80 KB 8 ms, the kernel 5 ms, and a
// sum over two devices receives 40 KB in 40 ms: 13 of these beside the kernel and the copy.
// BESIDE:      "peak_bytes_per_device": 160000
// BESIDE-NEXT: "predicted": {
// BESIDE-NEXT:   "communication_seconds": 0.04000
// BESIDE-NEXT:   "compute_seconds": 0.033
// BESIDE-NEXT:   "exposed_seconds": 0.027
// BESIDE-NEXT:   "seconds": 0.060

//--- beside.mlir
module attributes {shardir.stage = "bufferized", shardir.machine = {flops = {f32 = 1.0e8}, memory_bandwidth = 1.0e7}} {
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 1.0e6, latency = 1.0e-9}}>
func.func @main(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<100x100xf32>, %d: memref<100x100xf32>) {
  linalg.matmul ins(%a, %b : memref<100x100xf32>, memref<100x100xf32>) outs(%c : memref<100x100xf32>)
  collective.all_reduce %c into %d from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> of tensor<100x100xf32> {collective.start} : memref<100x100xf32>, memref<100x100xf32>
  "test.kernel"() {shardir.launch_seconds = 5.0e-3} : () -> ()
  memref.copy %a, %b : memref<100x100xf32> to memref<100x100xf32>
  collective.wait %d : memref<100x100xf32>
  return
}
}

// Copies to the host and back take 20 ms each, one after the other, beside a sum of 40 ms
// a copy of 8 ms on the device, which waits for them.
// HOST:      "host_bytes_per_device": 40000
// HOST:      "predicted": {
// HOST-NEXT:   "communication_seconds": 0.04000
// HOST-NEXT:   "compute_seconds": 0.008
// HOST-NEXT:   "exposed_seconds": 0.04
// HOST-NEXT:   "host_copy_seconds": 0.04
// HOST-NEXT:   "seconds": 0.048

//--- host.mlir
module attributes {shardir.stage = "bufferized", shardir.machine = {memory_bandwidth = 1.0e7, host = {bandwidth = 2.0e6}}} {
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 1.0e6, latency = 1.0e-9}}>
func.func @main(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<100x100xf32>, %d: memref<100x100xf32>) {
  %h = memref.alloc() : memref<100x100xf32, #shardir.host>
  collective.all_reduce %c into %d from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> of tensor<100x100xf32> {collective.start} : memref<100x100xf32>, memref<100x100xf32>
  collective.host_copy %a into %h to host {collective.start} : memref<100x100xf32>, memref<100x100xf32, #shardir.host>
  collective.host_copy %h into %b to device {collective.start} : memref<100x100xf32, #shardir.host>, memref<100x100xf32>
  collective.wait %b : memref<100x100xf32>
  memref.copy %a, %b : memref<100x100xf32> to memref<100x100xf32>
  collective.wait %d : memref<100x100xf32>
  memref.dealloc %h : memref<100x100xf32, #shardir.host>
  return
}
}

// A bucket takes what its shards take: each device receives 40 KB of either sum, in 80 ms together, whatever axes
// split one of them.
// BUCKET: "communication_seconds": 0.0800

//--- bucket.mlir
#halves = #shardir.placement<@m, [{"y"}, {}]>
#terms_of_halves = #shardir.placement<@m, [{"y"}, {}], partial = sum ["x"]>
#all = #shardir.placement<@m, [{}, {}]>
#terms = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
module attributes {shardir.stage = "bufferized", shardir.machine = {memory_bandwidth = 1.0e7}} {
shardir.mesh @m <["x"=2, "y"=4], links = {x = {bandwidth = 1.0e6, latency = 1.0e-9}}>
func.func @main(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<100x100xf32>, %d: memref<100x100xf32>) {
  collective.all_reduce %a into %b from #terms_of_halves to #halves of tensor<400x100xf32> {collective.bucket = 0 : i64} : memref<100x100xf32>, memref<100x100xf32>
  collective.all_reduce %c into %d from #terms to #all of tensor<100x100xf32> {collective.bucket = 0 : i64} : memref<100x100xf32>, memref<100x100xf32>
  return
}
}

// Ten iterations, each of 20 ms of work and 40 ms in a collective that nothing goes on beside.
// LINE:      "communication_seconds": 0.4
// LINE-NEXT: "compute_seconds": 0.2
// LINE-NEXT: "exposed_seconds": 0.4
// LINE-NEXT: "seconds": 0.6

//--- in-line.mlir
module attributes {shardir.stage = "bufferized", shardir.machine = {flops = {f32 = 1.0e8}, memory_bandwidth = 1.0e9}} {
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 1.0e6, latency = 1.0e-9}}>
func.func @main(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<100x100xf32>, %d: memref<100x100xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  scf.for %i = %zero to %ten step %one {
    linalg.matmul ins(%a, %b : memref<100x100xf32>, memref<100x100xf32>) outs(%c : memref<100x100xf32>)
    collective.all_reduce %c into %d from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> of tensor<100x100xf32> : memref<100x100xf32>, memref<100x100xf32>
  }
  return
}
}

// Two sums of 40 ms each, the second one in line: over the same links both take 80 ms, over others what they would
// take alone.
// SHARED:      "communication_seconds": 0.08
// SHARED:      "seconds": 0.08
// APART:       "communication_seconds": 0.06
// APART:       "seconds": 0.04

//--- shared.mlir
#first = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
#second = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
#all = #shardir.placement<@m, [{}, {}]>
module attributes {shardir.stage = "bufferized", shardir.machine = {memory_bandwidth = 1.0e9}} {
shardir.mesh @m <["x"=2, "y"=2], links = {x = {bandwidth = 1.0e6, latency = 1.0e-9}, y = {bandwidth = 2.0e6, latency = 1.0e-9}}>
func.func @main(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<100x100xf32>, %d: memref<100x100xf32>) {
  collective.all_reduce %a into %b from #first to #all of tensor<100x100xf32> {collective.start} : memref<100x100xf32>, memref<100x100xf32>
  collective.all_reduce %c into %d from #second to #all of tensor<100x100xf32> : memref<100x100xf32>, memref<100x100xf32>
  collective.wait %b : memref<100x100xf32>
  return
}
}

// Products of bf16 with sums in f32 are 2e6 operations at the rate of bf16: what widens is part of them.
// WIDENED: "compute_seconds": 0.01

//--- widened.mlir
module attributes {shardir.stage = "bufferized", shardir.machine = {flops = {bf16 = 2.0e8, f32 = 1.0e8}, memory_bandwidth = 1.0e9}} {
shardir.mesh @m <["x"=2]>
func.func @main(%a: memref<100x100xbf16>, %b: memref<100x100xbf16>, %c: memref<100x100xf32>) {
  linalg.matmul ins(%a, %b : memref<100x100xbf16>, memref<100x100xbf16>) outs(%c : memref<100x100xf32>)
  return
}
}

// An extent that is not known before the program runs.
// UNKNOWN: "peak_bytes_per_device"

//--- unknown.mlir
module attributes {shardir.stage = "bufferized", shardir.machine = {flops = {f32 = 1.0e8}}} {
shardir.mesh @m <["x"=2]>
func.func @main(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  return
}
}

//--- wrong.mlir
func.func @main() {
  // expected-error @+1 {{'shardir.launch_seconds' must be a number}}
  "test.kernel"() {shardir.launch_seconds = "long"} : () -> ()
  return
}
