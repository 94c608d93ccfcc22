// RUN: shard-opt %s -verify-diagnostics -split-input-file

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs at least one dim in 'index_dims'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{names dim 2, which the tensor of rank 2 lacks}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [2] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{names dim 0 twice}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] batch_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xf32>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs indices that are signless integers, found 'f32'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xf32>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x2xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs indices whose last dim has 1 coordinates, found 'tensor<5x2xi64>'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x2xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<i64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs indices whose last dim has 1 coordinates, found 'tensor<i64>'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<i64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<6xf32>, %i: tensor<1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs indices with a dim for each of its 1 batch dims and one for coordinates, found 'tensor<1xi64>'}}
  %0 = shardir.scatter ins(%u, %i : tensor<6xf32>, tensor<1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] batch_dims = [1] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf64>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs updates of type 'f32', found 'f64'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf64>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{has 6 elements in batch dim 1 and 5 in dim 0 of the indices}}
  %0 = shardir.scatter ins(%u, %i : tensor<5xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] batch_dims = [1] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x7xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs updates like 'tensor<5x6xf32>', the rows and then the dims that are not indexed, found 'tensor<5x7xf32>'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x7xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs a region with arguments of types 'f32', 'f32', found 'f32'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32):
    shardir.yield %n : f32
  }
  return
}

// -----

func.func @f(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) {
  // expected-error @+1 {{needs a region that ends with shardir.yield of one value of type 'f32'}}
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {
  ^bb0(%n: f32, %o: f32):
    shardir.yield %n, %o : f32, f32
  }
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{needs at least one tensor}}
  "shardir.sort"() <{dim = 0 : i64}> ({
    %t = arith.constant true
    shardir.yield %t : i1
  }) : () -> ()
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{names dim 1, which tensors of rank 1 lack}}
  %0 = shardir.sort %x : tensor<4xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{needs tensors of one shape, found 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0:2 = shardir.sort %x, %y : tensor<4xf32>, tensor<5xf32> dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs a region that ends with shardir.yield of one value of type 'i1'}}
  %0 = shardir.sort %x : tensor<4xf32> dim = 0 {
  ^bb0(%a: f32, %b: f32):
    shardir.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{results have the types of operands}}
  %0 = "shardir.sort"(%x) <{dim = 0 : i64}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{empty block}}
  %0 = "shardir.sort"(%x) <{dim = 0 : i64}> ({
  ^bb0(%a: f32, %b: f32):
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
