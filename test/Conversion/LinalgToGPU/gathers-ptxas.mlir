// Gathered rows come 16 bytes at a time where they are aligned; threads test that where it is not known.
// REQUIRES: ptxas
// RUN: shard-opt %s -o %t.mlir -pass-pipeline='builtin.module(func.func(shardir-schedule-for-gpu{arch=sm_80}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=sm_80},gpu.module(shardir-kernels-to-nvvm{arch=sm_80}),shardir-assemble-kernels{arch=sm_80 explain dump-ptx=%t.ptx})' 2>&1 | FileCheck %s --check-prefix=NEEDS --implicit-check-not="error:"
// RUN: FileCheck %s < %t.ptx

// NEEDS-COUNT-4: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes

// CHECK-LABEL: .entry rows
// CHECK-NOT:   ld.global.b16
// CHECK:       ld.global.v4.b32
// CHECK-NOT:   ld.global.b16
// CHECK:       st.global.v4.b32
func.func @rows(%t: memref<1000x512xbf16>, %places: memref<128xindex>, %o: memref<128x512xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : memref<128xindex>) outs(%o : memref<128x512xbf16>) {
  ^bb0(%row: index, %x: bf16):
    %j = linalg.index 1 : index
    %0 = memref.load %t[%row, %j] : memref<1000x512xbf16>
    linalg.yield %0 : bf16
  }
  return
}

// Rows of 1000 bytes.
// CHECK-LABEL: .entry eight_bytes
// CHECK-NOT:   ld.global.b16
// CHECK:       ld.global.v2.b32
// CHECK-NOT:   ld.global.b16
// CHECK:       st.global.v2.b32
func.func @eight_bytes(%t: memref<1000x500xbf16>, %places: memref<128xindex>, %o: memref<128x500xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : memref<128xindex>) outs(%o : memref<128x500xbf16>) {
  ^bb0(%row: index, %x: bf16):
    %j = linalg.index 1 : index
    %0 = memref.load %t[%row, %j] : memref<1000x500xbf16>
    linalg.yield %0 : bf16
  }
  return
}

// CHECK-LABEL: .entry windows
// CHECK:       and.b64 %{{.+}}, %{{.+}}, 15;
// CHECK-DAG:   ld.global.v4.b32
// CHECK-DAG:   ld.global.b32
// CHECK:       st.global.v4.b32
func.func @windows(%t: memref<1000x67xf32>, %rows: memref<128xindex>, %columns: memref<128xindex>, %o: memref<128x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %columns : memref<128xindex>, memref<128xindex>) outs(%o : memref<128x32xf32>) {
  ^bb0(%row: index, %from: index, %x: f32):
    %j = linalg.index 1 : index
    %column = arith.addi %from, %j : index
    %0 = memref.load %t[%row, %column] : memref<1000x67xf32>
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: .entry odd
// CHECK-NOT:   .global.v
// CHECK:       st.global.b32
// CHECK-NOT:   .global.v
func.func @odd(%t: memref<1000x37xf32>, %places: memref<128xindex>, %o: memref<128x37xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : memref<128xindex>) outs(%o : memref<128x37xf32>) {
  ^bb0(%row: index, %x: f32):
    %j = linalg.index 1 : index
    %0 = memref.load %t[%row, %j] : memref<1000x37xf32>
    linalg.yield %0 : f32
  }
  return
}
