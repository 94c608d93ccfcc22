// RUN: shard-opt %s -verify-diagnostics -split-input-file

func.func @no_mesh(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op names mesh @m, which does not exist}}
  %0 = collective.broadcast %x root %root on @m ["tp"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=4]>
func.func @axis(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.send' op unknown axis "dp" in the group}}
  collective.send %x to %root on @m ["dp"] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @no_axis(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op names no axis to communicate along}}
  %0 = collective.broadcast %x root %root on @m [] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @sub_axis_text(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op axis "tp:2" must be "name" or "name:(pre)size"}}
  %0 = collective.broadcast %x root %root on @m ["tp:2"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=4]>
func.func @sub_axis(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{sub-axis "tp":(1)3 in the group does not divide axis "tp" of size 4}}
  %0 = collective.broadcast %x root %root on @m ["tp:(1)3"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=4]>
func.func @twice(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{axes "tp" and "tp" in the group overlap on axis "tp" of size 4}}
  %0 = collective.broadcast %x root %root on @m ["tp", "tp"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @broadcast_type(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op needs operand and result of one shape and type}}
  %0 = collective.broadcast %x root %root on @m ["tp"] : tensor<8xf32> -> tensor<9xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @broadcast_result(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op must have either a tensor result or a destination buffer}}
  collective.broadcast %x root %root on @m ["tp"] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @gather_extent(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op expects dim 0 of the full tensor to be 32 for a group of 4, found 16}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @gather_other_dim(%x: tensor<8x3xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op expects dim 1 of the full tensor to be 3 for a group of 4, found 12}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<8x3xf32> -> tensor<32x12xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @scatter_extent(%x: tensor<10xf32>, %root: index) {
  // expected-error @+1 {{'collective.scatter' op expects dim 0 of the full tensor to be 8 for a group of 4, found 10}}
  %0 = collective.scatter %x root %root on @m ["tp"] : tensor<10xf32> -> tensor<2xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @rank_0(%x: tensor<f32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op needs equal element types and ranks of at least 1}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<f32> -> tensor<f32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @element_type(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op needs equal element types and ranks of at least 1}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<8xf32> -> tensor<32xf64>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @recv_result(%root: index) {
  // expected-error @+1 {{'collective.recv' op must have either a tensor result or a destination buffer}}
  collective.recv from %root on @m ["tp"]
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @unranked(%x: tensor<*xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op operand #0 must be ranked tensor or memref, but got 'tensor<*xf32>'}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<*xf32> -> tensor<32xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @vector(%x: vector<8xf32>, %peer: index) {
  // expected-error @+1 {{'collective.send' op operand #0 must be ranked tensor or memref, but got 'vector<8xf32>'}}
  collective.send %x to %peer on @m ["tp"] : vector<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @mixed(%x: memref<8xf32>, %root: index) {
  // expected-error @+1 {{'collective.broadcast' op leads from a tensor to a tensor, or from a buffer into a buffer; found an operand of type 'memref<8xf32>'}}
  %0 = collective.broadcast %x root %root on @m ["tp"] : memref<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @overflow(%x: tensor<4611686018427387904xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op is for 4 blocks of 'tensor<4611686018427387904xf32>', more than 64 bits can count}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<4611686018427387904xf32> -> tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here; name each part of an axis once}}
shardir.mesh @m <["tp"=4]>
func.func @parts_that_overlap(%x: tensor<8xf32>, %root: index) {
  // expected-error @+1 {{axes "tp":(1)2 and "tp" in the group overlap on axis "tp" of size 4}}
  %0 = collective.broadcast %x root %root on @m ["tp:(1)2", "tp"] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @uneven_blocks(%x: tensor<3xf32>, %root: index) {
  // expected-error @+1 {{'collective.gather' op expects dim 0 of the full tensor to be 6 for a group of 2, found 5; blocks that are not all of one extent have `?` there}}
  %0 = collective.gather %x root %root on @m ["tp"] : tensor<3xf32> -> tensor<5xf32>
  return
}
