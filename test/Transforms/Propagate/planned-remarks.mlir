// RUN: shard-opt %s --shardir-to-collective=cost=bytes -o /dev/null 2>&1 | FileCheck %s

// Several answers are planned; of what is said, each thing is said once.

// CHECK:     remark: it reads one element
// CHECK-NOT: remark:
shardir.mesh @m <["x"=4]>

func.func @main(%grid: tensor<12x10xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %factors: tensor<4xf32>) -> tensor<12x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %factor = tensor.extract %factors[%c1] : tensor<4xf32>
  %empty = tensor.empty() : tensor<12x10xf32>
  %scale = linalg.fill ins(%factor : f32) outs(%empty : tensor<12x10xf32>) -> tensor<12x10xf32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %grid) -> (tensor<12x10xf32>) {
    %last = tensor.extract_slice %u[11, 0] [1, 10] [1, 1] : tensor<12x10xf32> to tensor<1x10xf32>
    %others = tensor.extract_slice %u[0, 0] [11, 10] [1, 1] : tensor<12x10xf32> to tensor<11x10xf32>
    %down = tensor.concat dim(0) %last, %others : (tensor<1x10xf32>, tensor<11x10xf32>) -> tensor<12x10xf32>
    %rest = tensor.extract_slice %u[1, 0] [11, 10] [1, 1] : tensor<12x10xf32> to tensor<11x10xf32>
    %first = tensor.extract_slice %u[0, 0] [1, 10] [1, 1] : tensor<12x10xf32> to tensor<1x10xf32>
    %up = tensor.concat dim(0) %rest, %first : (tensor<11x10xf32>, tensor<1x10xf32>) -> tensor<12x10xf32>
    %sum = arith.addf %down, %up : tensor<12x10xf32>
    %next = arith.mulf %sum, %scale : tensor<12x10xf32>
    scf.yield %next : tensor<12x10xf32>
  }
  return %0 : tensor<12x10xf32>
}
