// Loops that sort become networks of compared pairs.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-recognize-sorts{explain}))' 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s <%t.err

// REMARK: is a sort of 2 tensors along dim 0 of size 37: becomes a bitonic network
// REMARK: is a sort of 1 tensors along dim 0 of size 12: becomes a bitonic network
// REMARK: is a sort of 3 tensors along dim 0 of size 12: becomes a bitonic network
// REMARK: is a sort of 1 tensors along dim 0 of size 12: becomes a bitonic network
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

// Too few steps, and what is no strict order: of equal keys each step swaps.
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

// NaN takes part in no comparison: elements are counted by how many are before
// them, and this count is the first key.
// CHECK-LABEL: func.func @floats
// CHECK:         scf.for %{{.+}} iter_args(%[[COUNT:.+]] = %{{.+}}, %{{.+}} = %{{.+}}) -> (i32, tensor<12xi32>)
// CHECK:           %[[NAN:.+]] = arith.cmpf uno, %[[X:.+]], %[[X]] : f32
// CHECK:           %[[BIT:.+]] = arith.extui %[[NAN]] : i1 to i32
// CHECK:           %[[NEXT:.+]] = arith.addi %[[COUNT]], %[[BIT]]
// CHECK:           tensor.insert %[[NEXT]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK-COUNT-6:       tensor.extract
// CHECK-NOT:     tensor.concat
func.func @floats(%x0: tensor<12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0) -> (tensor<12xf32>) {
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
      %sr = arith.cmpf olt, %w0, %v0 : f32
      %qr = arith.cmpf olt, %v0, %u0 : f32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %sr : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %qr : i1
      %f0 = arith.select %r1, %u0, %v0 : f32
      %g0 = arith.select %l1, %w0, %f0 : f32
      linalg.yield %g0 : f32
    } -> tensor<12xf32>
    scf.yield %y : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}

// A float after another key: the elements are sorted by that one first, so that
// equal ones lie together.
// CHECK-LABEL: func.func @integer_and_float
// CHECK-NOT:     arith.cmpf
// CHECK:         scf.if
// CHECK:         scf.for %{{.+}} -> (i32, tensor<12xi32>)
// CHECK:           arith.cmpf uno
// CHECK:         scf.if
// CHECK:           arith.cmpf ogt
// CHECK-NOT:     tensor.concat
func.func @integer_and_float(%x0: tensor<12xi32>, %x1: tensor<12xf32>, %x2: tensor<12xi32>) -> (tensor<12xi32>, tensor<12xf32>, tensor<12xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %true = arith.constant true
  %r:3 = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0, %t1 = %x1, %t2 = %x2) -> (tensor<12xi32>, tensor<12xf32>, tensor<12xi32>) {
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
    %a2 = tensor.extract_slice %t2[1] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %b2 = tensor.extract_slice %t2[0] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %next2 = tensor.concat dim(0) %a2, %b2 : (tensor<11xi32>, tensor<1xi32>) -> tensor<12xi32>
    %h2 = tensor.extract_slice %t2[11] [1] [1] : tensor<12xi32> to tensor<1xi32>
    %d2 = tensor.extract_slice %t2[0] [11] [1] : tensor<12xi32> to tensor<11xi32>
    %last2 = tensor.concat dim(0) %h2, %d2 : (tensor<1xi32>, tensor<11xi32>) -> tensor<12xi32>
    %e2 = tensor.empty() : tensor<12xi32>
    %y:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1, %t2, %next2, %last2 : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi32>) outs(%e0, %e1, %e2 : tensor<12xi32>, tensor<12xf32>, tensor<12xi32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %v1: f32, %w1: f32, %u1: f32, %v2: i32, %w2: i32, %u2: i32, %o0: i32, %o1: f32, %o2: i32):
      %p = linalg.index 0 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %sl = arith.cmpi slt, %w0, %v0 : i32
      %se = arith.cmpi eq, %w0, %v0 : i32
      %sm = arith.cmpf ogt, %w1, %v1 : f32
      %sn = arith.andi %se, %sm : i1
      %sr = arith.ori %sl, %sn : i1
      %ql = arith.cmpi slt, %v0, %u0 : i32
      %qe = arith.cmpi eq, %v0, %u0 : i32
      %qm = arith.cmpf ogt, %v1, %u1 : f32
      %qn = arith.andi %qe, %qm : i1
      %qr = arith.ori %ql, %qn : i1
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %sr : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %qr : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      %f1 = arith.select %r1, %u1, %v1 : f32
      %g1 = arith.select %l1, %w1, %f1 : f32
      %f2 = arith.select %r1, %u2, %v2 : i32
      %g2 = arith.select %l1, %w2, %f2 : i32
      linalg.yield %g0, %g1, %g2 : i32, f32, i32
    } -> (tensor<12xi32>, tensor<12xf32>, tensor<12xi32>)
    scf.yield %y#0, %y#1, %y#2 : tensor<12xi32>, tensor<12xf32>, tensor<12xi32>
  }
  return %r#0, %r#1, %r#2 : tensor<12xi32>, tensor<12xf32>, tensor<12xi32>
}

// The comparison has a place for NaN: nothing is counted.
// CHECK-LABEL: func.func @nan_last
// CHECK-NOT:     arith.cmpf uno
// CHECK:         scf.if
// CHECK-NOT:     tensor.concat
func.func @nan_last(%x0: tensor<12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0) -> (tensor<12xf32>) {
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
      %sl = arith.cmpf olt, %w0, %v0 : f32
      %se = arith.cmpf une, %v0, %v0 : f32
      %sm = arith.cmpf ord, %w0, %w0 : f32
      %sn = arith.andi %se, %sm : i1
      %sr = arith.ori %sl, %sn : i1
      %ql = arith.cmpf olt, %v0, %u0 : f32
      %qe = arith.cmpf une, %u0, %u0 : f32
      %qm = arith.cmpf ord, %v0, %v0 : f32
      %qn = arith.andi %qe, %qm : i1
      %qr = arith.ori %ql, %qn : i1
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %sr : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %qr : i1
      %f0 = arith.select %r1, %u0, %v0 : f32
      %g0 = arith.select %l1, %w0, %f0 : f32
      linalg.yield %g0 : f32
    } -> tensor<12xf32>
    scf.yield %y : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}

// NaN belongs before everything and everything before NaN.
// CHECK-LABEL: func.func @no_order
// CHECK:         tensor.concat
func.func @no_order(%x0: tensor<12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 12 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0) -> (tensor<12xf32>) {
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
      %sr = arith.cmpf ult, %w0, %v0 : f32
      %qr = arith.cmpf ult, %v0, %u0 : f32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %sr : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %qr : i1
      %f0 = arith.select %r1, %u0, %v0 : f32
      %g0 = arith.select %l1, %w0, %f0 : f32
      linalg.yield %g0 : f32
    } -> tensor<12xf32>
    scf.yield %y : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}
