// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=2
// INPUTS branch: --input=i1=0 --input=6x3xf32=-7 --input=3xf32=5
// INPUTS branch: --input=i1=1 --input=6x3xf32=-7 --input=3xf32=5

// RUN: shard-run %s --mesh=a=2,b=2 --function=micro_batches --verify --report=%t.json
// RUN: FileCheck %s --check-prefix=ONCE < %t.json

// Loops and branches that carry terms of a sum: asked for by a placement on the
// op, or found.

// One sum of 3x5 numbers over 2 devices, after four iterations: 2 * ceil(15 / 2)
// of 4 bytes, as predicted and as measured.
// ONCE-NOT:  "executions"
// ONCE:      "bytes_per_device": 64
// ONCE:      "executions": 1,
// ONCE:      "kind": "all_reduce"
// ONCE-NOT:  "executions"
// ONCE:      "measured": {
// ONCE-NEXT:   "bytes_per_device": 64
shardir.mesh @m <["a"=?, "b"=?]>

// Gradients of micro-batches: what is carried is reduced once, after the loop.
func.func @accumulate(%x: tensor<4x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>},
                      %g: tensor<4x6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (tensor<3x5xf32>) {
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<4x6x3xf32> to tensor<6x3xf32>
    %gi = tensor.extract_slice %g[%i, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<4x6x5xf32> to tensor<6x5xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xi, %gi : tensor<6x3xf32>, tensor<6x5xf32>) outs(%z : tensor<3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<3x5xf32>
    %n = arith.addf %acc, %w : tensor<3x5xf32>
    scf.yield %n : tensor<3x5xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["a"]>]}
  return %r : tensor<3x5xf32>
}

// The same, found: a sum that is carried and only added to is reduced once.
func.func @micro_batches(%x: tensor<4x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>},
                      %g: tensor<4x6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (tensor<3x5xf32>) {
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<4x6x3xf32> to tensor<6x3xf32>
    %gi = tensor.extract_slice %g[%i, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<4x6x5xf32> to tensor<6x5xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xi, %gi : tensor<6x3xf32>, tensor<6x5xf32>) outs(%z : tensor<3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<3x5xf32>
    %n = arith.addf %acc, %w : tensor<3x5xf32>
    scf.yield %n : tensor<3x5xf32>
  }
  return %r : tensor<3x5xf32>
}

// A loop's initial value is added once, however many devices there are.
func.func @starts_from(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %s: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %s) -> (tensor<3xf32>) {
    %n = linalg.reduce { arith.addf } ins(%x : tensor<6x3xf32>) outs(%acc : tensor<3xf32>) dimensions = [0]
    scf.yield %n : tensor<3xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]}
  return %r : tensor<3xf32>
}

// The largest of all steps.
func.func @largest(%x: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b", "a"}]>}) -> tensor<f32> {
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %low) -> (tensor<f32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 6] [1, 1] : tensor<5x6xf32> to tensor<6xf32>
    %n = linalg.reduce { arith.maximumf } ins(%row : tensor<6xf32>) outs(%acc : tensor<f32>) dimensions = [0]
    scf.yield %n : tensor<f32>
  } {shardir.placements = [#shardir.placement<@m, [], partial = max ["a", "b"]>]}
  return %r : tensor<f32>
}

// One branch makes terms, the other holds the full value.
func.func @branch(%c: i1, %x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %y: tensor<3xf32>) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %r = scf.if %c -> (tensor<3xf32>) {
    %s = linalg.reduce { arith.addf } ins(%x : tensor<6x3xf32>) outs(%zero : tensor<3xf32>) dimensions = [0]
    scf.yield %s : tensor<3xf32>
  } else {
    scf.yield %y : tensor<3xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]}
  return %r : tensor<3xf32>
}

// A while loop that carries a sum, and counts its steps.
func.func @counted(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %r:2 = scf.while (%acc = %zero, %i = %i0) : (tensor<3xf32>, i32) -> (tensor<3xf32>, i32) {
    %go = arith.cmpi slt, %i, %i3 : i32
    scf.condition(%go) %acc, %i : tensor<3xf32>, i32
  } do {
  ^bb0(%acc: tensor<3xf32>, %i: i32):
    %n = linalg.reduce { arith.addf } ins(%x : tensor<6x3xf32>) outs(%acc : tensor<3xf32>) dimensions = [0]
    %next = arith.addi %i, %i1 : i32
    scf.yield %n, %next : tensor<3xf32>, i32
  } attributes {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>, unit], shardir.carried = [#shardir.placement<@m, [{}], partial = sum ["a"]>]}
  return %r#0 : tensor<3xf32>
}
