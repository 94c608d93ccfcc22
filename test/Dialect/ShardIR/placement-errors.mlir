// Each way to write or place a placement wrongly, and what is said about it.
//
// RUN: shard-opt %s -verify-diagnostics -split-input-file

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected an axis in quotes, as in "tp"}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{dp}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected `?` to be the last entry}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{?, "dp"}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{an integer factor must be at least 1, found 0}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{0, "dp"}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{an integer factor must be at least 1, found -4}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{-4, "dp"}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{sub-axis sizes must be at least 1}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp":(0)2}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{sub-axis sizes must be at least 1}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp":(1)0}]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected a priority such as p0}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}q0]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected a priority such as p0}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}p]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{unknown partial kind 'mean'; expected one of sum, prod, max, min, maxnum, minnum, umax, umin, and, or, xor}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = mean ["dp"]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected at least one partial axis}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum []>})

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+1 {{expected 'replicated = [...]' and then 'partial = kind [...]', each at most once}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["dp"], replicated = ["tp"]>})

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+1 {{expected 'replicated = [...]' and then 'partial = kind [...]', each at most once}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["dp"], partial = max ["tp"]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected 'replicated = [...]' and then 'partial = kind [...]', each at most once}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], unreduced = ["dp"]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{expected shard(dim), replicate, or partial(kind), found 'split'}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [split(0)]>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{unknown partial kind 'avg'}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [partial(avg)]>})

// -----

//===----------------------------------------------------------------------===//
// Against the mesh and the tensor: P1, P4, P5
//===----------------------------------------------------------------------===//

// expected-error @+1 {{placement of argument 0 names mesh @m, which does not exist; declare it with `shardir.mesh @m <["x"=2]>`}}
func.func private @no_mesh(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>})

// -----

shardir.mesh @devices <["dp"=2]>
// expected-error @+1 {{names mesh @device, which does not exist; did you mean @devices?}}
func.func private @misspelled_mesh(tensor<8xf32> {shardir.placement = #shardir.placement<@device, [{"dp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2, "tp"=4]>
// expected-error @+2 {{placement of argument 0 of type 'tensor<8xf32>': unknown axis "pp" in dim 0}}
// expected-note @+1 {{mesh @m has axes "dp", "tp"; did you mean "dp"?}}
func.func private @unknown_axis(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"pp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{unknown axis "pp" in partial}}
// expected-note @+1 {{mesh @m has axis "dp"}}
func.func private @unknown_partial_axis(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["pp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{unknown axis "pp" in replicated}}
// expected-note @+1 {{mesh @m has axis "dp"}}
func.func private @unknown_replicated_axis(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], replicated = ["pp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{placement of argument 1 of type 'tensor<8x16xf32>': placement has 1 dims but the tensor has rank 2}}
// expected-note @+1 {{write one {} per dim of the tensor}}
func.func private @rank(f32, tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{axis "dp" is used twice: in dim 0 and in dim 1}}
// expected-note @+1 {{an axis may appear once in a placement; remove one of the two}}
func.func private @p1_two_dims(tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"dp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{axis "dp" is used twice: in dim 0 and in dim 0}}
// expected-note @+1 {{an axis may appear once in a placement; remove one of the two}}
func.func private @p1_one_dim(tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "dp"}, {}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{axis "dp" is used twice: in dim 0 and in partial}}
// expected-note @+1 {{an axis may appear once in a placement; remove one of the two}}
func.func private @p1_partial(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}], partial = sum ["dp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{axis "dp" is used twice: in dim 0 and in replicated}}
// expected-note @+1 {{an axis may appear once in a placement; remove one of the two}}
func.func private @p1_replicated(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}], replicated = ["dp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=6]>
// expected-error @+2 {{"x":(1)2 in dim 0 and "x":(3)2 in dim 1 overlap on axis "x" of size 6}}
// expected-note @+1 {{sub-axes of one axis must follow one another: the second begins where the first ends, or at a multiple of it}}
func.func private @p1_overlap(tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x":(1)2}, {"x":(3)2}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=4]>
// expected-error @+2 {{"x" in dim 0 and "x":(2)2 in dim 1 overlap on axis "x" of size 4}}
// expected-note @+1 {{sub-axes of one axis must follow one another}}
func.func private @p1_axis_and_sub_axis(tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"x":(2)2}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=6]>
// expected-error @+2 {{sub-axis "x":(1)4 in dim 0 does not divide axis "x" of size 6}}
// expected-note @+1 {{pre-size x size must divide the size of the axis}}
func.func private @sub_axis(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x":(1)4}]>})

// -----

// An axis of unknown size is checked with the size that decisions assume.
// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=?6]>
// expected-error @+2 {{sub-axis "x":(2)2 in dim 0 does not divide axis "x" of size 6}}
// expected-note @+1 {{pre-size x size must divide the size of the axis}}
func.func private @assumed(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x":(2)2}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["x"=4]>
// expected-error @+2 {{sub-axis "x":(9223372036854775807)2 in dim 0 does not divide axis "x" of size 4}}
// expected-note @+1 {{pre-size x size must divide the size of the axis}}
func.func private @huge(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x":(9223372036854775807)2}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+2 {{cannot split dim 0 of size 6 by factor 4 (must divide exactly)}}
// expected-note @+1 {{a dim split by axes alone may be uneven: write [{"tp"}]}}
func.func private @p4_factor(tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{4, "tp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+2 {{cannot split dim 1 of size 9 by axis "dp" of size 2 (must divide exactly)}}
// expected-note @+1 {{a dim split by axes alone may be uneven: write [{}, {"dp", "tp"}]}}
func.func private @p4_first_run(tensor<2x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {"dp", 3, "tp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+2 {{cannot split dim 0 of size 12, of which 6 are left, by factor 4 (must divide exactly)}}
// expected-note @+1 {{a dim split by axes alone may be uneven: write [{"dp", "tp"}]}}
func.func private @p4_left(tensor<12xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 4, "tp"}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+2 {{cannot split dim 0 of size 6 by factor 4 (must divide exactly)}}
// expected-note @+1 {{a factor without an axis changes nothing: write [{}]}}
func.func private @p4_no_axis(tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{4}]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+2 {{partial kind 'maxnum' is for floats, not for element type i32}}
// expected-note @+1 {{write 'max'}}
func.func private @p5_maxnum(tensor<8xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = maxnum ["tp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+2 {{partial kind 'umin' is for integers and i1, not for element type f32}}
// expected-note @+1 {{write 'min'}}
func.func private @p5_umin(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = umin ["tp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{partial kind 'xor' is for integers and i1, not for element type bf16}}
func.func private @p5_xor(tensor<8xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = xor ["tp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{partial kind 'max' is for floats and integers, not for element type complex<f32>}}
func.func private @p5_max(tensor<8xcomplex<f32>> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["tp"]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["tp"=2]>
// expected-error @+1 {{partial kind 'sum' is for numbers, not for element type vector<4xf32>}}
func.func private @p5_sum(tensor<8xvector<4xf32>> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>})

// -----

//===----------------------------------------------------------------------===//
// Sugar
//===----------------------------------------------------------------------===//

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+2 {{placements has 1 entries but the mesh has 2 axes}}
// expected-note @+1 {{write one entry per mesh axis; mesh @m has axes "dp", "tp"}}
func.func private @sugar_count(tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0)]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{shard(1) of axis "dp" is out of range for a tensor of rank 1}}
// expected-note @+1 {{dims are -1 to 0}}
func.func private @sugar_range(tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(1)]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{shard(-3) of axis "dp" is out of range for a tensor of rank 2}}
// expected-note @+1 {{dims are -2 to 1}}
func.func private @sugar_negative(tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(-3)]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
// expected-error @+2 {{shard(0) of axis "dp" is out of range for a tensor of rank 0}}
// expected-note @+1 {{a tensor of rank 0 has no dim to split: write replicate}}
func.func private @sugar_rank_0(tensor<f32> {shardir.placement = #shardir.placement<@m, placements = [shard(0)]>})

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2, "tp"=2]>
// expected-error @+2 {{partial(max) of axis "tp" differs from partial(sum) of axis "dp"}}
// expected-note @+1 {{a placement has one partial kind: reduce one of the two first}}
func.func private @sugar_kinds(tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [partial(sum), partial(max)]>})

// -----

//===----------------------------------------------------------------------===//
// Where placements stand
//===----------------------------------------------------------------------===//

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{argument 0 has a placement but its type 'f32' is not a ranked tensor}}
func.func private @scalar(f32 {shardir.placement = #shardir.placement<@m, []>})

// -----

shardir.mesh @m <["dp"=2]>
// expected-error @+1 {{result 0 has a placement but its type 'tensor<*xf32>' is not a ranked tensor}}
func.func private @unranked() -> (tensor<*xf32> {shardir.placement = #shardir.placement<@m, []>})

// -----

// expected-error @+1 {{argument 0 has attribute 'shardir.placement'; expected 'shardir.placement' with a #shardir.placement}}
func.func private @kind(tensor<8xf32> {shardir.placement = "rows"})

// -----

// expected-error @+1 {{argument 0 has attribute 'shardir.sharding'; expected 'shardir.placement' with a #shardir.placement}}
func.func private @argument_name(tensor<8xf32> {shardir.sharding = 0})

// -----

// expected-error @+1 {{result 0 has attribute 'shardir.sharding'; expected 'shardir.placement' with a #shardir.placement}}
func.func private @result_name() -> (tensor<8xf32> {shardir.sharding = 0})

// -----

func.func @op_name(%x: tensor<8xf32>) {
  // expected-error @+1 {{unknown attribute 'shardir.placement'; ops carry 'shardir.placements'}}
  %0 = math.exp %x {shardir.placement = 0} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @op_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.placements' must have one entry per result, 1 in all}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}]>, #shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["dp"=2]>
func.func @op_array(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.placements' must have one entry per result, 1 in all}}
  %0 = math.exp %x {shardir.placements = #shardir.placement<@m, [{}]>} : tensor<8xf32>
  return
}

// -----

func.func @op_entry(%x: tensor<8xf32>) {
  // expected-error @+1 {{'shardir.placements' entry 0 must be a placement}}
  %0 = math.exp %x {shardir.placements = [unit]} : tensor<8xf32>
  return
}

// -----

func.func @op_scalar(%x: f32) {
  // expected-error @+1 {{'shardir.placements' entry 0 must be a placement, or unit as the result is not a tensor}}
  %0 = math.exp %x {shardir.placements = [0]} : f32
  return
}

// -----

// expected-note @+1 {{mesh @m declared here}}
shardir.mesh @m <["dp"=2]>
func.func @op_placement(%x: tensor<8xf32>) {
  // expected-error @+2 {{placement of result 0 of type 'tensor<8xf32>': placement has 2 dims but the tensor has rank 1}}
  // expected-note @+1 {{write one {} per dim of the tensor}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}, {}]>]} : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{'shardir.alias' of result 0 must be the number of an argument, 0 to 0}}
func.func private @alias_range(tensor<8xf32>) -> (tensor<8xf32> {shardir.alias = 1 : i64})

// -----

// expected-error @+1 {{'shardir.alias' of result 0 must be the number of an argument, 0 to 0}}
func.func private @alias_kind(tensor<8xf32>) -> (tensor<8xf32> {shardir.alias = "x"})

// -----

// expected-error @+1 {{result 0 of type 'tensor<8xf32>' cannot take the placement of argument 0 of type 'tensor<4xf32>'}}
func.func private @alias_type(tensor<4xf32>) -> (tensor<8xf32> {shardir.alias = 0 : i64})

// -----

// expected-error @+1 {{'shardir.in_place' of result 0 must be a unit, beside 'shardir.alias' with the number of the argument that is overwritten}}
func.func private @in_place_of_nothing(tensor<8xf32>) -> (tensor<8xf32> {shardir.in_place})

// -----

// expected-error @+1 {{results 0 and 1 are both written into argument 0; one argument has room for one result}}
func.func private @in_place_twice(tensor<8xf32>) -> (tensor<8xf32> {shardir.alias = 0 : i64, shardir.in_place},
                                                     tensor<8xf32> {shardir.alias = 0 : i64, shardir.in_place})

// -----

// expected-error @+1 {{'shardir.in_place' of argument 0 must be the number of an argument of its type, of a result}}
func.func private @in_place_argument(memref<8xf32> {shardir.in_place = 0 : i64})

// -----

// expected-error @+1 {{'shardir.global_type' of argument 0 must be a ranked tensor type of the rank and element type of 'tensor<4xf32>', found tensor<8x8xf32>}}
func.func private @global_type(tensor<4xf32> {shardir.global_type = tensor<8x8xf32>})

// -----

// expected-error @+1 {{'shardir.global_type' of result 0 must be a ranked tensor type of the rank and element type of 'tensor<4xf32>', found tensor<8xf64>}}
func.func private @global_type_result() -> (tensor<4xf32> {shardir.global_type = tensor<8xf64>})

// -----

// expected-error @+1 {{'shardir.result' of argument 0 must be a unit attribute of a memref}}
func.func private @result_marker(tensor<4xf32> {shardir.result})

// -----

// expected-error @+1 {{'shardir.report' must be a dictionary on the module}}
module attributes {shardir.report = 1} {}

// -----

// expected-error @+1 {{'shardir.stage' must be "local", "scheduled", "bufferized", "cpu" or "gpu", on the module}}
module attributes {shardir.stage} {}

// -----

// expected-error @+1 {{'shardir.stage' must be "local", "scheduled", "bufferized", "cpu" or "gpu", on the module}}
module attributes {shardir.stage = "propagated"} {}

// -----

// expected-error @+1 {{'shardir.gpu' must be a string on the module}}
module attributes {shardir.gpu} {}

// -----

// expected-error @+1 {{'shardir.name' of argument 0 must be a string that is not empty, found 1 : i64}}
func.func private @argument_name(tensor<4xf32> {shardir.name = 1})

// -----

// expected-error @+1 {{'shardir.name' of result 0 must be a string that is not empty, found ""}}
func.func private @result_name() -> (tensor<4xf32> {shardir.name = ""})

// -----

shardir.mesh @grid <["x"=2]>
shardir.mesh @line <["x"=2]>
// expected-error @+1 {{placement of argument 0 names mesh @n, which does not exist; the module has @grid, @line: name one of its meshes, or declare @n}}
func.func @other_mesh(%a: tensor<8xf32> {shardir.placement = #shardir.placement<@n, [{"x"}]>}) {
  return
}
