// RUN: shard-opt %s -pass-pipeline='builtin.module(canonicalize,cse,func.func(shardir-recognize-attention{explain}),canonicalize)' -verify-diagnostics -mlir-print-local-scope | FileCheck %s

// Rows that are kept are the maximum, the sum and the sum of gradients, which
// is the result's row times the gradient's, over the sum. The result is read as
// the program keeps it.
// CHECK-LABEL: func.func @jax
// CHECK-SAME:    %[[Q:.+]]: tensor<4x37x8xf32>, %[[K:.+]]: tensor<4x41x8xf32>, %[[V:.+]]: tensor<4x41x5xf32>, %[[G:.+]]: tensor<4x37x5xf32>
// CHECK:       %[[F:.+]]:3 = kernel.attention
// CHECK:       %[[O:.+]] = linalg.generic {{.*}} ins(%[[F]]#0, %[[F]]#2 : {{.*}} outs({{.*}} : tensor<4x37x5xf32>)
// CHECK:       %[[T:.+]] = linalg.generic {{.*}} ins(%[[O]] : {{.*}} outs({{.*}} : tensor<37x4x5xbf16>)
// CHECK:       %[[DOT:.+]] = linalg.generic {{.*}} ins(%[[T]], %[[G]] : {{.*}} outs({{.*}} : tensor<4x37xf32>)
// CHECK:       %[[DELTA:.+]] = linalg.generic {{.*}} ins(%[[DOT]], %{{.*}} : tensor<4x37xf32>, tensor<4x37xf32>)
// CHECK:       arith.divf
// CHECK-NOT:   arith.divf
// CHECK:       %[[R:.+]]:3 = kernel.attention_backward
// CHECK-SAME:    affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>]}
// CHECK-SAME:    ins(%[[Q]], %[[K]], %[[V]], %[[G]], {{.*}} : tensor<4x37x8xf32>, tensor<4x41x8xf32>, tensor<4x41x5xf32>, tensor<4x37x5xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>)
// CHECK:         kernel.loop_index
// CHECK:         math.exp
// CHECK:         kernel.yield
// CHECK-NOT:   tensor<4x37x41xf32>
// CHECK:       return {{.*}}%[[R]]#0, %[[R]]#1, %[[R]]#2
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>
func.func @jax(%q: tensor<4x37x8xf32>, %k: tensor<4x41x8xf32>, %v: tensor<4x41x5xf32>, %g: tensor<4x37x5xf32>) -> (tensor<37x4x5xbf16>, tensor<4x37x8xf32>, tensor<4x41x8xf32>, tensor<4x41x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 4 : index
  %es = tensor.empty() : tensor<4x37x41xf32>
  %er = tensor.empty() : tensor<4x37xf32>
  %i1 = tensor.empty() : tensor<4x37x41xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  // expected-remark @below {{these scores are never stored: their softmax and its product with values are one kernel.attention, their gradients one kernel.attention_backward}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<4x37x8xf32>, tensor<4x41x8xf32>) outs(%z1 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<4x37x41xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x37xf32>) -> tensor<4x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x37x41xf32>) outs(%lows : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<4x37x41xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<4x37x41xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<4x37x41xf32>, tensor<4x37xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %i2 = tensor.empty() : tensor<4x37x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<4x37x5xf32>) -> tensor<4x37x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<4x37x41xf32>, tensor<4x41x5xf32>) outs(%z2 : tensor<4x37x5xf32>) -> tensor<4x37x5xf32>
  %it = tensor.empty() : tensor<37x4x5xbf16>
  %t = linalg.generic {indexing_maps = [affine_map<(m, h, v) -> (h, m, v)>, affine_map<(m, h, v) -> (m, h, v)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o : tensor<4x37x5xf32>) outs(%it : tensor<37x4x5xbf16>) {
  ^bb0(%a0: f32, %b: bf16):
    %n = arith.truncf %a0 : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<37x4x5xbf16>
  %i3 = tensor.empty() : tensor<4x37x41xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<4x37x5xf32>, tensor<4x41x5xf32>) outs(%z3 : tensor<4x37x41xf32>) -> tensor<4x37x41xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<4x37x41xf32>, tensor<4x37xf32>, tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<4x37x41xf32>) outs(%zr : tensor<4x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<4x37x41xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37x41xf32>) outs(%es : tensor<4x37x41xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x37x41xf32>
  %i4 = tensor.empty() : tensor<4x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<4x37x41xf32>, tensor<4x41x8xf32>) outs(%z4 : tensor<4x37x8xf32>) -> tensor<4x37x8xf32>
  %i5 = tensor.empty() : tensor<4x41x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<4x37x41xf32>, tensor<4x37x8xf32>) outs(%z5 : tensor<4x41x8xf32>) -> tensor<4x41x8xf32>
  %i6 = tensor.empty() : tensor<4x41x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<4x41x5xf32>) -> tensor<4x41x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<4x37x41xf32>, tensor<4x37x5xf32>) outs(%z6 : tensor<4x41x5xf32>) -> tensor<4x41x5xf32>
  return %t, %dq, %dk, %dv : tensor<37x4x5xbf16>, tensor<4x37x8xf32>, tensor<4x41x8xf32>, tensor<4x41x5xf32>
}

// The backward pass takes the values from behind a barrier, as it does where
// they are computed again.
// CHECK-LABEL: func.func @textbook
// CHECK:       kernel.attention
// CHECK:       kernel.attention_backward
// CHECK-NOT:   tensor<3x37x53xf32>
func.func @textbook(%q: tensor<3x37x8xf32>, %k: tensor<3x53x8xf32>, %v: tensor<3x53x5xf32>, %g: tensor<3x37x5xf32>) -> (tensor<3x37x5xf32>, tensor<3x37x8xf32>, tensor<3x53x8xf32>, tensor<3x53x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<3x37x53xf32>
  %er = tensor.empty() : tensor<3x37xf32>
  %i1 = tensor.empty() : tensor<3x37x53xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  // expected-remark @below {{these scores are never stored: their softmax and its product with values are one kernel.attention, their gradients one kernel.attention_backward}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<3x37x8xf32>, tensor<3x53x8xf32>) outs(%z1 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<3x37x53xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<3x37xf32>) -> tensor<3x37xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x37xf32>) -> tensor<3x37xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x37x53xf32>) outs(%lows : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<3x37x53xf32>, tensor<3x37xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<3x37x53xf32>) outs(%zr : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<3x37x53xf32>, tensor<3x37xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %i2 = tensor.empty() : tensor<3x37x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<3x37x5xf32>) -> tensor<3x37x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<3x37x53xf32>, tensor<3x53x5xf32>) outs(%z2 : tensor<3x37x5xf32>) -> tensor<3x37x5xf32>
  %i3 = tensor.empty() : tensor<3x37x53xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %again = shardir.optimization_barrier %v : tensor<3x53x5xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %again : tensor<3x37x5xf32>, tensor<3x53x5xf32>) outs(%z3 : tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<3x37x53xf32>, tensor<3x37xf32>, tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<3x37x53xf32>) outs(%zr : tensor<3x37xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x37xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<3x37x53xf32>, tensor<3x37xf32>, tensor<3x37xf32>, tensor<3x37x53xf32>) outs(%es : tensor<3x37x53xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<3x37x53xf32>
  %i4 = tensor.empty() : tensor<3x37x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<3x37x8xf32>) -> tensor<3x37x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<3x37x53xf32>, tensor<3x53x8xf32>) outs(%z4 : tensor<3x37x8xf32>) -> tensor<3x37x8xf32>
  %i5 = tensor.empty() : tensor<3x53x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<3x53x8xf32>) -> tensor<3x53x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<3x37x53xf32>, tensor<3x37x8xf32>) outs(%z5 : tensor<3x53x8xf32>) -> tensor<3x53x8xf32>
  %i6 = tensor.empty() : tensor<3x53x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<3x53x5xf32>) -> tensor<3x53x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<3x37x53xf32>, tensor<3x37x5xf32>) outs(%z6 : tensor<3x53x5xf32>) -> tensor<3x53x5xf32>
  return %o, %dq, %dk, %dv : tensor<3x37x5xf32>, tensor<3x37x8xf32>, tensor<3x53x8xf32>, tensor<3x53x5xf32>
}

// CHECK-LABEL: func.func @kept
// CHECK-NOT:   kernel.attention
func.func @kept(%q: tensor<2x7x3xf32>, %k: tensor<2x9x3xf32>, %v: tensor<2x9x4xf32>, %g: tensor<2x7x4xf32>) -> (tensor<2x7x9xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  // expected-remark @below {{these scores are stored: scores or what is computed from them are also used by 'func.return'}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x3xf32>, tensor<2x9x3xf32>) outs(%z1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x9xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x9xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i2 = tensor.empty() : tensor<2x7x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x4xf32>) outs(%z2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %i3 = tensor.empty() : tensor<2x7x9xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x4xf32>, tensor<2x9x4xf32>) outs(%z3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i4 = tensor.empty() : tensor<2x7x3xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x7x9xf32>, tensor<2x9x3xf32>) outs(%z4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %i5 = tensor.empty() : tensor<2x9x3xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x7x9xf32>, tensor<2x7x3xf32>) outs(%z5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %i6 = tensor.empty() : tensor<2x9x4xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  return %p, %o, %dq, %dk, %dv : tensor<2x7x9xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>
}

// CHECK-LABEL: func.func @other_sum
// CHECK-NOT:   kernel.attention
func.func @other_sum(%q: tensor<2x7x3xf32>, %k: tensor<2x9x3xf32>, %v: tensor<2x9x4xf32>, %g: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  // expected-remark @below {{these scores are stored: a sum is not one of exponentials times their gradients}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x3xf32>, tensor<2x9x3xf32>) outs(%z1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x9xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x9xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i2 = tensor.empty() : tensor<2x7x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x4xf32>) outs(%z2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %i3 = tensor.empty() : tensor<2x7x9xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x4xf32>, tensor<2x9x4xf32>) outs(%z3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.addf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i4 = tensor.empty() : tensor<2x7x3xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x7x9xf32>, tensor<2x9x3xf32>) outs(%z4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %i5 = tensor.empty() : tensor<2x9x3xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x7x9xf32>, tensor<2x7x3xf32>) outs(%z5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %i6 = tensor.empty() : tensor<2x9x4xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  return %o, %dq, %dk, %dv : tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>
}

// CHECK-LABEL: func.func @two_gradients
// CHECK-NOT:   kernel.attention
func.func @two_gradients(%q: tensor<2x7x3xf32>, %k: tensor<2x9x3xf32>, %v: tensor<2x9x4xf32>, %g: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  // expected-remark @below {{these scores are stored: the gradients of queries and keys are computed from two gradients of scores}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x3xf32>, tensor<2x9x3xf32>) outs(%z1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x9xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x9xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i2 = tensor.empty() : tensor<2x7x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x4xf32>) outs(%z2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %i3 = tensor.empty() : tensor<2x7x9xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x4xf32>, tensor<2x9x4xf32>) outs(%z3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i4 = tensor.empty() : tensor<2x7x3xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x7x9xf32>, tensor<2x9x3xf32>) outs(%z4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %i5 = tensor.empty() : tensor<2x9x3xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%w, %q : tensor<2x7x9xf32>, tensor<2x7x3xf32>) outs(%z5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %i6 = tensor.empty() : tensor<2x9x4xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  return %o, %dq, %dk, %dv : tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>
}

// CHECK-LABEL: func.func @other_key
// CHECK-NOT:   kernel.attention
func.func @other_key(%q: tensor<2x7x3xf32>, %k: tensor<2x9x3xf32>, %v: tensor<2x9x4xf32>, %other: tensor<2x9x3xf32>, %g: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  // expected-remark @below {{these scores are stored: scores' gradients are multiplied with other tensors than queries and keys, or probabilities with another gradient}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x3xf32>, tensor<2x9x3xf32>) outs(%z1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x9xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x9xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i2 = tensor.empty() : tensor<2x7x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x4xf32>) outs(%z2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %i3 = tensor.empty() : tensor<2x7x9xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x4xf32>, tensor<2x9x4xf32>) outs(%z3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i4 = tensor.empty() : tensor<2x7x3xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %other : tensor<2x7x9xf32>, tensor<2x9x3xf32>) outs(%z4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %i5 = tensor.empty() : tensor<2x9x3xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x7x9xf32>, tensor<2x7x3xf32>) outs(%z5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %i6 = tensor.empty() : tensor<2x9x4xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%z6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  return %o, %dq, %dk, %dv : tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x9x4xf32>
}

// Probabilities of each head with the gradients of all.
// CHECK-LABEL: func.func @all_pairs
// CHECK-NOT:   kernel.attention
func.func @all_pairs(%q: tensor<2x7x3xf32>, %k: tensor<2x9x3xf32>, %v: tensor<2x9x4xf32>, %g: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x2x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %i1 = tensor.empty() : tensor<2x7x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  // expected-remark @below {{these scores are stored: scores' gradients are multiplied with other tensors than queries and keys, or probabilities with another gradient}}
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x7x3xf32>, tensor<2x9x3xf32>) outs(%z1 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x7x9xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x7x9xf32>) outs(%lows : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i2 = tensor.empty() : tensor<2x7x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x4xf32>) outs(%z2 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %i3 = tensor.empty() : tensor<2x7x9xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x7x4xf32>, tensor<2x9x4xf32>) outs(%z3 : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x9xf32>) outs(%zr : tensor<2x7xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x7x9xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %i4 = tensor.empty() : tensor<2x7x3xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x7x9xf32>, tensor<2x9x3xf32>) outs(%z4 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %i5 = tensor.empty() : tensor<2x9x3xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x7x9xf32>, tensor<2x7x3xf32>) outs(%z5 : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %i6 = tensor.empty() : tensor<2x9x4xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %ev = tensor.empty() : tensor<2x2x9x4xf32>
  %zv = linalg.fill ins(%zero : f32) outs(%ev : tensor<2x2x9x4xf32>) -> tensor<2x2x9x4xf32>
  %dv = linalg.generic {indexing_maps = [affine_map<(b, c, n, v, m) -> (b, m, n)>, affine_map<(b, c, n, v, m) -> (c, m, v)>, affine_map<(b, c, n, v, m) -> (b, c, n, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %g : tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%zv : tensor<2x2x9x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %t = arith.mulf %a0, %a1 : f32
    %r = arith.addf %t, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9x4xf32>
  return %o, %dq, %dk, %dv : tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x9x3xf32>, tensor<2x2x9x4xf32>
}
