// The first stage begins a micro-batch before the gradient of the one before has come back.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/training.mlir --shardir-to-local | shard-opt --shardir-pipeline-micro-batches --canonicalize | FileCheck %t/training.mlir
// RUN: shard-opt %t/forward.mlir --shardir-to-local | shard-opt --shardir-pipeline-micro-batches -o /dev/null 2>&1 | FileCheck %t/forward.mlir
// RUN: shard-opt %t/few.mlir --shardir-to-local | shard-opt --shardir-pipeline-micro-batches -o /dev/null 2>&1 | FileCheck %t/few.mlir
// RUN: shard-opt %t/carried.mlir --shardir-to-local | shard-opt --shardir-pipeline-micro-batches -o /dev/null 2>&1 | FileCheck %t/carried.mlir
// RUN: shard-opt %t/none.mlir --shardir-to-scheduled=pipeline=1f1b -o /dev/null 2>&1 | FileCheck %t/none.mlir
// RUN: not shard-opt %t/none.mlir --shardir-to-scheduled=pipeline=gpipe 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: option pipeline must be {{.*}}sequential{{.*}}1f1b{{.*}}gpipe

//--- training.mlir
// CHECK-LABEL: func.func @main
// CHECK:         math.tanh
// CHECK:         collective.exchange {{.*}} to #shardir.placement<@second
// CHECK:         math.exp
// CHECK:         scf.for
// Moves come before the work of both meshes.
// CHECK:           math.tanh
// CHECK-NEXT:      scf.yield
// CHECK:           collective.exchange {{.*}} to #shardir.placement<@second
// CHECK-NEXT:      collective.exchange {{.*}} to #shardir.placement<@first
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK:         collective.exchange {{.*}} to #shardir.placement<@first
// CHECK-NOT:     math.exp
// CHECK:         arith.mulf
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%xs: tensor<5x4xf32> {shardir.placement = #shardir.placement<@first, [{}, {"a"}]>}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (tensor<4xf32>) {
    %x = tensor.extract_slice %xs[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %f = math.tanh %x : tensor<4xf32>
    %g = shardir.constrain %f to #shardir.placement<@second, [{"b"}]> : tensor<4xf32>
    %b = math.exp %g : tensor<4xf32>
    %h = shardir.constrain %b to #shardir.placement<@first, [{"a"}]> : tensor<4xf32>
    %d = arith.mulf %h, %f : tensor<4xf32>
    %next = arith.addf %sum, %d : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- forward.mlir
// Each mesh has one segment: a micro-batch begins in every slot.
// CHECK: remark: its micro-batches run as 1F1B: 2 segments of work in a period of 1, at most 2 micro-batches in flight
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%xs: tensor<5x4xf32> {shardir.placement = #shardir.placement<@first, [{}, {"a"}]>})
    -> (tensor<4xf32> {shardir.placement = #shardir.placement<@second, [{"b"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (tensor<4xf32>) {
    %x = tensor.extract_slice %xs[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %f = math.tanh %x : tensor<4xf32>
    %g = shardir.constrain %f to #shardir.placement<@second, [{"b"}]> : tensor<4xf32>
    %next = arith.addf %sum, %g : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- few.mlir
// CHECK: warning: its micro-batches run one after the other: 1F1B needs at least 2 of them, and a number that is known; found 1
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%xs: tensor<5x4xf32> {shardir.placement = #shardir.placement<@first, [{}, {"a"}]>})
    -> (tensor<4xf32> {shardir.placement = #shardir.placement<@second, [{"b"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%sum = %zero) -> (tensor<4xf32>) {
    %x = tensor.extract_slice %xs[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %f = math.tanh %x : tensor<4xf32>
    %g = shardir.constrain %f to #shardir.placement<@second, [{"b"}]> : tensor<4xf32>
    %next = arith.addf %sum, %g : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- carried.mlir
// CHECK: warning: its micro-batches run one after the other: carried value 0 is made behind a move to another mesh, and the next micro-batch begins with it
shardir.mesh @first <["a"=2]>
shardir.mesh @second <["b"=2], devices = [2, 3]>
func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@first, [{"a"}]>}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%p = %x) -> (tensor<4xf32>) {
    %f = math.tanh %p : tensor<4xf32>
    %g = shardir.constrain %f to #shardir.placement<@second, [{"b"}]> : tensor<4xf32>
    %u = arith.addf %g, %g : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- none.mlir
// CHECK: warning: no loop has micro-batches that go from one mesh to another; 1F1B changes nothing
shardir.mesh @first <["a"=2]>
func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@first, [{"a"}]>}) -> tensor<4xf32> {
  %f = math.tanh %x : tensor<4xf32>
  return %f : tensor<4xf32>
}
