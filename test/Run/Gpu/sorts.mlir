// Sorts that arrive as loops over neighbours, as networks on an emulated GPU:
// stable, along any dim, with what goes along, in one kernel or one per step.
// DEFINE: %{function} =
// DEFINE: %{options} = arch=host
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="%{options}" --verify --tolerance=0 --function=%{function}
// REDEFINE: %{function} = stable
// RUN: %{run} --input=37xi32=-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0 --input=37xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
// REDEFINE: %{options} = arch=host schedule=host_loop
// RUN: %{run} --input=37xi32=-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0 --input=37xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
// REDEFINE: %{options} = arch=host schedule=ordered_loops
// REDEFINE: %{function} = columns
// RUN: %{run}
// REDEFINE: %{function} = rows
// RUN: %{run}
// REDEFINE: %{function} = two
// RUN: %{run}
// REDEFINE: %{options} = arch=host
// REDEFINE: %{function} = floats
// RUN: %{run} --input=37xf32=-5,0,5,nan,4,-2,3,-3,2,-4,nan,-5,0,5,-1,4,-2,nan,-3,2,-4,1,-5,0,nan,-1,4,-2,3,-3,2,nan,1,-5,0,5,-1 --input=37xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
// REDEFINE: %{function} = integer_and_float
// RUN: %{run} --input=37xi32=-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1,0,1,-1 --input=37xf32=-5,0,5,nan,4,-2,3,-3,2,-4,nan,-5,0,5,-1,4,-2,nan,-3,2,-4,1,-5,0,nan,-1,4,-2,3,-3,2,nan,1,-5,0,5,-1 --input=37xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
// REDEFINE: %{function} = nan_last
// RUN: %{run} --input=37xf32=-5,0,5,nan,4,-2,3,-3,2,-4,nan,-5,0,5,-1,4,-2,nan,-3,2,-4,1,-5,0,nan,-1,4,-2,3,-3,2,nan,1,-5,0,5,-1 --input=37xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36

// Few keys, which all come several times.
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

func.func @columns(%x0: tensor<50x3xi32>) -> tensor<50x3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 50 : index
  %steps = arith.constant 50 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0) -> (tensor<50x3xi32>) {
    %a0 = tensor.extract_slice %t0[1, 0] [49, 3] [1, 1] : tensor<50x3xi32> to tensor<49x3xi32>
    %b0 = tensor.extract_slice %t0[0, 0] [1, 3] [1, 1] : tensor<50x3xi32> to tensor<1x3xi32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<49x3xi32>, tensor<1x3xi32>) -> tensor<50x3xi32>
    %h0 = tensor.extract_slice %t0[49, 0] [1, 3] [1, 1] : tensor<50x3xi32> to tensor<1x3xi32>
    %d0 = tensor.extract_slice %t0[0, 0] [49, 3] [1, 1] : tensor<50x3xi32> to tensor<49x3xi32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1x3xi32>, tensor<49x3xi32>) -> tensor<50x3xi32>
    %e0 = tensor.empty() : tensor<50x3xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t0, %next0, %last0 : tensor<50x3xi32>, tensor<50x3xi32>, tensor<50x3xi32>) outs(%e0 : tensor<50x3xi32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %o0: i32):
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
      linalg.yield %g0 : i32
    } -> tensor<50x3xi32>
    scf.yield %y : tensor<50x3xi32>
  }
  return %r : tensor<50x3xi32>
}

// Bits, the largest first; three tensors.
func.func @rows(%x0: tensor<3x64xi32>, %x1: tensor<3x64xf32>, %x2: tensor<3x64xi32>) -> (tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 64 : index
  %steps = arith.constant 64 : index
  %true = arith.constant true
  %r:3 = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0, %t1 = %x1, %t2 = %x2) -> (tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>) {
    %a0 = tensor.extract_slice %t0[0, 1] [3, 63] [1, 1] : tensor<3x64xi32> to tensor<3x63xi32>
    %b0 = tensor.extract_slice %t0[0, 0] [3, 1] [1, 1] : tensor<3x64xi32> to tensor<3x1xi32>
    %next0 = tensor.concat dim(1) %a0, %b0 : (tensor<3x63xi32>, tensor<3x1xi32>) -> tensor<3x64xi32>
    %h0 = tensor.extract_slice %t0[0, 63] [3, 1] [1, 1] : tensor<3x64xi32> to tensor<3x1xi32>
    %d0 = tensor.extract_slice %t0[0, 0] [3, 63] [1, 1] : tensor<3x64xi32> to tensor<3x63xi32>
    %last0 = tensor.concat dim(1) %h0, %d0 : (tensor<3x1xi32>, tensor<3x63xi32>) -> tensor<3x64xi32>
    %e0 = tensor.empty() : tensor<3x64xi32>
    %a1 = tensor.extract_slice %t1[0, 1] [3, 63] [1, 1] : tensor<3x64xf32> to tensor<3x63xf32>
    %b1 = tensor.extract_slice %t1[0, 0] [3, 1] [1, 1] : tensor<3x64xf32> to tensor<3x1xf32>
    %next1 = tensor.concat dim(1) %a1, %b1 : (tensor<3x63xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
    %h1 = tensor.extract_slice %t1[0, 63] [3, 1] [1, 1] : tensor<3x64xf32> to tensor<3x1xf32>
    %d1 = tensor.extract_slice %t1[0, 0] [3, 63] [1, 1] : tensor<3x64xf32> to tensor<3x63xf32>
    %last1 = tensor.concat dim(1) %h1, %d1 : (tensor<3x1xf32>, tensor<3x63xf32>) -> tensor<3x64xf32>
    %e1 = tensor.empty() : tensor<3x64xf32>
    %a2 = tensor.extract_slice %t2[0, 1] [3, 63] [1, 1] : tensor<3x64xi32> to tensor<3x63xi32>
    %b2 = tensor.extract_slice %t2[0, 0] [3, 1] [1, 1] : tensor<3x64xi32> to tensor<3x1xi32>
    %next2 = tensor.concat dim(1) %a2, %b2 : (tensor<3x63xi32>, tensor<3x1xi32>) -> tensor<3x64xi32>
    %h2 = tensor.extract_slice %t2[0, 63] [3, 1] [1, 1] : tensor<3x64xi32> to tensor<3x1xi32>
    %d2 = tensor.extract_slice %t2[0, 0] [3, 63] [1, 1] : tensor<3x64xi32> to tensor<3x63xi32>
    %last2 = tensor.concat dim(1) %h2, %d2 : (tensor<3x1xi32>, tensor<3x63xi32>) -> tensor<3x64xi32>
    %e2 = tensor.empty() : tensor<3x64xi32>
    %y:3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1, %t2, %next2, %last2 : tensor<3x64xi32>, tensor<3x64xi32>, tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x64xi32>, tensor<3x64xi32>, tensor<3x64xi32>) outs(%e0, %e1, %e2 : tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %v1: f32, %w1: f32, %u1: f32, %v2: i32, %w2: i32, %u2: i32, %o0: i32, %o1: f32, %o2: i32):
      %p = linalg.index 1 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpi ugt, %w0, %v0 : i32
      %s1 = arith.cmpi ugt, %v0, %u0 : i32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      %f1 = arith.select %r1, %u1, %v1 : f32
      %g1 = arith.select %l1, %w1, %f1 : f32
      %f2 = arith.select %r1, %u2, %v2 : i32
      %g2 = arith.select %l1, %w2, %f2 : i32
      linalg.yield %g0, %g1, %g2 : i32, f32, i32
    } -> (tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>)
    scf.yield %y#0, %y#1, %y#2 : tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>
  }
  return %r#0, %r#1, %r#2 : tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>
}

func.func @two(%x0: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 2 : index
  %steps = arith.constant 2 : index
  %true = arith.constant true
  %r = scf.for %s = %c0 to %steps step %c1 iter_args(%t0 = %x0) -> (tensor<2x2xi32>) {
    %a0 = tensor.extract_slice %t0[0, 1] [2, 1] [1, 1] : tensor<2x2xi32> to tensor<2x1xi32>
    %b0 = tensor.extract_slice %t0[0, 0] [2, 1] [1, 1] : tensor<2x2xi32> to tensor<2x1xi32>
    %next0 = tensor.concat dim(1) %a0, %b0 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %h0 = tensor.extract_slice %t0[0, 1] [2, 1] [1, 1] : tensor<2x2xi32> to tensor<2x1xi32>
    %d0 = tensor.extract_slice %t0[0, 0] [2, 1] [1, 1] : tensor<2x2xi32> to tensor<2x1xi32>
    %last0 = tensor.concat dim(1) %h0, %d0 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %e0 = tensor.empty() : tensor<2x2xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t0, %next0, %last0 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) outs(%e0 : tensor<2x2xi32>) {
    ^bb0(%v0: i32, %w0: i32, %u0: i32, %o0: i32):
      %p = linalg.index 1 : index
      %odd = arith.remui %p, %c2 : index
      %turn = arith.remui %s, %c2 : index
      %left = arith.cmpi eq, %odd, %turn : index
      %right = arith.xori %left, %true : i1
      %after = arith.addi %p, %c1 : index
      %has0 = arith.cmpi slt, %after, %n : index
      %has1 = arith.cmpi sgt, %p, %c0 : index
      %has = arith.select %left, %has0, %has1 : i1
      %s0 = arith.cmpi sgt, %w0, %v0 : i32
      %s1 = arith.cmpi sgt, %v0, %u0 : i32
      %l0 = arith.andi %has, %left : i1
      %l1 = arith.andi %l0, %s0 : i1
      %r0 = arith.andi %has, %right : i1
      %r1 = arith.andi %r0, %s1 : i1
      %f0 = arith.select %r1, %u0, %v0 : i32
      %g0 = arith.select %l1, %w0, %f0 : i32
      linalg.yield %g0 : i32
    } -> tensor<2x2xi32>
    scf.yield %y : tensor<2x2xi32>
  }
  return %r : tensor<2x2xi32>
}

// NaN stays where it is and nothing passes it, as a loop over neighbours has it.
func.func @floats(%x0: tensor<37xf32>, %x1: tensor<37xi32>) -> (tensor<37xf32>, tensor<37xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 37 : index
  %true = arith.constant true
  %r:2 = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0, %t1 = %x1) -> (tensor<37xf32>, tensor<37xi32>) {
    %a0 = tensor.extract_slice %t0[1] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<36xf32>, tensor<1xf32>) -> tensor<37xf32>
    %h0 = tensor.extract_slice %t0[36] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %d0 = tensor.extract_slice %t0[0] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xf32>, tensor<36xf32>) -> tensor<37xf32>
    %e0 = tensor.empty() : tensor<37xf32>
    %a1 = tensor.extract_slice %t1[1] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %b1 = tensor.extract_slice %t1[0] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %next1 = tensor.concat dim(0) %a1, %b1 : (tensor<36xi32>, tensor<1xi32>) -> tensor<37xi32>
    %h1 = tensor.extract_slice %t1[36] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %d1 = tensor.extract_slice %t1[0] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %last1 = tensor.concat dim(0) %h1, %d1 : (tensor<1xi32>, tensor<36xi32>) -> tensor<37xi32>
    %e1 = tensor.empty() : tensor<37xi32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>) outs(%e0, %e1 : tensor<37xf32>, tensor<37xi32>) {
    ^bb0(%v0: f32, %w0: f32, %u0: f32, %v1: i32, %w1: i32, %u1: i32, %o0: f32, %o1: i32):
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
      %f1 = arith.select %r1, %u1, %v1 : i32
      %g1 = arith.select %l1, %w1, %f1 : i32
      linalg.yield %g0, %g1 : f32, i32
    } -> (tensor<37xf32>, tensor<37xi32>)
    scf.yield %y#0, %y#1 : tensor<37xf32>, tensor<37xi32>
  }
  return %r#0, %r#1 : tensor<37xf32>, tensor<37xi32>
}

// The same among those whose first keys are equal.
func.func @integer_and_float(%x0: tensor<37xi32>, %x1: tensor<37xf32>, %x2: tensor<37xi32>) -> (tensor<37xi32>, tensor<37xf32>, tensor<37xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 37 : index
  %true = arith.constant true
  %r:3 = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0, %t1 = %x1, %t2 = %x2) -> (tensor<37xi32>, tensor<37xf32>, tensor<37xi32>) {
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
    %a2 = tensor.extract_slice %t2[1] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %b2 = tensor.extract_slice %t2[0] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %next2 = tensor.concat dim(0) %a2, %b2 : (tensor<36xi32>, tensor<1xi32>) -> tensor<37xi32>
    %h2 = tensor.extract_slice %t2[36] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %d2 = tensor.extract_slice %t2[0] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %last2 = tensor.concat dim(0) %h2, %d2 : (tensor<1xi32>, tensor<36xi32>) -> tensor<37xi32>
    %e2 = tensor.empty() : tensor<37xi32>
    %y:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1, %t2, %next2, %last2 : tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>) outs(%e0, %e1, %e2 : tensor<37xi32>, tensor<37xf32>, tensor<37xi32>) {
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
    } -> (tensor<37xi32>, tensor<37xf32>, tensor<37xi32>)
    scf.yield %y#0, %y#1, %y#2 : tensor<37xi32>, tensor<37xf32>, tensor<37xi32>
  }
  return %r#0, %r#1, %r#2 : tensor<37xi32>, tensor<37xf32>, tensor<37xi32>
}

// The comparison has a place for NaN.
func.func @nan_last(%x0: tensor<37xf32>, %x1: tensor<37xi32>) -> (tensor<37xf32>, tensor<37xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 37 : index
  %true = arith.constant true
  %r:2 = scf.for %s = %c0 to %n step %c1 iter_args(%t0 = %x0, %t1 = %x1) -> (tensor<37xf32>, tensor<37xi32>) {
    %a0 = tensor.extract_slice %t0[1] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %b0 = tensor.extract_slice %t0[0] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %next0 = tensor.concat dim(0) %a0, %b0 : (tensor<36xf32>, tensor<1xf32>) -> tensor<37xf32>
    %h0 = tensor.extract_slice %t0[36] [1] [1] : tensor<37xf32> to tensor<1xf32>
    %d0 = tensor.extract_slice %t0[0] [36] [1] : tensor<37xf32> to tensor<36xf32>
    %last0 = tensor.concat dim(0) %h0, %d0 : (tensor<1xf32>, tensor<36xf32>) -> tensor<37xf32>
    %e0 = tensor.empty() : tensor<37xf32>
    %a1 = tensor.extract_slice %t1[1] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %b1 = tensor.extract_slice %t1[0] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %next1 = tensor.concat dim(0) %a1, %b1 : (tensor<36xi32>, tensor<1xi32>) -> tensor<37xi32>
    %h1 = tensor.extract_slice %t1[36] [1] [1] : tensor<37xi32> to tensor<1xi32>
    %d1 = tensor.extract_slice %t1[0] [36] [1] : tensor<37xi32> to tensor<36xi32>
    %last1 = tensor.concat dim(0) %h1, %d1 : (tensor<1xi32>, tensor<36xi32>) -> tensor<37xi32>
    %e1 = tensor.empty() : tensor<37xi32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t0, %next0, %last0, %t1, %next1, %last1 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>) outs(%e0, %e1 : tensor<37xf32>, tensor<37xi32>) {
    ^bb0(%v0: f32, %w0: f32, %u0: f32, %v1: i32, %w1: i32, %u1: i32, %o0: f32, %o1: i32):
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
      %f1 = arith.select %r1, %u1, %v1 : i32
      %g1 = arith.select %l1, %w1, %f1 : i32
      linalg.yield %g0, %g1 : f32, i32
    } -> (tensor<37xf32>, tensor<37xi32>)
    scf.yield %y#0, %y#1 : tensor<37xf32>, tensor<37xi32>
  }
  return %r#0, %r#1 : tensor<37xf32>, tensor<37xi32>
}
