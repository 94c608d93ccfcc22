// RUN: %python %S/../Inputs/verify-all.py %s
// Loops on meshes of some ranks, of several meshes, and from one to the other.
// Numbers that all ranks use are read where all have them.
shardir.mesh @m <["x"=4]>
shardir.mesh @n <["y"=2], devices = [2, 3]>
func.func @on_sub(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@n, [{"y"}, {}]>}) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x) -> (tensor<5x3xf32>) {
    %t = arith.addf %p, %x : tensor<5x3xf32>
    %u = math.tanh %t : tensor<5x3xf32>
    scf.yield %u : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}
func.func @both(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@n, [{"y"}, {}]>}, %y: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<6x3xf32>, tensor<6x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %y) -> (tensor<6x3xf32>, tensor<6x3xf32>) {
    %t = arith.addf %p, %x : tensor<6x3xf32>
    %u = math.tanh %t : tensor<6x3xf32>
    %v = arith.addf %q, %y : tensor<6x3xf32>
    scf.yield %u, %v : tensor<6x3xf32>, tensor<6x3xf32>
  }
  return %r#0, %r#1 : tensor<6x3xf32>, tensor<6x3xf32>
}
// Stages of a pipeline: what is carried moves from one mesh to the other.
func.func @stages(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@n, [{"y"}, {}]>}) -> tensor<6x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x) -> (tensor<6x3xf32>) {
    %t = math.tanh %p : tensor<6x3xf32>
    %q = shardir.constrain %t to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x3xf32>
    %u = arith.addf %q, %q : tensor<6x3xf32>
    scf.yield %u : tensor<6x3xf32>
  }
  return %r : tensor<6x3xf32>
}
// The condition comes from two of four ranks, who alone run the loop.
func.func @until(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@n, [{"y"}]>}) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<5xf32>
  %limit = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = scf.while (%p = %x) : (tensor<5xf32>) -> (tensor<5xf32>) {
    %m = linalg.reduce ins(%p : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) { %c = math.absf %a : f32 %s = arith.maximumf %c, %acc : f32 linalg.yield %s : f32 }
    %top = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf ogt, %top, %limit : f32
    scf.condition(%go) %p : tensor<5xf32>
  } do {
  ^bb0(%p: tensor<5xf32>):
    %q = arith.mulf %p, %half : tensor<5xf32>
    scf.yield %q : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
// All ranks run it.
func.func @until_all(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@n, [{"y"}]>}, %y: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<5xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<5xf32>
  %limit = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r:2 = scf.while (%p = %x, %v = %y) : (tensor<5xf32>, tensor<6xf32>) -> (tensor<5xf32>, tensor<6xf32>) {
    %m = linalg.reduce ins(%p : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) { %c = math.absf %a : f32 %s = arith.maximumf %c, %acc : f32 linalg.yield %s : f32 }
    %top = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf ogt, %top, %limit : f32
    scf.condition(%go) %p, %v : tensor<5xf32>, tensor<6xf32>
  } do {
  ^bb0(%p: tensor<5xf32>, %v: tensor<6xf32>):
    %q = arith.mulf %p, %half : tensor<5xf32>
    %rev = shardir.constrain %v to #shardir.placement<@m, [{}]> : tensor<6xf32>
    %w = math.tanh %rev : tensor<6xf32>
    scf.yield %q, %w : tensor<5xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<6xf32>
}
// A number of two ranks decides what four do.
func.func @chooses(%x: tensor<3xf32> {shardir.placement = #shardir.placement<@n, [{"y"}]>}, %y: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<6xf32>, f32) {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %v = tensor.extract %x[%c2] : tensor<3xf32>
  %c = arith.cmpf olt, %v, %zero : f32
  %r = scf.if %c -> (tensor<6xf32>) {
    %s = math.tanh %y : tensor<6xf32>
    scf.yield %s : tensor<6xf32>
  } else {
    %f = tensor.splat %v : tensor<6xf32>
    scf.yield %f : tensor<6xf32>
  }
  return %r, %v : tensor<6xf32>, f32
}
