// An error shows the source line; the op in generic form, for a module the
// complete program, is printed only where it is asked for.
//
// RUN: not shard-opt %s --shardir-to-local="mesh=z=2" 2>&1 | FileCheck %s --implicit-check-not="see current operation"
// RUN: sh -c 'shard-compile %s -o %t.so --mesh=z=2; test $? = 2' 2>&1 | FileCheck %s --implicit-check-not="see current operation"
// CHECK: no-dump.mlir:{{.*}}: error: mesh option 'z=2' names axis "z"
// CHECK-NOT: func.func
// RUN: not shard-opt %s --shardir-to-local="mesh=z=2" --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: not shard-opt %s --shardir-to-local="mesh=z=2" -mlir-print-op-on-diagnostic=true 2>&1 | FileCheck %s --check-prefix=DUMP
// DUMP: error: mesh option 'z=2' names axis "z"
// DUMP: note: see current operation:
// DUMP-NEXT: "builtin.module"

module {
  shardir.mesh @m <["x"=2]>
  func.func @main(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<4xf32> {
    %r = math.exp %a : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
