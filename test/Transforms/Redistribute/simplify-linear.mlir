// A 64k x 16k x 1k linear layer on 8 devices, whose result must be replicated: gathering
// the rows of the operand would move 3.8 GB to each device, those of the result
// move 235 MB. So it is where propagation decides, and where somebody has
// decided for the operand.
//
// RUN: shard-opt %s --shardir-to-propagated -shardir-insert-redistribute --shardir-report="file=%t.before.json" -o /dev/null
// RUN: shard-opt %s --shardir-to-collective --shardir-report="file=%t.after.json" | FileCheck %s
// RUN: %python %S/Inputs/bytes-by-function.py %t.before.json %t.after.json | FileCheck %s --check-prefix=BYTES

// BYTES:      annotated: 234881024 in 1, then 234881024 in 1
// BYTES-NEXT: decided: 3758096384 in 1, then 234881024 in 1
// BYTES-NEXT: fused: 3758096384 in 1, then 117440512 in 1

shardir.mesh @m <["x"=8]>
#rows = #shardir.placement<@m, [{"x"}, {}]>
#replicated = #shardir.placement<@m, [{}, {}]>

// CHECK-LABEL: func.func @annotated
// CHECK:         linalg.matmul {{.*}} ins(%arg0
// CHECK-NEXT:    collective.all_gather {{.*}} : tensor<65536x1024xf32>
func.func @annotated(%x: tensor<65536x16384xf32> {shardir.placement = #rows}, %w: tensor<16384x1024xf32> {shardir.placement = #replicated})
    -> (tensor<65536x1024xf32> {shardir.placement = #replicated}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %y = linalg.matmul ins(%x, %w : tensor<65536x16384xf32>, tensor<16384x1024xf32>) outs(%f : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %y : tensor<65536x1024xf32>
}

// CHECK-LABEL: func.func @decided
// CHECK:         linalg.matmul {{.*}} ins(%arg0
// CHECK-NEXT:    collective.all_gather {{.*}} : tensor<65536x1024xf32>
func.func @decided(%x: tensor<65536x16384xf32> {shardir.placement = #rows}, %w: tensor<16384x1024xf32> {shardir.placement = #replicated})
    -> (tensor<65536x1024xf32> {shardir.placement = #replicated}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %y = linalg.matmul {shardir.placements = [#replicated]} ins(%x, %w : tensor<65536x16384xf32>, tensor<16384x1024xf32>) outs(%f : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %y : tensor<65536x1024xf32>
}

// Behind the whole chain, where what is left is bf16.
// CHECK-LABEL: func.func @fused
// CHECK:         linalg.matmul {{.*}} ins(%arg0
// CHECK-NEXT:    math.tanh
// CHECK-NEXT:    arith.truncf
// CHECK-NEXT:    collective.all_gather {{.*}} : tensor<65536x1024xbf16>
func.func @fused(%x: tensor<65536x16384xf32> {shardir.placement = #rows}, %w: tensor<16384x1024xf32> {shardir.placement = #replicated})
    -> (tensor<65536x1024xbf16> {shardir.placement = #replicated}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %y = linalg.matmul {shardir.placements = [#replicated]} ins(%x, %w : tensor<65536x16384xf32>, tensor<16384x1024xf32>) outs(%f : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %t = math.tanh %y {shardir.placements = [#replicated]} : tensor<65536x1024xf32>
  %n = arith.truncf %t {shardir.placements = [#replicated]} : tensor<65536x1024xf32> to tensor<65536x1024xbf16>
  return %n : tensor<65536x1024xbf16>
}
