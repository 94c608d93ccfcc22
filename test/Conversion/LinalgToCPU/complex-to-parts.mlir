// RUN: shard-opt %s -shardir-complex-to-parts -split-input-file | FileCheck %s

// A product is a real one of twice the terms and twice the rows: those of the
// smaller factor.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[AR:.+]]: tensor<16x64xf32>, %[[AI:.+]]: tensor<16x64xf32>, %[[BR:.+]]: tensor<64x32xf32>, %[[BI:.+]]: tensor<64x32xf32>
// CHECK-NOT:     complex
// CHECK:         %[[AE:.+]] = tensor.empty() : tensor<2x16x2x64xf32>
// CHECK:         %[[A0:.+]] = tensor.insert_slice %[[AR]] into %[[AE]][0, 0, 0, 0] [1, 16, 1, 64]
// CHECK:         %[[MINUS:.+]] = linalg.generic {{.*}} ins(%[[AI]]
// CHECK:           arith.negf
// CHECK:         %[[A1:.+]] = tensor.insert_slice %[[MINUS]] into %[[A0]][0, 0, 1, 0]
// CHECK:         %[[A2:.+]] = tensor.insert_slice %[[AI]] into %[[A1]][1, 0, 0, 0]
// CHECK:         %[[A:.+]] = tensor.insert_slice %[[AR]] into %[[A2]][1, 0, 1, 0]
// CHECK:         %[[B0:.+]] = tensor.insert_slice %[[BR]] into {{.*}}[0, 0, 0]
// CHECK:         %[[B:.+]] = tensor.insert_slice %[[BI]] into %[[B0]][1, 0, 0]
// CHECK:         %[[C:.+]] = linalg.fill {{.*}} -> tensor<2x16x32xf32>
// CHECK:         %[[P:.+]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<2x16x2x64xf32>, tensor<2x64x32xf32>) outs(%[[C]]
// CHECK:         %[[R:.+]] = tensor.extract_slice %[[P]][0, 0, 0]
// CHECK:         %[[I:.+]] = tensor.extract_slice %[[P]][1, 0, 0]
// CHECK:         return %[[R]], %[[I]]
#id = affine_map<(i, j) -> (i, j)>
func.func @product(%ar: tensor<16x64xf32>, %ai: tensor<16x64xf32>, %br: tensor<64x32xf32>, %bi: tensor<64x32xf32>)
    -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %ea = tensor.empty() : tensor<16x64xcomplex<f32>>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ar, %ai : tensor<16x64xf32>, tensor<16x64xf32>) outs(%ea : tensor<16x64xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %o: complex<f32>):
    %z = complex.create %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<16x64xcomplex<f32>>
  %eb = tensor.empty() : tensor<64x32xcomplex<f32>>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%br, %bi : tensor<64x32xf32>, tensor<64x32xf32>) outs(%eb : tensor<64x32xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %o: complex<f32>):
    %z = complex.create %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<64x32xcomplex<f32>>
  %ec = tensor.empty() : tensor<16x32xcomplex<f32>>
  %c = linalg.fill ins(%zero : complex<f32>) outs(%ec : tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
  %p = linalg.matmul ins(%a, %b : tensor<16x64xcomplex<f32>>, tensor<64x32xcomplex<f32>>)
      outs(%c : tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
  %e = tensor.empty() : tensor<16x32xf32>
  %re = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xcomplex<f32>>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%x: complex<f32>, %o: f32):
    %y = complex.re %x : complex<f32>
    linalg.yield %y : f32
  } -> tensor<16x32xf32>
  %im = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xcomplex<f32>>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%x: complex<f32>, %o: f32):
    %y = complex.im %x : complex<f32>
    linalg.yield %y : f32
  } -> tensor<16x32xf32>
  return %re, %im : tensor<16x32xf32>, tensor<16x32xf32>
}

// -----

// Batch dims come first, whatever their place, and conjugation is a sign.
// CHECK-LABEL: func.func @batch
// CHECK-DAG:     linalg.generic {{.*}} outs({{.*}} : tensor<9x16x24xf64>)
// CHECK-DAG:     linalg.generic {{.*}} outs({{.*}} : tensor<9x16x20xf64>)
// CHECK:         ins({{.*}} : tensor<9x2x16x24xf64>, tensor<9x2x16x2x20xf64>) outs({{.*}} : tensor<9x24x2x20xf64>)
func.func @batch(%a: tensor<16x24x9xcomplex<f64>>, %b: tensor<16x20x9xcomplex<f64>>, %c: tensor<24x20x9xcomplex<f64>>)
    -> tensor<24x20x9xcomplex<f64>> {
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, x, k) -> (k, m, x)>, affine_map<(m, n, x, k) -> (k, n, x)>,
                                        affine_map<(m, n, x, k) -> (m, n, x)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x24x9xcomplex<f64>>, tensor<16x20x9xcomplex<f64>>) outs(%c : tensor<24x20x9xcomplex<f64>>) {
  ^bb0(%x: complex<f64>, %y: complex<f64>, %s: complex<f64>):
    %z = complex.conj %y : complex<f64>
    %q = complex.mul %x, %z : complex<f64>
    %t = complex.add %s, %q : complex<f64>
    linalg.yield %t : complex<f64>
  } -> tensor<24x20x9xcomplex<f64>>
  return %p : tensor<24x20x9xcomplex<f64>>
}

// -----

// A product with a vector, whose matrix is read once, stays one loop.
// CHECK-LABEL: func.func @vector
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-SAME:      outs({{.*}}, {{.*}} : tensor<256xf32>, tensor<256xf32>)
// CHECK-COUNT-4:   arith.mulf
func.func @vector(%a: tensor<256x256xcomplex<f32>>, %x: tensor<256xcomplex<f32>>, %y: tensor<256xcomplex<f32>>)
    -> tensor<256xcomplex<f32>> {
  %0 = linalg.matvec ins(%a, %x : tensor<256x256xcomplex<f32>>, tensor<256xcomplex<f32>>)
      outs(%y : tensor<256xcomplex<f32>>) -> tensor<256xcomplex<f32>>
  return %0 : tensor<256xcomplex<f32>>
}

// -----

// Parts go through loops and slices as two tensors.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT:       complex
// CHECK:           scf.yield
func.func @loop(%z: tensor<8xcomplex<f32>>, %n: index) -> tensor<8xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%w = %z) -> tensor<8xcomplex<f32>> {
    %s = tensor.extract_slice %w[0] [4] [1] : tensor<8xcomplex<f32>> to tensor<4xcomplex<f32>>
    %e = tensor.empty() : tensor<4xcomplex<f32>>
    %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : tensor<4xcomplex<f32>>) outs(%e : tensor<4xcomplex<f32>>) {
    ^bb0(%x: complex<f32>, %o: complex<f32>):
      %y = complex.mul %x, %x : complex<f32>
      linalg.yield %y : complex<f32>
    } -> tensor<4xcomplex<f32>>
    %next = tensor.insert_slice %m into %w[0] [4] [1] : tensor<4xcomplex<f32>> into tensor<8xcomplex<f32>>
    scf.yield %next : tensor<8xcomplex<f32>>
  }
  return %r : tensor<8xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @real
// CHECK-NEXT:    return
func.func @real(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
