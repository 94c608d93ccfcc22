// RUN: shard-opt %s --shardir-to-collective="cost=bytes conflicts=greedy" | FileCheck %s
// RUN: shard-run %s --verify --options="cost=bytes conflicts=greedy" --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 4 * 2 * 10 * 4, r"
// RUN: shard-run %s --verify --options=cost=bytes --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 9 * 10 * 4, r"

// A periodic stencil in a loop. By the greedy rule neighbours exchange rows: a
// device receives two of 10 numbers in each of 4 steps. The search counts the
// row that wraps around as if all devices received it, and takes the grid
// gathered once, 360 bytes.

// CHECK-NOT:     collective.all_gather
// CHECK-COUNT-4: collective.halo_exchange
// CHECK-NOT:     collective.
shardir.mesh @m <["x"=4]>

func.func @main(%grid: tensor<12x10xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<12x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %grid) -> (tensor<12x10xf32>) {
    %last = tensor.extract_slice %u[11, 0] [1, 10] [1, 1] : tensor<12x10xf32> to tensor<1x10xf32>
    %others = tensor.extract_slice %u[0, 0] [11, 10] [1, 1] : tensor<12x10xf32> to tensor<11x10xf32>
    %down = tensor.concat dim(0) %last, %others : (tensor<1x10xf32>, tensor<11x10xf32>) -> tensor<12x10xf32>
    %rest = tensor.extract_slice %u[1, 0] [11, 10] [1, 1] : tensor<12x10xf32> to tensor<11x10xf32>
    %first = tensor.extract_slice %u[0, 0] [1, 10] [1, 1] : tensor<12x10xf32> to tensor<1x10xf32>
    %up = tensor.concat dim(0) %rest, %first : (tensor<11x10xf32>, tensor<1x10xf32>) -> tensor<12x10xf32>
    %sum = arith.addf %down, %up : tensor<12x10xf32>
    %next = arith.subf %sum, %u : tensor<12x10xf32>
    scf.yield %next : tensor<12x10xf32>
  }
  return %0 : tensor<12x10xf32>
}
