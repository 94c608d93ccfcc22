// RUN: shard-opt %s -shardir-constrain-callees -verify-diagnostics -split-input-file

func.func private @external(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op calls 'external', which has no body here; link it into the module so that placements can pass}}
  %0 = call @external(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op is recursive; unroll it or write it as an scf.while}}
func.func private @self(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @self(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @self(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// One of the two is named.
func.func private @ping(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @pong(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// expected-error @below {{'func.func' op is recursive; unroll it or write it as an scf.while}}
func.func private @pong(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @ping(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A call in a region is a call.
// expected-error @+1 {{'func.func' op is recursive; unroll it or write it as an scf.while}}
func.func private @until(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = scf.if %c -> tensor<8xf32> {
    %1 = func.call @until(%x, %c) : (tensor<8xf32>, i1) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = call @until(%x, %c) : (tensor<8xf32>, i1) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
