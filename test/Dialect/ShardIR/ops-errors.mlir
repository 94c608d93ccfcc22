// RUN: shard-opt %s -verify-diagnostics -split-input-file

func.func @constrain_no_mesh(%x: tensor<8xf32>) {
  // expected-error @+1 {{placement of the result names mesh @m, which does not exist}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=4]>
func.func @constrain_factor(%x: tensor<6xf32>) {
  // expected-error @+2 {{cannot split dim 0 of size 6 by factor 4 (must divide exactly)}}
  // expected-note @+1 {{a dim split by axes alone may be uneven: write [{"tp"}]}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{4, "tp"}]> : tensor<6xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @constrain_type(%x: f32) {
  // expected-error @+1 {{'shardir.constrain' op operand #0 must be ranked tensor of any type values, but got 'f32'}}
  %0 = shardir.constrain %x to #shardir.placement<@m, []> : f32
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @redistribute_sugar(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.redistribute' op takes placements by dim; `placements = [...]` is for annotations}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, placements = [shard(0)]> : tensor<8xf32>
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=4]>
func.func @redistribute_operand(%x: tensor<8xf32>) {
  // expected-error @+2 {{placement of the operand of type 'tensor<8xf32>': placement has 2 dims but the tensor has rank 1}}
  // expected-note @+1 {{write one {} per dim of the tensor}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @redistribute_result(%x: tensor<8xf32>) {
  // expected-error @+1 {{placement of the result names mesh @n, which does not exist}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@n, [{}]> : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @halo_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.redistribute' op halo must have one [low, high] per dim, 1 in all, found 2}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> halo [[1, 1], [0, 0]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @halo_open(%x: tensor<?xf32>, %n: index) {
  // expected-error @+1 {{'shardir.redistribute' op needs extent and shift of each window that is known at run time alone, 2 in all, found 1}}
  %0 = shardir.redistribute %x dims [%n] from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> halo [[0, 1, 7, 1, 1, 0]] : tensor<?xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @halo_negative(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.redistribute' op halo entries must be [low, high], both not negative}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> halo [[-1, 1]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @halo_pair(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.redistribute' op halo entries must be [low, high], both not negative}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> halo [[1]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @halo_kind(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.redistribute' op halo entries must be [low, high], both not negative}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}]> halo [[1, 100000000000000000000 : i128]] : tensor<8xf32>
  return
}

// -----

func.func @axis_index_mesh() {
  // expected-error @+1 {{'shardir.axis_index' op names mesh @m, which does not exist}}
  %0 = shardir.axis_index @m "tp"
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @axis_index_axis() {
  // expected-error @+1 {{'shardir.axis_index' op names axis "dp", which mesh @m lacks}}
  %0 = shardir.axis_index @m "dp"
  return
}

// -----

shardir.mesh @m <["tp"=4]>
func.func @no_result() {
  // expected-error @+1 {{'shardir.placements' must have one entry per result, 0 in all}}
  return {shardir.placements = [#shardir.placement<@m, []>]}
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @carried_no_placements(%x: tensor<8xf32>, %c: i1) {
  // expected-error @+1 {{'shardir.carried' must be a list of placements}}
  scf.while (%p = %x) : (tensor<8xf32>) -> () {
    scf.condition(%c)
  } do {
    scf.yield %x : tensor<8xf32>
  } attributes {shardir.carried = [1]}
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
func.func @carried_rank(%x: tensor<8xf32>, %c: i1) {
  // expected-note @+2 {{write one {} per dim of the tensor}}
  // expected-error @+1 {{placement of carried tensor 0 of type 'tensor<8xf32>'}}
  scf.while (%p = %x) : (tensor<8xf32>) -> () {
    scf.condition(%c)
  } do {
    scf.yield %x : tensor<8xf32>
  } attributes {shardir.carried = [#shardir.placement<@m, [{}, {"tp"}]>]}
  return
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @carried_sugar(%x: tensor<8xf32>, %c: i1) {
  // expected-error @+1 {{'shardir.carried' takes placements by dim; `placements = [...]` is for annotations}}
  scf.while (%p = %x) : (tensor<8xf32>) -> () {
    scf.condition(%c)
  } do {
    scf.yield %x : tensor<8xf32>
  } attributes {shardir.carried = [#shardir.placement<@m, placements = [shard(0)]>]}
  return
}

// -----

func.func @no_argument(%x: tensor<?xf32>) {
  // expected-error @+1 {{'shardir.extent' op names argument 1 of a function that has 1}}
  %0 = shardir.extent argument 1 dim 0
  return
}

// -----

func.func @no_dim(%x: tensor<?xf32>) {
  // expected-error @+1 {{'shardir.extent' op names dim 1 of argument 0 of type 'tensor<?xf32>'}}
  %0 = shardir.extent argument 0 dim 1
  return
}

// -----

// expected-error @+1 {{'shardir.extent' op names an argument outside of a function}}
%0 = shardir.extent argument 0 dim 0

// -----

// expected-error @+1 {{'shardir.extents' of result 0 of type 'tensor<?xf32>' must be a list of one entry per dim, found [unit, unit]}}
func.func private @extents() -> (tensor<?xf32> {shardir.extents = [unit, unit]})

// -----

// expected-error @+1 {{'shardir.extents' of argument 1 must have a unit, a number, or [argument, dim] for each dim, found [0, 1]}}
func.func private @argument_extents(tensor<?xf32>, tensor<?xf32> {shardir.extents = [[0, 1]]})

// -----

shardir.mesh @m <["a"=2]>
func.func @constrain_group_axes(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.constrain' op has a group, so that its dims must all be {?}; put axes into a constraint of its own}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{"a", ?}]> {group = 1} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
func.func @constrain_both(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.constrain' op has a group and a direction; write two constraints}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {direction = "none", group = 1} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["a"=2]>
func.func @constrain_direction(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.constrain' op has direction "both"; expected "forward", "backward" or "none"}}
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {direction = "both"} : tensor<8xf32>
  return
}
