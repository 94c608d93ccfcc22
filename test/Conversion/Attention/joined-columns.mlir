// RUN: shard-opt %s -shardir-recognize-attention="explain" -verify-diagnostics -mlir-print-local-scope -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=SAME
// RUN: shard-opt %s -mlir-print-local-scope | FileCheck %s --check-prefix=SAME
// RUN: shard-opt %t.mlir -canonicalize -cse | FileCheck %s

#qs = affine_map<(m, n, k) -> (m, k)>
#ks = affine_map<(m, n, k) -> (n, k)>
#ss = affine_map<(m, n, k) -> (m, n)>
#vs = affine_map<(m, n, k) -> (k, n)>
#s = affine_map<(m, n) -> (m, n)>
#r = affine_map<(m, n) -> (m)>
#c = affine_map<(m, n) -> (n)>

// A column in front of the scores, one behind them, a bias along all of them, and a mask by positions
// there. The sums of both columns come first, and the op's are added to them.
// CHECK-LABEL: func.func @both_sides
// CHECK-SAME:    %[[Q:.+]]: tensor<8x4xf32>, %[[K:.+]]: tensor<16x4xf32>, %[[V:.+]]: tensor<16x4xf32>, %[[L:.+]]: tensor<8x1xf32>, %[[R:.+]]: tensor<8x2xf32>, %[[B:.+]]: tensor<19xf32>
// CHECK-DAG:     %[[B0:.+]] = tensor.extract_slice %[[B]][0] [1] [1]
// CHECK-DAG:     %[[B1:.+]] = tensor.extract_slice %[[B]][1] [16] [1]
// CHECK-DAG:     %[[B2:.+]] = tensor.extract_slice %[[B]][17] [2] [1]
// CHECK-NOT:     tensor<8x19xf32>
// CHECK:         %[[A:.+]]:3 = kernel.attention
// CHECK-SAME:      ins(%[[Q]], %[[K]], %[[V]], %[[B1]] :
// CHECK:         ^bb0(%{{.+}}: f32, %{{.+}}: f32):
// Positions begin behind the first column.
// CHECK:           kernel.loop_index 1
// CHECK:           arith.addi
// CHECK-NOT:     tensor<8x19xf32>
// CHECK:         return
func.func @both_sides(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>, %left: tensor<8x1xf32>, %right: tensor<8x2xf32>, %bias: tensor<19xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %three = arith.constant 3 : index
  %es = tensor.empty() : tensor<8x16xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @+1 {{these scores are never stored: their softmax and its product with values are one kernel.attention}}
  %scores = linalg.generic {indexing_maps = [#qs, #ks, #ss], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%zs : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x19xf32>
  %i0 = tensor.insert_slice %left into %e[0, 0] [8, 1] [1, 1] : tensor<8x1xf32> into tensor<8x19xf32>
  %i1 = tensor.insert_slice %scores into %i0[0, 1] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x19xf32>
  %all = tensor.insert_slice %right into %i1[0, 17] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x19xf32>
  %x = linalg.generic {indexing_maps = [#s, #c, #s], iterator_types = ["parallel", "parallel"]}
      ins(%all, %bias : tensor<8x19xf32>, tensor<19xf32>) outs(%e : tensor<8x19xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %end = arith.addi %i, %three : index
    %seen = arith.cmpi sle, %j, %end : index
    %t = arith.addf %a, %b : f32
    %y = arith.select %seen, %t, %low : f32
    linalg.yield %y : f32
  } -> tensor<8x19xf32>
  %er = tensor.empty() : tensor<8xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x19xf32>) outs(%lows : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %exp = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<8x19xf32>, tensor<8xf32>) outs(%e : tensor<8x19xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<8x19xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x19xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %prob = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x19xf32>, tensor<8xf32>) outs(%e : tensor<8x19xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x19xf32>
  %part = tensor.extract_slice %prob[0, 1] [8, 16] [1, 1] : tensor<8x19xf32> to tensor<8x16xf32>
  %ev = tensor.empty() : tensor<8x4xf32>
  %zv = linalg.fill ins(%zero : f32) outs(%ev : tensor<8x4xf32>) -> tensor<8x4xf32>
  %out = linalg.generic {indexing_maps = [#qs, #vs, #ss], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%part, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%zv : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  return %out : tensor<8x4xf32>
}

// Squares of exponentials are no probabilities: all is as it was.
// SAME-LABEL: func.func @squares
// SAME-SAME:    %[[Q:.+]]: tensor<8x4xf32>, %[[K:.+]]: tensor<16x4xf32>, %[[V:.+]]: tensor<16x4xf32>, %[[L:.+]]: tensor<8x1xf32>
// SAME-NEXT:    %[[ZERO:.+]] = arith.constant 0.0
// SAME-NEXT:    %[[ES:.+]] = tensor.empty() : tensor<8x16xf32>
// SAME-NEXT:    %[[ZS:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[ES]] :
// SAME-NEXT:    %[[S:.+]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] :
// SAME:         %[[E:.+]] = tensor.empty() : tensor<8x17xf32>
// SAME-NEXT:    %[[I:.+]] = tensor.insert_slice %[[S]] into %[[E]][0, 0] [8, 16] [1, 1]
// SAME-NEXT:    %[[ALL:.+]] = tensor.insert_slice %[[L]] into %[[I]][0, 16] [8, 1] [1, 1]
// SAME-NEXT:    %[[X:.+]] = linalg.generic {{.*}} ins(%[[ALL]] :
// SAME:         %[[ER:.+]] = tensor.empty() : tensor<8xf32>
// SAME-NEXT:    %[[ZR:.+]] = linalg.fill {{.*}} outs(%[[ER]] :
// SAME-NEXT:    %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x17xf32>) outs(%[[ZR]] :
// SAME:         %[[P:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[SUM]] :
// SAME:         %[[PART:.+]] = tensor.extract_slice %[[P]][0, 0] [8, 16] [1, 1]
// SAME-NEXT:    %[[EV:.+]] = tensor.empty() : tensor<8x4xf32>
// SAME-NEXT:    %[[ZV:.+]] = linalg.fill {{.*}} outs(%[[EV]] :
// SAME-NEXT:    %[[OUT:.+]] = linalg.generic {{.*}} ins(%[[PART]], %[[V]] :
// SAME:         return %[[OUT]]
func.func @squares(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>, %sink: tensor<8x1xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x16xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @+1 {{these scores are stored: probabilities are not linear in exponentials of scores}}
  %scores = linalg.generic {indexing_maps = [#qs, #ks, #ss], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%zs : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x17xf32>
  %i0 = tensor.insert_slice %scores into %e[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x17xf32>
  %all = tensor.insert_slice %sink into %i0[0, 16] [8, 1] [1, 1] : tensor<8x1xf32> into tensor<8x17xf32>
  %exp = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel"]}
      ins(%all : tensor<8x17xf32>) outs(%e : tensor<8x17xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<8x17xf32>
  %er = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x17xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %prob = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x17xf32>, tensor<8xf32>) outs(%e : tensor<8x17xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %h = arith.mulf %a, %a : f32
    %t = arith.divf %h, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x17xf32>
  %part = tensor.extract_slice %prob[0, 0] [8, 16] [1, 1] : tensor<8x17xf32> to tensor<8x16xf32>
  %ev = tensor.empty() : tensor<8x4xf32>
  %zv = linalg.fill ins(%zero : f32) outs(%ev : tensor<8x4xf32>) -> tensor<8x4xf32>
  %out = linalg.generic {indexing_maps = [#qs, #vs, #ss], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%part, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%zv : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  return %out : tensor<8x4xf32>
}
