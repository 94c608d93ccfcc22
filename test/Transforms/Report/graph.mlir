// Operands of values as indices of values, through regions; what is alive at each
// op; axes in the order of the mesh, and its devices.

// RUN: shard-opt %s --shardir-to-collective --shardir-report=file=%t.json -o /dev/null
// RUN: %python %S/Inputs/print-graph.py %t.json | FileCheck %s --match-full-lines

// 32 floats on 4 devices are 32 bytes on each: arguments are there throughout, the sum
// only within the kernel of the product.
//      CHECK: z=2 a=2 [3, 2, 1, 0]
// CHECK-NEXT: 0 straight arg0
// CHECK-NEXT: 1 straight arith.addf of 0, 32 bytes
// CHECK-NEXT: 2 straight arith.mulf of 1 0, 64 bytes
// CHECK-NEXT: 3 straight result0 of 2
// The loop's argument stands for what enters the loop.
// CHECK-NEXT: 4 loop arg0
// CHECK-NEXT: 5 loop arith.addf of 4
// CHECK-NEXT: 6 loop scf.for of 4 5, {{.+}} bytes
// CHECK-NEXT: 7 loop result0 of 6

shardir.mesh @m <["z"=2, "a"=2], devices = [3, 2, 1, 0]>

func.func @straight(%x: tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"z", "a"}]>}) -> tensor<32xf32> {
  %y = arith.addf %x, %x : tensor<32xf32>
  %z = arith.mulf %y, %x : tensor<32xf32>
  return %z : tensor<32xf32>
}

func.func @loop(%x: tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"z", "a"}]>}) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<32xf32> {
    %w = arith.addf %v, %v : tensor<32xf32>
    scf.yield %w : tensor<32xf32>
  }
  return %y : tensor<32xf32>
}
