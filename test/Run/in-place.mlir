// Contiguous data moves in place: a block of rows is a view, a collective reads the
// operand where it lies and writes the caller's result. What is not contiguous is
// packed once.
//
// MESHES: x=2,y=2 x=2,y=3 x=3,y=2 x=1,y=4
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/Inputs/verify-all.py %s
// RUN: shard-opt %s --shardir-to-bufferized="mesh=x=2,y=2" | FileCheck %s
//
// At the peak, as the runtime counts it, there are the operand and the result.
// RUN: shard-run %s --mesh=x=2,y=2 --function=slice_gather --report=%t.json
// RUN: %python -c "import json, sys; print(json.load(open(sys.argv[1]))['measured'])" %t.json | FileCheck %s --check-prefix=GATHER
// GATHER: 'peak_bytes_per_device': 512,
// RUN: shard-run %s --mesh=x=2,y=2 --function=slice_scatter --report=%t.json
// RUN: %python -c "import json, sys; print(json.load(open(sys.argv[1]))['measured'])" %t.json | FileCheck %s --check-prefix=SCATTER
// SCATTER: 'peak_bytes_per_device': 640,
// RUN: shard-run %s --mesh=x=2,y=2 --function=gather_columns --report=%t.json
// RUN: %python -c "import json, sys; print(json.load(open(sys.argv[1]))['measured'])" %t.json | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: 'peak_bytes_per_device': 768,
shardir.mesh @m <["x"=?2, "y"=?2]>

// CHECK-LABEL: func.func @gather_rows
// CHECK-SAME:    %[[X:[^:]+]]: memref<4x16xf32>
// CHECK-NEXT:    collective.all_gather %[[X]] into %{{.+}} from
// CHECK-NEXT:    return
func.func @gather_rows(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %x : tensor<8x16xf32>
}

// The runtime puts columns where they belong.
// CHECK-LABEL: func.func @gather_columns
// CHECK-SAME:    %[[X:[^:]+]]: memref<8x8xf32>
// CHECK-NEXT:    collective.all_gather %[[X]] into %{{.+}} from
// CHECK-NEXT:    return
func.func @gather_columns(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %x : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @rows_to_columns
// CHECK-NEXT:    collective.all_to_all %arg0 into %arg1
// CHECK-NEXT:    return
func.func @rows_to_columns(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  return %x : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @slice_gather
// CHECK-NOT:     memref.alloc
// CHECK:         %[[V:.+]] = memref.subview %arg0[%{{.+}}, 0] [4, 8] [1, 1]
// CHECK-NEXT:    collective.all_gather %[[V]] into %arg1
// CHECK-NEXT:    return
func.func @slice_gather(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  return %x : tensor<8x16xf32>
}

// Columns of a row-major tensor are strided: one copy.
// CHECK-LABEL: func.func @slice_columns_gather
// CHECK:         %[[V:.+]] = memref.subview %arg0[0, %{{.+}}] [4, 8] [1, 1]
// CHECK-NEXT:    %[[A:.+]] = memref.alloc() {{.*}} : memref<4x8xf32>
// CHECK-NEXT:    memref.copy %[[V]], %[[A]]
// CHECK-NEXT:    collective.all_gather %[[A]] into %arg1
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return
func.func @slice_columns_gather(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  return %x : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @slice_scatter
// CHECK-NOT:     memref.alloc
// CHECK:         %[[V:.+]] = memref.subview %arg0
// CHECK-NEXT:    collective.reduce_scatter %[[V]] into %arg1
// CHECK-NEXT:    return
func.func @slice_scatter(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["y"]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  return %x : tensor<8x16xf32>
}

// From a part of one buffer straight into another, uneven parts too.
// CHECK-LABEL: func.func @slice_reduce
// CHECK-NOT:     memref.alloc
// CHECK:         %[[V:.+]] = memref.subview %arg0[%{{.+}}, 0] [%{{.+}}, 16] [1, 1]
// CHECK-NEXT:    collective.all_reduce %[[V]] into %arg1
// CHECK-NEXT:    return
func.func @slice_reduce(%x: tensor<7x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["y"]>}) -> (tensor<7x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  return %x : tensor<7x16xf32>
}
