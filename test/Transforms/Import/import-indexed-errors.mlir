// RUN: shard-opt %s --shardir-import-annotations -verify-diagnostics -split-input-file

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot be imported}}
  %0 = "tm_tensor.attention"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{needs updates, indices, a tensor of the result's type, and an attribute 'dimension_map'}}
  %0 = "tm_tensor.scatter"(%y, %i, %x) ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<5x6xf32>, tensor<5x1xi64>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{needs indices of rank 2, and updates of rank 1 to 3, found 'tensor<5xf32>' and 'tensor<5x6xf32>'}}
  %0 = "tm_tensor.scatter"(%y, %z, %x) <{dimension_map = array<i64: 0>}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<5x6xf32>, tensor<5xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{'shardir.scatter' op names dim 7, which the tensor of rank 2 lacks}}
  %0 = "tm_tensor.scatter"(%y, %i, %x) <{dimension_map = array<i64: 7>}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<5x6xf32>, tensor<5x1xi64>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{needs a tensor, two results with tensors of their types, and attributes 'dimension' and 'inclusive'}}
  %0:2 = "tm_tensor.scan"(%x, %x, %s) <{dimension = 1 : i64}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot be imported unless it is inclusive}}
  %0:2 = "tm_tensor.scan"(%x, %x, %s) <{dimension = 1 : i64, inclusive = false}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot scan dim 2 of 'tensor<4x6xf32>' with results of types 'tensor<4x6xf32>', 'tensor<4xf32>'}}
  %0:2 = "tm_tensor.scan"(%x, %x, %s) <{dimension = 2 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{needs ranked tensors, results of their types, an attribute 'dimension' and a region}}
  %0 = "tm_tensor.sort"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{needs a region of one block with 2 arguments that yields one value}}
  %0 = "tm_tensor.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{'shardir.sort' op needs a region that ends with shardir.yield of one value of type 'i1'}}
  %0 = "tm_tensor.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{'shardir.sort' op names dim 5, which tensors of rank 2 lack}}
  %0 = "tm_tensor.sort"(%x) <{dimension = 5 : i64}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot be imported unless it scatters one ranked tensor; split a scatter of several}}
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %y, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>, tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot be imported: expected scatter dimension numbers in}}
  %0 = "stablehlo.scatter"(%x, %i, %y) <{scatter_dimension_numbers = "none"}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{cannot be imported: expected a list of dims before 'windows = [1]>' in}}
  %0 = "stablehlo.scatter"(%x, %i, %y) <{scatter_dimension_numbers = #stablehlo.scatter<windows = [1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{has dimension numbers that do not fit its types: #stablehlo.scatter<}}
  %0 = "stablehlo.scatter"(%x, %i, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 4>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{has dimension numbers that do not fit its types: #stablehlo.scatter<}}
  %0 = "stablehlo.scatter"(%x, %i, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %i: tensor<5x1xi64>, %s: tensor<4xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{has windows of 6 elements of dim 0, which is not indexed and has 4; index it to begin at 0}}
  %0 = "stablehlo.scatter"(%x, %i, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi64>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  // expected-note @+1 {{in the body of this op}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{cannot be read in a body of scalars; lower it to linalg first}}
    %1 = "stablehlo.compare"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
