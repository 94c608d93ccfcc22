// RUN: shard-opt %s -shardir-outline-cpu-kernels | FileCheck %s

// Two fills of one shape share a function, the third has its own. What the body
// captures becomes an argument, constants go along, and a nest without loops
// stays.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.+]]: memref<8xf32>, %[[B:.+]]: memref<8xf32>, %[[C:.+]]: memref<9xf32>, %[[S:.+]]: memref<f32>
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<9xf32>, %s: memref<f32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  // CHECK: call @[[K0:.+]](%[[A]]) : (memref<8xf32>) -> ()
  linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
  // CHECK-NEXT: call @[[K0]](%[[B]]) : (memref<8xf32>) -> ()
  linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
  // CHECK-NEXT: call @[[K1:.+]](%[[C]]) : (memref<9xf32>) -> ()
  linalg.fill ins(%zero : f32) outs(%c : memref<9xf32>)
  // CHECK-NEXT: linalg.fill
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  // CHECK-NEXT: call @[[K2:.+]](%[[A]], %[[B]], %{{.+}}) : (memref<8xf32>, memref<8xf32>, index) -> ()
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%o: f32):
    %v = memref.load %b[%i] : memref<8xf32>
    linalg.yield %v : f32
  }
  return
}

// CHECK:     func.func private @[[K0]](%[[X:.+]]: memref<8xf32>) attributes {llvm.bareptr, no_inline}
// CHECK:       %[[Z:.+]] = arith.constant 0.0
// CHECK:       linalg.fill ins(%[[Z]] : f32) outs(%[[X]] : memref<8xf32>)
// CHECK:     func.func private @[[K1]](
// CHECK:     func.func private @[[K2]](
// CHECK-NOT: func.func
