// Sorts as networks on an emulated GPU: stable, along any dim, with what goes
// along, in one kernel or one per step.
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
// REDEFINE: %{function} = nan_last
// RUN: %{run} --input=37xf32=-5,0,5,nan,4,-2,3,-3,2,-4,nan,-5,0,5,-1,4,-2,nan,-3,2,-4,1,-5,0,nan,-1,4,-2,3,-3,2,nan,1,-5,0,5,-1 --input=37xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36

// Few keys, which all come several times.
func.func @stable(%x0: tensor<37xi32>, %x1: tensor<37xf32>) -> (tensor<37xi32>, tensor<37xf32>) {
  %0:2 = shardir.sort %x0, %x1 : tensor<37xi32>, tensor<37xf32> dim = 0 {
  ^bb0(%a0: i32, %b0: i32, %a1: f32, %b1: f32):
    %r = arith.cmpi slt, %a0, %b0 : i32
    shardir.yield %r : i1
  }
  return %0#0, %0#1 : tensor<37xi32>, tensor<37xf32>
}

func.func @columns(%x0: tensor<50x3xi32>) -> tensor<50x3xi32> {
  %0 = shardir.sort %x0 : tensor<50x3xi32> dim = 0 {
  ^bb0(%a0: i32, %b0: i32):
    %r = arith.cmpi slt, %a0, %b0 : i32
    shardir.yield %r : i1
  }
  return %0 : tensor<50x3xi32>
}

// Bits, the largest first; three tensors.
func.func @rows(%x0: tensor<3x64xi32>, %x1: tensor<3x64xf32>, %x2: tensor<3x64xi32>) -> (tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>) {
  %0:3 = shardir.sort %x0, %x1, %x2 : tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32> dim = 1 {
  ^bb0(%a0: i32, %b0: i32, %a1: f32, %b1: f32, %a2: i32, %b2: i32):
    %r = arith.cmpi ugt, %a0, %b0 : i32
    shardir.yield %r : i1
  }
  return %0#0, %0#1, %0#2 : tensor<3x64xi32>, tensor<3x64xf32>, tensor<3x64xi32>
}

func.func @two(%x0: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = shardir.sort %x0 : tensor<2x2xi32> dim = 1 {
  ^bb0(%a0: i32, %b0: i32):
    %r = arith.cmpi slt, %a0, %b0 : i32
    shardir.yield %r : i1
  }
  return %0 : tensor<2x2xi32>
}

// NaN behind all numbers, in its order.
func.func @nan_last(%x0: tensor<37xf32>, %x1: tensor<37xi32>) -> (tensor<37xf32>, tensor<37xi32>) {
  %0:2 = shardir.sort %x0, %x1 : tensor<37xf32>, tensor<37xi32> dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: i32, %b1: i32):
    %less = arith.cmpf olt, %a0, %b0 : f32
    %number = arith.cmpf ord, %a0, %a0 : f32
    %nan = arith.cmpf uno, %b0, %b0 : f32
    %before = arith.andi %number, %nan : i1
    %r = arith.ori %less, %before : i1
    shardir.yield %r : i1
  }
  return %0#0, %0#1 : tensor<37xf32>, tensor<37xi32>
}
