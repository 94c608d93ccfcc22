// RUN: shard-opt %s --shardir-to-collective | FileCheck %s
// RUN: shard-run %s --verify --function=conjugate --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 6 * 4 // 2 // 2 * 4, r"
// RUN: shard-run %s --verify --function=unread --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 0, r"

// Ops that are compiled away move nothing, and the report does not say that they do.

shardir.mesh @m <["x"=2]>

#ij = affine_map<(i, j) -> (i, j)>

// The imaginary part of re(z) - i im(z) needs the imaginary part alone, over other dims.
// CHECK-LABEL: func.func @conjugate
// CHECK-SAME:    %{{[^:]+}}: tensor<6x4xf32> {{.*}}, %[[IM:[^:]+]]: tensor<6x4xf32>
// CHECK:         collective.all_to_all
// CHECK-NOT:     collective.
// CHECK:         return
func.func @conjugate(%re: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                     %im: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %f = tensor.empty() : tensor<6x4xf32>
  %n = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%im : tensor<6x4xf32>) outs(%f : tensor<6x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%re, %n : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xcomplex<f32>>) {
  ^bb0(%a: f32, %b: f32, %o: complex<f32>):
    %c = complex.create %a, %b : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<6x4xcomplex<f32>>
  %i = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<6x4xcomplex<f32>>) outs(%f : tensor<6x4xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %c = complex.im %a : complex<f32>
    linalg.yield %c : f32
  } -> tensor<6x4xf32>
  return %i : tensor<6x4xf32>
}

// An operand that no element is read of need not agree with the others.
// CHECK-LABEL: func.func @unread
// CHECK-NOT:     collective.
// CHECK:         return
func.func @unread(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                  %b: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %f = tensor.empty() : tensor<6x4xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<6x4xf32>, tensor<6x4xf32>) outs(%f : tensor<6x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %c = arith.negf %x : f32
    linalg.yield %c : f32
  } -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}
