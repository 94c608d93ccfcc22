// Buffers on the host become pointers of the runtime's, which counts no memory of
// the device for them; copies are calls with their bytes and direction.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/copies.mlir --shardir-collectives-to-runtime="hash=abc" | FileCheck %s
// RUN: shard-opt %t/copies.mlir --shardir-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: shard-opt %t/copies.mlir --shardir-to-gpu="arch=host" | FileCheck %s --check-prefix=GPU
// RUN: shard-opt %t/branch.mlir --shardir-collectives-to-runtime="hash=abc" -verify-diagnostics

// CHECK-LABEL: func.func private @program.main
// CHECK:         %[[H:.+]] = llvm.call @shardir_host_alloc(%{{.+}}) : (i64) -> !llvm.ptr
// CHECK:         %[[OUT:.+]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call @shardir_host_copy_start(%[[H]], %{{.+}}, %{{.+}}, %[[OUT]]) : (!llvm.ptr, !llvm.ptr, i64, i32)
// CHECK:         llvm.call @shardir_collective_wait(%[[H]])
// CHECK:         %[[BACK:.+]] = llvm.mlir.constant(0 : i32)
// CHECK:         llvm.call @shardir_host_copy(%{{.+}}, %[[H]], %{{.+}}, %[[BACK]])
// CHECK:         llvm.call @shardir_host_free(%[[H]])
// CHECK-NOT:     #shardir.host
// LLVM:         llvm.call @shardir_host_alloc
// GPU-NOT:      shardir_gpu_alloc
// GPU:          llvm.call @shardir_host_copy_start

//--- copies.mlir
module attributes {shardir.stage = "bufferized"} {
shardir.mesh @m <["x"=2]>
func.func @main(%x: memref<?x4xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>, shardir.global_type = tensor<5x4xbf16>},
                %r: memref<?x4xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>, shardir.global_type = tensor<5x4xbf16>, shardir.result}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xbf16>
  %h = memref.alloc(%n) : memref<?x4xbf16, #shardir.host>
  collective.host_copy %x into %h to host {collective.start} : memref<?x4xbf16>, memref<?x4xbf16, #shardir.host>
  collective.wait %h : memref<?x4xbf16, #shardir.host>
  collective.host_copy %h into %r to device : memref<?x4xbf16, #shardir.host>, memref<?x4xbf16>
  memref.dealloc %h : memref<?x4xbf16, #shardir.host>
  return
}
}

//--- branch.mlir
module attributes {shardir.stage = "bufferized"} {
func.func @main(%c: i1, %x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32, #shardir.host>
  %b = memref.alloc() : memref<4xf32, #shardir.host>
  %h = arith.select %c, %a, %b : memref<4xf32, #shardir.host>
  // expected-error @+1 {{'collective.host_copy' op uses memory of the host that control flow or a call has made; allocate it in the same block}}
  collective.host_copy %x into %h to host : memref<4xf32>, memref<4xf32, #shardir.host>
  return
}
}
