// Reductions over windows of all that is before are loops that carry a value.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-windows-to-scans))' | FileCheck %s

#in = affine_map<(i, j, r) -> (i, j + r)>
#window = affine_map<(i, j, r) -> (r)>
#out = affine_map<(i, j, r) -> (i, j)>

// CHECK-LABEL: func.func @sums
// CHECK:         scf.for %[[I:[a-z0-9_]+]] =
// CHECK:           scf.for %[[J:[a-z0-9_]+]] = {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[SUM:[a-z0-9_]+]] = %{{[^)]+}}) -> (tensor<8x300xf32>, f32)
// CHECK:             %[[V:[a-z0-9_]+]] = tensor.extract %arg0[%[[I]], %[[J]]]
// CHECK:             %[[NEXT:[a-z0-9_]+]] = arith.addf %[[SUM]], %[[V]]
// CHECK:             tensor.insert %[[NEXT]] into %{{.+}}[%[[I]], %[[J]]]
// CHECK-NOT:     linalg.generic
func.func @sums(%x: tensor<8x300xf32>) -> tensor<8x300xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<300xf32>
  %p = tensor.pad %x low[0, 299] high[0, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<8x300xf32> to tensor<8x599xf32>
  %e = tensor.empty() : tensor<8x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x300xf32>) -> tensor<8x300xf32>
  %r = linalg.generic {indexing_maps = [#in, #window, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<8x599xf32>, tensor<300xf32>) outs(%f : tensor<8x300xf32>) {
  ^bb0(%v: f32, %k: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<8x300xf32>
  return %r : tensor<8x300xf32>
}

// From the end.
// CHECK-LABEL: func.func @behind
// CHECK:         scf.for %[[J:[a-z0-9_]+]] =
// CHECK:           %[[AT:[a-z0-9_]+]] = arith.subi %{{.+}}, %[[J]]
// CHECK:           tensor.extract %arg0[%[[AT]]]
// CHECK:           arith.maxsi
#in1 = affine_map<(j, r) -> (j + r)>
#window1 = affine_map<(j, r) -> (r)>
#out1 = affine_map<(j, r) -> (j)>
func.func @behind(%x: tensor<64xi32>) -> tensor<64xi32> {
  %least = arith.constant -2147483648 : i32
  %w = tensor.empty() : tensor<64xi32>
  %p = tensor.pad %x low[0] high[63] {
  ^bb0(%a: index):
    tensor.yield %least : i32
  } : tensor<64xi32> to tensor<127xi32>
  %e = tensor.empty() : tensor<64xi32>
  %f = linalg.fill ins(%least : i32) outs(%e : tensor<64xi32>) -> tensor<64xi32>
  %r = linalg.generic {indexing_maps = [#in1, #window1, #out1], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<127xi32>, tensor<64xi32>) outs(%f : tensor<64xi32>) {
  ^bb0(%v: i32, %k: i32, %o: i32):
    %s = arith.maxsi %v, %o : i32
    linalg.yield %s : i32
  } -> tensor<64xi32>
  return %r : tensor<64xi32>
}

// Windows that are shorter than the dim, or see another padding, stay.
// CHECK-LABEL: func.func @shorter
// CHECK-NOT:     scf.for
func.func @shorter(%x: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = tensor.empty() : tensor<63xi32>
  %p = tensor.pad %x low[62] high[0] {
  ^bb0(%a: index):
    tensor.yield %zero : i32
  } : tensor<64xi32> to tensor<126xi32>
  %e = tensor.empty() : tensor<64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64xi32>) -> tensor<64xi32>
  %r = linalg.generic {indexing_maps = [#in1, #window1, #out1], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<126xi32>, tensor<63xi32>) outs(%f : tensor<64xi32>) {
  ^bb0(%v: i32, %k: i32, %o: i32):
    %s = arith.addi %v, %o : i32
    linalg.yield %s : i32
  } -> tensor<64xi32>
  %w1 = tensor.empty() : tensor<64xi32>
  %p1 = tensor.pad %x low[63] high[0] {
  ^bb0(%a: index):
    tensor.yield %one : i32
  } : tensor<64xi32> to tensor<127xi32>
  %r1 = linalg.generic {indexing_maps = [#in1, #window1, #out1], iterator_types = ["parallel", "reduction"]} ins(%p1, %w1 : tensor<127xi32>, tensor<64xi32>) outs(%f : tensor<64xi32>) {
  ^bb0(%v: i32, %k: i32, %o: i32):
    %s = arith.addi %v, %o : i32
    linalg.yield %s : i32
  } -> tensor<64xi32>
  return %r, %r1 : tensor<64xi32>, tensor<64xi32>
}
