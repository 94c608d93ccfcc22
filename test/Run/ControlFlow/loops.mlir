// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=2 a=1,b=1 a=2,b=3
// INPUTS newton: --input=7x3xf32=9
// INPUTS newton:
// INPUTS until: --input=7xf32=100,3,-40,7,1000,2,5
// INPUTS until: --input=7xf32=0.5
// INPUTS none_or_some: --input=5x4xf32=2 --input=index=0
// INPUTS none_or_some: --input=5x4xf32=2 --input=index=3
// INPUTS nested_if: --input=6x3xf32=-2 --input=i1=1
// INPUTS nested_if: --input=6x3xf32=2 --input=i1=0
// INPUTS nested_if:
// INPUTS cases: --input=index=0 --input=5x3xf32=2 --input=5x3xf32=-3
// INPUTS cases: --input=index=2 --input=5x3xf32=2 --input=5x3xf32=-3
// INPUTS cases: --input=index=7 --input=5x3xf32=2 --input=5x3xf32=-3
// INPUTS blocks: --input=5x3xf32=2 --input=i32=4
// INPUTS blocks: --input=5x3xf32=2 --input=i32=0
// INPUTS blocks_two_ways: --input=5x3xf32=3 --input=i1=0 --input=i32=3
// INPUTS blocks_two_ways: --input=5x3xf32=3 --input=i1=1 --input=i32=3

// Loops and branches whose tensors are sharded: evenly, unevenly, with empty
// shards, over axes of size 1.
shardir.mesh @m <["a"=?, "b"=?]>

// A recurrent cell: the batch is sharded, the steps are slices of a replicated dim.
func.func @rnn(%xs: tensor<5x7x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>},
               %u: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<7x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x4xf32>) -> tensor<7x4xf32>
  %r = scf.for %t = %c0 to %c5 step %c1 iter_args(%h = %z) -> (tensor<7x4xf32>) {
    %x = tensor.extract_slice %xs[%t, 0, 0] [1, 7, 3] [1, 1, 1] : tensor<5x7x3xf32> to tensor<7x3xf32>
    %p = linalg.matmul ins(%x, %u : tensor<7x3xf32>, tensor<3x4xf32>) outs(%z : tensor<7x4xf32>) -> tensor<7x4xf32>
    %q = linalg.matmul ins(%h, %w : tensor<7x4xf32>, tensor<4x4xf32>) outs(%p : tensor<7x4xf32>) -> tensor<7x4xf32>
    %n = math.tanh %q : tensor<7x4xf32>
    scf.yield %n : tensor<7x4xf32>
  }
  return %r : tensor<7x4xf32>
}

// The cell's units are sharded, and the weights of the recurrence with them.
func.func @lstm(%xs: tensor<3x4x2xf32>, %u: tensor<2x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>},
                %w: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r:2 = scf.for %t = %c0 to %c3 step %c1 iter_args(%h = %z, %c = %z) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %x = tensor.extract_slice %xs[%t, 0, 0] [1, 4, 2] [1, 1, 1] : tensor<3x4x2xf32> to tensor<4x2xf32>
    %p = linalg.matmul ins(%x, %u : tensor<4x2xf32>, tensor<2x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
    %q = linalg.matmul ins(%h, %w : tensor<4x6xf32>, tensor<6x6xf32>) outs(%p : tensor<4x6xf32>) -> tensor<4x6xf32>
    %g = math.tanh %q : tensor<4x6xf32>
    %c2 = arith.addf %c, %g : tensor<4x6xf32>
    %h2 = math.tanh %c2 : tensor<4x6xf32>
    scf.yield %h2, %c2 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  return %r#0, %r#1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// The number of steps depends on data that is sharded.
func.func @newton(%x: tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> (tensor<7x3xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<7x3xf32>
  %ones = arith.constant dense<1.0> : tensor<7x3xf32>
  %limit = arith.constant 1.0e-1 : f32
  %most = arith.constant dense<30> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %n0 = arith.constant dense<0> : tensor<i32>
  %es = tensor.empty() : tensor<f32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %a = math.absf %x : tensor<7x3xf32>
  %b = arith.addf %a, %ones : tensor<7x3xf32>
  %r:2 = scf.while (%y = %b, %n = %n0) : (tensor<7x3xf32>, tensor<i32>) -> (tensor<7x3xf32>, tensor<i32>) {
    %yy = arith.mulf %y, %y : tensor<7x3xf32>
    %d = arith.subf %yy, %b : tensor<7x3xf32>
    %dd = arith.mulf %d, %d : tensor<7x3xf32>
    %norm = linalg.reduce { arith.addf } ins(%dd : tensor<7x3xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1]
    %s = tensor.extract %norm[] : tensor<f32>
    %far = arith.cmpf ogt, %s, %limit : f32
    %less = arith.cmpi slt, %n, %most : tensor<i32>
    %l = tensor.extract %less[] : tensor<i1>
    %go = arith.andi %far, %l : i1
    scf.condition(%go) %y, %n : tensor<7x3xf32>, tensor<i32>
  } do {
  ^bb0(%y: tensor<7x3xf32>, %n: tensor<i32>):
    %q = arith.divf %b, %y : tensor<7x3xf32>
    %s = arith.addf %y, %q : tensor<7x3xf32>
    %h = arith.mulf %s, %half : tensor<7x3xf32>
    %n1 = arith.addi %n, %one : tensor<i32>
    scf.yield %h, %n1 : tensor<7x3xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<7x3xf32>, tensor<i32>
}

// The condition hands on another tensor, of another type, than it was given.
func.func @until(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>}) -> tensor<7x2xf32> {
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : tensor<7x2xf32>
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %e2 = tensor.empty() : tensor<7x2xf32>
  %r = scf.while (%p = %x) : (tensor<7xf32>) -> (tensor<7x2xf32>) {
    %b = linalg.broadcast ins(%p : tensor<7xf32>) outs(%e2 : tensor<7x2xf32>) dimensions = [1]
    %m = linalg.reduce ins(%p : tensor<7xf32>) outs(%z : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) { %c = math.absf %a : f32 %s = arith.maximumf %c, %acc : f32 linalg.yield %s : f32 }
    %top = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf ogt, %top, %limit : f32
    scf.condition(%go) %b : tensor<7x2xf32>
  } do {
  ^bb0(%p: tensor<7x2xf32>):
    %q = arith.mulf %p, %half : tensor<7x2xf32>
    %s = tensor.extract_slice %q[0, 1] [7, 1] [1, 1] : tensor<7x2xf32> to tensor<7xf32>
    scf.yield %s : tensor<7xf32>
  }
  return %r : tensor<7x2xf32>
}

// A trip count that is an argument, a loop in a loop, a value of the outer one
// used in the inner one.
func.func @none_or_some(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %n: index) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<5x4xf32>) {
    %q = arith.addf %acc, %x : tensor<5x4xf32>
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%in = %q) -> (tensor<5x4xf32>) {
      %t = arith.mulf %in, %q : tensor<5x4xf32>
      scf.yield %t : tensor<5x4xf32>
    }
    %u = math.tanh %s : tensor<5x4xf32>
    scf.yield %u : tensor<5x4xf32>
  }
  return %r : tensor<5x4xf32>
}

// A branch in a loop; one side changes what is carried, the other does not.
func.func @nested_if(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %flip: i1) -> tensor<6x3xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %x) -> (tensor<6x3xf32>) {
    %odd = arith.remui %i, %c2 : index
    %is = arith.index_cast %odd : index to i32
    %bit = arith.trunci %is : i32 to i1
    %do = arith.xori %bit, %flip : i1
    %s = scf.if %do -> (tensor<6x3xf32>) {
      %sum = linalg.reduce { arith.addf } ins(%acc : tensor<6x3xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
      %v = tensor.extract %sum[] : tensor<f32>
      %pos = arith.cmpf ogt, %v, %zero : f32
      %t = scf.if %pos -> (tensor<6x3xf32>) {
        %n = arith.negf %acc : tensor<6x3xf32>
        scf.yield %n : tensor<6x3xf32>
      } else {
        %n = arith.addf %acc, %x : tensor<6x3xf32>
        scf.yield %n : tensor<6x3xf32>
      }
      scf.yield %t : tensor<6x3xf32>
    } else {
      scf.yield %acc : tensor<6x3xf32>
    }
    scf.yield %s : tensor<6x3xf32>
  }
  return %r : tensor<6x3xf32>
}

func.func @cases(%k: index, %x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %y: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %r:2 = scf.index_switch %k -> tensor<5x3xf32>, tensor<5x3xf32>
  case 0 {
    %s = arith.addf %x, %y : tensor<5x3xf32>
    scf.yield %s, %x : tensor<5x3xf32>, tensor<5x3xf32>
  }
  case 2 {
    scf.yield %y, %y : tensor<5x3xf32>, tensor<5x3xf32>
  }
  default {
    %c = arith.constant dense<3.0> : tensor<5x3xf32>
    scf.yield %c, %y : tensor<5x3xf32>, tensor<5x3xf32>
  }
  return %r#0, %r#1 : tensor<5x3xf32>, tensor<5x3xf32>
}

// A scatter written as a loop: the dim that is indexed is replicated, others are not.
func.func @scatter_rows(%into: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                        %rows: tensor<4x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<6x5xf32> {
  %ids = arith.constant dense<[5, 0, 3, 0]> : tensor<4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %into) -> (tensor<6x5xf32>) {
    %id = tensor.extract %ids[%i] : tensor<4xi32>
    %at = arith.index_cast %id : i32 to index
    %row = tensor.extract_slice %rows[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    %old = tensor.extract_slice %acc[%at, 0] [1, 5] [1, 1] : tensor<6x5xf32> to tensor<1x5xf32>
    %new = arith.addf %old, %row : tensor<1x5xf32>
    %n = tensor.insert_slice %new into %acc[%at, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<6x5xf32>
    scf.yield %n : tensor<6x5xf32>
  }
  return %r : tensor<6x5xf32>
}

// Element by element: what is indexed is replicated.
func.func @scatter_elements(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %z) -> (tensor<7xf32>) {
    %v = tensor.extract %x[%i] : tensor<5xf32>
    %at = arith.divui %i, %c2 : index
    %old = tensor.extract %acc[%at] : tensor<7xf32>
    %new = arith.addf %old, %v : f32
    %n = tensor.insert %new into %acc[%at] : tensor<7xf32>
    scf.yield %n : tensor<7xf32>
  }
  return %r : tensor<7xf32>
}

// Results of a loop that are not all used, and carried tensors that are not
// used inside.
func.func @idle(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %y: tensor<3xf32>) -> (tensor<5xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %y, %s = %x) -> (tensor<5xf32>, tensor<3xf32>, tensor<5xf32>) {
    %t = arith.addf %p, %p : tensor<5xf32>
    scf.yield %t, %q, %t : tensor<5xf32>, tensor<3xf32>, tensor<5xf32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<3xf32>
}

// A constraint inside of a loop, on what it carries and on what it does not.
func.func @constrained(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x) -> (tensor<5x3xf32>) {
    %q = shardir.constrain %p to #shardir.placement<@m, [{}, {"a"}]> : tensor<5x3xf32>
    %t = arith.addf %q, %x : tensor<5x3xf32>
    scf.yield %t : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// Blocks and branches between them, with a loop.
func.func @blocks(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %n: i32) -> tensor<5x3xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%x, %n : tensor<5x3xf32>, i32)
^head(%t: tensor<5x3xf32>, %left: i32):
  %more = arith.cmpi sgt, %left, %zero : i32
  cf.cond_br %more, ^body, ^done
^body:
  %twice = arith.addf %t, %x : tensor<5x3xf32>
  %less = arith.subi %left, %one : i32
  cf.br ^head(%twice, %less : tensor<5x3xf32>, i32)
^done:
  %r = math.tanh %t : tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

// A loop that is left at two places, with different values.
func.func @blocks_two_ways(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %early: i1, %n: i32) -> tensor<5x3xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%x, %n : tensor<5x3xf32>, i32)
^head(%t: tensor<5x3xf32>, %left: i32):
  %twice = arith.addf %t, %x : tensor<5x3xf32>
  cf.cond_br %early, ^first(%twice : tensor<5x3xf32>), ^next
^next:
  %less = arith.subi %left, %one : i32
  %more = arith.cmpi sgt, %less, %zero : i32
  cf.cond_br %more, ^head(%twice, %less : tensor<5x3xf32>, i32), ^second(%t : tensor<5x3xf32>)
^first(%p: tensor<5x3xf32>):
  %r = math.tanh %p : tensor<5x3xf32>
  return %r : tensor<5x3xf32>
^second(%q: tensor<5x3xf32>):
  %s = arith.negf %q : tensor<5x3xf32>
  return %s : tensor<5x3xf32>
}

// Threads that write disjoint rows of what they share: the other dim is sharded.
func.func @threads(%x: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %r = scf.forall (%i) = (0) to (6) step (2) shared_outs(%o = %e) -> (tensor<6x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [2, 5] [1, 1] : tensor<6x5xf32> to tensor<2x5xf32>
    %t = math.tanh %s : tensor<2x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<6x5xf32>
    }
  }
  return %r : tensor<6x5xf32>
}

// Iterations pass one value on unchanged and exchange two tensors.
func.func @handed_on(%x: tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                     %v: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                     %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<7x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x4xf32>) -> tensor<7x4xf32>
  %r:5 = scf.while (%h = %x, %a = %v, %b = %v, %c = %w, %i = %i0) : (tensor<7x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, i32)
      -> (tensor<7x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, i32) {
    %go = arith.cmpi slt, %i, %i3 : i32
    scf.condition(%go) %h, %b, %c, %a, %i : tensor<7x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, i32
  } do {
  ^bb0(%h: tensor<7x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>, %i: i32):
    %p = linalg.matmul ins(%h, %a : tensor<7x4xf32>, tensor<4x4xf32>) outs(%z : tensor<7x4xf32>) -> tensor<7x4xf32>
    %q = linalg.matmul ins(%p, %b : tensor<7x4xf32>, tensor<4x4xf32>) outs(%z : tensor<7x4xf32>) -> tensor<7x4xf32>
    %t = math.tanh %q : tensor<7x4xf32>
    %n = arith.addi %i, %i1 : i32
    scf.yield %t, %a, %c, %b, %n : tensor<7x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, i32
  }
  return %r#0 : tensor<7x4xf32>
}
