// RUN: %python %S/../Inputs/verify-all.py %s

// Results that are written into the memory of arguments: two that change places, one
// whose argument is read later, one that is its argument, uneven and empty shards.
shardir.mesh @m <["x"=2, "y"=2, "z"=1]>

func.func @swapped(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                   %y: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<5xf32> {shardir.alias = 1 : i64, shardir.in_place}) {
  return %y, %x : tensor<5xf32>, tensor<5xf32>
}

func.func @read_later(%w: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"z"}]>}, %g: tensor<5x3xf32>)
    -> (tensor<5x3xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<5x3xf32>, tensor<3xf32>) {
  %n = arith.subf %w, %g : tensor<5x3xf32>
  %s = math.absf %w : tensor<5x3xf32>
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %r = linalg.reduce {arith.addf} ins(%w : tensor<5x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
  return %n, %s, %r : tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>
}

func.func @itself(%w: tensor<1x3xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<1x3xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<1x3xf32>) {
  %t = arith.addf %w, %w : tensor<1x3xf32>
  return %w, %t : tensor<1x3xf32>, tensor<1x3xf32>
}

func.func @transposed(%w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {shardir.alias = 0 : i64, shardir.in_place}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  return %t : tensor<4x4xf32>
}

func.func @both_from_one(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}, %b: tensor<6x4xf32>)
    -> (tensor<6x4xf32> {shardir.alias = 1 : i64, shardir.in_place}, tensor<6x4xf32> {shardir.alias = 0 : i64, shardir.in_place}) {
  %s = arith.addf %a, %b : tensor<6x4xf32>
  return %s, %s : tensor<6x4xf32>, tensor<6x4xf32>
}

// A loop's updates stay where they are, and what else is made of them is a copy.
func.func @loop(%c: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %d: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %row: tensor<6xf32>)
    -> (tensor<5x6xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<6xf32>, tensor<5x6xf32>,
        tensor<5x6xf32> {shardir.alias = 1 : i64, shardir.in_place}, f32) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f0 = arith.constant 0.0 : f32
  %r, %f = scf.for %i = %c1 to %c4 step %c1 iter_args(%t = %c, %s = %f0) -> (tensor<5x6xf32>, f32) {
    %u = tensor.insert_slice %row into %t[%i, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<5x6xf32>
    %n = arith.addf %s, %s : f32
    scf.yield %u, %n : tensor<5x6xf32>, f32
  }
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %sum = linalg.reduce {arith.addf} ins(%r : tensor<5x6xf32>) outs(%z : tensor<6xf32>) dimensions = [0]
  return %r, %sum, %r, %c, %f : tensor<5x6xf32>, tensor<6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, f32
}

func.func @kept(%w: tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>}, %b: i1)
    -> (tensor<7x3xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<7x3xf32>) {
  %r = scf.if %b -> tensor<7x3xf32> {
    scf.yield %w : tensor<7x3xf32>
  } else {
    %t = math.absf %w : tensor<7x3xf32>
    scf.yield %t : tensor<7x3xf32>
  }
  %s = arith.mulf %w, %r : tensor<7x3xf32>
  return %s, %r : tensor<7x3xf32>, tensor<7x3xf32>
}
