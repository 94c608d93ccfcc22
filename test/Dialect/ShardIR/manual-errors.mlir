// RUN: shard-opt %s --split-input-file --verify-diagnostics

shardir.mesh @m <["dp"=2]>
func.func @counts(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs one placement per operand and result, 1 and 0, found 0 and 0}}
  shardir.manual (%x) in [] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs one block argument per operand, 1 in all, found 0}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @yielded(%x: tensor<8xf32>) {
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    // expected-error @+1 {{gives 1 tensors for 0 results}}
    shardir.yield %l : tensor<4xf32>
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @captured(%x: tensor<8xf32>) {
  // expected-note @+1 {{of this region}}
  shardir.manual () in [] out [] manual = ["dp"] {
    // expected-error @+1 {{uses a tensor from outside of the manual region; make it an operand}}
    %0 = math.exp %x : tensor<8xf32>
    shardir.yield
  } : () -> ()
  return
}

// -----

// expected-note @+1 {{mesh declared here}}
shardir.mesh @m <["dp"=2]>
func.func @unknown_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{names manual axis "tp", which mesh @m lacks}}
  shardir.manual (%x) in [#shardir.placement<@m, [{}]>] out [] manual = ["tp"] {
  ^bb0(%l: tensor<8xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @axis_twice(%x: tensor<8xf32>) {
  // expected-error @+1 {{names manual axis "dp" twice}}
  shardir.manual (%x) in [#shardir.placement<@m, [{}]>] out [] manual = ["dp", "dp"] {
  ^bb0(%l: tensor<8xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
shardir.mesh @n <["dp"=2]>
func.func @two_meshes(%x: tensor<8xf32>) {
  // expected-error @+1 {{has placements on two meshes, @m and @n}}
  shardir.manual (%x, %x) in [#shardir.placement<@m, [{}]>, #shardir.placement<@n, [{}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<8xf32>, %k: tensor<8xf32>):
    shardir.yield
  } : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @type(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs type 'tensor<4xf32>' inside for operand 0 of type 'tensor<8xf32>' at #shardir.placement<@m, [{"dp"}]>, found 'tensor<8xf32>'}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<8xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @uneven(%x: tensor<7xf32>) {
  // expected-error @+1 {{cannot split dim 0 of operand 0 of type 'tensor<7xf32>' by manual axes into 2 equal shards; pad it, or leave the dim to axes that are not manual}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield
  } : (tensor<7xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @order(%x: tensor<8xf32>) {
  // expected-error @+1 {{splits dim 0 of operand 0 by manual axis "dp" behind what is not manual; write manual axes first}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"tp", "dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=4]>
func.func @part(%x: tensor<8xf32>) {
  // expected-error @+1 {{splits dim 0 of operand 0 by a part of a manual axis, "dp":(1)2; manual axes are no sub-axes}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp":(1)2}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// expected-note @+1 {{mesh declared here}}
shardir.mesh @m <["dp"=?]>
func.func @symbolic(%x: tensor<8xf32>) {
  // expected-error @+1 {{has types of shards along "dp", whose size is not known; write it in the mesh}}
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @partial_in(%x: tensor<8xf32>) {
  // expected-error @+1 {{has operand 0 partial over "dp"; a tensor enters a manual region reduced}}
  shardir.manual (%x) in [#shardir.placement<@m, [{}], partial = sum ["dp"]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<8xf32>):
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @partial_out(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has result 0 partial over "tp", which is not manual; only manual axes are partial across the border of a manual region}}
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{}]>] out [#shardir.placement<@m, [{}], partial = sum ["tp"]>] manual = ["dp"] {
  ^bb0(%l: tensor<8xf32>):
    shardir.yield %l : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @inside(%x: tensor<8xf32>) {
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    %ok = shardir.constrain %l to #shardir.placement<@m, [{"tp"}]> : tensor<4xf32>
    // expected-error @+1 {{names "dp", which is manual here; along it tensors are written shard by shard}}
    %0 = shardir.constrain %l to #shardir.placement<@m, [{"dp"}]> : tensor<4xf32>
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @nested(%x: tensor<8xf32>) {
  shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    // expected-error @+1 {{names manual axis "dp", which is manual around it}}
    shardir.manual (%l) in [#shardir.placement<@m, [{}]>] out [] manual = ["dp"] {
    ^bb0(%k: tensor<4xf32>):
      shardir.yield
    } : (tensor<4xf32>) -> ()
    shardir.yield
  } : (tensor<8xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @border(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs type 'tensor<4xf32>' inside for the operand of type 'tensor<8xf32>'}}
  %0 = shardir.manual_in %x at #shardir.placement<@m, [{"dp"}]> over ["dp"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
shardir.mesh @n <["b"=2], devices = [1, 0]>
func.func @exchange_of_other_axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{leads from one mesh to another; in a manual region an exchange may, between meshes of the same axes}}
  %0 = shardir.manual_collective "exchange" %x from #shardir.placement<@m, [{"a"}]> to #shardir.placement<@n, [{"b"}]> of tensor<8xf32> : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shardir.mesh @m <["a"=2]>
shardir.mesh @n <["a"=2], devices = [1, 0]>
func.func @gather_on_other_devices(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{leads from one mesh to another; in a manual region an exchange may, between meshes of the same axes}}
  %0 = shardir.manual_collective "all_gather" %x from #shardir.placement<@m, [{"a"}]> to #shardir.placement<@n, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
