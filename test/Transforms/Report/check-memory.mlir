// RUN: shard-opt %s -shardir-check-memory=limit=1024 | FileCheck %s
// RUN: not shard-opt %s -shardir-check-memory=limit=1023 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not shard-opt %s -shardir-check-memory=limit=500 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not shard-opt %s --shardir-to-collective="memory-limit=1000" 2>&1 | FileCheck %s --check-prefix=ERROR

// Half of the rows of the argument and of the result are alive at one time.
// CHECK: math.exp
// ERROR: check-memory.mlir:[[#@LINE+8]]:8: error: needs 1024 bytes at one time on a device, above the memory limit of
// ERROR: note: split more of @main's tensors, or raise memory-limit
// ARGUMENTS: error: needs 1024 bytes
shardir.mesh @m <["dp"=2]>

func.func @main(%x: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  // The peak is here.
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"dp"}, {}]>]} : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
