// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=2
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s

// Ops that need their neighbours, in loops and branches: each iteration receives
// a halo of what it carries.
shardir.mesh @m <["a"=?2, "b"=?2]>

// CHECK-LABEL: func.func @smooth
// CHECK:         scf.for
// CHECK:           shardir.redistribute {{.*}} halo
// CHECK:           linalg.generic
// CHECK:           scf.yield
func.func @smooth(%x: tensor<9x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> (tensor<9x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant dense<[0.25, 0.5, 0.25]> : tensor<3xf32>
  %e = tensor.empty() : tensor<9x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9x4xf32>) -> tensor<9x4xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<9x4xf32>) {
    %p = tensor.pad %h low[1, 0] high[1, 0] {
    ^bb0(%i0: index, %i1: index):
      tensor.yield %zero : f32
    } : tensor<9x4xf32> to tensor<11x4xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j, w) -> (i + w, j)>, affine_map<(i, j, w) -> (w)>, affine_map<(i, j, w) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p, %k : tensor<11x4xf32>, tensor<3xf32>) outs(%z : tensor<9x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<9x4xf32>
    scf.yield %q : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// Until neighbours differ little; a branch shifts what is carried.
func.func @settle(%x: tensor<10xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>}) -> (tensor<10xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>}) {
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 0.5 : f32
  %half = arith.constant dense<0.5> : tensor<10xf32>
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i4 = arith.constant 4 : i32
  %ez = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%ez : tensor<f32>) -> tensor<f32>
  %r:2 = scf.while (%h = %x, %i = %i0) : (tensor<10xf32>, i32) -> (tensor<10xf32>, i32) {
    %u = tensor.extract_slice %h[1] [9] [1] : tensor<10xf32> to tensor<9xf32>
    %v = tensor.extract_slice %h[0] [9] [1] : tensor<10xf32> to tensor<9xf32>
    %d = arith.subf %u, %v : tensor<9xf32>
    %m = linalg.reduce ins(%d : tensor<9xf32>) outs(%z : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) { %c = math.absf %a : f32 %s = arith.maximumf %c, %acc : f32 linalg.yield %s : f32 }
    %top = tensor.extract %m[] : tensor<f32>
    %far = arith.cmpf ogt, %top, %limit : f32
    %few = arith.cmpi slt, %i, %i4 : i32
    %go = arith.andi %far, %few : i1
    scf.condition(%go) %h, %i : tensor<10xf32>, i32
  } do {
  ^bb0(%h: tensor<10xf32>, %i: i32):
    %odd = arith.trunci %i : i32 to i1
    %s = scf.if %odd -> (tensor<10xf32>) {
      %p = tensor.pad %h low[1] high[0] {
      ^bb0(%k: index):
        tensor.yield %zero : f32
      } : tensor<10xf32> to tensor<11xf32>
      %t = tensor.extract_slice %p[0] [10] [1] : tensor<11xf32> to tensor<10xf32>
      scf.yield %t : tensor<10xf32>
    } else {
      scf.yield %h : tensor<10xf32>
    }
    %sum = arith.addf %h, %s : tensor<10xf32>
    %n = arith.mulf %sum, %half : tensor<10xf32>
    %j = arith.addi %i, %i1 : i32
    scf.yield %n, %j : tensor<10xf32>, i32
  }
  return %r#0 : tensor<10xf32>
}
