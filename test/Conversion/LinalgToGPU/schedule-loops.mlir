// Loop nests over elements of memory: which schedule each gets, and what its kernels need.
// REQUIRES: ptxas
// DEFINE: %{arch} = sm_90a
// DEFINE: %{assemble} = shard-opt %s -o /dev/null -pass-pipeline='builtin.module(func.func(shardir-place-on-gpu,shardir-schedule-for-gpu{arch=%{arch} explain}),canonicalize,cse,shardir-outline-gpu-kernels,shardir-launches-to-runtime{arch=%{arch}},gpu.module(shardir-kernels-to-nvvm{arch=%{arch}}),shardir-assemble-kernels{arch=%{arch} explain})'
// RUN: %{assemble} 2>&1 | FileCheck %s
// REDEFINE: %{arch} = sm_80
// RUN: %{assemble} 2>&1 | FileCheck %s

// CHECK: scf.for is scheduled by scatter (a warp per update that is the first at its place)
// CHECK: scf.for is scheduled by parallel_loops (a thread per iteration of 1 independent loop)
// CHECK: scf.for is scheduled by parallel_loops (a thread per iteration of 2 independent loops)
// CHECK: scf.for is scheduled by plain (one thread)
// CHECK: scf.for is scheduled by plain (one thread)
// CHECK: scf.for is scheduled by scan (4 blocks per row, chunks of 1024)
// CHECK: scf.for is scheduled by ordered_loops (steps in order in a block of 512 threads)
// CHECK: scf.for is scheduled by host_loop (1 nest of kernels per iteration)
// CHECK-COUNT-10: needs {{[0-9]+}} registers, 0 bytes of stack, spills 0 bytes
func.func @add_rows(%at: memref<2048xi32>, %x: memref<2048x256xf32>, %t: memref<1000x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2048 : index
  %w = arith.constant 256 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<2048xi32>
    %row = arith.index_cast %p : i32 to index
    scf.for %j = %c0 to %w step %c1 {
      %a = memref.load %t[%row, %j] : memref<1000x256xf32>
      %b = memref.load %x[%i, %j] : memref<2048x256xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %t[%row, %j] : memref<1000x256xf32>
    }
  }
  return
}

// In order along the rows.
func.func @running(%t: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  %w = arith.constant 512 : index
  scf.for %i = %c1 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    scf.for %j = %c0 to %w step %c1 {
      %a = memref.load %t[%before, %j] : memref<64x512xf32>
      %b = memref.load %t[%i, %j] : memref<64x512xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %t[%i, %j] : memref<64x512xf32>
    }
  }
  return
}

func.func @apart(%x: memref<64x512xf32>, %t: memref<512x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 64 : index
  %w = arith.constant 512 : index
  scf.for %i = %c0 to %n step %c1 {
    %twice = arith.muli %i, %c2 : index
    scf.for %j = %c0 to %w step %c1 {
      %b = memref.load %x[%i, %j] : memref<64x512xf32>
      memref.store %b, %t[%j, %twice] : memref<512x128xf32>
    }
  }
  return
}

// The place depends on what was written: nothing is known.
func.func @chase(%t: memref<512xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %t[%i] : memref<512xindex>
    memref.store %i, %t[%p] : memref<512xindex>
  }
  return
}

// Two indices may meet: i and i - 1.
func.func @neighbours(%t: memref<512xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %c1 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    %a = memref.load %t[%before] : memref<512xf32>
    memref.store %a, %t[%i] : memref<512xf32>
  }
  return
}

// A sum along each row.
func.func @sums(%x: memref<64x4096xf32>, %t: memref<64x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 64 : index
  %n = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %rows step %c1 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%b, %i] : memref<64x4096xf32>
      %s = arith.addf %sum, %v : f32
      memref.store %s, %t[%b, %i] : memref<64x4096xf32>
      scf.yield %s : f32
    }
  }
  return
}

// Pairs that change places with the step: a block does all steps.
func.func @network_of_block(%t: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 4096 : index
  %pairs = arith.constant 2047 : index
  scf.for %p = %c0 to %n step %c1 {
    %o = arith.remui %p, %c2 : index
    scf.for %i = %c0 to %pairs step %c1 {
      %twice = arith.muli %i, %c2 : index
      %a = arith.addi %twice, %o : index
      %b = arith.addi %a, %c1 : index
      %v = memref.load %t[%a] : memref<4096xf32>
      %w = memref.load %t[%b] : memref<4096xf32>
      %low = arith.minimumf %v, %w : f32
      %high = arith.maximumf %v, %w : f32
      memref.store %low, %t[%a] : memref<4096xf32>
      memref.store %high, %t[%b] : memref<4096xf32>
    }
  }
  return
}

// Pairs that change places with the step: large steps stay on the host.
func.func @network(%t: memref<4194304xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 4096 : index
  %pairs = arith.constant 2097151 : index
  scf.for %p = %c0 to %n step %c1 {
    %o = arith.remui %p, %c2 : index
    scf.for %i = %c0 to %pairs step %c1 {
      %twice = arith.muli %i, %c2 : index
      %a = arith.addi %twice, %o : index
      %b = arith.addi %a, %c1 : index
      %v = memref.load %t[%a] : memref<4194304xf32>
      %w = memref.load %t[%b] : memref<4194304xf32>
      %low = arith.minimumf %v, %w : f32
      %high = arith.maximumf %v, %w : f32
      memref.store %low, %t[%a] : memref<4194304xf32>
      memref.store %high, %t[%b] : memref<4194304xf32>
    }
  }
  return
}
