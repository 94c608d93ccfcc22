// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=2
// INPUTS in_branch: --input=i1=0 --input=5x4xf32=3
// INPUTS in_branch: --input=i1=1 --input=5x4xf32=3
// INPUTS blocks_inside: --input=5x4xf32=3 --input=i32=-1
// INPUTS blocks_inside: --input=5x4xf32=3 --input=i32=2

// Calls are placed one by one, wherever they stand: in loops, in branches, in
// other callees, of functions that are entries themselves.
shardir.mesh @m <["a"=?, "b"=?]>

func.func private @layer(%x: tensor<5x4xf32>, %w: tensor<4x4xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<5x4xf32>, tensor<4x4xf32>) outs(%z : tensor<5x4xf32>) -> tensor<5x4xf32>
  %q = func.call @squash(%p) : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %q : tensor<5x4xf32>
}

func.func private @squash(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %q = math.tanh %x : tensor<5x4xf32>
  return %q : tensor<5x4xf32>
}

// Nobody calls it; it is gone, whatever it asks for.
func.func private @unused(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<5x4xf32> {
  return %x : tensor<5x4xf32>
}

// Terms of a sum leave it.
func.func private @gradient(%x: tensor<5x4xf32>) -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<5x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
  return %s : tensor<4xf32>
}

// Several places, one of them in a loop, with weights that lie differently.
func.func @several(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                   %v: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>},
                   %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = func.call @layer(%x, %v) : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %p) -> (tensor<5x4xf32>) {
    %q = func.call @layer(%h, %w) : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
    %s = func.call @layer(%q, %v) : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
    scf.yield %s : tensor<5x4xf32>
  }
  return %r : tensor<5x4xf32>
}

// An entry that is called, in a branch of a loop.
func.func @entry(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>})
    -> (tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  %s = arith.addf %x, %x : tensor<5x4xf32>
  return %s : tensor<5x4xf32>
}

func.func @in_branch(%c: i1, %x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<5x4xf32>) {
    %s = scf.if %c -> (tensor<5x4xf32>) {
      %q = func.call @entry(%h) : (tensor<5x4xf32>) -> tensor<5x4xf32>
      scf.yield %q : tensor<5x4xf32>
    } else {
      %q = func.call @squash(%h) : (tensor<5x4xf32>) -> tensor<5x4xf32>
      scf.yield %q : tensor<5x4xf32>
    }
    scf.yield %s : tensor<5x4xf32>
  }
  return %r : tensor<5x4xf32>
}

func.func @terms(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %zero) -> (tensor<4xf32>) {
    %q = func.call @gradient(%x) : (tensor<5x4xf32>) -> tensor<4xf32>
    %s = arith.addf %h, %q : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A callee of several blocks, called in a loop.
func.func private @choose(%x: tensor<5x4xf32>, %n: i32) -> tensor<5x4xf32> {
  %zero = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %zero : i32
  cf.cond_br %c, ^some, ^none
^some:
  %y = arith.addf %x, %x : tensor<5x4xf32>
  return %y : tensor<5x4xf32>
^none:
  return %x : tensor<5x4xf32>
}

func.func @blocks_inside(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %n: i32) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<5x4xf32>) {
    %q = func.call @choose(%h, %n) : (tensor<5x4xf32>, i32) -> tensor<5x4xf32>
    scf.yield %q : tensor<5x4xf32>
  }
  return %r : tensor<5x4xf32>
}
