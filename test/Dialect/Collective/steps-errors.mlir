// RUN: shard-opt %s -verify-diagnostics -split-input-file

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["x"=2]>
func.func @one_mesh(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op leads from mesh @m to mesh @n; only exchange, halo_exchange and slice do}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@n, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @sugar(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op takes placements by dim; `placements = [...]` is for annotations}}
  %0 = collective.all_gather %x from #shardir.placement<@m, placements = [shard(0)]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

func.func @no_mesh(%x: tensor<8xf32>) {
  // expected-error @+1 {{placement of the operand names mesh @m, which does not exist}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=2]>
func.func @placement(%x: tensor<8xf32>) {
  // expected-error @+2 {{placement of the result of type 'tensor<8xf32>': placement has 2 dims but the tensor has rank 1}}
  // expected-note @+1 {{write one {} per dim of the tensor}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}, {}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @result_and_destination(%x: tensor<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op must have either a tensor result or a destination buffer}}
  %0 = "collective.all_gather"(%x, %y) <{from = #shardir.placement<@m, [{"x"}]>, to = #shardir.placement<@m, [{}]>, global = tensor<8xf32>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<4xf32>, memref<8xf32>) -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @neither(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op must have either a tensor result or a destination buffer}}
  "collective.all_gather"(%x) <{from = #shardir.placement<@m, [{"x"}]>, to = #shardir.placement<@m, [{}]>, global = tensor<8xf32>,
      operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<4xf32>) -> ()
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'collective.all_gather' op operand #0 must be ranked tensor or memref, but got 'tensor<*xf32>'}}
  %0 = "collective.all_gather"(%x) <{from = #shardir.placement<@m, []>, to = #shardir.placement<@m, []>,
      operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<*xf32>) -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @buffers_of_what(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op needs the global tensor's type: a ranked tensor}}
  collective.all_gather %x into %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : memref<4xf32>, memref<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @global_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op needs the global tensor's type: a ranked tensor}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of f32 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @element_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op needs operand, result, and global tensor of one rank and element type}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf64> : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op needs operand, result, and global tensor of one rank and element type}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8x1xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @shards_need_of(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op on global tensors has operand and result of one type; shards need `of` and the global tensor's type}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @sizes(%x: tensor<5xf32>) {
  // expected-error @+1 {{'collective.slice' op needs one size per unknown dim of the result, 1 in all, found 0}}
  %0 = collective.slice %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> of tensor<5xf32> : tensor<5xf32> -> tensor<?xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @dims(%x: tensor<?xf32>, %n: index) {
  // expected-error @+1 {{'collective.all_reduce' op needs one extent per unknown dim of the global tensor, 1 in all, found 0}}
  %0 = collective.all_reduce %x sizes [%n] from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> of tensor<?xf32> : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @operand_extent(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op expects the operand's dim 0 to be 4, the shard of 8, found 8}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @result_extent(%x: memref<8xf32>, %y: memref<3xf32>) {
  // expected-error @+1 {{'collective.slice' op expects the result's dim 0 to be 4, the shard of 8, found 3}}
  collective.slice %x into %y from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> of tensor<8xf32> : memref<8xf32>, memref<3xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @uneven_extent(%x: tensor<3xf32>) {
  // expected-error @+1 {{'collective.all_gather' op expects the operand's dim 0 to be `?`: the shard of 5 differs among devices, found 3}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<5xf32> : tensor<3xf32> -> tensor<5xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Changes of placement that each kind allows
//===----------------------------------------------------------------------===//

shardir.mesh @m <["x"=2]>
func.func @all_reduce_dims(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_reduce' op changes no dim; use reduce_scatter}}
  %0 = collective.all_reduce %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @all_reduce_whole(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_reduce' op needs an operand that is partial of the result's kind; found #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]>}}
  %0 = collective.all_reduce %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>
func.func @all_reduce_kind(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_reduce' op needs an operand that is partial of the result's kind}}
  %0 = collective.all_reduce %x from #shardir.placement<@m, [{}], partial = sum ["x", "y"]> to #shardir.placement<@m, [{}], partial = max ["y"]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @reduce_scatter_whole(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.reduce_scatter' op needs an operand that is partial of the result's kind}}
  %0 = collective.reduce_scatter %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>
func.func @make_partial_dims(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.make_partial' op moves nothing: along the axes that become partial, the devices' shards must make up the result's}}
  %0 = collective.make_partial %x from #shardir.placement<@m, [{"y"}]> to #shardir.placement<@m, [{}], partial = sum ["x"]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>
func.func @make_partial_drops(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.make_partial' op keeps the operand's partial axes}}
  %0 = collective.make_partial %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}], partial = sum ["y"]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @all_gather_reduces(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op reduces nothing: operand and result must be partial over the same axes}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @slice_reduces(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.slice' op reduces nothing: operand and result must be partial over the same axes}}
  %0 = collective.slice %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @all_to_all_reduces(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.all_to_all' op reduces nothing: operand and result must be partial over the same axes}}
  %0 = collective.all_to_all %x from #shardir.placement<@m, [{}], partial = max ["x"]> to #shardir.placement<@m, [{}], partial = sum ["x"]> : tensor<8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

shardir.mesh @m <["x"=2]>
func.func @vector(%x: vector<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op operand #0 must be ranked tensor or memref, but got 'vector<4xf32>'}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : vector<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @buffer_to_tensor(%x: memref<4xf32>) {
  // expected-error @+1 {{'collective.all_gather' op leads from a tensor to a tensor, or from a buffer into a buffer; found an operand of type 'memref<4xf32>'}}
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : memref<4xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @tensor_to_buffer(%x: tensor<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'collective.all_gather' op leads from a tensor to a tensor, or from a buffer into a buffer; found an operand of type 'tensor<4xf32>'}}
  collective.all_gather %x into %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<4xf32>, memref<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=2], devices = [1, 0]>
func.func @partial_between_meshes(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.exchange' op between two meshes takes no partial tensor; reduce before; found #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@n, [{}]>}}
  %0 = collective.exchange %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@n, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=2], devices = [1, 0]>
func.func @slice_that_lacks(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.slice' op leads to another mesh where some rank may lack what it needs; use exchange}}
  %0 = collective.slice %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@n, [{"y"}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=?]>
func.func @slice_of_unknown_size(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.slice' op leads to another mesh where some rank may lack what it needs; use exchange}}
  %0 = collective.slice %x from #shardir.placement<@m, [{}]> to #shardir.placement<@n, [{"y"}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo_elsewhere(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.exchange' op has a halo; only halo_exchange and slice do}}
  %0 = collective.exchange %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo_missing(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op needs `halo` and one [low, high] per dim}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"} ]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op halo must have one [low, high] per dim, 1 in all, found 2}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1], [0, 0]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2]>
func.func @halo_sides(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op halo entries must be [low, high], both not negative}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, -1]] : tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{a halo needs one block per device: split the dim by axes alone, [{"x"}]}}
shardir.mesh @m <["x"=2]>
func.func @halo_of_stripes(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op dim 0 has a halo of [1, 1], but {2, "x"} cuts it into several blocks per device}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{2, "x"}]> to #shardir.placement<@m, [{2, "x"}]> halo [[1, 1]] : tensor<8xf32>
  return
}

// -----

// The blocks of 4 with their halo have 5 elements each.
shardir.mesh @m <["x"=2]>
func.func @halo_extent(%x: tensor<4xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op expects the result's dim 0 to be 5, the shard of 8, found 6}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] of tensor<8xf32> : tensor<4xf32> -> tensor<6xf32>
  return
}

// -----

// Three blocks of 3, 3 and 3 elements: 4, 5 and 4.
shardir.mesh @m <["x"=3]>
func.func @halo_extents_differ(%x: tensor<3xf32>) {
  // expected-error @+1 {{'collective.halo_exchange' op expects the result's dim 0 to be `?`: the shard of 9 differs among devices, found 5}}
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] of tensor<9xf32> : tensor<3xf32> -> tensor<5xf32>
  return
}
