// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-bufferize

// expected-error @+1 {{argument 1 of @complex has type 'tensor<2xcomplex<f32>>'; element types of an entry are i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, f8E4M3FN and f8E5M2}}
func.func @complex(%x: tensor<2xf32>, %y: tensor<2xcomplex<f32>>) {
  return
}

// -----

// expected-error @+1 {{result 0 of @narrow has type 'tensor<2xi4>'; element types}}
func.func @narrow() -> tensor<2xi4> {
  %r = arith.constant dense<1> : tensor<2xi4>
  return %r : tensor<2xi4>
}

// -----

// expected-error @+1 {{argument 0 of @signed has type 'tensor<2xsi32>'; element types}}
func.func @signed(%x: tensor<2xsi32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 of @unranked has type 'tensor<*xf32>'; an entry takes and returns ranked tensors and scalars}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 of @buffer has type 'memref<2xf32>'; an entry takes and returns ranked tensors and scalars}}
func.func @buffer(%x: memref<2xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 of @encoded has type 'tensor<2xf32, "layout">'; an entry's tensors have no encoding}}
func.func @encoded(%x: tensor<2xf32, "layout">) {
  return
}

// -----

// expected-error @+1 {{@outside is declared but has no body; a compiled program calls nothing outside itself: define it in this module}}
func.func private @outside(%x: tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = func.call @outside(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// expected-error @+1 {{is not local yet; run shardir-localize before shardir-bufferize, or --shardir-to-bufferized}}
module {
  shardir.mesh @m <["x"=2]>
}

// -----

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @whole(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{on global tensors cannot become a buffer; run shardir-localize first}}
    %r = collective.all_gather %x from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @recv(%i: index) -> tensor<?xf32> {
    // expected-error @+1 {{needs a result of known extents, found 'tensor<?xf32>'}}
    %r = collective.recv from %i on @m ["x"] -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}

// -----

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=?]>
  func.func @gather(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
    // expected-error @+1 {{has a group of unknown size; give the mesh's sizes}}
    %r = collective.gather %x root %i on @m ["x"] : tensor<?xf32> -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}

// -----

// expected-error @+1 {{argument 0 of @large has type 'tensor<9223372036854775807x2xf32>', which no memory holds: it has more than 2^60 elements}}
func.func @large(%x: tensor<9223372036854775807x2xf32>) {
  return
}

// -----

module attributes {shardir.stage = "local"} {
  // expected-error @+1 {{has 1048576 ranks; a program runs on at most 65536}}
  shardir.mesh @m <["x"=1048576]>
  func.func @main() {
    return
  }
}

// -----

func.func @foreign(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot be compiled: it has no form on buffers; lower it to linalg, tensor, arith, math or scf first}}
  %0 = "stablehlo.sort"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The type of the global tensor is what a user wrote.
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  // expected-error @+1 {{argument 0 of @whole has type 'tensor<8xf80>'; element types}}
  func.func @whole(%x: tensor<4xf80> {shardir.global_type = tensor<8xf80>, shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
    return
  }
}

// -----

// expected-error @+1 {{argument 0 of @vectors has type 'tensor<2xvector<4xf32>>'; element types of an entry are}}
func.func @vectors(%x: tensor<2xvector<4xf32>>) {
  return
}

// -----

module attributes {shardir.stage = "local"} {
shardir.mesh @m <["a"=2]>
// expected-error @+1 {{argument 0 of @shard has type 'tensor<6xf32>', but a shard of 'tensor<8xf32>' placed as #shardir.placement<@m, [{"a"}]> is 'tensor<4xf32>'}}
func.func @shard(%x: tensor<6xf32> {shardir.global_type = tensor<8xf32>, shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  return
}
}

// -----

module attributes {shardir.stage = "local"} {
shardir.mesh @m <["a"=2]>
// expected-error @+1 {{result 0 of @whole has type 'tensor<4xf32>', but a shard of 'tensor<4xf32>' placed as #shardir.placement<@m, [{"a"}]> is 'tensor<2xf32>'; give the whole tensor's type as 'shardir.global_type'}}
func.func @whole() -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = tensor.empty() : tensor<4xf32>
  return %0 : tensor<4xf32>
}
}

// -----

module attributes {shardir.stage = "local"} {
shardir.mesh @m <["a"=2]>
func.func @gather(%x: tensor<3xi8> {shardir.global_type = tensor<6xi8>, shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = tensor.empty() : tensor<3xi4>
  // expected-error @+1 {{moves elements of type 'i4' between devices; those that can move are of type i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, f8E4M3FN and f8E5M2: leave the tensor whole, or convert it first}}
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"a"}]> to #shardir.placement<@m, [{}]> of tensor<6xi4> : tensor<3xi4> -> tensor<6xi4>
  return
}
}
