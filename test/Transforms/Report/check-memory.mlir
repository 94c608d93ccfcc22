// RUN: shard-opt %s -shardir-check-memory=limit=1024 | FileCheck %s
// RUN: not shard-opt %s -shardir-check-memory=limit=1023 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not shard-opt %s -shardir-check-memory=limit=500 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not shard-opt %s --shardir-to-collective="memory-limit=1000" 2>&1 | FileCheck %s --check-prefix=ERROR

// Half of the rows of the argument and of the result are alive at one time.
// CHECK: math.exp
// ERROR: check-memory.mlir:[[#@LINE+12]]:8: error: 'math.exp' needs 1024 bytes at one time on a device, above the memory limit of
// ERROR: note: split more of @main's tensors, or raise memory-limit; the largest tensors alive here are
// ERROR: check-memory.mlir:[[#@LINE+10]]:8: note: 512 bytes: the result of 'math.exp', 'tensor<16x16xf32>',
// ERROR-SAME: #shardir.placement<@m, [{"dp"}, {}]>
// ERROR: check-memory.mlir:[[#@LINE+5]]:17: note: 512 bytes: argument 0 of @main ("x"), 'tensor<16x16xf32>',
// ERROR-SAME: #shardir.placement<@m, [{"dp"}, {}]>
// ARGUMENTS: error: 'math.exp' needs 1024 bytes
shardir.mesh @m <["dp"=2]>

func.func @main(%x: tensor<16x16xf32> {shardir.name = "x", shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  // The peak is here.
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"dp"}, {}]>]} : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
