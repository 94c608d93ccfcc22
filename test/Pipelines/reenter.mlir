// From every printed stage on the rest of the pipeline gives the same local
// program, and a stage is a fixed point of its own pipeline.
//
// RUN: shard-opt %s --shardir-to-local -o %t.direct
// RUN: shard-opt %s --shardir-to-propagated -o %t.propagated
// RUN: shard-opt %s --shardir-to-redistributed -o %t.redistributed
// RUN: shard-opt %s --shardir-to-collective -o %t.collective
// RUN: shard-opt %t.propagated --shardir-to-local | diff %t.direct -
// RUN: shard-opt %t.redistributed --shardir-to-local | diff %t.direct -
// RUN: shard-opt %t.collective --shardir-to-local | diff %t.direct -
// RUN: shard-opt %t.direct --shardir-to-local | diff %t.direct -
// RUN: shard-opt %t.propagated --shardir-to-propagated | diff %t.propagated -
// RUN: shard-opt %t.redistributed --shardir-to-redistributed | diff %t.redistributed -
// RUN: shard-opt %t.collective --shardir-to-collective | diff %t.collective -
// Earlier pipelines leave later stages alone.
// RUN: shard-opt %t.redistributed --shardir-to-propagated | diff %t.redistributed -
// RUN: shard-opt %t.collective --shardir-to-propagated | diff %t.collective -
// RUN: shard-opt %t.collective --shardir-to-redistributed | diff %t.collective -
// RUN: shard-opt %t.direct --shardir-to-propagated | diff %t.direct -
// The passes by hand are the pipeline.
// RUN: shard-opt %s -shardir-lower-dtensor-syntax -shardir-specialize-mesh -shardir-constrain-callees -inline="default-pipeline=" -symbol-dce -o %t.annotated
// RUN: shard-opt %t.annotated --shardir-to-local | diff %t.direct -
// RUN: shard-opt %t.annotated -shardir-propagate | diff %t.propagated -
// RUN: shard-opt %t.propagated -shardir-insert-redistribute -cse -shardir-simplify-redistribute -cse | diff %t.redistributed -
// RUN: shard-opt %t.redistributed -shardir-redistribute-to-collectives | diff %t.collective -
// RUN: shard-opt %t.collective -shardir-localize -cse | diff %t.direct -
// In generic form as well.
// RUN: shard-opt %t.collective -mlir-print-op-generic | shard-opt --shardir-to-local | diff %t.direct -

// RUN: FileCheck %s --input-file=%t.direct

// CHECK: module attributes {shardir.stage = "local"}
shardir.mesh @m <["dp"=2, "tp"=3]>
shardir.mesh @n <["x"=6]>

func.func private @norm(%x: tensor<8x10xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}]>}) -> tensor<8x10xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8x10xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8x10xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x10xf32>) dimensions = [1]
  %0 = arith.divf %x, %b : tensor<8x10xf32>
  return %0 : tensor<8x10xf32>
}

// Uneven splits, sugar, priorities, a constraint, a callee, a conflict.
// CHECK-LABEL: func.func @layer
// CHECK:         collective.all_reduce
func.func @layer(%x: tensor<8x5xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), replicate]>},
                 %w: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}p0]>},
                 %v: tensor<10x5xf32>) -> (tensor<8x5xf32>, tensor<10x5xf32> {shardir.alias = 2 : i64}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x10xf32>) -> tensor<8x10xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x5xf32>, tensor<5x10xf32>) outs(%f : tensor<8x10xf32>) -> tensor<8x10xf32>
  %n = call @norm(%h) : (tensor<8x10xf32>) -> tensor<8x10xf32>
  %c = shardir.constrain %n to #shardir.placement<@m, [{?}, {?}], replicated = ["dp"]> : tensor<8x10xf32>
  %g = tensor.empty() : tensor<8x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%g : tensor<8x5xf32>) -> tensor<8x5xf32>
  %y = linalg.matmul ins(%c, %v : tensor<8x10xf32>, tensor<10x5xf32>) outs(%i : tensor<8x5xf32>) -> tensor<8x5xf32>
  %d = arith.addf %v, %v : tensor<10x5xf32>
  return %y, %d : tensor<8x5xf32>, tensor<10x5xf32>
}

// Sub-axes, integers, reshapes, strided shards, another mesh.
// CHECK-LABEL: func.func @reshapes
// CHECK:         tensor.collapse_shape
func.func @reshapes(%x: tensor<4x9xf32> {shardir.placement = #shardir.placement<@n, [{"x":(1)2}, {"x":(2)3}]>},
                    %y: tensor<36xf32> {shardir.placement = #shardir.placement<@n, [{3, "x":(1)2}]>}) -> (tensor<36xf32>, tensor<12x3xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x9xf32> into tensor<36xf32>
  %1 = arith.addf %0, %y : tensor<36xf32>
  %2 = tensor.expand_shape %y [[0, 1]] output_shape [12, 3] : tensor<36xf32> into tensor<12x3xf32>
  return %1, %2 : tensor<36xf32>, tensor<12x3xf32>
}

// Partial terms of several kinds, indices, a body that reads a tensor.
// CHECK-LABEL: func.func @bodies
// CHECK:         linalg.index
func.func @bodies(%x: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}], partial = sum ["dp"]>},
                  %t: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>}) -> (tensor<7xf32>, tensor<7xf32>) {
  %s = arith.constant dense<0.0> : tensor<7xf32>
  %m = arith.constant dense<0xFF800000> : tensor<7xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x6xf32>) outs(%s, %m : tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%a: f32, %sum: f32, %max: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%j] : tensor<6xf32>
    %p = arith.mulf %a, %v : f32
    %u = arith.addf %sum, %p : f32
    %w = arith.maximumf %max, %a : f32
    linalg.yield %u, %w : f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>)
  return %0#0, %0#1 : tensor<7xf32>, tensor<7xf32>
}
