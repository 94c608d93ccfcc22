// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1
// INPUTS branch:
// INPUTS branch: --input=i1=0 --input=5x3xf32=-1 --input=5x3xf32=2
// INPUTS branch: --input=i1=1 --input=5x3xf32=-1 --input=5x3xf32=2
// INPUTS halve: --input=5xf32=100,3,-40,7,1000
// INPUTS calls:

// Loops, branches and calls around sharded tensors.
shardir.mesh @m <["a"=?, "b"=?]>

func.func @power(%x: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<6x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (tensor<6x6xf32>) {
    %p = linalg.matmul ins(%acc, %x : tensor<6x6xf32>, tensor<6x6xf32>) outs(%z : tensor<6x6xf32>) -> tensor<6x6xf32>
    scf.yield %p : tensor<6x6xf32>
  }
  return %r : tensor<6x6xf32>
}

// Gradients of micro-batches: the carried sum may stay partial.
func.func @accumulate(%x: tensor<4x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>},
                      %g: tensor<4x6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (tensor<3x5xf32>) {
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<4x6x3xf32> to tensor<6x3xf32>
    %gi = tensor.extract_slice %g[%i, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<4x6x5xf32> to tensor<6x5xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xi, %gi : tensor<6x3xf32>, tensor<6x5xf32>) outs(%z : tensor<3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<3x5xf32>
    %n = arith.addf %acc, %w : tensor<3x5xf32>
    scf.yield %n : tensor<3x5xf32>
  }
  return %r : tensor<3x5xf32>
}

// A carried sum that is used inside of the loop by something that isn't linear.
func.func @accumulate_relu(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %zt = arith.constant dense<0.125> : tensor<3xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (tensor<3xf32>) {
    %s = linalg.reduce { arith.addf } ins(%x : tensor<6x3xf32>) outs(%acc : tensor<3xf32>) dimensions = [0]
    %n = arith.maximumf %s, %zt : tensor<3xf32>
    scf.yield %n : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// Two carried values that change places.
func.func @swap(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %y: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %y) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
    %s = arith.addf %p, %q : tensor<5x3xf32>
    scf.yield %q, %s : tensor<5x3xf32>, tensor<5x3xf32>
  }
  return %r#0, %r#1 : tensor<5x3xf32>, tensor<5x3xf32>
}

func.func @no_trips(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c0 step %c1 iter_args(%p = %x) -> (tensor<5x3xf32>) {
    %s = arith.addf %p, %p : tensor<5x3xf32>
    scf.yield %s : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

func.func @branch(%c: tensor<i1>, %x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                  %y: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<5x3xf32> {
  %i = tensor.extract %c[] : tensor<i1>
  %r = scf.if %i -> (tensor<5x3xf32>) {
    %s = arith.addf %x, %y : tensor<5x3xf32>
    scf.yield %s : tensor<5x3xf32>
  } else {
    scf.yield %y : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// The condition comes from data that is sharded.
func.func @halve(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> (tensor<5xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<5xf32>
  %limit = arith.constant 1.0 : f32
  %one = arith.constant dense<1> : tensor<i32>
  %n0 = arith.constant dense<0> : tensor<i32>
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r:2 = scf.while (%p = %x, %n = %n0) : (tensor<5xf32>, tensor<i32>) -> (tensor<5xf32>, tensor<i32>) {
    %m = linalg.reduce ins(%p : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) { %b = math.absf %a : f32 %s = arith.maximumf %b, %acc : f32 linalg.yield %s : f32 }
    %top = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf ogt, %top, %limit : f32
    scf.condition(%go) %p, %n : tensor<5xf32>, tensor<i32>
  } do {
  ^bb0(%p: tensor<5xf32>, %n: tensor<i32>):
    %q = arith.mulf %p, %half : tensor<5xf32>
    %n1 = arith.addi %n, %one : tensor<i32>
    scf.yield %q, %n1 : tensor<5xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<i32>
}

func.func private @layer(%x: tensor<6x4xf32>, %w: tensor<4x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<6x4xf32>, tensor<4x4xf32>) outs(%z : tensor<6x4xf32>) -> tensor<6x4xf32>
  %q = arith.maximumf %p, %z : tensor<6x4xf32>
  return %q : tensor<6x4xf32>
}

// One function, called with two kinds of weights.
func.func @calls(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %v: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>},
                 %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) -> tensor<6x4xf32> {
  %p = func.call @layer(%x, %v) : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %q = func.call @layer(%p, %w) : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  return %q : tensor<6x4xf32>
}

func.func private @annotated(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>})
    -> (tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %s = arith.addf %x, %x : tensor<5xf32>
  return %s : tensor<5xf32>
}

func.func @calls_annotated(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x) -> (tensor<5xf32>) {
    %q = func.call @annotated(%p) : (tensor<5xf32>) -> tensor<5xf32>
    scf.yield %q : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
