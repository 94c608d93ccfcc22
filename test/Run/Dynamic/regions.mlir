// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=1 x=1,y=4
// INPUTS keeps: --input=0x3xf32=ramp --input=index=2
// INPUTS keeps: --input=1x1xf32=ramp --input=index=3
// INPUTS keeps: --input=5x4xf32=ramp --input=index=2
// INPUTS keeps: --input=9x2xf32=ramp --input=index=0
// INPUTS whiles: --input=0xi32=ramp
// INPUTS whiles: --input=1xi32=ramp
// INPUTS whiles: --input=5xi32=ramp
// INPUTS whiles: --input=9xi32=ramp
// INPUTS branches: --input=0x3xf32=ramp --input=i1=1
// INPUTS branches: --input=1x1xf32=ramp --input=i1=0
// INPUTS branches: --input=5x4xf32=ramp --input=i1=1
// INPUTS branches: --input=9x2xf32=ramp --input=i1=0

// Loops and branches that carry dims of unknown extent.
shardir.mesh @m <["x"=?, "y"=?]>

// The extent stays, in nested loops too.
func.func @keeps(%a: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %t: index)
    -> (tensor<?x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %t step %c1 iter_args(%v = %a) -> (tensor<?x?xf32>) {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%w = %v) -> (tensor<?x?xf32>) {
      %0 = arith.addf %w, %v : tensor<?x?xf32>
      scf.yield %0 : tensor<?x?xf32>
    }
    %1 = math.absf %s : tensor<?x?xf32>
    scf.yield %1 : tensor<?x?xf32>
  }
  %n = tensor.dim %r, %c0 : tensor<?x?xf32>
  return %r, %n : tensor<?x?xf32>, index
}

// It doubles as long as it is below 5; what comes out is summed.
func.func @whiles(%a: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<i32>, index) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %w = scf.while (%v = %a) : (tensor<?xi32>) -> tensor<?xi32> {
    %n = tensor.dim %v, %c0 : tensor<?xi32>
    %less = arith.cmpi ult, %n, %c5 : index
    scf.condition(%less) %v : tensor<?xi32>
  } do {
  ^bb0(%v: tensor<?xi32>):
    %n = tensor.dim %v, %c0 : tensor<?xi32>
    %n2 = arith.addi %n, %n : index
    %more = arith.addi %n2, %c1 : index
    %next = tensor.generate %more {
    ^bb0(%i: index):
      %k = arith.index_cast %i : index to i32
      tensor.yield %k : i32
    } : tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  %e = tensor.empty() : tensor<i32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.reduce ins(%w : tensor<?xi32>) outs(%z : tensor<i32>) dimensions = [0]
    (%p: i32, %q: i32) {
      %r = arith.addi %p, %q : i32
      linalg.yield %r : i32
    }
  %n = tensor.dim %w, %c0 : tensor<?xi32>
  return %s, %n : tensor<i32>, index
}

// One branch gives another extent; the constraints differ.
func.func @branches(%a: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: i1)
    -> (tensor<f32>, index) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %b -> tensor<?x?xf32> {
    %c = shardir.constrain %a to #shardir.placement<@m, [{"x", "y"}, {}]> : tensor<?x?xf32>
    %n = tensor.dim %c, %c0 : tensor<?x?xf32>
    %m = tensor.dim %c, %c1 : tensor<?x?xf32>
    %nm = arith.addi %n, %m : index
    %e = tensor.splat %one[%nm, %m] : tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  } else {
    %c = shardir.constrain %a to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<?x?xf32>
    %e = math.absf %c : tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  }
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%r : tensor<?x?xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
    (%p: f32, %q: f32) {
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    }
  %n = tensor.dim %r, %c0 : tensor<?x?xf32>
  return %s, %n : tensor<f32>, index
}
