// RUN: not shard-opt %s --shardir-to-collective -shardir-check-memory=limit=1000 -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=note:

// RUN: not shard-opt %s --shardir-to-collective -shardir-check-memory="limit=1000 recomputed=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER --implicit-check-not=recomputing
// RUN: not shard-opt %s --shardir-to-collective=memory-limit=1000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER --implicit-check-not=recomputing

// Recomputation that was not chosen does not help, and is not advised.
// AFTER: error: {{.*}} bytes at one time on a device, above the memory limit of 1000
// AFTER: note: 640 bytes: the result of

// "tp" is free for all that is alive at the peak; the split that saves most is
// named, an uneven one too: one of the three columns is left. A value that is kept for
// later, and computed of an argument alone, can be recomputed; not one that the
// op at the peak reads.
shardir.mesh @m <["dp"=2, "tp"=4]>

// CHECK: [[#@LINE+14]]:8: error: 'sum over dim 1' needs {{[0-9]+}} bytes at one time on a device, above the memory limit of 1000
// CHECK: note: split more of @main's tensors, or raise memory-limit; the largest tensors alive here are
// CHECK: [[#@LINE+9]]:8: note: 640 bytes: the result of 'math.tanh', 'tensor<16x20xf32>', #shardir.placement<@m, [{"dp"}, {}]>, decided by argument 0 of @main; splitting dim 0 over "tp" saves 480 bytes; recomputing it after the peak saves 640 bytes
// CHECK: [[#@LINE+9]]:8: note: 640 bytes: the result of 'math.cos', {{.*}}; splitting dim 0 over "tp" saves 480 bytes{{ *$}}
// CHECK: [[#@LINE+4]]:17: note: 640 bytes: argument 0 of @main ("x"), {{.*}}; splitting dim 0 over "tp" saves 480 bytes{{ *$}}
// CHECK: [[#@LINE+9]]:8: note: 32 bytes: the result of 'sum over dim 1', {{.*}}; splitting dim 0 over "tp" saves 24 bytes{{ *$}}
// CHECK: [[#@LINE+3]]:17: note: 24 bytes: argument 1 of @main, 'tensor<2x3xf32>', {{.*}}; splitting dim 1 over "tp" saves 16 bytes{{ *$}}

func.func @main(%x: tensor<16x20xf32> {shardir.name = "x", shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %s: tensor<2x3xf32>) -> (tensor<16x20xf32>, tensor<16xf32>, tensor<2x3xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %k = math.tanh %x : tensor<16x20xf32>
  %a = math.cos %x : tensor<16x20xf32>
  // The peak is here.
  %r = linalg.reduce { arith.addf } ins(%a : tensor<16x20xf32>) outs(%zero : tensor<16xf32>) dimensions = [1]
  %c = arith.mulf %k, %k : tensor<16x20xf32>
  return %c, %r, %s : tensor<16x20xf32>, tensor<16xf32>, tensor<2x3xf32>
}
