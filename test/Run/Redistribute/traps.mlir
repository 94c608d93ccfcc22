// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=2,b=4 a=3,b=2 a=1,b=4

// Changes of placement that were wrong in a well-known system, in programs.
shardir.mesh @m <["a"=?, "b"=?]>

// Trap 3: a contraction over both axes, wanted in rows over one: two reductions,
// the second one is easily forgotten.
func.func @partial_twice(%x: tensor<7x12xi32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>},
                      %y: tensor<12x5xi32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>})
    -> (tensor<7x5xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
        tensor<7x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<7x5xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<7x5xi32>) -> tensor<7x5xi32>
  %r = linalg.matmul ins(%x, %y : tensor<7x12xi32>, tensor<12x5xi32>) outs(%z : tensor<7x5xi32>) -> tensor<7x5xi32>
  return %r, %r : tensor<7x5xi32>, tensor<7x5xi32>
}

// The same of a maximum.
func.func @largest_twice(%x: tensor<6x9x4xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>})
    -> (tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) {
  %least = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<4xi32>
  %z = linalg.fill ins(%least : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %r = linalg.reduce { arith.maxsi } ins(%x : tensor<6x9x4xi32>) outs(%z : tensor<4xi32>) dimensions = [0, 1]
  return %r : tensor<4xi32>
}

// Trap 9: 5 rows cut twice, and gathered by one axis, by the other, and fully.
func.func @five_rows(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>}) {
  return %x, %x, %x, %x : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
}

// Trap 10: a contraction's dim in one order of axes on one operand, in another
// on the other, in sizes that the mesh does not divide.
func.func @two_orders(%x: tensor<3x7xi32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>},
                      %y: tensor<7x5xi32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>})
    -> (tensor<3x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x5xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<3x5xi32>) -> tensor<3x5xi32>
  %r = linalg.matmul ins(%x, %y : tensor<3x7xi32>, tensor<7x5xi32>) outs(%z : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}

// Trap 17: counts that differ between the ranks of one group, down to none, in
// an all-to-all and in a reduce-scatter.
func.func @other_counts(%x: tensor<9x6xi32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                        %y: tensor<9x5x3xi32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}, {}]>})
    -> (tensor<9x6xi32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x3xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<5x3xi32>) -> tensor<5x3xi32>
  %r = linalg.reduce { arith.addi } ins(%y : tensor<9x5x3xi32>) outs(%z : tensor<5x3xi32>) dimensions = [0]
  return %x, %r : tensor<9x6xi32>, tensor<5x3xi32>
}
