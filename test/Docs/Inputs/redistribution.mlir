shardir.mesh @m <["a"=2, "b"=4]>

// Rows over "a" and "b", needed over "b" alone.
func.func @rows(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  return %x : tensor<16x6xf32>
}

// Rows over "a"; needed: columns over "a", rows over "b".
func.func @columns(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  return %x : tensor<16x6xf32>
}

// A partial sum over both axes; needed: rows over "b", replicated over "a".
func.func @partial(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["a", "b"]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  return %x : tensor<16x6xf32>
}
