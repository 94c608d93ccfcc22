// Plain: a thread per output element, serial reductions, for every op.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_80 schedule=plain}))' -split-input-file | FileCheck %s

// Blocks of 256 threads, the last one guarded.
// CHECK-LABEL: func.func @fill
// CHECK:         gpu.launch blocks{{.*}} threads
// CHECK:           %[[I:.+]] = arith.addi
// CHECK:           %[[IN:.+]] = arith.cmpi ult, %[[I]], %c1000
// CHECK:           scf.if %[[IN]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<1000xf32>
// CHECK:           gpu.terminator
// CHECK-NEXT:    } {shardir.kernel = "fill_fill_plain_1000_f32", shardir.launch_seconds = {{.*}}, shardir.schedule = {op = "linalg.fill", {{.*}}schedule = "plain"}}
func.func @fill(%a: memref<1000xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%a : memref<1000xf32>)
  return
}

// -----

// The sum stays in a register from the first iteration to the last.
// CHECK-LABEL: func.func @matmul
// CHECK:         gpu.launch
// CHECK:           %[[FIRST:.+]] = memref.load %{{.+}}[%[[M:.+]], %[[N:.+]]] : memref<?x7xf32>
// CHECK:           %[[SUM:.+]] = scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %[[FIRST]])
// CHECK-DAG:         memref.load %{{.+}}[%[[M]], %[[K]]]
// CHECK-DAG:         memref.load %{{.+}}[%[[K]], %[[N]]]
// CHECK:           memref.store %[[SUM]], %{{.+}}[%[[M]], %[[N]]]
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x7xf32>, %c: memref<?x7xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x7xf32>) outs(%c : memref<?x7xf32>)
  return
}

// -----

// An output that two iterations could write is written by one thread.
// CHECK-LABEL: func.func @overlapping
// CHECK:         gpu.launch
// CHECK:           scf.for %[[I:.+]] =
// CHECK:             scf.for %[[J:.+]] =
// CHECK:               %[[AT:.+]] = affine.apply
// CHECK:               memref.load %{{.+}}[%[[AT]]]
// CHECK:               memref.store %{{.+}}, %{{.+}}[%{{.+}}]
func.func @overlapping(%a: memref<4x5xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x5xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Positions within the op are those of the thread.
// CHECK-LABEL: func.func @index
// CHECK:         gpu.launch
// CHECK-NOT:       linalg.index
// CHECK:           scf.if
// CHECK:           %[[SUM:.+]] = arith.muli %[[I:[^,]+]], %[[J:[^ ]+]]
// CHECK:           memref.store %[[SUM]], %{{.+}}[%[[I]], %[[J]]]
func.func @index(%a: memref<4x5xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%a : memref<4x5xindex>) {
  ^bb0(%y: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = arith.muli %i, %j : index
    linalg.yield %r : index
  }
  return
}

// -----

// A nest that no schedule knows runs in one thread.
// CHECK-LABEL: func.func @nest
// CHECK:         gpu.launch blocks(%{{.+}}) in (%{{.+}} = %c1{{.*}}, %{{.+}} = %c1{{.*}}, %{{.+}} = %c1
// CHECK:           scf.for
// CHECK-NOT:       shardir.kernel
// CHECK:           gpu.terminator
func.func @nest(%a: memref<8xf32>, %at: memref<8xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %at[%i] : memref<8xindex>
    %x = memref.load %a[%i] : memref<8xf32>
    memref.store %x, %a[%j] : memref<8xf32>
  } {shardir.kernel}
  return
}

// -----

// CHECK-LABEL: func.func @parallel
// CHECK:         gpu.launch
// CHECK-NOT:       scf.forall
// CHECK:           memref.store
func.func @parallel(%a: memref<?xf32>, %x: f32, %from: index, %to: index) {
  scf.forall (%i) = (%from) to (%to) step (2) {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}
