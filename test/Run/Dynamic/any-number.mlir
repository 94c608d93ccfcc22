// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: shard-opt %s --shardir-to-collective=mesh=dp=2,tp=2 | FileCheck %s
// MESHES: dp=1,tp=1 dp=2,tp=1 dp=3,tp=1 dp=1,tp=4 dp=4,tp=2 dp=8,tp=1
// INPUTS layer: --input=0x3x4xf32=ramp --input=4x6xf32=ramp --input=6x4xf32=ramp --input=4xf32=ramp
// INPUTS layer: --input=1x3x4xf32=ramp --input=4x6xf32=ramp --input=6x4xf32=ramp --input=4xf32=ramp
// INPUTS layer: --input=5x3x4xf32=ramp --input=4x6xf32=ramp --input=6x4xf32=ramp --input=4xf32=ramp

// One module for any number of devices and any batch (P6): the batch over dp, the
// hidden dim over tp. Batch and sequence are merged for the products and nothing
// moves for that: one all-reduce of the second product's terms, as with known
// sizes.
// CHECK-LABEL: func.func @layer
// CHECK-NOT:     collective.all_gather
// CHECK:         collective.all_reduce
// CHECK-NOT:     collective.
// CHECK:         return
shardir.mesh @m <["dp"=?, "tp"=?]>
func.func @layer(%x: tensor<?x3x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}, {}]>},
                 %w1: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                 %w2: tensor<6x4xf32>, %b: tensor<4xf32>) -> tensor<?x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %t = arith.muli %n, %c3 : index
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x3x4xf32> into tensor<?x4xf32>
  %e1 = tensor.empty(%t) : tensor<?x6xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  %h = linalg.matmul ins(%rows, %w1 : tensor<?x4xf32>, tensor<4x6xf32>) outs(%z1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  %a = arith.maximumf %h, %z1 : tensor<?x6xf32>
  %e2 = tensor.empty(%t) : tensor<?x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<?x6xf32>, tensor<6x4xf32>) outs(%z2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %wide = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e2 : tensor<?x4xf32>) dimensions = [0]
  %s = arith.addf %y, %wide : tensor<?x4xf32>
  %r = arith.addf %s, %rows : tensor<?x4xf32>
  %back = tensor.expand_shape %r [[0, 1], [2]] output_shape [%n, 3, 4] : tensor<?x4xf32> into tensor<?x3x4xf32>
  return %back : tensor<?x3x4xf32>
}
