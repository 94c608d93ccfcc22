// RUN: shard-opt %s --shardir-import-annotations --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2]>
// expected-error @+1 {{the sharding of argument 0 cannot be read: expected '>' before 'x>' in 'sharding<@m, [{"a"}]x>'}}
func.func @trailing(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]x>}) { return }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error @+1 {{the sharding of argument 0 cannot be read: expected 'replicated' or 'unreduced', each at most once}}
func.func @twice(%x: tensor<8xf32> {sdy.sharding = "<@m, [{}], replicated={'a'}, replicated={'a'}>"}) { return }

// -----

// expected-note @+1 {{mesh @m declared here}}
sdy.mesh @m = <["a"=2]>
// expected-note @+2 {{mesh @m has axis "a"}}
// expected-error-re @+1 {{placement of result 0 of type 'tensor<8xf32>': {{.*}}"b"}}
func.func @axis(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}]>}) { return %x : tensor<8xf32> }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error @+1 {{the sharding of argument 0 has 2 entries for 1 tensors}}
func.func @count(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>}) { return }

// -----

shardir.mesh @m <["a"=2]>
// expected-error @+1 {{argument 0 has both 'shardir.placement' and a sharding to import; drop one}}
func.func @both(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>, mhlo.sharding = "{replicated}"}) { return }

// -----

// expected-error @+1 {{cannot be read: the size of axis "a" must be at least 1}}
sdy.mesh @m = <["a"=0]>

// -----

// expected-error @+1 {{cannot be read: a mesh without axes has one device at most}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error @+1 {{axis name "a b" must match}}
sdy.mesh @m = <["a b"=2]>
func.func @name(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}]>}) { return }

// -----

// expected-error @+1 {{mesh @f has the name of another symbol}}
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@f, [{"a"}]>}) { return }

// -----

// expected-error @+1 {{the sharding of 'func.func' has 1 entries for 0 tensors}}
func.func @body(%x: tensor<8xf32>) attributes {mhlo.sharding = "{replicated}"} { return }

// -----

func.func @other_type(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stands for a constraint, but its results have other types than its operands}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_op(%x: tensor<8xf32>) {
  // expected-error @+1 {{cannot be imported}}
  "sdy.other"(%x) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @barrier(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has 'allowed_direction' "SIDEWAYS"; expected FORWARD, BACKWARD, BOTH or NONE}}
  %0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @group(%x: f32) {
  // expected-error @+1 {{needs one operand, a ranked tensor, and 'group_id'}}
  sdy.sharding_group %x group_id=1 : f32
  return
}

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: lists 2 devices for 4 tiles}}
func.func @few(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,1}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: device 1 is listed twice}}
func.func @listed_twice(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]1,1}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: the transposition is no permutation of 2 dims}}
func.func @transposed(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[2,2]T(1,1)}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: expected sizes of at least 1 and at most 2^20 devices}}
func.func @huge(%x: tensor<8xf32> {mhlo.sharding = "{devices=[99999999999]<=[99999999999]}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: expected a sharding that is known before 'shard_as 1}'}}
func.func @group(%x: tensor<8xf32> {mhlo.sharding = "{unknown shard_as 1}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cannot be read: there are more subgroups than tile dims}}
func.func @subgroups(%x: tensor<8xf32> {mhlo.sharding = "{replicated last_tile_dim_replicate}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 cuts 2 dims of a tensor of rank 1}}
func.func @rank(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) { return }

// -----

// expected-error @+1 {{the sharding of argument 0 is manual, which only values inside a manual region can be}}
func.func @manual(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={manual}}"}) { return }

// -----

sdy.mesh @m = <["a"=2]>
func.func @no_axes(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs 'manual_axes'}}
  "sdy.manual_computation"(%x) ({
  ^bb0(%l: tensor<8xf32>):
    "sdy.return"() : () -> ()
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @border(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs type 'tensor<4xf32>' inside for operand 0}}
  sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%l: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @returned(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{must end with an sdy.return of its results}}
  %0 = sdy.named_computation<"f">(%x) (%l: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @entry_without_sharding(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{takes a tensor whose sharding is not known; it must come from a custom call @Sharding}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shard_leaves(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<4xf32> {
  // expected-error @+1 {{gives a shard that leaves its manual region without a custom call @SPMDShardToFullShape}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_results(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  // expected-error @+1 {{gives a shard to a manual region without results}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_border(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{takes a shard that does not come from a custom call @Sharding}}
  %0 = stablehlo.custom_call @SPMDShardToFullShape(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @uses_result(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  // expected-error @+1 {{uses a global tensor in a manual region; make it enter by a custom call @SPMDFullToShardShape}}
  %2 = tensor.insert_slice %0 into %1[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @calls_itself(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = call @again(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls what calls itself; a manual region takes no recursion}}
  %0 = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @blocks(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  // expected-error @+1 {{is in a manual region and calls a function of several blocks; write control flow as scf}}
  %1 = call @two(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{stands outside of a manual region, where tensors are global and nothing is left to communicate}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @config(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a backend_config that cannot be read; expected 'unspecified_dims=[0,1]', found 'other'}}
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "other", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'mhlo.spmd_output_sharding' says that the program has been partitioned, so that its types are those of shards; import it as it was before}}
module attributes {mhlo.spmd_output_sharding = "{devices=[2]<=[2]}"} {}
