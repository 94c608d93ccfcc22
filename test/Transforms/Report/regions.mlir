// RUN: shard-opt %s --shardir-to-collective --shardir-report=file=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: shard-opt %s --shardir-to-local --shardir-report=file=- -o %t.mlir | FileCheck %s
// RUN: shard-run %s --function=known --verify --report=%t.known.json
// RUN: FileCheck %s --check-prefix=MEASURED < %t.known.json

// How often collectives run: a trip count is multiplied, one that is not known
// or a branch is null. Of branches the least counts: 48 bytes in three
// iterations, of one all-reduce of 3 f32 on 2 devices, 2 * ceil(3 / 2) * 4 each;
// nothing of a branch that may not run; 16 of the while loop's, once.
// CHECK-NOT:  "executions"
// CHECK:      "executions": 3,
// CHECK-NEXT: "function": "known"
// CHECK:      "executions": null,
// CHECK-NEXT: "function": "branch"
// CHECK:      "executions": null,
// CHECK-NEXT: "function": "unknown"
// CHECK-NOT:  "executions"
// CHECK:      "lower_bound": true
// MEASURED:      "executions": 3,
// MEASURED:      "measured": {
// MEASURED-NEXT:   "bytes_per_device": 48
shardir.mesh @m <["x"=2]>

func.func @known(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<8x3xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> (tensor<3xf32>) {
    %b = linalg.broadcast ins(%a : tensor<3xf32>) outs(%e : tensor<8x3xf32>) dimensions = [0]
    %p = arith.mulf %b, %x : tensor<8x3xf32>
    %q = arith.addf %p, %x : tensor<8x3xf32>
    %s = linalg.reduce { arith.addf } ins(%q : tensor<8x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
    %t = math.tanh %s : tensor<3xf32>
    scf.yield %t : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @branch(%c: i1, %x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %r = scf.if %c -> (tensor<3xf32>) {
    %s = linalg.reduce { arith.addf } ins(%x : tensor<8x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
    %t = math.tanh %s : tensor<3xf32>
    scf.yield %t : tensor<3xf32>
  } else {
    scf.yield %z : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @unknown(%n: index, %x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<8x3xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<3xf32>) {
    %b = linalg.broadcast ins(%a : tensor<3xf32>) outs(%e : tensor<8x3xf32>) dimensions = [0]
    %p = arith.mulf %b, %x : tensor<8x3xf32>
    %q = arith.addf %p, %x : tensor<8x3xf32>
    %s = linalg.reduce { arith.addf } ins(%q : tensor<8x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
    %t = math.tanh %s : tensor<3xf32>
    scf.yield %t : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}
