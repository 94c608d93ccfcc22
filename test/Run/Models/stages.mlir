// Pipelining as GSPMD writes it: the stages of a model are one dim, over "x", each tick moves every stage's state to
// the next one, and a stage is a layer over "tp". A tick receives one stage's state from the neighbour and sends the
// last one's to all, and adds up the terms of the stages' second products: no weight moves. XLA receives 2208.
// RUN: shard-run %s --verify --options="cost=bytes" --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 6 * (64 + 64 + 64), r"
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

shardir.mesh @m <["x"=4, "tp"=2]>

// CHECK-NOT: collective.
// CHECK:     scf.for
// CHECK:     collective.halo_exchange
// CHECK:     collective.all_reduce {{.*}}partial = sum ["tp"]
// CHECK:     collective.halo_exchange
// CHECK-NOT: collective.
// CHECK:         return
func.func @main(%x: tensor<6x2x8xf32>,
                %w1: tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"tp"}]>},
                %w2: tensor<4x16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"tp"}, {}]>}) -> tensor<6x2x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %states = arith.constant dense<0.0> : tensor<4x2x8xf32>
  %hidden = arith.constant dense<0.0> : tensor<4x2x16xf32>
  %outs = arith.constant dense<0.0> : tensor<6x2x8xf32>
  %last, %all = scf.for %t = %c0 to %c6 step %c1 iter_args(%state = %states, %out = %outs) -> (tensor<4x2x8xf32>, tensor<6x2x8xf32>) {
    %in = tensor.extract_slice %x[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<6x2x8xf32> to tensor<1x2x8xf32>
    %old = tensor.extract_slice %state[0, 0, 0] [3, 2, 8] [1, 1, 1] : tensor<4x2x8xf32> to tensor<3x2x8xf32>
    %next = tensor.concat dim(0) %in, %old : (tensor<1x2x8xf32>, tensor<3x2x8xf32>) -> tensor<4x2x8xf32>
    %h = linalg.batch_matmul ins(%next, %w1 : tensor<4x2x8xf32>, tensor<4x8x16xf32>)
                             outs(%hidden : tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
    %a = math.tanh %h : tensor<4x2x16xf32>
    %y = linalg.batch_matmul ins(%a, %w2 : tensor<4x2x16xf32>, tensor<4x16x8xf32>)
                             outs(%states : tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
    %done = tensor.extract_slice %y[3, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<4x2x8xf32> to tensor<1x2x8xf32>
    %o = tensor.insert_slice %done into %out[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x8xf32> into tensor<6x2x8xf32>
    scf.yield %y, %o : tensor<4x2x8xf32>, tensor<6x2x8xf32>
  }
  return %all : tensor<6x2x8xf32>
}
