// RUN: shard-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Mistakes in a rule on an op are errors at the op.

func.func @operand_lists(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with 2 operand lists for 1 operands; give one list each}}
  "my.op"(%a) {shardir.rule = #shardir.rule<([i, j], [i, j]) -> ()>} : (tensor<4x8xf32>) -> ()
  return
}

// -----

func.func @result_lists(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with 0 result lists for 1 results}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ()>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operand_rank(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with 1 dims for operand 0 of type 'tensor<4x8xf32>'; give 2}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i]) -> ([i])>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_rank(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with 2 dims for result 0 of type 'tensor<4xf32>'; give 1}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i, j])>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scalar(%a: f32) {
  // expected-error @+1 {{'my.op' op has a sharding rule with 1 dims for operand 0 of type 'f32'; give 0}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i]) -> ([i])>} : (f32) -> tensor<4xf32>
  return
}

// -----

func.func @extent(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule whose factor j has size 8, but dim 0 of result 0 has size 4}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([j])>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduced_result(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule that reduces factor i, which is a dim of a result}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {i = sum}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduced_unknown(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule that reduces factor k, which is no dim of an operand; name the dim k or leave it out of the reduction}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, _]) -> ([i]), reduction = {k = sum}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @twice_operand(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with factor i in two dims of operand 0; an axis splits one dim of a tensor: leave dim 1 of operand 0 without it (_)}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, i]) -> ([i])>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @twice_result(%a: tensor<?xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule with factor i in two dims of result 0}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i]) -> ([i, i])>} : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @bits_of_floats(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{'my.op' op has a sharding rule that reduces factor j by xor, which does not combine elements of result 0 of type 'tensor<4xf32>'; take a kind}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = xor}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unsigned_floats(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{reduces factor j by umax, which does not combine}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = umax}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @nan_of_integers(%a: tensor<4x8xi32>) {
  // expected-error @+1 {{reduces factor j by maxnum, which does not combine}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = maxnum}>} : (tensor<4x8xi32>) -> tensor<4xi32>
  return
}

// -----

// Each device would compute from its part alone.
func.func @forgotten_reduction(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'my.op' op has a sharding rule whose factor j is in no result and is not reduced: say by which kind it is (reduction = {j = sum}), or leave its dims without it (_)}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i])>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op takes no 'shardir.rule': callees are inlined, and what is in them decides; write rules on ops of the callee}}
  %0 = call @callee(%a) {shardir.rule = #shardir.rule<([i]) -> ([i])>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_kind(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{unknown reduction kind 'mean'; expected one of sum, prod, max, min, maxnum, minnum, umax, umin, and, or, xor}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = mean}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @number_for_a_factor(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a factor's name, as in i, or _}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([0, 1]) -> ([0, 1])>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @list_without_brackets(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected one list in brackets per tensor, as in ([i, j]) -> ([i, j])}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<(i, j) -> (i, j)>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// The dim has one name and the reduction another one.
func.func @two_names(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{whose factor j is in no result and is not reduced, while factor k, which is reduced, is no dim of an operand: name the dim and the factor alike}}
  %0 = "my.op"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {k = max}>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}
