// The same matrix in two placements: each function returns its argument in another one.
shardir.mesh @m <["x"=4]>

// Rows to columns.
func.func @rows_to_columns(%t: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  return %t : tensor<8x16xf32>
}

// Rows to replicated.
func.func @rows_to_replicated(%t: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %t : tensor<8x16xf32>
}

// Replicated to rows: every rank has its shard already.
func.func @replicated_to_rows(%t: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  return %t : tensor<8x16xf32>
}

// Partial to replicated.
func.func @partial_to_replicated(%t: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %t : tensor<8x16xf32>
}

// Partial to rows.
func.func @partial_to_rows(%t: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  return %t : tensor<8x16xf32>
}
