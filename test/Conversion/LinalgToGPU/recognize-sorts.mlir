// Loops that sort become networks of compared pairs.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-recognize-sorts{explain}))' 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s <%t.err

// REMARK-COUNT-1: is a sort of 2 tensors along dim 0 of size 37: becomes a bitonic network
// REMARK-NOT: is a sort

// Six merges of blocks; pairs of a step in any order; equal keys by their places.
// CHECK-LABEL: func.func @stable
// CHECK:         %[[SIX:.+]] = arith.constant 6 : index
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[SIX]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.if
// CHECK-COUNT-6:         tensor.extract
// CHECK:                 scf.if
// CHECK-COUNT-6:           tensor.insert
// CHECK:             {independent_iterations}
// CHECK-NOT:     tensor.concat
func.func @stable(%x0: tensor<37xi32>, %x1: tensor<37xf32>) -> (tensor<37xi32>, tensor<37xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 37 : index
  %steps = arith.constant 37 : index
  %true = arith.constant true
  %r:2 = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0, %t1 = %x1) -> (tensor<37xi32>, tensor<37xf32>) {
    %a0 = tensor.extract_slice %t0[1] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<36xi32>, tensor<1xi32>) -> tensor<37xi32>
    %h0 = tensor.extract_slice %t0[36] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %d0 = tensor.extract_slice %t0[0] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xi32>, tensor<36xi32>) -> tensor<37xi32>
    %e0 = tensor.empty() : tensor<37xi32>
    %a1 = tensor.extract_slice %t1[1] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %b1 = tensor.extract_slice %t1[0] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %next1 = tensor.concat dim(0) %a1, %b1 : (tensor<36xf32>, tensor<1xf32>) -> tensor<37xf32>
    %h1 = tensor.extract_slice %t1[36] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %d1 = tensor.extract_slice %t1[0] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %last1 = tensor.concat dim(0) %h1, %d1 : (tensor<1xf32>, tensor<36xf32>) -> tensor<37xf32>
    %e1 = tensor.empty() : tensor<37xf32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1 : tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) outs(%e0, %e1 : tensor<37xi32>, tensor<37xf32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %v1: f32, %w1: f32, %u1: f32, %o0: i32, %o1: f32):
      %p = linalg.index 0 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpi slt, %w0, %v0 : i32
      %s1 = arith.cmpi slt, %v0, %u0 : i32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      %f1 = arith.select %r1, %u1, %v1 : f32
      %g1 = arith.select %l1, %w1, %f1 : f32
      linalg.yield %g0, %g1 : i32, f32
    } -> (tensor<37xi32>, tensor<37xf32>)
    scf.yield %y#0, %y#1 : tensor<37xi32>, tensor<37xf32>
  }
  return %r#0, %r#1 : tensor<37xi32>, tensor<37xf32>
}

// Too few steps, and what is no strict order: NaN is no key, and of equal keys
// each step swaps.
// CHECK-LABEL: func.func @too_few
// CHECK:         tensor.concat
func.func @too_few(%x0: tensor<12xi32>, %x1: tensor<12xf32>) -> (tensor<12xi32>, tensor<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %steps = arith.constant 11 : index
  %true = arith.constant true
  %r:2 = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0, %t1 = %x1) -> (tensor<12xi32>, tensor<12xf32>) {
    %a0 = tensor.extract_slice %t0[1] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<11xi32>, tensor<1xi32>) -> tensor<12xi32>
    %h0 = tensor.extract_slice %t0[11] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %d0 = tensor.extract_slice %t0[0] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xi32>, tensor<11xi32>) -> tensor<12xi32>
    %e0 = tensor.empty() : tensor<12xi32>
    %a1 = tensor.extract_slice %t1[1] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %b1 = tensor.extract_slice %t1[0] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %next1 = tensor.concat dim(0) %a1, %b1 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    %h1 = tensor.extract_slice %t1[11] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %d1 = tensor.extract_slice %t1[0] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %last1 = tensor.concat dim(0) %h1, %d1 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    %e1 = tensor.empty() : tensor<12xf32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1 : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) outs(%e0, %e1 : tensor<12xi32>, tensor<12xf32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %v1: f32, %w1: f32, %u1: f32, %o0: i32, %o1: f32):
      %p = linalg.index 0 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpi slt, %w0, %v0 : i32
      %s1 = arith.cmpi slt, %v0, %u0 : i32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      %f1 = arith.select %r1, %u1, %v1 : f32
      %g1 = arith.select %l1, %w1, %f1 : f32
      linalg.yield %g0, %g1 : i32, f32
    } -> (tensor<12xi32>, tensor<12xf32>)
    scf.yield %y#0, %y#1 : tensor<12xi32>, tensor<12xf32>
  }
  return %r#0, %r#1 : tensor<12xi32>, tensor<12xf32>
}

// CHECK-LABEL: func.func @not_strict
// CHECK:         tensor.concat
func.func @not_strict(%x0: tensor<12xi32>, %x1: tensor<12xf32>) -> (tensor<12xi32>, tensor<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %steps = arith.constant 12 : index
  %true = arith.constant true
  %r:2 = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0, %t1 = %x1) -> (tensor<12xi32>, tensor<12xf32>) {
    %a0 = tensor.extract_slice %t0[1] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<11xi32>, tensor<1xi32>) -> tensor<12xi32>
    %h0 = tensor.extract_slice %t0[11] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %d0 = tensor.extract_slice %t0[0] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xi32>, tensor<11xi32>) -> tensor<12xi32>
    %e0 = tensor.empty() : tensor<12xi32>
    %a1 = tensor.extract_slice %t1[1] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %b1 = tensor.extract_slice %t1[0] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %next1 = tensor.concat dim(0) %a1, %b1 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    %h1 = tensor.extract_slice %t1[11] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %d1 = tensor.extract_slice %t1[0] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %last1 = tensor.concat dim(0) %h1, %d1 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    %e1 = tensor.empty() : tensor<12xf32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1 : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) outs(%e0, %e1 : tensor<12xi32>, tensor<12xf32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %v1: f32, %w1: f32, %u1: f32, %o0: i32, %o1: f32):
      %p = linalg.index 0 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpi sle, %w0, %v0 : i32
      %s1 = arith.cmpi sle, %v0, %u0 : i32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      %f1 = arith.select %r1, %u1, %v1 : f32
      %g1 = arith.select %l1, %w1, %f1 : f32
      linalg.yield %g0, %g1 : i32, f32
    } -> (tensor<12xi32>, tensor<12xf32>)
    scf.yield %y#0, %y#1 : tensor<12xi32>, tensor<12xf32>
  }
  return %r#0, %r#1 : tensor<12xi32>, tensor<12xf32>
}

// CHECK-LABEL: func.func @floats
// CHECK:         tensor.concat
func.func @floats(%x0: tensor<12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %steps = arith.constant 12 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0) -> (tensor<12xf32>) {
    %a0 = tensor.extract_slice %t0[1] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    %h0 = tensor.extract_slice %t0[11] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %d0 = tensor.extract_slice %t0[0] [11] [1] : tensor<12xf32> to tensor<11xf32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    %e0 = tensor.empty() : tensor<12xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) outs(%e0 : tensor<12xf32>) {
    ^bb0(%v0: f32, %w0: f32, %u0: f32, %o0: f32):
      %p = linalg.index 0 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpf olt, %w0, %v0 : f32
      %s1 = arith.cmpf olt, %v0, %u0 : f32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : f32
      %g0 = arith.select %l1, %w0, %f0 : f32
      linalg.yield %g0 : f32
    } -> tensor<12xf32>
    scf.yield %y : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}
