// RUN: shard-opt %s -shardir-recognize-attention -split-input-file -canonicalize -cse -mlir-print-local-scope | FileCheck %s
// RUN: shard-opt %s -shardir-mark-attention -split-input-file -mlir-print-local-scope | FileCheck %s --check-prefix=MARK

// As JAX writes it: heads in the middle, scale, a causal mask of positions, the
// row maximum with another -inf, division before the product, then bf16.
// Marked are the scores and what is computed from them, not the mask.
// MARK-LABEL:  func.func @jax
// MARK:        linalg.generic {{.*}} attrs = {shardir.unstored}
// MARK:          arith.addf
// MARK:        linalg.generic {{.*}} attrs = {shardir.unstored}
// MARK:          arith.mulf
// MARK:        linalg.generic {{.*}}outs({{.*}} : tensor<32x48xi1>) {
// MARK:        linalg.generic {{.*}} attrs = {shardir.unstored}
// MARK:          arith.select
// MARK:        linalg.sub {shardir.unstored}
// MARK:        linalg.exp {shardir.unstored}
// CHECK-LABEL: func.func @jax
// CHECK-SAME:    %[[Q:.+]]: tensor<32x4x8xbf16>, %[[K:.+]]: tensor<48x4x8xbf16>, %[[V:.+]]: tensor<48x4x16xbf16>
// CHECK:       %[[A:.+]]:3 = kernel.attention {indexing_maps = [
// CHECK-SAME:    affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3)>,
// CHECK-SAME:    affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d4)>,
// CHECK-SAME:    affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>]}
// CHECK-SAME:    ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:    score {
// CHECK-NEXT:  ^bb0(%[[S:.+]]: f32):
// CHECK-DAG:     kernel.loop_index 1
// CHECK-DAG:     kernel.loop_index 2
// CHECK:         %[[X:.+]] = arith.select
// CHECK-NEXT:    kernel.yield %[[X]] : f32
// CHECK-NEXT:  } prob {
// CHECK-NEXT:  ^bb0(%[[P:.+]]: f32):
// CHECK-NEXT:    %[[T:.+]] = arith.truncf %[[P]] : f32 to bf16
// CHECK-NEXT:    kernel.yield %[[T]] : bf16
// CHECK:       linalg.generic {{.*}} ins(%[[A]]#0, %[[A]]#2 : tensor<32x4x16xf32>, tensor<4x32xf32>)
// CHECK:         arith.divf
// CHECK:         arith.truncf
// CHECK-NOT:   linalg.generic
// CHECK:       return
#qs = affine_map<(h, m, n, k) -> (m, h, k)>
#ks = affine_map<(h, m, n, k) -> (n, h, k)>
#ss = affine_map<(h, m, n, k) -> (h, m, n)>
#s = affine_map<(h, m, n) -> (h, m, n)>
#mn = affine_map<(h, m, n) -> (m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#row = affine_map<(h, m) -> (h, m)>
#pv = affine_map<(m, h, v, n) -> (h, m, n)>
#vv = affine_map<(m, h, v, n) -> (n, h, v)>
#ov = affine_map<(m, h, v, n) -> (m, h, v)>
func.func @jax(%q: tensor<32x4x8xbf16>, %k: tensor<48x4x8xbf16>, %v: tensor<48x4x16xbf16>) -> tensor<32x4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %zerob = arith.constant 0.0 : bf16
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %es = tensor.empty() : tensor<4x32x48xf32>
  %er = tensor.empty() : tensor<4x32xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %scores = linalg.generic {indexing_maps = [#qs, #ks, #ss], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<32x4x8xbf16>, tensor<48x4x8xbf16>) outs(%zs : tensor<4x32x48xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x32x48xf32>
  %scaled = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<4x32x48xf32>) outs(%es : tensor<4x32x48xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<4x32x48xf32>
  %em = tensor.empty() : tensor<32x48xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%em : tensor<32x48xi1>) {
  ^bb0(%b: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = arith.cmpi sge, %i, %j : index
    linalg.yield %t : i1
  } -> tensor<32x48xi1>
  %masked = linalg.generic {indexing_maps = [#mn, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mask, %scaled : tensor<32x48xi1>, tensor<4x32x48xf32>) outs(%es : tensor<4x32x48xf32>) {
  ^bb0(%c: i1, %a: f32, %b: f32):
    %t = arith.select %c, %a, %low : f32
    linalg.yield %t : f32
  } -> tensor<4x32x48xf32>
  %l = linalg.fill ins(%low : f32) outs(%er : tensor<4x32xf32>) -> tensor<4x32xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<4x32x48xf32>) outs(%l : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x32xf32>
  %max2 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%max : tensor<4x32xf32>) outs(%er : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %low, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x32xf32>
  %wide = linalg.broadcast ins(%max2 : tensor<4x32xf32>) outs(%es : tensor<4x32x48xf32>) dimensions = [2]
  %shifted = linalg.sub ins(%masked, %wide : tensor<4x32x48xf32>, tensor<4x32x48xf32>) outs(%es : tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %e = linalg.exp ins(%shifted : tensor<4x32x48xf32>) outs(%es : tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x32xf32>) -> tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<4x32x48xf32>) outs(%zr : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x32xf32>
  %eb = tensor.empty() : tensor<4x32x48xbf16>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<4x32x48xf32>, tensor<4x32xf32>) outs(%eb : tensor<4x32x48xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: bf16):
    %t = arith.divf %a, %b : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<4x32x48xbf16>
  %eo = tensor.empty() : tensor<32x4x16xbf16>
  %zo = linalg.fill ins(%zerob : bf16) outs(%eo : tensor<32x4x16xbf16>) -> tensor<32x4x16xbf16>
  %o = linalg.generic {indexing_maps = [#pv, #vv, #ov], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x32x48xbf16>, tensor<48x4x16xbf16>) outs(%zo : tensor<32x4x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %x = arith.mulf %a, %b : bf16
    %t = arith.addf %c, %x : bf16
    linalg.yield %t : bf16
  } -> tensor<32x4x16xbf16>
  return %o : tensor<32x4x16xbf16>
}

// -----

// Keys split over devices: the maximum and the sums of all devices. What the
// op gives is multiplied by exp(own max - max of all), then summed.
// CHECK-LABEL: func.func @split_keys
// CHECK:       %[[A:.+]]:3 = kernel.attention
// CHECK:       %[[M:.+]] = collective.all_reduce %[[A]]#1
// CHECK:       %[[F:.+]] = linalg.generic {{.*}} ins(%[[A]]#1, %[[M]] :
// CHECK:         arith.subf
// CHECK:         math.exp
// CHECK:       %[[S:.+]] = linalg.generic {{.*}} ins(%[[A]]#2, %[[F]] :
// CHECK:         arith.mulf
// CHECK:       %[[L:.+]] = collective.all_reduce %[[S]]
// CHECK:       %[[O:.+]] = linalg.generic {{.*}} ins(%[[A]]#0, %[[F]], %[[L]] :
// CHECK:         arith.mulf
// CHECK:         arith.divf
// CHECK:       collective.all_reduce %[[O]]
shardir.mesh @m <["x"=2]>
func.func @split_keys(%q: tensor<6x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<6x5xf32>
  %er = tensor.empty() : tensor<6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %l = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : tensor<6x8xf32>, tensor<5x8xf32>) outs(%zs : tensor<6x5xf32>) -> tensor<6x5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<6x5xf32>) outs(%l : tensor<6xf32>) dimensions = [1]
  %all = collective.all_reduce %max from #shardir.placement<@m, [{}], partial = max ["x"]> to #shardir.placement<@m, [{}]> of tensor<6xf32> : tensor<6xf32> -> tensor<6xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %all : tensor<6x5xf32>, tensor<6xf32>) outs(%es : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<6x5xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<6x5xf32>) outs(%zr : tensor<6xf32>) dimensions = [1]
  %total = collective.all_reduce %sum from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> of tensor<6xf32> : tensor<6xf32> -> tensor<6xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %total : tensor<6x5xf32>, tensor<6xf32>) outs(%es : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<6x5xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x5xf32>, tensor<5x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = collective.all_reduce %o from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> of tensor<6x4xf32> : tensor<6x4xf32> -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

// Both products give a dim that no operand has: these are left.
// CHECK-LABEL: func.func @widened
// CHECK-NOT:   kernel.attention
// CHECK:       return
func.func @widened(%q: tensor<6x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x4xf32>) -> tensor<3x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x6x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x6x5xf32>) -> tensor<3x6x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(w, m, n, k) -> (m, k)>, affine_map<(w, m, n, k) -> (n, k)>, affine_map<(w, m, n, k) -> (w, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<6x8xf32>, tensor<5x8xf32>) outs(%zs : tensor<3x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x6x5xf32>
  %e = linalg.exp ins(%s : tensor<3x6x5xf32>) outs(%es : tensor<3x6x5xf32>) -> tensor<3x6x5xf32>
  %eo = tensor.empty() : tensor<3x6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(w, m, v, n) -> (w, m, n)>, affine_map<(w, m, v, n) -> (n, v)>, affine_map<(w, m, v, n) -> (w, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%e, %v : tensor<3x6x5xf32>, tensor<5x4xf32>) outs(%zo : tensor<3x6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x6x4xf32>
  return %o : tensor<3x6x4xf32>
}

// -----

// Not a softmax: squares of exponentials, and sums of something else.
// MARK-LABEL:  func.func @squares
// MARK-NOT:    unstored
// MARK-LABEL:  func.func @scaled_query
// CHECK-LABEL: func.func @squares
// CHECK-NOT:   kernel.attention
// CHECK:       return
func.func @squares(%q: tensor<6x8xf32>, %k: tensor<8x5xf32>, %v: tensor<5x4xf32>) -> (tensor<6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<6x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %s = linalg.matmul ins(%q, %k : tensor<6x8xf32>, tensor<8x5xf32>) outs(%zs : tensor<6x5xf32>) -> tensor<6x5xf32>
  %e = linalg.exp ins(%s : tensor<6x5xf32>) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %f = linalg.mul ins(%e, %e : tensor<6x5xf32>, tensor<6x5xf32>) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%f, %v : tensor<6x5xf32>, tensor<5x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// -----

// Queries that are widened to be scaled are read as they were: matrix units take
// bf16.
// CHECK-LABEL: func.func @scaled_query
// CHECK-SAME:    %[[Q:.+]]: tensor<6x8xbf16>, %[[K:.+]]: tensor<5x8xbf16>
// CHECK:       %[[C:.+]] = arith.constant 2.500000e-01 : f32
// CHECK:       kernel.attention {{.*}} ins(%[[Q]], %[[K]],
// CHECK-SAME:    score {
// CHECK-NEXT:  ^bb0(%[[S:.+]]: f32):
// CHECK-NEXT:    %[[X:.+]] = arith.mulf %[[S]], %[[C]] : f32
// CHECK-NEXT:    kernel.yield %[[X]] : f32
func.func @scaled_query(%q: tensor<6x8xbf16>, %k: tensor<5x8xbf16>, %v: tensor<5x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant dense<4.0> : tensor<f32>
  %es = tensor.empty() : tensor<6x5xf32>
  %eq = tensor.empty() : tensor<6x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<6x8xbf16>) outs(%eq : tensor<6x8xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<6x8xf32>
  %by = linalg.broadcast ins(%four : tensor<f32>) outs(%eq : tensor<6x8xf32>) dimensions = [0, 1]
  %scaled = linalg.div ins(%wide, %by : tensor<6x8xf32>, tensor<6x8xf32>) outs(%eq : tensor<6x8xf32>) -> tensor<6x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scaled, %k : tensor<6x8xf32>, tensor<5x8xbf16>) outs(%zs : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %y : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<6x5xf32>
  %e = linalg.exp ins(%s : tensor<6x5xf32>) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%e, %v : tensor<6x5xf32>, tensor<5x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}
