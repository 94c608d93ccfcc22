// RUN: shard-opt %s --shardir-collectives-to-runtime="hash=abc" | FileCheck %s
// RUN: shard-opt %s --shardir-collectives-to-runtime="entry-prefix=shardir_unsharded_ metadata=false" | FileCheck %s --check-prefix=UNSHARDED
// RUN: shard-opt %s --shardir-to-cpu | FileCheck %s --check-prefix=LLVM

// Meshes and placements are in the metadata alone.
// CHECK:         module attributes {shardir.stage = "cpu"}
// CHECK-NOT:     shardir.mesh
// CHECK-NOT:     shardir.placement

// The program's symbols get a prefix and are called by the entry alone.
// CHECK-LABEL: func.func private @program.main
// CHECK-SAME:    (%[[X:.+]]: memref<?x4xf32>, %[[R:.+]]: memref<?x4xf32>)

// Unknown extents are stored in an array of the function's, not of the loop's.
// CHECK:         %[[DIMS:.+]] = llvm.alloca

// One call for both uses of the coordinate, at the start.
// CHECK-DAG:     %[[MESH:.+]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG:     %[[AXIS:.+]] = llvm.mlir.constant(0 : i32)
// CHECK:         llvm.call @shardir_axis_index(%[[MESH]], %[[AXIS]])
// CHECK-NOT:     llvm.call @shardir_axis_index

// CHECK:         scf.for
// CHECK:           %[[ID:.+]] = llvm.mlir.constant(0 : i32)
// CHECK:           %[[XI:.+]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:           %[[RI:.+]] = memref.extract_aligned_pointer_as_index %[[R]]
// CHECK:           llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr
// CHECK:           llvm.call @shardir_collective(%[[ID]], %{{.+}}, %{{.+}}, %[[DIMS]])

// CHECK:         %[[FAILS:.+]] = arith.xori
// CHECK:         scf.if %[[FAILS]]
// CHECK:           %[[TEXT:.+]] = llvm.mlir.addressof @message0
// CHECK:           llvm.call @shardir_fail(%[[TEXT]])

// The count is that of one block, then come the whole's rows and what is in one;
// the root's number comes last.
// CHECK-LABEL: func.func private @program.rooted
// CHECK:         llvm.call @shardir_collective_blocks(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (i32, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64)
// CHECK:         llvm.call @shardir_collective_peer(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (i32, !llvm.ptr, !llvm.ptr, i64, i64)

// CHECK:         llvm.func @shardir_axis_index(i32, i32) -> i64 attributes {memory_effects = #llvm.memory_effects<other = none
// CHECK:         llvm.func @shardir_fail(!llvm.ptr) attributes {passthrough = ["noreturn", "cold"]}

// CHECK-LABEL: func.func @shardir_entry_main
// CHECK-SAME:    (%[[D:.+]]: !llvm.ptr)
// CHECK:         call @program.main
// CHECK-LABEL: func.func @shardir_entry_rooted
// CHECK:       llvm.mlir.global external constant @shardir_program_metadata("{\22abi\22:1,
// CHECK-SAME:    \22kind\22:\22all_reduce\22,\22loc\22:\22{{.*}}collectives.mlir:[[# @LINE + 24]]:7\22,\22mesh\22:\22m\22,\22shape\22:[-1,4]
// CHECK-SAME:    \22axes\22:[\22y:(1)2\22]
// CHECK-SAME:    \22hash\22:\22abc\22
// CHECK-SAME:    \22devices\22:[1,0],\22name\22:\22m\22
// CHECK-SAME:    \22ranks\22:4,\22report\22:{\22version\22:1}}\00")

// UNSHARDED-NOT: shardir_program_metadata
// UNSHARDED:     func.func @shardir_unsharded_main

// LLVM:     llvm.func internal @program.main
// LLVM:     llvm.func @shardir_collective(i32, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// LLVM:     llvm.func @shardir_entry_main(%{{.+}}: !llvm.ptr)

module attributes {shardir.stage = "bufferized", shardir.report = {version = 1 : i64}} {
  shardir.mesh @big <["y"=4]>
  shardir.mesh @m <["x"=2], devices = [1, 0]>
  func.func @main(%x: memref<?x4xf32> {shardir.global_type = tensor<?x4xf32>, shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
                  %r: memref<?x4xf32> {shardir.global_type = tensor<?x4xf32>, shardir.placement = #shardir.placement<@m, [{}, {}]>, shardir.result}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?x4xf32>
    %i = shardir.axis_index @m "x"
    scf.for %k = %i to %n step %c1 {
      %j = shardir.axis_index @m "x"
      collective.all_reduce %x into %r dims [%n] from #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
          to #shardir.placement<@m, [{}, {} ]> of tensor<?x4xf32> : memref<?x4xf32>, memref<?x4xf32>
      %holds = arith.cmpi slt, %j, %k : index
      cf.assert %holds, "it does not hold"
    }
    return
  }
  func.func @rooted(%x: memref<3xi8> {shardir.global_type = tensor<3xi8>}, %r: memref<6xi8> {shardir.global_type = tensor<6xi8>, shardir.result}) {
    %c0 = arith.constant 0 : index
    collective.gather %x into %r root %c0 on @big ["y:(1)2"] : memref<3xi8>, memref<6xi8>
    collective.send %x to %c0 on @big ["y:(1)2"] : memref<3xi8>
    return
  }
}
